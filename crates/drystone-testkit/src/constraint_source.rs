use crate::Random;
use drystone_core::{BodyFrame, ConstraintRow, ConstraintSource, GroupRow, RowLimits};
use drystone_math::elementary::rotation_by;
use drystone_math::{Pose, Real, Twist, Vec3};

/// Number of poses, memories and velocities at which a source is tested.
const ROUNDS: usize = 60;
/// Step of the first differences (s), and of the second differences.
const STEP: [Real; 2] = [1e-6, 1e-4];
/// Time (s) from which rows are brought back.
const LATER: Real = 0.4;
/// Gradients longer than this are close to a singular pose, where differences are of no use.
const STEEP: Real = 30.0;

/// Expectations of [`check_constraint_source`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceExpectations {
    /// True if its forces are internal: the wrench on A balances the one on B, in force and moment. Not so for a gear,
    /// whose bearings belong to the world outside.
    pub internal: bool,
    /// True if its rows give their curvature; otherwise it is zero.
    pub curvature: bool,
}

impl Default for SourceExpectations {
    fn default() -> Self {
        Self { internal: true, curvature: true }
    }
}

/// The contract of [`ConstraintSource`]: it is a pure function of frames and memory; `J u` is the rate of its error, and the curvature the second derivative under a
/// steady motion; its forces sum to zero; a positive multiplier makes the error grow; and its memory depends only on the poses that it is shown.
///
/// `make` builds the source for bodies at the given poses of the initial state. Returns the number of gradients that were compared, so that the caller can see that
/// the tested poses were informative.
///
/// # Panics
/// If the source violates its contract.
pub fn check_constraint_source(
    make: &mut dyn FnMut([&Pose; 2]) -> Box<dyn ConstraintSource>,
    expect: SourceExpectations,
) -> usize {
    let mut random = Random::new(53);
    let mut compared = 0;
    for round in 0..ROUNDS {
        let start = [pose(&mut random), pose(&mut random)];
        let source = make([&start[0], &start[1]]);
        let memory: Vec<Real> = (0..source.memory_len()).map(|_| random.range(-9.0, 9.0)).collect();
        let poses = [pose(&mut random), pose(&mut random)];
        let velocities = [twist(&mut random), twist(&mut random)];
        let at = Asked {
            source: source.as_ref(),
            memory,
            poses,
            velocities,
            what: format!("{}, round {round}", source.kind()),
        };
        at.check_purity(&mut random);
        at.check_memory(&mut random);
        at.check_short_answers();
        at.check_renewed_rows();
        compared += at.check_gradients();
        if expect.curvature {
            at.check_curvatures();
        }
        for row in at.rows(0.0) {
            at.check_forces(&row, expect);
        }
    }
    compared
}

fn pose(random: &mut Random) -> Pose {
    Pose::new(random.vector(2.0), rotation_by(random.vector(2.0)))
}

fn twist(random: &mut Random) -> Twist {
    Twist::new(random.vector(1.0), random.vector(1.0))
}

/// A source and what it is tested at.
struct Asked<'a> {
    source: &'a dyn ConstraintSource,
    memory: Vec<Real>,
    poses: [Pose; 2],
    velocities: [Twist; 2],
    what: String,
}

