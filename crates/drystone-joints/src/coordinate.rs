use crate::azimuth::{azimuth, azimuth_bend, wrapped};
use crate::gear::Gear;
use crate::located::Located;
use crate::region::EllipticCone;
use crate::swing::SwingFrame;
use crate::turn::{Evaluated, turn, turn_bend, turning};
use drystone_core::Line;
use drystone_math::{Real, Twist, Vec3};
use std::f64::consts::TAU;

/// A scalar function of two bodies' poses, and its gradient. Axes of A and B are unit vectors in their body axes.
///
/// Symbols: p_A, p_B anchors; d = p_B - p_A; a, b arms from the centres; s, t axes; (v, w) vector and scalar part of the
/// rotation of B relative to A since the initial state. The gradient of each is exact for any motion.
// G-06, G-25
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Coordinate {
    /// `s . d`, along an axis of A. `dC/dt = s . (v_B + w_B x b - v_A - w_A x (a + d))`. G-10, G-12, R-06.
    ///
    /// Along world axes the same rows would lose angular momentum while there is a gap.
    Along(Vec3),
    /// `|d| - rest`.
    Distance {
        /// Length that counts as zero.
        rest: Real,
        /// Axis of A used as the direction when the anchors coincide.
        axis: Vec3,
    },
    /// `(s_A . s_B - rest) / scale`. G-11, G-13, G-14, R-01 ... R-03.
    Inclination {
        /// Axis of A.
        a: Vec3,
        /// Axis of B.
        b: Vec3,
        /// Value of the product that counts as zero.
        rest: Real,
        /// Turns the product into an angle near the rest value: the sine of the rest angle.
        scale: Real,
    },
    /// The implicit function of an elliptic cone that B's axis may swing in, whatever its twist. G-19.
    Reach {
        /// Axes of A and of B.
        frame: SwingFrame,
        /// Its range.
        cone: EllipticCone,
    },
    /// `2 v . s` for an axis of A: the angle of a small rotation. G-12, G-15.
    Misalignment(Vec3),
    /// `2 atan2(v . s, w)` for an axis of A, taken next to `middle`: the turn about the axis. G-18, R-09.
    Turn {
        /// Axis of A.
        axis: Vec3,
        /// Middle of the range of 2 pi.
        middle: Real,
    },
    /// The angle of B's axis about A's, from the plane at the initial state: steering.
    Steering {
        /// Axis of A, with two normals that complete it.
        frame: [Vec3; 3],
        /// Axis of B.
        b: Vec3,
        /// Middle of the range of 2 pi.
        middle: Real,
    },
    /// The angle by which B has turned about its own axis, seen from A's: spin.
    Spin {
        /// Axis of A.
        a: Vec3,
        /// Axis of B, with two normals that complete it.
        frame: [Vec3; 3],
        /// Middle of the range of 2 pi.
        middle: Real,
    },
    /// The turns of two wheels against what carries them. R-30.
    Gear(Gear),
    /// `s . d - lead / (2 pi) turn` for an axis of A: a nut on a thread, modulo the lead (a full turn later the nut is a lead further).
    Screw {
        /// Axis of A.
        axis: Vec3,
        /// Travel per full turn (m), negative for a left-handed thread; not zero.
        lead: Real,
        /// Value that counts as zero (m).
        offset: Real,
    },
    /// `t . d - r alpha`, alpha the turn of A against B since the initial state, modulo a full turn's way: a rack B on a pinion A. A rack has
    /// the orientation of what carries both.
    Rack {
        /// Axis of A.
        axis: Vec3,
        /// Direction of the rack, an axis of B.
        along: Vec3,
        /// Pitch radius (m), not zero.
        radius: Real,
        /// Value that counts as zero (m).
        offset: Real,
    },
    /// `|p_A - g_A| + ratio |p_B - g_B|`: the length of a cord from A over two fixed points to B.
    Pulley {
        /// The points, world frame (m).
        over: [Vec3; 2],
        /// Number of times B's part of the cord runs back and forth.
        ratio: Real,
    },
}

/// A cord's direction from a fixed point to an anchor, and its length (m); a zero direction if it has no length.
fn cord(l: &Located, side: usize, from: Vec3) -> (Vec3, Real) {
    let arm = [l.arm_a, l.arm_b][side];
    let d = l.centers[side] + arm - from;
    let length = d.length();
    (if length > 0.0 { d / length } else { Vec3::ZERO }, length)
}

