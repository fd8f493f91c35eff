//! One frame, from what the user edited to who falls asleep.

use super::engine::Engine;
use super::verbs::StepKernel;
use crate::Stages;
use drystone_core::{Level, Module, StepFailure, TimeControl, TimeReport};
use drystone_math::Real;

/// Moves the world on by `dt` seconds.
pub(crate) fn run_frame(
    engine: &mut Engine,
    stages: &mut Stages,
    time_control: &mut dyn TimeControl,
    dt: Real,
) -> Result<TimeReport, StepFailure> {
    engine.prepare(stages);
    let needs = time_control.needs();
    let by_acceleration = needs.has(Level::Acceleration) && !needs.has(Level::Velocity);
    engine.wiring.level = if by_acceleration { Level::Acceleration } else { Level::Velocity };
    engine.trace(Module::User, Module::TimeControl);

    engine.data.state.hide_approach();
    let advanced = time_control.advance(&mut StepKernel { engine, stages }, dt);
    engine.count_tunnelled(stages);
    engine.data.state.show_approach();

    let advanced = advanced.and_then(|calls| engine.check_outcome(&calls).map(|()| calls));
    // the next step looks at every body again: a failure is not forgotten
    engine.derived.edited |= advanced.is_err();
    let calls = TimeReport { tunnelled: engine.motion.tunnelled, ..advanced? };
    engine.motion.fast.disturbed = false;
    engine.sense(stages)?;
    engine.update_sleep(stages, dt);
    Ok(calls)
}
