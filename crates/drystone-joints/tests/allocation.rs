//! Writing rows allocates nothing once the list is warm.

use drystone_core::BodyFrame;
use drystone_joints::{JointDescription, build};
use drystone_math::{Pose, Twist, Vec3};

#[test]
fn warm_rows_allocate_nothing() {
    let (a, b) = (Pose::IDENTITY, Pose::from_position(Vec3::X));
    let d = JointDescription { anchor: Some(Vec3::ZERO), axis: Some(Vec3::Y), ..JointDescription::new("hinge") };
    let joint = build(&d, &a, &b).unwrap();
    let frames = [a, b].map(|pose| BodyFrame { pose, velocity: Twist::ZERO });
    let mut rows = Vec::with_capacity(16);
    let counted = allocation_counter::measure(|| {
        for _ in 0..3 {
            rows.clear();
            joint.rows([&frames[0], &frames[1]], &[], &mut rows);
        }
    });
    assert_eq!((rows.len(), counted.count_total), (5, 0));
}
