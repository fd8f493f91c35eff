use crate::Module;

/// The tables of a scene's `[simulation]`: the eight modules, and the two that stand behind them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ModuleKind {
    /// Time control.
    TimeControl,
    /// Motion solver.
    MotionSolver,
    /// Constraint solver.
    ConstraintSolver,
    /// Collision solver.
    CollisionSolver,
    /// Broad phase.
    BroadPhase,
    /// Narrow phase.
    NarrowPhase,
    /// Contact determination.
    ContactDetermination,
    /// Spatial-temporal coherence analysis.
    CoherenceAnalysis,
    /// The complementarity solver behind the constraint solver.
    Lcp,
    /// The sleep policy behind the coherence analysis.
    SleepPolicy,
}

impl ModuleKind {
    /// All of them, in the order of `drystone list`.
    pub const ALL: [Self; 10] = [
        Self::TimeControl,
        Self::MotionSolver,
        Self::ConstraintSolver,
        Self::CollisionSolver,
        Self::BroadPhase,
        Self::NarrowPhase,
        Self::ContactDetermination,
        Self::CoherenceAnalysis,
        Self::Lcp,
        Self::SleepPolicy,
    ];

    /// Its table in a scene's `[simulation]`; that of a module has the name used in the figures.
    pub fn table(self) -> &'static str {
        match self {
            Self::TimeControl => Module::TimeControl.name(),
            Self::MotionSolver => Module::MotionSolver.name(),
            Self::ConstraintSolver => Module::ConstraintSolver.name(),
            Self::CollisionSolver => Module::CollisionSolver.name(),
            Self::BroadPhase => Module::BroadPhase.name(),
            Self::NarrowPhase => Module::NarrowPhase.name(),
            Self::ContactDetermination => Module::ContactDetermination.name(),
            Self::CoherenceAnalysis => Module::CoherenceAnalysis.name(),
            Self::Lcp => "lcp",
            Self::SleepPolicy => "sleep_policy",
        }
    }

    /// The kind with a given table name.
    pub fn from_table(table: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.table() == table)
    }

    /// Its place in [`Self::ALL`].
    pub const fn position(self) -> usize {
        self as usize
    }

    /// The key that names the implementation in its table: `solver` for complementarity solvers, else `kind`.
    pub fn name_key(self) -> &'static str {
        match self {
            Self::Lcp => "solver",
            Self::TimeControl
            | Self::MotionSolver
            | Self::ConstraintSolver
            | Self::CollisionSolver
            | Self::BroadPhase
            | Self::NarrowPhase
            | Self::ContactDetermination
            | Self::CoherenceAnalysis
            | Self::SleepPolicy => "kind",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_places_are_those_of_the_list() {
        for (place, kind) in ModuleKind::ALL.into_iter().enumerate() {
            assert_eq!((kind.position(), ModuleKind::from_table(kind.table())), (place, Some(kind)));
        }
        assert_eq!(ModuleKind::from_table("solver"), None);
    }
}
