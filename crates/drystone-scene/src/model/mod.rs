//! The format's sections, one per file: each reads its part of the document and reports every fault in it.

mod body;
mod body_entry;
mod cursor;
pub(crate) mod declare;
mod force;
mod ignore;
mod info;
mod joint;
mod joint_values;
mod material;
mod mesh_shape;
mod names;
mod orientation;
mod outside;
mod pairs;
mod questions;
mod script;
mod shape;
mod simulation;
mod suggestion;

pub use body_entry::{BodyEntry, Repeat};
pub use force::{ForceEntry, ForceKind, force_kinds};
pub use ignore::IgnoreEntry;
pub use info::SceneInfo;
pub use joint::JointEntry;
pub use material::{MaterialEntry, MaterialPairEntry};
pub use pairs::ShapePair;
pub use questions::{RayQuestion, SceneQuestions, SweepQuestion};
pub use script::{ScriptEntry, ScriptKind, script_kinds};
pub use shape::shape_kinds;
pub use simulation::{ModuleCatalogue, ModuleChoice, Setting, Simulation};

pub(crate) use body::{BODIES, read_bodies};
pub(crate) use cursor::{Cursor, Fields, Reading};
pub(crate) use force::{FORCES, KINDS as FORCE_KINDS, OUTSIDE_FORCE, read_forces};
pub(crate) use ignore::{IGNORE_PAIRS, read_ignore_pairs};
pub(crate) use info::{SCENE, read_info};
pub(crate) use joint::{JOINT, JOINTS, OUTSIDE_JOINT, read_joints};
pub(crate) use material::{MATERIAL_PAIRS, MATERIALS, MaterialTable, read_materials};
pub(crate) use names::{BodyNames, BodyRef};
pub(crate) use pairs::PAIR_FILE;
pub(crate) use questions::QUESTIONS;
pub(crate) use script::{SCRIPTS, read_scripts};
pub(crate) use simulation::{SIMULATION, read_simulation};
pub(crate) use suggestion::some_of;
