//! A world confined to a plane: bodies move along it and turn about its normal, and in no other way.

use drystone_core::{BodyIndex, Configuration, Edge, EdgeAction, State};
use drystone_math::{Mat3, Pose, Real, SymmetricMat3, Twist, Vec3, Wrench};

/// A contact normal nearer than this to the plane's normal (sine of the angle) does not affect the motion in the plane.
const ACROSS: Real = 1e-6;

/// The plane of a world with two and a half dimensions: three of the six degrees of freedom per body.
///
/// Each body keeps its own distance from the origin along the normal. Whatever pushes or turns a body out of the plane is borne by it without friction: the
/// components of velocities, forces, displacements and contact normals along the normal are removed, and only the inertia about the normal matters for rotation. The
/// motion is that of the planar state (x, theta, m v, I omega) with the derivative (v, omega, F, tau).
///
/// # Source
/// C-02; Baraff 1995, "System overview".
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Plane {
    normal: Vec3,
}

impl Plane {
    /// From a normal of any length; `None` if it has no direction.
    pub(crate) fn new(normal: Vec3) -> Option<Self> {
        // a unit normal is left as it is, so that one that was read back has the same bits
        let is_unit = (normal.length_squared() - 1.0).abs() < 1e-15;
        if is_unit { Some(Self { normal }) } else { normal.try_normalize().map(|normal| Self { normal }) }
    }

    pub(crate) fn normal(self) -> Vec3 {
        self.normal
    }

    /// The component of a vector along the plane.
    pub(crate) fn along(self, v: Vec3) -> Vec3 {
        v - self.normal * self.normal.dot(v)
    }

    /// The part of a velocity or a displacement that the plane allows.
    pub(super) fn part(self, t: Twist) -> Twist {
        Twist::new(self.along(t.linear), self.normal * self.normal.dot(t.angular))
    }

    /// The part of a wrench that the plane allows.
    pub(super) fn bear(self, wrench: Wrench) -> Wrench {
        Wrench::new(self.along(wrench.force), self.normal * self.normal.dot(wrench.torque))
    }

    /// Projects the dynamic bodies onto the plane.
    pub(crate) fn lay(self, configuration: &mut Configuration, state: &mut State) {
        for (i, body) in configuration.bodies.iter_mut().enumerate().filter(|(_, b)| b.is_dynamic()) {
            let body_index = BodyIndex::new(i);
            // a body that cannot turn at all remains so
            if body.inverse_inertia != SymmetricMat3::ZERO {
                let own = state.orientation[i].conjugate() * self.normal;
                let about = body.inertia.quadratic(own);
                body.inverse_inertia =
                    SymmetricMat3::from_mat3(&(Mat3::from_cols(own * own.x, own * own.y, own * own.z) * about.recip()));
            }
            let velocity = state.velocity(body_index);
            let kept = self.part(velocity);
            if kept != velocity {
                state.set_velocity(body_index, kept);
            }
        }
    }

    /// Removes from the velocities of bodies, and from the displacements that a solver found for them, what leads out of the plane.
    pub(super) fn hold(self, configuration: &Configuration, state: &mut State, bodies: &[BodyIndex]) {
        for &body in bodies.iter().filter(|b| configuration.body(**b).is_dynamic()) {
            let velocity = self.part(state.velocity(body));
            state.set_velocity(body, velocity);
            if let Some(way) = state.displacement.get_mut(body.at()) {
                way.shift = self.part(way.shift);
            }
        }
    }

    /// Projects the normals of contacts onto the plane, unless they are of a pair that this detection leaves as it is. A contact whose normal is perpendicular to the plane is
    /// dropped: such surfaces lie on top of each other, and slide.
    pub(super) fn flatten(self, edges: &mut [Edge], frames: &[Pose]) {
        for edge in edges.iter_mut().filter(|edge| edge.action != EdgeAction::Skip) {
            let pair = [edge.pair.a, edge.pair.b].map(|b| frames[b.at()]);
            edge.manifold.points.retain(|p| {
                let (normal, _, separation) = p.world(&pair[0], &pair[1]);
                let along = self.along(normal);
                let length = along.length();
                if length < ACROSS {
                    return false;
                }
                if length < 1.0 {
                    let normal = along / length;
                    p.normal = pair.map(|pose| pose.local_direction(normal));
                    p.separation = separation * length;
                }
                true
            });
        }
    }
}
