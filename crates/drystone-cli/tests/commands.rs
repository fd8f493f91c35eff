//! The binary as a script calls it: exit status, what goes to which stream, and the words that name a fault.

use std::path::PathBuf;
use std::process::{Command, Output};

fn drystone(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_drystone")).args(arguments).output().unwrap()
}

/// A temporary folder of its own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("drystone-commands-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Bad input: status 2, these words on standard error, nothing on standard output.
fn refused(arguments: &[&str], words: &[&str]) {
    let out = drystone(arguments);
    let said = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{arguments:?}: {said}");
    assert!(out.stdout.is_empty(), "{arguments:?}");
    for word in words {
        assert!(said.contains(word), "{arguments:?}: '{word}' not in {said}");
    }
}

const BALL: &str = r#"{"scene": {"name": "b", "duration": 0.05}, "bodies": [{"name": "a", "shape": {"sphere": {"radius": 1}}, "mass": 2}]}"#;

#[test]
fn a_run_is_drawn_and_says_where_its_numbers_come_from() {
    let folder = Folder::new("plot");
    let path = folder.0.join("run.svg").display().to_string();
    let done = drystone(&["run", "bouncing-ball", "--duration", "2", "--plot", &path]);
    let text = String::from_utf8_lossy(&done.stdout);
    assert!(text.contains("\nsource: ") && text.contains("\n  per step "), "{text}");
    // figures are aligned in one column, whatever their names
    let figures = text.lines().filter(|l| l.starts_with("  "));
    assert!(figures.clone().all(|l| l.as_bytes()[26] == b' ' && l.as_bytes()[27] != b' '), "{text}");
    let svg = std::fs::read_to_string(&path).unwrap();
    assert!(svg.contains("fraction of what gravity adds per step"));
    let curves: Vec<Vec<[f64; 2]>> = svg
        .split("points=\"")
        .skip(1)
        .map(|s| {
            let pair = |p: &str| p.split_once(',').map(|(x, y)| [x.parse().unwrap(), y.parse().unwrap()]);
            s.split('"').next().unwrap().split(' ').filter_map(pair).collect()
        })
        .collect();
    assert_eq!(curves.len(), 5, "total, kinetic, potential, penetration, residual");
    let [total, kinetic, potential] = [&curves[0], &curves[1], &curves[2]];
    assert!(total.len() > 20 && total.iter().all(|p| p.iter().all(|v| v.is_finite())));
    // falling: kinetic energy rises (y points down), potential energy drops by the same amount
    let fall = |c: &[[f64; 2]]| c[3][1] - c[0][1];
    assert!(fall(kinetic) < 0.0 && (fall(kinetic) + fall(potential)).abs() < 0.03, "{kinetic:?} {potential:?}");
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
}

#[test]
fn shapes_and_scripts_are_listed_and_a_comparison_takes_the_presets_that_fit() {
    let listed = drystone(&["list"]);
    let text = String::from_utf8_lossy(&listed.stdout);
    for word in [
        "SHAPES",
        "    box\n",
        "    height-field\n",
        "SCRIPTS",
        "    sinusoid\n",
        "    space_spline\n",
        "JOINTS",
        "FORCES",
    ] {
        assert!(text.contains(word), "{word}");
    }
    let done = drystone(&["compare", "simple-pendulum", "--duration", "0.02"]);
    let (table, told) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{told}");
    assert!(table.contains("velocity-lcp") && !table.contains("penalty"), "{table}");
    assert!(told.contains("warning: simple-pendulum: penalty is skipped"), "{told}");
}

