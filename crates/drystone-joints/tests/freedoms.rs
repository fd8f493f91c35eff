//! What each kind leaves free, and the rows of the catalogue's table written out by hand.

use drystone_core::{BodyFrame, ConstraintRow, ConstraintSource};
use drystone_joints::{AxisFreedom, JointDescription, KINDS, build};
use drystone_math::{Pose, Quat, Real, Twist, Vec3};
use std::f64::consts::TAU;

const AXIS: Vec3 = Vec3::new(0.3, 1.0, -0.5);
const AXIS2: Vec3 = Vec3::new(1.0, 0.4, 0.2);
const ANCHOR: Vec3 = Vec3::new(0.2, 0.4, -0.3);
const ANCHOR2: Vec3 = Vec3::new(1.0, -0.6, 0.5);

fn description(kind: &'static str) -> JointDescription<'static> {
    let mut d = JointDescription { anchor: Some(ANCHOR), axis: Some(AXIS), ..JointDescription::new(kind) };
    match kind {
        "universal" | "hinge2" => d.axis2 = Some(axis2(kind)),
        "gear" => (d.anchor2, d.teeth) = (Some(ANCHOR + side() * 0.8), Some([12, -30])),
        "screw" => d.lead = Some(0.3),
        "rack-and-pinion" => (d.axis2, d.radius) = (Some(Vec3::new(1.0, 0.4, 0.2)), Some(-0.35)),
        "pulley" => {
            // shorter than it can ever be, so that it pulls at any pose
            let over = [Vec3::new(-3.0, 4.0, 0.5), Vec3::new(2.5, 5.0, -1.0)];
            d = JointDescription {
                axis: None,
                anchor2: Some(ANCHOR2),
                pulleys: Some(over),
                ratio: Some(2.0),
                length: Some(0.01),
                ..d
            };
        }
        "distance" | "rope" | "revolute-spherical" => d.anchor2 = Some(ANCHOR2),
        "six-dof" => {
            d.axis2 = Some(AXIS2);
            d.translations = [AxisFreedom::Locked, AxisFreedom::Free, AxisFreedom::Locked];
            d.rotations = [AxisFreedom::Locked, AxisFreedom::Locked, AxisFreedom::Free];
        }
        _ => {}
    }
    d
}

/// A direction across the axis, in which gear wheels are side by side.
fn side() -> Vec3 {
    AXIS.cross(Vec3::X).normalize()
}

fn axis2(kind: &str) -> Vec3 {
    if kind == "universal" { AXIS.cross(Vec3::X) } else { AXIS2 }
}

fn rows(joint: &dyn ConstraintSource, a: Pose, b: Pose) -> Vec<ConstraintRow> {
    let mut list = Vec::new();
    let frames = [a, b].map(|pose| BodyFrame { pose, velocity: Twist::ZERO });
    joint.rows([&frames[0], &frames[1]], &[], &mut list);
    list
}

fn poses() -> [Pose; 2] {
    let turned = |x: Real, y: Real, z: Real| Quat::from_scaled_axis(Vec3::new(x, y, z));
    [
        Pose::new(Vec3::new(-0.7, 0.1, 1.2), turned(0.4, -1.1, 0.3)),
        Pose::new(Vec3::new(1.5, -0.4, 0.6), turned(-2.0, 0.2, 0.9)),
    ]
}

/// The velocity of a body at `centre` that turns by `w` about `point`.
fn about(point: Vec3, w: Vec3, centre: Vec3) -> Twist {
    Twist::new(w.cross(centre - point), w)
}

/// The motions of B, with A at rest, that the table leaves free, written out by hand.
fn freedoms(kind: &str, b: Vec3) -> Vec<Twist> {
    let s = AXIS.normalize();
    let t1 = s.cross(Vec3::X).normalize();
    let across = [t1, s.cross(t1)];
    let shift = |v: Vec3| Twist::new(v, Vec3::ZERO);
    let turn = |p: Vec3, w: Vec3| about(p, w, b);
    let any_turn = |p: Vec3| Vec3::AXES.map(|w| turn(p, w)).to_vec();
    match kind {
        "ball" => any_turn(ANCHOR),
        "hinge" => vec![turn(ANCHOR, s)],
        "slider" => vec![shift(s)],
        "cylindrical" => vec![shift(s), turn(ANCHOR, s)],
        "universal" | "hinge2" => vec![turn(ANCHOR, s), turn(ANCHOR, axis2(kind).normalize())],
        "planar" => vec![shift(across[0]), shift(across[1]), turn(ANCHOR, s)],
        "point-on-plane" => [vec![shift(across[0]), shift(across[1])], any_turn(ANCHOR)].concat(),
        "point-on-line" => [vec![shift(s)], any_turn(ANCHOR)].concat(),
        "distance" | "rope" => {
            let d = (ANCHOR2 - ANCHOR).normalize();
            let u = d.cross(Vec3::X).normalize();
            [vec![shift(u), shift(d.cross(u))], any_turn(ANCHOR2)].concat()
        }
        "revolute-spherical" => {
            let d = ANCHOR2 - ANCHOR;
            [vec![shift(s.cross(d))], any_turn(ANCHOR2)].concat()
        }
        "gear" => {
            // B rolls round A, which is at rest, with its centre: -30 teeth in the ratio of their sum
            let (centre, roll) = (ANCHOR + side() * 0.8, s * ((12.0 - 30.0) / -30.0));
            let round = turn(centre, roll) + shift(s.cross(side() * 0.8));
            let tilts = across.map(|w| turn(centre, w));
            [vec![shift(s), shift(side()), round], tilts.to_vec()].concat()
        }
        "screw" => vec![shift(s * (0.3 / TAU)) + turn(ANCHOR, s)],
        "rack-and-pinion" => {
            let t = AXIS2.normalize();
            let u = t.cross(Vec3::X).normalize();
            // B turns about the pinion and slides back as it rolls off
            let roll = turn(ANCHOR, s) + shift(t * 0.35);
            [vec![shift(u), shift(t.cross(u)), roll], across.map(|w| turn(ANCHOR, w)).to_vec()].concat()
        }
        "pulley" => {
            let d = (ANCHOR2 - Vec3::new(2.5, 5.0, -1.0)).normalize();
            let u = d.cross(Vec3::X).normalize();
            [vec![shift(u), shift(d.cross(u))], any_turn(ANCHOR2)].concat()
        }
        "six-dof" => {
            let z = s.cross(AXIS2).normalize();
            vec![shift(z.cross(s)), turn(ANCHOR, z)]
        }
        "fixed" => Vec::new(),
        other => panic!("{other} is not in the table"),
    }
}

#[test]
fn reactions_do_no_work_on_the_freedoms_of_the_table() {
    // G-01, G-03: any multipliers; A in any motion, and B carried along with it
    let [a, b] = poses();
    let frame = Twist::new(Vec3::new(0.7, -1.3, 0.4), Vec3::new(-0.2, 0.9, 1.4));
    for kind in KINDS.iter().map(|k| k.name) {
        let joint = build(&description(kind), &a, &b).unwrap();
        let list = rows(joint.as_ref(), a, b);
        let free = freedoms(kind, b.position);
        assert_eq!(list.len() + free.len(), 6, "{kind}");
        let carried = Twist::new(frame.linear + frame.angular.cross(b.position - a.position), frame.angular);
        // the points of a pulley are fixed in the world: they do not turn with the bodies
        let of_world = kind == "pulley";
        let (mut motion_a, mut motion_b) = if of_world { (Twist::ZERO, Twist::ZERO) } else { (frame, carried) };
        for (k, f) in free.iter().enumerate() {
            motion_b += Twist::new(f.linear, f.angular) * (0.5 + k as Real);
        }
        if kind == "gear" {
            // 12 teeth in a ring of 30: one turn of A is 12 / 30 of a turn of B, in the same direction
            let s = AXIS.normalize();
            motion_a += about(ANCHOR, s * 3.0, a.position);
            motion_b += about(ANCHOR + side() * 0.8, s * (3.0 * 12.0 / 30.0), b.position);
        }
        if kind == "rack-and-pinion" {
            // a turn of the pinion moves the rack by the radius, against the axis if the radius is negative
            motion_a += about(ANCHOR, AXIS.normalize() * 3.0, a.position);
            motion_b.linear += AXIS2.normalize() * (3.0 * -0.35);
        }
        if kind == "pulley" {
            // two lengths of A's cord for one of the tackle of B
            let towards = |from: Vec3, to: Vec3| (to - from).normalize();
            motion_a.linear += towards(ANCHOR, Vec3::new(-3.0, 4.0, 0.5)) * -2.0;
            motion_b.linear += towards(ANCHOR2, Vec3::new(2.5, 5.0, -1.0));
        }
        let power: Real = list
            .iter()
            .enumerate()
            .map(|(i, r)| {
                let rate = |j: &Twist, u: &Twist| j.linear.dot(u.linear) + j.angular.dot(u.angular);
                let [ja, jb] = &r.jacobian;
                (1.0 + 3.0 * i as Real) * (rate(ja, &motion_a) + rate(jb, &motion_b)).abs()
            })
            .sum();
        assert!(power < 1e-12, "{kind}: {power}");
    }
}

#[test]
fn filled_rows_are_the_table_by_hand() {
    // G-25: the table before G-10, with the sign of B relative to A; A's axes are the world's, so the rows are x, y, z
    let b = Pose::new(Vec3::new(1.5, -0.4, 0.6), Quat::from_scaled_axis(Vec3::new(-2.0, 0.2, 0.9)));
    let (arm_a, arm_b, c) = (ANCHOR, ANCHOR - b.position, b.position);
    let s = AXIS.normalize();
    let same = |found: &ConstraintRow, blocks: [Vec3; 4]| {
        let [ja, jb] = found.jacobian;
        let off = [ja.linear - blocks[0], ja.angular - blocks[1], jb.linear - blocks[2], jb.angular - blocks[3]];
        assert!(off.iter().all(|o| o.length() < 1e-14), "{off:?}");
    };
    let rows_of = |kind| rows(build(&description(kind), &Pose::IDENTITY, &b).unwrap().as_ref(), Pose::IDENTITY, b);
    for kind in ["ball", "hinge", "universal", "hinge2", "fixed"] {
        for (r, e) in rows_of(kind).iter().zip(Vec3::AXES) {
            // rows of the unit matrix and of the cross product matrices
            same(r, [-e, -arm_a.cross(e), e, arm_b.cross(e)]);
        }
    }
    for r in &rows_of("hinge")[3..] {
        let t = r.jacobian[1].angular;
        assert!((t.length() - 1.0).abs() < 1e-14 && t.dot(s).abs() < 1e-14);
        same(r, [Vec3::ZERO, -t, Vec3::ZERO, t]);
    }
    for kind in ["universal", "hinge2"] {
        // along the common normal of both axes, of either sign
        let u = s.cross(axis2(kind)).normalize();
        let r = &rows_of(kind)[3];
        let u = u * u.dot(r.jacobian[1].angular).signum();
        same(r, [Vec3::ZERO, -u, Vec3::ZERO, u]);
    }
    for (r, e) in rows_of("fixed")[3..].iter().zip(Vec3::AXES) {
        same(r, [Vec3::ZERO, -e, Vec3::ZERO, e]);
    }
    let slider = rows_of("slider");
    let (turns, ways): (Vec<&ConstraintRow>, Vec<&ConstraintRow>) =
        slider.iter().partition(|r| r.jacobian[1].linear == Vec3::ZERO);
    assert_eq!((turns.len(), ways.len()), (3, 2));
    for r in turns {
        let e = r.jacobian[1].angular;
        assert!(Vec3::AXES.contains(&e));
        same(r, [Vec3::ZERO, -e, Vec3::ZERO, e]);
    }
    for r in ways {
        // for equal angular velocities this gives the same rate as the blocks of the table, half of c x t on each side
        let t = r.jacobian[1].linear;
        assert!((t.length() - 1.0).abs() < 1e-14 && t.dot(s).abs() < 1e-14 && r.jacobian[0].linear == -t);
        let turned = r.jacobian[0].angular + r.jacobian[1].angular;
        assert!((turned + c.cross(t)).length() < 1e-14, "{turned}");
    }
}

#[test]
fn anchors_meet_at_assembly_and_follow_their_bodies() {
    // G-08
    let [a, b] = poses();
    let hinge = build(&description("hinge"), &a, &b).unwrap();
    let base = Pose::new(Vec3::new(3.0, -1.0, 0.5), Quat::from_scaled_axis(Vec3::new(0.3, 2.0, -0.4)));
    let (a2, b2) = (base * a, base * b);
    let frame = |pose| BodyFrame { pose, velocity: Twist::ZERO };
    let error = hinge.error([&frame(a2), &frame(b2)], &[]);
    assert!(error.linear < 1e-14 && error.angular < 1e-14);
    let point = hinge.anchor([&frame(a2), &frame(b2)]).unwrap();
    assert!(point.distance(base.point(ANCHOR)) < 1e-14, "{point}");
    // a joint that is to close a gap starts with the gap as its error
    let gap = JointDescription { anchor2: Some(ANCHOR2), ..description("ball") };
    let ball = build(&gap, &a, &b).unwrap();
    let error = ball.error([&frame(a), &frame(b)], &[]);
    assert!((error.linear - ANCHOR.distance(ANCHOR2)).abs() < 1e-14);
}
