//! What a user reads, word for word: help, lists, error messages, and the figures of short runs. After an intended change, `INSTA_UPDATE=always
//! cargo test -p drystone-cli --test snapshots` rewrites the texts; review them in the diff.

use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// A command with its output and exit status, run in a folder of its own.
fn told(arguments: &[&str]) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("snapshots");
    std::fs::create_dir_all(&folder).unwrap();
    for (name, text) in FILES {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let output = Command::new(env!("CARGO_BIN_EXE_drystone")).args(arguments).current_dir(folder).output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|b| String::from_utf8(b).unwrap());
    format!("$ drystone {}\n{out}{err}-> {}\n", arguments.join(" "), output.status.code().unwrap())
}

const FILES: [(&str, &str); 4] = [
    (
        "faults.toml",
        r#"[scene]
name = "faults"
duraton = 1.0
gravity = [0, -9.81]

[materials.default]
friction = -1

[simulation]
paradigm = "velocity-lpc"
time_step = 0.0

[[bodies]]
name = "ball"
shape = { spere = { radius = 1 } }

[[bodies]]
name = "box"
mass = "heavy"
shape = { box = { half_extents = [1, 1, 0] } }

[[joints]]
kind = "hing"
bodies = ["world", "bx"]
"#,
    ),
    ("broken.toml", "[scene\nname = 3\n"),
    ("broken.json", "{\"scene\": {\"name\": NaN}}"),
    ("empty.toml", ""),
];

#[test]
fn help() {
    let commands = ["run", "compare", "list", "check", "schema", "lcp", "query", "view", "import"];
    let mut text = told(&["--help"]);
    for command in commands {
        text.push('\n');
        text.push_str(&told(&[command, "--help"]));
    }
    insta::assert_snapshot!("help", text);
}

#[test]
fn list() {
    insta::assert_snapshot!("list", told(&["list"]));
}

#[test]
fn error_messages() {
    let cases: [&[&str]; 27] = [
        &["run"],
        &["rum", "box-stack"],
        &["run", "boxstack"],
        &["run", "nothing-like-it.toml"],
        &["run", "box-stack", "--paradigm", "velocity-lpc"],
        &["run", "box-stack", "--set", "simulation.lcp.iteration=3"],
        &["run", "box-stack", "--set", "simulation.lcp.iterations=-3"],
        &["run", "box-stack", "--set", "simulation.lcp.solver=lemk"],
        &["run", "box-stack", "--set", "bodies[7].mass=1"],
        &["run", "box-stack", "--set", "gravity"],
        &["run", "box-stack", "--threads", "0"],
        &["run", "box-stack", "--duration", "-1"],
        &["run", "box-stack", "--duration", "nan"],
        &["run", "box-stack", "--resume", "empty.toml"],
        &["run", "four-bar", "--paradigm", "impulse"],
        &["compare", "box-stack", "--sweep", "simulation.lcp.iterations"],
        &["compare", "box-stack", "--paradigms", "velocity-lcp", "--sweep", "x=1"],
        &["check", "faults.toml"],
        &["check", "broken.toml"],
        &["check", "broken.json"],
        &["check", "empty.toml"],
        &["schema", "figure"],
        &["query", "empty.toml"],
        &["query", "nothing.json"],
        &["lcp", "solve", "nothing.dat"],
        &["lcp", "solve", "empty.toml", "--solver", "lemk"],
        &["view", "box-stack", "--port", "70000"],
    ];
    let text: Vec<String> = cases.iter().map(|c| told(c)).collect();
    insta::assert_snapshot!("errors", text.join("\n"));
}

/// Rounds numbers to four digits: changes in the last bits are for the golden hashes to find.
fn rounded(value: &mut Value) {
    match value {
        Value::Number(n) if n.is_f64() => {
            let v = n.as_f64().unwrap();
            let small = v.abs() < 1e-12;
            *value = if small { 0.0.into() } else { format!("{v:.3e}").parse::<f64>().unwrap().into() };
        }
        Value::Array(list) => list.iter_mut().for_each(rounded),
        Value::Object(table) => table.values_mut().for_each(rounded),
        _ => {}
    }
}

#[test]
fn figures_of_short_runs() {
    let mut text = String::new();
    for scene in ["bouncing-ball", "two-balls", "box-stack", "chain-swing", "three-balls"] {
        let output =
            Command::new(env!("CARGO_BIN_EXE_drystone")).args(["run", scene, "--steps", "50", "--json"]).output();
        let mut figures: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
        let table = figures.as_object_mut().unwrap();
        // figures that differ between machines, and those that the golden hashes check
        let machine = [
            "wall_seconds",
            "step_ms",
            "awake_ms",
            "phase_ms",
            "gather_scatter_ms",
            "version",
            "state_hash",
            "final",
            "joints",
        ];
        let before = table.len();
        table.retain(|key, _| !machine.contains(&key.as_str()));
        assert_eq!(before - table.len(), machine.len(), "{scene}");
        rounded(&mut figures);
        text.push_str(&serde_json::to_string_pretty(&figures).unwrap());
        text.push('\n');
    }
    insta::assert_snapshot!("figures", text);
}
