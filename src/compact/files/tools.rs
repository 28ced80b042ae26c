//! Tools by their exact names, as the agents in use give them: what each does to files, and where its paths are.
//!
//! The names are those of Claude Code, the Anthropic text editor, Codex, the OpenAI hosted tools, Gemini CLI, Cursor,
//! Windsurf, Cline, Roo, VS Code, OpenCode, Zed, Amp, Goose, OpenHands, SWE-agent, LangChain's file tools and the MCP
//! file server.

use super::paths::{is_absolute, join};
use super::{FileOp, Operations, patch, shell};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// How a tool of the host's touches files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    /// It reads the files that its arguments name.
    Read,
    /// It creates or changes them.
    Modify,
    /// It does nothing to files.
    Ignore,
}

/// What a tool does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Touches(Touch),
    Deletes,
    Moves,
    Copies,
    /// An editor with commands.
    Edits,
    /// Runs a shell.
    Shell,
    /// Takes a patch.
    Patch,
}

fn kind(tool: &str) -> Option<Kind> {
    Some(match tool {
        "Read"
        | "NotebookRead"
        | "read"
        | "read_file"
        | "ReadFile"
        | "readFile"
        | "view_file"
        | "view_image"
        | "open"
        | "open_file"
        | "read_text_file"
        | "read_media_file"
        | "read_multiple_files"
        | "read_many_files"
        | "read_files"
        | "view_line_range"
        | "view_code_item"
        | "builtin_read_file"
        | "builtin_read_file_range"
        | "copilot_readFile"
        | "get_file_contents"
        | "cat" => Kind::Touches(Touch::Read),
        "Write"
        | "Edit"
        | "MultiEdit"
        | "NotebookEdit"
        | "write"
        | "edit"
        | "multiedit"
        | "write_file"
        | "WriteFile"
        | "writeFile"
        | "edit_file"
        | "EditFile"
        | "create_file"
        | "CreateFile"
        | "create"
        | "replace"
        | "search_replace"
        | "write_to_file"
        | "replace_in_file"
        | "replace_file_content"
        | "multi_replace_file_content"
        | "apply_diff"
        | "insert_content"
        | "search_and_replace"
        | "insert_edit_into_file"
        | "replace_string_in_file"
        | "multi_replace_string_in_file"
        | "edit_notebook"
        | "edit_notebook_file"
        | "write_text_file"
        | "append_file"
        | "builtin_create_new_file"
        | "builtin_edit_existing_file"
        | "builtin_single_find_and_replace"
        | "builtin_multi_edit"
        | "str_replace"
        | "insert"
        | "undo_edit"
        | "reapply" => Kind::Touches(Touch::Modify),
        "delete_file" | "DeleteFile" | "file_delete" | "delete_path" | "remove_file" => Kind::Deletes,
        "move_file" | "move_path" | "rename_file" | "file_move" => Kind::Moves,
        "copy_file" | "copy_path" => Kind::Copies,
        "str_replace_based_edit_tool"
        | "str_replace_editor"
        | "text_editor"
        | "str_replace_based_edit"
        | "developer__text_editor" => Kind::Edits,
        "Bash"
        | "bash"
        | "shell"
        | "local_shell"
        | "shell_command"
        | "exec_command"
        | "container.exec"
        | "run_shell_command"
        | "run_terminal_cmd"
        | "run_command"
        | "execute_command"
        | "run_in_terminal"
        | "execute_bash"
        | "terminal"
        | "developer__shell"
        | "builtin_run_terminal_command"
        | "exec"
        | "Shell"
        | "run_bash"
        | "execute" => Kind::Shell,
        "apply_patch" | "patch" | "ApplyPatch" => Kind::Patch,
        _ => return None,
    })
}

/// The tool's own name: without the server's that MCP clients put in front, and without a name space.
fn own(tool: &str) -> &str {
    let tool = match tool.strip_prefix("mcp__") {
        Some(rest) => rest.rsplit_once("__").map_or(rest, |(_, name)| name),
        None => tool,
    };
    tool.strip_prefix("functions.")
        .or_else(|| tool.strip_prefix("default_api."))
        .unwrap_or(tool)
}

/// Arguments that name a file, the most telling first.
const PATH_KEYS: [&str; 16] = [
    "file_path",
    "filePath",
    "filepath",
    "path",
    "absolute_path",
    "AbsolutePath",
    "target_file",
    "TargetFile",
    "notebook_path",
    "notebookPath",
    "filename",
    "file_name",
    "fileName",
    "relative_workspace_path",
    "file",
    "uri",
];

