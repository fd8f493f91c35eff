//! Recorded frames: their figures belong to the positions in the same frame, and recording does not change the motion.

use drystone::World;
use drystone_cli::{FrameSink, Loaded, Overrides, bundled_scenes, load, simulate};
use drystone_scene::figures::{Figures, FrameLine};
use drystone_testkit::Random;
use indicatif::ProgressBar;

/// Steps simulated of each scene.
const STEPS: u64 = 12;

fn run(loaded: &mut Loaded, steps: Option<u64>, sink: Option<&mut FrameSink<'_>>) -> Figures {
    simulate(loaded, steps, 0, sink, &ProgressBar::hidden()).unwrap().figures
}

#[test]
fn the_bits_of_a_run_are_those_of_the_same_run_with_its_frames() {
    let mut runs = 0;
    for scene in bundled_scenes() {
        for paradigm in ["real-time", "velocity-lcp"] {
            // one frame per step
            let overrides = Overrides {
                paradigm: Some(paradigm.to_owned()),
                set: vec!["scene.frame=1e-6".to_owned()],
                ..Overrides::default()
            };
            let Ok(mut alone) = load(scene.name, &overrides) else { continue };
            let mut recorded = load(scene.name, &overrides).unwrap();
            let mut count = 0;
            let mut sink = |_: &FrameLine, _: &World| {
                count += 1;
                Ok(())
            };
            let with = simulate(&mut recorded, Some(STEPS), 0, Some(&mut sink), &ProgressBar::hidden());
            let without = simulate(&mut alone, Some(STEPS), 0, None, &ProgressBar::hidden());
            let (Ok(with), Ok(without)) = (with, without) else { continue };
            assert_eq!(count, STEPS + 1, "{}", scene.name);
            let [with, without] = [with, without].map(|done| done.figures);
            assert_eq!(with.state_hash, without.state_hash, "{} under {paradigm}", scene.name);
            assert_eq!(with.events, without.events, "{} under {paradigm}", scene.name);
            assert_eq!(with.contacts, without.contacts, "{} under {paradigm}", scene.name);
            runs += 1;
        }
    }
    assert!(runs > 100, "{runs} runs");
}

/// A ball that falls into the ground, because contacts are not predicted: the depth of each frame, including
/// the first, must equal the one given by its height, and the figures must include it.
#[test]
fn how_deep_bodies_are_is_that_of_where_they_are() {
    const RADIUS: f64 = 0.1;
    let folder = std::env::temp_dir().join(format!("drystone-frames-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("ball.json");
    for height in [0.095, 0.2] {
        let scene = serde_json::json!({
            "scene": {"name": "ball", "duration": 0.3, "frame": 0.01},
            "simulation": {"paradigm": "velocity-lcp", "time_step": 0.01, "time_control": {"kind": "fixed", "predictive": false}},
            "bodies": [
                {"name": "ground", "kind": "fixed", "shape": {"plane": {"normal": [0, 1, 0], "offset": 0}}},
                {"name": "ball", "shape": {"sphere": {"radius": RADIUS}}, "mass": 1, "position": [0, height, 0], "linear_velocity": [0, -5, 0]},
            ],
        });
        std::fs::write(&file, scene.to_string()).unwrap();
        let mut loaded = load(file.to_str().unwrap(), &Overrides::default()).unwrap();
        let mut depths = Vec::new();
        let mut sink = |frame: &FrameLine, _: &World| {
            depths.push((frame.penetration, (RADIUS - frame.bodies[1][1]).max(0.0)));
            Ok(())
        };
        let figures = run(&mut loaded, None, Some(&mut sink));
        for (k, (said, is)) in depths.iter().enumerate() {
            assert!((said - is).abs() < 1e-12, "frame {k} from {height} m: {said} m where it is {is} m deep");
        }
        let deepest = depths.iter().map(|d| d.0).fold(0.0, f64::max);
        assert!(deepest > 4e-3, "from {height} m: {deepest} m");
        assert!(figures.penetration.max >= deepest, "from {height} m: {} m", figures.penetration.max);
        // the control: the depths of neighbouring frames differ, so a frame that reported its neighbour's would be seen
        assert!(depths.windows(2).any(|d| (d[1].0 - d[0].1).abs() > 1e-3), "from {height} m: nothing moves");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A block at rest: the impulses of its contacts bear its weight over the step, and friction holds it on a slope.
#[test]
fn impulses_of_contacts_bear_the_weight() {
    use drystone_scene::figures::ContactLine;
    let folder = std::env::temp_dir().join(format!("drystone-contacts-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("block.json");
    let mut random = drystone_testkit::Random::new(21);
    for paradigm in ["real-time", "velocity-lcp", "mechanism"] {
        for _ in 0..5 {
            let (tilt, mass) = (random.range(0.0, 0.3_f64), random.range(0.5, 20.0));
            let (s, c) = tilt.sin_cos();
            let h = 1.0 / 60.0;
            let scene = serde_json::json!({
                "scene": {"name": "block", "duration": 0.5, "frame": h},
                "materials": {"default": {"friction": 0.6, "restitution": 0.0, "density": 1.0}},
                "simulation": {"paradigm": paradigm, "time_step": h},
                "bodies": [
                    {"name": "ground", "kind": "fixed", "shape": {"plane": {"normal": [s, c, 0], "offset": 0}}},
                    {"name": "block", "mass": mass, "shape": {"box": {"half_extents": [0.2, 0.1, 0.3]}},
                     "position": [0.1 * s, 0.1 * c, 0], "orientation": {"axis": [0, 0, -1], "degrees": tilt.to_degrees()}},
                ],
            });
            std::fs::write(&file, scene.to_string()).unwrap();
            let mut loaded = load(file.to_str().unwrap(), &Overrides::default()).unwrap();
            let mut last = Vec::new();
            let mut sink = |_: &FrameLine, world: &World| {
                last = ContactLine::of_state(world.configuration(), world.state(), world.graph());
                Ok(())
            };
            run(&mut loaded, None, Some(&mut sink));
            let sum = |k: usize| last.iter().map(|line| line.impulse[k]).sum::<f64>();
            assert!(last.len() >= 3 && last.iter().all(|line| line.bodies == [0, 1]), "{last:?}");
            assert!(
                (sum(1) / (mass * 9.81 * h) - 1.0).abs() < 0.02 && sum(0).abs() < 0.02 * mass * 9.81 * h,
                "{last:?}"
            );
        }
    }
    std::fs::remove_dir_all(&folder).ok();
}

/// Frames are evenly spaced whatever the step, and as near to the time asked for as whole steps allow.
#[test]
fn frames_are_evenly_spaced() {
    let mut random = Random::new(59);
    for _ in 0..40 {
        let (step, frame) = (random.range(0.002, 0.05), random.range(0.004, 0.06));
        let set = [format!("simulation.time_step={step}"), format!("scene.frame={frame}")];
        let mut loaded = load("two-balls", &Overrides { set: set.to_vec(), ..Overrides::default() }).unwrap();
        let mut times = Vec::new();
        let mut sink = |line: &FrameLine, _: &World| {
            times.push(line.time);
            Ok(())
        };
        run(&mut loaded, Some(60), Some(&mut sink));
        let between: Vec<f64> = times.windows(2).map(|w| w[1] - w[0]).collect();
        assert!(!between.is_empty());
        for gap in &between {
            assert!((gap - between[0]).abs() < 1e-9, "{step} {frame}: {times:?}");
            assert!((gap - frame).abs() <= (0.5 * step).max(step - frame) + 1e-9, "{step} {frame}: {gap}");
        }
    }
}
