use crate::{BodyIndex, BodyPair};
use drystone_math::Real;

/// An overlap that detection found.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Penetration {
    /// The bodies.
    pub pair: BodyPair,
    /// Depth (m), positive.
    pub depth: Real,
}

/// Counts of a detection.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DetectReport {
    /// Pairs whose boxes overlap.
    pub pairs: u32,
    /// Pairs that went through the narrow phase.
    pub tested: u32,
    /// Contact points.
    pub contacts: u32,
    /// Contact groups.
    pub groups: u32,
    /// The deepest overlap, for time controls that must act on it.
    pub deepest: Option<Penetration>,
    /// In a detection of less than all: a body that has left, or can leave in the time looked ahead, the box that the last detection of all made for it. Nobody
    /// has looked at what it may meet there.
    pub escaped: Option<BodyIndex>,
    /// In a detection of less than all: a body of the scope that went further than it was given room for, and a dynamic body outside that it may have met.
    pub crossing: Option<BodyPair>,
}

/// Sums over the complementarity problems solved.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LcpSummary {
    /// Problems.
    pub solves: u64,
    /// Iterations, over all problems.
    pub iterations: u64,
    /// Sum of the residuals over the problems for which one was asked for.
    pub residual_sum: Real,
    /// Number of residuals in the sum.
    pub residuals: u64,
    /// Largest residual; zero if none was asked for.
    pub residual_max: Real,
    /// Most variables in one problem.
    pub variables_max: u64,
}

impl LcpSummary {
    /// Mean residual over the problems for which one was measured; `None` if none was.
    pub fn mean_residual(&self) -> Option<Real> {
        (self.residuals > 0).then(|| self.residual_sum / self.residuals as Real)
    }

    /// Largest residual measured; `None` if none was.
    pub fn largest_residual(&self) -> Option<Real> {
        // a NaN in the sum comes from a NaN residual, which a maximum passes over
        let largest = if self.residual_sum.is_nan() { Real::INFINITY } else { self.residual_max };
        (self.residuals > 0).then_some(largest)
    }

    /// Adds another sum.
    pub fn merge(&mut self, o: &Self) {
        self.solves += o.solves;
        self.iterations += o.iterations;
        self.residual_sum += o.residual_sum;
        self.residuals += o.residuals;
        self.residual_max = self.residual_max.max(o.residual_max);
        self.variables_max = self.variables_max.max(o.variables_max);
    }
}

/// Counts and residuals of a solve or a correction.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SolveReport {
    /// The complementarity problems.
    pub lcp: LcpSummary,
    /// Problems whose solver failed and for which the fallback's answer was used.
    pub fallbacks: u64,
    /// Multiplications taken by methods that have a limit of `work`.
    pub work: Real,
    /// Problems that were handed over because that limit was spent: what the frame had left, not what the problem needed, decided.
    pub exhausted: u64,
    /// Groups in which no bounded forces keep bodies from accelerating into each other (Painlevé), so that impulses without a collision held them.
    pub inconsistent: u64,
    /// Jammed bodies whose velocities or displacements were bounded: see [`bound_jammed`] and [`bound_displaced`].
    ///
    /// [`bound_jammed`]: crate::bound_jammed
    /// [`bound_displaced`]: crate::bound_displaced
    pub jammed: u64,
    /// Hits and misses of guesses of which contacts vanish, for solvers that guess.
    pub guesses: Guesses,
    /// For a correction: the potential energy that moving the bodies put in, below zero if it took some out (J). Projection is the least displacement in the
    /// norm of kinetic energy and takes no account of it (L-08, P-08).
    pub lifted: Real,
    /// For a correction that keeps energy: how much of that the motion along the displacements paid for, below zero if the motion gained it (J). Less than
    /// `lifted` if the motion did not have enough.
    pub paid: Real,
    /// For a correction: how many of `lcp.solves` were of groups in which it looked at what is left and found nothing worth another round, or which never have
    /// one.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub finished: u64,
}

/// Number of right and wrong guesses of the contacts that vanish, and the cost of wrong ones (Baraff 1989, section 6).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Guesses {
    /// Problems in which no contact vanished, as the first guess says.
    pub none_vanish: u64,
    /// Problems in which those contacts vanished that the least sum of forces predicted.
    pub predicted: u64,
    /// Problems in which neither guess was right: forces that are too strong were used.
    pub wrong: u64,
    /// Problems in which a limit, or rounding, left open whether a guess was right: it was passed over, as if it were wrong.
    pub undecided: u64,
    /// Energy that wrong guesses put into the bodies over their steps, counting each solve of a step (J).
    pub energy: Real,
}

impl Guesses {
    /// Adds others.
    pub fn merge(&mut self, o: &Self) {
        self.none_vanish += o.none_vanish;
        self.predicted += o.predicted;
        self.wrong += o.wrong;
        self.undecided += o.undecided;
        self.energy += o.energy;
    }
}

impl SolveReport {
    /// Adds another report.
    pub fn merge(&mut self, o: &Self) {
        self.lcp.merge(&o.lcp);
        self.fallbacks += o.fallbacks;
        self.work += o.work;
        self.exhausted += o.exhausted;
        self.inconsistent += o.inconsistent;
        self.jammed += o.jammed;
        self.guesses.merge(&o.guesses);
        self.lifted += o.lifted;
        self.paid += o.paid;
        self.finished += o.finished;
    }
}

/// Counts of a collision solver's work.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ResolveReport {
    /// Contacts that approached.
    pub impacts: u64,
    /// Impulses applied one after the other, or sweeps of a simultaneous solver.
    pub iterations: u64,
    /// Bodies whose velocity jumped.
    pub discontinuities: u64,
    /// True if a cap stopped it while contacts still approached.
    pub truncated: bool,
}

impl ResolveReport {
    /// Adds another report.
    pub fn merge(&mut self, o: &Self) {
        self.impacts += o.impacts;
        self.iterations += o.iterations;
        self.discontinuities += o.discontinuities;
        self.truncated |= o.truncated;
    }
}

/// Cost of a frame, in calls.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TimeReport {
    /// Passes of the outer loop.
    pub sub_steps: u64,
    /// Detections.
    pub detections: u64,
    /// Contact points of the last detection.
    pub contacts: u64,
    /// Contact groups of the last detection.
    pub groups: u64,
    /// Deepest overlap that any detection of the frame found (m), zero if none.
    pub penetration: Real,
    /// Constraint solves.
    pub solve: SolveReport,
    /// Position corrections.
    pub correction: SolveReport,
    /// Impacts.
    pub resolve: ResolveReport,
    /// Number of rollbacks of a state, that of all bodies or that of a group.
    pub rollbacks: u64,
    /// Violations by known contacts, which no smaller step cures: bodies that move along a concave boundary.
    pub concave: u64,
    /// Sub-steps whose problem, posed again and again until its answer no longer changes, had not settled at the limit of iterations: the last guess was taken.
    pub unsettled: u64,
    /// Pairs in which one body went through the other: its middle entered and left the other within one drift, or went past the middle between two sides of it.
    pub tunnelled: u64,
}

impl TimeReport {
    /// Notes a detection.
    pub fn detected(&mut self, d: &DetectReport) {
        self.detections += 1;
        self.contacts = u64::from(d.contacts);
        self.groups = u64::from(d.groups);
        self.penetration = self.penetration.max(d.deepest.map_or(0.0, |p| p.depth));
    }
}
