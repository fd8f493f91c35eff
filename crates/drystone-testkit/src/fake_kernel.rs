use drystone_core::{
    BodyIndex, BodyPair, DetectMode, DetectReport, FailureKind, Kernel, LayerStep, Module, Penetration, ResolveReport,
    Restore, Save, SaveToken, Scope, SolveReport, StepFailure,
};
use drystone_math::Real;

/// A verb that a time control used.
#[derive(Debug, Clone, PartialEq)]
pub enum Verb {
    /// [`Kernel::set_time`].
    SetTime(Real),
    /// [`Kernel::script`].
    Script(Real),
    /// [`Kernel::save`].
    Save(Save),
    /// [`Kernel::restore`].
    Restore(Scope, Restore),
    /// [`Kernel::predict`].
    Predict(Scope, Real),
    /// [`Kernel::apply_forces`].
    ApplyForces(Scope, Real),
    /// [`Kernel::detect`].
    Detect(DetectMode),
    /// [`Kernel::refresh`].
    Refresh(Scope),
    /// [`Kernel::resolve`], with its horizon.
    Resolve(Scope, Real),
    /// [`Kernel::solve`], with its horizon.
    Solve(Scope, Real, Real),
    /// [`Kernel::repeat`].
    Repeat(Scope),
    /// [`Kernel::drift`].
    Drift(Scope, Real),
    /// [`Kernel::correct`].
    Correct(Scope),
    /// [`Kernel::propagate`].
    Propagate(Scope, Vec<LayerStep>),
}

/// Where the parts of the fake world are in time: each group's poses and velocities, and the free bodies' last.
#[derive(Debug, Clone, PartialEq)]
struct Clocks {
    time: Real,
    poses: Vec<Real>,
    velocities: Vec<Real>,
}

/// A kernel without bodies that writes down the verbs and keeps a clock for each group and for the free bodies: how
/// far their poses (drift, predict) and velocities (solve, forces) have come.
///
/// Group 0 may run into a wall: from `impact_at` on, detection reports a penetration that grows by 1 m/s, until a
/// `resolve` within `touch` metres of it.
#[derive(Debug, Clone)]
pub struct FakeKernel {
    /// What was called, in order.
    pub verbs: Vec<Verb>,
    /// When group 0 meets the wall (s).
    pub impact_at: Option<Real>,
    /// Depth up to which a resolve counts as at the impact (m).
    pub touch: Real,
    /// The verb, by count, that fails.
    pub fail_at: Option<usize>,
    clocks: Clocks,
    saved: Vec<Clocks>,
    /// Length of the last solve (s).
    solved: Real,
}

/// Contact groups of the fake world.
const GROUPS: usize = 2;

impl FakeKernel {
    /// A world at rest at time `t` (s).
    pub fn new(t: Real) -> Self {
        let at = vec![t; GROUPS + 1];
        Self {
            verbs: Vec::new(),
            impact_at: None,
            touch: 1e-2,
            fail_at: None,
            clocks: Clocks { time: t, poses: at.clone(), velocities: at },
            saved: Vec::new(),
            solved: 0.0,
        }
    }

    /// The times up to which the poses of the groups, and of the free bodies, have come (s).
    pub fn poses(&self) -> &[Real] {
        &self.clocks.poses
    }

    /// The times up to which forces have acted (s).
    pub fn velocities(&self) -> &[Real] {
        &self.clocks.velocities
    }

    fn note(&mut self, module: Module, verb: Verb) -> Result<(), StepFailure> {
        let failed = self.fail_at == Some(self.verbs.len());
        self.verbs.push(verb);
        if failed {
            let time = self.clocks.time;
            return Err(StepFailure { time, body: Some(BodyIndex(0)), module, kind: FailureKind::NonFinite });
        }
        Ok(())
    }

    fn parts(scope: Scope) -> core::ops::Range<usize> {
        match scope {
            Scope::All => 0..GROUPS + 1,
            Scope::Free => GROUPS..GROUPS + 1,
            Scope::Group(g) => {
                assert!((g as usize) < GROUPS, "there is no group {g}");
                g as usize..g as usize + 1
            }
        }
    }

    fn move_poses(&mut self, scope: Scope, h: Real) {
        for k in Self::parts(scope) {
            self.clocks.poses[k] += h;
        }
    }

    fn move_velocities(&mut self, scope: Scope, h: Real) {
        for k in Self::parts(scope) {
            self.clocks.velocities[k] += h;
        }
    }
}

