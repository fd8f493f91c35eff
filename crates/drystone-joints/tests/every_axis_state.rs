//! Every kind of joint with its axes in every state: gradients, counts, no work on free motions, and both orders of the bodies.

use drystone_core::{BodyFrame, ConstraintRow, ConstraintSource};
use drystone_joints::{AxisFreedom, JointDescription, KINDS, Motor, Spring, build};
use drystone_math::{Pose, Quat, Real, Twist, Vec3};

const AXIS: Vec3 = Vec3::new(0.3, 1.0, -0.5);
const ANCHOR: Vec3 = Vec3::new(0.2, 0.4, -0.3);

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

fn moved(pose: &Pose, u: Twist, h: Real) -> Pose {
    Pose::new(pose.position + u.linear * h, Quat::from_scaled_axis(u.angular * h) * pose.orientation)
}

fn rows(joint: &dyn ConstraintSource, a: &Pose, b: &Pose) -> Vec<ConstraintRow> {
    let mut list = Vec::new();
    let frames = [a, b].map(|pose| BodyFrame { pose: *pose, velocity: Twist::ZERO });
    joint.rows([&frames[0], &frames[1]], &[], &mut list);
    list
}

fn rate(r: &ConstraintRow, u: [Twist; 2]) -> Real {
    let [ja, jb] = &r.jacobian;
    ja.linear.dot(u[0].linear)
        + ja.angular.dot(u[0].angular)
        + jb.linear.dot(u[1].linear)
        + jb.angular.dot(u[1].angular)
}

