use crate::{ahead, equal_steps};
use drystone_core::catalogue::Implementation;
use drystone_core::{Kernel, Restore, Save, Scope, SolveReport, StepFailure, TimeControl, TimeReport};

/// Rates at which joints leave their constraints (m/s or rad/s) that may be left to the next step.
const NEGLIGIBLE: f64 = 1e-9;

pub(crate) const DESCRIPTION: Implementation = Implementation {
    name: "leapfrog",
    summary: "half a drift, forces and constraints at the midpoint, half a drift, projection: order 2 for joints, symmetric",
    source: "Strang 1968; SHAKE and RATTLE (Ryckaert 1977, Andersen 1983) in their position-first form; (6.76), (6.78)",
    parameters: Leapfrog::PARAMETERS,
};

in_predictive_steps! {
    /// Equal symmetric steps: drift for `h / 2`, detect, solve for `h`, drift for `h / 2`, project.
    ///
    /// The solve sees Jacobians and forces of the midpoint. A joint's row asks there for the mirror image of the velocity at
    /// which its bodies came (`-h/2` of its curvature, of which they bring `+h/2`), so that the two halves of the drift leave the
    /// constraint and come back to it: the method of [`crate::FixedStep`] with the solves half a step later, which makes poses and
    /// velocities belong to the same time and the error of a mechanism fall with `h^2` instead of `h`. Free fall and anything that only
    /// drifts are exact.
    ///
    /// A first solve knows neither the velocities that damping will see nor, beyond the curvature of their rows, the directions that
    /// joints will have at the end of the step. Further solves (`refinements`) are told both: forces at the mean of the velocities
    /// before and after, and velocities that are tangent to the constraints at the end. What is not tangent there is lost in the next
    /// solve, always to the same side, which costs energy where a mechanism turns fast.
    ///
    /// A solve looks a whole step ahead, into the first half of the next drift. Bodies placed since the last step, as all
    /// are before the first one, have no look-ahead. If one of them may hit something, this step detects and solves at its
    /// start and drifts as a whole (first order, once); half a drift that brought bodies into something is taken back.
    ///
    /// Projection is Newton's method on the joints' equations: its rounds go on until no error is left above the slop
    /// of the constraint solver, and velocities are not touched.
    ///
    /// # Source
    /// G. Strang, "On the construction and comparison of difference schemes", 1968; J.-P. Ryckaert et al. 1977 (SHAKE), H. C. Andersen
    /// 1983 (RATTLE). Differs in: the multipliers come from the velocity problem with the curvature of the rows, so that limits,
    /// contacts and friction are solved with the joints.
    Leapfrog {
        /// maximum further solves per step, with forces at the mean velocity and end velocities that the joints allow; none if nothing changes
        refinements: u32 = integer(2, 0, 100),
        /// maximum projection rounds per step, each with re-evaluated rows; they end once no error exceeds the slop
        projections: u32 = integer(8, 1, 1000),
    }
}

impl Leapfrog {
    /// A step of fast bodies that were just placed: contacts are solved where they start, for as long as nobody looks again.
    fn first_step(
        &self,
        kernel: &mut dyn Kernel,
        [h, end]: [f64; 2],
        report: &mut TimeReport,
    ) -> Result<(), StepFailure> {
        kernel.stagger(h);
        report.resolve.merge(&kernel.resolve(Scope::All, 1.5 * h)?);
        report.solve.merge(&kernel.solve(Scope::All, h, 1.5 * h)?);
        kernel.drift(Scope::All, h)?;
        self.finish(kernel, end, report)?;
        kernel.synchronize(h);
        Ok(())
    }

