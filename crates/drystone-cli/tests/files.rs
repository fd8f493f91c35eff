//! Files that a run writes: whole or not at all, whatever ends the run.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;
use tempfile::TempDir;

const OLD: &str = "what was there before";
/// Options of outputs, and the files that they write.
const OUTPUTS: [(&str, &str); 6] = [
    ("--frames", "frames.jsonl"),
    ("--gltf", "run.gltf"),
    ("--plot", "run.svg"),
    ("--png", "end.png"),
    ("--save", "end.json"),
    ("--save-world", "end.toml"),
];

fn binary() -> Command {
    Command::new(env!("CARGO_BIN_EXE_drystone"))
}

fn drystone(arguments: &[&str]) -> Output {
    binary().args(arguments).output().unwrap()
}

fn said(out: &Output) -> String {
    String::from_utf8_lossy(&out.stderr).into_owned()
}

/// A folder in which all outputs exist from before.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (_, name) in OUTPUTS {
        std::fs::write(folder.path().join(name), OLD).unwrap();
    }
    folder
}

/// A run with all outputs in a folder.
fn run_into(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = binary();
    command.arg("run").args(arguments);
    for (option, name) in OUTPUTS {
        command.arg(option).arg(folder.join(name));
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A column that sways for a thousand seconds: some ten seconds of work.
fn long_run(folder: &Path) -> Child {
    run_into(folder, &["box-stack", "--paradigm", "velocity-lcp", "--duration", "1000", "--json"]).spawn().unwrap()
}

fn read(folder: &Path, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(name)).unwrap()
}

/// Checks that an output is whole, and not the one from before; the number of frames.
fn whole(folder: &Path) -> usize {
    let frames = String::from_utf8(read(folder, "frames.jsonl")).unwrap();
    assert!(frames.ends_with('\n'));
    let parsed = frames.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let count = parsed.filter(|frame| frame["time"].is_number()).count();
    let gltf: Value = serde_json::from_slice(&read(folder, "run.gltf")).unwrap();
    assert!(gltf["animations"].is_array());
    assert!(read(folder, "run.svg").ends_with(b"</svg>\n"));
    let save: Value = serde_json::from_slice(&read(folder, "end.json")).unwrap();
    assert!(save.is_object());
    assert!(String::from_utf8(read(folder, "end.toml")).unwrap().contains("[resume]\nsnapshot = "));
    let picture = png::Decoder::new(std::io::Cursor::new(read(folder, "end.png")));
    let mut picture = picture.read_info().unwrap();
    let mut pixels = vec![0; picture.output_buffer_size().unwrap()];
    picture.next_frame(&mut pixels).unwrap();
    count
}

fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// A killed run leaves every file as it was.
#[test]
fn a_run_that_is_killed_at_any_time_loses_no_file() {
    let mut state = 54;
    for _ in 0..10 {
        let folder = folder();
        let mut child = long_run(folder.path());
        std::thread::sleep(Duration::from_millis(random(&mut state) % 400));
        child.kill().unwrap();
        child.wait().unwrap();
        for (_, name) in OUTPUTS {
            assert_eq!(read(folder.path(), name), OLD.as_bytes(), "{name}");
        }
    }
    // the control: a run that is let be replaces all of them
    let folder = folder();
    assert!(run_into(folder.path(), &["box-stack", "--steps", "20"]).status().unwrap().success());
    assert!(whole(folder.path()) > 5);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), OUTPUTS.len(), "nothing is left beside them");
}

