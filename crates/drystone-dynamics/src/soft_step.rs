//! Small steps with soft constraints and a pass of relaxation.
//!
//! Each constraint C acts as a spring and damper of frequency omega and damping ratio zeta, whatever the masses. One sub-step of h seconds:
//!
//! ```text
//! v += h M^-1 F;   x += -mass (J v + rate C) / (J W J^T) - decay x   for each row, v += W J^T dx
//! q += h v;        the same sweep with rate = 0, mass = 1, decay = 0 (relaxation)
//! rate = omega / (2 zeta + h omega),   mass = k / (1 + k),   decay = 1 / (1 + k),   k = h omega (2 zeta + h omega)
//! ```
//!
//! Source: Catto, "Soft Constraints", 2011, and "Solver2D", 2024.

mod contacts;
mod parameters;
mod rows;

pub use parameters::{ErrorRule, SOFT_STEP_DESCRIPTION, SoftStepParameters, Spring};

use crate::moving::{self, MovingBody};
use contacts::SoftContacts;
use drystone_core::{
    ConstraintSolver, Executor, GroupAnswer, GroupProblem, Levels, ModuleKind, Resolves, SolveReport, Step, Unread,
};
use drystone_math::Real;
use rows::SoftRows;

/// Which constants a pass over the constraints has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Pass {
    /// Errors are taken out by velocities.
    Biased,
    /// The same constraints without errors, so that what took them out does not stay as velocity.
    Relaxed,
}

/// Small steps with soft contacts: sequential impulses a few times a step at the poses that bodies have by then, errors taken out as by damped
/// springs, and their velocity taken back at once by a second pass without errors.
///
/// One sub-step: forces, the impulses of the last one, a sweep with bias, motion, a sweep without bias. Restitution comes last, once a step, and friction by what it adds. Each
/// block of constraints is solved whole: the rigid rows of a joint, the normals of a face, the two tangents of a point. Contacts found at the start of the step are followed by their
/// points; rows of joints are evaluated anew.
///
/// The settings say the variants that its author compared it with too: one sub-step with many sweeps is projected Gauss-Seidel, with
/// [`ErrorRule`] what it does about errors.
///
/// # Source
/// E. Catto, "Solver2D", 2024 (Soft Step), and "Soft Constraints", GDC 2011; M. Macklin et al., "Small Steps in Physics Simulation", 2019.
#[derive(Debug, Clone)]
pub struct SoftStep {
    parameters: SoftStepParameters,
    bodies: Vec<MovingBody>,
    contacts: SoftContacts,
    rows: SoftRows,
}

/// A part of a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SubStep {
    /// Its duration (s).
    h: Real,
    /// That of the step.
    whole: Real,
    /// Speed below which an approach does not bounce (m/s or rad/s).
    resting: Real,
}

impl SoftStep {
    /// From its parameters.
    pub fn new(parameters: SoftStepParameters) -> Self {
        Self { parameters, bodies: Vec::new(), contacts: SoftContacts::default(), rows: SoftRows::default() }
    }

    fn sub_step(&mut self, problem: &GroupProblem, step: SubStep) {
        let Self { parameters, bodies, contacts, rows } = self;
        let SubStep { h, whole, .. } = step;
        contacts.note_approach(bodies);
        rows.note_rebounds(bodies, h);
        moving::apply_forces(problem, bodies, h / whole);
        rows.prepare(bodies, parameters, step);
        contacts.prepare(bodies);
        rows.warm_start(bodies);
        contacts.warm_start(bodies);
        for _ in 0..parameters.iterations {
            rows.sweep(bodies, Pass::Biased);
            contacts.sweep(bodies, parameters, h, Pass::Biased);
        }
        moving::drift(problem, bodies, h);
        rows.follow(problem, bodies);
        contacts.follow(bodies);
        if parameters.relax_iterations > 0 {
            rows.prepare(bodies, parameters, step);
            contacts.prepare(bodies);
        }
        for _ in 0..parameters.relax_iterations {
            rows.sweep(bodies, Pass::Relaxed);
            contacts.sweep(bodies, parameters, h, Pass::Relaxed);
        }
    }
}

impl ConstraintSolver for SoftStep {
    fn name(&self) -> &'static str {
        SOFT_STEP_DESCRIPTION.name
    }

    fn levels(&self) -> Levels {
        Levels::VELOCITY
    }

    /// Errors are taken out within the step.
    fn resolves(&self) -> Resolves {
        Resolves { restitution: true, positions: true, instants: false }
    }

    fn solve(
        &mut self,
        problem: &GroupProblem,
        step: Step,
        _executor: &dyn Executor,
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        let n = self.sub_steps();
        let part = 1.0 / Real::from(n);
        let start = if self.parameters.warm_start { part } else { 0.0 };
        moving::start(problem, &mut self.bodies);
        self.contacts.start(problem, start, if self.parameters.patches { moving::MOST } else { 1 });
        self.rows.start(problem, start);
        let h = step.h * part;
        let resting = self.parameters.resting_factor * problem.gravity * h;
        for _ in 0..n {
            self.sub_step(problem, SubStep { h, whole: step.h, resting });
            self.contacts.add_up(&self.bodies);
            self.rows.add_to(answer);
        }
        let Self { parameters, bodies, contacts, .. } = self;
        contacts.rebound(bodies, parameters, h, parameters.resting_factor * problem.gravity * step.horizon);
        contacts.write(answer);
        moving::write_motion(problem, bodies, answer);
        SolveReport::default()
    }

    fn sub_steps(&self) -> u32 {
        self.parameters.sub_steps.max(1)
    }

    fn unread(&self) -> &'static [Unread] {
        &[Unread::AllBut(ModuleKind::Lcp, &["warm_start"])]
    }

    // the relaxed sweep after the last part looks a part further ahead
    fn holds_early(&self) -> bool {
        true
    }

    fn follows_contacts(&self) -> bool {
        true
    }

    fn fork(&self) -> Box<dyn ConstraintSolver> {
        Box::new(Self::new(self.parameters.clone()))
    }
}