    /// A first solve at the midpoint, and further ones that know what the earlier ones showed.
    fn solve(&self, kernel: &mut dyn Kernel, h: f64, report: &mut TimeReport) -> Result<(), StepFailure> {
        let mut last = kernel.solve(Scope::All, h, h)?;
        report.solve.merge(&last);
        // an impact changes velocities at the midpoint: they then do not show where bodies came from
        let refinements = if kernel.resolves_impacts() || h <= 0.0 { 0 } else { self.refinements };
        for _ in 0..refinements {
            // work that was too much once is not tried again
            if last.fallbacks > 0 {
                break;
            }
            let Some(again) = refine(kernel, h)? else { break };
            report.solve.merge(&again);
            last.merge(&again);
        }
        Ok(())
    }

    /// The end of a step: scripts, projection, the clock.
    fn finish(&self, kernel: &mut dyn Kernel, end: f64, report: &mut TimeReport) -> Result<(), StepFailure> {
        kernel.script(end)?;
        kernel.refresh(Scope::All, None);
        let mut round = kernel.correct(Scope::All)?;
        report.correction.merge(&round);
        for _ in 1..self.projections {
            // done, or too much work for the solver: sweeps have taken out what they can
            if round.lcp.solves == round.finished || round.fallbacks > 0 {
                break;
            }
            round = kernel.correct_again()?;
            report.correction.merge(&round);
        }
        kernel.set_time(end);
        report.sub_steps += 1;
        Ok(())
    }
}

/// Solves a step of `h` seconds once more, knowing what the last solve at its midpoint showed: external forces are those at the mean velocity, and joints hold
/// their bodies at the end of the step. `None` if neither says anything new; velocities then stay as they are.
fn refine(kernel: &mut dyn Kernel, h: f64) -> Result<Option<SolveReport>, StepFailure> {
    let other_forces = kernel.mean_forces(Scope::All);
    if !kernel.has_joints() {
        return if other_forces { kernel.solve_again(Scope::All, h, h, &[]).map(Some) } else { Ok(None) };
    }
    let departure = kernel.departure(Scope::All, 0.5 * h);
    if !other_forces && departure.largest <= NEGLIGIBLE {
        return Ok(None);
    }
    // curvature made that rate over half a step
    kernel.solve_again(Scope::All, h, h, &[(departure, 2.0 / h)]).map(Some)
}

impl TimeControl for Leapfrog {
    fn name(&self) -> &'static str {
        DESCRIPTION.name
    }

    fn advance(&mut self, kernel: &mut dyn Kernel, dt: f64) -> Result<TimeReport, StepFailure> {
        let mut report = TimeReport::default();
        equal_steps(kernel.time(), dt, self.sub_steps, |t, h, end| {
            kernel.script(t)?;
            // the last solve of a frame looks half a step into the next one, but nobody looked for what was placed since
            let unseen = self.predictive && report.sub_steps == 0 && kernel.is_unseen(f64::INFINITY);
            if unseen && kernel.is_unseen(0.5 * h) {
                let seen = kernel.detect(Scope::All, ahead(1.5 * h))?;
                report.detected(&seen);
                if seen.contacts > 0 {
                    return self.first_step(kernel, [h, end], &mut report);
                }
            }
            let start = unseen.then(|| kernel.save(Scope::All, Save::Motion));
            kernel.drift(Scope::All, 0.5 * h)?;
            kernel.script(t + 0.5 * h)?;
            let deepest = report.penetration;
            report.detected(&kernel.detect(Scope::All, self.look_ahead(h))?);
            if let Some(start) = start {
                let went_in = kernel.went_in(0.5 * h);
                if went_in {
                    kernel.restore(Scope::All, start, Restore::All);
                }
                kernel.release(start);
                if went_in {
                    kernel.script(t)?;
                    // what is taken back did not happen
                    report.penetration = deepest;
                    report.rollbacks += 1;
                    report.detected(&kernel.detect(Scope::All, ahead(1.5 * h))?);
                    return self.first_step(kernel, [h, end], &mut report);
                }
            }
            report.resolve.merge(&kernel.resolve(Scope::All, h)?);
            self.solve(kernel, h, &mut report)?;
            kernel.drift(Scope::All, 0.5 * h)?;
            self.finish(kernel, end, &mut report)
        })?;
        Ok(report)
    }
}