/// One signal: everything is written, and the saved state goes on to the bits of the run without a pause.
#[cfg(unix)]
#[test]
fn a_signal_ends_a_run_after_its_step_and_all_files_are_written() {
    for (signal, status) in [("-INT", 130), ("-TERM", 143)] {
        let folder = folder();
        let child = long_run(folder.path());
        std::thread::sleep(Duration::from_millis(600));
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        let out = child.wait_with_output().unwrap();
        assert_eq!(out.status.code(), Some(status), "{}", said(&out));
        let figures: Value = serde_json::from_slice(&out.stdout).unwrap();
        let (steps, time) = (figures["steps"].as_u64().unwrap(), figures["time"].as_f64().unwrap());
        assert!(steps > 0 && steps < 100_000, "{steps}");
        assert!(said(&out).contains(&format!("t = {time} s, after {steps} steps")), "{}", said(&out));
        assert!(whole(folder.path()) > 1);
        let hash = |arguments: &[&str]| {
            let all = [&["run", "box-stack", "--paradigm", "velocity-lcp", "--json"], arguments].concat();
            let figures: Value = serde_json::from_slice(&drystone(&all).stdout).unwrap();
            figures["state_hash"].as_str().unwrap().to_owned()
        };
        let (save, further) = (folder.path().join("end.json").display().to_string(), (steps + 50).to_string());
        let whole = hash(&["--steps", &further]);
        assert_eq!(hash(&["--resume", &save, "--steps", &further]), whole);
        let world = folder.path().join("end.toml").display().to_string();
        let figures = drystone(&["run", &world, "--steps", &further, "--json"]).stdout;
        let figures: Value = serde_json::from_slice(&figures).unwrap();
        assert_eq!(figures["state_hash"], whole);
    }
}

/// A second signal does not wait.
#[cfg(unix)]
#[test]
fn a_second_signal_ends_a_run_at_once() {
    let folder = folder();
    // one step of this takes many seconds
    let scene = folder.path().join("slow.toml");
    let slow = "[scene]\nname = 'slow'\nduration = 1000.0\n[simulation]\nparadigm = 'velocity-lcp'\n[simulation.lcp]\niterations = 1000000\n\
                tolerance = 0.0\n[[bodies]]\nname = 'ground'\nkind = 'fixed'\nshape = { plane = { normal = [0, 1, 0], offset = 0.0 } }\n\
                [[bodies]]\nname = 'box'\nshape = { box = { half_extents = [0.5, 0.5, 0.5] } }\nposition = [0, 0.499, 0]\nmass = 1\n\
                repeat = { count = [1, 30, 1], step = [0, 0.999, 0] }\n";
    std::fs::write(&scene, slow).unwrap();
    let mut child = run_into(folder.path(), &[&scene.display().to_string()]).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let kill = |pid: u32| Command::new("kill").args(["-INT", &pid.to_string()]).status().unwrap();
    kill(child.id());
    std::thread::sleep(Duration::from_millis(300));
    if child.try_wait().unwrap().is_none() {
        kill(child.id());
        std::thread::sleep(Duration::from_millis(200));
    }
    let ended = child.try_wait().unwrap();
    if ended.is_none() {
        child.kill().unwrap();
    }
    assert_eq!(ended.and_then(|status| status.code()), Some(130));
}

/// What shows the motion is written as far as it came. The state at a failure is not saved, and no picture made of it.
#[test]
fn a_run_that_fails_writes_its_motion_and_keeps_the_former_state() {
    let folder = folder();
    // what nothing holds falls through the floor
    let nothing = ["simulation.lcp.iterations=0", "simulation.constraint_solver.correction_iterations=0"];
    let run = ["box-stack", "--paradigm", "velocity-lcp", "--duration", "10", "--set", nothing[0], "--set", nothing[1]];
    let out = run_into(folder.path(), &run).output().unwrap();
    assert_eq!(out.status.code(), Some(1), "{}", said(&out));
    let frames = String::from_utf8(read(folder.path(), "frames.jsonl")).unwrap();
    assert!(frames.starts_with("{\"time\":0") && frames.ends_with('\n') && frames.lines().count() > 5);
    assert!(serde_json::from_slice::<Value>(&read(folder.path(), "run.gltf")).unwrap()["animations"].is_array());
    assert_ne!(read(folder.path(), "run.svg"), OLD.as_bytes());
    for name in ["end.json", "end.toml", "end.png"] {
        assert_eq!(read(folder.path(), name), OLD.as_bytes(), "{name}");
    }
}

/// A limit on the size of files stands for a full disk: what does not fit leaves the old file, and what fits is written.
#[cfg(unix)]
#[test]
fn a_file_that_does_not_fit_leaves_the_old_one() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let script = format!(
        "trap '' XFSZ; ulimit -f 16; exec {} run box-stack --steps 40 --frames {} --plot {} --save {}",
        env!("CARGO_BIN_EXE_drystone"),
        path("run.gltf"),
        path("run.svg"),
        path("end.json")
    );
    let out = Command::new("sh").args(["-c", &script]).output().unwrap();
    assert_eq!(out.status.code(), Some(2), "{}", said(&out));
    assert!(said(&out).contains("run.gltf: cannot be written"), "{}", said(&out));
    assert_eq!(read(folder.path(), "run.gltf"), OLD.as_bytes());
    assert!(read(folder.path(), "run.svg").ends_with(b"</svg>\n"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), OUTPUTS.len(), "nothing is left beside them");
}

