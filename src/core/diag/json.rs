//! Diagnostics for programs: one JSON array.

use serde_json::{Value, json};

use super::Diagnostic;

/// One JSON array of `{"code","severity","message","file","line","column","path","help"}`, without a line break at the
/// end. What is not known is null.
pub fn render_json(diagnostics: &[Diagnostic]) -> String {
    Value::Array(diagnostics.iter().map(to_json).collect()).to_string()
}

fn to_json(diagnostic: &Diagnostic) -> Value {
    let (line, column) = diagnostic.line_and_column();
    json!({
        "code": diagnostic.code.name(),
        "severity": diagnostic.severity.word(),
        "message": diagnostic.message,
        "file": diagnostic.file(),
        "line": line,
        "column": column,
        "path": diagnostic.path,
        "help": (!diagnostic.help.is_empty()).then(|| diagnostic.help.join("\n")),
    })
}
