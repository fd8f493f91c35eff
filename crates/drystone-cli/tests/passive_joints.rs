//! Scenes without motors, springs or restitution: joints and contacts may lose energy but must not add any.

use drystone_cli::{Overrides, load, simulate};
use indicatif::ProgressBar;

const SCENES: [&str; 6] =
    ["universal-and-distance", "slider-lands", "slider-spins", "distance-and-ball", "friction-wedge", "friction-jam"];
/// The largest allowed gain of energy, as a fraction of the initial energy.
const GAIN: f64 = 0.01;

#[test]
fn joints_of_fast_or_singular_bodies_give_no_energy_under_any_preset() {
    for scene in SCENES {
        let path = format!("{}/tests/passive/{scene}.json", env!("CARGO_MANIFEST_DIR"));
        for paradigm in ["real-time", "velocity-lcp", "load-propagation", "mechanism"] {
            let overrides = Overrides { paradigm: Some(paradigm.to_owned()), ..Overrides::default() };
            let mut loaded = load(&path, &overrides).unwrap();
            let done = simulate(&mut loaded, None, 0, None, &ProgressBar::hidden()).unwrap();
            let figures = serde_json::to_value(&done.figures).unwrap();
            let energy = |key: &str| figures["energy"][key].as_f64().unwrap();
            let gain = (energy("max") - energy("initial")) / energy("initial");
            assert!(gain < GAIN, "{scene} under {paradigm}: {gain:e}");
            assert!(figures["joint_error"]["max_linear"].as_f64().unwrap() < 1.0, "{scene} under {paradigm}");
        }
    }
}
