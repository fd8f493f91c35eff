use drystone_core::{
    BodyIndex, ContactSet, Departure, DetectMode, DetectReport, Displacement, Instant, Kernel, LayerStep, PairRecord,
    Rate, RateOf, ResolveReport, Restore, Save, Scope, SolveReport, StepFailure,
};
use drystone_math::Real;

/// A law of kernels that a [`BrokenKernel`] breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Restoring everything restores only motion.
    ForgetsContacts,
    /// A drift of some bodies moves all bodies.
    DriftsAll,
    /// Computing the rate of a state moves that state.
    MovesForRates,
    /// A union of contacts contains only those of the last detection.
    DropsContacts,
    /// Velocities that should lead to another place stay as they were.
    KeepsVelocities,
    /// Two groups that are joined remain two.
    JoinsNothing,
    /// External forces do not act in the absence of contacts.
    AppliesNothing,
    /// Repeating a solve does nothing.
    RepeatsNothing,
    /// Solving again adds to the solve that it should take back.
    SolvesOnTop,
    /// Solving again ignores departures.
    IgnoresDepartures,
    /// Computing the forces at the mean velocity also applies them.
    ActsWhenAsked,
    /// Loads are passed down in addition to a solve.
    CarriesOnTop,
    /// Gaps are rewound even if they are to be advanced.
    RewindsOneWay,
    /// Gaps at an instant are those at the present poses.
    RefreshesHere,
    /// Velocities are set back by a whole step.
    StaggersTwice,
    /// Velocities are never brought back in step with poses.
    NeverSynchronizes,
    /// Forces act on bodies that are only predicted.
    PullsWhatItPredicts,
    /// A prediction goes only half the way.
    PredictsHalf,
    /// A prediction of some bodies moves all bodies.
    PredictsAll,
    /// A correction lets forces act.
    PullsWhatItCorrects,
    /// A correction is a drift.
    DriftsToCorrect,
    /// Layers perform their steps twice.
    PropagatesTwice,
    /// Layers do not perform their steps.
    PropagatesNothing,
    /// Shock propagation through one group covers all groups.
    PropagatesAll,
    /// Unseen bodies count as seen, and the other way round.
    SeesTheUnseen,
    /// Bodies that have penetrated count as not having done so, and the other way round.
    GoesInWhereItIs,
    /// Contacts that should be found anew stay as they were.
    RenewsNothing,
    /// Contacts that should be found anew are only carried along with the bodies.
    RefreshesToRenew,
    /// Finding contacts anew also drifts.
    DriftsToRenew,
    /// Bodies have already left the room that was just made for them.
    LeavesItsRoom,
}

impl Fault {
    /// All faults.
    pub const ALL: [Self; 30] = [
        Self::ForgetsContacts,
        Self::DriftsAll,
        Self::MovesForRates,
        Self::DropsContacts,
        Self::KeepsVelocities,
        Self::JoinsNothing,
        Self::AppliesNothing,
        Self::RepeatsNothing,
        Self::SolvesOnTop,
        Self::IgnoresDepartures,
        Self::ActsWhenAsked,
        Self::CarriesOnTop,
        Self::RewindsOneWay,
        Self::RefreshesHere,
        Self::StaggersTwice,
        Self::NeverSynchronizes,
        Self::PullsWhatItPredicts,
        Self::PredictsHalf,
        Self::PredictsAll,
        Self::PullsWhatItCorrects,
        Self::DriftsToCorrect,
        Self::PropagatesTwice,
        Self::PropagatesNothing,
        Self::PropagatesAll,
        Self::SeesTheUnseen,
        Self::GoesInWhereItIs,
        Self::RenewsNothing,
        Self::RefreshesToRenew,
        Self::DriftsToRenew,
        Self::LeavesItsRoom,
    ];
}

/// A kernel that behaves like another one except for one fault, which [`crate::check_kernel`] must find.
pub struct BrokenKernel<'a> {
    /// The kernel that it delegates to.
    pub kernel: &'a mut dyn Kernel,
    /// Its fault.
    pub fault: Fault,
}

impl BrokenKernel<'_> {
    fn has(&self, fault: Fault) -> bool {
        self.fault == fault
    }
}

