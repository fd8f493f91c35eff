use super::{release, same, step};
use drystone_core::{Kernel, LayerStep, Restore, Save, Scope, StepFailure};
use drystone_math::Real;

/// Largest part of its movement that a correction may repeat after another correction, as a fraction of the first
/// movement.
const LEFT: Real = 0.9;

/// The laws of the verbs that move bodies other than by a solve and a drift.
pub(super) fn check_moves(kernel: &mut dyn Kernel, h: Real, slack: Real) -> Result<(), StepFailure> {
    check_predict(kernel, h, slack)?;
    check_correct(kernel, slack)?;
    check_propagate(kernel, h)?;
    check_unseen(kernel, h);
    Ok(())
}

/// A prediction is a drift at the present velocities, which stay as they are.
fn check_predict(kernel: &mut dyn Kernel, h: Real, slack: Real) -> Result<(), StepFailure> {
    let start = kernel.save(Scope::All, Save::Contacts);
    kernel.predict(Scope::All, h)?;
    let ahead = kernel.save(Scope::All, Save::Motion);
    let moved = kernel.difference(start, ahead);
    assert!(moved.speed == 0.0, "a prediction changed velocities: {moved:?}");
    kernel.restore(Scope::All, start, Restore::All);
    kernel.drift(Scope::All, h)?;
    let drifted = kernel.save(Scope::All, Save::Motion);
    let apart = kernel.difference(ahead, drifted);
    assert!(apart.way <= slack, "a prediction is off a drift by {apart:?}");
    kernel.restore(Scope::All, start, Restore::All);
    release(kernel, [start, ahead, drifted]);
    Ok(())
}

/// The largest speed that a body's points are assumed to have from spin (m/s). A correction turns a body's spin together with the body, and so changes it by no more
/// than this per radian.
const SPIN: Real = 100.0;

/// A correction leaves velocities alone, except for spins that turn with their bodies, and leaves less for the next one to do.
fn check_correct(kernel: &mut dyn Kernel, slack: Real) -> Result<(), StepFailure> {
    let start = kernel.save(Scope::All, Save::Contacts);
    let mut states = vec![start];
    for _ in 0..2 {
        kernel.refresh(Scope::All, None);
        kernel.correct(Scope::All)?;
        states.push(kernel.save(Scope::All, Save::Motion));
    }
    let [first, second] = [0, 1].map(|k| kernel.difference(states[k], states[k + 1]));
    let kept = [first, second].iter().all(|by| by.speed <= SPIN * by.angle);
    assert!(kept, "a correction changed velocities: {first:?}, {second:?}");
    assert!(second.way <= LEFT * first.way + slack, "corrected by {first:?}, bodies are corrected by {second:?}");
    kernel.restore(Scope::All, start, Restore::All);
    release(kernel, states);
    Ok(())
}

/// Each body takes part in a drift of layers once; a solve of layers moves nothing; and bodies that touch nothing are stepped as without layers.
fn check_propagate(kernel: &mut dyn Kernel, h: Real) -> Result<(), StepFailure> {
    let start = kernel.save(Scope::All, Save::Contacts);
    let drift = LayerStep::Drift { h };
    let solve = LayerStep::Solve { h, horizon: h };

    kernel.propagate(Scope::All, &[drift])?;
    let by_layers = kernel.save(Scope::All, Save::Motion);
    kernel.restore(Scope::All, start, Restore::All);
    kernel.drift(Scope::All, h)?;
    let at_once = kernel.save(Scope::All, Save::Motion);
    same(kernel, by_layers, at_once, "a drift by layers is not the drift of all");

    kernel.restore(Scope::All, start, Restore::All);
    kernel.propagate(Scope::All, &[LayerStep::Refresh, solve])?;
    let solved = kernel.save(Scope::All, Save::Motion);
    let moved = kernel.difference(start, solved);
    assert!(moved.way == 0.0, "a solve by layers moved bodies: {moved:?}");

    kernel.restore(Scope::All, start, Restore::All);
    kernel.propagate(Scope::Free, &[solve, drift])?;
    let flown = kernel.save(Scope::Free, Save::Motion);
    kernel.restore(Scope::All, start, Restore::All);
    step(kernel, Scope::Free, h)?;
    let stepped = kernel.save(Scope::Free, Save::Motion);
    same(kernel, flown, stepped, "what touches nothing goes another way where there are layers");
    kernel.restore(Scope::All, start, Restore::All);
    release(kernel, [start, by_layers, at_once, solved, flown, stepped]);
    Ok(())
}

/// In zero time nothing passes unseen, and what is unseen over a step is unseen over a longer one.
fn check_unseen(kernel: &dyn Kernel, h: Real) {
    assert!(!kernel.is_unseen(0.0), "something moves without being seen in no time");
    let [short, long] = [h, 4.0 * h].map(|h| kernel.is_unseen(h));
    assert!(long || !short, "what moves unseen in {h} s is seen in a longer time");
    assert!(!kernel.went_in(0.0), "something goes in in no time");
    let [short, long] = [h, 4.0 * h].map(|h| kernel.went_in(h));
    assert!(long || !short, "what goes in in {h} s does not in a longer time");
}
