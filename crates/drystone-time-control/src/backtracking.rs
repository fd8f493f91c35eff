use crate::Tableau;
use crate::step_end::project;
use crate::tableau::Stages;
use drystone_core::{
    BodyPair, ContactSet, DetectMode, Instant, Kernel, Levels, PairRecord, Rate, RateOf, Restore, Save, Scope,
    StepFailure, TimeReport, choice, settings,
};

/// The levels at which [`Backtracking`] calls the constraint solver: impacts too, to stop what arrives without a bounce before anything moves.
pub(crate) const NEEDS: Levels = Levels::IMPULSES;

choice! {
    /// Response to a collision that a step missed.
    #[derive(Default)]
    pub enum Response {
        /// Back to the time of impact: the collision solver and the next step see the contact there.
        #[default]
        Impact = "impact",
        /// Back to the start of the step, which is done again with the contact.
        Tracking = "tracking",
    }
}

choice! {
    /// Search method for a time of impact.
    #[derive(Default)]
    pub enum Search {
        /// The root of the distance by regula falsi with the Illinois rule, halved where that would not move.
        #[default]
        Root = "root",
        /// By halving.
        Bisection = "bisection",
    }
}

settings! {
    /// Steps that are taken back where they went into something.
    ///
    /// # Source
    /// B-03, B-04, B-05, B-06, B-07, B-08, B-16, B-17, B-18, B-21; thesis 4.12 and 4.12.1, Figures 4.17, 4.23 and 4.24; Baraff 1989, section 4, and 1995, section 5. The printed
    /// algorithms are mended: Figure 4.24 has no branch for a step that meets nothing, Figure 4.17 forgets the contacts that it added, and Figure
    /// 4.23 updates velocities by those of the frame's start over the whole frame. A violation by a contact that is known is the concave boundary of
    /// Figure 4.19, or the drift of a resting contact: no smaller step cures it, so the step stands, and projection takes it out.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Backtracking {
        /// surfaces closer than this are in contact; an overlap deeper than this is a missed collision (m)
        tolerance: f64 = real(1e-4, 1e-9, 1.0), // N-11
        /// response to a missed collision: go back to the time of impact, or redo the step with its contact
        response: Response = choice(Impact),
        /// how times of impact are found: by root search or bisection
        search: Search = choice(Root),
        /// maximum backtracks per frame; after that, steps are kept as they are, and errors projected
        backtracks: u32 = integer(64, 0, 1_000_000),
    }
}

/// Most evaluations of a distance in a search: halving then finds any time to rounding.
const EVALUATIONS: u32 = 60;
/// The least time within which a contact arrives, as a fraction of the step.
const INSTANT: f64 = 1e-3;
/// Steps are made no shorter than this fraction of a stretch for bodies that move farther than their size. A thousandth would let a ball of 1 cm at 2 km/s through a thin wall.
const SHORTEST: f64 = 1e-4;
/// Stretches shorter than this fraction of the step are no progress.
const PROGRESS: f64 = 1e-9;

/// A part of a frame: which bodies, from when to when (s).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stretch {
    pub(crate) scope: Scope,
    pub(crate) from: f64,
    pub(crate) to: f64,
}

/// Result of a step.
enum Step {
    /// It went on for this long (s).
    Went(f64),
    /// A body may have met one outside.
    Crossed(BodyPair),
}

/// A motion from a start, along which a time of impact is sought.
pub(crate) struct Motion {
    pub(crate) scope: Scope,
    pub(crate) start: Instant,
    pub(crate) from: f64,
    /// Its length (s).
    pub(crate) h: f64,
    pub(crate) curve: Curve,
}

/// The curve of a motion.
pub(crate) enum Curve {
    /// The parabola between the rates at its start and at its end: of motion, and of a step.
    Parabola([Rate; 2]),
    /// The motion that the stages of a Runge-Kutta step give within it.
    Stages(Tableau, Stages),
}

impl Motion {
    /// The state after `c` seconds.
    pub(crate) fn at(&self, kernel: &mut dyn Kernel, c: f64) -> Result<(), StepFailure> {
        match &self.curve {
            Curve::Parabola(rates) => {
                let bent = 0.5 * c * c / self.h;
                kernel.combine(self.start, &[(rates[0], c - bent), (rates[1], bent)])?;
            }
            Curve::Stages(tableau, stages) => {
                stages.sum(kernel, self.start, self.h, &tableau.weights_at(c / self.h))?;
            }
        }
        kernel.script(self.from + c)
    }

