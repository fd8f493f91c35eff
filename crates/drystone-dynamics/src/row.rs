use drystone_core::{ConstraintRow, GroupBody, GroupContact, GroupProblem, RowLimits};
use drystone_math::{Real, Twist, Vec3};

/// One row before it enters the operator.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    /// Local bodies A and B.
    pub(crate) bodies: [u32; 2],
    /// J.
    pub(crate) jacobian: [Twist; 2],
    /// Added to the diagonal.
    pub(crate) cfm: Real,
}

impl Row {
    /// The row of a point contact along `direction`: velocity of B's point against A's.
    pub(crate) fn contact(problem: &GroupProblem, contact: usize, direction: Vec3, cfm: Real) -> Self {
        Self::of_contact(problem, &problem.contacts[contact], direction, cfm)
    }

    /// The same for a given contact.
    pub(crate) fn of_contact(problem: &GroupProblem, c: &GroupContact, direction: Vec3, cfm: Real) -> Self {
        let arms = c.bodies.map(|i| c.position - problem.bodies[i as usize].pose.position);
        Self {
            bodies: c.bodies,
            jacobian: [
                Twist::new(-direction, -arms[0].cross(direction)),
                Twist::new(direction, arms[1].cross(direction)),
            ],
            cfm,
        }
    }

    /// The row of B's angular velocity against A's about `axis` at a contact.
    pub(crate) fn turning(problem: &GroupProblem, contact: usize, axis: Vec3) -> Self {
        let jacobian = [Twist::new(Vec3::ZERO, -axis), Twist::new(Vec3::ZERO, axis)];
        Self { bodies: problem.contacts[contact].bodies, jacobian, cfm: 0.0 }
    }

    /// `J u` for the two bodies' velocities.
    pub(crate) fn rate(&self, velocities: [Twist; 2]) -> Real {
        let [j, k] = &self.jacobian;
        let [u, v] = &velocities;
        (j.linear.dot(u.linear) + j.angular.dot(u.angular)) + (k.linear.dot(v.linear) + k.angular.dot(v.angular))
    }

    /// `J W J^T`: how much an impulse on the row alone changes its rate.
    pub(crate) fn response(&self, bodies: &[GroupBody]) -> Real {
        let part = |j: &Twist, body: u32| {
            let b = &bodies[body as usize];
            b.inverse_mass * j.linear.length_squared() + b.inverse_inertia.quadratic(j.angular)
        };
        part(&self.jacobian[0], self.bodies[0]) + part(&self.jacobian[1], self.bodies[1])
    }
}

/// Returns true if a row holds without bounds and without yielding.
pub(crate) fn is_rigid(row: &ConstraintRow) -> bool {
    row.limits == RowLimits::BILATERAL && !row.softness.is_soft()
}