/// Arguments that name several.
const LIST_KEYS: [&str; 6] = ["paths", "file_paths", "filePaths", "files", "include", "target_files"];

/// What a call does to files. `tools` comes first: how tools of the host's touch files, by their exact names.
#[must_use]
pub fn operations(tool: &str, input: &Value, tools: &BTreeMap<String, Touch>) -> Operations {
    let kind = match tools.get(tool) {
        Some(touch) => Some(Kind::Touches(*touch)),
        None => kind(own(tool)),
    };
    match kind {
        None | Some(Kind::Touches(Touch::Ignore)) => Operations::default(),
        Some(Kind::Touches(Touch::Read)) => all(paths(input), FileOp::Read),
        Some(Kind::Touches(Touch::Modify)) => all(paths(input), FileOp::Modify),
        Some(Kind::Deletes) => all(paths(input), FileOp::Delete),
        Some(Kind::Moves) => match from_to(input) {
            Some((from, to)) => of(vec![FileOp::Rename { from, to }]),
            None => Operations::default(),
        },
        Some(Kind::Copies) => match from_to(input) {
            Some((from, to)) => of(vec![FileOp::Read(from), FileOp::Modify(to)]),
            None => Operations::default(),
        },
        Some(Kind::Edits) => edits(input),
        Some(Kind::Shell) => {
            let folder = folder_of(input);
            Operations {
                folder: Some(folder.clone()).filter(|folder| is_absolute(folder)),
                ..shell_operations(input, &folder)
            }
        }
        Some(Kind::Patch) => patches(input),
    }
}

/// Whether a tool runs a shell.
pub fn is_shell(tool: &str) -> bool {
    kind(own(tool)) == Some(Kind::Shell)
}

fn of(all: Vec<FileOp>) -> Operations {
    Operations {
        all,
        ..Operations::default()
    }
}

fn all(paths: Vec<String>, op: fn(String) -> FileOp) -> Operations {
    of(paths.into_iter().map(op).collect())
}

fn str_at<'v>(input: &'v Map<String, Value>, keys: &[&str]) -> Option<&'v str> {
    let found = keys.iter().filter_map(|key| input.get(*key).and_then(Value::as_str));
    found.map(str::trim).find(|text| !text.is_empty())
}

fn path_of(text: &str) -> String {
    join("", text.strip_prefix("file://").unwrap_or(text))
}

fn paths(input: &Value) -> Vec<String> {
    let Some(input) = input.as_object() else {
        return Vec::new();
    };
    if let Some(path) = str_at(input, &PATH_KEYS) {
        return vec![path_of(path)];
    }
    for key in LIST_KEYS {
        if let Some(list) = input.get(key).and_then(Value::as_array) {
            let named = list.iter().filter_map(|entry| match entry {
                Value::String(path) => Some(path.as_str()),
                Value::Object(entry) => str_at(entry, &PATH_KEYS),
                _ => None,
            });
            return named.filter(|path| !path.contains('*')).map(path_of).collect();
        }
    }
    // A name of the host's own.
    let named = input.iter().find_map(|(key, value)| {
        let key = key.to_ascii_lowercase();
        let names_file = key.ends_with("path") || key.ends_with("file") || key.ends_with("filename");
        value.as_str().filter(|_| names_file)
    });
    named.map(path_of).into_iter().collect()
}

fn from_to(input: &Value) -> Option<(String, String)> {
    let input = input.as_object()?;
    let from = str_at(
        input,
        &[
            "source",
            "source_path",
            "sourcePath",
            "from",
            "old_path",
            "oldPath",
            "path",
        ],
    )?;
    let to = str_at(
        input,
        &[
            "destination",
            "destination_path",
            "destinationPath",
            "to",
            "new_path",
            "newPath",
            "target",
        ],
    )?;
    Some((path_of(from), path_of(to)))
}

/// The editors whose `command` says what is done.
fn edits(input: &Value) -> Operations {
    let command = input.get("command").and_then(Value::as_str);
    match command {
        Some("view" | "read") => all(paths(input), FileOp::Read),
        Some("create" | "write" | "str_replace" | "insert" | "undo_edit" | "edit" | "replace") => {
            all(paths(input), FileOp::Modify)
        }
        Some("delete") => all(paths(input), FileOp::Delete),
        Some("rename") => {
            from_to(input).map_or_else(Operations::default, |(from, to)| of(vec![FileOp::Rename { from, to }]))
        }
        _ => Operations::default(),
    }
}

/// Where the commands of a shell tool are.
pub const COMMAND_KEYS: [&str; 7] = ["command", "cmd", "CommandLine", "script", "commands", "input", "code"];

