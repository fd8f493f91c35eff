use super::MovingBody;
use drystone_core::{GroupContact, GroupProblem, NormalOwner};
use drystone_math::elementary::rotation_vector;
use drystone_math::{Quat, Real, Twist, Vec3};

/// An arm off the normal by no more than this part of it: that of a sphere, whose nearest point stays where it is as it turns.
const ROUND: Real = 1e-9;

/// A contact point that goes with its bodies.
///
/// The normal and the plane behind it turn with the body that owns them; the point goes with the other one. That it is a corner or the nearest point of a
/// round surface is not known: its arm stays as it was at the start of the step, right for the round one, and its gap is right to first order in the rotation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MovingContact {
    /// Local bodies A and B.
    pub(crate) bodies: [u32; 2],
    /// Which sides carry the plane of the contact, and which its point.
    planes: [bool; 2],
    owner: NormalOwner,
    /// At the start of the step, world axes: normal, points of the surfaces and the point between them from the centres, orientations.
    first_normal: Vec3,
    first_points: [Vec3; 2],
    first_arms: [Vec3; 2],
    orientations: [Quat; 2],
    /// Present unit normal from A to B.
    pub(crate) normal: Vec3,
    /// Two unit tangents.
    pub(crate) tangents: [Vec3; 2],
    /// Where the material points of the start are by now (m).
    pub(crate) points: [Vec3; 2],
    /// From the centres to the one point at which impulses act on both bodies (m).
    pub(crate) arms: [Vec3; 2],
    /// Present signed distance (m).
    pub(crate) gap: Real,
}

impl MovingContact {
    /// As at the start of the step, with the first of two tangents.
    pub(crate) fn of(problem: &GroupProblem, c: &GroupContact, tangent: Vec3) -> Self {
        let half = c.normal * (0.5 * c.separation);
        let poses = c.bodies.map(|i| problem.bodies[i as usize].pose);
        let points = [c.position - half, c.position + half];
        let first_points = [0, 1].map(|k| points[k] - poses[k].position);
        let flat = first_points.map(|arm| arm.cross(c.normal).length() > ROUND * arm.length());
        Self {
            bodies: c.bodies,
            planes: match c.owner {
                NormalOwner::A => [flat[0], false],
                NormalOwner::B => [false, flat[1]],
                NormalOwner::Edges => [true; 2],
            },
            owner: c.owner,
            first_normal: c.normal,
            first_points,
            first_arms: poses.map(|p| c.position - p.position),
            orientations: poses.map(|p| p.orientation),
            normal: c.normal,
            tangents: [tangent, c.normal.cross(tangent)],
            points,
            arms: poses.map(|p| c.position - p.position),
            gap: c.separation,
        }
    }

    /// Brings it to the present poses of its bodies.
    pub(crate) fn follow(&mut self, bodies: &[MovingBody]) {
        let poses = self.bodies.map(|i| bodies[i as usize].pose);
        let turned = [0, 1].map(|k| poses[k].orientation * self.orientations[k].conjugate());
        let normals = [0, 1].map(|k| if self.planes[k] { turned[k] * self.first_normal } else { self.first_normal });
        self.normal = self.owner.turned(normals[0], normals[1]);
        self.points = [0, 1].map(|k| {
            let arm = self.first_points[k];
            let moved = if self.planes[k] { turned[k] * arm } else { arm + rotation_vector(turned[k]).cross(arm) };
            poses[k].position + moved
        });
        self.gap = self.normal.dot(self.points[1] - self.points[0]);
        let places = [0, 1].map(|k| poses[k].position + self.first_arms[k]);
        let acting = match self.owner {
            NormalOwner::A => places[1],
            NormalOwner::B => places[0],
            NormalOwner::Edges => (places[0] + places[1]) * 0.5,
        };
        self.arms = poses.map(|p| acting - p.position);
        // the tangents turn as little as they can
        let along = self.tangents[0] - self.normal * self.normal.dot(self.tangents[0]);
        let first = along.normalize_or(self.normal.any_orthonormal_vector());
        self.tangents = [first, self.normal.cross(first)];
    }

    /// Where impulses act now.
    pub(crate) fn place(&self) -> PairPoint {
        PairPoint { bodies: self.bodies, arms: self.arms }
    }

    /// The velocity of B against A at the point (m/s).
    pub(crate) fn relative_velocity(&self, bodies: &[MovingBody]) -> Vec3 {
        self.place().relative_velocity(bodies)
    }

    /// What an impulse along `direction` changes in the relative velocity along `along` (1/kg).
    pub(crate) fn response(&self, bodies: &[MovingBody], direction: Vec3, along: Vec3) -> Real {
        self.place().response(bodies, direction, along)
    }

    /// What a normal impulse at another point of the same pair changes in the rate of this gap (1/kg).
    pub(crate) fn coupling(&self, bodies: &[MovingBody], other: &Self) -> Real {
        (0..2)
            .map(|k| {
                let b = &bodies[self.bodies[k] as usize];
                let [own, its] = [self, other].map(|c| c.arms[k].cross(c.normal));
                b.inverse_mass * self.normal.dot(other.normal) + b.inverse_inertia.mul_vec(its).dot(own)
            })
            .sum()
    }

    /// The part of a vector in the plane of the tangents.
    pub(crate) fn across(&self, v: Vec3) -> [Real; 2] {
        self.tangents.map(|t| t.dot(v))
    }

    /// Gives B an impulse and A its opposite.
    pub(crate) fn push(&self, bodies: &mut [MovingBody], impulse: Vec3) {
        self.place().push(bodies, impulse);
    }
}

/// A point at which two bodies act on each other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairPoint {
    /// Local bodies A and B.
    pub(crate) bodies: [u32; 2],
    /// From their centres to the point (m).
    pub(crate) arms: [Vec3; 2],
}

impl PairPoint {
    /// The velocity of B against A at the point (m/s).
    pub(crate) fn relative_velocity(&self, bodies: &[MovingBody]) -> Vec3 {
        let [u, v] = [0, 1].map(|k| bodies[self.bodies[k] as usize].velocity.at(self.arms[k]));
        v - u
    }

    /// What an impulse along `direction` changes in the relative velocity along `along` (1/kg).
    pub(crate) fn response(&self, bodies: &[MovingBody], direction: Vec3, along: Vec3) -> Real {
        (0..2)
            .map(|k| {
                let (b, arm) = (&bodies[self.bodies[k] as usize], self.arms[k]);
                b.inverse_mass * direction.dot(along)
                    + b.inverse_inertia.mul_vec(arm.cross(direction)).dot(arm.cross(along))
            })
            .sum()
    }

    /// Displaces B by a multiplier and A by its opposite.
    pub(crate) fn shift(&self, bodies: &mut [MovingBody], by: Vec3) {
        for (k, sign) in [-1.0, 1.0].into_iter().enumerate() {
            let body = &mut bodies[self.bodies[k] as usize];
            if body.is_movable() {
                body.shift(body.response(Twist::new(by * sign, self.arms[k].cross(by * sign))));
            }
        }
    }

    /// Gives B an impulse and A its opposite.
    pub(crate) fn push(&self, bodies: &mut [MovingBody], impulse: Vec3) {
        bodies[self.bodies[0] as usize].push(-impulse, self.arms[0]);
        bodies[self.bodies[1] as usize].push(impulse, self.arms[1]);
    }
}
