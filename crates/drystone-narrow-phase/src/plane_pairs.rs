//! A half space and a bounded shape: the shape's lowest point decides.

use crate::gap::Gap;
use crate::round_pairs::core;
use drystone_core::Feature;
use drystone_geometry::{Capsule, Cuboid, Plane, Sphere};
use drystone_math::{Pose, Real, Vec3};

/// The sine of a tilt below which an edge or a face counts as parallel to the plane: its middle is then the witness.
const PARALLEL: Real = 1e-10;

fn below(plane: &Plane, pose: &Pose, lowest: Vec3, feature_b: Feature) -> Gap {
    let (n, d) = plane.placed(pose);
    let distance = n.dot(lowest) - d;
    Gap { feature_a: Feature::Face(0), feature_b, ..Gap::smooth(distance, n, lowest - n * distance, lowest) }
}

/// A plane and a sphere.
pub(crate) fn plane_sphere(a: &Plane, pose_a: &Pose, b: Sphere, pose_b: &Pose) -> Gap {
    let n = pose_a.direction(a.normal());
    below(a, pose_a, pose_b.position - n * b.radius(), Feature::Surface)
}

/// A plane and a capsule.
pub(crate) fn plane_capsule(a: &Plane, pose_a: &Pose, b: &Capsule, pose_b: &Pose) -> Gap {
    let n = pose_a.direction(a.normal());
    let (q0, q1) = core(b, pose_b);
    let slope = n.dot(q1 - q0);
    let lowest = if slope.abs() <= PARALLEL * b.half_height() {
        pose_b.position
    } else if slope > 0.0 {
        q0
    } else {
        q1
    };
    below(a, pose_a, lowest - n * b.radius(), Feature::Surface)
}

/// A plane and a box.
pub(crate) fn plane_box(a: &Plane, pose_a: &Pose, b: &Cuboid, pose_b: &Pose) -> Gap {
    let n = pose_b.local_direction(pose_a.direction(a.normal()));
    let h = b.half_extents();
    let mut lowest = Vec3::ZERO;
    for k in 0..3 {
        if n[k].abs() > PARALLEL {
            lowest[k] = -h[k].copysign(n[k]);
        }
    }
    below(a, pose_a, pose_b.point(lowest), crate::box_box::feature_at(lowest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::Quat;

    #[test]
    fn a_box_on_its_edge() {
        let plane = Plane::new(Vec3::Y, 0.5).unwrap();
        let cube = Cuboid::new(Vec3::ONE).unwrap();
        let pose = Pose::new(Vec3::new(3.0, 2.0, 0.0), Quat::from_rotation_z(core::f64::consts::FRAC_PI_4));
        let g = plane_box(&plane, &Pose::IDENTITY, &cube, &pose);
        assert!((g.distance - (1.5 - Real::sqrt(2.0))).abs() < 1e-15);
        assert!(g.on_b.z.abs() < 1e-15 && matches!(g.feature_b, Feature::Edge(_)));
    }
}
