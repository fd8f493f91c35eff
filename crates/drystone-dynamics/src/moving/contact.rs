use super::MovingBody;
use drystone_core::{GroupProblem, NormalOwner};
use drystone_math::elementary::rotation_vector;
use drystone_math::{Quat, Real, Twist, Vec3};

/// An arm off the normal by no more than this part of it: that of a sphere, whose nearest point stays where it is as it turns.
const ROUND: Real = 1e-9;

/// A contact point that goes with its bodies.
///
/// The normal and the plane behind it turn with the body that owns them; the point goes with the other one: as a corner of it, or as the point of a round surface that is
/// foremost along the normal, whose centre goes with the body. Where nothing is known of the surface its arm stays as it was at the start of the step.
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
    /// Radii of the surfaces (m).
    radii: [Real; 2],
    orientations: [Quat; 2],
    /// Present unit normal from A to B.
    pub(crate) normal: Vec3,
    /// Two unit tangents.
    pub(crate) tangents: [Vec3; 2],
    /// Present positions of the start's material points (m).
    pub(crate) points: [Vec3; 2],
    /// From the centres to the one point at which impulses act on both bodies (m).
    pub(crate) arms: [Vec3; 2],
    /// Present signed distance (m).
    pub(crate) gap: Real,
}

impl MovingContact {
    /// As at the start of the step, with the first of two tangents.
    pub(crate) fn of(problem: &GroupProblem, contact: usize, tangent: Vec3) -> Self {
        let c = &problem.contacts[contact];
        let half = c.normal * (0.5 * c.separation);
        let poses = c.bodies.map(|i| problem.bodies[i as usize].pose);
        let points = [c.position - half, c.position + half];
        let first_points = [0, 1].map(|k| points[k] - poses[k].position);
        let flat = first_points.map(|arm| arm.cross(c.normal).length() > ROUND * arm.length());
        // what is round about its body's centre turns in its place
        let known = problem.contact_radii.get(contact).copied().unwrap_or([Real::INFINITY; 2]);
        let radii = [0, 1].map(|k| if flat[k] || known[k] == 0.0 { known[k] } else { Real::INFINITY });
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
            radii,
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
        // from the centres to the material points of the start, to where surfaces touch now, and to where impulses act
        let material = [0, 1].map(|k| {
            let arm = self.first_points[k];
            let stays = self.planes[k] || self.radii[k] == 0.0;
            if stays { turned[k] * arm } else { arm + rotation_vector(turned[k]).cross(arm) }
        });
        let (mut surface, mut arms) = (material, self.first_arms);
        for k in 0..2 {
            if self.radii[k] < Real::INFINITY {
                surface[k] = self.rolled(k, turned[k]);
                arms[k] = surface[k] + (self.first_arms[k] - self.first_points[k]);
            }
        }
        self.points = [0, 1].map(|k| poses[k].position + material[k]);
        let touching = [0, 1].map(|k| poses[k].position + surface[k]);
        self.gap = self.normal.dot(touching[1] - touching[0]);
        let places = [0, 1].map(|k| poses[k].position + arms[k]);
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

    /// From the centre of body A (0) or B (1), which has turned so far since the start of the step, to the point of its surface that is foremost along the normal (m).
    fn rolled(&self, side: usize, turned: Quat) -> Vec3 {
        // outward is along the normal for A, against it for B
        let out = if side == 0 { self.radii[0] } else { -self.radii[1] };
        turned * (self.first_points[side] - self.first_normal * out) + self.normal * out
    }

    /// Point at which impulses act now.
    pub(crate) fn place(&self) -> PairPoint {
        PairPoint { bodies: self.bodies, arms: self.arms }
    }

    /// The velocity of B against A at the point (m/s).
    pub(crate) fn relative_velocity(&self, bodies: &[MovingBody]) -> Vec3 {
        self.place().relative_velocity(bodies)
    }

    /// Change of the relative velocity along `along` by a unit impulse along `direction` (1/kg).
    pub(crate) fn response(&self, bodies: &[MovingBody], direction: Vec3, along: Vec3) -> Real {
        self.place().response(bodies, direction, along)
    }

    /// Change of this gap's rate by a unit normal impulse at another point of the same pair (1/kg).
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

    /// Change of the relative velocity along `along` by a unit impulse along `direction` (1/kg).
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

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_core::{GroupBody, GroupContact};
    use drystone_math::{Pose, SymmetricMat3};

    const RADIUS: Real = 0.5;

    /// A ball on the floor below `y = 0`, with its centre of mass beside and below its
    /// middle, and their contact, with `known` data about the surfaces.
    fn ball(known: Option<[Real; 2]>) -> GroupProblem {
        let body = |inverse_mass: Real, position: Vec3| GroupBody {
            index: drystone_core::BodyIndex(0),
            inverse_mass,
            inverse_inertia: SymmetricMat3::from_diagonal(Vec3::splat(inverse_mass)),
            pose: Pose::new(position, Quat::IDENTITY),
            velocity: Twist::ZERO,
            external: Twist::ZERO,
        };
        let contact = GroupContact {
            bodies: [0, 1],
            position: Vec3::Y * 0.01,
            normal: Vec3::Y,
            owner: NormalOwner::A,
            separation: 0.02,
            friction: 0.5,
            restitution: 0.0,
            impulse: drystone_core::ContactImpulse::ZERO,
            edge: 0,
            point: 0,
            surface: GroupContact::PLAIN,
        };
        GroupProblem {
            bodies: vec![body(0.0, Vec3::ZERO), body(1.0, Vec3::new(0.2, RADIUS + 0.02 - 0.1, 0.0))],
            contacts: vec![contact],
            contact_radii: known.into_iter().collect(),
            ..GroupProblem::default()
        }
    }

    /// The gap of the ball and the place where impulses act, once it has turned by `angle`
    /// about z with its middle in place: as computed, and as it should be.
    fn turned(known: Option<[Real; 2]>, angle: Real) -> [(Real, Vec3); 2] {
        let problem = ball(known);
        let mut contact = MovingContact::of(&problem, 0, Vec3::X);
        let mut bodies: Vec<_> = problem.bodies.iter().map(MovingBody::of).collect();
        let (middle, turn) = (Vec3::Y * (RADIUS + 0.02), Quat::from_rotation_z(angle));
        bodies[1].pose = Pose::new(middle + turn * (problem.bodies[1].pose.position - middle), turn);
        contact.follow(&bodies);
        [(contact.gap, bodies[1].pose.position + contact.arms[1]), (0.02, Vec3::Y * 0.01)]
    }

    #[test]
    fn what_is_round_rolls_about_its_own_middle() {
        for angle in [0.01, 0.3, 2.0] {
            let [(gap, place), (right, there)] = turned(Some([Real::INFINITY, RADIUS]), angle);
            assert!((gap - right).abs() < 1e-14 && (place - there).length() < 1e-14, "{angle}: {gap} m at {place}");
        }
        // if nothing is known, the arm of the start of the step: off by the turn times the offset of the centre of mass
        let [(_, place), (_, there)] = turned(None, 0.01);
        assert!(((place - there).length() - 0.01 * 0.2_f64.hypot(0.1)).abs() < 1e-5, "{place}");
    }

    #[test]
    fn corners_go_with_their_body() {
        let problem = ball(Some([Real::INFINITY, 0.0]));
        let mut contact = MovingContact::of(&problem, 0, Vec3::X);
        let mut bodies: Vec<_> = problem.bodies.iter().map(MovingBody::of).collect();
        let turn = Quat::from_rotation_z(0.3);
        bodies[1].pose.orientation = turn;
        let corner = bodies[1].pose.position + turn * (Vec3::Y * 0.02 - bodies[1].pose.position);
        contact.follow(&bodies);
        assert!((contact.points[1] - corner).length() < 1e-14 && (contact.gap - corner.y).abs() < 1e-14);
    }
}