/// A vector that turns with an angular velocity, with its rate and its second derivative.
fn turned(v: Vec3, w: Vec3) -> [Vec3; 3] {
    let rate = w.cross(v);
    [v, rate, w.cross(rate)]
}

/// The travel of a rack less the way that its pinion rolls, and its gradient.
fn rack(l: &Located, axis: Vec3, along: Vec3, radius: Real, offset: Real) -> (Real, [Twist; 2]) {
    // B against A turns backwards
    let (angle, g) = turn(l.turn(), axis);
    let e = l.axes_b * along;
    let [turn_a, turn_b] = turning(l.axes_a * (g * radius));
    let a = Twist::new(-e, e.cross(l.arm_a)) + turn_a;
    let b = Twist::new(e, (l.arm_b - l.gap).cross(e)) + turn_b;
    (wrapped((e.dot(l.gap) - offset) / radius + angle, 0.0) * radius, [a, b])
}

/// The travel of a nut less its turn times the lead, and its gradient.
fn screw(l: &Located, axis: Vec3, lead: Real, offset: Real) -> (Real, [Twist; 2]) {
    let (angle, g) = turn(l.turn(), axis);
    let e = l.axes_a * axis;
    let per_radian = lead / TAU;
    let [a, b] = l.gradient_along(e);
    let [turn_a, turn_b] = turning(l.axes_a * (g * -per_radian));
    (wrapped((e.dot(l.gap) - offset) / per_radian - angle, 0.0) * per_radian, [a + turn_a, b + turn_b])
}

/// The second derivative of a cord's length on one side.
fn cord_bend(l: &Located, side: usize, from: Vec3) -> Real {
    let (e, length) = cord(l, side, from);
    let (w, arm) = (l.spin[side], [l.arm_a, l.arm_b][side]);
    let rate = l.speed[side] + w.cross(arm);
    if length == 0.0 {
        return 0.0;
    }
    (rate.length_squared() - e.dot(rate).powi(2)) / length + e.dot(w.cross(w.cross(arm)))
}

impl Coordinate {
    /// Returns true if the value is a length.
    pub(crate) fn is_linear(&self) -> bool {
        matches!(
            self,
            Self::Along(_) | Self::Distance { .. } | Self::Screw { .. } | Self::Rack { .. } | Self::Pulley { .. }
        )
    }

    /// Returns true if the value is an angle known only up to full turns.
    pub(crate) fn is_periodic(&self) -> bool {
        matches!(self, Self::Turn { .. } | Self::Steering { .. } | Self::Spin { .. })
    }

    /// The same coordinate, its angles next to `middle`.
    pub(crate) fn around(mut self, new: Real) -> Self {
        if let Self::Turn { middle, .. } | Self::Steering { middle, .. } | Self::Spin { middle, .. } = &mut self {
            *middle = new;
        }
        self
    }

    pub(crate) fn evaluate(&self, l: &Located) -> Evaluated {
        let (value, jacobian) = match self {
            Self::Reach { frame, cone } => return frame.evaluate(l, cone).0,
            Self::Along(s) => {
                let e = l.axes_a * *s;
                (e.dot(l.gap), l.gradient_along(e))
            }
            Self::Distance { rest, axis } => {
                let distance = l.gap.length();
                let e = if distance > 0.0 { l.gap / distance } else { l.axes_a * *axis };
                (distance - rest, l.gradient_along(e))
            }
            Self::Inclination { a, b, rest, scale } => {
                let (s, t) = (l.axes_a * *a, l.axes_b * *b);
                ((s.dot(t) - rest) / scale, turning(t.cross(s) / *scale))
            }
            Self::Misalignment(s) => {
                let turn = l.turn();
                let (v, w) = (turn.xyz(), turn.w);
                (2.0 * v.dot(*s), turning(l.axes_a * (*s * w + v.cross(*s))))
            }
            Self::Turn { axis, middle } => {
                let (angle, g) = turn(l.turn(), *axis);
                (wrapped(angle, *middle), turning(l.axes_a * g))
            }
            Self::Steering { frame: [_, u1, u2], b, middle } => {
                let (t, u1, u2) = (l.axes_b * *b, l.axes_a * *u1, l.axes_a * *u2);
                let (x, y) = (t.dot(u1), t.dot(u2));
                let (angle, factor) = azimuth(x, y);
                (wrapped(angle, *middle), turning(t.cross(u2 * x - u1 * y) * factor))
            }
            Self::Spin { a, frame: [_, u1, u2], middle } => {
                let (s, u1, u2) = (l.axes_a * *a, l.axes_b * *u1, l.axes_b * *u2);
                let (x, y) = (s.dot(u1), s.dot(u2));
                let (angle, factor) = azimuth(x, y);
                // A's axis turns backwards in B's axes when B turns forwards
                (wrapped(-angle, *middle), turning(s.cross(u2 * x - u1 * y) * factor))
            }
            Self::Gear(gear) => return gear.evaluate(l, [0.0; 2]).0,
            Self::Screw { axis, lead, offset } => screw(l, *axis, *lead, *offset),
            Self::Rack { axis, along, radius, offset } => rack(l, *axis, *along, *radius, *offset),
            Self::Pulley { over, ratio } => {
                let ((e, first), (f, second)) = (cord(l, 0, over[0]), cord(l, 1, over[1]));
                let f = f * *ratio;
                (first + ratio * second, [Twist::new(e, l.arm_a.cross(e)), Twist::new(f, l.arm_b.cross(f))])
            }
        };
        Evaluated { value, jacobian }
    }