impl Kernel for BrokenKernel<'_> {
    fn time(&self) -> Real {
        self.kernel.time()
    }

    fn set_time(&mut self, time: Real) {
        self.kernel.set_time(time);
    }

    fn has_joints(&self) -> bool {
        self.kernel.has_joints()
    }

    fn resolves_impacts(&self) -> bool {
        self.kernel.resolves_impacts()
    }

    fn body_count(&self) -> usize {
        self.kernel.body_count()
    }

    fn groups(&self) -> &[BodyIndex] {
        self.kernel.groups()
    }

    fn first_of(&mut self, body: BodyIndex) -> Option<BodyIndex> {
        self.kernel.first_of(body)
    }

    fn join(&mut self, one: BodyIndex, other: BodyIndex) {
        if !self.has(Fault::JoinsNothing) {
            self.kernel.join(one, other);
        }
    }

    fn is_unseen(&self, h: Real) -> bool {
        self.kernel.is_unseen(h) != self.has(Fault::SeesTheUnseen)
    }

    fn went_in(&self, h: Real) -> bool {
        self.kernel.went_in(h) != self.has(Fault::GoesInWhereItIs)
    }

    fn script(&mut self, t: Real) -> Result<(), StepFailure> {
        self.kernel.script(t)
    }

    fn save(&mut self, scope: Scope, what: Save) -> Instant {
        self.kernel.save(scope, what)
    }

    fn restore(&mut self, scope: Scope, saved: Instant, what: Restore) {
        let forgets = what == Restore::All && self.has(Fault::ForgetsContacts);
        self.kernel.restore(scope, saved, if forgets { Restore::Motion } else { what });
    }

    fn release(&mut self, saved: Instant) {
        self.kernel.release(saved);
    }

    fn difference(&mut self, a: Instant, b: Instant) -> Displacement {
        self.kernel.difference(a, b)
    }

    fn rate(&mut self, scope: Scope, of: RateOf, h: Real, horizon: Real) -> Result<(Rate, SolveReport), StepFailure> {
        let rate = self.kernel.rate(scope, of, h, horizon)?;
        if self.has(Fault::MovesForRates) {
            self.kernel.drift(scope, h)?;
        }
        Ok(rate)
    }

    fn combine(&mut self, base: Instant, terms: &[(Rate, Real)]) -> Result<(), StepFailure> {
        self.kernel.combine(base, terms)
    }

    fn release_rates(&mut self) {
        self.kernel.release_rates();
    }

    fn velocities_from(&mut self, from: Instant, h: Real) {
        if self.has(Fault::KeepsVelocities) {
            self.kernel.restore(Scope::All, from, Restore::Velocities);
        } else {
            self.kernel.velocities_from(from, h);
        }
    }

    fn turn_spins(&mut self, scope: Scope, h: Real) {
        self.kernel.turn_spins(scope, h);
    }

    fn predict(&mut self, scope: Scope, h: Real) -> Result<(), StepFailure> {
        match self.fault {
            Fault::PullsWhatItPredicts => {
                self.kernel.apply_forces(scope, h)?;
                self.kernel.predict(scope, h)
            }
            Fault::PredictsHalf => self.kernel.predict(scope, 0.5 * h),
            Fault::PredictsAll => self.kernel.predict(Scope::All, h),
            _ => self.kernel.predict(scope, h),
        }
    }

    fn apply_forces(&mut self, scope: Scope, h: Real) -> Result<(), StepFailure> {
        if self.has(Fault::AppliesNothing) { Ok(()) } else { self.kernel.apply_forces(scope, h) }
    }

    fn detect(&mut self, scope: Scope, mode: DetectMode) -> Result<DetectReport, StepFailure> {
        let contacts = if self.has(Fault::DropsContacts) { ContactSet::Replace } else { mode.contacts };
        let mut found = self.kernel.detect(scope, DetectMode { contacts, ..mode })?;
        if let (Scope::Pair(pair), true) = (scope, self.has(Fault::LeavesItsRoom)) {
            found.escaped = Some(pair.b);
        }
        Ok(found)
    }

    fn pairs(&mut self, scope: Scope) -> &[PairRecord] {
        self.kernel.pairs(scope)
    }

    fn renew(&mut self, scope: Scope) -> Result<(), StepFailure> {
        match self.fault {
            Fault::RenewsNothing => return Ok(()),
            Fault::RefreshesToRenew => {
                self.kernel.refresh(scope, None);
                return Ok(());
            }
            Fault::DriftsToRenew => self.kernel.drift(scope, 1e-3)?,
            _ => {}
        }
        self.kernel.renew(scope)
    }

    fn refresh(&mut self, scope: Scope, gaps_at: Option<Instant>) {
        let gaps_at = gaps_at.filter(|_| !self.has(Fault::RefreshesHere));
        self.kernel.refresh(scope, gaps_at);
    }

    fn rewind_gaps(&mut self, scope: Scope, h: Real) {
        let h = if self.has(Fault::RewindsOneWay) { h.abs() } else { h };
        self.kernel.rewind_gaps(scope, h);
    }

    fn resolve(&mut self, scope: Scope, horizon: Real) -> Result<ResolveReport, StepFailure> {
        self.kernel.resolve(scope, horizon)
    }

    fn stagger(&mut self, h: Real) {
        self.kernel.stagger(if self.has(Fault::StaggersTwice) { 2.0 * h } else { h });
    }

    fn synchronize(&mut self, h: Real) {
        if !self.has(Fault::NeverSynchronizes) {
            self.kernel.synchronize(h);
        }
    }

    fn solve(&mut self, scope: Scope, h: Real, horizon: Real) -> Result<SolveReport, StepFailure> {
        self.kernel.solve(scope, h, horizon)
    }

    fn departure(&mut self, scope: Scope, h: Real) -> Departure {
        self.kernel.departure(scope, h)
    }

    fn mean_forces(&mut self, scope: Scope) -> bool {
        let others = self.kernel.mean_forces(scope);
        if self.has(Fault::ActsWhenAsked) {
            // if a force cannot act, the next solve will report it
            let _ = self.kernel.apply_forces(scope, 1e-3);
        }
        others
    }

    fn solve_again(
        &mut self,
        scope: Scope,
        h: Real,
        horizon: Real,
        knowing: &[(Departure, Real)],
    ) -> Result<SolveReport, StepFailure> {
        match self.fault {
            Fault::SolvesOnTop => self.kernel.solve(scope, h, horizon),
            Fault::IgnoresDepartures => self.kernel.solve_again(scope, h, horizon, &[]),
            _ => self.kernel.solve_again(scope, h, horizon, knowing),
        }
    }

    fn solve_carried(&mut self, scope: Scope, h: Real, horizon: Real) -> Result<SolveReport, StepFailure> {
        if self.has(Fault::CarriesOnTop) {
            self.kernel.solve(scope, h, horizon)?;
        }
        self.kernel.solve_carried(scope, h, horizon)
    }

    fn repeat(&mut self, scope: Scope) -> Result<(), StepFailure> {
        if self.has(Fault::RepeatsNothing) { Ok(()) } else { self.kernel.repeat(scope) }
    }

    fn drift(&mut self, scope: Scope, h: Real) -> Result<(), StepFailure> {
        self.kernel.drift(if self.has(Fault::DriftsAll) { Scope::All } else { scope }, h)
    }

    fn correct(&mut self, scope: Scope) -> Result<SolveReport, StepFailure> {
        match self.fault {
            Fault::PullsWhatItCorrects => self.kernel.apply_forces(scope, 1e-3)?,
            Fault::DriftsToCorrect => self.kernel.drift(scope, 1e-2)?,
            _ => {}
        }
        self.kernel.correct(scope)
    }

    fn propagate(&mut self, scope: Scope, steps: &[LayerStep]) -> Result<SolveReport, StepFailure> {
        match self.fault {
            Fault::PropagatesNothing => return Ok(SolveReport::default()),
            Fault::PropagatesTwice => {
                self.kernel.propagate(scope, steps)?;
            }
            _ => {}
        }
        self.kernel.propagate(if self.has(Fault::PropagatesAll) { Scope::All } else { scope }, steps)
    }
}
