//! Projects histories named on standard input: a line `{"file": path, "budget": {…}, "options": {…}}` each, answered
//! with a line `{"output": …}` that holds the projection's JSON text, or `{"error": …}`. Serves to compare builds.

use std::io::{BufRead, Write};

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let request: serde_json::Value = serde_json::from_str(&line?)?;
        let file = request
            .get("file")
            .and_then(serde_json::Value::as_str)
            .unwrap_or_default();
        let items = std::fs::read_to_string(file)?;
        let setting = |key: &str| request.get(key).map(ToString::to_string).unwrap_or_default();
        let answer = match context_projector::project_json(&items, &setting("budget"), &setting("options")) {
            Ok(output) => serde_json::json!({ "output": output }),
            Err(error) => serde_json::json!({ "error": error.to_string() }),
        };
        writeln!(out, "{answer}")?;
    }
    Ok(())
}
