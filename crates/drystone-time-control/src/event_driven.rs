use crate::backtracking::{Backtracking, Curve, Motion, arrival};
use crate::tableau::Ahead;
use crate::{Tableau, equal_steps, no_progress};
use drystone_core::catalogue::{Implementation, chosen};
use drystone_core::{
    Bouncing, DetectMode, Instant, Kernel, Levels, PairRecord, Restore, Save, Scope, StepFailure, TimeControl,
    TimeReport,
};

pub(crate) const DESCRIPTION: Implementation = Implementation {
    name: "event-driven",
    summary: "explicit Runge-Kutta steps of accelerations from collision to collision: contacts fixed within a step, times of impact by root search",
    source: "Baraff 1989, section 4; Baraff 1995, equations (4) and (5)",
    parameters: &chosen(
        EventDriven::PARAMETERS,
        ["sub_steps", "method", "most_steps", "tolerance", "search", "backtracks"],
    ),
};

/// The fraction of a step within which impulses without a collision are found: forces add nothing in it.
const INSTANT: f64 = 1e-6;

/// Most times a step is halved because its stages run away.
const HALVINGS: u32 = 12;

in_equal_steps! {
    /// Runge-Kutta steps between collisions, as analytic simulators have them.
    ///
    /// At the start of each step what positions have drifted is taken out, impacts are resolved and contacts that rest are brought to rest exactly. Then accelerations are integrated with the
    /// contacts found there. Where bodies overlap at its end by more than the tolerance, the time when they met is searched along what the stages give within the
    /// step, and the step ends there. Two bodies that touch already and run into each other elsewhere, such as a block that tips over, are caught at half the
    /// tolerance.
    ///
    /// An explicit method is of no use where the step is long against what the joints' tension makes of light bodies: each such step throws them further. The stages tell
    /// ([`Stages::runaway`]), and the step is halved. Where the solves of the frame have spent their work, the rest of it is one step, whatever the stages tell and whoever meets in it: they
    /// are not to be had at any price. Of the tableaus, `classical` and `dormand-prince` have the two stages that it takes.
    ///
    /// # When it fails
    /// A body that is fast enough to pass through another body within a step does: nothing is looked at but its end.
    /// If tensions of light bodies ask for ever shorter steps, the frame ends with
    /// [`FailureKind::NoProgress`](drystone_core::FailureKind::NoProgress).
    ///
    /// # Source
    /// B-16, B-18, B-21, B-22, C-04, C-05; Baraff 1989, section 4; Baraff 1995, equations (4) and (5).
    EventDriven {
        /// Runge-Kutta method: orders 1, 2, 2, 4, 3 and 5; the last two are embedded pairs
        tableau "method": Tableau = choice(CLASSICAL),
        /// maximum steps per frame, including those between collisions and halved ones; a frame that needs more fails
        most_steps: u32 = integer(2000, 1, 1_000_000_000),
        /// how times of impact are found
        search: Backtracking = all(),
    }
}

impl EventDriven {
    /// From `from` to `to`, in as many steps as there are collisions.
    fn stretch(
        &self,
        kernel: &mut dyn Kernel,
        [from, to]: [f64; 2],
        report: &mut TimeReport,
    ) -> Result<(), StepFailure> {
        let (mut now, mut left) = (from, self.search.backtracks);
        // steps are no longer than the stages of the one before allowed
        let mut most = to - from;
        while now < to {
            if report.sub_steps >= u64::from(self.most_steps) {
                return Err(no_progress(now));
            }
            let whole = most >= to - now || report.solve.exhausted > 0;
            let h = if whole { to - now } else { most };
            kernel.script(now)?;
            let here = DetectMode { envelope: Some(self.search.tolerance), ..DetectMode::default() };
            report.detected(&kernel.detect(Scope::All, here)?);
            report.correction.merge(&kernel.correct(Scope::All)?);
            kernel.refresh(Scope::All, None);
            let horizon = arrival(kernel.pairs(Scope::All), h);
            let here = kernel.save(Scope::All, Save::Motion);
            report.resolve.merge(&kernel.resolve(Scope::All, horizon)?);
            // bodies that were to meet have met: none turns later on
            kernel.restore(Scope::All, here, Restore::Poses);
            kernel.release(here);
            report.solve.merge(&kernel.solve(Scope::All, 0.0, h)?);
            let jams = note_forces(kernel, h, report)?;
            if jams > 0 {
                // no forces do: impulses, without a collision, and again
                let instant = INSTANT * h;
                report.solve.merge(&kernel.solve(Scope::All, instant, instant)?);
                report.resolve.discontinuities += jams;
                note_forces(kernel, h, report)?;
            }
            let start = kernel.save(Scope::All, Save::Contacts);
            let (went, calm) = self.step(kernel, start, [now, h], &mut left, report)?;
            kernel.release(start);
            kernel.release_rates();
            most = calm;
            let then = if whole && went >= h { to } else { now + went };
            if then <= now {
                return Err(no_progress(now));
            }
            now = then;
            report.sub_steps += 1;
        }
        Ok(())
    }

