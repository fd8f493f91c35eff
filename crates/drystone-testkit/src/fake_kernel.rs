use drystone_core::{
    BodyIndex, BodyPair, ClosingBound, Departure, DetectMode, DetectReport, Displacement, FailureKind, Instant, Kernel,
    LayerStep, Module, PairRecord, Penetration, Rate, RateOf, ResolveReport, Restore, Save, Scope, SolveReport,
    StepFailure,
};
use drystone_math::Real;

/// A verb that a time control has called.
#[derive(Debug, Clone, PartialEq)]
pub enum Verb {
    /// [`Kernel::set_time`].
    SetTime(Real),
    /// [`Kernel::script`].
    Script(Real),
    /// [`Kernel::save`].
    Save(Scope, Save),
    /// [`Kernel::restore`].
    Restore(Scope, Restore),
    /// [`Kernel::join`].
    Join(BodyIndex, BodyIndex),
    /// [`Kernel::rate`], with its step.
    Rate(Scope, RateOf, Real),
    /// [`Kernel::combine`], with its weights.
    Combine(Vec<Real>),
    /// [`Kernel::velocities_from`].
    VelocitiesFrom(Real),
    /// [`Kernel::turn_spins`].
    TurnSpins(Scope, Real),
    /// [`Kernel::predict`].
    Predict(Scope, Real),
    /// [`Kernel::apply_forces`].
    ApplyForces(Scope, Real),
    /// [`Kernel::detect`].
    Detect(Scope, DetectMode),
    /// [`Kernel::refresh`].
    Refresh(Scope),
    /// [`Kernel::rewind_gaps`].
    RewindGaps(Scope, Real),
    /// [`Kernel::resolve`], with its horizon.
    Resolve(Scope, Real),
    /// [`Kernel::stagger`].
    Stagger(Real),
    /// [`Kernel::synchronize`].
    Synchronize(Real),
    /// [`Kernel::solve`], with its horizon.
    Solve(Scope, Real, Real),
    /// [`Kernel::solve_again`], with its horizon and the number of departures passed to it.
    SolveAgain(Scope, Real, Real, usize),
    /// [`Kernel::solve_carried`], with its horizon.
    SolveCarried(Scope, Real, Real),
    /// [`Kernel::repeat`].
    Repeat(Scope),
    /// [`Kernel::drift`].
    Drift(Scope, Real),
    /// [`Kernel::correct`].
    Correct(Scope),
    /// [`Kernel::propagate`].
    Propagate(Scope, Vec<LayerStep>),
}

/// Times that the parts of the fake world have reached: the poses and velocities of each group, and last those of the
/// free bodies.
#[derive(Debug, Clone, PartialEq)]
struct Clocks {
    time: Real,
    poses: Vec<Real>,
    velocities: Vec<Real>,
}

/// A kernel of three bodies, two groups of one each and a free one, that records the verbs and keeps two clocks for each: how far its pose (drift, predict) and its
/// velocity (solve, forces) have come.
///
/// The times that the clocks show also serve as positions in metres, and accordingly as speeds. Group 0 may run into a wall: from `impact_at` on, detection reports
/// a penetration that grows by 1 m/s, until a `resolve` within `touch` metres of it.
#[derive(Debug, Clone)]
pub struct FakeKernel {
    /// The verbs that were called, in order.
    pub verbs: Vec<Verb>,
    /// When group 0 meets the wall (s).
    pub impact_at: Option<Real>,
    /// Depth up to which a resolve counts as at the impact (m).
    pub touch: Real,
    /// The number of the verb that fails, in order of the calls.
    pub fail_at: Option<usize>,
    /// True if it reports that it has joints.
    pub joints: bool,
    /// Drift speed of joints (m/s) after a solve that was not told of any drift.
    pub departs: Real,
    /// Distance that group 0 and the wall can move towards each other in the look-ahead time (m).
    pub ways: Real,
    /// True if impulses at the wall never come to an end: each resolve there reports that it was cut short, and changes
    /// nothing.
    pub endless: bool,
    clocks: Clocks,
    saved: Vec<Option<(Scope, Clocks)>>,
    rates: Vec<Vec<usize>>,
    groups: Vec<BodyIndex>,
    records: Vec<PairRecord>,
    /// True if the contact with the wall was known before the last detection; true if it is known now.
    known: [bool; 2],
    /// Length of the last solve (s).
    solved: Real,
    /// True if the last solve was told of constraint drift.
    told: bool,
}

/// Bodies of the fake world: two in groups, one free.
const BODIES: usize = 3;

impl FakeKernel {
    /// A world at rest at time `t` (s).
    pub fn new(t: Real) -> Self {
        let at = vec![t; BODIES];
        Self {
            verbs: Vec::new(),
            impact_at: None,
            touch: 1e-2,
            fail_at: None,
            joints: false,
            departs: 0.0,
            ways: Real::INFINITY,
            endless: false,
            clocks: Clocks { time: t, poses: at.clone(), velocities: at },
            saved: Vec::new(),
            rates: Vec::new(),
            groups: vec![BodyIndex(0), BodyIndex(1)],
            records: Vec::new(),
            known: [false; 2],
            solved: 0.0,
            told: false,
        }
    }