impl Asked<'_> {
    /// The frames after a steady motion of `t` seconds.
    fn frames(&self, t: Real) -> [BodyFrame; 2] {
        [0, 1].map(|i| {
            let (p, u) = (&self.poses[i], self.velocities[i]);
            let turned = rotation_by(u.angular * t) * p.orientation;
            BodyFrame { pose: Pose::new(p.position + u.linear * t, turned), velocity: u }
        })
    }

    /// The answers that it gives without rows agree with the rows.
    fn check_short_answers(&self) {
        let ([a, b], rows) = (self.frames(0.0), self.rows(0.0));
        let rigid = |r: &ConstraintRow| r.correctable && r.limits == RowLimits::BILATERAL && !r.softness.is_soft();
        let of_rows: [Vec<Real>; 2] =
            [rows.iter().map(|r| r.error).collect(), rows.iter().map(|r| r.rate([a.velocity, b.velocity])).collect()];
        let (mut errors, mut rates) = (vec![9.0], vec![9.0]);
        let told = [self.source.errors([&a, &b], &mut errors), self.source.rates([&a, &b], &mut rates)];
        for ((told, list), known) in told.into_iter().zip([errors, rates]).zip(of_rows) {
            let (before, list) = list.split_at(1);
            assert_eq!(before, [9.0], "{}: what stood there stays", self.what);
            let wanted = if told { known.as_slice() } else { &[] };
            assert_eq!(list, wanted, "{}: without rows", self.what);
            assert!(!told || rows.iter().all(rigid), "{}: these rows are for it to tell", self.what);
        }
    }

    /// Rows that it renews from other frames equal those that it would give, whatever happened to them in between; values that it leaves to
    /// [`ConstraintSource::rows`] stay as they were.
    fn check_renewed_rows(&self) {
        let of_row = |(place, row): (usize, ConstraintRow)| {
            let row = ConstraintRow { target: row.target + 9.0, error: 0.0, curvature: 9.0, ..row };
            GroupRow { bodies: [0, 1], row, impulse: 7.0, joint: 3, place: place as u32 }
        };
        let before: Vec<GroupRow> = self.rows(LATER).into_iter().enumerate().map(of_row).collect();
        let mut rows = before.clone();
        let [a, b] = self.frames(0.0);
        if !self.source.renew_rows([&a, &b], &mut rows) {
            assert_eq!(rows, before, "{}: rows that are not brought anywhere", self.what);
            return;
        }
        let now = self.rows(0.0);
        assert_eq!(now.len(), before.len(), "{}: rows that come and go are not its to bring", self.what);
        let wanted: Vec<GroupRow> = before.iter().zip(now).map(|(known, row)| GroupRow { row, ..*known }).collect();
        assert_eq!(rows, wanted, "{}: rows brought from other frames", self.what);
    }

    fn rows(&self, t: Real) -> Vec<ConstraintRow> {
        let [a, b] = self.frames(t);
        let mut rows = Vec::new();
        self.source.rows([&a, &b], &self.memory, &mut rows);
        rows
    }

    /// Calls at other poses, and what is in the list already, change nothing.
    fn check_purity(&self, random: &mut Random) {
        let before = self.rows(0.0);
        let [a, b] = self.frames(0.0);
        let error = self.source.error([&a, &b], &self.memory);
        assert!(error.linear >= 0.0 && error.angular >= 0.0, "{}: a negative error {error:?}", self.what);
        let mut list = before.clone();
        for _ in 0..5 {
            let [x, y] = [pose(random), pose(random)].map(|pose| BodyFrame { pose, velocity: twist(random) });
            self.source.rows([&x, &y], &self.memory, &mut list);
            self.source.error([&y, &x], &self.memory);
            self.source.anchor([&x, &y]);
            self.source.remember([&x, &y], &mut self.memory.clone());
        }
        assert_eq!(list[..before.len()], before, "{}: rows that were in the list changed", self.what);
        assert_eq!(self.rows(0.0), before, "{}: other rows after being asked elsewhere", self.what);
        assert_eq!(self.source.error([&a, &b], &self.memory), error, "{}: another error", self.what);
    }

    /// Remembering the same poses again changes nothing, and what is remembered is a finite number.
    fn check_memory(&self, random: &mut Random) {
        assert_eq!(self.memory.len(), self.source.memory_len(), "{}: its memory changes its size", self.what);
        let [a, b] = self.frames(0.0);
        let mut once = self.memory.clone();
        self.source.remember([&a, &b], &mut once);
        let mut twice = once.clone();
        self.source.remember([&a, &b], &mut twice);
        assert_eq!(once, twice, "{}: remembers the same poses differently", self.what);
        assert!(once.iter().all(|m| m.is_finite()), "{}: remembers {once:?}", self.what);
        // there and back in small steps, along any path
        let way =
            Self { velocities: [twist(random), twist(random)], memory: once.clone(), what: String::new(), ..*self };
        let mut memory = once.clone();
        for k in (1..=100).chain((0..100).rev()) {
            let [a, b] = way.frames(0.01 * Real::from(k));
            self.source.remember([&a, &b], &mut memory);
        }
        for (m, o) in memory.iter().zip(&once) {
            assert!((m - o).abs() < 1e-9, "{}: there and back from {once:?} to {memory:?}", self.what);
        }
    }

    fn check_gradients(&self) -> usize {
        let h = STEP[0];
        let (before, here, after) = (self.rows(-h), self.rows(0.0), self.rows(h));
        if before.len() != here.len() || after.len() != here.len() {
            return 0;
        }
        let mut compared = 0;
        for ((r, x), y) in here.iter().zip(&before).zip(&after) {
            // an angle that crosses the end of its range jumps by 2 pi
            if (y.error - x.error).abs() > 0.1 || steepness(r) > STEEP {
                continue;
            }
            compared += 1;
            let (rate, difference) = (r.rate(self.velocities), (y.error - x.error) / (2.0 * h));
            let scale = steepness(r).powi(2);
            assert!((rate - difference).abs() < 1e-6 * scale, "{}: J u = {rate}, dC/dt = {difference}", self.what);
        }
        compared
    }

    fn check_curvatures(&self) {
        let h = STEP[1];
        let (before, here, after) = (self.rows(-h), self.rows(0.0), self.rows(h));
        if before.len() != here.len() || after.len() != here.len() {
            return;
        }
        for ((r, x), y) in here.iter().zip(&before).zip(&after).filter(|((r, ..), _)| r.curvature != 0.0) {
            if (y.error - x.error).abs() > 0.1 || steepness(r) > STEEP {
                continue;
            }
            let difference = (x.error - 2.0 * r.error + y.error) / (h * h);
            let scale = (1.0 + r.curvature.abs()) * steepness(r).powi(4);
            let off = (r.curvature - difference).abs();
            assert!(off < 1e-5 * scale, "{}: curvature {}, d2C/dt2 = {difference}", self.what, r.curvature);
        }
    }

    /// The effect of a positive multiplier on the two bodies.
    fn check_forces(&self, row: &ConstraintRow, expect: SourceExpectations) {
        let [a, b] = row.jacobian;
        let push = a.linear.length_squared()
            + a.angular.length_squared()
            + b.linear.length_squared()
            + b.angular.length_squared();
        assert!(push.is_finite() && push > 0.0, "{}: a row that pushes nothing", self.what);
        assert!(
            row.limits.lo <= row.limits.hi && row.error.is_finite() && row.target.is_finite(),
            "{}: {row:?}",
            self.what
        );
        // bodies at rest, pushed by a unit multiplier for a moment: the error grows
        let h = STEP[0];
        let pushed = Asked { velocities: row.jacobian, memory: self.memory.clone(), what: String::new(), ..*self };
        let (before, after) = (pushed.rows(-h), pushed.rows(h));
        let same = |rows: &[ConstraintRow]| rows.iter().find(|r| nearly(r, row)).map(|r| r.error);
        if let (Some(x), Some(y)) = (same(&before), same(&after))
            && (y - x).abs() < 0.1
            && steepness(row) < STEEP
        {
            assert!(y > x, "{}: a positive multiplier takes the error from {x} to {y}", self.what);
        }
        if expect.internal {
            let [p, q] = self.poses.map(|p| p.position);
            let moment = p.cross(a.linear) + a.angular + q.cross(b.linear) + b.angular;
            let scale = steepness(row) * (1.0 + p.length() + q.length());
            let net = (a.linear + b.linear).length();
            assert!(
                net < 1e-13 * scale && moment.length() < 1e-12 * scale,
                "{}: net force {net}, moment {moment}",
                self.what
            );
        }
    }
}

fn steepness(row: &ConstraintRow) -> Real {
    1.0 + row.jacobian.iter().map(|j| j.angular.length()).sum::<Real>()
}

/// Returns true if two rows at nearby poses are the same row.
fn nearly(one: &ConstraintRow, other: &ConstraintRow) -> bool {
    let off = |x: Vec3, y: Vec3| (x - y).length();
    let far =
        one.jacobian.iter().zip(&other.jacobian).map(|(x, y)| off(x.linear, y.linear) + off(x.angular, y.angular));
    far.sum::<Real>() < 1e-3
        && (one.error - other.error).abs() < 0.05
        && one.target == other.target
        && one.limits == other.limits
}
