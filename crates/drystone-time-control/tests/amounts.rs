//! How long the stretches are that time controls tell the kernel of, in frames that do not begin at zero, and what their reports count.

use drystone_core::catalogue::Settings;
use drystone_core::{Save, TimeControl};
use drystone_testkit::{FakeKernel, Verb};
use drystone_time_control::{IMPLEMENTATIONS, by_name};

const START: f64 = 2.0;
const DT: f64 = 0.1;

fn control(name: &str) -> Box<dyn TimeControl> {
    let description = IMPLEMENTATIONS.iter().find(|d| d.name == name).unwrap();
    by_name(name, &Settings::defaults(description)).unwrap()
}

/// What a control tells a kernel in one frame.
fn told(name: &str) -> (FakeKernel, u64) {
    let mut kernel = FakeKernel::new(START);
    let report = control(name).advance(&mut kernel, DT).unwrap();
    (kernel, report.sub_steps)
}

#[test]
fn collisions_are_resolved_within_what_is_left_of_the_frame() {
    for name in ["retroactive", "timewarp"] {
        let (kernel, _) = told(name);
        let horizons: Vec<f64> =
            kernel.verbs.iter().filter_map(|v| if let Verb::Resolve(_, h) = v { Some(*h) } else { None }).collect();
        assert!(!horizons.is_empty(), "{name}");
        assert!(horizons.iter().all(|h| (h - DT).abs() < 1e-12), "{name}: {horizons:?}");
    }
}

#[test]
fn impulses_look_ahead_to_the_end_of_the_frame_and_a_little_further() {
    let (kernel, _) = told("impulse");
    let looks: Vec<f64> = kernel
        .verbs
        .iter()
        .filter_map(|v| if let Verb::Detect(_, m) = v { Some(m.look_ahead) } else { None })
        .collect();
    assert!(!looks.is_empty() && looks.iter().all(|l| (DT..=2.5 * DT).contains(l)), "{looks:?}");
}

#[test]
fn each_step_is_counted_once() {
    for name in ["fixed", "semi-implicit", "leapfrog", "explicit-euler", "impulse-split"] {
        assert_eq!(told(name).1, 1, "{name}");
    }
}

#[test]
fn forces_that_drive_accelerations_need_a_collision_solver_too() {
    let needs = control("event-driven").needs();
    assert!(needs.impact && needs.acceleration, "{needs:?}");
}

/// what is corrected is a state that was adopted, once each; never one on the way to a collision, which may be taken back.
#[test]
fn errors_are_corrected_in_adopted_states_alone() {
    let description = IMPLEMENTATIONS.iter().find(|d| d.name == "event-driven").unwrap();
    let mut control = by_name(description.name, &Settings::defaults(description)).unwrap();
    let mut kernel = FakeKernel::new(START);
    kernel.impact_at = Some(START + 0.4 * DT);
    let report = control.advance(&mut kernel, DT).unwrap();
    assert!(report.rollbacks > 0 && report.sub_steps > 1, "{report:?}");
    let (mut proposed, mut corrections) = (false, 0);
    for verb in &kernel.verbs {
        match verb {
            Verb::Save(_, Save::Contacts) => proposed = true,
            // a step begins with contacts at the state that was adopted
            Verb::Detect(_, mode) if !mode.proximity_only => proposed = false,
            Verb::Correct(_) => {
                assert!(!proposed, "{:?}", kernel.verbs);
                corrections += 1;
            }
            _ => {}
        }
    }
    assert_eq!(corrections, report.sub_steps);
}
