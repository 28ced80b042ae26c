//! What shell commands do to files. Only commands that name their files are read: a search or a build does not.

use super::paths::{join, landing};
use super::script::{Command, Piece, Word, read};
use super::{FileOp, Operations, patch};

/// So deep are shells read in shells.
const MOST_NESTED: usize = 4;

/// What a script does, run in a folder.
pub fn operations(script: &str, folder: &str) -> Operations {
    let mut shell = Shell {
        folder: folder.to_owned(),
        outer: Vec::new(),
        done: Operations::default(),
    };
    shell.run(script, 0);
    shell.done
}

/// What a command does that is given as its words.
pub fn of_words(words: &[&str], folder: &str) -> Operations {
    let command = Command {
        words: words
            .iter()
            .map(|text| Word {
                text: (*text).to_owned(),
                is_expanded: false,
            })
            .collect(),
        ..Command::default()
    };
    let mut shell = Shell {
        folder: folder.to_owned(),
        outer: Vec::new(),
        done: Operations::default(),
    };
    shell.command(&command, 0);
    shell.done
}

struct Shell {
    folder: String,
    /// Folders of the shells around a subshell.
    outer: Vec<String>,
    done: Operations,
}

/// Words in front of a command that change nothing of what it does to files.
const PREFIXES: [&str; 16] = [
    "sudo", "command", "exec", "time", "nohup", "env", "builtin", "then", "do", "else", "if", "while", "!", "{", "&&",
    "nice",
];

/// Commands that print their files, and their options that take a value.
const READERS: [(&str, &[&str]); 13] = [
    ("cat", &[]),
    ("bat", &["-r", "--line-range", "-l", "--language", "--style"]),
    ("batcat", &["-r", "--line-range", "-l", "--language", "--style"]),
    ("head", &["-n", "-c", "--lines", "--bytes"]),
    ("tail", &["-n", "-c", "--lines", "--bytes"]),
    ("less", &[]),
    ("more", &[]),
    ("nl", &["-b", "-v", "-w", "-s", "-n", "-i"]),
    ("tac", &[]),
    ("xxd", &["-l", "-s", "-c"]),
    ("hexdump", &["-n", "-s"]),
    ("strings", &["-n"]),
    ("view", &[]),
];

impl Shell {
    fn run(&mut self, script: &str, depth: usize) {
        for piece in read(script) {
            match piece {
                Piece::Open => self.outer.push(self.folder.clone()),
                Piece::Close => {
                    if let Some(folder) = self.outer.pop() {
                        self.folder = folder;
                    }
                }
                Piece::Command(command) => self.command(&command, depth),
            }
        }
    }

    fn command(&mut self, command: &Command, depth: usize) {
        let begun = self.done.all.len();
        let words = bare(&command.words);
        let name = words
            .first()
            .map(|word| word.text.rsplit('/').next().unwrap_or(&word.text));
        let rest = words.get(1..).unwrap_or_default();
        match name {
            Some("bash" | "sh" | "zsh" | "dash" | "ksh") if depth < MOST_NESTED => {
                if let Some(script) = inline(rest) {
                    self.run(&script, depth + 1);
                    return;
                }
                for document in &command.documents {
                    self.run(document, depth + 1);
                }
            }
            Some("eval") if depth < MOST_NESTED => {
                let script = rest.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
                self.run(&script, depth + 1);
                return;
            }
            Some("cd" | "pushd") => {
                if let Some(to) = rest
                    .iter()
                    .find(|word| !word.text.starts_with('-') && !word.is_expanded)
                {
                    self.folder = join(&self.folder, &to.text);
                }
                return;
            }
            Some("apply_patch" | "applypatch") => {
                let bodies = rest.iter().map(|word| &word.text).chain(&command.documents);
                for body in bodies {
                    self.patched(body);
                }
            }
            Some("patch") => self.diffed(command),
            Some("git") => self.git(rest, command),
            Some(name) => self.simple(name, rest),
            None => {}
        }
        for redirection in &command.redirections {
            if let Some(path) = self.path(&redirection.target) {
                self.push(if redirection.writes {
                    FileOp::Modify(path)
                } else {
                    FileOp::Read(path)
                });
            }
        }
        if self.done.all.len() > begun || !words.is_empty() {
            self.done.before_last = begun;
        }
    }