/// A joint of this kind with only what it needs.
fn plain(kind: &'static str) -> JointDescription<'static> {
    let mut d = JointDescription { anchor: Some(ANCHOR), axis: Some(AXIS), ..JointDescription::new(kind) };
    match kind {
        "universal" => d.axis2 = Some(AXIS.cross(Vec3::X)),
        "hinge2" => d.axis2 = Some(Vec3::new(1.0, 0.4, 0.2)),
        "gear" => (d.anchor2, d.teeth) = (Some(Vec3::new(1.0, -0.6, 0.5)), Some([12, -30])),
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
        "six-dof" => d.axis2 = Some(Vec3::X),
        _ => {}
    }
    d
}

/// How many of its own coordinates a kind can drive.
fn driven(kind: &str) -> usize {
    match kind {
        "hinge" | "slider" | "screw" | "point-on-line" | "distance" => 1,
        "cylindrical" | "universal" | "hinge2" => 2,
        _ => 0,
    }
}

/// What can act on one coordinate.
#[derive(Default, Clone, Copy)]
struct Drive {
    limits: Option<[Real; 2]>,
    motor: Option<Motor>,
    friction: Real,
    spring: Option<Spring>,
}

fn drives() -> Vec<Drive> {
    let spring = Some(Spring { stiffness: 40.0, damping: 2.0, rest: 0.1 });
    let speed = Some(Motor::Velocity { velocity: 2.0, max_force: 5.0 });
    let servo = Some(Motor::Position { target: 0.4, max_force: 5.0 });
    let none = Drive::default();
    let limits = |lower, upper| Some([lower, upper]);
    vec![
        none,
        Drive { spring, ..none },
        Drive { motor: speed, ..none },
        Drive { motor: servo, ..none },
        Drive { friction: 2.0, ..none },
        Drive { limits: limits(0.3, 0.31), ..none },
        Drive { limits: limits(-7.0, 9.0), ..none },
        Drive { limits: limits(0.5, Real::INFINITY), ..none },
        Drive { limits: limits(Real::NEG_INFINITY, -0.5), ..none },
        Drive { limits: limits(0.3, 0.31), motor: speed, friction: 1.0, spring },
    ]
}

/// Every description of a kind: each coordinate in each state; of a six-dof all 729 combinations.
fn all_states(kind: &'static str) -> Vec<JointDescription<'static>> {
    let base = plain(kind);
    if kind == "six-dof" {
        let states = [AxisFreedom::Free, AxisFreedom::Locked, AxisFreedom::Limited(0.2, 0.3)];
        let pick = |n: usize, k: u32| states[n / 3_usize.pow(k) % 3];
        return (0..729)
            .map(|n| JointDescription {
                translations: [0, 1, 2].map(|k| pick(n, k)),
                rotations: [3, 4, 5].map(|k| pick(n, k)),
                ..base
            })
            .collect();
    }
    let mut list = vec![base];
    let count = driven(kind);
    if count > 0 {
        for first in drives() {
            let d = JointDescription {
                limits: first.limits,
                motor: first.motor,
                friction: first.friction,
                spring: first.spring,
                ..base
            };
            list.push(d);
            for second in drives().into_iter().filter(|_| count == 2) {
                list.push(JointDescription {
                    limits2: second.limits,
                    motor2: second.motor,
                    friction2: second.friction,
                    spring2: second.spring,
                    ..d
                });
            }
        }
    }
    if kind == "ball" {
        list.push(JointDescription { cone: Some(0.05), ..base });
    }
    if kind == "hinge2" {
        list.push(JointDescription { suspension: drives()[1].spring, ..base });
    }
    list
}

#[test]
fn gradients_are_exact_in_every_state_far_from_the_constraint() {
    let mut numbers = Numbers(11);
    let mut compared = 0;
    for kind in KINDS.iter().map(|k| k.name) {
        for d in all_states(kind) {
            for _ in 0..if kind == "six-dof" { 4 } else { 10 } {
                let joint = build(&d, &numbers.pose(), &numbers.pose()).unwrap();
                // arbitrary poses: anchors metres apart, axes at any angle
                let (a, b, u) = (numbers.pose(), numbers.pose(), [numbers.twist(), numbers.twist()]);
                let h = 1e-6;
                let here = rows(joint.as_ref(), &a, &b);
                let [before, after] = [-h, h].map(|h| rows(joint.as_ref(), &moved(&a, u[0], h), &moved(&b, u[1], h)));
                if before.len() != here.len() || after.len() != here.len() {
                    continue;
                }
                for ((r, x), y) in here.iter().zip(&before).zip(&after) {
                    let steep = 1.0 + r.jacobian.iter().map(|j| j.angular.length()).sum::<Real>();
                    // at the end of its range an angle jumps by a turn; near a pole differences are inaccurate
                    if (y.error - x.error).abs() > 0.1 || steep > 30.0 {
                        continue;
                    }
                    compared += 1;
                    let difference = (y.error - x.error) / (2.0 * h);
                    assert!((rate(r, u) - difference).abs() < 1e-6 * steep * steep, "{kind}: {difference}");
                }
            }
        }
    }
    assert!(compared > 33_000, "{compared}");
}

/// Rank of the gradients of the rows, by elimination with full pivoting.
fn rank(rows: &[ConstraintRow]) -> usize {
    let line = |r: &ConstraintRow| {
        let [a, b] = r.jacobian;
        [a.linear, a.angular, b.linear, b.angular].map(|v| v.to_array()).concat()
    };
    let mut m: Vec<Vec<Real>> = rows.iter().map(line).collect();
    let mut rank = 0;
    while rank < m.len() {
        let all = (rank..m.len()).flat_map(|i| (0..12).map(move |j| (i, j)));
        let (i, j) = all.max_by(|x, y| m[x.0][x.1].abs().total_cmp(&m[y.0][y.1].abs())).unwrap();
        if m[i][j].abs() < 1e-9 {
            break;
        }
        m.swap(rank, i);
        let pivot = m[rank].clone();
        for line in &mut m[rank + 1..] {
            let f = line[j] / pivot[j];
            line.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= f * p);
        }
        rank += 1;
    }
    rank
}

/// Locks: rows that hold a position in both directions, unlike those of motors, springs, friction and limits.
fn is_lock(r: &ConstraintRow) -> bool {
    r.correctable && r.limits.lo == Real::NEG_INFINITY
}

#[test]
fn drives_take_no_freedom_away() {
    let mut numbers = Numbers(12);
    for kind in KINDS.iter().map(|k| k.name).filter(|k| *k != "six-dof") {
        let (a, b) = (numbers.pose(), numbers.pose());
        let locks = |d: &JointDescription<'_>| -> Vec<ConstraintRow> {
            rows(build(d, &a, &b).unwrap().as_ref(), &a, &b).into_iter().filter(is_lock).collect()
        };
        // limits or drives replace the lock of a distance; a wheel with a suspension has one lock fewer
        let sprung = |d: &JointDescription<'_>| d.suspension.is_some() || (kind == "distance" && *d != plain(kind));
        let expected = rank(&locks(&plain(kind)));
        for d in all_states(kind) {
            let found = locks(&d);
            let freed = usize::from(sprung(&d) && (d.suspension.is_some() || found.is_empty()));
            assert_eq!((found.len(), rank(&found)), (expected - freed, expected - freed), "{kind}: {d:?}");
        }
    }
}

