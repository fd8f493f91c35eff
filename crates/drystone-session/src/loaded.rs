use drystone::{Pacer, Snapshot, SnapshotError, StepReport, World, WorldError};
use drystone_scene::{JointEntry, MaterialEntry, SceneFaults};
use thiserror::Error;

/// Changes made to a scene from outside.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overrides {
    /// Another preset: `--paradigm`.
    pub paradigm: Option<String>,
    /// `PATH=VALUE`: `--set`.
    pub set: Vec<String>,
    /// The values of this run among those that are swept, `PATH=VALUE`, set after `set`: `--sweep`.
    pub sweep: Vec<String>,
    /// Another simulated time (s), set after both of these: `--duration`.
    pub duration: Option<f64>,
    /// Number of threads; one if not given.
    pub threads: Option<usize>,
    /// Seed of everything random.
    pub seed: u64,
}

/// A scene together with the world built from it.
pub struct Loaded {
    /// The world, at first in its initial state.
    pub world: World,
    /// Names of the bodies, in column order.
    pub names: Vec<String>,
    /// Names of the joints, in the order of the configuration.
    pub joint_names: Vec<String>,
    /// Entries that the joints were built from, in the same order.
    pub joints: Vec<JointEntry>,
    /// The materials, in the order of the configuration.
    pub materials: Vec<MaterialEntry>,
    /// The scene's name.
    pub name: String,
    /// Description of what the scene shows.
    pub description: String,
    /// Source of its numbers.
    pub source: String,
    /// Simulated time (s).
    pub duration: f64,
    /// Time between recorded frames (s).
    pub frame: f64,
    /// Time step (s).
    pub time_step: f64,
    /// Divides each time step according to the scene's budget, if it has one.
    pub pacer: Option<Pacer>,
    /// The preset's name.
    pub paradigm: String,
    /// Threads in use.
    pub threads: usize,
    /// Messages for the user: what is valid but odd about the scene, and what was left out of it.
    pub warnings: Vec<String>,
    /// Settings of modules that were given and that nothing reads, as paths in the scene; a warning names the reason for each.
    pub unread: Vec<String>,
    /// Called with the time (s) before each step of a run.
    pub before_step: Option<Box<dyn FnMut(f64) + Send>>,
}

impl Loaded {
    /// Simulates `dt` seconds, in as many steps as the scene's budget allows if it has one, otherwise in one step. The report is that of the last step.
    ///
    /// # Errors
    /// As [`World::advance`].
    pub fn advance(&mut self, dt: f64) -> Result<StepReport, WorldError> {
        match &mut self.pacer {
            None => self.world.advance(dt),
            Some(pacer) => pacer.advance(&mut self.world, dt).map(|frame| frame.last),
        }
    }

    /// Steps from one recorded frame to the next: the time between frames in whole steps, at least one, so that frames are evenly spaced.
    pub fn steps_per_frame(&self) -> u64 {
        (self.frame / self.time_step).round().max(1.0) as u64
    }

    /// Saves the present instant, to return to it later.
    pub fn keep(&self) -> Kept {
        Kept { world: self.world.snapshot(), pacer: self.pacer }
    }

    /// Reads an instant that [`Snapshot::to_bytes`] or [`Snapshot::to_json`] wrote; the spending of a budget is planned afresh from there.
    ///
    /// # Errors
    /// As [`World::read_snapshot`].
    pub fn read(&self, data: &[u8]) -> Result<Kept, SnapshotError> {
        Ok(Kept { world: self.world.read_snapshot(data)?, pacer: None })
    }

    /// Returns to an instant; if it was kept here, the run continues with the same bits as the first time.
    ///
    /// # Errors
    /// As [`World::restore`]; nothing has then changed.
    pub fn come_back(&mut self, to: &Kept) -> Result<(), WorldError> {
        self.world.restore(&to.world)?;
        let afresh = |p: Pacer| Pacer::new(p.budget, p.most).with_fewest_iterations(p.fewest_iterations);
        self.pacer = self.pacer.map(|own| to.pacer.unwrap_or(afresh(own)));
        Ok(())
    }
}

/// An instant of a loaded scene: of its world, and of the plan for spending its budget.
#[derive(Debug, Clone)]
pub struct Kept {
    /// The instant of the world.
    pub world: Snapshot,
    pacer: Option<Pacer>,
}

/// Why a scene could not be loaded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The scene is faulty: one line per fault.
    #[error("{0}")]
    Scene(#[from] SceneFaults),
    /// An override does not fit.
    #[error("{0}")]
    Input(String),
    /// The scene is that of a saved world and has been changed since, so that its snapshot no longer fits.
    #[error(
        "{scene}: resume.snapshot: {error}; without the section 'resume' the scene starts anew, from the poses of its bodies"
    )]
    Resume {
        /// The scene's name.
        scene: String,
        /// Why.
        error: String,
    },
    /// The world does not accept what the scene describes.
    #[error("{scene}: {error}")]
    World {
        /// The scene's name.
        scene: String,
        /// Why.
        error: WorldError,
    },
}
