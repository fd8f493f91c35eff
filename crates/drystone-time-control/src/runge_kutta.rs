use crate::tableau::{Ahead, Stages};
use crate::{Tableau, equal_steps, no_progress};
use drystone_core::catalogue::Implementation;
use drystone_core::{Bouncing, Instant, Kernel, Restore, Save, Scope, StepFailure, TimeControl, TimeReport};

pub(crate) const DESCRIPTION: Implementation = Implementation {
    name: "runge-kutta",
    summary: "explicit Runge-Kutta methods with contacts found once per step; step control by embedded pairs",
    source: "Baraff 1995, sections 4 and 8; Kutta 1901; Bogacki and Shampine 1989; Dormand and Prince 1980",
    parameters: RungeKutta::PARAMETERS,
};

/// Most times a step is halved before it is taken as it is.
const HALVINGS: u32 = 20;

in_predictive_steps! {
    /// Explicit Runge-Kutta steps.
    ///
    /// Contacts are found once a step and held through its stages, with gaps at the poses of each: a body that leaves an edge is carried until the step ends, at most
    /// (Baraff's "road-runner physics"). Stages are rates of motion, rigid joints holding accelerations, so that smooth motion is followed to the order of the method;
    /// where a contact opens or closes within the step it is of order one. The projection at the end takes out what positions drift, at contacts found there: those of
    /// the start have slid and rolled away.
    ///
    /// With an embedded pair and a tolerance, a step is halved until the difference of the two methods is below it, twenty times at most.
    ///
    /// # When it fails
    /// If the tolerance asks for ever shorter steps, such as of bodies that are thrown into one another, the frame ends
    /// with [`FailureKind::NoProgress`](drystone_core::FailureKind::NoProgress).
    ///
    /// # Source
    /// B-22, C-04 … C-06; Baraff 1995, sections 4 and 8.
    RungeKutta {
        /// Runge-Kutta method: orders 1, 2, 2, 4, 3 and 5; the last two are embedded pairs
        tableau "method": Tableau = choice(CLASSICAL),
        /// maximum error of a surface point per step, as estimated by an embedded pair (m); 0: equal steps
        tolerance: f64 = real(0.0, 0.0, 1.0) if method is ["bogacki-shampine", "dormand-prince"],
        /// maximum steps per frame under a tolerance, including halved ones; a frame that needs more fails
        most_steps: u32 = integer(2000, 1, 1_000_000_000),
    }
}

impl RungeKutta {
    /// Goes to the state at the end of a step. Returns how far the embedded method is off it (m).
    fn finish(&self, kernel: &mut dyn Kernel, start: Instant, h: f64, stages: &Stages) -> Result<f64, StepFailure> {
        let Tableau { weights, embedded, .. } = self.tableau;
        let sum = |kernel: &mut dyn Kernel, weights: &[f64]| stages.sum(kernel, start, h, weights);
        if self.tolerance == 0.0 || embedded.is_empty() {
            sum(kernel, weights)?;
            return Ok(0.0);
        }
        sum(kernel, embedded)?;
        let other = kernel.save(Scope::All, Save::Motion);
        sum(kernel, weights)?;
        let end = kernel.save(Scope::All, Save::Motion);
        let off = kernel.difference(other, end);
        kernel.release(other);
        kernel.release(end);
        Ok(off.way.max(off.speed * h))
    }

    /// From `t` to `end` in steps that are halved if they are too long.
    fn stretch(
        &self,
        kernel: &mut dyn Kernel,
        [mut t, end]: [f64; 2],
        report: &mut TimeReport,
    ) -> Result<(), StepFailure> {
        let mut h = end - t;
        let mut halvings = 0;
        kernel.script(t)?;
        report.detected(&kernel.detect(Scope::All, self.look_ahead(h))?);
        while t < end {
            if self.tolerance > 0.0 && report.sub_steps + report.rollbacks >= u64::from(self.most_steps) {
                return Err(no_progress(t));
            }
            // no smaller steps once the frame has spent its work
            let exhausted = report.solve.exhausted > 0;
            let last = t + h >= end || exhausted;
            h = if last { end - t } else { h };
            resolve(kernel, h, report)?;
            let start = kernel.save(Scope::All, Save::Contacts);
            let stages = self.tableau.stages(kernel, start, ([t, h], Ahead::ToItsEnd), report)?;
            let off = self.finish(kernel, start, h, &stages)?;
            kernel.release_rates();
            if off > self.tolerance && halvings < HALVINGS && report.solve.exhausted == 0 {
                kernel.restore(Scope::All, start, Restore::All);
                kernel.release(start);
                report.rollbacks += 1;
                halvings += 1;
                h *= 0.5;
                kernel.script(t)?;
                continue;
            }
            kernel.release(start);
            let then = if last { end } else { t + h };
            if then <= t {
                return Err(no_progress(t));
            }
            t = then;
            report.sub_steps += 1;
            // a step that was far more accurate than needed may have been too short
            let slack = 0.5_f64.powi(self.tableau.order as i32 + 1);
            if off < slack * self.tolerance && halvings > 0 {
                halvings -= 1;
                h *= 2.0;
            }
            // where bodies touch now: the anchors of contacts have slid and rolled away over the step
            kernel.script(t)?;
            report.detected(&kernel.detect(Scope::All, self.look_ahead(h))?);
            report.correction.merge(&kernel.correct(Scope::All)?);
            kernel.refresh(Scope::All, None);
        }
        Ok(())
    }
}

/// Resolves the impacts of the next `h` seconds.
///
/// A collision solver takes velocities for those of half a step before the poses, as equal steps of semi-implicit Euler have them. Here both belong to the same
/// instant. For the length of the call, velocities go back by half a step of the forces.
fn resolve(kernel: &mut dyn Kernel, h: f64, report: &mut TimeReport) -> Result<(), StepFailure> {
    if !kernel.resolves_impacts() {
        return Ok(());
    }
    let before = kernel.save(Scope::All, Save::Motion);
    kernel.apply_forces(Scope::All, -0.5 * h)?;
    let resolved = kernel.resolve(Scope::All, h)?;
    if resolved.discontinuities > 0 {
        kernel.apply_forces(Scope::All, 0.5 * h)?;
    } else {
        kernel.restore(Scope::All, before, Restore::Velocities);
    }
    kernel.release(before);
    report.resolve.merge(&resolved);
    Ok(())
}

impl TimeControl for RungeKutta {
    fn name(&self) -> &'static str {
        DESCRIPTION.name
    }

    fn sweeps_ways(&self) -> bool {
        false
    }

    // an impulse is no rate
    fn bouncing(&self) -> Bouncing {
        Bouncing::ByCollisionSolver
    }

    fn advance(&mut self, kernel: &mut dyn Kernel, dt: f64) -> Result<TimeReport, StepFailure> {
        let mut report = TimeReport::default();
        equal_steps(kernel.time(), dt, self.sub_steps, |t, _, end| {
            self.stretch(kernel, [t, end], &mut report)?;
            kernel.set_time(end);
            Ok(())
        })?;
        Ok(report)
    }
}
