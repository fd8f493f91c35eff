use crate::experiments::runner::Runner;
use serde_json::Value;
use std::fmt::Write;

/// The implementation of each module in each preset.
pub(crate) fn presets(runner: &Runner) -> Result<String, String> {
    let list = runner.list()?;
    let presets = rows(&list["paradigms"]);
    let mut out = String::from("| |");
    for p in presets {
        let _ = write!(out, " `{}` |", word(&p["name"]));
    }
    let _ = write!(out, "\n|---|{}\n| what it is |", "---|".repeat(presets.len()));
    for p in presets {
        let _ = write!(out, " {} |", word(&p["summary"]));
    }
    out.push('\n');
    let modules = list["modules"].as_object().ok_or("list: no modules")?;
    for module in modules.keys() {
        let _ = write!(out, "| {} |", module.replace('_', " "));
        for p in presets {
            let _ = write!(out, " `{}` |", word(&p["modules"][module]));
        }
        out.push('\n');
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
