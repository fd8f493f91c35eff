use crate::{ContactImpulse, GroupBody, GroupProblem, Turn};
use drystone_math::{Real, Twist};

/// Solution of a [`GroupProblem`]: one entry for each of its bodies, contacts, surfaces and rows.
///
/// The caller of a solver starts the answer; the solver overwrites it with what it has found. An empty column means that the solver has nothing to say about
/// it: the kernel then does that work itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GroupAnswer {
    /// Velocities after the solve, by body.
    pub velocity: Vec<Twist>,
    /// By body: its turn at a surface that it meets within the step.
    pub turn: Vec<Turn>,
    /// By body, or empty: its displacement over the step (m, and a rotation vector in world axes, rad), from the pose of the problem. Movable bodies are then
    /// not drifted at their velocities over this step.
    pub displacement: Vec<Twist>,
    /// By body, or empty: what to add to the poses so that nothing overlaps and no joint is off (m, and a rotation vector in world axes, rad). From a corrector
    /// it applies to the poses of the problem. From a constraint solver that is asked for it by [`Step::slop`] it applies to the poses after a drift over the
    /// step at these velocities: the group then goes to no corrector.
    ///
    /// [`Step::slop`]: crate::Step::slop
    pub correction: Vec<Twist>,
    /// The largest overlap that the solver foresees (m).
    pub overlap: Real,
    /// By body, or empty: accelerations (m/s^2, rad/s^2). Velocities after the solve are then those before it plus h times these.
    pub acceleration: Vec<Twist>,
    /// Impulses, by contact (N s): forces times h.
    pub contacts: Vec<ContactImpulse>,
    /// Angular multipliers about the normal, the tangent and the second tangent, by surface (N m s).
    pub torques: Vec<[Real; 3]>,
    /// Multipliers, by row (N s or N m s).
    pub rows: Vec<Real>,
    /// By contact, or empty: the stiffness that the solver gave it in the end, along and across the normal (N/m), from which the next solve may begin.
    pub contact_stiffness: Vec<[Real; 2]>,
    /// By row, or empty: the same for rows (N/m or N m/rad).
    pub row_stiffness: Vec<Real>,
    /// Skips the second solve with the joint state at the end of the step: something was hit within the step, so that
    /// the motion after the hit says nothing about how the bodies came, or the solver would make no use of it.
    pub solved_once: bool,
    /// True if the bodies are at rest and the multipliers are those of the problem: a step leaves the group unchanged,
    /// and the same problem has the same answer again.
    pub rests: bool,
}

impl GroupAnswer {
    fn start_by(&mut self, problem: &GroupProblem, velocity: impl Fn(&GroupBody) -> Twist) {
        self.velocity.clear();
        self.velocity.extend(problem.bodies.iter().map(velocity));
        self.turn.clear();
        self.turn.resize(problem.bodies.len(), Turn::default());
        self.displacement.clear();
        self.correction.clear();
        self.overlap = 0.0;
        self.acceleration.clear();
        self.contacts.clear();
        self.contacts.resize(problem.contacts.len(), ContactImpulse::ZERO);
        self.torques.clear();
        self.torques.resize(problem.surfaces.len(), [0.0; 3]);
        self.rows.clear();
        self.rows.resize(problem.rows.len(), 0.0);
        self.contact_stiffness.clear();
        self.row_stiffness.clear();
        self.solved_once = false;
        self.rests = false;
    }

    /// Before a solve: velocities with external forces, without anything that acts between bodies.
    pub fn start(&mut self, problem: &GroupProblem) {
        self.start_by(problem, |b| b.velocity + b.external);
    }

    /// Before impacts are resolved: the bodies' present velocities, external forces left out.
    pub fn start_impacts(&mut self, problem: &GroupProblem) {
        self.start_by(problem, |b| b.velocity);
    }

    /// Before a correction: bodies stay where they are.
    pub fn start_correction(&mut self, problem: &GroupProblem) {
        self.start_by(problem, |b| b.velocity);
        self.correction.resize(problem.bodies.len(), Twist::ZERO);
    }
}

impl GroupProblem {
    /// Takes the multipliers of an answer, and the stiffness that it holds, as start values.
    pub fn start_from(&mut self, answer: &GroupAnswer) {
        for (c, impulse) in self.contacts.iter_mut().zip(&answer.contacts) {
            c.impulse = *impulse;
        }
        for (r, impulse) in self.rows.iter_mut().zip(&answer.rows) {
            r.impulse = *impulse;
        }
        self.contact_stiffness.clone_from(&answer.contact_stiffness);
        self.row_stiffness.clone_from(&answer.row_stiffness);
    }
}
