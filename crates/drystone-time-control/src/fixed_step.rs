use crate::equal_steps;
use crate::step_end::drift_to;
use drystone_core::catalogue::Implementation;
use drystone_core::{Kernel, Restore, Save, Scope, StepFailure, TimeControl, TimeReport, choice};

pub(crate) const DESCRIPTION: Implementation = Implementation {
    name: "fixed",
    summary: "equal steps: detect, resolve impacts, constrain velocities, move, project",
    source: "Erleben 2005, section 2.2.1, equation (6.76)", // B-01, B-15
    parameters: FixedStep::PARAMETERS,
};

choice! {
    /// Quantities that a sub-step after the first evaluates anew.
    #[derive(Default)]
    pub enum Evaluation {
        /// Contacts and forces.
        #[default]
        Eager = "eager",
        /// Forces, at the contacts found at the start of the frame.
        Moderate = "moderate",
        /// Nothing: the forces of the first sub-step go on, for what is no longer there too. Impacts are not repeated.
        Lazy = "lazy",
    }
}

in_predictive_steps! {
    /// Euler steps of equal length with constrained velocities.
    ///
    /// A joint is held by its tangent where the step begins; one whose bodies turn by much of a radian in the step leaves it, and what projection brings back
    /// costs the motion its order and at last its stability: a chain that swings with a heavy end tears. Take [`crate::Leapfrog`] then, or a constraint solver that
    /// moves groups with joints in small steps.
    ///
    /// # Source
    /// B-01, B-15, B-20, B-26, thesis (6.76) with the projection of (6.78) at the new positions; A-13, thesis 2.2.3. Steps that look ahead are larger without going into each other (B-30).
    FixedStep {
        /// what each sub-step repeats: detection and forces, forces alone, or only motion
        evaluation: Evaluation = choice(Eager) unless sub_steps is ["1"],
    }
}

/// The fraction of a sub-step within which nothing arrives: what touches is held, and nothing else.
const INSTANT: f64 = 1e-6;

impl FixedStep {
    /// Returns true if sub-steps repeat the forces of the first one.
    fn repeats_forces(self) -> bool {
        self.evaluation == Evaluation::Lazy && self.sub_steps > 1
    }
}

/// Velocities of a sub-step of `h` seconds under lazy evaluation. The first one of a frame of `dt` seconds resolves what arrives in the whole frame. The others repeat the
/// forces: those of a solve after it, in which there is no impact any more.
fn repeat(kernel: &mut dyn Kernel, [dt, h]: [f64; 2], report: &mut TimeReport) -> Result<(), StepFailure> {
    if report.sub_steps > 0 {
        return kernel.repeat(Scope::All);
    }
    report.resolve.merge(&kernel.resolve(Scope::All, dt)?);
    report.solve.merge(&kernel.solve(Scope::All, h, dt)?);
    let first = kernel.save(Scope::All, Save::Motion);
    report.solve.merge(&kernel.solve(Scope::All, h, INSTANT * h)?);
    kernel.restore(Scope::All, first, Restore::Velocities);
    kernel.release(first);
    Ok(())
}

impl TimeControl for FixedStep {
    fn name(&self) -> &'static str {
        DESCRIPTION.name
    }

    // displacements are not repeated with velocities
    fn solves_elsewhere(&self) -> bool {
        self.repeats_forces()
    }

    fn repeats(&self) -> bool {
        self.evaluation == Evaluation::Eager
    }

    fn advance(&mut self, kernel: &mut dyn Kernel, dt: f64) -> Result<TimeReport, StepFailure> {
        let mut report = TimeReport::default();
        equal_steps(kernel.time(), dt, self.sub_steps, |t, h, end| {
            kernel.script(t)?;
            match (report.sub_steps, self.evaluation) {
                (0, Evaluation::Moderate | Evaluation::Lazy) => {
                    // these contacts are the frame's
                    report.detected(&kernel.detect(Scope::All, self.look_ahead(dt))?);
                }
                (_, Evaluation::Eager) => report.detected(&kernel.detect(Scope::All, self.look_ahead(h))?),
                _ => kernel.refresh(Scope::All, None),
            }
            if report.sub_steps == 0 {
                kernel.stagger(h);
            }
            if self.repeats_forces() {
                repeat(kernel, [dt, h], &mut report)?;
            } else {
                report.resolve.merge(&kernel.resolve(Scope::All, h)?);
                if self.evaluation == Evaluation::Eager {
                    kernel.expect_projection();
                }
                report.solve.merge(&kernel.solve(Scope::All, h, h)?);
            }
            drift_to(kernel, [h, end], &mut report)
        })?;
        kernel.synchronize(dt / f64::from(self.sub_steps));
        Ok(report)
    }
}
