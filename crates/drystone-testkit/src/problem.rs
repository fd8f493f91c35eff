//! Small group problems with known answers, and the mechanics for judging a solver's answers.

use crate::Random;
use crate::pin::Pin;
pub use crate::pin::rigid_row;
use drystone_core::{
    BodyFrame, BodyIndex, CollisionSolver, ConstraintSolver, ContactImpulse, GroupAnswer, GroupBody, GroupContact,
    GroupJoint, GroupProblem, GroupRow, NormalOwner, OneThread, PositionCorrector, ResolveReport, SolveReport, Step,
};
use drystone_math::elementary::rotation_by;
use drystone_math::{Pose, Real, SymmetricMat3, Twist, Vec3};
use std::sync::Arc;

/// A body of the given mass (kg) with the inertia of a unit cube, or an immovable one of mass zero, at rest.
pub fn cube(index: u32, mass: Real, position: Vec3) -> GroupBody {
    let (inverse_mass, inverse_inertia) = if mass > 0.0 {
        let i = 6.0 / mass;
        (1.0 / mass, SymmetricMat3 { diagonal: Vec3::splat(i), ..SymmetricMat3::ZERO })
    } else {
        (0.0, SymmetricMat3::ZERO)
    };
    GroupBody {
        index: BodyIndex(index),
        inverse_mass,
        inverse_inertia,
        pose: Pose::from_position(position),
        velocity: Twist::ZERO,
        external: Twist::ZERO,
    }
}

/// A contact point between two local bodies, without history.
pub fn contact(bodies: [u32; 2], position: Vec3, normal: Vec3, edge: u32, point: u32) -> GroupContact {
    GroupContact {
        bodies,
        position,
        normal,
        owner: NormalOwner::A,
        separation: 0.0,
        friction: 0.5,
        restitution: 0.0,
        impulse: ContactImpulse::ZERO,
        edge,
        point,
        surface: GroupContact::PLAIN,
    }
}

/// A group problem and its last answer, for tests to pass to solvers and to inspect.
///
/// It dereferences to the problem itself; [`Self::go_on`] makes the answer the next problem.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Group {
    /// The problem that the solver sees.
    pub problem: GroupProblem,
    /// The solver's last answer.
    pub answer: GroupAnswer,
}

impl From<GroupProblem> for Group {
    fn from(problem: GroupProblem) -> Self {
        let mut answer = GroupAnswer::default();
        answer.start(&problem);
        Self { problem, answer }
    }
}

impl core::ops::Deref for Group {
    type Target = GroupProblem;

    fn deref(&self) -> &GroupProblem {
        &self.problem
    }
}

impl core::ops::DerefMut for Group {
    fn deref_mut(&mut self) -> &mut GroupProblem {
        &mut self.problem
    }
}

impl Group {
    /// Solves a step of `h` seconds (zero for impacts), with gaps that may close within `horizon`, on one thread.
    pub fn solve(&mut self, solver: &mut dyn ConstraintSolver, h: Real, horizon: Real) -> SolveReport {
        self.solve_step(solver, Step::new(h, horizon))
    }

    /// Solves a step at any level, on one thread.
    pub fn solve_step(&mut self, solver: &mut dyn ConstraintSolver, step: Step) -> SolveReport {
        self.answer.start(&self.problem);
        solver.solve(&self.problem, step, &OneThread, &mut self.answer)
    }

    /// Resolves impacts.
    pub fn resolve(&mut self, solver: &mut dyn CollisionSolver, horizon: Real) -> ResolveReport {
        self.answer.start_impacts(&self.problem);
        solver.resolve(&self.problem, horizon, &mut self.answer)
    }

    /// Corrects positions.
    pub fn correct(&mut self, corrector: &mut dyn PositionCorrector) -> SolveReport {
        self.answer.start_correction(&self.problem);
        corrector.correct(&self.problem, &mut self.answer)
    }

    /// Moves the bodies by the answer's displacements over the step: contacts move with them, and joints are evaluated at the new poses.
    pub fn displace(&mut self) {
        self.displace_by(|answer| &answer.displacement);
    }

    /// Moves the bodies by the answer's correction, likewise.
    pub fn displace_corrected(&mut self) {
        self.displace_by(|answer| &answer.correction);
    }

    fn displace_by(&mut self, ways: impl Fn(&GroupAnswer) -> &[Twist]) {
        let anchored: Vec<_> = self.problem.contacts.iter().map(|c| self.problem.anchored(c)).collect();
        for (body, by) in self.problem.bodies.iter_mut().zip(ways(&self.answer)) {
            let orientation = (rotation_by(by.angular) * body.pose.orientation).normalize();
            body.pose = Pose::new(body.pose.position + by.linear, orientation);
        }
        for (c, anchored) in self.problem.contacts.iter_mut().zip(anchored) {
            let [a, b] = c.bodies.map(|i| &self.problem.bodies[i as usize].pose);
            let now = anchored.at(a, b);
            (c.normal, c.separation, c.position) = (now.normal, now.gap, (now.points[0] + now.points[1]) * 0.5);
        }
        evaluate_joints(&mut self.problem);
    }

    /// Makes the velocities and multipliers of the answer the initial values of the problem.
    pub fn go_on(&mut self) {
        for (body, velocity) in self.problem.bodies.iter_mut().zip(&self.answer.velocity) {
            body.velocity = *velocity;
        }
        self.problem.start_from(&self.answer);
    }

    /// Velocity of B relative to A at a contact after the solve (m/s), world frame.
    pub fn relative_velocity(&self, contact: &GroupContact) -> Vec3 {
        relative_velocity(&self.problem, &self.answer.velocity, contact)
    }

