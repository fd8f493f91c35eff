use drystone_scene::{Document, SceneFaults};
use drystone_session::LoadError;
use serde_json::{Value, json};

/// A scene's text as a document: JSON where it begins with a brace, else TOML.
pub(crate) fn document(text: &str) -> Result<Document, SceneFaults> {
    if text.trim_start().starts_with('{') { Document::from_json_str(text) } else { Document::from_toml_str(text) }
}

/// Why a scene cannot be loaded, as a JSON list of `{line, path, message}`.
pub(crate) fn as_json(error: &LoadError) -> String {
    let list: Vec<Value> = match error {
        LoadError::Scene(faults) => faults
            .0
            .iter()
            .map(|f| json!({ "line": f.location.line, "path": f.location.path, "message": f.to_string() }))
            .collect(),
        other => vec![json!({ "line": null, "path": "", "message": other.to_string() })],
    };
    Value::Array(list).to_string()
}
