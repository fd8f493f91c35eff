//! What the benches share: scenes described once, engines that step them, and a judge of what became of them.
//!
//! [`scenes`] describes each scene as a list of boxes and balls; [`drystone_engine`] and [`rapier`] build the same
//! list for each engine behind the one trait [`Engine`], and so do `box3d_engine` and `physx_engine`, where their
//! features are asked for; [`quality`] scores recorded poses without asking the engine that made them; [`record`]
//! notes what flows into each stage of a step, for benches of single stages; [`asleep`], [`growth`], [`pairs`], [`rows`]
//! and [`scaling`] make tables of their own. [`population`] draws random scenes and compares engines over all of them.

pub mod asleep;
#[cfg(feature = "box3d")]
pub mod box3d_engine;
mod clock;
pub mod drystone_engine;
mod engine;
pub mod growth;
pub mod pairs;
#[cfg(feature = "physx")]
pub mod physx_engine;
pub mod population;
pub mod quality;
pub mod rapier;
pub mod record;
pub mod rows;
pub mod scaling;
pub mod scenes;
mod statistics;

pub use clock::{Clock, Watch};
pub use engine::{Engine, EngineError, Sleep};
pub use statistics::median;
