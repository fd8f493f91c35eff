//! What collision detection must not know of: masses, forces, impulses, and the world.

use std::fs;
use std::path::{Path, PathBuf};

/// The crates of collision detection, and which of their files may speak of velocities: those that sweep a motion.
const DETECTION: &[(&str, &[&str])] = &[
    ("drystone-broad-phase", &["swept_volume.rs"]),
    ("drystone-narrow-phase", &["swept.rs", "dynamic.rs"]),
    ("drystone-contact", &[]),
];

/// Words of the equations of motion.
const DYNAMICS: &[&str] =
    &["inverse_mass", "inverse_inertia", "BodyProperties", "Wrench", "Configuration", "GroupProblem", "ForceField"];
/// Words of motion.
const MOTION: &[&str] = &["Twist", ".velocity"];

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// The words of a list that occur in the code of a file, comments left out.
fn words<'a>(path: &Path, list: &[&'a str]) -> Vec<&'a str> {
    let text = fs::read_to_string(path).unwrap();
    let code = || text.lines().filter_map(|l| l.split("//").next());
    list.iter().copied().filter(|w| code().any(|l| l.contains(w))).collect()
}

#[test]
fn collision_detection_knows_no_dynamics() {
    for (name, sweeping) in DETECTION {
        let folder = crates().join(name);
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let needed = manifest.split("[dev-dependencies]").next().unwrap();
        for other in ["motion", "dynamics", "impact", "joints", "time-control", "lcp"] {
            assert!(!needed.contains(&format!("drystone-{other}")), "{name} depends on {other}");
        }
        let mut files = Vec::new();
        sources(&folder.join("src"), &mut files);
        assert!(files.len() > 5, "{name}: {files:?}");
        for file in files {
            assert_eq!(words(&file, DYNAMICS), Vec::<&str>::new(), "{}", file.display());
            let sweeps = sweeping.iter().any(|s| file.ends_with(s));
            assert!(sweeps || words(&file, MOTION).is_empty(), "{}: {:?}", file.display(), words(&file, MOTION));
        }
    }
    // the control: code of dynamics does use these words
    let mut files = Vec::new();
    sources(&crates().join("drystone-dynamics/src"), &mut files);
    assert!(files.iter().filter(|f| !words(f, DYNAMICS).is_empty()).count() > 10);
}
