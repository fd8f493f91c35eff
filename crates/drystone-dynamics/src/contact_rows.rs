use crate::FrictionModel;
use drystone_core::{ContactImpulse, ContactSurface, GroupContact, GroupProblem};
use drystone_math::{Real, Vec3, bounded, tangent_basis};

/// Which rows a contact has: the normal, followed by whichever exist of two tangents, spinning, and two of rolling.
// G-16
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ContactRows {
    pub(crate) normal: u32,
    pub(crate) tangents: [Vec3; 2],
    pub(crate) has_tangents: bool,
    pub(crate) spins: bool,
    pub(crate) rolls: bool,
}

/// The friction of a contact: two tangents with their coefficients, and the resistance to turning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ContactFriction {
    /// Orthogonal unit tangents.
    pub(crate) tangents: [Vec3; 2],
    /// Coulomb coefficient along each.
    pub(crate) mu: [Real; 2],
    /// Lever arm of spinning friction (m).
    pub(crate) spinning: Real,
    /// Lever arm of rolling friction (m).
    pub(crate) rolling: Real,
}

/// Slip slower than this (m/s) has no direction.
pub(crate) const STILL: Real = 1e-9;

/// Two unit tangents, the first along the slip if there is any.
pub(crate) fn tangents_along(slip: Vec3, normal: Vec3) -> [Vec3; 2] {
    let along = slip - normal * normal.dot(slip);
    let speed = along.length();
    if speed > STILL {
        let first = along / speed;
        return [first, normal.cross(first)];
    }
    let (first, second) = tangent_basis(normal);
    [first, second]
}

impl ContactFriction {
    pub(crate) fn of(problem: &GroupProblem, c: &GroupContact) -> Self {
        Self::of_parts(c, &problem.surfaces)
    }

    /// The same with tangents along the slip that remains after external forces; a grain keeps its own tangents.
    pub(crate) fn along_slip(problem: &GroupProblem, c: &GroupContact) -> Self {
        let mut friction = Self::of(problem, c);
        if c.surface == GroupContact::PLAIN {
            let [a, b] = c.bodies.map(|i| {
                let body = &problem.bodies[i as usize];
                (body.velocity + body.external).at(c.position - body.pose.position)
            });
            friction.tangents = tangents_along(b - a, c.normal);
        }
        friction
    }

    /// The same if the problem's other lists are in use.
    pub(crate) fn of_parts(c: &GroupContact, surfaces: &[ContactSurface]) -> Self {
        match surfaces.get(c.surface as usize) {
            None => {
                let (t1, t2) = tangent_basis(c.normal);
                Self { tangents: [t1, t2], mu: [c.friction; 2], spinning: 0.0, rolling: 0.0 }
            }
            Some(s) => Self {
                tangents: [s.tangent, c.normal.cross(s.tangent)],
                mu: [c.friction, s.across],
                spinning: s.spinning,
                rolling: s.rolling,
            },
        }
    }

    /// The start multipliers along the tangents, kept within the bounds given by its normal multiplier.
    pub(crate) fn within(&self, model: FrictionModel, start: ContactImpulse) -> [Real; 2] {
        let [first, second] = start.along(self.tangents);
        let limits = self.mu.map(|mu| mu * start.normal.max(0.0));
        match model {
            FrictionModel::Box => [first, second],
            _ if model.shares_discs() && limits[0] > 0.0 && limits[1] > 0.0 => {
                let (x, y) = (first / limits[0], second / limits[1]);
                let size = (x * x + y * y).sqrt();
                if size > 1.0 { [first / size, second / size] } else { [first, second] }
            }
            _ => [bounded(first, -limits[0], limits[0]), bounded(second, -limits[1], limits[1])],
        }
    }

    /// The rows of the contact, if the normal one has the number `normal`.
    pub(crate) fn rows(&self, model: FrictionModel, normal: u32) -> ContactRows {
        let rough = model != FrictionModel::None;
        ContactRows {
            normal,
            tangents: self.tangents,
            // a cone always has all three rows, even if it is only a point
            has_tangents: model == FrictionModel::Cone || (rough && self.mu != [0.0; 2]),
            spins: rough && self.spinning > 0.0,
            rolls: rough && self.rolling > 0.0,
        }
    }
}

impl ContactRows {
    /// Number of rows.
    pub(crate) fn count(self) -> usize {
        1 + 2 * usize::from(self.has_tangents) + usize::from(self.spins) + 2 * usize::from(self.rolls)
    }

    /// The row of the first tangent, if there is one.
    pub(crate) fn tangent(self) -> Option<usize> {
        self.has_tangents.then_some(self.normal as usize + 1)
    }

    /// The row of spinning friction, if there is one.
    pub(crate) fn spin(self) -> Option<usize> {
        self.spins.then_some(self.normal as usize + 1 + 2 * usize::from(self.has_tangents))
    }

    /// The first row of rolling friction, if there is one.
    pub(crate) fn roll(self) -> Option<usize> {
        self.rolls.then(|| self.normal as usize + self.count() - 2)
    }

    /// The contact's impulse, taken from the multipliers of all rows.
    pub(crate) fn impulse(self, x: &[Real]) -> ContactImpulse {
        let [first, second] = self.tangent().map_or([0.0; 2], |t| [x[t], x[t + 1]]);
        ContactImpulse::of_multipliers([x[self.normal as usize], first, second], self.tangents)
    }

    /// The angular multipliers of its surface, about the normal, the tangent and the second tangent.
    pub(crate) fn torque(self, x: &[Real]) -> [Real; 3] {
        let roll = self.roll().map_or([0.0; 2], |i| [x[i], x[i + 1]]);
        [self.spin().map_or(0.0, |i| x[i]), roll[0], roll[1]]
    }

    /// The reverse: writes a contact's impulse and its surface's torque to the multipliers.
    pub(crate) fn read(self, impulse: &ContactImpulse, torque: Option<&[Real; 3]>, x: &mut [Real]) {
        x[self.normal as usize] = impulse.normal;
        if let Some(t) = self.tangent() {
            x[t..t + 2].copy_from_slice(&impulse.along(self.tangents));
        }
        if let Some(torque) = torque {
            if let Some(i) = self.spin() {
                x[i] = torque[0];
            }
            if let Some(i) = self.roll() {
                x[i..i + 2].copy_from_slice(&torque[1..]);
            }
        }
    }
}