#[test]
fn outputs_that_are_one_file_and_an_output_that_is_the_scene_are_refused() {
    let folder = folder();
    let ball = r#"{"scene": {"name": "b", "duration": 0.05}, "bodies": [{"name": "a", "shape": {"sphere": {"radius": 1}}, "mass": 2}]}"#;
    let scene = folder.path().join("ball.json");
    std::fs::write(&scene, ball).unwrap();
    std::fs::create_dir(folder.path().join("below")).unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let scene = scene.display().to_string();
    let refused = |arguments: &[&str], words: [&str; 2]| {
        let out = drystone(&[&["run", &scene], arguments].concat());
        assert_eq!(out.status.code(), Some(2), "{}", said(&out));
        assert!(words.iter().all(|word| said(&out).contains(word)), "{}", said(&out));
    };
    refused(&["--frames", &path("new"), "--gltf", &path("below/../new")], ["--frames", "--gltf"]);
    refused(&["--save", &path("below/../ball.json")], ["--save", "SCENE"]);
    assert_eq!(std::fs::read_to_string(&scene).unwrap(), ball);
    assert!(!PathBuf::from(path("new")).exists());
    // the controls: files of their own; a snapshot that is read and then replaced; a device, which holds nothing
    let save = path("end.json");
    assert!(drystone(&["run", &scene, "--save", &save, "--frames", &path("new")]).status.success());
    assert!(drystone(&["run", &scene, "--duration", "0.1", "--resume", &save, "--save", &save]).status.success());
    #[cfg(unix)]
    assert!(drystone(&["run", &scene, "--frames", "/dev/null", "--plot", "/dev/null"]).status.success());
}

/// Standard output stays what it is where an output is sent there, even if it leads to a file.
#[cfg(unix)]
#[test]
fn an_output_on_standard_output_does_not_replace_its_file() {
    let folder = folder();
    let out = folder.path().join("end.png").display().to_string();
    let run = format!("{} run box-stack --steps 5 --json --plot /dev/stdout >> {out}", env!("CARGO_BIN_EXE_drystone"));
    assert!(Command::new("sh").args(["-c", &run]).status().unwrap().success());
    let text = String::from_utf8(read(folder.path(), "end.png")).unwrap();
    assert!(text.contains("\"state_hash\""), "{text}");
}

/// `--steps` and `--duration` both count from the start of the scene, so either ends a resumed run where it ends one without a pause.
#[test]
fn steps_and_duration_count_alike_from_the_start_of_the_scene() {
    let folder = folder();
    let save = folder.path().join("end.json").display().to_string();
    let figures = |arguments: &[&str]| {
        let out = drystone(&[&["run", "simple-pendulum", "--json"], arguments].concat());
        assert!(out.status.success(), "{}", said(&out));
        (serde_json::from_slice::<Value>(&out.stdout).unwrap(), said(&out))
    };
    let (half, _) = figures(&["--steps", "20", "--save", &save]);
    let h = half["time"].as_f64().unwrap() / 20.0;
    let (whole, _) = figures(&["--steps", "50"]);
    let duration = (50.0 * h).to_string();
    for end in [["--steps", "50"], ["--duration", &duration]] {
        let (rest, _) = figures(&[&["--resume", &save], &end[..]].concat());
        assert_eq!((&rest["state_hash"], rest["steps"].as_u64()), (&whole["state_hash"], Some(30)), "{end:?}");
    }
    let duration = (20.0 * h).to_string();
    for end in [["--steps", "20"], ["--steps", "7"], ["--duration", &duration]] {
        let (rest, told) = figures(&[&["--resume", &save], &end[..]].concat());
        assert_eq!((&rest["state_hash"], rest["steps"].as_u64()), (&half["state_hash"], Some(0)), "{end:?}");
        assert!(told.contains("count from the start of the scene"), "{told}");
    }
}
