//! Loading a scene into a world: what the command line, the browser lab and other front ends share.
//!
//! [`load`] takes a file or the name of a bundled scene. [`prepare`] takes a document that is already in memory, and lets the caller change the modules before the
//! world is built. [`load_from`] and [`prepare_from`] use the modules of the caller's own [`drystone::Registry`]. [`catalogue`] is what there is to choose from, in
//! the form for the scene reader and as JSON. [`Surface`] describes the appearance of a shape, [`Scenery`] that of a world; [`Hand`] drags a body.

mod bundled;
mod catalogue;
mod chosen;
mod hand;
mod load;
mod loaded;
mod oddities;
mod prepare;
mod save;
mod scenery;
mod surface;
mod tap;

pub use bundled::{Bundled, bundled_scenes};
pub use catalogue::{catalogue, catalogue_json, catalogue_json_of, catalogue_of};
pub use chosen::{chosen_modules, module_choices};
pub use hand::Hand;
pub use load::{load, load_from, open};
pub use loaded::{Kept, LoadError, Loaded, Overrides};
pub use prepare::{Prepared, prepare, prepare_from};
pub use save::{SaveError, SaveWorld};
pub use scenery::{Scenery, groups, joint_frames, joint_points, kind_name, layers, poses};
pub use surface::Surface;
pub use tap::ProblemTap;

/// The README's Rust blocks, compiled as they stand.
#[doc = include_str!("../README.md")]
#[cfg(doctest)]
pub struct ReadmeDoctests;
