//! Every row of every kind of joint, against finite differences and against the laws of internal forces.

use drystone_core::{BodyFrame, ConstraintRow, ConstraintSource, JointError, RowLimits, Softness};
use drystone_joints::{AxisFreedom, JointDescription, KINDS, Motor, Spring, build};
use drystone_math::{Pose, Quat, Real, Twist, Vec3};
use drystone_testkit::{SourceExpectations, check_constraint_source};
use std::f64::consts::FRAC_PI_2;
use std::sync::atomic::{AtomicU32, Ordering};

/// A small deterministic sequence in [-1, 1).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> Real {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as Real / (1_u64 << 52) as Real - 1.0
    }
    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }
    fn pose(&mut self) -> Pose {
        let q = Quat::from_xyzw(self.next(), self.next(), self.next(), self.next()).normalize();
        Pose::new(self.vector() * 2.0, q)
    }
    fn twist(&mut self) -> Twist {
        Twist::new(self.vector(), self.vector())
    }
}

fn at_rest(pose: Pose) -> BodyFrame {
    BodyFrame { pose, velocity: Twist::ZERO }
}

fn moved(pose: &Pose, u: Twist, h: Real) -> Pose {
    Pose::new(pose.position + u.linear * h, Quat::from_scaled_axis(u.angular * h) * pose.orientation)
}

fn rows(joint: &dyn ConstraintSource, a: &Pose, b: &Pose) -> Vec<ConstraintRow> {
    let mut list = Vec::new();
    joint.rows([&at_rest(*a), &at_rest(*b)], &[], &mut list);
    list
}

