use crate::JointRecipe;
use crate::coordinate::Coordinate;
use crate::located::{Located, Seats};
use crate::turn::Evaluated;
use drystone_core::{
    BodyFrame, ConstraintRow, ConstraintSource, GroupRow, JointCoordinate, JointError, RowLimits, Softness,
};
use drystone_math::{Mat3, Pose, Real, Twist, Vec3};
use std::any::Any;
use std::f64::consts::{PI, TAU};

/// A limit gives a row as soon as the coordinate is this close (m or rad), so that whatever rests on it or is about to reach
/// it finds one.
const NEAR: Real = 0.02;
/// It also gives one if it would be reached within this time (s), so that fast motion is stopped at the bound and not
/// beyond it.
const SOON: Real = 0.1;

/// Role of a joint in a coordinate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Role {
    /// Keeps it at zero.
    Lock { softness: Softness },
    /// Pulls it to `rest` by a spring and damper.
    Spring { rest: Real, softness: Softness },
    /// Drives it at a speed.
    Motor { velocity: Real, max_force: Real },
    /// Drives it to a place.
    Servo { target: Real, max_force: Real, softness: Softness },
    /// Resists its motion.
    Friction { max_force: Real },
    /// Keeps it above or below a bound.
    Limit(LimitRole),
}

/// A bound of a coordinate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LimitRole {
    pub(crate) bound: Real,
    pub(crate) side: Side,
    pub(crate) softness: Softness,
    pub(crate) restitution: Real,
}

impl LimitRole {
    /// Its row at the bodies' velocities, or `None` if the bound is far away.
    pub(crate) fn row(
        &self,
        at: &Evaluated,
        curvature: impl FnOnce() -> Real,
        velocities: [Twist; 2],
    ) -> Option<ConstraintRow> {
        let sign = if self.side == Side::Above { 1.0 } else { -1.0 };
        let row = ConstraintRow {
            jacobian: at.jacobian.map(|j| j * sign),
            target: 0.0,
            error: (at.value - self.bound) * sign,
            curvature: 0.0,
            limits: RowLimits::UNILATERAL,
            softness: self.softness,
            restitution: self.restitution,
            correctable: true,
            line: None,
        };
        let near = row.error <= NEAR.max(-row.rate(velocities) * SOON);
        near.then(|| ConstraintRow { curvature: sign * curvature(), ..row })
    }
}

/// Which side of a bound is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Above,
    Below,
}

/// A coordinate and its roles.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Part {
    pub(crate) coordinate: Coordinate,
    pub(crate) roles: Vec<Role>,
    /// True if full turns of the angle count. The angle is then remembered, turns included, so that the next angle,
    /// known only up to full turns, is unambiguous as long as it changes by less than half a turn between two drifts.
    pub(crate) counts_turns: bool,
    /// Number of the joint's free coordinate, 1 or 2; zero for neither.
    pub(crate) free: u8,
}

/// A joint as a list of coordinates with roles: every kind of this crate.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CoordinateJoint {
    pub(crate) kind: &'static str,
    pub(crate) seats: Seats,
    pub(crate) parts: Vec<Part>,
    /// The locks, if the parts consist of nothing else.
    pub(crate) locks: Option<Box<[Lock]>>,
    recipe: Box<JointRecipe>,
}

/// An axis of A along which a joint is locked, rigidly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Lock {
    axis: Vec3,
    /// Which of A's own axes it is, if any.
    own: Option<OwnAxis>,
    pub(crate) softness: Softness,
}

/// An axis of a body frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OwnAxis {
    X,
    Y,
    Z,
}

impl Lock {
    fn new(axis: Vec3, softness: Softness) -> Self {
        let own = [(Vec3::X, OwnAxis::X), (Vec3::Y, OwnAxis::Y), (Vec3::Z, OwnAxis::Z)];
        Self { axis, own: own.into_iter().find(|(of, _)| *of == axis).map(|(_, own)| own), softness }
    }

    /// The axis in the world, from the axes of A.
    #[inline(always)]
    pub(crate) fn direction(&self, axes_a: &Mat3) -> Vec3 {
        match self.own {
            Some(OwnAxis::X) => axes_a.x_axis,
            Some(OwnAxis::Y) => axes_a.y_axis,
            Some(OwnAxis::Z) => axes_a.z_axis,
            None => *axes_a * self.axis,
        }
    }
}

impl CoordinateJoint {
    pub(crate) fn new(seats: Seats, parts: Vec<Part>, recipe: Box<JointRecipe>) -> Self {
        Self { kind: recipe.description.kind, seats, locks: locks_of(&parts), parts, recipe }
    }
}