    /// The times that the poses of the groups, and of the free bodies, have reached (s).
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

    /// The bodies of a scope.
    fn parts(&self, scope: Scope) -> Vec<usize> {
        let joined = self.groups.len() == 1;
        match scope {
            Scope::All => (0..BODIES).collect(),
            Scope::Free => vec![2],
            Scope::With(BodyIndex(k)) => {
                assert!((k as usize) < BODIES, "there is no body {k}");
                if joined && k < 2 { vec![0, 1] } else { vec![k as usize] }
            }
            Scope::Body(BodyIndex(k)) => (0..BODIES).filter(|b| *b == k as usize).collect(),
            // the wall stands beside body 0
            Scope::Pair(pair) => [pair.a, pair.b].iter().map(|b| b.at()).filter(|b| *b < BODIES).collect(),
        }
    }

    /// The pair of body 0 and the wall.
    fn wall() -> BodyPair {
        BodyPair::ordered(0, BODIES as u32)
    }

    fn depth(&self) -> Real {
        self.impact_at.map_or(Real::NEG_INFINITY, |t| self.clocks.poses[0] - t)
    }

    fn move_poses(&mut self, scope: Scope, h: Real) {
        for k in self.parts(scope) {
            self.clocks.poses[k] += h;
        }
    }

    fn move_velocities(&mut self, scope: Scope, h: Real) {
        for k in self.parts(scope) {
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

    fn has_joints(&self) -> bool {
        self.joints
    }

    fn body_count(&self) -> usize {
        BODIES + 1
    }

    fn groups(&self) -> &[BodyIndex] {
        &self.groups
    }

    fn first_of(&mut self, body: BodyIndex) -> Option<BodyIndex> {
        (body.0 < 2).then(|| self.groups[(body.at()).min(self.groups.len() - 1)])
    }

    fn join(&mut self, one: BodyIndex, other: BodyIndex) {
        self.verbs.push(Verb::Join(one, other));
        if one.0 < 2 && other.0 < 2 && one != other {
            self.groups.truncate(1);
        }
    }

    fn script(&mut self, t: Real) -> Result<(), StepFailure> {
        self.note(Module::MotionSolver, Verb::Script(t))
    }

    fn save(&mut self, scope: Scope, what: Save) -> Instant {
        self.verbs.push(Verb::Save(scope, what));
        let free = self.saved.iter().position(Option::is_none).unwrap_or(self.saved.len());
        self.saved.resize(self.saved.len().max(free + 1), None);
        self.saved[free] = Some((scope, self.clocks.clone()));
        Instant(free as u32)
    }

    fn restore(&mut self, scope: Scope, saved: Instant, what: Restore) {
        self.verbs.push(Verb::Restore(scope, what));
        let Some((of, saved)) = self.saved[saved.0 as usize].clone() else { return };
        let held = self.parts(of);
        for k in self.parts(scope).into_iter().filter(|k| held.contains(k)) {
            if what != Restore::Velocities {
                self.clocks.poses[k] = saved.poses[k];
            }
            if what != Restore::Poses {
                self.clocks.velocities[k] = saved.velocities[k];
            }
        }
        if what == Restore::All && [scope, of] == [Scope::All; 2] {
            self.clocks.time = saved.time;
        }
    }

    fn release(&mut self, saved: Instant) {
        self.saved[saved.0 as usize] = None;
    }

    fn difference(&mut self, a: Instant, b: Instant) -> Displacement {
        let (Some((sa, a)), Some((sb, b))) = (&self.saved[a.0 as usize], &self.saved[b.0 as usize]) else {
            return Displacement::default();
        };
        let (first, second) = (self.parts(*sa), self.parts(*sb));
        let both = first.iter().copied().filter(|k| second.contains(k));
        both.map(|k| {
            let way = (a.poses[k] - b.poses[k]).abs();
            let speed = (a.velocities[k] - b.velocities[k]).abs();
            Displacement { translation: way, angle: 0.0, way, speed }
        })
        .fold(Displacement::default(), Displacement::max)
    }

    fn rate(&mut self, scope: Scope, of: RateOf, h: Real, _horizon: Real) -> Result<(Rate, SolveReport), StepFailure> {
        let parts = self.parts(scope);
        self.rates.push(parts);
        self.note(Module::ConstraintSolver, Verb::Rate(scope, of, h))?;
        Ok((Rate(self.rates.len() as u32 - 1), SolveReport::default()))
    }

    fn combine(&mut self, base: Instant, terms: &[(Rate, Real)]) -> Result<(), StepFailure> {
        self.restore(Scope::All, base, Restore::Motion);
        self.verbs.pop();
        for (rate, weight) in terms {
            for &k in &self.rates[rate.0 as usize] {
                self.clocks.poses[k] += weight;
                self.clocks.velocities[k] += weight;
            }
        }
        self.note(Module::MotionSolver, Verb::Combine(terms.iter().map(|t| t.1).collect()))
    }

    fn release_rates(&mut self) {
        self.rates.clear();
    }

    fn velocities_from(&mut self, from: Instant, h: Real) {
        self.verbs.push(Verb::VelocitiesFrom(h));
        let Some((scope, _)) = self.saved[from.0 as usize].clone() else { return };
        for k in self.parts(scope) {
            self.clocks.velocities[k] = self.clocks.poses[k];
        }
    }

    fn turn_spins(&mut self, scope: Scope, h: Real) {
        self.verbs.push(Verb::TurnSpins(scope, h));
    }

    fn predict(&mut self, scope: Scope, h: Real) -> Result<(), StepFailure> {
        self.move_poses(scope, h);
        self.note(Module::MotionSolver, Verb::Predict(scope, h))
    }

    fn apply_forces(&mut self, scope: Scope, h: Real) -> Result<(), StepFailure> {
        self.move_velocities(scope, h);
        self.note(Module::MotionSolver, Verb::ApplyForces(scope, h))
    }

    fn detect(&mut self, scope: Scope, mode: DetectMode) -> Result<DetectReport, StepFailure> {
        self.note(Module::NarrowPhase, Verb::Detect(scope, mode))?;
        if scope == Scope::All && !mode.proximity_only {
            self.groups = vec![BodyIndex(0), BodyIndex(1)];
        }
        let sees = self.parts(scope).contains(&0);
        let depth = self.depth();
        let near = depth > -self.touch;
        if sees && !mode.proximity_only {
            self.known = [self.known[1], near];
        }
        let deepest = (sees && depth > 0.0).then_some(Penetration { pair: Self::wall(), depth });
        let (groups, contacts) = (self.groups.len() as u32, u32::from(sees && near));
        Ok(DetectReport { pairs: 1, tested: 1, contacts, groups, deepest, escaped: None, crossing: None })
    }

    fn pairs(&mut self, scope: Scope) -> &[PairRecord] {
        self.records.clear();
        if self.parts(scope).contains(&0) && self.impact_at.is_some() {
            self.records.push(PairRecord {
                pair: Self::wall(),
                distance: -self.depth(),
                bound: ClosingBound { closing: 1.0, bend: 0.0 },
                approach: 1.0,
                thickness: Real::INFINITY,
                ways: self.ways,
                moves: [true, false],
                held: self.known[1],
                known: self.known[0],
            });
        }
        &self.records
    }

    fn refresh(&mut self, scope: Scope, _gaps_at: Option<Instant>) {
        self.verbs.push(Verb::Refresh(scope));
    }

    fn rewind_gaps(&mut self, scope: Scope, h: Real) {
        self.verbs.push(Verb::RewindGaps(scope, h));
    }

    fn resolve(&mut self, scope: Scope, horizon: Real) -> Result<ResolveReport, StepFailure> {
        self.note(Module::CollisionSolver, Verb::Resolve(scope, horizon))?;
        let near = self.impact_at.is_some_and(|t| (self.clocks.poses[0] - t).abs() <= self.touch);
        let meets = near && self.parts(scope).contains(&0);
        if meets && self.endless {
            return Ok(ResolveReport { impacts: 1, iterations: 1, discontinuities: 0, truncated: true });
        }
        if meets {
            self.impact_at = None;
            self.known = [false; 2];
            return Ok(ResolveReport { impacts: 1, iterations: 1, discontinuities: 1, truncated: false });
        }
        Ok(ResolveReport::default())
    }

    fn stagger(&mut self, h: Real) {
        self.verbs.push(Verb::Stagger(h));
        self.move_velocities(Scope::Free, -0.5 * h);
    }

    fn synchronize(&mut self, h: Real) {
        self.verbs.push(Verb::Synchronize(h));
        self.move_velocities(Scope::Free, 0.5 * h);
    }

    fn departure(&mut self, _scope: Scope, _h: Real) -> Departure {
        Departure { name: 0, largest: if self.joints && !self.told { self.departs } else { 0.0 } }
    }

    fn solve_again(
        &mut self,
        scope: Scope,
        h: Real,
        horizon: Real,
        knowing: &[(Departure, Real)],
    ) -> Result<SolveReport, StepFailure> {
        self.move_velocities(scope, h - self.solved);
        self.solved = h;
        self.told |= !knowing.is_empty();
        self.note(Module::ConstraintSolver, Verb::SolveAgain(scope, h, horizon, knowing.len()))?;
        Ok(SolveReport::default())
    }

    fn solve_carried(&mut self, scope: Scope, h: Real, horizon: Real) -> Result<SolveReport, StepFailure> {
        self.move_velocities(scope, h);
        (self.solved, self.told) = (h, false);
        self.note(Module::ConstraintSolver, Verb::SolveCarried(scope, h, horizon))?;
        Ok(SolveReport::default())
    }

    fn solve(&mut self, scope: Scope, h: Real, horizon: Real) -> Result<SolveReport, StepFailure> {
        self.move_velocities(scope, h);
        (self.solved, self.told) = (h, false);
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
                LayerStep::Script { .. } | LayerStep::Refresh | LayerStep::Correct => {}
            }
        }
        self.note(Module::ConstraintSolver, Verb::Propagate(scope, steps.to_vec()))?;
        Ok(SolveReport::default())
    }
}