/// A plain joint of this kind, with only what it needs.
fn plain(kind: &'static str) -> JointDescription<'static> {
    let axis = Vec3::new(0.3, 1.0, -0.5);
    let mut d =
        JointDescription { anchor: Some(Vec3::new(0.2, 0.4, -0.3)), axis: Some(axis), ..JointDescription::new(kind) };
    match kind {
        "universal" => d.axis2 = Some(axis.cross(Vec3::X)),
        "hinge2" => d.axis2 = Some(Vec3::new(1.0, 0.4, 0.2)),
        "gear" => d.teeth = Some([12, -30]),
        "screw" => d.lead = Some(0.3),
        "rack-and-pinion" => (d.axis2, d.radius) = (Some(Vec3::new(1.0, 0.4, 0.2)), Some(-0.35)),
        "pulley" => {
            // shorter than it can ever be, so that it pulls at any pose
            let over = [Vec3::new(-3.0, 4.0, 0.5), Vec3::new(2.5, 5.0, -1.0)];
            d = JointDescription {
                axis: None,
                anchor2: Some(Vec3::new(1.0, -0.6, 0.5)),
                pulleys: Some(over),
                ratio: Some(2.0),
                length: Some(0.01),
                ..d
            };
        }
        "distance" | "rope" | "revolute-spherical" => d.anchor2 = Some(Vec3::new(1.0, -0.6, 0.5)),
        "six-dof" => {
            d.axis2 = Some(Vec3::X);
            d.translations = [AxisFreedom::Locked, AxisFreedom::Free, AxisFreedom::Locked];
            d.rotations = [AxisFreedom::Locked, AxisFreedom::Locked, AxisFreedom::Free];
        }
        _ => {}
    }
    d
}

/// The same joint with everything that it can carry, and limits so narrow that one of them is closed at any random pose.
fn loaded(kind: &'static str) -> JointDescription<'static> {
    let mut d = plain(kind);
    let spring = Some(Spring { stiffness: 40.0, damping: 2.0, rest: 0.1 });
    let motor = Some(Motor::Velocity { velocity: 2.0, max_force: 5.0 });
    match kind {
        "ball" => d.cone = Some(0.05),
        "hinge2" => d.suspension = spring,
        "six-dof" => {
            d.translations[1] = AxisFreedom::Limited(-0.01, 0.01);
            d.rotations[2] = AxisFreedom::Limited(-0.01, 0.01);
        }
        _ => {}
    }
    if matches!(kind, "hinge" | "slider" | "screw" | "point-on-line" | "cylindrical" | "universal" | "hinge2") {
        d = JointDescription { limits: Some([0.1, 0.11]), motor, friction: 1.0, spring, ..d };
    }
    if matches!(kind, "cylindrical" | "universal" | "hinge2") {
        let motor2 = Some(Motor::Position { target: 0.5, max_force: 3.0 });
        d = JointDescription { limits2: Some([-0.01, 0.0]), motor2, friction2: 2.0, spring2: spring, ..d };
    }
    if kind == "distance" {
        d = JointDescription { limits: Some([0.5, 0.51]), motor, ..d };
    }
    d
}

/// Couplings by a real ratio and with an offset; wheels side by side, and bevel wheels.
fn coupled() -> Vec<JointDescription<'static>> {
    let gear = JointDescription { teeth: None, offset: Some(0.1), ..plain("gear") };
    let (ratio, axis2) = (Some(-0.37), Some(Vec3::new(1.0, 0.4, 0.2)));
    let offset = |kind, offset| JointDescription { offset: Some(offset), ..plain(kind) };
    vec![
        JointDescription { ratio, ..gear },
        JointDescription { ratio: Some(2.9), ..gear },
        JointDescription { ratio, axis2, anchor2: Some(Vec3::new(0.6, 0.1, 0.1)), ..gear },
        offset("screw", 0.02),
        offset("rack-and-pinion", -0.3),
    ]
}

#[test]
fn every_kind_keeps_the_contract() {
    for d in KINDS.iter().flat_map(|k| [plain(k.name), loaded(k.name)]).chain(coupled()) {
        let expect = SourceExpectations { internal: d.kind != "pulley", ..SourceExpectations::default() };
        let compared = check_constraint_source(&mut |[a, b]| build(&d, a, b).unwrap(), expect);
        assert!(compared >= 30, "{}: {compared}", d.kind);
    }
}

/// The suite finds a source that is not pure, one with a wrong gradient, and one whose forces do not balance.
#[test]
fn broken_sources_are_found() {
    #[derive(Clone, Copy, PartialEq)]
    enum Fault {
        Counts,
        Gradient,
        Reaction,
    }
    struct Broken(Box<dyn ConstraintSource>, Fault, AtomicU32);
    impl ConstraintSource for Broken {
        fn kind(&self) -> &'static str {
            "broken"
        }
        fn rows(&self, frames: [&BodyFrame; 2], memory: &[Real], rows: &mut Vec<ConstraintRow>) {
            let first = rows.len();
            self.0.rows(frames, memory, rows);
            for r in &mut rows[first..] {
                match self.1 {
                    Fault::Counts => r.error += 1e-3 * Real::from(self.2.fetch_add(1, Ordering::Relaxed)),
                    Fault::Gradient => r.jacobian = r.jacobian.map(|j| j * 1.01),
                    Fault::Reaction => r.jacobian[0].angular *= 1.001,
                }
            }
        }
        fn error(&self, frames: [&BodyFrame; 2], memory: &[Real]) -> JointError {
            self.0.error(frames, memory)
        }
    }
    for fault in [Fault::Counts, Fault::Gradient, Fault::Reaction] {
        let checked = std::panic::catch_unwind(|| {
            let mut make = |[a, b]: [&Pose; 2]| -> Box<dyn ConstraintSource> {
                Box::new(Broken(build(&plain("hinge"), a, b).unwrap(), fault, AtomicU32::new(0)))
            };
            check_constraint_source(&mut make, SourceExpectations::default())
        });
        assert!(checked.is_err());
    }
}

