use crate::{BodyIndex, BodyProperties, Configuration, State, kinetic_energy};
use drystone_math::{Quat, Real, SymmetricMat3, Twist, Vec3};

/// Bound on the motion of a body's points while only known forces act on it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MotionBound {
    /// Velocity of the centre of mass (m/s).
    pub velocity: Vec3,
    /// Upper bound on the speed of its points relative to the centre of mass (m/s).
    pub spin: Real,
    /// Acceleration of the centre of mass (m/s^2).
    pub acceleration: Vec3,
    /// Upper bound on the growth of `spin` (m/s^2).
    pub growth: Real,
}

impl MotionBound {
    /// The bound for a body at an orientation and a velocity, accelerated as given.
    ///
    /// A tumbling body keeps its angular momentum and its energy T, not its angular velocity w. The latter is at most `sqrt(2 T / I)`, I being the least of its
    /// principal moments, and no point is further from the centre of mass than the body's reach. A thin rod that tumbles end over end has a small I, but takes
    /// time to get there: no principal moment of a mass distribution exceeds the sum of the others, so that `|dw_i / dt| <= |w_j w_k|` by Euler's equations and
    /// `d|w| / dt <= w^2 / sqrt(3)`. Until it is as large as its energy allows, |w| is then below the chord of `w / (1 - w t / sqrt(3))`.
    /// Beyond what is sure, a blow may turn its velocity into spin: contacts that come of it are to be seen before.
    pub fn of(body: &BodyProperties, orientation: Quat, velocity: Twist, acceleration: Vec3) -> Self {
        let bound = Self { velocity: velocity.linear, acceleration, ..Self::default() };
        // a plane has no radius, and needs none if it does not turn
        if velocity.angular == Vec3::ZERO {
            return bound;
        }
        let (w, reach) = (velocity.angular.length(), reach(body));
        let own = orientation.conjugate() * velocity.angular;
        let yielding = largest_moment(&body.inverse_inertia);
        let by_momentum = w.max(body.inertia.mul_vec(own).length() * yielding);
        if by_momentum <= STEADY * w || !is_of_masses(&body.inertia) {
            return Self { spin: by_momentum * reach, ..bound };
        }
        let most = w.max((body.inertia.quadratic(own) * yielding).sqrt());
        let struck = w + velocity.linear.length() / reach;
        Self { spin: struck.min(most) * reach, growth: w * most / Real::sqrt(3.0) * reach, ..bound }
    }

    /// Upper bound on how far any point has come relative to the centre of mass after `t` seconds (m).
    pub fn turned(&self, t: Real) -> Real {
        (self.spin + self.growth * t) * t
    }

    /// Upper bound on how far any point has come after `t` seconds (m).
    pub fn way(&self, t: Real) -> Real {
        (self.velocity.length() + self.spin) * t + (self.acceleration.length() + self.growth) * t * t
    }
}

/// Bound on the motion of the points of bodies linked by joints, for all joint forces.
///
/// A joint that does no work passes energy from body to body, so that a single body may come to move much faster than any did before: bounds for bodies in
/// flight do not hold. What holds is that all of them together have the kinetic energy T. A point at most r from the centre of mass of a body with mass m and
/// least moment of inertia I has a speed of at most `sqrt(2 T (1 / m + r^2 / I))`. For a linkage in flight, T is the energy about its common centre of mass,
/// which falls as a body does; gravity does no work about it. If the linkage is held, gravity has a power of at most `M g v`, so that `sqrt(2 T)` grows by at
/// most `g sqrt(M)` per second. Joint friction, limits and impacts only take energy away.
///
/// A spring gives back the energy it holds, which adds to T ([`Self::with_energy`]). A drive whose force along a row J is at most f has the power `f J u`, and
/// `J u` is at most `sqrt(J W J^T) sqrt(2 T)`, W being the inverse masses: `sqrt(2 T)` grows by at most `f sqrt(J W J^T)` per second ([`Self::driven`]).
///
/// # Source
/// Erleben 2005, section 2.2.2, knows of no conservative times of impact for bodies in joints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkageBound {
    /// Kinetic energy (J), without that of the common motion if nothing holds the linkage.
    energy: Real,
    mass: Real,
    velocity: Vec3,
    gravity: Vec3,
    held: bool,
    /// Upper bound on how fast drives let `sqrt(2 T)` grow (J^(1/2)/s).
    drives: Real,
}

impl LinkageBound {
    /// The bound for the dynamic bodies of a linkage; `is_held` says that one of its joints leads to something that is not dynamic.
    pub fn of(c: &Configuration, state: &State, bodies: &[BodyIndex], is_held: bool) -> Self {
        let dynamic = || bodies.iter().filter(|b| c.body(**b).is_dynamic());
        let mass: Real = dynamic().map(|b| c.body(*b).mass).sum();
        let momentum: Vec3 = dynamic().map(|b| state.linear_velocity[b.at()] * c.body(*b).mass).sum();
        let velocity = if mass > 0.0 { momentum / mass } else { Vec3::ZERO };
        let own: Real = dynamic().map(|b| kinetic_energy(c.body(*b), state, b.at())).sum();
        // gravity that differs between bodies does work within the linkage, as if something held it
        let scale =
            |pick: fn(Real, Real) -> Real| dynamic().map(|b| c.body(*b).gravity_scale).reduce(pick).unwrap_or(0.0);
        let (low, high) = (scale(Real::min), scale(Real::max));
        // and so does what holds a body in its place
        let held = is_held || low != high || dynamic().any(|b| c.body(*b).inverse_mass == 0.0);
        let gravity = c.gravity * if low.abs() > high.abs() { low } else { high };
        let common = if held { 0.0 } else { 0.5 * mass * velocity.length_squared() };
        Self { energy: (own - common).max(0.0), mass, velocity, gravity, held, drives: 0.0 }
    }