#[test]
fn locked_axes_of_a_six_dof_and_its_freedoms_make_six_and_reactions_do_no_work() {
    let mut numbers = Numbers(13);
    let (a, b) = (numbers.pose(), numbers.pose());
    let x = AXIS.normalize();
    let z = x.cross(Vec3::X).normalize();
    let frame = [x, z.cross(x), z];
    for d in all_states("six-dof") {
        let joint = build(&d, &a, &b).unwrap();
        let locks: Vec<_> = rows(joint.as_ref(), &a, &b).into_iter().filter(is_lock).collect();
        let shifts = d.translations.iter().zip(frame).map(|(f, e)| (f, Twist::new(e, Vec3::ZERO)));
        let turns = d.rotations.iter().zip(frame).map(|(f, e)| (f, Twist::new(e.cross(b.position - ANCHOR), e)));
        let free: Vec<Twist> =
            shifts.chain(turns).filter(|(f, _)| **f != AxisFreedom::Locked).map(|(_, u)| u).collect();
        assert_eq!(locks.len() + free.len(), 6);
        assert_eq!(rank(&locks), locks.len());
        for (r, u) in locks.iter().flat_map(|r| free.iter().map(move |u| (r, u))) {
            assert!(rate(r, [Twist::ZERO, *u]).abs() < 1e-12, "{d:?}");
        }
    }
}

#[test]
fn the_order_of_the_bodies_does_not_matter() {
    // if the joint is satisfied, the rows of (A, B) and of (B, A) span the same space
    let mut numbers = Numbers(14);
    for kind in KINDS.iter().map(|k| k.name) {
        let (a, b) = (numbers.pose(), numbers.pose());
        let d = plain(kind);
        let d = if kind == "six-dof" {
            JointDescription { translations: [AxisFreedom::Locked; 3], rotations: [AxisFreedom::Locked; 3], ..d }
        } else {
            d
        };
        let swapped = match kind {
            // what belongs to A is exchanged with what belongs to B
            "universal" | "hinge2" => JointDescription { axis: d.axis2, axis2: d.axis, ..d },
            "gear" => {
                let teeth = d.teeth.map(|[a, b]| [b, a]);
                JointDescription { anchor: d.anchor2, anchor2: d.anchor, teeth, ..d }
            }
            "distance" | "rope" => JointDescription { anchor: d.anchor2, anchor2: d.anchor, ..d },
            // not exchangeable: the axis, or the pinion, belongs to A alone
            "revolute-spherical" | "rack-and-pinion" => continue,
            "pulley" => JointDescription {
                anchor: d.anchor2,
                anchor2: d.anchor,
                pulleys: d.pulleys.map(|[a, b]| [b, a]),
                ratio: d.ratio.map(|r| 1.0 / r),
                ..d
            },
            _ => d,
        };
        let mut one = rows(build(&d, &a, &b).unwrap().as_ref(), &a, &b);
        let other = rows(build(&swapped, &b, &a).unwrap().as_ref(), &b, &a);
        let count = one.len();
        assert_eq!(count, other.len());
        one.extend(other.into_iter().map(|mut r| {
            r.jacobian.swap(0, 1);
            r
        }));
        assert_eq!(rank(&one), count, "{kind}");
    }
}