    /// A step of at most `h` seconds, or to the first collision on the way. Returns how long it went on, and how long the next may be (s).
    fn step(
        &self,
        kernel: &mut dyn Kernel,
        start: Instant,
        [now, mut h]: [f64; 2],
        left: &mut u32,
        report: &mut TimeReport,
    ) -> Result<(f64, f64), StepFailure> {
        let mut stages = self.tableau.stages(kernel, start, ([now, h], Ahead::WholeStep), report)?;
        let mut runaway = stages.runaway(&self.tableau, kernel, start, h)?;
        for _ in 0..HALVINGS {
            if !runaway.exceeds(self.search.tolerance) || report.solve.exhausted > 0 {
                break;
            }
            kernel.restore(Scope::All, start, Restore::All);
            kernel.release_rates();
            kernel.script(now)?;
            report.rollbacks += 1;
            h *= 0.5;
            stages = self.tableau.stages(kernel, start, ([now, h], Ahead::WholeStep), report)?;
            runaway = stages.runaway(&self.tableau, kernel, start, h)?;
        }
        let calm = if runaway.is_calm() { 2.0 * h } else { h };
        stages.sum(kernel, start, h, self.tableau.weights)?;
        kernel.script(now + h)?;
        let deep = -self.search.tolerance;
        let look = DetectMode { proximity_only: true, ..DetectMode::default() };
        report.detections += 1;
        kernel.detect(Scope::All, look)?;
        if *left > 0
            && report.solve.exhausted == 0
            && let Some(missed) = self.search.deepest(kernel.pairs(Scope::All), |_| true)
        {
            *left -= 1;
            report.rollbacks += 1;
            // what touched at the start has a distance of about zero there
            let level = |r: &PairRecord| if r.held { 0.5 * deep } else { 0.0 };
            let curve = Curve::Stages(self.tableau, stages);
            let motion = Motion { scope: Scope::All, start, from: now, h, curve };
            kernel.restore(Scope::All, start, Restore::All);
            kernel.script(now)?;
            if let Some(c) = self.search.first_crossing(kernel, &motion, missed.pair, level)? {
                return Ok((c, calm));
            }
            // deeper than that from the start: no smaller step cures it
            report.concave += 1;
            stages.sum(kernel, start, h, self.tableau.weights)?;
            kernel.script(now + h)?;
        }
        Ok((h, calm))
    }
}

/// Makes the forces at the start of a step known: multipliers for the next one, and reactions of joints. Velocities stay as they are. Returns how many groups
/// had no admissible forces.
fn note_forces(kernel: &mut dyn Kernel, h: f64, report: &mut TimeReport) -> Result<u64, StepFailure> {
    let before = kernel.save(Scope::All, Save::Motion);
    let solved = kernel.solve(Scope::All, h, h)?;
    kernel.restore(Scope::All, before, Restore::Velocities);
    kernel.release(before);
    report.solve.merge(&solved);
    Ok(solved.inconsistent)
}

impl TimeControl for EventDriven {
    fn name(&self) -> &'static str {
        DESCRIPTION.name
    }

    fn needs(&self) -> Levels {
        Levels { impact: true, ..Levels::ACCELERATION }
    }

    fn sweeps_ways(&self) -> bool {
        false
    }

    // a solve at an instant stops what arrives
    fn bouncing(&self) -> Bouncing {
        Bouncing::ByCollisionSolver
    }

    fn advance(&mut self, kernel: &mut dyn Kernel, dt: f64) -> Result<TimeReport, StepFailure> {
        let mut report = TimeReport::default();
        equal_steps(kernel.time(), dt, self.sub_steps, |from, _, to| {
            self.stretch(kernel, [from, to], &mut report)?;
            kernel.set_time(to);
            Ok(())
        })?;
        Ok(report)
    }
}
