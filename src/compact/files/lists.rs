//! The two lists of files, as they accumulate from compaction to compaction.

use super::FileOp;
use std::collections::HashMap;

/// Files read and files changed, each list in the order in which its files were last touched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileLists {
    /// Read and not changed.
    pub read: Vec<String>,
    /// Created or changed.
    pub modified: Vec<String>,
    /// How many were left out for want of room.
    pub left_out: usize,
}

/// When a file was last touched, and whether it was changed.
#[derive(Clone, Copy)]
struct Touched {
    at: usize,
    is_modified: bool,
}

impl FileLists {
    /// Takes in what was done. A file that was changed is not listed as read; one that is gone is not listed at all.
    pub fn apply(&mut self, ops: impl IntoIterator<Item = FileOp>) {
        let mut known: HashMap<String, Touched> = HashMap::new();
        let reads = self.read.drain(..).map(|path| (path, false));
        let earlier: Vec<(String, bool)> = reads.chain(self.modified.drain(..).map(|path| (path, true))).collect();
        let mut at = 0;
        let mut touch = |known: &mut HashMap<String, Touched>, path: String, is_modified: bool| {
            at += 1;
            let entry = known.entry(path).or_insert(Touched { at, is_modified });
            entry.at = at;
            entry.is_modified |= is_modified;
        };
        for (path, is_modified) in earlier {
            touch(&mut known, path, is_modified);
        }
        for op in ops {
            match op {
                FileOp::Read(path) => touch(&mut known, path, false),
                FileOp::Modify(path) => touch(&mut known, path, true),
                FileOp::Delete(path) => known.retain(|file, _| below(&path, file).is_none()),
                FileOp::Rename { from, to } => {
                    let mut moved: Vec<(String, usize)> = Vec::new();
                    known.retain(|file, touched| match below(&from, file) {
                        Some(rest) => {
                            moved.push((format!("{to}{rest}"), touched.at));
                            false
                        }
                        None => true,
                    });
                    moved.sort_by_key(|(_, at)| *at);
                    if moved.is_empty() {
                        moved.push((to, 0));
                    }
                    for (path, _) in moved {
                        touch(&mut known, path, true);
                    }
                }
            }
        }
        let mut all: Vec<(String, Touched)> = known.into_iter().collect();
        all.sort_by_key(|(_, touched)| touched.at);
        for (path, touched) in all {
            let list = if touched.is_modified {
                &mut self.modified
            } else {
                &mut self.read
            };
            list.push(path);
        }
    }

    /// Leaves out what is over a number: the longest untouched first, files that were only read before changed ones.
    pub fn cap(&mut self, most: usize) {
        for list in [&mut self.read, &mut self.modified] {
            // The other list is looked at below: reads give way to changes.
            let excess = list.len().saturating_sub(most);
            list.drain(..excess);
            self.left_out += excess;
        }
        let over = (self.read.len() + self.modified.len()).saturating_sub(most);
        let over = over.min(self.read.len());
        self.read.drain(..over);
        self.left_out += over;
    }
}

/// What follows `path` in `file`, if that is the file or a folder that holds it.
fn below<'f>(path: &str, file: &'f str) -> Option<&'f str> {
    let rest = file.strip_prefix(path.trim_end_matches('/'))?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists(read: &[&str], modified: &[&str]) -> FileLists {
        let own = |list: &[&str]| list.iter().map(|path| (*path).to_owned()).collect();
        FileLists {
            read: own(read),
            modified: own(modified),
            left_out: 0,
        }
    }

    fn rename(from: &str, to: &str) -> FileOp {
        FileOp::Rename {
            from: from.to_owned(),
            to: to.to_owned(),
        }
    }

    #[test]
    fn touches_are_listed_once_in_order() {
        let mut files = lists(&["z", "b"], &["m"]);
        let read = |path: &str| FileOp::Read(path.to_owned());
        let modify = |path: &str| FileOp::Modify(path.to_owned());
        files.apply([read("a"), modify("a"), read("b"), read("c"), read("m")]);
        assert_eq!(files, lists(&["z", "b", "c"], &["a", "m"]));
        files.cap(4);
        assert_eq!(
            (files.read, files.modified, files.left_out),
            (
                vec!["b".to_owned(), "c".to_owned()],
                vec!["a".to_owned(), "m".to_owned()],
                1
            )
        );
    }

    #[test]
    fn what_moves_or_goes_is_followed() {
        let mut files = lists(&["src/a.rs", "src/deep/b.rs", "srcs"], &["old.rs"]);
        files.apply([
            rename("src", "lib"),
            FileOp::Delete("old.rs".to_owned()),
            rename("new", "newer"),
        ]);
        assert_eq!(files, lists(&["srcs"], &["lib/a.rs", "lib/deep/b.rs", "newer"]));
        files.apply([FileOp::Delete("lib/".to_owned())]);
        assert_eq!(files, lists(&["srcs"], &["newer"]));
    }

    #[test]
    fn a_cap_takes_reads_first() {
        let mut files = lists(&["a", "b"], &["c", "d", "e"]);
        files.cap(2);
        assert_eq!(
            (files.read.len(), files.modified, files.left_out),
            (0, vec!["d".to_owned(), "e".to_owned()], 3)
        );
    }
}
