use crate::{FakeKernel, Verb};
use core::mem::{Discriminant, discriminant};
use drystone_core::{Kernel, LayerStep, TimeControl};
use drystone_math::Real;

/// The contract of [`TimeControl`], checked with a [`FakeKernel`]. On success the clock has advanced by exactly `dt`, and so have the poses and velocities of every
/// group and of the free bodies; no verb gets a negative step; each frame detects. An impact within the frame does not keep it from ending. A verb that fails ends
/// the frame with its failure, whichever verb it is. If frames are said to repeat, each consists of the same verbs.
///
/// # Panics
/// If the time control violates its contract.
pub fn check_time_control(make: &mut dyn FnMut() -> Box<dyn TimeControl>) {
    let mut course = None;
    for dt in [0.01, 1.0 / 60.0, 0.1] {
        for t0 in [0.0, 1.0 / 3.0, 1e4] {
            for impact in [None, Some(0.37), Some(0.9)] {
                let mut control = make();
                let what = format!("{}: t = {t0}, dt = {dt}, impact at {impact:?}", control.name());
                let mut kernel = FakeKernel::new(t0);
                kernel.impact_at = impact.map(|part| t0 + part * dt);
                for frame in 0..3 {
                    let start = t0 + dt * Real::from(frame);
                    kernel.set_time(start);
                    kernel.verbs.clear();
                    let result = control.advance(&mut kernel, dt);
                    assert!(result.is_ok(), "{what}: {result:?}");
                    let end = kernel.time();
                    assert_eq!(end, start + dt, "{what}: the clock has not moved by exactly dt");
                    let far = 1e-12 * (1.0 + t0) + 1e-9 * dt;
                    for t in kernel.poses() {
                        assert!((t - end).abs() <= far, "{what}: poses have come to {t} instead of {end}");
                    }
                    for t in kernel.velocities() {
                        assert!((t - end).abs() <= far, "{what}: velocities have come to {t} instead of {end}");
                    }
                    check_steps(&kernel.verbs, &what);
                    if control.repeats() {
                        check_repeats(&kernel.verbs, &mut course, &what);
                    }
                }
            }
        }
    }
    check_failures(make);
}

/// Checks that a frame consists of the same verbs as the first one.
fn check_repeats(verbs: &[Verb], course: &mut Option<Vec<Discriminant<Verb>>>, what: &str) {
    let kinds: Vec<_> = verbs.iter().map(discriminant).collect();
    let first = course.get_or_insert_with(|| kinds.clone());
    assert_eq!(*first, kinds, "{what}: says that frames repeat, and asks for other verbs: {verbs:?}");
}

fn check_steps(verbs: &[Verb], what: &str) {
    let mut detections = 0;
    for verb in verbs {
        let steps: Vec<Real> = match verb {
            Verb::Predict(_, h)
            | Verb::ApplyForces(_, h)
            | Verb::Drift(_, h)
            | Verb::Rate(_, _, h)
            | Verb::Stagger(h)
            | Verb::Synchronize(h) => vec![*h],
            Verb::Solve(_, h, horizon) | Verb::SolveAgain(_, h, horizon, _) | Verb::SolveCarried(_, h, horizon) => {
                vec![*h, *horizon]
            }
            Verb::Resolve(_, horizon) => vec![*horizon],
            Verb::Propagate(_, steps) => steps
                .iter()
                .filter_map(|s| match s {
                    LayerStep::Solve { h, .. } | LayerStep::Drift { h } => Some(*h),
                    LayerStep::Script { .. } | LayerStep::Refresh | LayerStep::Correct => None,
                })
                .collect(),
            Verb::Detect(_, mode) => vec![mode.look_ahead],
            _ => Vec::new(),
        };
        detections += usize::from(matches!(verb, Verb::Detect(..)));
        assert!(steps.iter().all(|h| *h >= 0.0 && h.is_finite()), "{what}: a step of {steps:?} in {verb:?}");
    }
    assert!(detections > 0, "{what}: no detection in the frame");
}

/// Every verb that can fail does so once, and the time control must pass the failure on at once.
fn check_failures(make: &mut dyn FnMut() -> Box<dyn TimeControl>) {
    let fallible = |v: &Verb| {
        !matches!(
            v,
            Verb::SetTime(_)
                | Verb::Save(..)
                | Verb::Restore(..)
                | Verb::Refresh(_)
                | Verb::RewindGaps(..)
                | Verb::Join(..)
                | Verb::VelocitiesFrom(_)
                | Verb::TurnSpins(..)
                | Verb::Stagger(_)
                | Verb::Synchronize(_)
        )
    };
    let mut healthy = FakeKernel::new(0.0);
    assert!(make().advance(&mut healthy, 0.01).is_ok());
    for (k, verb) in healthy.verbs.iter().enumerate().filter(|(_, v)| fallible(v)).take(50) {
        let mut kernel = FakeKernel::new(0.0);
        kernel.fail_at = Some(k);
        let mut control = make();
        assert!(control.advance(&mut kernel, 0.01).is_err(), "{}: ignores that {verb:?} failed", control.name());
        let later = kernel.verbs[k + 1..].iter().any(fallible);
        assert!(!later, "{}: goes on after {verb:?} failed", control.name());
    }
}
