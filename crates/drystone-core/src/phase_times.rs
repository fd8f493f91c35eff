use crate::Module;
use core::ops::AddAssign;

/// Time spent in each module: for a step in seconds, or in whatever unit a front end converts it to ([`Self::map`]).
///
/// The solvers' times include gathering and scattering the groups that they solve. Time control has what is left of the step after the others.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PhaseTimes {
    /// Broad phase, boxes included.
    pub broad_phase: f64,
    /// Narrow phase.
    pub narrow_phase: f64,
    /// Contact determination.
    pub contact_determination: f64,
    /// Coherence analysis: graph upkeep, groups, layers, sleeping.
    pub stc_analysis: f64,
    /// Constraint solver, gathering and scattering included.
    pub constraint_solver: f64,
    /// Position correction after the constraint solver, gathering and scattering included.
    pub position_correction: f64,
    /// Collision solver, gathering and scattering included.
    pub collision_solver: f64,
    /// Motion solver, external forces included.
    pub motion_solver: f64,
    /// Everything else in the step.
    pub time_control: f64,
    /// The part of the two solvers' times spent copying groups out of the world and results back into it.
    pub gather_scatter: f64,
}

impl PhaseTimes {
    /// The modules that have a time, in the order of the figures; their times add up to the step.
    pub const MODULES: [Module; 9] = [
        Module::BroadPhase,
        Module::NarrowPhase,
        Module::ContactDetermination,
        Module::CoherenceAnalysis,
        Module::ConstraintSolver,
        Module::PositionCorrection,
        Module::CollisionSolver,
        Module::MotionSolver,
        Module::TimeControl,
    ];

    /// The time of a module; whoever asks for the step counts as time control.
    pub fn of(&self, module: Module) -> f64 {
        // the fields are named once, below
        *self.clone().of_mut(module)
    }

    /// The time of a module, mutable.
    pub fn of_mut(&mut self, module: Module) -> &mut f64 {
        match module {
            Module::BroadPhase => &mut self.broad_phase,
            Module::NarrowPhase => &mut self.narrow_phase,
            Module::ContactDetermination => &mut self.contact_determination,
            Module::CoherenceAnalysis => &mut self.stc_analysis,
            Module::ConstraintSolver => &mut self.constraint_solver,
            Module::PositionCorrection => &mut self.position_correction,
            Module::CollisionSolver => &mut self.collision_solver,
            Module::MotionSolver => &mut self.motion_solver,
            Module::TimeControl | Module::User => &mut self.time_control,
        }
    }

    /// The sum over the modules. What gathering and scattering take is part of the solvers' time.
    pub fn total(&self) -> f64 {
        Self::MODULES.iter().map(|m| self.of(*m)).sum()
    }

    /// Applies the same function to each time.
    #[must_use]
    pub fn map(&self, f: impl Fn(f64) -> f64) -> Self {
        let mut mapped = Self { gather_scatter: f(self.gather_scatter), ..*self };
        for module in Self::MODULES {
            *mapped.of_mut(module) = f(self.of(module));
        }
        mapped
    }
}

impl AddAssign for PhaseTimes {
    fn add_assign(&mut self, other: Self) {
        for module in Self::MODULES {
            *self.of_mut(module) += other.of(module);
        }
        self.gather_scatter += other.gather_scatter;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each module has a field of its own, which counts once.
    #[test]
    fn the_modules_are_the_whole() {
        let mut times = PhaseTimes { gather_scatter: 1000.0, ..PhaseTimes::default() };
        for (k, module) in PhaseTimes::MODULES.into_iter().enumerate() {
            *times.of_mut(module) += f64::from(1 << k);
        }
        assert_eq!(times.total(), 511.0);
        assert_eq!((times.broad_phase, times.time_control), (1.0, 256.0));
        times += times.map(|t| 2.0 * t);
        assert_eq!((times.total(), times.gather_scatter), (3.0 * 511.0, 3000.0));
        assert_eq!(times.of(Module::User), times.time_control);
    }
}
