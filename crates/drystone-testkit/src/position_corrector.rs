use crate::Random;
use crate::problem::{Group, block_on_floor, evaluate_joints, floating_pair, jointed_pair};
use drystone_core::{ContactImpulse, GroupAnswer, PositionCorrector};
use drystone_math::{Real, Twist, Vec3};

/// Depth of the penetrations (m).
const DEPTH: Real = 0.02;

/// Expectations of [`check_position_corrector`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CorrectorExpectations {
    /// Largest rest of a depth of 20 mm, or of a joint's error of 10 mm, after [`Self::rounds`] rounds (m).
    pub left: Real,
    /// Depth that is left on purpose, so that contacts do not come and go (m).
    pub slop: Real,
    /// Number of corrections in a row.
    pub rounds: u32,
    /// True if joints are corrected too.
    pub joints: bool,
}

impl Default for CorrectorExpectations {
    fn default() -> Self {
        Self { left: 1e-5, slop: 0.0, rounds: 1, joints: true }
    }
}

/// The contract of [`PositionCorrector`]: it removes penetration and no more than that, brings together what a joint holds, leaves alone what is separated or
/// satisfied, never touches velocities and multipliers, moves no immovable body, keeps the centre of mass of free groups, and gives the same bits for the same
/// problem, from a fork too.
///
/// # Panics
/// If the corrector violates its contract.
pub fn check_position_corrector(make: &mut dyn FnMut() -> Box<dyn PositionCorrector>, expect: CorrectorExpectations) {
    check_depth(make, expect);
    check_separated(make);
    let mut random = Random::new(71);
    for round in 0..20 {
        let mut deep = floating_pair(&mut random);
        for c in &mut deep.contacts {
            c.separation = random.range(-DEPTH, 0.5 * DEPTH);
        }
        let mut jointed = jointed_pair(&mut random);
        jointed.bodies[1].pose.position += random.vector(0.5 * DEPTH);
        evaluate_joints(&mut jointed);
        for (what, problem) in [("contacts", deep), ("a joint", jointed)] {
            let what = format!("{}, round {round}: {what}", make().name());
            check_free(make, Group::from(problem), expect, &what);
        }
    }
    Group::default().correct(make().as_mut());
}

/// Everything in the answer except the correction.
fn other_columns(answer: &GroupAnswer) -> GroupAnswer {
    GroupAnswer { correction: Vec::new(), ..answer.clone() }
}

/// Runs a correction, and checks what must not change.
fn correct(corrector: &mut dyn PositionCorrector, group: &mut Group, what: &str) {
    group.answer.start_correction(&group.problem);
    let before = other_columns(&group.answer);
    corrector.correct(&group.problem, &mut group.answer);
    assert_eq!(other_columns(&group.answer), before, "{what}: velocities or multipliers were written");
    assert_eq!(group.answer.correction.len(), group.bodies.len(), "{what}: one displacement for each body");
    for (body, by) in group.bodies.iter().zip(&group.answer.correction) {
        assert!(by.is_finite() && (body.is_movable() || *by == Twist::ZERO), "{what}: {by:?}");
    }
}

/// The gap that a contact has after the displacements, to first order (m).
fn gap_after(group: &Group, k: usize) -> Real {
    let c = &group.contacts[k];
    let [a, b] =
        c.bodies.map(|i| group.answer.correction[i as usize].at(c.position - group.bodies[i as usize].pose.position));
    c.separation + c.normal.dot(b - a)
}

fn check_depth(make: &mut dyn FnMut() -> Box<dyn PositionCorrector>, expect: CorrectorExpectations) {
    let mut corrector = make();
    let what = format!("{}: a block in the floor", corrector.name());
    let mut group = Group::from(block_on_floor(10.0, 0.0));
    for c in &mut group.problem.contacts {
        c.separation = -DEPTH;
        c.impulse = ContactImpulse { normal: 1.0, friction: Vec3::new(0.1, 0.0, -0.1) };
    }
    let mut risen = 0.0;
    for _ in 0..expect.rounds {
        correct(corrector.as_mut(), &mut group, &what);
        let rise = group.answer.correction[1].linear.y;
        assert!(rise >= 0.0, "{what}: pushed {rise} m further in");
        risen += rise;
        let gaps: Vec<Real> = (0..group.contacts.len()).map(|k| gap_after(&group, k)).collect();
        for (c, gap) in group.problem.contacts.iter_mut().zip(gaps) {
            c.separation = gap;
        }
    }
    assert!(risen <= DEPTH + expect.left, "{what}: pushed out by {risen} m, {DEPTH} deep");
    assert!(DEPTH - risen <= expect.slop + expect.left, "{what}: {} m left", DEPTH - risen);
}

fn check_separated(make: &mut dyn FnMut() -> Box<dyn PositionCorrector>) {
    let mut corrector = make();
    let what = format!("{}: a block above the floor", corrector.name());
    let mut group = Group::from(block_on_floor(10.0, 0.01));
    for gap in [0.0, 1e-3] {
        group.problem.contacts.iter_mut().for_each(|c| c.separation = gap);
        correct(corrector.as_mut(), &mut group, &what);
        assert!(group.answer.correction.iter().all(|d| *d == Twist::ZERO), "{what}: moved at a gap of {gap} m");
    }
}

fn check_free(
    make: &mut dyn FnMut() -> Box<dyn PositionCorrector>,
    mut group: Group,
    expect: CorrectorExpectations,
    what: &str,
) {
    let mut corrector = make();
    correct(corrector.as_mut(), &mut group, what);
    // internal displacements move no centre of mass and turn nothing about it, to second order in the displacements if they are found one after the other
    let (mut linear, mut angular, mut size, mut largest) = (Vec3::ZERO, Vec3::ZERO, 0.0, 0.0_f64);
    for (b, by) in group.bodies.iter().zip(&group.answer.correction) {
        let p = by.linear / b.inverse_mass;
        let turn = by.angular / b.inverse_inertia.diagonal.x;
        linear += p;
        angular += b.pose.position.cross(p) + turn;
        size += p.length() + turn.length();
        largest = largest.max(by.linear.length()).max(by.angular.length());
    }
    let scale = 1e-9 * (1e-3 + size);
    assert!(linear.length() <= scale, "{what}: moved as a whole, {linear}");
    assert!(angular.length() <= scale + largest * size, "{what}: turned as a whole, {angular}");
    if !expect.joints && !group.rows.is_empty() {
        assert!(group.answer.correction.iter().all(|d| *d == Twist::ZERO), "{what}: joints are to be left alone");
    }
    // the same bits after another problem, and from a fork
    Group::from(block_on_floor(3.0, 0.01)).correct(corrector.as_mut());
    for again in [&mut corrector, &mut make().fork()] {
        let mut same = group.clone();
        correct(again.as_mut(), &mut same, what);
        assert_eq!(same, group, "{what}: not the same bits");
    }
    // after some rounds it is removed
    for _ in 0..expect.rounds {
        correct(corrector.as_mut(), &mut group, what);
        group.displace_corrected();
    }
    let deepest = group.contacts.iter().fold(0.0, |m: Real, c| m.max(-c.separation));
    assert!(deepest <= expect.slop + 10.0 * expect.left, "{what}: {deepest} m left");
    let off = group.rows.iter().fold(0.0, |m: Real, r| m.max(r.row.error.abs()));
    assert!(!expect.joints || off <= 10.0 * expect.left, "{what}: off by {off} m");
}
