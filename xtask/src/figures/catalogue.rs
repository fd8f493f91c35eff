use crate::experiments::runner::Runner;
use serde_json::Value;
use std::fmt::Write;

/// What each preset is, and its implementation of each module; a module that is alike in all is said once.
pub(crate) fn presets(runner: &Runner) -> Result<String, String> {
    let list = runner.list()?;
    let presets = rows(&list["paradigms"]);
    let mut out = String::from("| preset | what it is |\n|---|---|\n");
    for p in presets {
        let _ = writeln!(out, "| `{}` | {} |", word(&p["name"]), word(&p["summary"]));
    }
    let modules = list["modules"].as_object().ok_or("list: no modules")?;
    let alike = |m: &&String| presets.iter().all(|p| p["modules"][*m] == presets[0]["modules"][*m]);
    let (same, differing): (Vec<&String>, Vec<&String>) = modules.keys().partition(alike);
    let heads: Vec<String> = differing.iter().map(|m| m.replace('_', " ")).collect();
    let _ = write!(out, "\n| preset | {} |\n|---|{}\n", heads.join(" | "), "---|".repeat(heads.len()));
    for p in presets {
        let cells: Vec<String> = differing.iter().map(|m| format!("`{}`", word(&p["modules"][*m]))).collect();
        let _ = writeln!(out, "| `{}` | {} |", word(&p["name"]), cells.join(" | "));
    }
    let same: Vec<String> =
        same.iter().map(|m| format!("{} `{}`", m.replace('_', " "), word(&presets[0]["modules"][*m]))).collect();
    if !same.is_empty() {
        let _ = write!(out, "\nAlike in all: {}.\n", same.join(", "));
    }
    Ok(out)
}

/// Every implementation of every module.
pub(crate) fn implementations(runner: &Runner) -> Result<String, String> {
    let list = runner.list()?;
    let mut out = String::from("| module | name | what it is |\n|---|---|---|\n");
    for (module, implementations) in list["modules"].as_object().ok_or("list: no modules")? {
        for i in rows(implementations) {
            let module = module.replace('_', " ");
            let _ = writeln!(out, "| {module} | `{}` | {} |", word(&i["name"]), word(&i["summary"]));
        }
    }
    Ok(out)
}

/// The bundled scenes.
pub(crate) fn scenes(runner: &Runner) -> Result<String, String> {
    let list = runner.list()?;
    let mut out = String::from("| scene | what happens |\n|---|---|\n");
    for s in rows(&list["scenes"]) {
        let _ = writeln!(out, "| `{}` | {} |", word(&s["name"]), word(&s["description"]));
    }
    Ok(out)
}

/// Every table and key of scene files.
pub(crate) fn scene_format(runner: &Runner) -> Result<String, String> {
    runner.text(&["schema", "--markdown"])
}

fn rows(list: &Value) -> &[Value] {
    list.as_array().map_or(&[], Vec::as_slice)
}

/// A text, fit for a cell of a table.
fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().replace('|', "\\|")
}
