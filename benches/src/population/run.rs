//! Steps a scene in several engines in turn and times each step.

use super::drystone_run::DrystoneRun;
use super::engine::{Effort, PopulationEngine};
use super::judge::{Judge, Observed, Quality};
use super::rapier_run::{RapierDoubleRun, RapierSingleRun};
use super::scene::PopulationScene;
use crate::scenes::STEPS_PER_SECOND;
use crate::{Clock, EngineError, Watch};
use drystone::Paradigm;

/// Steps that an engine takes before the next has its turn.
const ROUND: usize = 10;
/// Energy and gaps are observed once in as many steps.
const OBSERVED: usize = 5;
/// Overlaps are measured once in as many steps.
const DEEP: usize = 30;

/// A comparison to make.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Presets of drystone.
    pub paradigms: Vec<Paradigm>,
    /// Settings of all of them, as in `lcp.iterations=20`.
    pub settings: Vec<String>,
    /// Steps of a run.
    pub steps: usize,
    /// Runs of each scene; the least time of each step counts.
    pub repeats: usize,
    /// The clock.
    pub clock: Clock,
}

/// One engine's run.
#[derive(Debug, Clone)]
pub struct RunRecord {
    /// Name of the engine.
    pub engine: String,
    /// Seconds of each step, the first one left out: it builds what the others reuse.
    pub times: Vec<f64>,
    /// Contact points, mean over the steps.
    pub contacts: f64,
    /// Largest number of solves in a step, if reported.
    pub solves: Option<u64>,
    /// Share of the steps in which a solver stopped at a limit, if reported.
    pub limited: Option<f64>,
    /// Quality.
    pub quality: Quality,
    /// The error that ended the run early.
    pub failure: Option<String>,
}

/// A scene's runs in all engines.
#[derive(Debug, Clone)]
pub struct SceneRecord {
    /// Seed.
    pub seed: u64,
    /// Kinds of groups.
    pub kinds: Vec<&'static str>,
    /// Moving bodies.
    pub bodies: usize,
    /// Joints and springs.
    pub joints: usize,
    /// Runs: drystone's presets, then rapier in double and in single precision.
    pub runs: Vec<RunRecord>,
}

/// A run in progress.
struct Progress {
    engine: Box<dyn PopulationEngine>,
    times: Vec<f64>,
    contacts: usize,
    effort: Option<Effort>,
    limited: usize,
    steps: usize,
    observed: Observed,
    failure: Option<EngineError>,
}

impl Progress {
    fn new(engine: Box<dyn PopulationEngine>) -> Self {
        Self {
            engine,
            times: Vec::new(),
            contacts: 0,
            effort: None,
            limited: 0,
            steps: 0,
            observed: Observed::default(),
            failure: None,
        }
    }

    /// Takes one step and notes its time and effort.
    fn step(&mut self, clock: Clock) {
        let watch = Watch::start(clock);
        let stepped = self.engine.step();
        let seconds = watch.seconds();
        if let Err(failure) = stepped {
            self.failure = Some(failure);
            return;
        }
        self.steps += 1;
        self.times.push(seconds);
        self.contacts += self.engine.contacts();
        if let Some(effort) = self.engine.effort() {
            let most = self.effort.map_or(0, |known| known.solves).max(effort.solves);
            self.effort = Some(Effort { solves: most, ..effort });
            self.limited += usize::from(effort.limited);
        }
    }

    fn finish(self, judge: &Judge<'_>) -> RunRecord {
        let mut states = Vec::new();
        self.engine.states(&mut states);
        let share = |count: usize| count as f64 / self.steps.max(1) as f64;
        RunRecord {
            engine: self.engine.name().to_owned(),
            times: self.times.get(1..).unwrap_or_default().to_vec(),
            contacts: share(self.contacts),
            solves: self.effort.map(|effort| effort.solves),
            limited: self.effort.map(|_| share(self.limited)),
            quality: judge.score(&self.observed, &states),
            failure: self.failure.map(|failure| failure.to_string()),
        }
    }
}

/// Runs a scene in all engines, a few steps in turn, as often as the plan says.
///
/// # Errors
/// If an engine does not accept the scene.
pub fn run_scene(scene: &PopulationScene, plan: &Plan) -> Result<SceneRecord, EngineError> {
    let mut runs = run_once(scene, plan)?;
    for _ in 1..plan.repeats {
        for (run, again) in runs.iter_mut().zip(run_once(scene, plan)?) {
            for (time, other) in run.times.iter_mut().zip(again.times) {
                *time = time.min(other);
            }
        }
    }
    Ok(SceneRecord {
        seed: scene.seed,
        kinds: scene.kinds.clone(),
        bodies: scene.moving().count(),
        joints: scene.joints.len() + scene.springs.len(),
        runs,
    })
}

fn run_once(scene: &PopulationScene, plan: &Plan) -> Result<Vec<RunRecord>, EngineError> {
    let weighed = DrystoneRun::new(scene, Paradigm::default(), &[])?;
    let mut states = Vec::new();
    weighed.states(&mut states);
    let judge = Judge::new(scene, weighed.world(), &states)?;
    let mut runs: Vec<Progress> = Vec::new();
    for paradigm in &plan.paradigms {
        runs.push(Progress::new(Box::new(DrystoneRun::new(scene, *paradigm, &plan.settings)?)));
    }
    runs.push(Progress::new(Box::new(RapierDoubleRun::new(scene)?)));
    runs.push(Progress::new(Box::new(RapierSingleRun::new(scene)?)));
    for first in (0..plan.steps).step_by(ROUND) {
        for run in &mut runs {
            for step in first..plan.steps.min(first + ROUND) {
                if run.failure.is_some() {
                    break;
                }
                run.step(plan.clock);
                let done = step + 1;
                let last_second = done + STEPS_PER_SECOND == plan.steps;
                if done % OBSERVED == 0 || last_second {
                    run.engine.states(&mut states);
                    judge.observe(&mut run.observed, &states);
                    if done % DEEP == 0 {
                        judge.observe_depth(&mut run.observed, &states);
                    }
                    if last_second {
                        run.observed.note_last_second(&states);
                    }
                }
            }
        }
    }
    Ok(runs.into_iter().map(|run| run.finish(&judge)).collect())
}