#[test]
fn gradients_are_exact_at_random_poses() {
    let mut numbers = Numbers(1);
    let mut compared = 0;
    for d in KINDS.iter().flat_map(|k| [plain(k.name), loaded(k.name)]) {
        for _ in 0..200 {
            let (a0, b0) = (numbers.pose(), numbers.pose());
            let joint = build(&d, &a0, &b0).unwrap();
            let (a, b) = (numbers.pose(), numbers.pose());
            let (u, v) = (numbers.twist(), numbers.twist());
            let h = 1e-6;
            let here = rows(joint.as_ref(), &a, &b);
            let before = rows(joint.as_ref(), &moved(&a, u, -h), &moved(&b, v, -h));
            let after = rows(joint.as_ref(), &moved(&a, u, h), &moved(&b, v, h));
            if before.len() != here.len() || after.len() != here.len() {
                continue;
            }
            for ((r, x), y) in here.iter().zip(&before).zip(&after) {
                let [ja, jb] = r.jacobian;
                let rate = ja.linear.dot(u.linear)
                    + ja.angular.dot(u.angular)
                    + jb.linear.dot(v.linear)
                    + jb.angular.dot(v.angular);
                let difference = (y.error - x.error) / (2.0 * h);
                // an angle that crosses the end of its range jumps by 2 pi; near a singular pose differences are inaccurate
                let steep = 1.0 + ja.angular.length() + jb.angular.length();
                if (y.error - x.error).abs() > 0.1 || steep > 30.0 {
                    continue;
                }
                compared += 1;
                assert!((rate - difference).abs() < 1e-6 * steep * steep, "{}: {rate} {difference}", d.kind);
            }
        }
    }
    assert!(compared > 15_000, "{compared}");
}

// G-02
#[test]
fn curvatures_are_second_derivatives() {
    let mut numbers = Numbers(4);
    let mut compared = 0;
    // joints without limits, whose rows are locks (that of a gear is straight); and joints with springs on their free coordinates
    let spring = Some(Spring { stiffness: 3.0, damping: 1.0, rest: 0.1 });
    let sprung = |kind: &&drystone_core::catalogue::Implementation| {
        ["hinge", "slider", "screw", "cylindrical", "universal", "hinge2", "point-on-line"].contains(&kind.name)
    };
    let second = |kind: &str| ["cylindrical", "universal", "hinge2"].contains(&kind);
    let with_springs = KINDS.iter().filter(sprung).map(|k| JointDescription {
        spring,
        spring2: spring.filter(|_| second(k.name)),
        ..plain(k.name)
    });
    for d in KINDS.iter().filter(|k| k.name != "rope").map(|k| plain(k.name)).chain(with_springs) {
        for _ in 0..100 {
            let joint = build(&d, &numbers.pose(), &numbers.pose()).unwrap();
            let (a, b, u, v) = (numbers.pose(), numbers.pose(), numbers.twist(), numbers.twist());
            let h = 1e-4;
            let at = |t: Real| {
                let frames = [(a, u), (b, v)].map(|(p, w)| BodyFrame { pose: moved(&p, w, t), velocity: w });
                let mut list = Vec::new();
                joint.rows([&frames[0], &frames[1]], &[], &mut list);
                list
            };
            for ((x, y), z) in at(-h).iter().zip(at(0.0)).zip(at(h)) {
                let second = (x.error - 2.0 * y.error + z.error) / (h * h);
                // the sign of a rotation may flip in between
                if (z.error - x.error).abs() < 0.1 {
                    compared += 1;
                    // near a pole of an angle differences are inaccurate
                    let steep = y.jacobian.iter().map(|j| j.angular.length()).fold(1.0, Real::max);
                    let scale = (1.0 + y.curvature.abs()) * steep.powi(4);
                    assert!((y.curvature - second).abs() < 1e-5 * scale, "{}: {} {second}", d.kind, y.curvature);
                }
            }
        }
    }
    assert!(compared > 6000, "{compared}");
}

#[test]
fn internal_forces_sum_to_nothing() {
    let mut numbers = Numbers(2);
    for d in KINDS.iter().filter(|k| !["gear", "rack-and-pinion", "pulley"].contains(&k.name)).map(|k| loaded(k.name)) {
        let (a, b) = (numbers.pose(), numbers.pose());
        let joint = build(&d, &numbers.pose(), &numbers.pose()).unwrap();
        for r in rows(joint.as_ref(), &a, &b) {
            let [ja, jb] = r.jacobian;
            let moment = a.position.cross(ja.linear) + ja.angular + b.position.cross(jb.linear) + jb.angular;
            let scale = 1.0 + ja.angular.length() + jb.angular.length();
            assert!((ja.linear + jb.linear).length() < 1e-14 && moment.length() < 1e-13 * scale, "{}", d.kind);
        }
    }
}