    fn simple(&mut self, name: &str, words: &[Word]) {
        if let Some((_, valued)) = READERS.iter().find(|(reader, _)| *reader == name) {
            return self.read_all(&operands(words, valued));
        }
        match name {
            "sed" => self.sed(words),
            "perl" | "ruby" => self.in_place(words),
            "awk" | "gawk" | "mawk" => {
                let found = operands(words, &["-F", "-v", "-f"]);
                self.read_all(found.get(1..).unwrap_or_default());
            }
            "tee" | "touch" | "truncate" => {
                for word in operands(words, &["-s", "-d", "-r", "-t"]) {
                    self.modify(word);
                }
            }
            "rm" | "unlink" => {
                for word in operands(words, &[]) {
                    self.delete(word);
                }
            }
            "mv" => self.moved(words),
            "cp" => self.copied(words),
            "curl" => self.output(words, &["-o", "--output"], 'o'),
            "wget" => self.output(words, &["-O", "--output-document"], 'O'),
            _ => {}
        }
    }

    fn git(&mut self, words: &[Word], command: &Command) {
        let found = words.iter().position(|word| !word.text.starts_with('-'));
        // `git -C folder mv a b`
        let (at, folder) = match (words.first().map(|word| word.text.as_str()), words.get(1)) {
            (Some("-C"), Some(folder)) => (Some(2), Some(folder.text.clone())),
            _ => (found, None),
        };
        let Some(at) = at else { return };
        let rest = words.get(at + 1..).unwrap_or_default();
        let here = self.folder.clone();
        if let Some(folder) = folder {
            self.folder = join(&here, &folder);
        }
        match words.get(at).map(|word| word.text.as_str()) {
            Some("mv") => self.moved(rest),
            Some("rm") if !rest.iter().any(|word| word.text == "--cached") => {
                for word in operands(rest, &[]) {
                    self.delete(word);
                }
            }
            Some("restore") if !rest.iter().any(|word| matches!(word.text.as_str(), "--staged" | "-S")) => {
                for word in operands(rest, &["-s", "--source"]) {
                    self.modify(word);
                }
            }
            Some("checkout") => {
                let files = rest.iter().skip_while(|word| word.text != "--").skip(1);
                for word in files {
                    self.modify(word);
                }
            }
            Some("apply") => self.diffed(command),
            _ => {}
        }
        self.folder = here;
    }

    fn sed(&mut self, words: &[Word]) {
        let is_flag = |word: &Word, letter: char| {
            let text = word.text.as_str();
            text.starts_with('-') && !text.starts_with("--") && text.contains(letter)
        };
        let in_place = words
            .iter()
            .any(|word| (is_flag(word, 'i') && !word.text.starts_with("-e")) || word.text.starts_with("--in-place"));
        let has_script = words.iter().any(|word| {
            matches!(word.text.as_str(), "-e" | "-f" | "--expression" | "--file")
                || word.text.starts_with("--expression=")
        });
        let mut found = operands(words, &["-e", "-f", "--expression", "--file", "-l"]);
        // BSD's `-i ''` takes its suffix as a word of its own.
        if in_place && found.first().is_some_and(|word| word.text.is_empty()) {
            found.remove(0);
        }
        let files = found.get(usize::from(!has_script)..).unwrap_or_default();
        if in_place {
            files.iter().for_each(|word| self.modify(word));
        } else {
            self.read_all(files);
        }
    }

