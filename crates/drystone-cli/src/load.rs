use crate::{DumpTarget, Failure};
use drystone::Registry;
use drystone_scene::Document;
use drystone_session::{Loaded, Overrides, open, prepare, prepare_from};
use std::path::Path;

/// Reads a scene, a file or a bundled one by its name, and builds its world.
///
/// # Errors
/// [`Failure::Scene`] with every fault found; [`Failure::Input`] for options that do not fit.
pub fn load(scene: &str, overrides: &Overrides) -> Result<Loaded, Failure> {
    load_from(&Registry::default(), scene, overrides)
}

/// The same with what a registry has.
///
/// # Errors
/// As [`load`].
pub fn load_from(registry: &Registry, scene: &str, overrides: &Overrides) -> Result<Loaded, Failure> {
    Ok(drystone_session::load_from(registry, scene, overrides)?)
}

/// Builds the world of a scene that has been parsed already: from a text, for instance.
///
/// # Errors
/// As [`load`].
pub fn load_document(document: Document, overrides: &Overrides) -> Result<Loaded, Failure> {
    Ok(prepare(document, overrides)?.finish()?)
}

/// As [`load_from`], with each complementarity problem of the constraint solver written into a folder; [`DumpTarget::finish`] says whether
/// all of them could be.
///
/// # Errors
/// As [`load`], and [`Failure::Write`] where the folder cannot be made.
pub fn load_dumping(
    registry: &Registry,
    scene: &str,
    overrides: &Overrides,
    dir: &Path,
) -> Result<(Loaded, DumpTarget), Failure> {
    let prepared = prepare_from(registry, open(scene)?, overrides)?;
    let dump = DumpTarget::new(dir, prepared.name())?;
    let solver = dump.wrap(prepared.modules()?)?;
    let mut loaded = prepared.constraint_solver(solver).finish()?;
    let clock = dump.clone();
    loaded.before_step = Some(Box::new(move |time| clock.at(time)));
    Ok((loaded, dump))
}
