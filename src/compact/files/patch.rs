//! Bodies of patches: the `*** Begin Patch` form of apply_patch, and unified diffs.

use super::FileOp;

/// What a patch does to files; paths as it writes them.
pub fn operations(patch: &str) -> Vec<FileOp> {
    if patch.contains("*** ") && patch.lines().any(|line| section(line).is_some()) {
        return envelope(patch);
    }
    unified(patch)
}

enum Section<'p> {
    Add(&'p str),
    Update(&'p str),
    Delete(&'p str),
    Move(&'p str),
}

fn section(line: &str) -> Option<Section<'_>> {
    let (kind, path) = line.trim().strip_prefix("*** ")?.split_once(": ")?;
    let path = path.trim();
    match kind {
        "Add File" => Some(Section::Add(path)),
        "Update File" => Some(Section::Update(path)),
        "Delete File" => Some(Section::Delete(path)),
        "Move to" | "Move File To" => Some(Section::Move(path)),
        _ => None,
    }
}

fn envelope(patch: &str) -> Vec<FileOp> {
    let mut out: Vec<FileOp> = Vec::new();
    for found in patch.lines().filter_map(section) {
        match found {
            Section::Add(path) | Section::Update(path) => out.push(FileOp::Modify(path.to_owned())),
            Section::Delete(path) => out.push(FileOp::Delete(path.to_owned())),
            Section::Move(to) => {
                if let Some(FileOp::Modify(from)) = out.last().cloned() {
                    out.push(FileOp::Rename {
                        from,
                        to: to.to_owned(),
                    });
                }
            }
        }
    }
    out
}

fn unified(patch: &str) -> Vec<FileOp> {
    let mut out = Vec::new();
    let mut before: Option<&str> = None;
    let mut renamed_from: Option<&str> = None;
    for line in patch.lines() {
        if let Some(path) = line.strip_prefix("--- ") {
            before = Some(file_of(path));
        } else if let (Some(path), Some(from)) = (line.strip_prefix("+++ "), before.take()) {
            match (from, file_of(path)) {
                ("/dev/null", "/dev/null") => {}
                (from, "/dev/null") => out.push(FileOp::Delete(from.to_owned())),
                (_, to) => out.push(FileOp::Modify(to.to_owned())),
            }
        } else if let Some(from) = line.strip_prefix("rename from ") {
            renamed_from = Some(from.trim());
        } else if let (Some(to), Some(from)) = (line.strip_prefix("rename to "), renamed_from.take()) {
            out.push(FileOp::Rename {
                from: from.to_owned(),
                to: to.trim().to_owned(),
            });
        }
    }
    out
}

/// The path of a `---` or `+++` line: without git's prefix and without a time stamp.
fn file_of(path: &str) -> &str {
    let path = path.split('\t').next().unwrap_or(path).trim();
    path.strip_prefix("a/")
        .or_else(|| path.strip_prefix("b/"))
        .unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modify(path: &str) -> FileOp {
        FileOp::Modify(path.to_owned())
    }

    #[test]
    fn envelopes_are_read() {
        let patch = "*** Begin Patch\n*** Add File: a b.rs\n+x\n*** Update File: src/b.rs\n*** Move to: src/c.rs\n@@\n-*** Delete File: no\n+y\n*** Delete File: d.rs\n*** End Patch";
        let renamed = FileOp::Rename {
            from: "src/b.rs".to_owned(),
            to: "src/c.rs".to_owned(),
        };
        assert_eq!(
            operations(patch),
            [
                modify("a b.rs"),
                modify("src/b.rs"),
                renamed,
                FileOp::Delete("d.rs".to_owned())
            ]
        );
    }

    #[test]
    fn diffs_are_read() {
        let diff = "diff --git a/x.rs b/x.rs\n--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-a\n+b\n--- /dev/null\n+++ b/new.rs\t2026-01-01\n--- a/gone.rs\n+++ /dev/null\nrename from o.rs\nrename to p.rs\n";
        let renamed = FileOp::Rename {
            from: "o.rs".to_owned(),
            to: "p.rs".to_owned(),
        };
        assert_eq!(
            operations(diff),
            [
                modify("x.rs"),
                modify("new.rs"),
                FileOp::Delete("gone.rs".to_owned()),
                renamed
            ]
        );
        assert_eq!(operations("no patch"), []);
    }
}
