//! The format's sections, one per file: each reads its part of the document and reports every fault in it.

mod body;
mod cursor;
mod force;
mod info;
mod joint;
mod material;
mod mesh_shape;
mod names;
mod pairs;
mod questions;
mod script;
mod shape;
mod simulation;

pub use body::{BodyEntry, Repeat};
pub use force::{ForceEntry, ForceKind};
pub use info::SceneInfo;
pub use joint::JointEntry;
pub use material::{MaterialEntry, MaterialPairEntry};
pub use pairs::ShapePair;
pub use questions::{RayQuestion, SceneQuestions, SweepQuestion};
pub use script::{ScriptEntry, ScriptKind};
pub use simulation::{ModuleCatalogue, ModuleChoice, Setting, Simulation};

pub(crate) use body::read_bodies;
pub(crate) use cursor::{Cursor, Fields, Reading};
pub(crate) use force::read_forces;
pub(crate) use info::read_info;
pub(crate) use joint::read_joints;
pub(crate) use material::{MaterialTable, read_materials};
pub(crate) use names::{BodyNames, BodyRef, some_of};
pub(crate) use script::read_scripts;
pub(crate) use shape::read_shape;
pub(crate) use simulation::read_simulation;