    /// The line along which it is measured, if that turns with the points at its ends.
    pub(crate) fn line(&self, l: &Located) -> Option<Line> {
        let is_line = matches!(self, Self::Distance { .. });
        is_line.then_some(Line { arms: [l.arm_a, l.arm_b], gap: l.gap })
    }

    /// The second derivative under steady velocities.
    pub(crate) fn curvature(&self, l: &Located) -> Real {
        let [wa, wb] = l.spin;
        match self {
            Self::Along(s) => l.curvature_along(l.axes_a * *s),
            Self::Distance { .. } => {
                let distance = l.gap.length();
                if distance == 0.0 {
                    return 0.0;
                }
                let e = l.gap / distance;
                (l.gap_rate.length_squared() - e.dot(l.gap_rate).powi(2)) / distance + e.dot(l.gap_bend)
            }
            Self::Reach { frame, cone } => frame.evaluate(l, cone).1,
            Self::Inclination { a, b, scale, .. } => {
                let (s, t) = (l.axes_a * *a, l.axes_b * *b);
                let (ds, dt) = (wa.cross(s), wb.cross(t));
                (wa.cross(ds).dot(t) + 2.0 * ds.dot(dt) + s.dot(wb.cross(dt))) / scale
            }
            Self::Misalignment(s) => {
                // in A's axes: the relative angular velocity u, and its rate, due to A's rotation
                let to_a = |v: Vec3| l.axes_a.transpose() * v;
                let turn = l.turn();
                let (v, w, u) = (turn.xyz(), turn.w, to_a(wb - wa));
                let du = u.cross(to_a(wa));
                let (dv, dw) = ((u * w + u.cross(v)) * 0.5, -0.5 * u.dot(v));
                s.dot(u * dw + du * w + du.cross(v) + u.cross(dv))
            }
            Self::Turn { axis, .. } => {
                let to_a = |v: Vec3| l.axes_a.transpose() * v;
                let u = to_a(wb - wa);
                turn_bend(l.turn(), *axis, u, u.cross(to_a(wa)))
            }
            Self::Steering { frame: [_, u1, u2], b, .. } => {
                azimuth_bend(turned(l.axes_b * *b, wb), [l.axes_a * *u1, l.axes_a * *u2], wa)
            }
            Self::Spin { a, frame: [_, u1, u2], .. } => {
                -azimuth_bend(turned(l.axes_a * *a, wa), [l.axes_b * *u1, l.axes_b * *u2], wb)
            }
            Self::Gear(gear) => gear.curvature(l),
            Self::Screw { axis, lead, .. } => {
                let turn = Self::Turn { axis: *axis, middle: 0.0 };
                Self::Along(*axis).curvature(l) - lead / TAU * turn.curvature(l)
            }
            Self::Rack { axis, along, radius, .. } => {
                let e = l.axes_b * *along;
                let rate = wb.cross(e);
                let travel = wb.cross(rate).dot(l.gap) + 2.0 * rate.dot(l.gap_rate) + e.dot(l.gap_bend);
                travel + radius * Self::Turn { axis: *axis, middle: 0.0 }.curvature(l)
            }
            Self::Pulley { over, ratio } => cord_bend(l, 0, over[0]) + ratio * cord_bend(l, 1, over[1]),
        }
    }
}