/// Rank of the gradients of the rows, by elimination with full pivoting.
fn rank(rows: &[ConstraintRow]) -> usize {
    let mut m: Vec<[Real; 12]> = rows
        .iter()
        .map(|r| {
            let mut line = [0.0; 12];
            for (k, j) in r.jacobian.iter().enumerate() {
                line[6 * k..6 * k + 3].copy_from_slice(&j.linear.to_array());
                line[6 * k + 3..6 * k + 6].copy_from_slice(&j.angular.to_array());
            }
            line
        })
        .collect();
    let mut rank = 0;
    while rank < m.len() {
        let all = (rank..m.len()).flat_map(|i| (0..12).map(move |j| (i, j)));
        let (i, j) = all.max_by(|x, y| m[x.0][x.1].abs().total_cmp(&m[y.0][y.1].abs())).unwrap();
        if m[i][j].abs() < 1e-9 {
            break;
        }
        m.swap(rank, i);
        let pivot = m[rank];
        for line in &mut m[rank + 1..] {
            let f = line[j] / pivot[j];
            for (x, p) in line.iter_mut().zip(pivot) {
                *x -= f * p;
            }
        }
        rank += 1;
    }
    rank
}

#[test]
fn rows_and_freedoms_are_those_of_the_table() {
    let table = [
        ("ball", 3),
        ("hinge", 5),
        ("slider", 5),
        ("cylindrical", 4),
        ("universal", 4),
        ("hinge2", 4),
        ("fixed", 6),
        ("planar", 3),
        ("point-on-plane", 1),
        ("point-on-line", 2),
        ("distance", 1),
        ("revolute-spherical", 2),
        ("rope", 1),
        ("gear", 1),
        ("screw", 5),
        ("rack-and-pinion", 1),
        ("pulley", 1),
        ("six-dof", 4),
    ];
    assert_eq!(table.map(|t| t.0).to_vec(), KINDS.iter().map(|k| k.name).collect::<Vec<_>>());
    let mut numbers = Numbers(3);
    for (kind, expected) in table {
        let (a, b) = (numbers.pose(), numbers.pose());
        // a cord exactly as long as its path
        let joint = build(&JointDescription { length: None, ..plain(kind) }, &a, &b).unwrap();
        let list = rows(joint.as_ref(), &a, &b);
        assert_eq!((joint.kind(), list.len(), rank(&list)), (kind, expected, expected));
        // as built it is satisfied
        let error = joint.error([&at_rest(a), &at_rest(b)], &[]);
        assert!(error.linear < 1e-14 && error.angular < 1e-14, "{kind}: {error:?}");
        assert!(list.iter().all(|r| r.error.abs() < 1e-14 && r.correctable && r.target == 0.0));
        // moved as a whole it stays satisfied, except for kinds with axes or points fixed in the world
        let of_world = ["gear", "rack-and-pinion", "pulley"].contains(&kind);
        let base = numbers.pose();
        let error = joint.error([&at_rest(base * a), &at_rest(base * b)], &[]);
        assert!(of_world || error.linear + error.angular < 1e-13, "{kind}: {error:?}");
    }
}

/// A joint along or about the y axis between the world and a body at (1, 0, 0).
fn on_y(d: &JointDescription<'_>) -> Box<dyn ConstraintSource> {
    let d = JointDescription { anchor: Some(Vec3::ZERO), axis: Some(Vec3::Y * 3.0), ..*d };
    build(&d, &Pose::IDENTITY, &Pose::from_position(Vec3::X)).unwrap()
}

fn about_y(angle: Real) -> Pose {
    let q = Quat::from_rotation_y(angle);
    Pose::new(q * Vec3::X, q)
}