    /// `perl -pi -e '…' file`
    fn in_place(&mut self, words: &[Word]) {
        let edits = words.iter().any(|word| {
            word.text.starts_with('-') && word.text.len() < 8 && word.text.contains('i') && word.text.contains('p')
        }) || words
            .iter()
            .any(|word| word.text == "-i" || word.text.starts_with("-i."));
        if !edits {
            return;
        }
        let takes_script = |word: &Word| word.text.starts_with('-') && word.text.ends_with('e');
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if takes_script(word) {
                words.next();
            } else if !word.text.starts_with('-') {
                self.modify(word);
            }
        }
    }

    fn moved(&mut self, words: &[Word]) {
        let (sources, target, is_folder) = from_to(words);
        let Some(target) = target.and_then(|word| self.written(word)) else {
            return;
        };
        for source in sources {
            if let Some(from) = self.written(source) {
                let to = landing(&from, &target, is_folder);
                let (from, to) = (join(&self.folder, &from), join(&self.folder, &to));
                self.push(FileOp::Rename { from, to });
            }
        }
    }

    fn copied(&mut self, words: &[Word]) {
        let (sources, target, is_folder) = from_to(words);
        let copies_folders = words.iter().any(|word| {
            word.text == "--recursive"
                || (word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains(['r', 'R', 'a']))
        });
        let Some(target) = target.and_then(|word| self.written(word)) else {
            return;
        };
        for source in sources.into_iter().filter(|_| !copies_folders) {
            if let Some(from) = self.written(source) {
                let to = landing(&from, &target, is_folder);
                self.push(FileOp::Read(join(&self.folder, &from)));
                self.push(FileOp::Modify(join(&self.folder, &to)));
            }
        }
    }

    /// The file that an option names: `-o file`, also at the end of a cluster such as `-sLo`.
    fn output(&mut self, words: &[Word], names: &[&str], letter: char) {
        for pair in words.windows(2) {
            let [option, file] = pair else { continue };
            let is_cluster =
                option.text.starts_with('-') && !option.text.starts_with("--") && option.text.ends_with(letter);
            if (names.contains(&option.text.as_str()) || is_cluster) && file.text != "-" {
                self.modify(file);
            }
        }
    }

    /// A unified diff that a command reads: the first folder of its paths is git's.
    fn diffed(&mut self, command: &Command) {
        for document in &command.documents {
            self.patched(document);
        }
    }

    fn patched(&mut self, body: &str) {
        for op in patch::operations(body) {
            let op = op.within(&self.folder);
            self.push(op);
        }
    }

    fn read_all(&mut self, words: &[&Word]) {
        for word in words {
            if let Some(path) = self.path(word) {
                self.push(FileOp::Read(path));
            }
        }
    }

    fn modify(&mut self, word: &Word) {
        if let Some(path) = self.path(word) {
            self.push(FileOp::Modify(path));
        }
    }

    fn delete(&mut self, word: &Word) {
        if let Some(path) = self.path(word) {
            self.push(FileOp::Delete(path));
        }
    }

    fn push(&mut self, op: FileOp) {
        self.done.all.push(op);
    }

    /// The path that a word names, where it names just one.
    fn written(&self, word: &Word) -> Option<String> {
        let text = word.text.as_str();
        let is_device = text.starts_with("/dev/") || text.starts_with("/proc/");
        let is_path = !text.is_empty() && text != "-" && !text.contains('\n') && !is_device && !word.is_expanded;
        is_path.then(|| text.to_owned())
    }

    fn path(&self, word: &Word) -> Option<String> {
        self.written(word).map(|path| join(&self.folder, &path))
    }
}

/// A command's words without those in front that do not matter here: assignments, `sudo`, `timeout 5`.
fn bare(words: &[Word]) -> &[Word] {
    let mut rest = words;
    while let Some((first, others)) = rest.split_first() {
        let text = first.text.as_str();
        let is_assignment = text.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        });
        rest = match text {
            "timeout" => {
                let after = others
                    .iter()
                    .position(|word| !word.text.starts_with('-'))
                    .map_or(others.len(), |at| at + 1);
                others.get(after..).unwrap_or_default()
            }
            _ if is_assignment || PREFIXES.contains(&text) => {
                let options = others
                    .iter()
                    .take_while(|word| text != "{" && word.text.starts_with('-'))
                    .count();
                others.get(options..).unwrap_or_default()
            }
            _ => return rest,
        };
    }
    rest
}

/// The script of `bash -c '…'`.
fn inline(words: &[Word]) -> Option<String> {
    let option = words
        .iter()
        .position(|word| word.text.starts_with('-') && !word.text.starts_with("--") && word.text.ends_with('c'))?;
    words.get(option + 1).map(|word| word.text.clone())
}

/// Words that are neither options nor the values of those named.
fn operands<'w>(words: &'w [Word], valued: &[&str]) -> Vec<&'w Word> {
    let mut out = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word.text == "--" {
            out.extend(words);
            break;
        }
        if valued.contains(&word.text.as_str()) {
            words.next();
        } else if !word.text.starts_with('-') || word.text.len() == 1 {
            // `head -20 file`: `+3` is `tail`'s.
            let is_count = word
                .text
                .strip_prefix('+')
                .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
            if !is_count {
                out.push(word);
            }
        }
    }
    out
}

