//! The same bits in WebAssembly as on this machine: scenes run by the binary and, built for wasm32, in Node.

use crate::root::{self, cargo, root};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

/// Scenes that run under every preset, as long as the golden ones do.
const UNDER_ALL: [(&str, u64); 8] = [
    ("ball-grid", 30),
    ("box-stack-restitution", 50),
    ("domino-row", 40),
    ("plank-bridge", 60),
    ("ragdoll", 160),
    ("scripted-push", 40),
    ("sdm-see-saw", 30),
    ("three-balls", 20),
];
/// Steps of each other bundled scene, under its own preset.
const STEPS: u64 = 25;

/// A run: the scene, a preset that is not its own, and how many steps.
type Run = (String, Option<String>, u64);

/// Builds both and compares the hashes of the final states.
pub(crate) fn run() -> Result<(), String> {
    println!("== the engine for wasm32");
    succeed(Command::new("node").arg("lab/scripts/engine.mjs").current_dir(root()))?;
    println!("== the engine for this machine");
    succeed(&mut cargo(&["build", "--release", "--quiet", "-p", "drystone-cli"]))?;
    let runs = runs()?;
    println!("== {} runs on both", runs.len());
    let there = in_node(&runs)?;
    if there.len() != runs.len() {
        return Err(format!("wasm-bits: {} answers for {} runs", there.len(), runs.len()));
    }
    let mut others = Vec::new();
    let mut moved = 0;
    for (run, there) in runs.iter().zip(&there) {
        let here = native(run)?;
        moved += usize::from(here.len() == 16);
        if here != *there {
            let (scene, preset, steps) = run;
            let preset = preset.as_deref().unwrap_or("its own preset");
            others.push(format!("{scene} under {preset}, {steps} steps: {here} here, {there} in wasm32"));
        }
    }
    if others.is_empty() {
        println!("wasm-bits: {} runs, {moved} of them to the end, the same bits", runs.len());
        return Ok(());
    }
    Err(format!("{}\nwasm-bits: {} of {} runs have other bits", others.join("\n"), others.len(), runs.len()))
}

fn runs() -> Result<Vec<Run>, String> {
    let listed: Value =
        serde_json::from_str(&binary(&["list", "--json"])?.1).map_err(|e| format!("list --json: {e}"))?;
    let names = |list: &Value| -> Vec<String> {
        list.as_array().into_iter().flatten().filter_map(|i| Some(i["name"].as_str()?.to_owned())).collect()
    };
    let presets = names(&listed["paradigms"]);
    let mut runs: Vec<Run> = Vec::new();
    for (scene, steps) in UNDER_ALL {
        runs.extend(presets.iter().map(|p| (scene.to_owned(), Some(p.clone()), steps)));
    }
    let rest = names(&listed["scenes"]).into_iter().filter(|s| UNDER_ALL.iter().all(|(name, _)| name != s));
    runs.extend(rest.map(|scene| (scene, None, STEPS)));
    Ok(runs)
}

fn in_node(runs: &[Run]) -> Result<Vec<String>, String> {
    let failed = |e: std::io::Error| format!("node could not be run: {e}");
    let mut node = Command::new("node");
    node.arg("lab/scripts/bits.mjs").current_dir(root()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = node.spawn().map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(json!(runs).to_string().as_bytes()).map_err(failed)?;
    }
    let output = child.wait_with_output().map_err(failed)?;
    if !output.status.success() {
        return Err(format!("lab/scripts/bits.mjs: {}", output.status));
    }
    serde_json::from_slice(&output.stdout).map_err(|e| format!("lab/scripts/bits.mjs: {e}"))
}

/// The hash of a run by the binary; `fails` and `refused` as in `lab/scripts/bits.mjs`.
fn native((scene, preset, steps): &Run) -> Result<String, String> {
    let steps = steps.to_string();
    let mut arguments = vec!["run", scene, "--steps", &steps, "--json"];
    if let Some(preset) = preset {
        arguments.extend(["--paradigm", preset]);
    }
    let (code, text) = binary(&arguments)?;
    Ok(match code {
        Some(0) => {
            let figures: Value = serde_json::from_str(&text).map_err(|e| format!("{scene}: {e}"))?;
            figures["state_hash"].as_str().ok_or(format!("{scene}: no state_hash"))?.to_owned()
        }
        Some(1) => "fails".to_owned(),
        _ => "refused".to_owned(),
    })
}

fn binary(arguments: &[&str]) -> Result<(Option<i32>, String), String> {
    let binary = root::binary();
    let output = Command::new(&binary).args(arguments).output().map_err(|e| format!("{}: {e}", binary.display()))?;
    Ok((output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned()))
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|e| format!("{command:?}: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}")) }
}
