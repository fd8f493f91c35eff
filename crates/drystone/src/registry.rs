//! Every implementation that can be named: what `drystone list` prints and scenes choose from.

mod lcp;
mod narrow_phase;

use crate::modules::Stages;
use crate::{ModuleKind, Modules, WorldError};
use drystone_core::catalogue::{Implementation, Settings};
use drystone_dynamics::{Complementarity, RowParameters, SweepParameters};

/// The implementations of a module.
pub fn implementations(kind: ModuleKind) -> &'static [Implementation] {
    match kind {
        ModuleKind::TimeControl => drystone_time_control::IMPLEMENTATIONS,
        ModuleKind::MotionSolver => drystone_motion::IMPLEMENTATIONS,
        ModuleKind::ConstraintSolver => drystone_dynamics::IMPLEMENTATIONS,
        ModuleKind::CollisionSolver => drystone_impact::IMPLEMENTATIONS,
        ModuleKind::BroadPhase => drystone_broad_phase::IMPLEMENTATIONS,
        ModuleKind::NarrowPhase => drystone_narrow_phase::IMPLEMENTATIONS,
        ModuleKind::ContactDetermination => drystone_contact::IMPLEMENTATIONS,
        ModuleKind::CoherenceAnalysis => drystone_contact_graph::IMPLEMENTATIONS,
        ModuleKind::Lcp => lcp::implementations(),
        ModuleKind::SleepPolicy => drystone_contact_graph::SLEEP_POLICIES,
    }
}

/// An implementation by its name.
///
/// # Errors
/// [`WorldError::UnknownName`].
pub fn find(kind: ModuleKind, name: &str) -> Result<&'static Implementation, WorldError> {
    let all = implementations(kind);
    all.iter().find(|i| i.name == name).ok_or_else(|| WorldError::UnknownName {
        what: kind.table(),
        found: name.to_owned(),
        allowed: all.iter().map(|i| i.name).collect::<Vec<_>>().join(", "),
    })
}

/// One module's name and settings, as [`Modules::chosen`](crate::Modules::chosen) has them.
type Chosen = (ModuleKind, &'static str, Settings);

/// The choice for a module; all of them are there, in the order of [`ModuleKind::ALL`].
fn chosen_for(chosen: &[Chosen], kind: ModuleKind) -> &Chosen {
    &chosen[ModuleKind::ALL.iter().position(|k| *k == kind).unwrap_or(0)]
}

/// How the rows are made that a full set of choices stands for.
pub fn row_parameters(chosen: &[Chosen]) -> RowParameters {
    let warm_start = lcp::starts_warm(&chosen_for(chosen, ModuleKind::Lcp).2);
    let (_, name, settings) = chosen_for(chosen, ModuleKind::ConstraintSolver);
    if *name == drystone_dynamics::SWEEPS_DESCRIPTION.name {
        return SweepParameters::from_settings(settings, warm_start).rows;
    }
    if *name == drystone_dynamics::IMPLEMENTATIONS[0].name {
        return RowParameters::from_settings(settings, warm_start);
    }
    // one that poses no such problem
    RowParameters::default()
}

/// Builds the chosen implementations; `chosen` is in the order of [`ModuleKind::ALL`].
pub(crate) fn build(chosen: Vec<(ModuleKind, &'static str, Settings)>) -> Result<Modules, WorldError> {
    let missing = |kind: ModuleKind, name: &str| WorldError::UnknownName {
        what: kind.table(),
        found: name.to_owned(),
        allowed: implementations(kind).iter().map(|i| i.name).collect::<Vec<_>>().join(", "),
    };
    macro_rules! make {
        ($kind:ident, $make:path) => {{
            let (kind, name, settings) = chosen_for(&chosen, ModuleKind::$kind);
            $make(name, settings).ok_or_else(|| missing(*kind, name))?
        }};
    }
    let (_, solver_name, solver_settings) = chosen_for(&chosen, ModuleKind::Lcp);
    let solver = lcp::build(solver_name, solver_settings).map_err(|error| WorldError::Solver { error })?;
    let (kind, name, settings) = chosen_for(&chosen, ModuleKind::ConstraintSolver);
    let position_corrector =
        drystone_dynamics::corrector_by_name(name, settings, solver.as_ref()).ok_or_else(|| missing(*kind, name))?;
    let complementarity = Complementarity {
        solver,
        warm_start: lcp::starts_warm(solver_settings),
        plain_sweeps: lcp::plain_sweeps(solver_name, solver_settings),
    };
    let constraint_solver =
        drystone_dynamics::by_name(name, settings, complementarity).ok_or_else(|| missing(*kind, name))?;
    Ok(Modules {
        time_control: make!(TimeControl, drystone_time_control::by_name),
        stages: Stages {
            motion_solver: make!(MotionSolver, drystone_motion::by_name),
            constraint_solver,
            position_corrector,
            collision_solver: make!(CollisionSolver, drystone_impact::by_name),
            broad_phase: make!(BroadPhase, drystone_broad_phase::by_name),
            narrow_phase: make!(NarrowPhase, narrow_phase::build),
            contact_determination: make!(ContactDetermination, drystone_contact::by_name),
            coherence: make!(CoherenceAnalysis, drystone_contact_graph::by_name),
            sleep_policy: make!(SleepPolicy, drystone_contact_graph::sleep_policy_by_name),
        },
        chosen,
        by_value: Vec::new(),
    })
}
