//! Makes the runs of a comparison: repeats them, and finds how many passes reach a residual.

use super::fair::{Even, Work};
use super::plan::Planned;
use super::sweep::Swept;
use crate::replay::Recording;
use crate::simulate::FrameSink;
use crate::{Failure, Loaded, Simulated, interrupt, progress, simulate};
use drystone::{Registry, World};
use drystone_scene::figures::FrameLine;

/// One kind of run of the comparison.
pub(super) struct Row {
    pub(super) scene: String,
    pub(super) paradigm: String,
    pub(super) swept: Vec<Swept>,
    /// The fastest repetition.
    pub(super) outcome: Result<Simulated, Failure>,
    /// The motion, for the report.
    pub(super) recording: Recording,
    /// The settings that made it comparable with the others, under `--fair`.
    pub(super) even: Option<Even>,
    /// Hash of the state before the first step.
    pub(super) start: String,
    /// Mean time per awake step of each repetition (ms).
    pub(super) repetitions: Vec<f64>,
    /// True if two repetitions ended in different states.
    pub(super) differs: bool,
}

impl Row {
    /// Mean time per awake step of the slowest repetition (ms).
    pub(super) fn slowest(&self) -> f64 {
        self.repetitions.iter().copied().fold(0.0, f64::max)
    }

    /// Takes in one more repetition.
    fn add(&mut self, outcome: Result<Simulated, Failure>) {
        let time = |done: &Simulated| done.figures.awake_ms.mean;
        if let Ok(done) = &outcome {
            self.repetitions.push(time(done));
        }
        match (&self.outcome, outcome) {
            (Ok(best), Ok(done)) => {
                self.differs |= best.figures.state_hash != done.figures.state_hash;
                if time(&done) < time(best) {
                    self.outcome = Ok(done);
                }
            }
            // what is known already outlives a later repetition that was stopped
            (Ok(_), Err(Failure::Stopped { .. })) => {}
            (_, other) => self.outcome = other,
        }
    }
}

/// The part of a run that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keeps {
    /// Its figures.
    Figures,
    /// Its motion too.
    Motion,
}

/// Makes all runs, each as often as asked, in turn, so that a machine that becomes slower is slower for all. Ends early once a signal came; tells then whether
/// the last run was whole all the same.
pub(super) fn rows(planned: &mut [Planned], registry: &Registry, repetitions: u32, keeps: Keeps) -> (Vec<Row>, bool) {
    let mut rows: Vec<Row> = Vec::new();
    let all = planned.len();
    for turn in 0..repetitions {
        for (i, planned) in planned.iter_mut().enumerate() {
            let stopped = if turn == 0 {
                let row = first(planned, registry, keeps, repetitions);
                let stopped = matches!(row.outcome, Err(Failure::Stopped { .. }));
                rows.push(row);
                stopped
            } else if rows[i].outcome.is_ok() {
                let outcome = planned.at_start(registry).and_then(|loaded| measure(loaded, None));
                let stopped = matches!(outcome, Err(Failure::Stopped { .. }));
                rows[i].add(outcome);
                stopped
            } else {
                false
            };
            if interrupt::asked().is_some() {
                let is_whole = !stopped && turn + 1 == repetitions && i + 1 == all;
                return (rows, is_whole);
            }
        }
    }
    (rows, true)
}

/// The first run of a kind. Where it is repeated, recording has a run of its own, so that it costs no repetition time.
fn first(planned: &mut Planned, registry: &Registry, keeps: Keeps, repetitions: u32) -> Row {
    let mut row = planned.row();
    let searched = find_passes(planned, registry);
    row.even.clone_from(&planned.even);
    let run = |planned: &mut Planned, row: &mut Row| {
        let loaded = planned.at_start(registry)?;
        if keeps == Keeps::Figures {
            return measure(loaded, None);
        }
        let mut recording = Recording::new(&loaded);
        let mut sink = |frame: &FrameLine, world: &World| {
            recording.push(frame, world);
            Ok(())
        };
        let outcome = measure(loaded, Some(&mut sink));
        row.recording = recording;
        if repetitions > 1 { measure(planned.at_start(registry)?, None) } else { outcome }
    };
    let outcome = searched.and_then(|()| run(planned, &mut row));
    row.repetitions.extend(outcome.as_ref().ok().map(|done| done.figures.awake_ms.mean));
    row.outcome = outcome;
    row
}

/// Runs a scene.
fn measure(mut loaded: Loaded, sink: Option<&mut FrameSink<'_>>) -> Result<Simulated, Failure> {
    let bar = progress::bar(0, &format!("{} / {}", loaded.name, loaded.paradigm));
    let outcome = simulate(&mut loaded, None, 0, sink, &bar).and_then(|done| done.whole().map(|()| done));
    bar.finish_and_clear();
    outcome
}

/// Most passes per part of a step that are tried.
const MOST_PASSES: u32 = 1 << 14;

/// Finds passes that reach the residual asked for, if one is, by doubling and halving: one fewer does not. Where the residual does not fall with each pass, still
/// fewer may reach it too. A run that fails counts as one that does not reach it.
fn find_passes(planned: &mut Planned, registry: &Registry) -> Result<(), Failure> {
    let Some(even) = planned.even.clone().filter(Even::iterates) else { return Ok(()) };
    let Work::Residual(most) = even.conditions.work else { return Ok(()) };
    let mut reached = |passes: u32| {
        planned.take(even.with_passes(passes));
        let figures = match planned.at_start(registry).and_then(|loaded| measure(loaded, None)) {
            Ok(done) => done.figures,
            Err(Failure::Simulation(_)) => return Ok(f64::INFINITY),
            Err(other) => return Err(other),
        };
        let none = || Failure::Input(format!("{} measures no residual that could be fixed", figures.paradigm));
        figures.lcp.relative_residual_mean.ok_or_else(none)
    };
    let (mut too_few, mut enough) = (0, 1);
    loop {
        let residual = reached(enough)?;
        if residual <= most {
            break;
        }
        if enough >= MOST_PASSES {
            let said = format!("{enough} passes leave a mean residual of {residual:.1e} of g h, above {most:e}");
            return Err(Failure::Simulation(said));
        }
        (too_few, enough) = (enough, 2 * enough);
    }
    while enough - too_few > 1 {
        let middle = too_few + (enough - too_few) / 2;
        if reached(middle)? <= most { enough = middle } else { too_few = middle }
    }
    planned.take(even.with_passes(enough));
    Ok(())
}

impl Planned {
    /// A row without an outcome.
    fn row(&self) -> Row {
        Row {
            scene: self.scene.clone(),
            paradigm: self.paradigm.clone(),
            swept: self.swept.clone(),
            outcome: Err(Failure::Simulation("not run".to_owned())),
            recording: Recording::default(),
            even: self.even.clone(),
            start: self.start.clone(),
            repetitions: Vec::new(),
            differs: false,
        }
    }
}
