//! A population of random scenes: the law of cost of drystone beside rapier.
//!
//! [`PopulationScene`] is plain data that is drawn from a seed. [`DrystoneRun`], [`RapierDoubleRun`] and
//! [`RapierSingleRun`] put it into an engine; drystone's reads the scene file that [`PopulationScene::document`] gives.
//! [`run_scene`] steps all engines in turn, a [`Judge`] scores their states, and [`Population`] makes tables of the records.

mod document;
mod draw;
mod drystone_run;
mod engine;
mod generate;
mod group;
mod judge;
mod kinds;
mod rapier_run;
mod run;
mod scene;
mod table;
#[cfg(test)]
mod tests;

pub use drystone_run::DrystoneRun;
pub use engine::{BodyState, Effort, PopulationEngine};
pub use judge::{Judge, Observed, Quality};
pub use rapier_run::{RapierDoubleRun, RapierSingleRun};
pub use run::{Plan, RunRecord, SceneRecord, run_scene};
pub use scene::{Form, GRAVITY, Joint, JointKind, Motor, PointSpring, PopulationScene, RigidBody, Spring};
pub use table::{Population, Style};