#[test]
fn hinge_limits_close_on_their_side() {
    let joint = on_y(&JointDescription { limits: Some([-0.5, 1.0]), ..JointDescription::new("hinge") });
    for (angle, expected) in [(-0.7, Some((-0.2, 1.0))), (-0.4, None), (0.9, None), (1.25, Some((-0.25, -1.0)))] {
        let list = rows(joint.as_ref(), &Pose::IDENTITY, &about_y(angle));
        let found = list.get(5).map(|r| (r.error, r.jacobian[1].angular.y));
        match (found, expected) {
            (Some((e, j)), Some((error, side))) => assert!((e - error).abs() < 1e-14 && (j - side).abs() < 1e-14),
            (None, None) => {}
            other => panic!("{angle}: {other:?}"),
        }
        let error = joint.error([&at_rest(Pose::IDENTITY), &at_rest(about_y(angle))], &[]);
        assert!((error.angular - expected.map_or(0.0, |e| -e.0)).abs() < 1e-14 && error.linear < 1e-14);
        assert!(list.iter().skip(5).all(|r| r.limits == RowLimits::UNILATERAL));
    }
    // a range that is not centred on zero takes the angle nearest to it, beyond pi too
    let joint = on_y(&JointDescription { limits: Some([2.5, 3.0]), ..JointDescription::new("hinge") });
    let list = rows(joint.as_ref(), &Pose::IDENTITY, &about_y(3.3));
    assert!(list.len() == 6 && (list[5].error + 0.3).abs() < 1e-12);
}

#[test]
fn slider_coordinate_limits_and_motor_agree_on_the_sign() {
    let motor = Some(Motor::Velocity { velocity: 2.0, max_force: 7.0 });
    let joint = on_y(&JointDescription { limits: Some([-1.0, 0.5]), motor, ..JointDescription::new("slider") });
    let up = Pose::from_position(Vec3::new(1.0, 0.75, 0.0));
    let list = rows(joint.as_ref(), &Pose::IDENTITY, &up);
    assert_eq!(list.len(), 7);
    let (motor, limit) = (&list[5], &list[6]);
    assert_eq!((motor.target, motor.error, motor.limits), (2.0, 0.75, RowLimits { lo: -7.0, hi: 7.0 }));
    assert_eq!((motor.jacobian[1].linear, motor.correctable, motor.softness), (Vec3::Y, false, Softness::RIGID));
    assert_eq!((limit.jacobian[1].linear, limit.error), (Vec3::NEG_Y, -0.25));
}

#[test]
fn hinge_motor_turns_b_forwards() {
    let motor = Some(Motor::Velocity { velocity: 3.0, max_force: 1e4 });
    let joint = on_y(&JointDescription { motor, friction: 0.5, ..JointDescription::new("hinge") });
    let list = rows(joint.as_ref(), &Pose::IDENTITY, &about_y(0.3));
    assert!((list[5].jacobian[1].angular - Vec3::Y).length() < 1e-15 && list[5].target == 3.0);
    assert_eq!((list[6].target, list[6].limits), (0.0, RowLimits { lo: -0.5, hi: 0.5 }));
}

#[test]
fn a_servo_counts_turns() {
    let motor = Some(Motor::Position { target: 3.0, max_force: 5.0 });
    let joint = on_y(&JointDescription { motor, ..JointDescription::new("hinge") });
    let list = rows(joint.as_ref(), &Pose::IDENTITY, &about_y(-3.0));
    assert!((list[5].error + 6.0).abs() < 1e-12 && list[5].softness.is_soft());
}

#[test]
fn wheel_coordinates_are_steering_and_spin() {
    // steering about y, spin about z
    let d = JointDescription {
        anchor: Some(Vec3::ZERO),
        axis: Some(Vec3::Y),
        axis2: Some(Vec3::Z),
        motor: Some(Motor::Velocity { velocity: 0.0, max_force: 1.0 }),
        motor2: Some(Motor::Velocity { velocity: 0.0, max_force: 1.0 }),
        ..JointDescription::new("hinge2")
    };
    let joint = build(&d, &Pose::IDENTITY, &Pose::IDENTITY).unwrap();
    let (steer, spin) = (0.4, 1.3);
    let q = Quat::from_rotation_y(steer) * Quat::from_rotation_z(spin);
    let list = rows(joint.as_ref(), &Pose::IDENTITY, &Pose::new(Vec3::ZERO, q));
    assert!((list[4].error - steer).abs() < 1e-14 && (list[5].error - spin).abs() < 1e-14);
    // at right angles to each other the two coordinates do not mix
    assert!((list[4].jacobian[1].angular - Vec3::Y).length() < 1e-14);
    assert!((list[5].jacobian[1].angular - Quat::from_rotation_y(steer) * Vec3::Z).length() < 1e-14);
}

