//! The mechanisms of the multibody benchmark library against integrations that use no constraints. These integrations confirm the expected
//! values of the bundled scenes, and that errors fall with the square of the step under the preset `mechanism`.

use crate::reference;
use drystone_cli::{Overrides, bundled_scenes, load, simulate};
use drystone_scene::expect::Expectations;
use indicatif::ProgressBar;

/// The coordinates that a scene's expectations give for a body, in the order in which they are listed.
fn expected(scene: &str) -> Vec<f64> {
    let bundled = bundled_scenes();
    let scene = bundled.iter().find(|s| s.name == scene).expect("a bundled scene");
    let text = scene.expectations.expect("expectations");
    Expectations::from_toml_str(text).expect("well formed");
    text.lines().filter_map(|l| l.strip_prefix("near      = ")).map(|n| n.parse().expect("a number")).collect()
}

/// Where a body is at the end of a bundled scene, run with the given step and settings.
fn place(scene: &str, body: &str, dt: f64, set: &[&str]) -> [f64; 3] {
    let mut set: Vec<String> = set.iter().map(|s| (*s).to_owned()).collect();
    set.push(format!("simulation.time_step={dt}"));
    let overrides = Overrides { paradigm: Some("mechanism".to_owned()), set, ..Overrides::default() };
    let mut loaded = load(scene, &overrides).expect("a bundled scene");
    let figures = simulate(&mut loaded, None, 0, None, &ProgressBar::hidden()).expect("it runs").figures;
    let figures = serde_json::to_value(&figures).expect("figures");
    let bodies = figures["final"].as_array().expect("bodies");
    let found = bodies.iter().find(|b| b["name"] == body).expect("the body");
    [0, 1, 2].map(|i| found["position"][i].as_f64().expect("a number"))
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt()
}

fn agree(found: &[f64], wanted: &[f64]) {
    assert!(found.len() >= wanted.len());
    for (f, w) in found.iter().zip(wanted) {
        assert!((f - w).abs() < 2e-8, "{found:?} beside {wanted:?}");
    }
}

#[test]
fn expectations_are_those_of_the_references() {
    let pendulum = reference::pendulum(10.0, 20_000);
    agree(&expected("simple-pendulum"), &pendulum[..2]);
    let corner = reference::four_bars(2, 10.0, 20_000);
    agree(&expected("four-bar"), &[corner[0] + 0.5, corner[1]]);
    let (bars, lost) = reference::bricard(10.0, 4000);
    assert!(lost.abs() < 1e-9, "{lost:e}");
    agree(&expected("bricard"), &bars[2]);
    let [height, _, spin] = reference::governor(10.0, 500_000);
    agree(&expected("governor"), &[height, spin]);
    // the library prints 0.74 m after 0.5 s, and a period of 5.0 s
    assert!((reference::governor(0.5, 50_000)[0] - 0.74).abs() < 5e-3);
    let (back, _) = reference::bricard(5.0, 2000);
    assert!(distance(back[2], [0.5, -1.0, 1.0]) < 1e-3, "{back:?}");
}

/// Checks for order two: the second step is a quarter of the first, so its error should be about a sixteenth.
fn order_two(what: &str, [coarse, fine]: [f64; 2]) {
    assert!(coarse / fine > 12.0, "{what}: {coarse:e} and {fine:e} are not of order two");
}

#[test]
fn a_pendulum_is_of_order_two_down_to_small_steps() {
    let exact = reference::pendulum(10.0, 40_000);
    let steps = [2e-3, 5e-4];
    let errors = steps.map(|dt| distance(place("simple-pendulum", "m", dt, &[]), exact));
    order_two("simple-pendulum", errors);
    assert!(errors[1] < 2e-5, "{errors:?}");
}

#[test]
fn windows_with_hinges_that_hold_twice_are_of_order_two() {
    let corner = reference::four_bars(2, 10.0, 40_000);
    let middle = [corner[0] + 0.5, corner[1], 0.0];
    let whole = ["simulation.time_control={}", "simulation.lcp={}", "simulation.constraint_solver={}"];
    let errors = [1e-2, 2.5e-3].map(|dt| distance(place("four-bar", "across0", dt, &whole), middle));
    order_two("four-bar", errors);
    assert!(errors[1] < 2e-4, "{errors:?}");
}

#[test]
fn bricards_loop_with_its_redundant_row_is_of_order_two() {
    let (bars, _) = reference::bricard(10.0, 4000);
    let errors = [1e-2, 2.5e-3].map(|dt| distance(place("bricard", "rod3", dt, &[]), bars[2]));
    order_two("bricard", errors);
    assert!(errors[1] < 1e-3, "{errors:?}");
}

#[test]
fn the_stiff_governor_is_of_order_two() {
    let [height, ..] = reference::governor(10.0, 500_000);
    let errors = [1e-2, 2.5e-3].map(|dt| (place("governor", "slider", dt, &[])[1] - height).abs());
    order_two("governor", errors);
    assert!(errors[1] < 2e-4, "{errors:?}");
}