impl JointRecipe {
    /// The recipe of a source of rows; `None` for one that [`crate::build`] did not make.
    pub fn of(source: &dyn ConstraintSource) -> Option<&Self> {
        source.as_any()?.downcast_ref::<CoordinateJoint>().map(|joint| &*joint.recipe)
    }
}

/// The locks of a joint in the order of its rows; `None` if it does anything besides locking along axes.
fn locks_of(parts: &[Part]) -> Option<Box<[Lock]>> {
    let lock = |part: &Part| match (&part.coordinate, part.roles.as_slice()) {
        (Coordinate::Along(axis), [Role::Lock { softness }]) if !softness.is_soft() => {
            Some(Lock::new(*axis, *softness))
        }
        _ => None,
    };
    parts.iter().filter(|p| !p.roles.is_empty()).map(lock).collect()
}

/// The servo is a stiff spring rather than a lock, so that its force bound holds in every solver.
pub(crate) const SERVO_CFM: Real = 1e-12;

impl Part {
    pub(crate) fn new(coordinate: Coordinate, roles: Vec<Role>) -> Self {
        Self { coordinate, roles, counts_turns: false, free: 0 }
    }

    /// Number of values that it remembers.
    fn memory_len(&self) -> usize {
        match &self.coordinate {
            Coordinate::Gear(gear) => 2 * usize::from(gear.counts_turns()),
            _ => usize::from(self.counts_turns),
        }
    }

    /// The coordinate; if turns count, next to what is remembered, which is taken from `memory`.
    fn evaluate(&self, located: &Located, memory: &mut core::slice::Iter<'_, Real>) -> Evaluated {
        let mut last = [0.0; 2];
        for (value, known) in last.iter_mut().zip(memory.by_ref().take(self.memory_len())) {
            *value = *known;
        }
        self.count(located, last).0
    }

    /// The coordinate next to what is remembered, and what is to be remembered of it.
    fn count(&self, located: &Located, last: [Real; 2]) -> (Evaluated, [Real; 2]) {
        if let Coordinate::Gear(gear) = &self.coordinate {
            return gear.evaluate(located, last);
        }
        let mut at = self.coordinate.evaluate(located);
        if self.counts_turns {
            at.value += TAU * ((last[0] - at.value) / TAU).round();
        }
        (at, [at.value, 0.0])
    }

    /// Distance of a servo from its target; of an angle, so much at most that the part of it that is removed in a step
    /// is half a turn: more could not be counted.
    fn off(&self, value: Real, target: Real, softness: Softness) -> Real {
        let off = value - target;
        match softness {
            Softness::Fixed { erp, .. } if self.coordinate.is_periodic() && erp > 0.0 => off.clamp(-PI / erp, PI / erp),
            _ => off,
        }
    }

    /// The row of a role at the bodies' velocities, or `None` for a limit that is far away.
    fn row(&self, role: &Role, at: &Evaluated, located: &Located, velocities: [Twist; 2]) -> Option<ConstraintRow> {
        let curvature = || self.coordinate.curvature(located);
        let bounded = |max_force: Real| RowLimits { lo: -max_force, hi: max_force };
        let base = ConstraintRow {
            jacobian: at.jacobian,
            target: 0.0,
            error: at.value,
            curvature: 0.0,
            limits: RowLimits::BILATERAL,
            softness: Softness::RIGID,
            restitution: 0.0,
            correctable: false,
            line: self.coordinate.line(located),
        };
        Some(match *role {
            Role::Lock { softness } => ConstraintRow { curvature: curvature(), softness, correctable: true, ..base },
            Role::Spring { rest, softness } => {
                ConstraintRow { error: at.value - rest, curvature: curvature(), softness, ..base }
            }
            Role::Motor { velocity, max_force } => {
                ConstraintRow { target: velocity, limits: bounded(max_force), ..base }
            }
            Role::Servo { target, max_force, softness } => {
                let (error, limits) = (self.off(at.value, target, softness), bounded(max_force));
                ConstraintRow { error, curvature: curvature(), limits, softness, ..base }
            }
            Role::Friction { max_force } => ConstraintRow { limits: bounded(max_force), ..base },
            Role::Limit(limit) => {
                let row = limit.row(at, curvature, velocities);
                return row.map(|row| ConstraintRow { line: base.line, ..row });
            }
        })
    }

    /// Position error of a role, if it is one that holds a position.
    fn violation(role: &Role, value: Real) -> Real {
        match *role {
            Role::Lock { .. } => value,
            Role::Limit(LimitRole { bound, side: Side::Above, .. }) => (value - bound).min(0.0),
            Role::Limit(LimitRole { bound, side: Side::Below, .. }) => (bound - value).min(0.0),
            _ => 0.0,
        }
    }
}