/// Sources and target of `mv` and `cp`, and whether the target must be a folder.
fn from_to(words: &[Word]) -> (Vec<&Word>, Option<&Word>, bool) {
    let named = words
        .iter()
        .position(|word| matches!(word.text.as_str(), "-t" | "--target-directory"));
    let mut found = operands(words, &["-t", "--target-directory", "-S", "--suffix"]);
    if let Some(target) = named.and_then(|at| words.get(at + 1)) {
        return (found, Some(target), true);
    }
    let target = found.pop();
    let is_folder = found.len() > 1;
    (found, target, is_folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(script: &str) -> Vec<String> {
        shown_in(script, "")
    }

    fn shown_in(script: &str, folder: &str) -> Vec<String> {
        let ops = operations(script, folder).all.into_iter().map(|op| match op {
            FileOp::Read(path) => format!("r {path}"),
            FileOp::Modify(path) => format!("m {path}"),
            FileOp::Delete(path) => format!("d {path}"),
            FileOp::Rename { from, to } => format!("n {from} {to}"),
        });
        ops.collect()
    }

    #[test]
    fn readers_name_their_files() {
        for (script, ops) in [
            ("cat src/a.rs", vec!["r src/a.rs"]),
            ("cat a b | head -n 3", vec!["r a", "r b"]),
            ("head -20 a; tail -n +3 b; tail +4 c", vec!["r a", "r b", "r c"]),
            ("sed -n '1,200p' 'app/(x)/[id]/a b.ts'", vec!["r app/(x)/[id]/a b.ts"]),
            ("nl -ba a.ts | sed -n '1,5p'", vec!["r a.ts"]),
            ("sed -n -e 1p -e 2p a b", vec!["r a", "r b"]),
            ("awk '{print $1}' a.txt", vec!["r a.txt"]),
            ("sort < in.txt > out.txt", vec!["r in.txt", "m out.txt"]),
            ("cat *.rs $FILE /dev/null -", vec![]),
            ("rg foo src; ls -la; grep x a.rs; cargo test", vec![]),
            ("echo \"cat a.rs\"", vec![]),
        ] {
            assert_eq!(shown(script), ops, "{script}");
        }
    }

    #[test]
    fn writers_name_their_files() {
        for (script, ops) in [
            ("echo hi > a; echo ho >> b 2>&1", vec!["m a", "m b"]),
            ("cat > a.py <<'EOF'\ncat b\nrm c\nEOF\ncat d", vec!["m a.py", "r d"]),
            ("make 2>&1 | tee log.txt", vec!["m log.txt"]),
            ("sed -i 's/a/b/' a b", vec!["m a", "m b"]),
            ("sed -i '' -e 's/a/b/' a", vec!["m a"]),
            ("sed -i.bak 's/a/b/' a", vec!["m a"]),
            ("perl -pi -e 's/a/b/' a.txt", vec!["m a.txt"]),
            ("rm -rf a b && git rm c", vec!["d a", "d b", "d c"]),
            ("git rm --cached c", vec![]),
            (
                "mv a b; git mv c d/; mv e f g",
                vec!["n a b", "n c d/c", "n e g/e", "n f g/f"],
            ),
            ("cp a b; cp -r x y", vec!["r a", "m b"]),
            ("curl -sLo out.bin https://x.test/y", vec!["m out.bin"]),
            ("sudo timeout 5 touch a", vec!["m a"]),
            ("FOO=1 BAR=2 tee -a a", vec!["m a"]),
            (
                "git checkout -- a && git restore b && git checkout main",
                vec!["m a", "m b"],
            ),
        ] {
            assert_eq!(shown(script), ops, "{script}");
        }
    }

    #[test]
    fn folders_are_followed() {
        assert_eq!(shown("cd web && cat a; cd .. && cat b"), ["r web/a", "r b"]);
        assert_eq!(shown("(cd web; cat a); cat b"), ["r web/a", "r b"]);
        assert_eq!(shown_in("cd web && cat a", "/repo"), ["r /repo/web/a"]);
        assert_eq!(shown("git -C web mv a b"), ["n web/a web/b"]);
    }

    #[test]
    fn shells_in_shells_and_patches_are_read() {
        assert_eq!(shown("bash -lc 'cd x && cat a'"), ["r x/a"]);
        let patch = "apply_patch <<'PATCH'\n*** Begin Patch\n*** Update File: a.rs\n@@\n-x\n+y\n*** End Patch\nPATCH\n";
        assert_eq!(shown(patch), ["m a.rs"]);
        assert_eq!(shown("cd w && git apply <<EOF\n--- a/x\n+++ b/x\nEOF"), ["m w/x"]);
        let deep = "bash -c \"bash -c 'bash -c \\\"bash -c bash\\\"'\"";
        assert_eq!(shown(deep), Vec::<String>::new());
    }

    #[test]
    fn what_came_before_the_last_command_is_known() {
        let done = operations("sed -i s/a/b/ a && npm test", "");
        assert_eq!((done.all.len(), done.before_last), (1, 1));
        let done = operations("cat a; cat b", "");
        assert_eq!((done.all.len(), done.before_last), (2, 1));
        assert_eq!(operations("cat a", "").before_last, 0);
    }
}