    /// Distance of a pair after `c` seconds (m).
    fn distance(&self, kernel: &mut dyn Kernel, pair: BodyPair, c: f64) -> Result<f64, StepFailure> {
        self.at(kernel, c)?;
        kernel.detect(Scope::Pair(pair), DetectMode { proximity_only: true, ..DetectMode::default() })?;
        Ok(kernel.pairs(Scope::Pair(pair)).first().map_or(f64::INFINITY, |r| r.distance))
    }
}

impl Backtracking {
    /// Takes bodies through a stretch of time. If they may have met bodies outside it and this ends it, returns the pair.
    pub(crate) fn advance(
        &self,
        kernel: &mut dyn Kernel,
        stretch: Stretch,
        report: &mut TimeReport,
    ) -> Result<Option<BodyPair>, StepFailure> {
        let Stretch { scope, from, to } = stretch;
        let (mut now, mut left) = (from, self.backtracks);
        while now < to {
            kernel.script(now)?;
            let here = DetectMode { envelope: Some(self.tolerance), provisional: true, ..DetectMode::default() };
            let found = kernel.detect(scope, here)?;
            note(report, scope, &found);
            if found.crossing.is_some() {
                return Ok(found.crossing);
            }
            let arrival = arrival(kernel.pairs(scope), to - now);
            report.resolve.merge(&kernel.resolve(scope, arrival)?);
            if kernel.pairs(scope).iter().any(|r| r.held) {
                // a contact that arrives without a bounce stops here, before anything moves
                report.solve.merge(&kernel.solve(scope, 0.0, to - now)?);
            }
            // after the impacts here: a blow may have thrown something
            let until = match seen_until(kernel, stretch, now)? {
                Seen::Until(until) => until,
                Seen::Crossed(pair) => return Ok(Some(pair)),
            };
            let start = kernel.save(scope, Save::Contacts);
            let step = self.step(kernel, Stretch { scope, from: now, to: until }, start, &mut left, report)?;
            kernel.release(start);
            kernel.release_rates();
            match step {
                Step::Crossed(pair) => return Ok(Some(pair)),
                Step::Went(h) => now = if h >= until - now { until } else { now + h },
            }
            report.sub_steps += 1;
        }
        Ok(None)
    }

    /// A step to the end of the stretch, or to the first collision on the way.
    fn step(
        &self,
        kernel: &mut dyn Kernel,
        stretch: Stretch,
        start: Instant,
        left: &mut u32,
        report: &mut TimeReport,
    ) -> Result<Step, StepFailure> {
        let Stretch { scope, from, to } = stretch;
        let h = to - from;
        let mut horizon = h;
        loop {
            // forces in the middle: free flight is then the parabola, however a frame is cut
            kernel.drift(scope, 0.5 * h)?;
            kernel.script(from + 0.5 * h)?;
            kernel.renew(scope)?;
            report.solve.merge(&kernel.solve(scope, h, horizon)?);
            kernel.drift(scope, 0.5 * h)?;
            kernel.script(to)?;
            let there =
                DetectMode { contacts: ContactSet::Union, envelope: Some(self.tolerance), ..DetectMode::default() };
            let deepest = report.penetration;
            let found = kernel.detect(scope, there)?;
            note(report, scope, &found);
            if let Some(pair) = found.crossing {
                return Ok(Step::Crossed(pair));
            }
            let deep = -self.tolerance;
            report.concave += kernel.pairs(scope).iter().filter(|r| r.known && r.distance < deep).count() as u64;
            let Some(missed) = self.deepest(kernel.pairs(scope), |r| !r.known) else { break };
            if *left == 0 {
                break;
            }
            *left -= 1;
            report.rollbacks += 1;
            // what is taken back did not happen
            report.penetration = deepest;
            if self.response == Response::Tracking {
                // contacts found there belong to the step
                kernel.restore(scope, start, Restore::Motion);
                kernel.script(from)?;
                kernel.refresh(scope, None);
                // before anything moves: half a step at the velocity that missed it would go through it, and what is left then closes in the other half
                report.solve.merge(&kernel.solve(scope, 0.0, h)?);
                horizon = 0.5 * h;
                continue;
            }
            kernel.restore(scope, start, Restore::All);
            kernel.script(from)?;
            let (motion, first) = kernel.rate(scope, RateOf::Motion, h, h)?;
            let (step, second) = kernel.rate(scope, RateOf::Step, h, h)?;
            report.solve.merge(&first);
            report.solve.merge(&second);
            let motion = Motion { scope, start, from, h, curve: Curve::Parabola([motion, step]) };
            if let Some(c) = self.first_impact(kernel, &motion, missed.pair)? {
                return Ok(Step::Went(c));
            }
            // they touched from the start: a contact like those that are known
            motion.at(kernel, h)?;
            kernel.detect(scope, there)?;
            report.concave += 1;
            break;
        }
        project(kernel, scope, report)?;
        Ok(Step::Went(h))
    }

