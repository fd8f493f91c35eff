//! Augmented vertex block descent of rigid bodies.
//!
//! Implicit Euler as a minimum over the displacements, body by body, with multipliers lambda and stiffness k per constraint:
//!
//! ```text
//! min  (q - q_inertial)^T M (q - q_inertial) / 2 h^2 + sum (k C^2 / 2 + lambda C)
//! lambda <- clamp(lambda - k C),   k <- k + beta |C|   after each sweep
//! ```
//!
//! Source: Giles, Diaz and Yuksel 2025, "Augmented Vertex Block Descent".

mod block;
mod contacts;
mod parameters;
mod rows;

pub use parameters::{AVBD_DESCRIPTION, AvbdParameters};

use crate::moving::{self, MovingBody};
use crate::penalty::special_friction;
use block::Block;
use contacts::DescentContacts;
use drystone_core::{
    Configuration, ConstraintSolver, Executor, GroupAnswer, GroupProblem, Levels, ModuleKind, Resolves, SolveReport,
    Step, Unread,
};
use drystone_math::{Real, Twist, Vec3};
use parameters::Scale;
use rows::DescentRows;

/// Augmented vertex block descent: implicit Euler as the minimum of inertial and constraint energies, sought body by body, each by one Newton step
/// in its six coordinates with all other bodies held. Constraints are springs whose multipliers and stiffness grow from sweep to sweep (the augmented Lagrangian)
/// and are kept from step to step.
///
/// In a step, bodies start where they are expected to go, with the multipliers and stiffness of the last step, reduced. Each sweep over the bodies, forwards
/// and backwards, is followed by `lambda <- clamp(lambda - k C)` and `k <- k + beta |C|`. The velocity is the displacement divided by the step. Contacts are
/// linear in the displacement, joints are evaluated anew before each sweep. A fraction alpha of any error at the start of the step is left alone; with
/// `post_stabilization` all of it is, and one more sweep takes it out at the end.
///
/// # Source
/// C. Giles, E. Diaz, C. Yuksel, "Augmented Vertex Block Descent", ACM Transactions on Graphics 44(4), 2025: sections 3.1 to 3.3 and 3.5 to 3.7,
/// equations (8) to (19), Algorithm 1. Differs in: stiffness is given, and bounded, in units of `1 / (h^2 J W J^T)` and of the last load over `g h^2`,
/// so that its effect does not depend on the masses; sweeps go forwards and backwards before multipliers change, as symmetric Gauss-Seidel inside a
/// method of multipliers must (X. Li, D. Sun, K.-C. Toh, 2016); friction is scaled back to a disc given by the last normal multiplier; the first guess
/// uses the part of the external force that the multipliers of the last step leave over, which the paper takes from the last acceleration;
/// restitution, which the paper does not treat, comes last, with friction for the impulse that it adds. Springs grow stiff as in section 3.4.
#[derive(Debug, Clone)]
pub struct Avbd {
    parameters: AvbdParameters,
    bodies: Vec<MovingBody>,
    blocks: Vec<Block>,
    forces: Vec<Vec3>,
    contacts: DescentContacts,
    rows: DescentRows,
    /// For each body its contacts, and below its joints, with the side that the body is on.
    contact_ends: Incidence,
    joint_ends: Incidence,
}

impl Avbd {
    /// A solver with these parameters.
    pub fn new(parameters: AvbdParameters) -> Self {
        let (bodies, blocks, forces, contacts, rows) = Default::default();
        let (contact_ends, joint_ends) = Default::default();
        Self { parameters, bodies, blocks, forces, contacts, rows, contact_ends, joint_ends }
    }

    /// Multipliers, stiffness and a first guess.
    fn start(&mut self, problem: &GroupProblem, h: Real) {
        let Self { parameters, bodies, blocks, forces, contacts, rows, contact_ends, .. } = self;
        moving::start(problem, bodies);
        contacts.start(problem, parameters, h);
        rows.start(problem, bodies, parameters, h);
        contact_ends.sort(problem.bodies.len(), contacts.ends());
        forces.clear();
        forces.resize(problem.bodies.len(), Vec3::ZERO);
        contacts.add_forces(forces);
        rows.add_forces(forces);
        blocks.clear();
        blocks.extend(problem.bodies.iter().map(|b| Block::of(b, h)));
        for ((block, body), held) in blocks.iter_mut().zip(&problem.bodies).zip(forces) {
            block.guess(body, *held, h);
        }
    }

    /// Evaluates the joints at the current placements of the bodies.
    fn follow(&mut self, problem: &GroupProblem, h: Real) {
        let Self { parameters, bodies, blocks, rows, joint_ends, .. } = self;
        if rows.is_empty() {
            return;
        }
        for ((body, block), own) in bodies.iter_mut().zip(blocks.iter()).zip(&problem.bodies) {
            body.pose = own.pose;
            body.shift(block.way);
        }
        moving::settle(problem, bodies);
        rows.follow(problem, bodies, blocks, parameters, h);
        joint_ends.sort(problem.bodies.len(), rows.ends());
    }

