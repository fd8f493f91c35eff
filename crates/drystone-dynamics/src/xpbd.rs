//! Extended position-based dynamics of rigid bodies.
//!
//! Positions are corrected in many sub-steps of h seconds. For a row with error C, gradient J and compliance alpha:
//!
//! ```text
//! q = q_0 + h (v + h M^-1 F);   dx = (-C - alpha x / h^2) / (J W J^T + alpha / h^2);   q += W J^T dx
//! v = (q - q_0) / h;            then dynamic friction, restitution and motors change v
//! ```
//!
//! Source: Müller et al. 2020, "Detailed Rigid Body Simulation with Extended Position Based Dynamics".

mod contact;
mod contacts;
mod parameters;
mod rows;
mod static_friction;

pub use parameters::{XPBD_DESCRIPTION, XpbdParameters};

use crate::moving::{self, MovingBody};
use crate::penalty::special_friction;
use contacts::PositionContacts;
use drystone_core::{
    Configuration, ConstraintSolver, Executor, GroupAnswer, GroupProblem, Levels, ModuleKind, Resolves, SolveReport,
    Step, Unread,
};
use drystone_math::{Pose, Real};
use rows::PositionRows;

/// Extended position-based dynamics: many small steps, in each of which bodies move freely, are put back where constraints want them, and get the velocity
/// of the way that they went.
///
/// A sub-step: forces and motion; positions (joints, then contacts: out of each other, and back to where they stuck within the static friction cone);
/// velocities out of the poses; velocities (dynamic friction, restitution, motors). The multipliers of a sub-step are forces times its square.
///
/// # Source
/// M. Müller, M. Macklin, N. Chentanez, S. Jeschke, T.-Y. Kim, "Detailed Rigid Body Simulation with Extended Position Based Dynamics", 2020. Differs in: the rigid
/// rows of a joint are solved at once, not along the direction of its error, and limits and motors act on what these leave to move; the points of a face are put right, held by static friction and given their
/// rates at once, and faces are visited to and fro; dynamic friction is bounded as an impulse, where equation (30) compares an impulse
/// with a velocity, and together with static friction; it comes after restitution and is bounded by all that a contact bore in the sub-step: by what its
/// position bore alone, as published, a box slides up to 24 % too far, at any step; a contact's impulse of a sub-step does not pull.
#[derive(Debug, Clone)]
pub struct Xpbd {
    parameters: XpbdParameters,
    bodies: Vec<MovingBody>,
    /// Poses at the start of the sub-step, and poses after free motion.
    from: Vec<Pose>,
    drifted: Vec<Pose>,
    contacts: PositionContacts,
    rows: PositionRows,
}

impl Xpbd {
    /// From its parameters.
    pub fn new(parameters: XpbdParameters) -> Self {
        let (bodies, from, drifted, contacts, rows) = Default::default();
        Self { parameters, bodies, from, drifted, contacts, rows }
    }

    /// One sub-step of `h` seconds of a step of `whole`.
    fn sub_step(&mut self, problem: &GroupProblem, [h, whole]: [Real; 2]) {
        let Self { parameters, bodies, from, drifted, contacts, rows } = self;
        from.clear();
        from.extend(bodies.iter().map(|b| b.pose));
        contacts.begin(bodies);
        moving::apply_forces(problem, bodies, h / whole);
        rows.begin(problem, bodies, h);
        moving::drift(problem, bodies, h);
        drifted.clear();
        drifted.extend(bodies.iter().map(|b| b.pose));
        for _ in 0..parameters.position_iterations {
            rows.project(problem, bodies, from, [h, whole]);
            contacts.project(bodies);
        }
        for ((body, from), drifted) in bodies.iter_mut().zip(from.iter()).zip(drifted.iter()) {
            // what nothing put back has gone the way of its velocity, and keeps that to the bit
            if body.is_movable() && body.pose != *drifted {
                body.velocity = moving::way(from, &body.pose) * (1.0 / h);
            }
        }
        moving::settle(problem, bodies);
        contacts.change_velocities(bodies, h, parameters.resting_factor * problem.gravity * h);
        rows.change_velocities(problem, bodies, h);
    }
}

impl ConstraintSolver for Xpbd {
    fn name(&self) -> &'static str {
        XPBD_DESCRIPTION.name
    }

    fn levels(&self) -> Levels {
        Levels::VELOCITY
    }

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
        let h = step.h / Real::from(n);
        moving::start(problem, &mut self.bodies);
        self.contacts.start(problem, h / Real::from(n));
        self.rows.start(problem);
        for _ in 0..n {
            self.sub_step(problem, [h, step.h]);
            self.rows.add_to(answer, h);
        }
        self.contacts.write(answer);
        moving::write_motion(problem, &self.bodies, answer);
        SolveReport::default()
    }

    fn cannot(&self, configuration: &Configuration) -> Option<&'static str> {
        special_friction(configuration)
    }

    fn sub_steps(&self) -> u32 {
        self.parameters.sub_steps.max(1)
    }

    fn unread(&self) -> &'static [Unread] {
        &[Unread::Table(ModuleKind::Lcp)]
    }

    fn follows_contacts(&self) -> bool {
        true
    }

    fn fork(&self) -> Box<dyn ConstraintSolver> {
        Box::new(Self::new(self.parameters.clone()))
    }
}