#[test]
fn runs_and_what_they_refuse() {
    let folder = Folder::new("run");
    let ball = folder.write("ball.json", BALL);
    let done = drystone(&["run", &ball, "--json"]);
    let figures: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!((done.status.code(), figures["steps"].as_u64()), (Some(0), Some(5)));
    refused(&["run", &ball, "--duration", "-1"], &["duration", "-1"]);
    refused(&["run", &ball, "--steps", "-1"], &["--steps", "-1"]);
    refused(&["run", &ball, "--set", "bodies.a.mass=nan"], &["--set", "bodies[0].mass", "NaN"]);
    refused(&["run", &ball, "--frames", "/"], &["cannot be written"]);
    let faulty = folder.write("nan.json", &BALL.replace("\"mass\": 2", "\"mass\": NaN"));
    refused(&["run", &faulty, "--json"], &["bodies[0].mass", "NaN"]);
    refused(&["check", &faulty], &["bodies[0].mass"]);
    refused(&["query", &folder.write("q.json", r#"{"pairs": [3]}"#)], &["pairs[0]"]);
    let far = r#"{"pairs": [{"a": {"shape": {"sphere": {"radius": 1}}, "position": [1e300, 0, 0]}, "b": {"shape": {"sphere": {"radius": 1}}}}]}"#;
    let done = drystone(&["query", &folder.write("far.json", far), "--json", "--narrow-phase", "combined"]);
    let rows: Vec<serde_json::Value> = serde_json::from_slice(&done.stdout).unwrap();
    assert!(rows[0]["unsupported"].as_str().is_some_and(|s| s.contains("range")), "{rows:?}");
}

#[test]
fn matrix_market_files_of_one_problem_are_read_once() {
    let folder = Folder::new("lcp");
    let head = "%%MatrixMarket matrix array real general\n";
    let a = folder.write("A.mtx", &format!("{head}2 2\n2\n0\n0\n2\n"));
    let b = folder.write("b.mtx", &format!("{head}2 1\n-4\n2\n"));
    let rows = |arguments: &[&str]| {
        let out = drystone(arguments);
        assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
        serde_json::from_slice::<Vec<serde_json::Value>>(&out.stdout).unwrap()
    };
    let of_files = rows(&["lcp", "solve", &a, &b, "--solver", "lemke", "--json"]);
    let of_folder = rows(&["lcp", "solve", &folder.0.display().to_string(), "--solver", "lemke", "--json"]);
    for r in [&of_files, &of_folder] {
        assert_eq!((r.len(), r[0]["status"].as_str(), r[0]["x_inf"].as_f64()), (1, Some("converged"), Some(2.0)));
    }
    assert_eq!(rows(&["lcp", "info", &a, &b, "--json"]).len(), 1);
    refused(&["lcp", "solve", "nowhere"], &["nowhere", "no such file"]);
    refused(&["lcp", "solve", &a, "--tolerance", "-1"], &["--tolerance", "-1"]);
    refused(&["lcp", "solve", &a, "--solver", "magic"], &["magic", "lemke"]);
}

/// A full disk behind standard output is an error; a reader that closed the pipe is not.
#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_printed_is_a_failure() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_drystone"));
    let out = command.args(["list", "--json"]).stdout(full).stderr(std::process::Stdio::piped()).output().unwrap();
    assert_eq!(out.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&out.stderr).contains("standard output: cannot be written"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_drystone"))
        .args(["list", "--json"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let out = child.wait_with_output().unwrap();
    assert!(out.status.success() && out.stderr.is_empty());
}

#[test]
fn a_seed_is_that_of_the_random_order() {
    let hash = |seed: &str, solver: &str| {
        let set = format!("simulation.lcp.solver={solver}");
        let out = drystone(&[
            "run",
            "box-stack",
            "--steps",
            "5",
            "--json",
            "--seed",
            seed,
            "--paradigm",
            "velocity-lcp",
            "--set",
            &set,
        ]);
        let text = String::from_utf8(out.stdout).unwrap();
        let figures: serde_json::Value = serde_json::from_str(&text).unwrap();
        (figures["seed"].to_string(), figures["state_hash"].as_str().unwrap().to_owned())
    };
    let random = ["1", "2", "1"].map(|seed| hash(seed, "random-order-gauss-seidel"));
    assert!(random[0] != random[1] && random[0] == random[2] && random[0].0 == "1", "{random:?}");
    assert_eq!(hash("1", "projected-gauss-seidel").1, hash("2", "projected-gauss-seidel").1);
}

/// With `measure = "never"` no residual is computed: it is null in the JSON, not zero, and a dash in the table.
#[test]
fn a_residual_that_was_not_measured_is_no_zero() {
    let run = |measure: &str, json: bool| {
        let set = format!("simulation.lcp.measure={measure}");
        let mut arguments = vec!["run", "column-30", "--steps", "5", "--paradigm", "velocity-lcp", "--set", &set];
        // one sweep leaves a clear residual
        arguments.extend(["--set", "simulation.lcp.iterations=1"]);
        // the scene's own solver takes no friction discs, and the solver that it passes them to measures
        arguments.extend(["--set", "simulation.lcp.solver=projected-gauss-seidel"]);
        arguments.extend(json.then_some("--json"));
        let out = drystone(&arguments);
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).unwrap()
    };
    let lcp = |measure| serde_json::from_str::<serde_json::Value>(&run(measure, true)).unwrap()["lcp"].clone();
    let (without, with) = (lcp("never"), lcp("at-end"));
    assert!(without["residual_mean"].is_null() && without["residual_max"].is_null(), "{without}");
    assert!(with["residual_mean"].as_f64() > Some(0.0) && with["residual_max"].as_f64() > Some(0.0), "{with}");
    assert!(without["relative_residual_max"].is_null() && without["steps_not_converged"] == 0, "{without}");
    let steps = ["steps_converged", "steps_not_converged"].map(|key| with[key].as_u64().unwrap());
    assert!(with["relative_residual_max"].as_f64() > Some(0.01) && steps[1] > 0 && steps[0] + steps[1] == 5, "{with}");
    // the older spelling of "never"
    assert!(run("0", false).contains("mean residual -,"), "{}", run("0", false));
}

/// Settings for a module that another preset replaces do not stop a scene from running under that preset; the run reports what it ignored.
#[test]
fn another_preset_leaves_out_settings_of_modules_that_it_replaces() {
    let path = std::env::temp_dir().join(format!("drystone-left-out-{}.toml", std::process::id()));
    let text = "[scene]\nname = 'left-out'\nduration = 0.1\n[simulation]\nparadigm = 'shock-propagation'\n\
                [simulation.sleep_policy]\nthreshold = 1e-3\n[[bodies]]\nname = 'ball'\nshape = { sphere = { radius = 0.5 } }\n";
    std::fs::write(&path, text).unwrap();
    let scene = path.to_str().unwrap();
    let out = drystone(&["run", scene, "--steps", "1", "--paradigm", "velocity-lcp"]);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.success(), "{said}");
    assert!(said.contains("simulation.sleep_policy is ignored") && said.contains("kinetic-energy-relative"), "{said}");
    // the scene's own preset uses these settings; and a setting given on the command line is meant for this run, so it is an error here
    let own = drystone(&["run", scene, "--steps", "1"]);
    assert!(own.status.success() && !String::from_utf8_lossy(&own.stderr).contains("left out"));
    let set = "simulation.sleep_policy.threshold=0.5";
    refused(&["run", scene, "--steps", "1", "--paradigm", "velocity-lcp", "--set", set], &["threshold", "allowed"]);
    std::fs::remove_file(&path).unwrap();
}

/// Two finite coefficients of friction whose product overflows: once a panic.
#[test]
fn frictions_whose_product_overflows_are_run() {
    let folder = Folder::new("rough");
    let scene = r#"{"scene": {"name": "rough", "duration": 0.5},
        "materials": {"default": {"friction": 1.6}, "rough": {"friction": 1.79e308}},
        "bodies": [
            {"name": "ground", "kind": "fixed", "material": "rough", "shape": {"plane": {"normal": [0, 1, 0], "offset": 0}}},
            {"name": "box", "shape": {"box": {"half_extents": [0.5, 0.5, 0.5]}}, "position": [0, 0.49, 0], "linear_velocity": [1, 0, 0]}
        ]}"#;
    let out = drystone(&["run", &folder.write("rough.json", scene), "--json"]);
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    let figures: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert!(figures["final"][1]["linear_velocity"][0].as_f64().is_some_and(|v| v.abs() < 0.1), "{figures}");
}

#[test]
fn a_problem_file_names_line_and_value() {
    let folder = Folder::new("faulty-lcp");
    let head = "%%MatrixMarket matrix array real general\n% a remark\n";
    let a = folder.write("A.mtx", &format!("{head}2 2\n2\n0\ntwo\n2\n"));
    folder.write("b.mtx", &format!("{head}2 1\n-4\n2\n"));
    refused(&["lcp", "solve", &a], &["A.mtx", "line 6", "'two'"]);
}

/// A bad value from the command line is blamed on the option that gave it, and every message begins with the place.
#[test]
fn a_message_names_the_option_that_was_given() {
    let said = |arguments: &[&str]| {
        let out = drystone(arguments);
        assert_eq!(out.status.code(), Some(2), "{arguments:?}");
        String::from_utf8(out.stderr).unwrap()
    };
    let compare = ["compare", "box-stack", "--paradigms", "velocity-lcp", "--sweep"];
    for (arguments, start) in [
        (&["run", "box-stack", "--paradigm", "foo"][..], "--paradigm: simulation.paradigm: found \"foo\""),
        (&["run", "box-stack", "--duration", "nan"], "--duration: scene.duration: found NaN"),
        (&["run", "box-stack", "--set", "x=1"], "--set: x: unknown key 'x'"),
        (&[&compare[..], &["x=1"]].concat(), "--sweep: x: unknown key 'x'"),
        (&[&compare[..], &["bodies[7].mass=1"]].concat(), "--sweep: bodies[7].mass: found index 7"),
        (&["lcp", "solve", "nothing.dat"], "nothing.dat: "),
        (&["query", "nothing.dat"], "nothing.dat: "),
    ] {
        let said = said(arguments);
        assert!(said.starts_with(start), "{arguments:?}: {said}");
    }
}

/// A scene without a source or description leaves no empty lines in their place.
#[test]
fn what_a_scene_does_not_say_has_no_line() {
    let folder = Folder::new("heading");
    let silent = folder.write("silent.json", BALL);
    let head = |scene: &str| {
        let done = drystone(&["run", scene, "--steps", "1"]);
        String::from_utf8(done.stdout).unwrap().lines().take(2).map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(head(&silent)[0].starts_with("  scene "), "{:?}", head(&silent));
    let sourced = folder.write("sourced.json", &BALL.replace("\"duration\"", "\"source\": \"here\", \"duration\""));
    assert!(head(&sourced)[0] == "source: here" && head(&sourced)[1].starts_with("  scene "), "{:?}", head(&sourced));
}

/// Without the package that reads robot descriptions, the message says how to install it.
#[test]
fn import_says_what_it_needs() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_drystone"));
    command.args(["import", "robot.urdf", "-o", "robot.toml"]).env("DRYSTONE_PYTHON", "no-such-interpreter");
    let out = command.output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{said}");
    assert!(said.contains("no-such-interpreter") && said.contains("pip install"), "{said}");
    refused(&["import", "robot.urdf"], &["--output"]);
}

/// Module times are not negative, and together no more than the time of the steps.
#[test]
fn times_of_modules_add_up() {
    let done = drystone(&["run", "box-stack", "--duration", "0.5", "--json"]);
    let figures: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    let phases = figures["phase_ms"].as_object().unwrap();
    let time = |name: &str| phases[name].as_f64().unwrap();
    let sum: f64 = phases.keys().map(|name| time(name)).sum();
    assert!(phases.keys().all(|name| time(name) >= 0.0), "{phases:?}");
    for used in
        ["broad_phase", "narrow_phase", "contact_determination", "stc_analysis", "constraint_solver", "motion_solver"]
    {
        assert!(time(used) > 0.0, "{used}: {phases:?}");
    }
    let mean = figures["step_ms"]["mean"].as_f64().unwrap();
    assert!(sum > 0.2 * mean && sum < 1.1 * mean, "{sum} of {mean}");
    // gathering and scattering happen within the solvers' times, so this figure stands beside the modules and is not one of them
    let seams = figures["gather_scatter_ms"].as_f64().unwrap();
    let solvers = time("constraint_solver") + time("position_correction") + time("collision_solver");
    assert!(seams > 0.0 && seams <= solvers * (1.0 + 1e-9), "{seams} of {solvers}");
    assert_eq!(phases.len(), 9, "{phases:?}");
}

/// An envelope must be a finite length; without `--json` each answer is one line of a table with column headings.
#[test]
fn questions_about_pairs_are_answered_in_a_table() {
    let folder = Folder::new("query");
    let balls = r#"{"pairs": [{"a": {"shape": {"sphere": {"radius": 1}}}, "b": {"shape": {"sphere": {"radius": 0.5}}, "position": [2, 0, 0]}}]}"#;
    let pairs = folder.write("balls.json", balls);
    for envelope in ["-0.1", "inf", "nan"] {
        refused(&["query", &pairs, &format!("--envelope={envelope}")], &["--envelope", "a finite length"]);
    }
    let done = drystone(&["query", &pairs, "--narrow-phase", "primitives"]);
    let text = String::from_utf8_lossy(&done.stdout);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].contains("relation") && lines[0].contains("distance (m)"), "{text}");
    // the gap is 2 - 1 - 0.5, along x
    assert!(lines[1].contains("primitives") && lines[1].contains(" 0.500000000 "), "{text}");
    assert!(lines[1].contains("1.00000 0.00000 0.00000") && lines.len() == 2, "{text}");
}