    /// The same bound if the joints hold energy (J) that they may give back.
    #[must_use]
    pub fn with_energy(self, energy: Real) -> Self {
        Self { energy: self.energy + energy, ..self }
    }

    /// The same bound with a drive between two of the bodies (`None` stands for what holds the linkage) that turns one relative to the other about an axis by
    /// at most the given torque (N m).
    #[must_use]
    pub fn driven(self, torque: Real, bodies: [Option<&BodyProperties>; 2]) -> Self {
        let yielding: Real = bodies.iter().flatten().map(|b| largest_moment(&b.inverse_inertia)).sum();
        Self { drives: self.drives + torque * yielding.sqrt(), ..self }
    }

    /// The bound for one of its bodies.
    pub fn body(&self, body: &BodyProperties) -> MotionBound {
        let r = reach(body);
        let slow = body.inverse_mass + r * r * largest_moment(&body.inverse_inertia);
        // a body that moves against the common centre of mass takes the others the other way
        let others = if self.held { 0.0 } else { 1.0 / self.mass };
        let share = (slow - others).max(0.0);
        let spin = (2.0 * self.energy * share).sqrt();
        let growth = self.drives * share.sqrt();
        if self.held {
            let growth = growth + self.gravity.length() * (self.mass * share).sqrt();
            MotionBound { spin, growth, ..MotionBound::default() }
        } else {
            MotionBound { velocity: self.velocity, spin, acceleration: self.gravity, growth }
        }
    }
}

/// Upper bound on the distance of a body's surface from its centre of mass (m).
pub fn reach(body: &BodyProperties) -> Real {
    body.shape.bounding_radius() + body.center.length()
}

/// If an angular speed cannot grow by more than this factor, it is taken as if it had.
const STEADY: Real = 1.2;

/// True if no principal moment exceeds the sum of the others, as for every mass distribution; a scene may give a body
/// other values. False if it is not known.
fn is_of_masses(inertia: &SymmetricMat3) -> bool {
    inertia.diagonal.element_sum() >= 2.0 * largest_moment(inertia) * (1.0 - 1e-9)
}

/// An upper bound on the largest eigenvalue, exact for principal axes.
fn largest_moment(matrix: &SymmetricMat3) -> Real {
    let (d, o) = (matrix.diagonal, matrix.off_diagonal);
    if o == Vec3::ZERO {
        return d.max_element();
    }
    (d.length_squared() + 2.0 * o.length_squared()).sqrt()
}

/// Bound on the closing of a gap between two bodies: at most `closing t + bend t^2` in t seconds.
///
/// The square counts in full, not by half, because semi-implicit steps move a body by `h (v + h a)`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ClosingBound {
    /// Speed (m/s), zero or more.
    pub closing: Real,
    /// Acceleration (m/s^2), zero or more.
    pub bend: Real,
}

impl ClosingBound {
    /// The bound for two bodies. With a unit `normal` from A to B: along it, if a slab across it separates the two, as for the line between the closest points
    /// of convex bodies. Without a normal: from any side.
    pub fn of(a: &MotionBound, b: &MotionBound, normal: Option<Vec3>) -> Self {
        let toward = |v: Vec3| normal.map_or_else(|| v.length(), |n| (-n.dot(v)).max(0.0));
        let closing = toward(b.velocity - a.velocity) + a.spin + b.spin;
        Self { closing, bend: toward(b.acceleration - a.acceleration) + a.growth + b.growth }
    }

    /// By how much a gap can close in `t` seconds (m).
    pub fn way(&self, t: Real) -> Real {
        (self.closing + self.bend * t) * t
    }

    /// Before this time (s) a gap of `distance` metres is not closed: zero if there is none, infinite if it does not close.
    pub fn not_before(&self, distance: Real) -> Real {
        let Self { closing, bend } = *self;
        if distance <= 0.0 {
            return 0.0;
        }
        let root = (closing * closing + 4.0 * bend * distance).sqrt();
        let sum = closing + root;
        // bend t^2 + closing t - distance = 0; an infinite speed closes it at once
        if sum > 0.0 { 2.0 * distance / sum } else { Real::INFINITY }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_closes_when_the_way_is_as_long() {
        for (closing, bend) in [(2.0, 0.0), (0.0, 9.81), (1.0, 4.0)] {
            let bound = ClosingBound { closing, bend };
            let t = bound.not_before(0.3);
            assert!((bound.way(t) - 0.3).abs() < 1e-15, "{closing} {bend}");
        }
        let rest = ClosingBound::default();
        assert_eq!((rest.not_before(0.3), rest.not_before(-1.0)), (Real::INFINITY, 0.0));
        assert_eq!(ClosingBound { closing: Real::INFINITY, bend: 0.0 }.not_before(0.3), 0.0);
    }

    #[test]
    fn the_normal_counts_what_closes() {
        let a = MotionBound { velocity: Vec3::X, ..MotionBound::default() };
        let b = MotionBound { velocity: Vec3::new(3.0, -4.0, 0.0), spin: 0.5, ..MotionBound::default() };
        let closing = |n: Option<Vec3>| ClosingBound::of(&a, &b, n).closing;
        // B leaves A along x and falls onto it along y
        assert_eq!(closing(Some(Vec3::X)), 0.5);
        assert_eq!(closing(Some(Vec3::Y)), 4.5);
        assert!((closing(None) - 20.0_f64.sqrt() - 0.5).abs() < 1e-15);
    }
}
