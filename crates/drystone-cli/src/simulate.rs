use crate::{Failure, Loaded, interrupt};
use drystone::{PhaseTimes, StepReport, World, WorldError};
use drystone_math::Vec3;
use drystone_scene::figures::{BudgetFigures, FigureRecorder, Figures, FrameLine, RunEnd, RunInfo, StepRecord};
use indicatif::ProgressBar;
use std::time::Instant;

/// Results of a run.
#[derive(Debug)]
pub struct Simulated {
    /// The figures.
    pub figures: Figures,
    /// Largest distance of a dynamic body from where it started (m).
    pub drift: f64,
    /// The signal that ended the run before its time, if one did.
    pub stopped_by: Option<i32>,
}

impl Simulated {
    /// # Errors
    /// [`Failure::Stopped`] if a signal ended the run.
    pub fn whole(&self) -> Result<(), Failure> {
        let (time, steps) = (self.figures.time, self.figures.steps);
        self.stopped_by.map_or(Ok(()), |signal| Err(Failure::Stopped { signal, time, steps }))
    }
}

/// Receiver of recorded frames, each with the world that it is of.
pub type FrameSink<'a> = dyn FnMut(&FrameLine, &World) -> Result<(), Failure> + 'a;

/// Steps a loaded scene for `steps` steps (or its duration) and gathers the figures; hands recorded frames
/// to `frames`. Once `run` or `compare` listens to signals, one of them ends the run after the present step.
///
/// # Errors
/// [`Failure::Simulation`] where a step fails; what `frames` gives.
pub fn simulate(
    loaded: &mut Loaded,
    steps: Option<u64>,
    seed: u64,
    mut frames: Option<&mut FrameSink<'_>>,
    progress: &ProgressBar,
) -> Result<Simulated, Failure> {
    let (h, per_frame) = (loaded.time_step, loaded.steps_per_frame());
    let steps = steps.unwrap_or_else(|| steps_left(loaded, None));
    // a world that goes on from a snapshot has some of its steps behind it
    let done = steps_done(loaded);
    progress.set_length(steps);
    let info = run_info(loaded, seed);
    let world = &mut loaded.world;
    let start = world.state().position.clone();
    let mut recorder = FigureRecorder::new(info, world.configuration(), world.state(), steps as usize);
    let mut sums = PhaseTimes::default();
    let mut budget: Option<BudgetFigures> = None;
    let mut line = FrameLine::default();
    let failed = |e: &WorldError| Failure::of_step(e, &loaded.names, &loaded.joint_names);
    let mut record = |world: &mut World, recorder: &mut FigureRecorder, contacts, residual| -> Result<(), Failure> {
        let Some(sink) = frames.as_mut() else { return Ok(()) };
        // detections of the step that led here are of earlier positions
        let penetration = world.penetration().map_err(|e| failed(&e))?;
        recorder.frame(penetration);
        line.record(world.configuration(), world.state(), world.graph(), contacts, penetration);
        line.residual = residual;
        sink(&line, world)
    };
    record(world, &mut recorder, 0, None)?;
    let mut taken = 0;
    for step in (1..=steps).take_while(|_| interrupt::asked().is_none()) {
        if let Some(tell) = &mut loaded.before_step {
            tell(world.time());
        }
        let mut note = |world: &World, report: &StepReport, seconds: f64| {
            sums += report.times;
            let StepReport { calls, events, residual, converged, .. } = *report;
            let entry = StepRecord { seconds, report: calls, events, residual, converged };
            recorder.step(&entry, world.configuration(), world.state(), world.graph());
        };
        let watch = Instant::now();
        let advanced = match &mut loaded.pacer {
            None => world.advance(h).inspect(|report| note(world, report, watch.elapsed().as_secs_f64())),
            Some(pacer) => pacer.advance_each(world, h, note).map(|frame| {
                budget.get_or_insert_default().note(frame.steps, frame.iterations, frame.within);
                frame.last
            }),
        };
        let report = advanced.map_err(|e| failed(&e))?;
        if (done + step).is_multiple_of(per_frame) {
            record(world, &mut recorder, report.contacts, report.residual)?;
        }
        progress.set_position(step);
        taken = step;
    }
    let penetration = world.penetration().map_err(|e| failed(&e))?;
    let drift = drift(world, &start);
    let figures = Figures { budget, ..recorder.finish(&run_end(loaded), penetration, &sums) };
    progress.finish_and_clear();
    Ok(Simulated { figures, drift, stopped_by: interrupt::asked().filter(|_| taken < steps) })
}

fn run_info(loaded: &Loaded, seed: u64) -> RunInfo {
    RunInfo {
        scene: loaded.name.clone(),
        paradigm: loaded.paradigm.clone(),
        seed,
        threads: loaded.threads,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        warnings: loaded.warnings.clone(),
    }
}

fn run_end(loaded: &Loaded) -> RunEnd<'_> {
    RunEnd {
        configuration: loaded.world.configuration(),
        state: loaded.world.state(),
        graph: loaded.world.graph(),
        names: &loaded.names,
        joint_names: &loaded.joint_names,
    }
}

/// The largest distance of a dynamic body from where it started (m).
fn drift(world: &World, start: &[Vec3]) -> f64 {
    let moved = start.iter().zip(&world.state().position).zip(&world.configuration().bodies);
    moved.filter(|(_, b)| b.is_dynamic()).map(|((a, b), _)| a.distance(*b)).fold(0.0, f64::max)
}

/// Steps from where a world is to the end of its scene, or to `steps` of them counted from the scene's start.
pub(crate) fn steps_left(loaded: &Loaded, steps: Option<u64>) -> u64 {
    let all = steps.unwrap_or_else(|| step_count(loaded.duration, loaded.time_step));
    all.saturating_sub(steps_done(loaded))
}

/// Steps that a world has behind it.
fn steps_done(loaded: &Loaded) -> u64 {
    (loaded.world.time() / loaded.time_step).round() as u64
}

/// Steps that cover a duration: a step that begins before its end is taken, rounding aside.
fn step_count(duration: f64, h: f64) -> u64 {
    ((duration / h) * (1.0 - 1e-12)).ceil() as u64
}