/// A run that is saved and resumed ends in the same bits as a run without a pause, from the binary and the JSON format.
#[test]
fn a_saved_run_goes_on_with_the_same_bits() {
    let folder = Folder::new("save");
    let hash = |arguments: &[&str]| {
        let out = drystone(&[&["run", "simple-pendulum", "--json"], arguments].concat());
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        let figures: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
        figures["state_hash"].as_str().unwrap().to_owned()
    };
    let whole = hash(&["--duration", "0.5"]);
    for name in ["state.bin", "state.json"] {
        let path = folder.0.join(name).display().to_string();
        assert_ne!(hash(&["--duration", "0.2", "--save", &path]), whole);
        assert_eq!(hash(&["--duration", "0.5", "--resume", &path]), whole, "{name}");
        refused(&["run", "box-stack", "--resume", &path], &[&path, "other bodies"]);
    }
    let other = folder.write("other.json", "{}");
    refused(&["run", "simple-pendulum", "--resume", &other], &["no snapshot"]);
    refused(&["run", "simple-pendulum", "--resume", "missing"], &["missing"]);
}

/// If a scripted path has a cusp, `check` and `run` say where. A path without one gives no message.
#[test]
fn cusps_of_scripted_paths_are_told() {
    let scene = |points: &str| {
        format!(
            "[scene]\nname = 'cusp'\nduration = 0.1\n[[bodies]]\nname = 'hand'\nkind = 'scripted'\nshape = {{ sphere = {{ radius = 0.1 }} }}\n\
             [[scripts]]\nbody = 'hand'\nspace_spline = {{ control_points = [{points}] }}\nvelocity_spline = {{ points = [[0, 0], [1, 1]] }}\n\
             gaze = {{ ahead = 0.1 }}\n"
        )
    };
    let path = std::env::temp_dir().join(format!("drystone-cusp-{}.toml", std::process::id()));
    for (points, told) in
        [("[0, 0, 0], [1, 1, 0], [0, 1, 0], [1, 0, 0]", true), ("[0, 0, 0], [1, 1, 0], [2, 1, 0], [3, 0, 0]", false)]
    {
        std::fs::write(&path, scene(points)).unwrap();
        for command in ["check", "run"] {
            let out = drystone(&[command, path.to_str().unwrap()]);
            let said = String::from_utf8_lossy(&out.stderr).into_owned();
            assert!(out.status.success(), "{said}");
            assert_eq!(said.contains("has a cusp at"), told, "{command}: {said}");
        }
    }
    // a gaze needs something to look at: a point, or a distance ahead
    std::fs::write(&path, scene("[0, 0, 0], [1, 1, 0], [2, 1, 0], [3, 0, 0]").replace("ahead = 0.1", "up = [0, 0, 1]"))
        .unwrap();
    refused(&["check", path.to_str().unwrap()], &["gaze", "point or ahead"]);
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn friction_that_a_preset_has_not_is_told() {
    let said = |arguments: &[&str]| String::from_utf8(drystone(arguments).stderr).unwrap();
    let words = "friction is left out: constraint solver 'acceleration-program' has none";
    assert!(said(&["run", "slope-sticks", "--paradigm", "acceleration-lp", "--steps", "1"]).contains(words));
    // a preset with friction prints nothing, and neither does a scene written for a preset without it
    assert!(!said(&["run", "slope-sticks", "--paradigm", "acceleration-lcp", "--steps", "1"]).contains("left out"));
    assert!(!said(&["run", "analytic-tower", "--steps", "1"]).contains("left out"));
}

/// Checks before a run take time in proportion to the bodies, even if all of them lie on one spot. Pair by pair, 20 000 take over a minute.
#[test]
fn bodies_on_one_spot_are_checked_soon() {
    let folder = Folder::new("spot");
    for (name, shape, count) in [
        ("balls", "{ sphere = { radius = 1 } }", 20_000),
        ("boxes", "{ box = { half_extents = [1, 1, 1] } }", 20_000),
        ("cylinders", "{ cylinder = { radius = 1, half_height = 1 } }", 1_000),
    ] {
        let text = format!(
            "[scene]\nname = '{name}'\nduration = 0.1\n[[bodies]]\nname = 'b'\nmass = 1\nshape = {shape}\n\
             repeat = {{ count = [{count}, 1, 1], step = [0, 0, 0] }}\n"
        );
        let scene = folder.write(&format!("{name}.toml"), &text);
        let watch = std::time::Instant::now();
        let out = drystone(&["check", &scene]);
        let (said, took) = (String::from_utf8_lossy(&out.stdout), watch.elapsed());
        assert!(said.contains(&format!("{count} bodies")), "{said} {}", String::from_utf8_lossy(&out.stderr));
        assert!(took < std::time::Duration::from_secs(20), "{name}: {took:?}");
    }
}

/// A label keeps the digits of a value, lists are swept, two sweeps give a grid, and each swept setting has a column in the file.
#[test]
fn runs_of_a_sweep_are_told_apart() {
    let folder = Folder::new("sweep");
    let out = folder.0.join("out").display().to_string();
    let sweeps = ["materials.default.friction=0.1,1.1", "scene.gravity=[0,-9.81,0],[0, -1.6, 0]"];
    let done = drystone(&[
        "compare",
        "box-stack",
        "--paradigms",
        "real-time",
        "--duration",
        "0.05",
        "--out",
        &out,
        "--sweep",
        sweeps[0],
        "--sweep",
        sweeps[1],
    ]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let table = String::from_utf8_lossy(&done.stdout);
    let csv = std::fs::read_to_string(folder.0.join("out/figures.csv")).unwrap();
    assert_eq!((table.lines().count(), csv.lines().count()), (5, 5), "{table}");
    assert!(csv.lines().next().unwrap().ends_with(",materials.default.friction,scene.gravity"), "{csv}");
    for (friction, gravity) in
        [("0.1", "[0,-9.81,0]"), ("0.1", "[0, -1.6, 0]"), ("1.1", "[0,-9.81,0]"), ("1.1", "[0, -1.6, 0]")]
    {
        assert!(table.contains(&format!("friction={friction} gravity={gravity}")), "{table}");
        assert!(csv.contains(&format!(",{friction},\"{gravity}\"\n")), "{csv}");
    }
    assert!(table.contains("awake ms/step") && table.contains("time asleep"), "{table}");
    // read by no run: the facets of a friction disc; and a key that does not exist
    let compare = ["compare", "box-stack", "--paradigms", "velocity-lcp", "--duration", "0.05", "--sweep"];
    refused(
        &[&compare[..], &["simulation.constraint_solver.facets=4,8"]].concat(),
        &["--sweep", "facets", "nothing reads it"],
    );
    refused(&[&compare[..], &["simulation.lcp.magic=4,8"]].concat(), &["magic"]);
    refused(&[&compare[..], &["simulation.time_step"]].concat(), &["--sweep", "found no '='"]);
}
