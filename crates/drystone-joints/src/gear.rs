//! Two wheels that mesh, each turn counted from the frame that carries both.

use crate::azimuth::{azimuth, azimuth_bend, wrapped};
use crate::located::Located;
use crate::turn::Evaluated;
use drystone_math::{Real, Twist, Vec3, tangent_basis};
use std::f64::consts::TAU;

/// A direction that does not turn with a wheel, but with what carries both wheels. The two bodies alone determine it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Carrier {
    /// From A's centre to B's: of wheels side by side.
    Centres,
    /// For each wheel the axis of the other: of bevel wheels.
    Axes,
    /// A direction of the world: of wheels on one line, which have no other.
    World(Vec3),
}

/// `rho alpha + beta - offset`: the turns of A and B about their own axes against their carrier, from the initial state.
///
/// A carrier that turns changes neither turn. Wheels side by side push each other at right angles to the line of their centres, as teeth do.
///
/// # Source
/// R. Willis 1841, Principles of Mechanism: the turns of a train against its arm have a fixed ratio.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Gear {
    /// Axis, the carrier's direction across it at the initial state, and their product: of A in its body axes, and of B.
    frames: [[Vec3; 3]; 2],
    carrier: Carrier,
    /// Turns of B for one of A, positive if they turn against each other: rho.
    ratio: Real,
    /// Zero of the coupling, as a turn of B (rad).
    offset: Real,
    /// Teeth of B, if both numbers of teeth are known: the sum is then known up to a tooth's worth, however fast the wheels turn.
    teeth: Option<Real>,
}

/// Speed ratio of wheels: by numbers of teeth, or by a ratio.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Mesh {
    Teeth([Real; 2]),
    Ratio(Real),
}

impl Gear {
    /// From unit axes and centres of A's and B's wheel in the world, and what turns a direction of the world into one of A and of B.
    pub(crate) fn new(
        axes: [Vec3; 2],
        centres: [Vec3; 2],
        into: [&dyn Fn(Vec3) -> Vec3; 2],
        mesh: Mesh,
        offset: Real,
    ) -> Self {
        let [s, t] = axes;
        let between = (centres[1] - centres[0]).normalize_or_zero();
        // the direction that is further from the axes it is seen along
        let (apart, inclined) = (s.cross(between).length().min(t.cross(between).length()), s.cross(t).length());
        let (carrier, seen) = if apart.max(inclined) < PARALLEL {
            let across = tangent_basis(s).0;
            (Carrier::World(across), [across; 2])
        } else if apart >= inclined {
            (Carrier::Centres, [between; 2])
        } else {
            (Carrier::Axes, [t, s])
        };
        let frame = |i: usize| {
            let u = (seen[i] - axes[i] * axes[i].dot(seen[i])).normalize();
            [axes[i], u, axes[i].cross(u)].map(into[i])
        };
        let (ratio, teeth) = match mesh {
            Mesh::Teeth([a, b]) => (a / b, Some(b)),
            Mesh::Ratio(ratio) => (ratio, None),
        };
        Self { frames: [frame(0), frame(1)], carrier, ratio, offset, teeth }
    }

    /// Returns true if turns must be remembered: of a ratio that is no quotient of teeth.
    pub(crate) fn counts_turns(&self) -> bool {
        self.teeth.is_none()
    }

    /// The carrier's direction as wheel `i` sees it, with its rate and its second derivative.
    fn seen(&self, l: &Located, i: usize) -> [Vec3; 3] {
        match self.carrier {
            Carrier::Centres => [l.gap, l.gap_rate, l.gap_bend],
            Carrier::Axes => {
                let axis = l.axes(1 - i) * self.frames[1 - i][0];
                let rate = l.spin[1 - i].cross(axis);
                [axis, rate, l.spin[1 - i].cross(rate)]
            }
            Carrier::World(direction) => [direction, Vec3::ZERO, Vec3::ZERO],
        }
    }

    /// The turn of wheel `i` against the carrier (rad), and its gradient.
    fn turn(&self, l: &Located, i: usize) -> (Real, [Twist; 2]) {
        let [_, u1, u2] = self.frames[i].map(|v| l.axes(i) * v);
        let r = self.seen(l, i)[0];
        let (x, y) = (r.dot(u1), r.dot(u2));
        // the carrier turns backwards in the wheel
        let (angle, factor) = azimuth(x, y);
        let g = (u1 * y - u2 * x) * factor;
        let own = Twist::new(Vec3::ZERO, g.cross(r));
        let mut gradient = match self.carrier {
            Carrier::Centres => [Twist::new(-g, g.cross(l.arm_a)), Twist::new(g, l.arm_b.cross(g))],
            Carrier::Axes => {
                let other = Twist::new(Vec3::ZERO, r.cross(g));
                if i == 0 { [Twist::ZERO, other] } else { [other, Twist::ZERO] }
            }
            Carrier::World(_) => [Twist::ZERO; 2],
        };
        gradient[i] += own;
        (-angle, gradient)
    }

    /// The value next to the remembered one, its gradient, and what is to be remembered: the turn of the slower wheel, and the value.
    ///
    /// The turns of the faster wheel need not be counted: the value hardly changes from step to step.
    pub(crate) fn evaluate(&self, l: &Located, last: [Real; 2]) -> (Evaluated, [Real; 2]) {
        let Self { ratio, offset, .. } = *self;
        let [(alpha, a), (beta, b)] = [self.turn(l, 0), self.turn(l, 1)];
        let jacobian = [a[0] * ratio + b[0], a[1] * ratio + b[1]];
        if let Some(teeth) = self.teeth {
            let value = wrapped(teeth * (ratio * alpha + beta - offset), 0.0) / teeth;
            return (Evaluated { value, jacobian }, last);
        }
        let (value, slow) = if ratio.abs() > 1.0 {
            let alpha = next_to(alpha, last[0]);
            (next_to(ratio * alpha + beta - offset, last[1]), alpha)
        } else {
            let beta = next_to(beta, last[0]);
            // a turn of A more or less changes the value by the ratio of a turn
            (next_to((beta - offset) / ratio + alpha, last[1] / ratio) * ratio, beta)
        };
        (Evaluated { value, jacobian }, [slow, value])
    }

    /// The second derivative under steady velocities.
    pub(crate) fn curvature(&self, l: &Located) -> Real {
        let bend = |i: usize| {
            let [_, u1, u2] = self.frames[i].map(|v| l.axes(i) * v);
            -azimuth_bend(self.seen(l, i), [u1, u2], l.spin[i])
        };
        self.ratio * bend(0) + bend(1)
    }

    /// The largest offset (rad) that is not taken for another tooth or turn.
    pub(crate) fn offset_bound(mesh: Mesh) -> Real {
        match mesh {
            Mesh::Teeth([_, b]) => 0.5 * TAU / b.abs(),
            Mesh::Ratio(ratio) => 0.5 * TAU * ratio.abs().min(1.0),
        }
    }
}

/// An angle with the full turns that bring it next to another one; the same bits for any other one that is near it.
fn next_to(angle: Real, last: Real) -> Real {
    angle + TAU * ((last - angle) / TAU).round()
}

/// Directions closer than this (rad) are parallel.
const PARALLEL: Real = 1e-6;
