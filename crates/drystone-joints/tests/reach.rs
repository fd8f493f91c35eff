//! Limits of reach as an implicit function of the swing and the twist of a ball joint (G-19).

use drystone_core::{BodyFrame, ConstraintRow, ConstraintSource};
use drystone_joints::{EllipticCone, JointDescription, ReachLimit, Region, RegionValue, build};
use drystone_math::{Mat3, Pose, Quat, Real, Twist, Vec3};
use drystone_testkit::{Random, SourceExpectations, check_constraint_source};

/// A region of one's own: the more the axis has swung, the less it may twist, `C = 0.8 - q_2^2 - q_0^2 / 2 - q_1 / 3`.
struct Coupled;

impl Region for Coupled {
    fn at(&self, q: Vec3) -> RegionValue {
        RegionValue {
            value: 0.8 - q.z * q.z - 0.5 * q.x * q.x - q.y / 3.0,
            gradient: Vec3::new(-q.x, -1.0 / 3.0, -2.0 * q.z),
            hessian: Mat3::from_diagonal(Vec3::new(-1.0, 0.0, -2.0)),
        }
    }
}

const AXES: [Vec3; 2] = [Vec3::new(0.3, 1.0, -0.5), Vec3::new(1.0, 0.2, 0.4)];

fn elliptic(cone: Real, cone2: Real) -> JointDescription<'static> {
    JointDescription {
        anchor: Some(Vec3::new(0.2, 0.4, -0.3)),
        axis: Some(AXES[0]),
        axis2: Some(AXES[1]),
        cone: Some(cone),
        cone2: Some(cone2),
        ..JointDescription::new("ball")
    }
}

fn own(poses: [&Pose; 2]) -> Box<dyn ConstraintSource> {
    Box::new(ReachLimit::new(AXES, poses, Box::new(Coupled), 0.0))
}

fn pose(random: &mut Random) -> Pose {
    let mut part = || random.range(-1.0, 1.0);
    let (place, turn) = (Vec3::new(part(), part(), part()), Quat::from_xyzw(part(), part(), part(), part()));
    Pose::new(place, turn.normalize())
}

fn twist(random: &mut Random) -> Twist {
    let mut part = || random.range(-1.0, 1.0);
    Twist::new(Vec3::new(part(), part(), part()), Vec3::new(part(), part(), part()))
}

/// The row of the limit, which follows the bilateral ones, if the limit is near.
fn limit(joint: &dyn ConstraintSource, frames: [BodyFrame; 2], bilateral: usize) -> Option<ConstraintRow> {
    let mut rows = Vec::new();
    joint.rows([&frames[0], &frames[1]], &[], &mut rows);
    (rows.len() > bilateral).then(|| rows[bilateral])
}

#[test]
fn sources_of_reach_keep_the_contract() {
    let twisted = JointDescription { twist: Some([0.1, 0.11]), ..elliptic(0.05, 0.09) };
    let mut made = |[a, b]: [&Pose; 2]| build(&twisted, a, b).unwrap();
    assert!(check_constraint_source(&mut made, SourceExpectations::default()) >= 30);
    assert!(check_constraint_source(&mut |poses| own(poses), SourceExpectations::default()) >= 10);
}

/// `J u` is the rate of C, and the curvature is its second derivative, at arbitrary poses and velocities.
#[test]
fn gradients_and_curvatures_are_those_of_the_function() {
    let mut random = Random::new(5);
    let mut compared = 0;
    for round in 0..2000 {
        let [a0, b0, a, b] = [(); 4].map(|()| pose(&mut random));
        let [u, v] = [(); 2].map(|()| twist(&mut random));
        let (joint, bilateral) =
            if round % 2 == 0 { (build(&elliptic(0.3, 0.7), &a0, &b0).unwrap(), 3) } else { (own([&a0, &b0]), 0) };
        let h = 1e-4;
        let at = |t: Real| {
            let moved = |p: &Pose, u: Twist| {
                Pose::new(p.position + u.linear * t, Quat::from_scaled_axis(u.angular * t) * p.orientation)
            };
            let frame = |pose, velocity| BodyFrame { pose, velocity };
            limit(joint.as_ref(), [frame(moved(&a, u), u), frame(moved(&b, v), v)], bilateral)
        };
        let (Some(before), Some(here), Some(after)) = (at(-h), at(0.0), at(h)) else { continue };
        let steep = 1.0 + here.jacobian[1].angular.length();
        // opposite to its axis the function is steep, and differences are inaccurate
        if steep > 8.0 || (after.error - before.error).abs() > 0.1 {
            continue;
        }
        let rate = (after.error - before.error) / (2.0 * h);
        let bend = (after.rate([u, v]) - before.rate([u, v])) / (2.0 * h);
        assert!((here.rate([u, v]) - rate).abs() < 1e-6 * steep.powi(3), "{round}: {} {rate}", here.rate([u, v]));
        assert!(
            (here.curvature - bend).abs() < 1e-5 * (1.0 + bend.abs()) * steep.powi(2),
            "{round}: {} {bend}",
            here.curvature
        );
        compared += 1;
    }
    assert!(compared > 800, "{compared}");
}

