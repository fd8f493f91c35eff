//! One frame, from the user's edits to the bodies that fall asleep.

use super::engine::Engine;
use super::port::StepKernel;
use super::selection::Selection;
use super::sleep::update_sleep;
use crate::Stages;
use crate::stopwatch::Stopwatch;
use drystone_core::{FailureKind, Level, Module, StepFailure, TimeControl, TimeReport};
use drystone_math::Real;

/// Advances the world by `dt` seconds; nothing that is tried and taken back within them can be seen from outside (N-10).
pub(crate) fn run_frame(
    engine: &mut Engine,
    selection: &mut Selection,
    stages: &mut Stages,
    time_control: &mut dyn TimeControl,
    dt: Real,
) -> Result<TimeReport, StepFailure> {
    engine.prepare(stages);
    let needs = time_control.needs();
    let by_acceleration = needs.has(Level::Acceleration) && !needs.has(Level::Velocity);
    engine.wiring.level = if by_acceleration { Level::Acceleration } else { Level::Velocity };
    engine.wiring.trace(Module::User, Module::TimeControl);

    let repeats = time_control.repeats() && engine.is_alike(stages);
    let course = repeats.then(|| (engine.edits(), dt));
    engine.stillness.begin_frame(&mut engine.data, course);
    engine.motion.begin_frame(&engine.data.state, &engine.derived);
    engine.data.state.hide_approach();
    let advanced = time_control.advance(&mut StepKernel { engine, selection, stages }, dt);
    engine.motion.count_tunnelled(&engine.data, &engine.derived);
    engine.data.state.show_approach();
    if advanced.is_ok() {
        engine.flight.end_frame(&mut engine.data);
    } else {
        engine.flight.break_off_frame(&mut engine.data);
    }
    engine.stillness.end_frame(&mut engine.data);
    if advanced.is_ok() {
        engine.stillness.note_frame(&engine.data);
    }

    let advanced = advanced.and_then(|calls| check_outcome(engine, &calls).map(|()| calls));
    // the next step must check every body again: a failure is not forgotten
    engine.derived.edited |= advanced.is_err();
    let calls = TimeReport { tunnelled: engine.motion.tunnelled.len() as u64, ..advanced? };
    let Engine { data, derived, forces, motion, solving, touches, wiring, sleep_settled, .. } = engine;
    motion.fast.disturbed = motion.unseen;

    let watch = Stopwatch::start();
    touches.sensors.sense(&mut touches.sensed, data, derived, stages)?;
    wiring.book(Module::NarrowPhase, watch);

    let watch = Stopwatch::start();
    *sleep_settled = update_sleep((data, derived), forces, &mut solving.motor_rows, (stages, wiring.executor()), dt);
    wiring.book(Module::CoherenceAnalysis, watch);
    Ok(calls)
}

/// Fails unless the result of a frame is valid: the next frame can continue from the state after it, and the depths that it found are numbers. Velocities that the
/// last solve made have not been checked before.
fn check_outcome(engine: &Engine, calls: &TimeReport) -> Result<(), StepFailure> {
    if !calls.penetration.is_finite() {
        return Err(engine.data.failure(None, Module::NarrowPhase, FailureKind::NonFinite));
    }
    // the next step starts from the multipliers of this one; what a trial left and was taken back does not count
    if engine.solving.overflowed && !engine.data.has_finite_multipliers() {
        return Err(engine.data.failure(None, Module::ConstraintSolver, FailureKind::NonFinite));
    }
    let Engine { data, derived, .. } = engine;
    let awake = derived.awake.iter().filter(|b| !data.state.sleeping[b.at()]);
    let scripted = data.configuration.scripts.iter().map(|s| &s.body);
    data.check_bodies(awake.chain(&derived.unscripted).chain(scripted).copied(), Module::ConstraintSolver)
}