/// The folder that a call names; `.` is none.
fn folder_of(input: &Value) -> String {
    let keys = [
        "workdir",
        "working_directory",
        "cwd",
        "Cwd",
        "dir_path",
        "directory",
        "cd",
    ];
    let named = input.as_object().and_then(|input| str_at(input, &keys));
    named.filter(|folder| *folder != ".").map(path_of).unwrap_or_default()
}

fn shell_operations(input: &Value, folder: &str) -> Operations {
    let command = match input {
        Value::String(_) => Some(input),
        _ => COMMAND_KEYS.iter().find_map(|key| input.get(*key)),
    };
    match command {
        Some(Value::String(script)) => shell::operations(script, folder),
        // The words of one command, or several scripts.
        Some(Value::Array(list)) => {
            let words: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
            if input.get("commands").is_some() {
                let mut done = Operations::default();
                for script in words {
                    let more = shell::operations(script, folder);
                    done.before_last = done.all.len() + more.before_last;
                    done.all.extend(more.all);
                }
                return done;
            }
            shell::of_words(&words, folder)
        }
        _ => Operations::default(),
    }
}

fn patches(input: &Value) -> Operations {
    let body = match input {
        Value::String(body) => Some(body.as_str()),
        Value::Object(object) => {
            let kind = object.get("type").and_then(Value::as_str);
            if let Some(path) = str_at(object, &PATH_KEYS) {
                return match kind {
                    Some("delete_file") => of(vec![FileOp::Delete(path_of(path))]),
                    _ => of(vec![FileOp::Modify(path_of(path))]),
                };
            }
            str_at(object, &["input", "patch", "patchText", "diff", "patch_text"])
        }
        _ => None,
    };
    of(body.map(patch::operations).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shown(tool: &str, input: Value) -> Vec<String> {
        let found = operations(tool, &input, &BTreeMap::new()).all;
        found.iter().map(|op| format!("{op:?}")).collect()
    }

    fn read(path: &str) -> Vec<String> {
        vec![format!("{:?}", FileOp::Read(path.to_owned()))]
    }

    fn modify(path: &str) -> Vec<String> {
        vec![format!("{:?}", FileOp::Modify(path.to_owned()))]
    }

    #[test]
    fn tools_are_known_by_name() {
        assert_eq!(shown("Read", json!({ "file_path": "/a" })), read("/a"));
        assert_eq!(shown("read_file", json!({ "target_file": "./a" })), read("a"));
        assert_eq!(shown("mcp__fs__write_file", json!({ "path": "a" })), modify("a"));
        assert_eq!(
            shown("str_replace_editor", json!({ "command": "view", "path": "/a" })),
            read("/a")
        );
        assert_eq!(
            shown("str_replace_editor", json!({ "command": "insert", "path": "/a" })),
            modify("/a")
        );
        assert_eq!(
            shown("read_many_files", json!({ "paths": ["a", "src/*.rs"] })),
            read("a")
        );
        assert_eq!(
            shown(
                "apply_patch",
                json!({ "type": "update_file", "path": "a", "diff": "@@" })
            ),
            modify("a")
        );
        assert_eq!(
            shown("apply_patch", json!({ "input": "*** Begin Patch\n*** Add File: a\n" })),
            modify("a")
        );
        assert_eq!(shown("apply_patch", json!("*** Update File: a\n")), modify("a"));
        assert_eq!(shown("readonly", json!({ "path": "a" })), Vec::<String>::new());
        assert_eq!(shown("Read", json!("a")), Vec::<String>::new());
    }

    #[test]
    fn shells_are_read_in_every_form() {
        assert_eq!(shown("Bash", json!({ "command": "cat a" })), read("a"));
        assert_eq!(
            shown("shell", json!({ "command": ["bash", "-lc", "cat a"], "workdir": "/w" })),
            read("/w/a")
        );
        assert_eq!(shown("shell", json!({ "command": ["cat", "a b"] })), read("a b"));
        assert_eq!(shown("shell", json!({ "commands": ["ls", "cat a"] })), read("a"));
        assert_eq!(
            shown("shell", json!({ "command": ["apply_patch", "*** Update File: a\n"] })),
            modify("a")
        );
    }

    #[test]
    fn the_host_extends_the_map() {
        let tools = BTreeMap::from([("look".to_owned(), Touch::Read), ("Read".to_owned(), Touch::Ignore)]);
        assert_eq!(
            operations("look", &json!({ "sourceFile": "a" }), &tools).all,
            [FileOp::Read("a".to_owned())]
        );
        assert_eq!(operations("Read", &json!({ "file_path": "a" }), &tools).all, []);
    }
}
