use crate::moving::{self, HeldRows, MovingBody, MovingContact, MovingJoints, row_error, shift_row};
use drystone_core::{GroupAnswer, GroupProblem, PositionCorrector, SolveReport};
use drystone_math::{Real, Twist, tangent_basis};

/// Parameters of a [`NonlinearCorrection`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NonlinearParameters {
    /// Number of sweeps.
    pub iterations: usize,
    /// Penetration that is left alone (m).
    pub slop: Real,
    /// Fraction of a penetration that a visit removes.
    pub rate: Real,
    /// The most that a visit removes of an error (m or rad).
    pub limit: Real,
    /// True if joints are corrected; if not, only contacts are.
    pub joints: bool,
}

/// Nonlinear Gauss-Seidel on positions: contacts and joints are evaluated one after the other at the current placements of their bodies, and corrected.
///
/// A visit removes a fraction of a contact's depth, and only pushes; the rigid rows of a joint are corrected at once, as far as the limit allows.
///
/// # Source
/// E. Catto, Box2D 2 (position constraints of contacts and joints); "Modeling and Solving Constraints", GDC 2009.
#[derive(Debug)]
pub struct NonlinearCorrection {
    parameters: NonlinearParameters,
    bodies: Vec<MovingBody>,
    contacts: Vec<MovingContact>,
    joints: MovingJoints,
    shifts: Vec<Twist>,
}

impl NonlinearCorrection {
    /// A corrector with these parameters.
    pub fn new(parameters: NonlinearParameters) -> Self {
        let (bodies, contacts, joints, shifts) = Default::default();
        Self { parameters, bodies, contacts, joints, shifts }
    }

    /// One sweep over the joints, all evaluated at its start.
    fn sweep_joints(&mut self, problem: &GroupProblem) {
        let Self { parameters, bodies, joints: MovingJoints { rows, joints, .. }, shifts, .. } = self;
        shifts.clear();
        shifts.resize(problem.bodies.len(), Twist::ZERO);
        for joint in joints.iter() {
            for i in joint.clone() {
                let r = &rows[i as usize];
                let depth = -row_error(r, shifts);
                let response = r.coupling(bodies, r);
                if r.is_limit() && !r.row.softness.is_soft() && depth > 0.0 && response > 0.0 {
                    shift_row(r, bodies, shifts, depth.min(parameters.limit) / response);
                }
            }
            let blocks = HeldRows::of_joint(rows, joint, bodies);
            blocks.iter().for_each(|held| held.hold(rows, bodies, shifts, parameters.limit));
        }
    }

    fn sweep_contacts(&mut self) {
        let Self { parameters, bodies, contacts, .. } = self;
        for c in contacts {
            c.follow(bodies);
            let depth = (-c.gap - parameters.slop).min(parameters.limit);
            let response = c.response(bodies, c.normal, c.normal);
            if depth > 0.0 && response > 0.0 {
                c.place().shift(bodies, c.normal * (parameters.rate * depth / response));
            }
        }
    }
}

impl PositionCorrector for NonlinearCorrection {
    fn name(&self) -> &'static str {
        "nonlinear"
    }

    fn correct(&mut self, problem: &GroupProblem, answer: &mut GroupAnswer) -> SolveReport {
        moving::start(problem, &mut self.bodies);
        self.contacts.clear();
        let contacts = problem.contacts.iter().enumerate();
        self.contacts.extend(contacts.map(|(k, c)| MovingContact::of(problem, k, tangent_basis(c.normal).0)));
        self.joints.start(problem, 0.0);
        for _ in 0..self.parameters.iterations {
            if self.parameters.joints {
                self.joints.follow(problem, &self.bodies);
                self.sweep_joints(problem);
            }
            self.sweep_contacts();
            moving::settle(problem, &mut self.bodies);
        }
        for ((to, body), own) in answer.correction.iter_mut().zip(&self.bodies).zip(&problem.bodies) {
            if body.is_movable() {
                *to = moving::way(&own.pose, &body.pose);
            }
        }
        SolveReport::default()
    }

    fn slop(&self) -> Real {
        self.parameters.slop
    }

    fn fork(&self) -> Box<dyn PositionCorrector> {
        Box::new(Self::new(self.parameters))
    }
}
