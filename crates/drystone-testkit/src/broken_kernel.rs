use drystone_core::{
    BodyIndex, ContactSet, Departure, DetectMode, DetectReport, Displacement, Instant, Kernel, LayerStep, PairRecord,
    Rate, RateOf, ResolveReport, Restore, Save, Scope, SolveReport, StepFailure,
};
use drystone_math::Real;

/// A law that a [`BrokenKernel`] breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// A restore of everything brings back motion alone.
    ForgetsContacts,
    /// A drift of some bodies moves all.
    DriftsAll,
    /// A rate is taken of a state that it moves.
    MovesForRates,
    /// A union of contacts has those of the last detection alone.
    DropsContacts,
    /// Velocities that lead somewhere are those that were.
    KeepsVelocities,
    /// Two groups that are joined stay two.
    JoinsNothing,
    /// External forces without contacts do not act.
    AppliesNothing,
    /// A solve is not repeated.
    RepeatsNothing,
    /// A solve again comes on top of the one that it is to take back.
    SolvesOnTop,
    /// A solve again is not told of departures.
    IgnoresDepartures,
    /// Asking for forces at the mean velocity lets them act.
    ActsWhenAsked,
    /// Loads are passed down on top of a solve.
    CarriesOnTop,
    /// Gaps are taken back where they are to be taken forward.
    RewindsOneWay,
    /// Gaps at an instant are those of the present poses.
    RefreshesHere,
    /// Velocities go back by a whole step.
    StaggersTwice,
    /// Velocities stay behind.
    NeverSynchronizes,
    /// Forces act on what is only predicted.
    PullsWhatItPredicts,
    /// A prediction goes half the way.
    PredictsHalf,
    /// A prediction of some bodies moves all.
    PredictsAll,
    /// A correction lets forces act.
    PullsWhatItCorrects,
    /// A correction is a drift.
    DriftsToCorrect,
    /// Layers go through their steps twice.
    PropagatesTwice,
    /// Layers do not go through their steps.
    PropagatesNothing,
    /// Shock propagation through one group goes through all.
    PropagatesAll,
    /// What was seen is unseen, and the other way round.
    SeesTheUnseen,
    /// What went in did not, and the other way round.
    GoesInWhereItIs,
    /// Contacts that are to be found anew stay as they were.
    RenewsNothing,
    /// Contacts that are to be found anew are taken along with the bodies.
    RefreshesToRenew,
    /// Finding contacts anew is a drift too.
    DriftsToRenew,
    /// Bodies have left the room that was just made for them.
    LeavesItsRoom,
}

impl Fault {
    /// All of them.
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

/// A kernel that does what another one does but for one fault: [`crate::check_kernel`] must find it.
pub struct BrokenKernel<'a> {
    /// The kernel that it stands for.
    pub kernel: &'a mut dyn Kernel,
    /// What it does wrong.
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
            // a force that cannot act is the next solve's to tell
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
