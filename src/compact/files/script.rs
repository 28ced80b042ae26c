//! A small reader of shell scripts: simple commands with their words, redirections and here-documents. It expands
//! nothing; a word that the shell would expand is marked.
//!
//! Grammar after POSIX.1-2024, XCU 2.3 and 2.10, as far as paths need it.

use std::iter::Peekable;
use std::str::Chars;

/// A word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// Its text, quotes removed.
    pub text: String,
    /// The shell would put something else in its place: a variable, a substitution, a pattern.
    pub is_expanded: bool,
}

/// A redirection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirection {
    /// It writes.
    pub writes: bool,
    /// The file.
    pub target: Word,
}

/// A simple command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// Its words.
    pub words: Vec<Word>,
    /// Its redirections to and from files.
    pub redirections: Vec<Redirection>,
    /// The text of its here-documents.
    pub documents: Vec<String>,
}

/// What a script is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A simple command.
    Command(Command),
    /// A subshell begins.
    Open,
    /// It ends.
    Close,
}

/// Reads a script. Whatever it holds, something comes out; time is linear in its length.
pub fn read(script: &str) -> Vec<Piece> {
    let mut reader = Reader {
        chars: script.chars().peekable(),
        pieces: Vec::new(),
        command: Command::default(),
        awaited: Vec::new(),
    };
    reader.run();
    reader.pieces
}

struct Reader<'s> {
    chars: Peekable<Chars<'s>>,
    pieces: Vec<Piece>,
    command: Command,
    awaited: Vec<Awaited>,
}

/// A here-document that begins at the next line.
struct Awaited {
    /// The line that ends it.
    end: String,
    /// Leading tabs are stripped.
    strips: bool,
    /// The piece that reads it, where that command has ended.
    reader: Option<usize>,
}