    /// The deepest overlap beyond the tolerance among some records.
    pub(crate) fn deepest(&self, records: &[PairRecord], counts: impl Fn(&PairRecord) -> bool) -> Option<PairRecord> {
        let deep = records.iter().filter(|r| r.distance < -self.tolerance && counts(r));
        deep.min_by(|a, b| a.distance.total_cmp(&b.distance)).copied()
    }

    /// The time of the first impact of a motion, with the state there. If a pair that was found later meets earlier, the time moves back. `None` if the pair
    /// touches at the start already.
    fn first_impact(
        &self,
        kernel: &mut dyn Kernel,
        motion: &Motion,
        pair: BodyPair,
    ) -> Result<Option<f64>, StepFailure> {
        self.first_crossing(kernel, motion, pair, |_| 0.0)
    }

    /// The time at which the first pair gets as close as `level` says for its record, with the state there; `None` if the given pair is that close at the start
    /// already.
    pub(crate) fn first_crossing(
        &self,
        kernel: &mut dyn Kernel,
        motion: &Motion,
        mut pair: BodyPair,
        level: impl Fn(&PairRecord) -> f64,
    ) -> Result<Option<f64>, StepFailure> {
        let look = DetectMode { proximity_only: true, ..DetectMode::default() };
        let mut end = motion.h;
        // pairs that meet there have records
        motion.at(kernel, end)?;
        kernel.detect(motion.scope, look)?;
        for _ in 0..EVALUATIONS {
            let own = kernel.pairs(motion.scope).iter().find(|r| r.pair == pair).map_or(0.0, &level);
            let Some(c) = self.root(kernel, motion, pair, [end, own])? else { return Ok(None) };
            end = c;
            motion.at(kernel, end)?;
            kernel.detect(motion.scope, look)?;
            let earlier = self.deepest(kernel.pairs(motion.scope), |r| !r.held && r.pair != pair);
            match earlier {
                Some(other) => pair = other.pair,
                None => break,
            }
        }
        Ok(Some(end))
    }

    /// When the distance of a pair falls to `level`, at most the tolerance away from zero, between zero and `end` seconds: to within half the tolerance at zero.
    fn root(
        &self,
        kernel: &mut dyn Kernel,
        motion: &Motion,
        pair: BodyPair,
        [end, level]: [f64; 2],
    ) -> Result<Option<f64>, StepFailure> {
        let near = 0.5 * (self.tolerance - level.abs());
        let (mut lo, mut hi) = (0.0, end);
        let above = |kernel: &mut dyn Kernel, c: f64| -> Result<f64, StepFailure> {
            Ok(motion.distance(kernel, pair, c)? - level)
        };
        let (mut apart, mut over) = (above(kernel, lo)?, above(kernel, hi)?);
        if apart <= near {
            return Ok(None);
        }
        if over >= -near {
            return Ok(Some(end));
        }
        for _ in 0..EVALUATIONS {
            let secant = lo + (hi - lo) * apart / (apart - over);
            let inside = secant > lo && secant < hi && apart.is_finite();
            let c = if self.search == Search::Root && inside { secant } else { 0.5 * (lo + hi) };
            let d = above(kernel, c)?;
            if d.abs() <= near {
                return Ok(Some(c).filter(|c| *c > PROGRESS * end));
            }
            // the end that stays counts half from the second time on
            if d > 0.0 {
                (lo, apart, over) = (c, d, 0.5 * over);
            } else {
                (hi, over, apart) = (c, d, 0.5 * apart);
            }
        }
        // a distance that jumps: the last time at which they were apart
        Ok(Some(lo).filter(|c| *c > PROGRESS * end))
    }
}

