use crate::ModuleKind;

/// The implementation of each module, by its name in scene files.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Names {
    pub(super) time_control: &'static str,
    pub(super) motion_solver: &'static str,
    pub(super) constraint_solver: &'static str,
    pub(super) collision_solver: &'static str,
    pub(super) broad_phase: &'static str,
    pub(super) narrow_phase: &'static str,
    pub(super) contact_determination: &'static str,
    pub(super) coherence_analysis: &'static str,
    pub(super) lcp: &'static str,
    pub(super) sleep_policy: &'static str,
}

impl Names {
    /// Equal steps and the velocity-based complementarity problem, solved by sweeps: the basis that presets state their differences from.
    pub(super) const BASE: Self = Self {
        time_control: "fixed",
        motion_solver: "semi-implicit-euler",
        constraint_solver: "velocity-complementarity",
        collision_solver: "none",
        broad_phase: "sweep-and-prune",
        narrow_phase: "combined",
        contact_determination: "clipping",
        coherence_analysis: "contact-graph",
        lcp: "projected-gauss-seidel",
        sleep_policy: "never",
    };

    /// The names in the order of [`ModuleKind::ALL`].
    pub(super) fn listed(mut self) -> [&'static str; 10] {
        ModuleKind::ALL.map(|kind| *self.of_mut(kind))
    }

    /// The name for one module.
    pub(super) fn of_mut(&mut self, kind: ModuleKind) -> &mut &'static str {
        match kind {
            ModuleKind::TimeControl => &mut self.time_control,
            ModuleKind::MotionSolver => &mut self.motion_solver,
            ModuleKind::ConstraintSolver => &mut self.constraint_solver,
            ModuleKind::CollisionSolver => &mut self.collision_solver,
            ModuleKind::BroadPhase => &mut self.broad_phase,
            ModuleKind::NarrowPhase => &mut self.narrow_phase,
            ModuleKind::ContactDetermination => &mut self.contact_determination,
            ModuleKind::CoherenceAnalysis => &mut self.coherence_analysis,
            ModuleKind::Lcp => &mut self.lcp,
            ModuleKind::SleepPolicy => &mut self.sleep_policy,
        }
    }
}