/// A hinge with B at an angle about y and A at rest, and the memory of the joint.
struct Wound {
    joint: Box<dyn ConstraintSource>,
    memory: Vec<Real>,
}

impl Wound {
    fn hinge(d: &JointDescription<'static>) -> Self {
        let d = JointDescription { anchor: Some(Vec3::ZERO), axis: Some(Vec3::Y), ..*d };
        let joint = build(&d, &Pose::IDENTITY, &Pose::IDENTITY).unwrap();
        Self { memory: vec![0.0; joint.memory_len()], joint }
    }

    fn frames(angle: Real) -> [BodyFrame; 2] {
        let pose = Pose::new(Vec3::ZERO, Quat::from_axis_angle(Vec3::Y, angle));
        [BodyFrame::WORLD, BodyFrame { pose, velocity: Twist::ZERO }]
    }

    /// The rows at an angle, without moving there.
    fn rows(&self, angle: Real) -> Vec<ConstraintRow> {
        let [a, b] = Self::frames(angle);
        let mut list = Vec::new();
        self.joint.rows([&a, &b], &self.memory, &mut list);
        list
    }

    /// Turns to an angle and returns the rows there.
    fn turn_to(&mut self, angle: Real) -> Vec<ConstraintRow> {
        let [a, b] = Self::frames(angle);
        self.joint.remember([&a, &b], &mut self.memory);
        self.rows(angle)
    }
}

#[test]
fn angles_count_turns_where_limits_or_springs_need_them() {
    let turn = std::f64::consts::TAU;
    let base = JointDescription::new("hinge");
    // limits of 400 degrees either way
    let limit = 400.0_f64.to_radians();
    let mut joint = Wound::hinge(&JointDescription { limits: Some([-limit, limit]), ..base });
    let mut closed = Vec::new();
    for k in 0..=900 {
        let angle = 0.01 * Real::from(k);
        let list = joint.turn_to(angle);
        closed.extend(list.get(5).map(|r| (angle, r.error)));
    }
    let (angle, error) = closed[0];
    assert!((angle - 6.97).abs() < 1e-9 && (error - (limit - angle)).abs() < 1e-12, "{:?}", closed[0]);
    let (angle, error) = closed[closed.len() - 1];
    assert!((angle - 9.0).abs() < 1e-9 && (error - (limit - 9.0)).abs() < 1e-12);
    // back through zero to the other end
    let mut last = 0;
    for k in (-800..900).rev() {
        last = joint.turn_to(0.01 * Real::from(k)).len();
        assert_eq!(last, if k >= 697 || k <= -697 { 6 } else { 5 }, "{k}");
    }
    assert_eq!(last, 6);
    // rows asked for at another angle change nothing; another memory does
    assert_eq!(joint.rows(-5.0).len(), 5);
    assert!(joint.memory.len() == 1 && (joint.memory[0] + 8.0).abs() < 1e-12, "{:?}", joint.memory);
    let memory = core::mem::replace(&mut joint.memory, vec![0.1]);
    assert_eq!(joint.rows(-8.0 + turn).len(), 5);
    joint.memory = memory;
    assert_eq!(joint.rows(-8.0 + turn).len(), 6);

    // a single lower limit does not close from behind, however far the hinge turns away from it
    let mut joint = Wound::hinge(&JointDescription { limits: Some([-1.0, Real::INFINITY]), ..base });
    for k in 0..200 {
        assert_eq!(joint.turn_to(0.1 * Real::from(k)).len(), 5, "{k}");
    }
    // a spring winds up: three turns count as three turns
    let spring = Some(Spring { stiffness: 1.0, damping: 0.0, rest: 0.0 });
    let mut joint = Wound::hinge(&JointDescription { spring, ..base });
    let mut wound = 0.0;
    for k in 0..=60 {
        wound = joint.turn_to(turn * 0.05 * Real::from(k))[5].error;
    }
    assert!((wound - 3.0 * turn).abs() < 1e-12, "{wound}");
}
