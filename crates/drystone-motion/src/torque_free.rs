use crate::rotate_finite;
use drystone_core::{BodyIndex, BodyProperties, Configuration, State};
use drystone_math::{Mat3, Quat, Real, SymmetricMat3, Twist, Vec3, Wrench, skew};

/// Velocity change by a wrench over `h` seconds, gyroscopic torque left out.
pub(crate) fn impulse_change(body: &BodyProperties, q: Quat, wrench: &Wrench, h: Real) -> Twist {
    let linear = wrench.force * (body.inverse_mass * h);
    // gravity has none
    if wrench.torque == Vec3::ZERO {
        return Twist::new(linear, Vec3::ZERO);
    }
    Twist::new(linear, to_world(q, body.inverse_inertia.mul_vec(q.conjugate() * wrench.torque)) * h)
}

/// Rounding of the evaluation of a midpoint equation's residual, as a fraction of the momentum.
pub(crate) const ROUNDING: Real = 4.0 * Real::EPSILON;

/// The midpoint momentum m in body axes, `m = p + h/2 m x I^-1 m`, by Newton's method from p; `None` if it does not settle.
#[inline(always)]
pub(crate) fn solve_midpoint(inverse_inertia: &SymmetricMat3, p: Vec3, h: Real) -> Option<Vec3> {
    const ITERATIONS: usize = 12;
    let enough = ROUNDING * p.length();
    let inverse = inverse_inertia.to_mat3();
    let (mut m, mut last) = (p, Real::INFINITY);
    for _ in 0..ITERATIONS {
        let w = inverse * m;
        let residual = m - p - m.cross(w) * (0.5 * h);
        let size = residual.length();
        // settled, or at the floor of rounding where Newton's method no longer gains
        if size <= enough || (size >= last && last <= 64.0 * enough) {
            return Some(m);
        }
        last = size;
        let jacobian = Mat3::IDENTITY + (skew(w) - skew(m) * inverse) * (0.5 * h);
        let step = jacobian.inverse() * residual;
        if !step.is_finite() {
            return None;
        }
        m -= step;
    }
    None
}

/// The momentum in body axes after `h` seconds without torque, by the midpoint rule: its length and the energy are kept to rounding, at any step. If the rule
/// has no solution nearby (many turns per step), the momentum is left as it is.
pub(crate) fn next_momentum(inverse_inertia: &SymmetricMat3, p: Vec3, h: Real) -> Vec3 {
    solve_midpoint(inverse_inertia, p, h).map_or(p, |m| m * 2.0 - p)
}

/// Adds to the angular velocity of a body; adding nothing changes no bit.
#[inline]
pub(crate) fn add_spin(state: &mut State, body: BodyIndex, change: Vec3) {
    if change != Vec3::ZERO {
        state.angular_velocity[body.at()] += change;
    }
}

/// The kick of a scheme that treats the gyroscopic torque in its drift.
pub(crate) fn kick(
    configuration: &Configuration,
    state: &State,
    bodies: &[BodyIndex],
    wrenches: &[Wrench],
    h: Real,
    change: &mut [Twist],
) {
    for &b in bodies {
        let i = b.at();
        change[i] = impulse_change(configuration.body(b), state.orientation[i], &wrenches[i], h);
    }
}

/// The drift of a scheme that integrates the torque-free rotation.
///
/// With the angular momentum L (world frame) constant, the rotation is an equation for the orientation alone:
/// `dq/dt = 1/2 q [0, I^-1 R(q)^T L]`. `advance(inverse inertia, q, L, h)` solves it for one step; the new angular
/// velocity `R I^-1 R^T L` then has the old momentum to rounding. Bodies without a gyroscopic torque (isotropic, locked,
/// scripted) turn by a finite rotation.
#[inline(always)]
pub(crate) fn drift(
    configuration: &Configuration,
    state: &mut State,
    bodies: &[BodyIndex],
    h: Real,
    advance: impl Fn(&SymmetricMat3, Quat, Vec3, Real) -> Quat,
) {
    for &b in bodies {
        let i = b.at();
        let properties = configuration.body(b);
        state.position[i] += state.linear_velocity[i] * h;
        let (q, w) = (state.orientation[i], state.angular_velocity[i]);
        if !tumbles(properties, w) {
            if w != Vec3::ZERO {
                state.orientation[i] = rotate_finite(q, w, h);
            }
            continue;
        }
        let momentum = to_world(q, properties.inertia.mul_vec(q.conjugate() * w));
        let next = advance(&properties.inverse_inertia, q, momentum, h);
        state.orientation[i] = next;
        state.angular_velocity[i] = to_world(next, properties.inverse_inertia.mul_vec(next.conjugate() * momentum));
    }
}

/// Returns true if a body that turns like this has a gyroscopic torque; the others turn steadily, or not at all.
#[inline(always)]
pub(crate) fn tumbles(body: &BodyProperties, w: Vec3) -> bool {
    w != Vec3::ZERO && !body.inertia.is_isotropic() && body.inverse_inertia.is_positive_definite()
}

/// The angular acceleration of the torque-free rotation, `-I^-1 (w x I w)`; zero for the bodies that [`drift`] turns steadily.
pub(crate) fn acceleration(body: &BodyProperties, q: Quat, w: Vec3) -> Vec3 {
    if !tumbles(body, w) {
        return Vec3::ZERO;
    }
    let w = q.conjugate() * w;
    to_world(q, body.inverse_inertia.mul_vec(body.inertia.mul_vec(w).cross(w)))
}

#[inline]
fn to_world(q: Quat, v: Vec3) -> Vec3 {
    q * v
}

/// `dq/dt` of the torque-free rotation; `q` need not be a unit quaternion.
pub(crate) fn derivative(inverse_inertia: &SymmetricMat3, q: Quat, momentum: Vec3) -> Quat {
    let w = inverse_inertia.mul_vec(q.normalize().conjugate() * momentum);
    q * Quat::from_xyzw(w.x, w.y, w.z, 0.0) * 0.5
}
