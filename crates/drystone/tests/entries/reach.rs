//! Reach limits of a ball joint in a running world: an elliptic cone, a twist limit besides the swing, and a region defined by the user (G-19).

use drystone::math::Mat3;
use drystone::prelude::*;
use drystone_joints::{JointDescription, ReachLimit, Region, RegionValue, build};

const H: f64 = 0.0025;

/// A heavy arm, upright on a ball joint at the origin, is given a push. Returns the largest swing towards x, the largest towards z and the largest
/// twist (rad).
fn swings(description: &JointDescription<'_>, region: Option<Box<dyn Region>>, push: Vec3) -> [f64; 3] {
    let mut world = World::builder().paradigm(Paradigm::VELOCITY_LCP).build().unwrap();
    let shape = Shape::cuboid(0.05, 0.5, 0.05).unwrap();
    let arm = Body::dynamic(shape).mass(2.0).at([0.0, 0.5, 0.0]).angular_velocity(push);
    let arm = world.add(arm.linear_velocity(push.cross(Vec3::Y * 0.5))).unwrap();
    let pose = world.pose(arm).unwrap();
    world.add_joint([None, Some(arm)], build(description, &Pose::IDENTITY, &pose).unwrap()).unwrap();
    if let Some(region) = region {
        let limit = ReachLimit::new([Vec3::Y, Vec3::X], [&Pose::IDENTITY, &pose], region, 0.0);
        world.add_joint([None, Some(arm)], Box::new(limit)).unwrap();
    }
    let mut furthest = [0.0_f64; 3];
    for _ in 0..1200 {
        world.advance(H).unwrap();
        let q = world.pose(arm).unwrap().orientation;
        let axis = q * Vec3::Y;
        let angle = axis.y.clamp(-1.0, 1.0).acos();
        let swing = Vec3::new(axis.x, 0.0, axis.z).normalize_or_zero() * angle;
        let twist = 2.0 * q.y.atan2(q.w);
        let turned = twist - std::f64::consts::TAU * (twist / std::f64::consts::TAU).round();
        for (f, v) in furthest.iter_mut().zip([swing.x, swing.z, turned]) {
            *f = f.max(v.abs());
        }
    }
    furthest
}

fn ball(cone: Option<f64>, cone2: Option<f64>, twist: Option<[f64; 2]>) -> JointDescription<'static> {
    let (anchor, axis, axis2) = (Some(Vec3::ZERO), Some(Vec3::Y), Some(Vec3::X));
    JointDescription { anchor, axis, axis2, cone, cone2, twist, erp: 1.0, ..JointDescription::new("ball") }
}

/// How far from its limit the extreme reached in discrete steps may be (rad).
const SLACK: f64 = 3e-3;

#[test]
fn an_arm_stays_in_its_elliptic_cone() {
    // it may lean by 0.3 rad towards z and by 1.1 towards x; the second axis of the frame is x, the third y x x = -z
    let elliptic = ball(Some(1.1), Some(0.3), None);
    let [x, z, _] = swings(&elliptic, None, Vec3::new(0.8, 0.0, 0.0));
    assert!(z > 0.3 - SLACK && z < 0.3 + SLACK, "{x} {z}");
    let [x, z, _] = swings(&elliptic, None, Vec3::new(0.0, 0.0, -0.8));
    assert!(x > 1.1 - SLACK && x < 1.1 + SLACK && z < 0.3 + SLACK, "{x} {z}");
    // the control: a round cone of 1.1 rad lets it lean further towards z
    let [_, z, _] = swings(&ball(Some(1.1), None, None), None, Vec3::new(0.8, 0.0, 0.0));
    assert!(z > 1.0, "{z}");
}

#[test]
fn twist_is_limited_beside_the_swing() {
    let spun = Vec3::new(0.3, 2.0, 0.2);
    let [x, z, twist] = swings(&ball(Some(1.1), Some(0.6), Some([-0.4, 0.7])), None, spun);
    assert!(twist > 0.7 - SLACK && twist < 0.7 + 2.0 * SLACK, "{twist}");
    assert!((x / 1.1).hypot(z / 0.6) < 2.0_f64.sqrt() && x.max(z) > 0.5, "{x} {z}");
    assert!(swings(&ball(Some(1.1), Some(0.6), None), None, spun)[2] > 1.0);
}

/// A region bounded by one wall: the swing towards x is at most 0.2 rad.
struct Wall;

impl Region for Wall {
    fn at(&self, q: Vec3) -> RegionValue {
        RegionValue { value: 0.2 - q.x, gradient: Vec3::NEG_X, hessian: Mat3::ZERO }
    }
}

#[test]
fn a_region_of_ones_own_holds() {
    let push = Vec3::new(0.0, 0.0, -0.8);
    let [x, z, _] = swings(&ball(None, None, None), Some(Box::new(Wall)), push);
    assert!(x > 0.2 - SLACK && x < 0.2 + SLACK && z < 1e-6, "{x} {z}");
    let [x, ..] = swings(&ball(None, None, None), None, push);
    assert!(x > 1.5, "without it the arm falls over: {x}");
}
