//! A run that diverges reports it in one line and ends with status 1; with the limits off it ends with status 0.

use std::fmt::Write;
use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_drystone")).arg("run").args(arguments).arg("--json").output().unwrap()
}

/// The run fails with all of `words` in one line. With the limits off it succeeds, and then `figure` is above `least`.
fn diverges(arguments: &[&str], words: &[&str], figure: [&str; 2], least: f64) {
    let out = run(arguments);
    let said = String::from_utf8_lossy(&out.stderr);
    // warnings printed before the run do not count
    let failures = said.trim().lines().filter(|line| !line.starts_with("warning: ")).count();
    assert_eq!((out.status.code(), failures), (Some(1), 1), "{said}");
    for word in words {
        assert!(said.contains(word), "'{word}' is not in: {said}");
    }
    let out = run(&[arguments, &["--set", "simulation.limits.enabled=false"]].concat());
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    let figures: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    let found = figures[figure[0]][figure[1]].as_f64().unwrap();
    assert!(found > least, "{figure:?} {found}");
}

#[test]
fn what_nothing_holds_falls_through_the_floor() {
    let nothing =
        ["--set", "simulation.lcp.iterations=0", "--set", "simulation.constraint_solver.correction_iterations=0"];
    let run = [&["box-stack", "--paradigm", "velocity-lcp", "--duration", "10"][..], &nothing].concat();
    let words = ["constraint_solver failed at t =", "box[", "penetration of", "m exceeds"];
    diverges(&run, &words, ["penetration", "max"], 400.0);
}

#[test]
fn a_top_that_its_own_torque_drives_gains_energy() {
    let run = [
        "free-top",
        "--duration",
        "60",
        "--set",
        "simulation.time_step=0.02",
        "--set",
        "simulation.motion_solver={kind=\"semi-implicit-euler\",gyroscopic_rule=\"explicit\"}",
    ];
    diverges(&run, &["motion_solver failed at t =", "body 'top'", "energy of", "J exceeds"], ["energy", "max"], 200.0);
}

#[test]
fn a_chain_that_is_driven_is_bounded_by_its_joints() {
    // damping too weak to matter: but with it in the scene, energy is no longer a criterion
    let folder = std::env::temp_dir().join(format!("drystone-limits-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("chain.toml");
    let mut text =
        "[scene]\nname = \"driven\"\nduration = 3.0\n\n[simulation]\nparadigm = \"velocity-lcp\"\n\n[[forces]]\nkind = \"damping\"\nlinear = 1e-9\nangular = 0.0\n"
            .to_owned();
    for i in 0..12 {
        let x = f64::from(i) + 0.5;
        let parent = if i == 0 { "world".to_owned() } else { format!("link{}", i - 1) };
        let _ = write!(
            text,
            "\n[[bodies]]\nname = \"link{i}\"\nshape = {{ box = {{ half_extents = [0.4, 0.1, 0.1] }} }}\nposition = [{x}, 0, 0]\n\n\
             [[joints]]\nname = \"pin{i}\"\nkind = \"ball\"\nbodies = [\"{parent}\", \"link{i}\"]\nanchor = [{i}, 0, 0]\n"
        );
    }
    std::fs::write(&path, text).unwrap();
    // no sweeps and no projection: the chain falls off its pin
    let nothing = [
        "--set",
        "simulation.lcp.iterations=0",
        "--set",
        "simulation.constraint_solver.correction_iterations=0",
        "--set",
        "simulation.constraint_solver.joint_start=false",
    ];
    let run = [&[path.to_str().unwrap()][..], &nothing].concat();
    diverges(
        &run,
        &["constraint_solver failed at t =", "joint 'pin", "gap of joint", "m exceeds"],
        ["joint_error", "max_linear"],
        40.0,
    );
    std::fs::remove_dir_all(folder).unwrap();
}