/// Extent to which a step may go.
pub(crate) enum Seen {
    /// Until this time (s).
    Until(f64),
    /// A body may have met one outside.
    Crossed(BodyPair),
}

/// Until when a step from `now` may go, so that a detection at its end finds all that bodies ran into: what moves farther than its size would be behind it by then.
pub(crate) fn seen_until(
    kernel: &mut dyn Kernel,
    Stretch { scope, from, to }: Stretch,
    now: f64,
) -> Result<Seen, StepFailure> {
    let left = to - now;
    if !kernel.goes_far(left) {
        return Ok(Seen::Until(to));
    }
    let ahead = DetectMode { look_ahead: left, proximity_only: true, provisional: true, ..DetectMode::default() };
    if let Some(pair) = kernel.detect(scope, ahead)?.crossing {
        return Ok(Seen::Crossed(pair));
    }
    let seen = kernel.pairs(scope).iter().map(PairRecord::not_through_before).fold(left, f64::min);
    let seen = seen.max(SHORTEST * (to - from));
    Ok(Seen::Until(if seen < left { now + seen } else { to }))
}

/// The time (s), at most `h`, within which the contacts that are closing will have closed: collisions are resolved where bodies are, not where forces will have
/// brought them by the end of the step.
pub(crate) fn arrival(records: &[PairRecord], h: f64) -> f64 {
    let closing = records.iter().filter(|r| r.held && r.approach > 0.0);
    let last = closing.map(|r| 2.0 * r.distance.max(0.0) / r.approach).fold(f64::NEG_INFINITY, f64::max);
    if last >= 0.0 { last.clamp(INSTANT * h, h) } else { h }
}

/// Notes a detection; only one of all bodies says how many contacts and groups there are.
pub(crate) fn note(report: &mut TimeReport, scope: Scope, found: &drystone_core::DetectReport) {
    let (contacts, groups) = (report.contacts, report.groups);
    report.detected(found);
    if scope != Scope::All {
        (report.contacts, report.groups) = (contacts, groups);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_core::ClosingBound;

    fn record(distance: f64, approach: f64, held: bool) -> PairRecord {
        PairRecord {
            pair: BodyPair::ordered(0, 1),
            distance,
            bound: ClosingBound { closing: approach, bend: 0.0 },
            approach,
            thickness: 1.0,
            ways: f64::INFINITY,
            moves: [true; 2],
            held,
            known: false,
        }
    }

    #[test]
    fn an_arrival_is_that_of_the_last_contact_that_closes() {
        let h = 0.1;
        // 1 cm at 1 m/s, and a reserve of as much
        let closing = record(0.01, 1.0, true);
        assert_eq!(arrival(&[closing], h), 0.02);
        // what parts, stands still, or holds nothing does not count
        for other in [record(0.03, -1.0, true), record(0.03, 0.0, true), record(0.03, 1.0, false)] {
            assert_eq!(arrival(&[other], h), h, "{other:?}");
            assert_eq!(arrival(&[closing, other], h), 0.02, "{other:?}");
        }
        // the last of two, within the step, and not at once
        assert_eq!(arrival(&[closing, record(0.03, 1.0, true)], h), 0.06);
        assert_eq!(arrival(&[record(3.0, 1.0, true)], h), h);
        assert_eq!(arrival(&[record(-0.01, 1.0, true)], h), INSTANT * h);
    }

    #[test]
    fn the_deepest_is_one_that_counts_and_beyond_the_tolerance() {
        let search = Backtracking { tolerance: 1e-3, ..Backtracking::default() };
        let [shallow, deep] = [record(-0.5e-3, 1.0, true), record(-2e-3, 1.0, true)];
        let deepest = record(-3e-3, 1.0, false);
        assert_eq!(search.deepest(&[shallow], |_| true), None);
        assert_eq!(search.deepest(&[shallow, deep, deepest], |_| true), Some(deepest));
        assert_eq!(search.deepest(&[shallow, deep, deepest], |r| r.held), Some(deep));
    }
}