    /// One sweep over the bodies, visited in this order of their indices.
    fn sweep(&mut self, h: Real, order: impl Iterator<Item = usize>) {
        let Self { parameters, blocks, contacts, rows, contact_ends, joint_ends, .. } = self;
        for i in order {
            if !blocks[i].moves {
                continue;
            }
            let mut system = blocks[i].system();
            for &(contact, side) in contact_ends.of(i) {
                contacts.add_to((contact as usize, side as usize), parameters.dual_update, blocks, &mut system);
            }
            if !rows.is_empty() {
                for &(joint, side) in joint_ends.of(i) {
                    rows.add_to(joint as usize, side as usize, blocks, h, &mut system);
                }
            }
            let by = system.solve();
            blocks[i].way += by;
        }
    }

    /// Multipliers and stiffness after a sweep.
    fn update(&mut self, problem: &GroupProblem, h: Real) {
        let Self { parameters, bodies, blocks, contacts, rows, .. } = self;
        let scale = Scale::of(problem.gravity, h);
        contacts.update(blocks, parameters, scale);
        rows.update(blocks, bodies, parameters, (scale, h));
    }

    /// Velocities from the displacements, and rebounds.
    fn velocities(&mut self, problem: &GroupProblem, h: Real) {
        let Self { parameters, bodies, blocks, contacts, rows, .. } = self;
        if !parameters.dual_update {
            contacts.conclude(blocks);
            rows.conclude(blocks, h);
        }
        for (body, block) in bodies.iter_mut().zip(blocks.iter()).filter(|(_, b)| b.moves) {
            body.velocity = block.way * (1.0 / h);
        }
        contacts.rebound(bodies, parameters, [h, parameters.resting_factor * problem.gravity * h]);
        rows.rebound(bodies, h);
    }
}

impl ConstraintSolver for Avbd {
    fn name(&self) -> &'static str {
        AVBD_DESCRIPTION.name
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
        let h = step.h;
        self.start(problem, h);
        for _ in 0..self.parameters.iterations {
            self.follow(problem, h);
            self.sweep(h, 0..self.blocks.len());
            self.sweep(h, (0..self.blocks.len()).rev());
            self.update(problem, h);
        }
        self.velocities(problem, h);
        if self.parameters.post_stabilization {
            self.contacts.spare_nothing();
            self.rows.spare_nothing();
            self.follow(problem, h);
            self.sweep(h, 0..self.blocks.len());
        }
        let Self { bodies, blocks, contacts, rows, .. } = self;
        contacts.write(h, answer);
        rows.write(problem, h, answer);
        answer.displacement.clear();
        for ((body, block), velocity) in bodies.iter().zip(blocks.iter()).zip(&mut answer.velocity) {
            answer.displacement.push(if block.moves { block.way } else { Twist::ZERO });
            *velocity = body.velocity;
        }
        SolveReport::default()
    }

    fn cannot(&self, configuration: &Configuration) -> Option<&'static str> {
        special_friction(configuration)
    }

    fn unread(&self) -> &'static [Unread] {
        &[Unread::AllBut(ModuleKind::Lcp, &["warm_start"])]
    }

    fn fork(&self) -> Box<dyn ConstraintSolver> {
        Box::new(Self::new(self.parameters.clone()))
    }
}

/// The constraints of each body, in the order of the constraints.
#[derive(Debug, Clone, Default)]
struct Incidence {
    /// First index of each body's range in `list`.
    starts: Vec<u32>,
    /// Constraints, and which side of them the body is on.
    list: Vec<(u32, u32)>,
}

impl Incidence {
    /// Sorts constraints by their bodies; one between a body and itself is left out.
    fn sort(&mut self, bodies: usize, ends: impl Iterator<Item = [u32; 2]> + Clone) {
        let Self { starts, list } = self;
        starts.clear();
        starts.resize(bodies + 2, 0);
        let both = |[a, b]: &[u32; 2]| a != b;
        for [a, b] in ends.clone().filter(both) {
            starts[a as usize + 2] += 1;
            starts[b as usize + 2] += 1;
        }
        for i in 2..starts.len() {
            starts[i] += starts[i - 1];
        }
        list.clear();
        list.resize(starts[bodies + 1] as usize, (0, 0));
        for (k, pair) in ends.enumerate().filter(|(_, e)| both(e)) {
            for (side, i) in pair.into_iter().enumerate() {
                let next = &mut starts[i as usize + 1];
                list[*next as usize] = (k as u32, side as u32);
                *next += 1;
            }
        }
    }

    fn of(&self, body: usize) -> &[(u32, u32)] {
        &self.list[self.starts[body] as usize..self.starts[body + 1] as usize]
    }
}