    /// Linear and angular momentum about the origin (N s, N m s) of the movable bodies after the solve; their inertia must be isotropic. If the answer contains
    /// displacements over the step, the bodies are taken at the end of the step.
    pub fn momentum(&self) -> (Vec3, Vec3) {
        let way = |i: usize| self.answer.displacement.get(i).map_or(Vec3::ZERO, |d| d.linear);
        let (linear, mut angular) = momentum(&self.problem, |i, _| self.answer.velocity[i]);
        for (i, b) in self.problem.bodies.iter().enumerate().filter(|(_, b)| b.inverse_mass > 0.0) {
            angular += way(i).cross(self.answer.velocity[i].linear / b.inverse_mass);
        }
        (linear, angular)
    }

    /// Kinetic energy (J) of the movable bodies after the solve.
    pub fn energy(&self) -> Real {
        energy(&self.problem, |i, _| self.answer.velocity[i])
    }
}

/// A block of `mass` (kg) at rest on an immovable floor, with four contacts at its corners, pulled by gravity for `h` (s).
pub fn block_on_floor(mass: Real, h: Real) -> GroupProblem {
    let mut p = GroupProblem { gravity: 9.81, up: Vec3::Y, ..GroupProblem::default() };
    p.bodies = vec![cube(0, 0.0, Vec3::NEG_Y), cube(1, mass, Vec3::Y * 0.5)];
    p.bodies[1].external.linear = Vec3::NEG_Y * (9.81 * h);
    for (k, (x, z)) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].into_iter().enumerate() {
        p.contacts.push(contact([0, 1], Vec3::new(x, 0.0, z), Vec3::Y, 0, k as u32));
    }
    p
}

/// Two cubes in free space that meet face to face, moving and rotating at random.
pub fn floating_pair(random: &mut Random) -> GroupProblem {
    let mut p = GroupProblem { gravity: 9.81, ..GroupProblem::default() };
    for (i, x) in [-0.5, 0.5].into_iter().enumerate() {
        let mut body = cube(i as u32, random.range(0.5, 20.0), Vec3::X * x);
        body.velocity = Twist::new(Vec3::X * (-2.0 * x) + random.vector(0.5), random.vector(0.5));
        p.bodies.push(body);
    }
    for (k, (y, z)) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].into_iter().enumerate() {
        let mut c = contact([0, 1], Vec3::new(0.0, y, z), Vec3::X, 0, k as u32);
        c.restitution = 0.5;
        p.contacts.push(c);
    }
    p
}

/// Two floating cubes held together at the point between them: three rows of a ball joint.
pub fn jointed_pair(random: &mut Random) -> GroupProblem {
    let mut p = floating_pair(random);
    p.contacts.clear();
    pin(&mut p, [0, 1], Vec3::ZERO);
    p
}

/// Holds two bodies, whose orientations must be the identity, together at a point of the world: adds the three rows of a ball joint.
pub fn pin(p: &mut GroupProblem, bodies: [u32; 2], at: Vec3) {
    let pin = Pin { anchors: bodies.map(|i| at - p.bodies[i as usize].pose.position) };
    let (joint, first) = (p.joints.len() as u32, p.rows.len() as u32);
    p.joints.push(GroupJoint { bodies, joint, source: Arc::new(pin), rows: first..first + 3, memory: 0..0 });
    evaluate_joints(p);
}

/// Evaluates the rows of a problem's joints at the poses of its bodies; multipliers are zero.
pub fn evaluate_joints(p: &mut GroupProblem) {
    let mut rows = Vec::new();
    for joint in &p.joints {
        let frames = joint.bodies.map(|i| {
            let b = &p.bodies[i as usize];
            BodyFrame { pose: b.pose, velocity: b.velocity }
        });
        let mut own = Vec::new();
        p.rows_at(joint, [&frames[0], &frames[1]], &mut own);
        let GroupJoint { bodies, joint, .. } = *joint;
        rows.extend(own.into_iter().zip(0..).map(|(row, place)| GroupRow { bodies, row, impulse: 0.0, joint, place }));
    }
    p.rows = rows;
}

/// Velocity of B relative to A at a contact (m/s), world frame, from the bodies' velocities.
pub fn relative_velocity(problem: &GroupProblem, velocity: &[Twist], contact: &GroupContact) -> Vec3 {
    let at = |i: u32| velocity[i as usize].at(contact.position - problem.bodies[i as usize].pose.position);
    at(contact.bodies[1]) - at(contact.bodies[0])
}

/// Linear and angular momentum about the origin (N s, N m s) of the movable bodies, whose inertia must be isotropic, at the
/// given velocities.
pub fn momentum(problem: &GroupProblem, velocity: impl Fn(usize, &GroupBody) -> Twist) -> (Vec3, Vec3) {
    let (mut linear, mut angular) = (Vec3::ZERO, Vec3::ZERO);
    for (i, b) in problem.bodies.iter().enumerate().filter(|(_, b)| b.inverse_mass > 0.0) {
        let v = velocity(i, b);
        let p = v.linear / b.inverse_mass;
        linear += p;
        angular += b.pose.position.cross(p) + v.angular / b.inverse_inertia.diagonal.x;
    }
    (linear, angular)
}

/// Kinetic energy (J) of the movable bodies at the given velocities.
pub fn energy(problem: &GroupProblem, velocity: impl Fn(usize, &GroupBody) -> Twist) -> Real {
    let movable = problem.bodies.iter().enumerate().filter(|(_, b)| b.inverse_mass > 0.0);
    movable.fold(0.0, |sum, (i, b)| {
        let v = velocity(i, b);
        let turning = v.angular.length_squared() / b.inverse_inertia.diagonal.x;
        sum + 0.5 * (v.linear.length_squared() / b.inverse_mass + turning)
    })
}
