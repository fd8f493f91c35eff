//! `compare --fair`: equal conditions, and what is said about them.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

fn compare(folder: &Path, scene: &str, arguments: &[&str]) -> Output {
    let out = folder.join("out").display().to_string();
    let all = ["compare", scene, "--duration", "0.1", "--out", &out];
    Command::new(env!("CARGO_BIN_EXE_drystone")).args(all).args(arguments).output().unwrap()
}

/// The rows of `figures.csv`, by column. Fields with commas are in quotes.
fn rows(folder: &Path) -> Vec<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(folder.join("out/figures.csv")).unwrap();
    let fields = |line: &str| {
        let mut quoted = false;
        let parts = line.split(|c| {
            quoted ^= c == '"';
            c == ',' && !quoted
        });
        parts.map(|part| part.trim_matches('"').replace("\"\"", "\"")).collect::<Vec<_>>()
    };
    let mut lines = text.lines();
    let head = fields(lines.next().unwrap());
    lines.map(|line| head.iter().cloned().zip(fields(line)).collect()).collect()
}

fn done(out: &Output) -> String {
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout.clone()).unwrap()
}

/// Every kind of method gets the same number of passes, or says that it has none; nobody sleeps; all start alike.
#[test]
fn work_and_start_are_equal() {
    let folder = tempfile::tempdir().unwrap();
    let presets = "velocity-lcp,load-propagation,real-time,substep-soft,xpbd,avbd,mechanism";
    let out = compare(
        folder.path(),
        "stack-heights",
        &["--paradigms", presets, "--fair", "--iterations", "20", "--repeat", "2"],
    );
    let table = done(&out);
    let rows = rows(folder.path());
    assert_eq!(rows.len(), 7);
    for row in &rows {
        let (paradigm, settings) = (&row["paradigm"], &row["settings"]);
        assert_eq!((row["repetitions"].as_str(), row["sleeping_final"].as_str()), ("2", "0"), "{paradigm}");
        assert_eq!((row["asleep_share"].as_str(), &row["start_hash"]), ("0", &rows[0]["start_hash"]), "{paradigm}");
        let time = |column: &str| row[column].parse::<f64>().unwrap();
        assert!(time("awake_ms_mean_slowest") >= time("awake_ms_mean") && time("awake_ms_mean") > 0.0, "{paradigm}");
        let (passes, set) = match paradigm.as_str() {
            "velocity-lcp" | "load-propagation" => ("20", "lcp.iterations=20"),
            "real-time" => ("20", "constraint_solver.sweeps=20"),
            // four parts, and twenty
            "substep-soft" => ("20", "constraint_solver.iterations=5"),
            "xpbd" => ("20", "constraint_solver.position_iterations=1"),
            "avbd" => ("20", "constraint_solver.iterations=20"),
            // pivots
            _ => ("", "sleep_policy"),
        };
        assert_eq!(row["passes_per_step"], passes, "{paradigm}");
        assert!(settings.contains(set), "{paradigm}: {settings}");
        // the one that keeps nothing from step to step
        assert_eq!(settings.contains("lcp.warm_start=true"), paradigm != "xpbd", "{paradigm}: {settings}");
        // sweeps that are given in number make all of them
        if settings.contains("lcp.iterations=20") && row["paradigm"] == "load-propagation" {
            assert_eq!(row["lcp_iterations_mean"], "20", "{settings}");
        }
    }
    for line in [
        "\nfair: no body sleeps; warm starts on",
        "at most 20 passes per time step",
        "\nstart: stack-heights from one state",
        "\nmachine: ",
        "slowest run",
        "no switch",
    ] {
        assert!(table.contains(line), "{line}: {table}");
    }
    assert!(!table.contains("different: "), "repetitions end in the same state: {table}");
}

/// The passes that are found reach the residual, one fewer does not, and a method without a residual fails below the table.
#[test]
fn the_passes_that_are_found_reach_the_residual() {
    let folder = tempfile::tempdir().unwrap();
    let fair = ["--paradigms", "velocity-lcp,xpbd,mechanism", "--fair", "--repeat", "1"];
    let table = done(&compare(folder.path(), "box-stack", &[&fair[..], &["--residual", "0.05"]].concat()));
    let found = rows(folder.path());
    let residual = |row: &BTreeMap<String, String>| row["relative_residual_mean"].parse::<f64>().unwrap();
    assert!(residual(&found[0]) <= 0.05 && residual(&found[2]) <= 0.05, "{table}");
    assert!(found[1]["status"].contains("measures no residual"), "{:?}", found[1]);
    let (above, below) = table.split_once("\nbox-stack xpbd: ").unwrap();
    assert!(
        above.contains("xpbd") && above.contains("failed") && below.starts_with("xpbd measures no residual"),
        "{table}"
    );
    let report = std::fs::read_to_string(folder.path().join("out/report.html")).unwrap();
    assert!(report.contains("measures no residual") && report.contains("machine: "));
    // negative control
    let passes: u32 = found[0]["passes_per_step"].parse().unwrap();
    assert!(passes > 1, "{passes}");
    let fewer = (passes - 1).to_string();
    let fair = ["--paradigms", "velocity-lcp", "--fair", "--repeat", "1", "--iterations", &fewer];
    done(&compare(folder.path(), "box-stack", &fair));
    assert!(residual(&rows(folder.path())[0]) > 0.05);
}

/// Settings that are asked for by name count more than equal conditions, and what cannot be made equal is refused.
#[test]
fn named_settings_count_more_and_uneven_work_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let sweep = [
        "--paradigms",
        "velocity-lcp",
        "--fair",
        "--repeat",
        "1",
        "--warm-starts",
        "off",
        "--sweep",
        "simulation.lcp.iterations=3,7",
        // not sought where the passes are named
        "--residual",
        "1e-9",
    ];
    let table = done(&compare(folder.path(), "box-stack", &sweep));
    assert!(table.contains("iterations=3") && table.contains("iterations=7") && table.contains(" off "), "{table}");
    let of = |row: &BTreeMap<String, String>| row["lcp_iterations_mean"].parse::<f64>().unwrap();
    let rows = rows(folder.path());
    assert!(of(&rows[1]) > of(&rows[0]), "{table}");
    assert!(rows.iter().all(|row| row["passes_per_step"].is_empty()), "{table}");
    let named = ["--paradigms", "velocity-lcp", "--fair", "--repeat", "1", "--set", "simulation.lcp.warm_start=false"];
    let table = done(&compare(folder.path(), "box-stack", &named));
    assert!(table.contains(" off ") && !table.contains("no switch"), "{table}");
    for (arguments, said) in [
        (&["--fair", "--iterations", "10", "--paradigms", "xpbd"][..], "multiples of 20"),
        (&["--iterations", "10"], "--fair"),
        (&["--fair", "--iterations", "0"], "--iterations"),
        (&["--fair", "--iterations", "1", "--residual", "1"], "cannot be used with"),
        (&["--fair", "--residual", "nan"], "a number above 0"),
        (&["--repeat", "0"], "--repeat"),
    ] {
        let out = compare(folder.path(), "box-stack", arguments);
        let told = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.code() == Some(2) && told.contains(said), "{arguments:?}: {told}");
    }
}
