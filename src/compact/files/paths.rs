//! Paths as agents write them.

/// The last component.
pub fn name(path: &str) -> &str {
    let path = path.trim_end_matches(['/', '\\']);
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Whether a path says where it is without a folder to start from.
pub fn is_absolute(path: &str) -> bool {
    let mut chars = path.chars();
    let (first, second) = (chars.next(), chars.next());
    matches!(first, Some('/' | '\\' | '~'))
        || (first.is_some_and(|letter| letter.is_ascii_alphabetic()) && second == Some(':'))
}

/// A path as seen from a folder, `.` and `..` worked out. The folder of a call is often not told: a relative path
/// then stays one.
pub fn join(folder: &str, path: &str) -> String {
    let joined;
    let path = if is_absolute(path) || folder.is_empty() {
        path
    } else {
        joined = format!("{}/{path}", folder.trim_end_matches('/'));
        &joined
    };
    if !path.contains('/') {
        return path.to_owned();
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                if parts.last().is_some_and(|last| *last != "..") {
                    parts.pop();
                } else if !path.starts_with('/') {
                    parts.push(part);
                }
            }
            part => parts.push(part),
        }
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    match format!("{root}{}", parts.join("/")) {
        joined if joined.is_empty() => ".".to_owned(),
        joined => joined,
    }
}

/// Where something lands that is moved or copied: `to` itself, or under its own name in it where `to` is a folder.
pub fn landing(from: &str, to: &str, is_folder: bool) -> String {
    if is_folder || to.ends_with('/') || matches!(to, "." | "..") {
        format!("{}/{}", to.trim_end_matches('/'), name(from))
    } else {
        to.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined() {
        for (folder, path, joined) in [
            ("", "src/a.rs", "src/a.rs"),
            ("", "./src//a.rs", "src/a.rs"),
            ("", "../a", "../a"),
            ("", "a/..", "."),
            ("/repo", "a.rs", "/repo/a.rs"),
            ("/repo/", "../a.rs", "/a.rs"),
            ("web", "./a.rs", "web/a.rs"),
            ("web", "/etc/hosts", "/etc/hosts"),
            ("web", "~/notes", "~/notes"),
            ("web", "C:\\a.txt", "C:\\a.txt"),
        ] {
            assert_eq!(join(folder, path), joined, "{folder} and {path}");
        }
        assert_eq!(landing("src/a.rs", "lib/", false), "lib/a.rs");
        assert_eq!(landing("src/a.rs", "b.rs", false), "b.rs");
    }
}