/// The boundary lies at the given half angles, in any plane through the axis; if they are equal it is that of the round cone.
#[test]
fn the_boundary_of_an_elliptic_cone_is_an_ellipse_of_angles() {
    let axis = AXES[0].normalize();
    let first = (AXES[1] - axis * axis.dot(AXES[1])).normalize();
    let second = axis.cross(first);
    let at = |joint: &dyn ConstraintSource, heading: Real, angle: Real, twist: Real| {
        // swings the axis towards a heading
        let towards = first * heading.cos() + second * heading.sin();
        let swing = Quat::from_axis_angle(axis.cross(towards), angle);
        let turned = Pose::new(Vec3::ZERO, swing * Quat::from_axis_angle(axis, twist));
        let rest = |pose| BodyFrame { pose, velocity: Twist::ZERO };
        limit(joint, [rest(Pose::IDENTITY), rest(turned)], 3).map(|r| r.error)
    };
    for (a, b) in [(0.4, 0.9), (2.0, 0.3), (0.7, 0.7)] {
        let joint = build(&elliptic(a, b), &Pose::IDENTITY, &Pose::IDENTITY).unwrap();
        for step in 0..24 {
            let (heading, twist) = (0.3 * Real::from(step), 0.25 * Real::from(step) - 3.0);
            let reach = a * b / (b * heading.cos()).hypot(a * heading.sin());
            let on = at(joint.as_ref(), heading, reach, twist).unwrap();
            assert!(on.abs() < 1e-12, "{a} {b} at {heading}: {on}");
            let past = at(joint.as_ref(), heading, reach + 0.01, twist).unwrap();
            // along the narrower axis an error of C equals one of the angle
            assert!(past < -0.0099 * a.min(b) / a.max(b) && past > -0.0105, "{a} {b} at {heading}: {past}");
            assert!(at(joint.as_ref(), heading, 0.5 * reach, twist).is_none(), "far inside there is nothing to hold");
        }
    }
}

#[test]
fn what_is_no_region_is_refused() {
    let refused = |d: JointDescription<'_>, part: &str| {
        let error = build(&d, &Pose::IDENTITY, &Pose::IDENTITY).err().unwrap().to_string();
        assert!(error.contains(part), "{error}");
    };
    refused(JointDescription { cone: None, ..elliptic(1.0, 1.0) }, "cone");
    refused(elliptic(1.0, 3.5), "cone2");
    refused(elliptic(1.0, Real::NAN), "cone2");
    refused(JointDescription { axis2: None, ..elliptic(1.0, 1.0) }, "axis2");
    refused(JointDescription { axis2: Some(AXES[0] * -2.0), ..elliptic(1.0, 1.0) }, "axis2");
    refused(JointDescription { twist: Some([-4.0, 1.0]), ..elliptic(1.0, 1.0) }, "twist");
    refused(JointDescription { twist: Some([0.5, 0.1]), ..elliptic(1.0, 1.0) }, "twist");
    refused(JointDescription { kind: "hinge", cone: None, ..elliptic(1.0, 1.0) }, "only a ball");
    let round = EllipticCone { half_angles: [0.5, 0.5] };
    assert_eq!(round.at(Vec3::X * 0.5).value, 0.0);
}
