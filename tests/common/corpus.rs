//! Real transcripts, where the folder is there.

use super::boundary::Kind;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// One history.
pub struct File {
    pub name: String,
    pub kind: Kind,
    pub items: Vec<Value>,
}

fn folder() -> PathBuf {
    match std::env::var_os("CONTEXT_PROJECTOR_CORPUS") {
        Some(folder) => folder.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus"),
    }
}

/// All histories of the corpus; `None`, with a line that says so, where it is absent.
pub fn load(test: &str) -> Option<Vec<File>> {
    let folder = folder();
    if !folder.join("items").is_dir() {
        // Past the capture of the test harness: a skip is to be seen.
        use std::io::Write as _;
        writeln!(std::io::stderr(), "{test}: skipped, no corpus at {}", folder.display()).ok();
        return None;
    }
    let mut files = Vec::new();
    for (group, directory, kind) in [
        ("items", "openai-responses", Kind::Responses),
        ("items", "openai-chat", Kind::Chat),
        ("items", "anthropic", Kind::Anthropic),
        ("items", "gemini", Kind::Gemini),
        ("derived", "openai-responses", Kind::Responses),
        ("derived", "openai-chat", Kind::Chat),
        ("derived", "gemini", Kind::Gemini),
        ("derived", "ai-sdk-model", Kind::AiSdk),
        ("derived", "ai-sdk-ui", Kind::AiSdkUi),
    ] {
        let mut paths: Vec<PathBuf> = std::fs::read_dir(folder.join(group).join(directory))
            .unwrap_or_else(|error| panic!("{group}/{directory}: {error}"))
            .map(|entry| entry.expect("a readable folder").path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
            .collect();
        paths.sort();
        for path in paths {
            let text = std::fs::read_to_string(&path).expect("a readable file");
            files.push(File {
                name: format!(
                    "{group}/{directory}/{}",
                    path.file_name().expect("a name").to_string_lossy()
                ),
                kind,
                items: serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display())),
            });
        }
    }
    assert!(files.len() > 50, "the corpus has {} files: has it moved?", files.len());
    Some(files)
}