impl Kernel for FakeKernel {
    fn time(&self) -> Real {
        self.clocks.time
    }

    fn set_time(&mut self, time: Real) {
        self.verbs.push(Verb::SetTime(time));
        self.clocks.time = time;
    }

    fn group_count(&self) -> u32 {
        GROUPS as u32
    }

    fn script(&mut self, t: Real) -> Result<(), StepFailure> {
        self.note(Module::MotionSolver, Verb::Script(t))
    }

    fn save(&mut self, what: Save) -> SaveToken {
        self.verbs.push(Verb::Save(what));
        self.saved.push(self.clocks.clone());
        SaveToken(self.saved.len() as u32 - 1)
    }

    fn restore(&mut self, scope: Scope, saved: SaveToken, what: Restore) {
        self.verbs.push(Verb::Restore(scope, what));
        let saved = self.saved[saved.0 as usize].clone();
        for k in Self::parts(scope) {
            if what != Restore::Velocities {
                self.clocks.poses[k] = saved.poses[k];
            }
            if what != Restore::Poses {
                self.clocks.velocities[k] = saved.velocities[k];
            }
        }
        if what == Restore::All {
            self.clocks.time = saved.time;
        }
    }

    fn predict(&mut self, scope: Scope, h: Real) -> Result<(), StepFailure> {
        self.move_poses(scope, h);
        self.note(Module::MotionSolver, Verb::Predict(scope, h))
    }

    fn apply_forces(&mut self, scope: Scope, h: Real) -> Result<(), StepFailure> {
        self.move_velocities(scope, h);
        self.note(Module::MotionSolver, Verb::ApplyForces(scope, h))
    }

    fn detect(&mut self, mode: DetectMode) -> Result<DetectReport, StepFailure> {
        self.note(Module::NarrowPhase, Verb::Detect(mode))?;
        let depth = self.impact_at.map_or(0.0, |t| self.clocks.poses[0] - t);
        let pair = BodyPair::ordered(0, 1);
        let deepest = (depth > 0.0).then_some(Penetration { pair, depth });
        Ok(DetectReport { pairs: 1, tested: 1, contacts: 1, groups: GROUPS as u32, deepest })
    }

    fn refresh(&mut self, scope: Scope) {
        self.verbs.push(Verb::Refresh(scope));
    }

    fn resolve(&mut self, scope: Scope, horizon: Real) -> Result<ResolveReport, StepFailure> {
        self.note(Module::CollisionSolver, Verb::Resolve(scope, horizon))?;
        let near = self.impact_at.is_some_and(|t| (self.clocks.poses[0] - t).abs() <= self.touch);
        if near && Self::parts(scope).contains(&0) {
            self.impact_at = None;
            return Ok(ResolveReport { impacts: 1, iterations: 1, discontinuities: 1, truncated: false });
        }
        Ok(ResolveReport::default())
    }

    fn solve(&mut self, scope: Scope, h: Real, horizon: Real) -> Result<SolveReport, StepFailure> {
        self.move_velocities(scope, h);
        self.solved = h;
        self.note(Module::ConstraintSolver, Verb::Solve(scope, h, horizon))?;
        Ok(SolveReport::default())
    }

    fn repeat(&mut self, scope: Scope) -> Result<(), StepFailure> {
        self.move_velocities(scope, self.solved);
        self.note(Module::MotionSolver, Verb::Repeat(scope))
    }

    fn drift(&mut self, scope: Scope, h: Real) -> Result<(), StepFailure> {
        self.move_poses(scope, h);
        self.note(Module::MotionSolver, Verb::Drift(scope, h))
    }

    fn correct(&mut self, scope: Scope) -> Result<SolveReport, StepFailure> {
        self.note(Module::ConstraintSolver, Verb::Correct(scope))?;
        Ok(SolveReport::default())
    }

    fn propagate(&mut self, scope: Scope, steps: &[LayerStep]) -> Result<SolveReport, StepFailure> {
        for step in steps {
            match *step {
                LayerStep::Solve { h, .. } => self.move_velocities(scope, h),
                LayerStep::Drift { h } => self.move_poses(scope, h),
                LayerStep::Refresh | LayerStep::Correct => {}
            }
        }
        self.note(Module::ConstraintSolver, Verb::Propagate(scope, steps.to_vec()))?;
        Ok(SolveReport::default())
    }
}