/// The most common row of all: a locked coordinate along an axis of A, which is `e` in the world.
#[inline(always)]
pub(crate) fn locked_along(located: &Located, e: Vec3, softness: Softness) -> ConstraintRow {
    ConstraintRow {
        jacobian: located.gradient_along(e),
        target: 0.0,
        error: e.dot(located.gap),
        curvature: located.curvature_along(e),
        limits: RowLimits::BILATERAL,
        softness,
        restitution: 0.0,
        correctable: true,
        line: None,
    }
}

impl ConstraintSource for CoordinateJoint {
    fn kind(&self) -> &'static str {
        self.kind
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn memory_len(&self) -> usize {
        self.parts.iter().map(Part::memory_len).sum()
    }

    fn rows(&self, frames: [&BodyFrame; 2], memory: &[Real], rows: &mut Vec<ConstraintRow>) {
        if let Some(locks) = &self.locks {
            // of which only the parts needed for these rows are computed
            let located = Located::new(&self.seats, frames);
            rows.reserve(locks.len());
            for lock in locks {
                rows.push(locked_along(&located, lock.direction(&located.axes_a), lock.softness));
            }
            return;
        }
        let located = Located::new(&self.seats, frames);
        let velocities = [frames[0].velocity, frames[1].velocity];
        let mut memory = memory.iter();
        for part in self.parts.iter().filter(|p| !p.roles.is_empty()) {
            if let (Coordinate::Along(axis), [Role::Lock { softness }]) = (&part.coordinate, part.roles.as_slice()) {
                rows.push(locked_along(&located, located.axes_a * *axis, *softness));
                continue;
            }
            let at = part.evaluate(&located, &mut memory);
            rows.extend(part.roles.iter().filter_map(|role| part.row(role, &at, &located, velocities)));
        }
    }

    fn renew_rows(&self, frames: [&BodyFrame; 2], rows: &mut [GroupRow]) -> bool {
        self.renew_locked_rows(frames, rows)
    }

    fn has_steady_rows(&self) -> bool {
        let comes_and_goes = |role: &Role| matches!(role, Role::Limit(_));
        !self.parts.iter().any(|part| part.roles.iter().any(comes_and_goes))
    }

    fn errors(&self, frames: [&BodyFrame; 2], errors: &mut Vec<Real>) -> bool {
        self.locked_errors(frames, |error| errors.push(error))
    }

    fn rates(&self, frames: [&BodyFrame; 2], rates: &mut Vec<Real>) -> bool {
        self.locked_rates(frames, |rate| rates.push(rate))
    }

    fn error(&self, frames: [&BodyFrame; 2], memory: &[Real]) -> JointError {
        let mut square = 0.0;
        if self.locked_errors(frames, |error| square += error * error) {
            return JointError { linear: square.sqrt(), angular: 0.0 };
        }
        let located = Located::new(&self.seats, frames);
        let mut memory = memory.iter();
        let (mut linear, mut angular) = (0.0, 0.0);
        for part in self.parts.iter().filter(|p| !p.roles.is_empty()) {
            let value = part.evaluate(&located, &mut memory).value;
            let square: Real = part.roles.iter().map(|r| Part::violation(r, value).powi(2)).sum();
            *if part.coordinate.is_linear() { &mut linear } else { &mut angular } += square;
        }
        JointError { linear: linear.sqrt(), angular: angular.sqrt() }
    }

    fn coordinate(&self, which: u8, frames: [&BodyFrame; 2], memory: &[Real]) -> Option<JointCoordinate> {
        let located = Located::new(&self.seats, frames);
        let mut memory = memory.iter();
        for part in &self.parts {
            let at = part.evaluate(&located, &mut memory);
            if part.free == which {
                let [u, v] = frames.map(|f| f.velocity);
                let rate = |j: Twist, u: Twist| j.linear.dot(u.linear) + j.angular.dot(u.angular);
                return Some(JointCoordinate {
                    value: at.value,
                    speed: rate(at.jacobian[0], u) + rate(at.jacobian[1], v),
                });
            }
        }
        None
    }

    fn anchor(&self, frames: [&BodyFrame; 2]) -> Option<Vec3> {
        Some(frames[0].pose.point(self.seats.anchor_a))
    }

    fn joint_frames(&self, frames: [&BodyFrame; 2]) -> Option<[Pose; 2]> {
        Some(self.seats.frames(frames))
    }

    fn remember(&self, frames: [&BodyFrame; 2], mut memory: &mut [Real]) {
        let located = Located::new(&self.seats, frames);
        for part in self.parts.iter().filter(|p| p.memory_len() > 0) {
            let (own, rest) = memory.split_at_mut(part.memory_len());
            let mut last = [0.0; 2];
            last[..own.len()].copy_from_slice(own);
            own.copy_from_slice(&part.count(&located, last).1[..own.len()]);
            memory = rest;
        }
    }
}