impl Reader<'_> {
    fn run(&mut self) {
        while let Some(next) = self.chars.peek().copied() {
            match next {
                ' ' | '\t' | '\r' => {
                    self.chars.next();
                }
                '\n' => {
                    self.chars.next();
                    self.documents();
                    self.end();
                }
                '#' => {
                    while self.chars.peek().is_some_and(|next| *next != '\n') {
                        self.chars.next();
                    }
                }
                ';' | '|' => {
                    self.chars.next();
                    self.end();
                }
                '&' => {
                    self.chars.next();
                    match self.chars.peek() {
                        Some('>') => self.redirection(),
                        _ => self.end(),
                    }
                }
                '(' | ')' => {
                    self.chars.next();
                    self.end();
                    self.pieces.push(if next == '(' { Piece::Open } else { Piece::Close });
                }
                '<' | '>' => self.redirection(),
                '\\' if self.is_continued() => {
                    self.chars.next();
                    self.chars.next();
                }
                _ => {
                    let word = self.word();
                    let is_number = !word.text.is_empty() && word.text.bytes().all(|byte| byte.is_ascii_digit());
                    // `2>` names what is redirected.
                    if !(is_number && matches!(self.chars.peek(), Some('<' | '>'))) {
                        self.command.words.push(word);
                    }
                }
            }
        }
        self.documents();
        self.end();
    }

    /// Whether the line goes on in the next.
    fn is_continued(&self) -> bool {
        let mut ahead = self.chars.clone();
        ahead.next();
        ahead.next() == Some('\n')
    }

    fn end(&mut self) {
        let command = std::mem::take(&mut self.command);
        if command == Command::default() {
            return;
        }
        for awaited in &mut self.awaited {
            awaited.reader.get_or_insert(self.pieces.len());
        }
        self.pieces.push(Piece::Command(command));
    }

    fn redirection(&mut self) {
        let writes = self.chars.next() == Some('>');
        match self.chars.peek().copied() {
            Some('<') if !writes => {
                self.chars.next();
                self.here();
                return;
            }
            Some('&') => {
                // `2>&1`, or `>&file`.
                self.chars.next();
                let target = self.next_word();
                let is_descriptor = target.text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
                if !is_descriptor {
                    self.command.redirections.push(Redirection { writes, target });
                }
                return;
            }
            // A process's output in the place of a file's.
            Some('(') => {
                return;
            }
            Some('>' | '|') => {
                self.chars.next();
            }
            _ => {}
        }
        let target = self.next_word();
        if !target.text.is_empty() {
            self.command.redirections.push(Redirection { writes, target });
        }
    }

    /// `<<` and `<<<`.
    fn here(&mut self) {
        match self.chars.peek().copied() {
            Some('<') => {
                self.chars.next();
                let text = self.next_word().text;
                self.command.documents.push(text);
            }
            dash => {
                let strips = dash == Some('-');
                if strips {
                    self.chars.next();
                }
                let end = self.next_word().text;
                if !end.is_empty() {
                    self.awaited.push(Awaited {
                        end,
                        strips,
                        reader: None,
                    });
                }
            }
        }
    }

    /// Reads the documents that begin here.
    fn documents(&mut self) {
        for Awaited { end, strips, reader } in std::mem::take(&mut self.awaited) {
            let mut document = String::new();
            let mut line = String::new();
            loop {
                let next = self.chars.next();
                match next {
                    Some('\n') | None => {
                        let shown = if strips {
                            line.trim_start_matches('\t')
                        } else {
                            line.as_str()
                        };
                        if shown == end {
                            break;
                        }
                        document.push_str(shown);
                        if next.is_none() {
                            break;
                        }
                        document.push('\n');
                        line.clear();
                    }
                    Some(other) => line.push(other),
                }
            }
            match reader.and_then(|index| self.pieces.get_mut(index)) {
                Some(Piece::Command(command)) => command.documents.push(document),
                _ => self.command.documents.push(document),
            }
        }
    }

    fn next_word(&mut self) -> Word {
        while self.chars.peek().is_some_and(|next| matches!(next, ' ' | '\t')) {
            self.chars.next();
        }
        self.word()
    }

    fn word(&mut self) -> Word {
        let mut word = Word::default();
        while let Some(next) = self.chars.peek().copied() {
            match next {
                ' ' | '\t' | '\r' | '\n' | ';' | '|' | '&' | '<' | '>' | '(' | ')' => break,
                '\'' => {
                    self.chars.next();
                    for quoted in self.chars.by_ref() {
                        if quoted == '\'' {
                            break;
                        }
                        word.text.push(quoted);
                    }
                }
                '"' => {
                    self.chars.next();
                    self.double_quoted(&mut word);
                }
                '\\' => {
                    self.chars.next();
                    match self.chars.next() {
                        Some('\n') | None => {}
                        Some(escaped) => word.text.push(escaped),
                    }
                }
                '$' => {
                    self.chars.next();
                    self.expansion(&mut word);
                }
                '`' => {
                    self.chars.next();
                    word.is_expanded = true;
                    while self.chars.next().is_some_and(|next| next != '`') {}
                }
                other => {
                    self.chars.next();
                    // Folders such as `[id]` match no pattern and stay as they are; `*` and `?` seldom do.
                    word.is_expanded |= matches!(other, '*' | '?' | '{');
                    word.text.push(other);
                }
            }
        }
        word
    }

    fn double_quoted(&mut self, word: &mut Word) {
        while let Some(next) = self.chars.next() {
            match next {
                '"' => return,
                '\\' => match self.chars.next() {
                    Some(escaped @ ('"' | '\\' | '$' | '`')) => word.text.push(escaped),
                    Some('\n') | None => {}
                    Some(other) => {
                        word.text.push('\\');
                        word.text.push(other);
                    }
                },
                '$' => self.expansion(word),
                '`' => {
                    word.is_expanded = true;
                    while self.chars.next().is_some_and(|next| next != '`') {}
                }
                other => word.text.push(other),
            }
        }
    }

    /// Behind a `$`.
    fn expansion(&mut self, word: &mut Word) {
        match self.chars.peek().copied() {
            Some('(') => {
                word.is_expanded = true;
                let mut depth = 0_usize;
                for next in self.chars.by_ref() {
                    match next {
                        '(' => depth += 1,
                        ')' => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                    if depth == 0 {
                        break;
                    }
                }
            }
            Some('{') => {
                word.is_expanded = true;
                while self.chars.next().is_some_and(|next| next != '}') {}
            }
            Some(next) if next.is_alphanumeric() || matches!(next, '_' | '?' | '@' | '*' | '#' | '!' | '$') => {
                word.is_expanded = true;
            }
            // `$'…'` is a quote.
            Some('\'' | '"') => {}
            _ => word.text.push('$'),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(script: &str) -> Vec<Vec<String>> {
        let commands = read(script).into_iter().filter_map(|piece| match piece {
            Piece::Command(command) => Some(command.words.into_iter().map(|word| word.text).collect()),
            _ => None,
        });
        commands.collect()
    }

    #[test]
    fn commands_and_quotes_are_read() {
        assert_eq!(
            words("cd 'a b' && cat x\\ y | head -n 2; # no\nls"),
            [
                vec!["cd", "a b"],
                vec!["cat", "x y"],
                vec!["head", "-n", "2"],
                vec!["ls"]
            ]
        );
        assert_eq!(
            words("echo \"a \\\"b\\\" $HOME\" $(cat x)"),
            [vec!["echo", "a \"b\" HOME", ""]]
        );
        assert_eq!(words("a \\\n b"), [vec!["a", "b"]]);
        assert_eq!(words("echo 'unclosed"), [vec!["echo", "unclosed"]]);
    }

    #[test]
    fn a_document_belongs_to_the_command_that_reads_it() {
        let pieces = read("apply_patch <<-EOF && ls\n\tone\n\tEOF\ncat a");
        let [Piece::Command(first), Piece::Command(second), Piece::Command(third)] = pieces.as_slice() else {
            panic!("{pieces:?}");
        };
        assert_eq!(first.documents, ["one\n"]);
        assert!(second.documents.is_empty() && third.words.len() == 2);
    }

    #[test]
    fn redirections_and_documents_are_read() {
        let pieces = read("cat <<'EOF' > 'a b' 2>&1\nx > y\nEOF\nls &> out 2>/dev/null < in");
        let [Piece::Command(first), Piece::Command(second)] = pieces.as_slice() else {
            panic!("{pieces:?}");
        };
        assert_eq!(first.documents, ["x > y\n"]);
        assert_eq!(first.redirections.len(), 1);
        assert_eq!(first.redirections[0].target.text, "a b");
        let targets: Vec<(&str, bool)> = second
            .redirections
            .iter()
            .map(|found| (found.target.text.as_str(), found.writes))
            .collect();
        assert_eq!(targets, [("out", true), ("/dev/null", true), ("in", false)]);
    }
}