#[test]
fn cardan_joint_has_the_textbook_speed_ratio() {
    // shafts at an angle beta: tan(out) = tan(in) / cos(beta) from one zero, so speeds are cos / (1 - sin^2 cos^2)
    let beta: Real = 0.5;
    let (shaft_a, shaft_b) = (Vec3::Z, Quat::from_rotation_y(beta) * Vec3::Z);
    let d = JointDescription {
        anchor: Some(Vec3::ZERO),
        axis: Some(Vec3::Y),
        axis2: Some(Quat::from_rotation_y(beta) * Vec3::X),
        ..JointDescription::new("universal")
    };
    let joint = build(&d, &Pose::IDENTITY, &Pose::IDENTITY).unwrap();
    for turn in [0.0, 0.3, 1.0, FRAC_PI_2] {
        // B's angle for which the row is satisfied, by bisection
        let at = |out: Real| {
            let (a, b) = (Quat::from_axis_angle(shaft_a, turn), Quat::from_axis_angle(shaft_b, out));
            rows(joint.as_ref(), &Pose::new(Vec3::ZERO, a), &Pose::new(Vec3::ZERO, b))[3]
        };
        let (mut low, mut high) = (turn - 0.5, turn + 0.5);
        let rising = at(high).error > at(low).error;
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if (at(middle).error > 0.0) == rising { high = middle } else { low = middle }
        }
        let [ja, jb] = at(low).jacobian;
        let ratio = -ja.angular.dot(shaft_a) / jb.angular.dot(shaft_b);
        let phase = beta.cos() / (1.0 - beta.sin().powi(2) * turn.cos().powi(2));
        let shifted = beta.cos() / (1.0 - beta.sin().powi(2) * turn.sin().powi(2));
        assert!((ratio - phase).abs() < 1e-9 || (ratio - shifted).abs() < 1e-9, "{ratio} {phase} {shifted}");
    }
}

#[test]
fn gear_error_survives_full_turns() {
    let d = JointDescription { axis: Some(Vec3::Z), teeth: Some([10, 25]), ..JointDescription::new("gear") };
    let joint = build(&d, &Pose::IDENTITY, &Pose::IDENTITY).unwrap();
    let pose = |angle: Real| Pose::new(Vec3::ZERO, Quat::from_rotation_z(angle));
    for k in 0..100 {
        let alpha = 0.37 * Real::from(k);
        let r = rows(joint.as_ref(), &pose(alpha), &pose(-alpha * 0.4))[0];
        assert!(r.error.abs() < 1e-12, "{alpha}: {}", r.error);
        assert!((r.jacobian[0].angular - Vec3::Z * 0.4).length() < 1e-12);
        let r = rows(joint.as_ref(), &pose(alpha), &pose(-alpha * 0.4 + 0.01))[0];
        assert!((r.error - 0.01).abs() < 1e-12);
    }
}

#[test]
fn rope_and_cone_act_outwards_only() {
    let d = JointDescription {
        anchor: Some(Vec3::ZERO),
        anchor2: Some(Vec3::X),
        length: Some(2.0),
        ..JointDescription::new("rope")
    };
    let joint = build(&d, &Pose::IDENTITY, &Pose::from_position(Vec3::X)).unwrap();
    assert!(rows(joint.as_ref(), &Pose::IDENTITY, &Pose::from_position(Vec3::X * 1.9)).is_empty());
    let r = rows(joint.as_ref(), &Pose::IDENTITY, &Pose::from_position(Vec3::X * 2.5))[0];
    assert_eq!((r.error, r.jacobian[1].linear), (-0.5, Vec3::NEG_X));

    let joint = on_y(&JointDescription { cone: Some(0.3), ..JointDescription::new("ball") });
    let tilted = |angle: Real| {
        let q = Quat::from_rotation_z(angle) * Quat::from_rotation_y(2.0);
        Pose::new(q * Vec3::X, q)
    };
    assert_eq!(rows(joint.as_ref(), &Pose::IDENTITY, &tilted(0.25)).len(), 3);
    let list = rows(joint.as_ref(), &Pose::IDENTITY, &tilted(0.32));
    assert!(list.len() == 4 && (list[3].error + 0.02).abs() < 1e-3 && list[3].jacobian[1].angular.z < -0.9);
}
