//! Which runs a comparison makes: everything is read before anything runs.

use super::CompareArguments;
use super::fair::Even;
use super::sweep::{Swept, grid};
use crate::{Failure, Loaded, Overrides, load_from, output};
use drystone::Registry;
use drystone_scene::figures::state_hash;

/// A run that is still to be made.
pub(super) struct Planned {
    /// The scene's name or file, as it was given.
    given: String,
    pub(super) scene: String,
    pub(super) paradigm: String,
    pub(super) swept: Vec<Swept>,
    /// The settings that make it comparable with the others, under `--fair`.
    pub(super) even: Option<Even>,
    /// Hash of the state before the first step.
    pub(super) start: String,
    /// Without what `even` sets.
    overrides: Overrides,
    /// The scene at its start, until the first run takes it.
    loaded: Option<Loaded>,
}

impl Planned {
    /// Takes other equal conditions.
    pub(super) fn take(&mut self, even: Even) {
        self.even = Some(even);
        self.loaded = None;
    }

    /// The scene at its start; read anew for every run but the first.
    ///
    /// # Errors
    /// As [`load_from`].
    pub(super) fn at_start(&mut self, registry: &Registry) -> Result<Loaded, Failure> {
        match self.loaded.take() {
            Some(loaded) => Ok(loaded),
            None => load_from(registry, &self.given, &with(self.even.as_ref(), &self.overrides)),
        }
    }
}

/// Loads every scene under every preset with every combination of swept values.
pub(super) fn plan(a: &CompareArguments, registry: &Registry) -> Result<Vec<Planned>, Failure> {
    let paradigms: Vec<String> = if a.paradigms.is_empty() {
        registry.paradigms().iter().map(|p| p.name.to_owned()).collect()
    } else {
        a.paradigms.clone()
    };
    let sweeps = grid(&a.sweep)?;
    let mut planned = Vec::new();
    let mut told: Vec<String> = Vec::new();
    for scene in &a.scenes {
        let before = planned.len();
        let mut refused = Vec::new();
        for paradigm in &paradigms {
            for swept in &sweeps {
                match planned_run(a, registry, scene, paradigm, swept) {
                    Ok((run, warnings)) => {
                        // runs that differ in a swept value are warned of alike
                        let new: Vec<String> = warnings.into_iter().filter(|w| !told.contains(w)).collect();
                        output::warn(&new);
                        told.extend(new);
                        planned.push(run);
                    }
                    // asked for none by name: those that do not take the scene stay out
                    Err(e) if a.paradigms.is_empty() => refused.push((paradigm, e)),
                    Err(e) => return Err(e),
                }
            }
        }
        if planned.len() == before {
            // no preset takes it: it is the scene that is at fault
            return refused.into_iter().next().map_or(Ok(Vec::new()), |(_, e)| Err(e));
        }
        refuse_unread(&planned[before..])?;
        for (paradigm, e) in refused {
            output::warn(&[format!("warning: {scene}: {paradigm} is skipped: {e}")]);
        }
    }
    Ok(planned)
}

/// A run with what its scene warns of.
fn planned_run(
    a: &CompareArguments,
    registry: &Registry,
    scene: &str,
    paradigm: &str,
    swept: &[Swept],
) -> Result<(Planned, Vec<String>), Failure> {
    let overrides = overrides(a, paradigm, swept);
    let mut loaded = load_from(registry, scene, &overrides)?;
    let mut even = a.fair.conditions().map(|c| Even::of(c, &loaded)).transpose()?;
    if let Some(even) = &mut even {
        let named = overrides.set.iter().chain(&overrides.sweep).filter_map(|setting| setting.split_once('='));
        even.give_way(&named.map(|(path, value)| (path.trim(), value.trim())).collect::<Vec<_>>());
        // one pass, so that it is known which settings of passes are read
        let probe = load_from(registry, scene, &with(Some(&even.with_passes(1)), &overrides))?;
        even.leave_out(&probe.unread);
        loaded = load_from(registry, scene, &with(Some(even), &overrides))?;
    }
    let warnings = loaded.warnings.clone();
    let run = Planned {
        given: scene.to_owned(),
        scene: loaded.name.clone(),
        paradigm: loaded.paradigm.clone(),
        swept: swept.to_vec(),
        even,
        start: state_hash(loaded.world.state()),
        overrides,
        loaded: Some(loaded),
    };
    Ok((run, warnings))
}

/// Overrides with equal conditions; what was asked for by name counts more than these.
fn with(even: Option<&Even>, overrides: &Overrides) -> Overrides {
    let set = even.map(Even::settings).unwrap_or_default();
    Overrides { set: [set, overrides.set.clone()].concat(), ..overrides.clone() }
}

/// Refuses a swept setting that none of the runs of a scene reads.
fn refuse_unread(planned: &[Planned]) -> Result<(), Failure> {
    let swept = planned.first().map_or(&[][..], |first| &first.swept);
    let is_unread = |path: &str| planned.iter().all(|p| p.loaded.iter().any(|l| l.unread.iter().any(|u| u == path)));
    match swept.iter().find(|s| is_unread(&s.path)) {
        Some(Swept { path, .. }) => {
            Err(Failure::Input(format!("--sweep: {path}: nothing reads it in any of these runs")))
        }
        None => Ok(()),
    }
}

fn overrides(a: &CompareArguments, paradigm: &str, swept: &[Swept]) -> Overrides {
    Overrides {
        paradigm: Some(paradigm.to_owned()),
        set: a.set.clone(),
        sweep: swept.iter().map(Swept::setting).collect(),
        duration: a.duration,
        threads: Some(usize::from(a.threads)),
        ..Overrides::default()
    }
}
