//! The lengths of time that time controls pass to the kernel, in frames that do not start at zero, and what their reports count.

use drystone_core::catalogue::{Settings, Value};
use drystone_core::{Save, Scope, TimeControl};
use drystone_testkit::{FakeKernel, Verb};
use drystone_time_control::{IMPLEMENTATIONS, Impulse, Timewarp, by_name};

const START: f64 = 2.0;
const DT: f64 = 0.1;

fn control(name: &str) -> Box<dyn TimeControl> {
    let description = IMPLEMENTATIONS.iter().find(|d| d.name == name).unwrap();
    by_name(name, &Settings::defaults(description)).unwrap()
}

/// Everything that a control asks of the kernel in one frame.
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

/// Domains are formed by pairs closer than the tolerance at the end of their paths: the detection before must have found all of these.
#[test]
fn timewarp_asks_for_pairs_as_far_apart_as_may_make_a_domain() {
    let description = IMPLEMENTATIONS.iter().find(|d| d.name == "timewarp").unwrap();
    for tolerance in [1e-4, 0.03] {
        let mut settings = Settings::defaults(description);
        settings.set("tolerance", &Value::Real(tolerance)).unwrap();
        let mut kernel = FakeKernel::new(START);
        by_name("timewarp", &settings).unwrap().advance(&mut kernel, DT).unwrap();
        let Some(Verb::Detect(Scope::All, mode)) = kernel.verbs.iter().find(|v| matches!(v, Verb::Detect(..))) else {
            panic!("{:?}", kernel.verbs)
        };
        assert!(mode.look_ahead >= DT && mode.envelope.is_some_and(|e| e >= tolerance), "{tolerance}: {mode:?}");
    }
}

/// Bodies farther apart than their paths and the tolerance together cannot meet, so they form no domain.
#[test]
fn timewarp_joins_what_can_meet_within_the_frame() {
    let tolerance = Timewarp::default().backtracking.tolerance;
    for (ways, off, joined) in [(0.0, 0.5, true), (0.0, 1.5, false), (0.3, 0.9, true), (0.3, 1.1, false)] {
        let mut kernel = FakeKernel::new(START);
        // a distance of the paths plus this many tolerances
        (kernel.impact_at, kernel.ways) = (Some(START + ways + off * tolerance), ways);
        Timewarp::default().advance(&mut kernel, 0.1 * tolerance).unwrap();
        let joins = kernel.verbs.iter().any(|v| matches!(v, Verb::Join(..)));
        assert_eq!(joins, joined, "{ways} m and {off} tolerances");
    }
}

/// If the impulses of a pair do not come to an end, the next looks at it wait p, 2 p, 4 p,
/// ...: k of them take (2^k - 1) p, in a frame that is `checks` p long.
#[test]
fn looks_at_a_pair_without_end_wait_twice_as_long_each_time() {
    const CHECKS: u32 = 1000;
    let mut control = Impulse::default();
    control.parameters.checks = CHECKS;
    let mut kernel = FakeKernel::new(START);
    // at the wall from the start, and near it all the time
    (kernel.impact_at, kernel.touch, kernel.endless) = (Some(START), 10.0 * DT, true);
    let report = control.advance(&mut kernel, DT).unwrap();
    assert!(report.resolve.truncated);
    let resolved = kernel.verbs.iter().filter(|v| matches!(v, Verb::Resolve(..))).count();
    // one at the start and one after each wait; a wait is at least the pause, and doubles after an impulse that did not end
    let waits = f64::from(CHECKS + 1).log2();
    assert!((resolved as f64 - waits).abs() <= 2.0, "{resolved} looks, {waits} waits");
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

/// only adopted states are corrected, once each; never a state on the way to a collision, which may be taken back.
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
            // a step starts with contacts at the adopted state
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
