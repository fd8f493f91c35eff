use drystone_math::elementary::cos;
use drystone_math::{Quat, Real, Vec3, sinc};

/// `q` turned by the angular velocity `w` (world frame, rad/s) for `h` seconds, to first order and renormalised. Without a turn it keeps all its bits, which
/// another normalisation may change.
///
/// The angle comes out short by `(|w| h)^3 / 12`, and a fast spin tilts other axes with it: wheels seem to bend off
/// their axles. [`rotate_partial_finite`] cures that.
///
/// # Source
/// C-09, C-13; thesis (4.19) with the matrix Q of (4.13).
#[must_use]
#[inline]
pub fn rotate_infinitesimal(q: Quat, w: Vec3, h: Real) -> Quat {
    if w == Vec3::ZERO {
        return q;
    }
    (q + Quat::from_xyzw(w.x, w.y, w.z, 0.0) * q * (0.5 * h)).normalize()
}

/// `q` turned by the angular velocity `w` (world frame, rad/s) for `h` seconds: exact where `w` is constant. Without a turn it keeps
/// all its bits.
///
/// # Source
/// C-10, C-12; thesis (4.225) to (4.230).
#[must_use]
#[inline]
pub fn rotate_finite(q: Quat, w: Vec3, h: Real) -> Quat {
    if w == Vec3::ZERO {
        return q;
    }
    let half = 0.5 * h;
    let angle = w.length() * half;
    let v = w * (sinc(angle) * half);
    (Quat::from_xyzw(v.x, v.y, v.z, cos(angle)) * q).normalize()
}

/// `q` turned exactly by the part of `w` along the unit `axis` (world frame) and to first order by the rest.
///
/// # Source
/// C-11; thesis (4.231), (4.232). Differs in: the printed algorithm (Fig. 4.29) reuses the halved step in the
/// infinitesimal part; the full one is used here.
#[must_use]
#[inline]
pub fn rotate_partial_finite(q: Quat, w: Vec3, axis: Vec3, h: Real) -> Quat {
    let along = axis * axis.dot(w);
    rotate_infinitesimal(rotate_finite(q, along, h), w - along, h)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounding of some ten operations on unit quantities.
    const ROUNDING: Real = 1e-14;

    fn angle(q: Quat) -> Real {
        2.0 * q.xyz().length().atan2(q.w)
    }

    /// C-10.
    #[test]
    fn finite_update_is_exact_for_a_constant_spin() {
        let (w, h) = (Vec3::new(3.0, -40.0, 12.0), 0.017);
        let q = rotate_finite(Quat::from_rotation_x(0.4), w, h);
        let exact = Quat::from_scaled_axis(w * h) * Quat::from_rotation_x(0.4);
        assert!((q - exact).length() < ROUNDING);
        assert_eq!(rotate_finite(Quat::IDENTITY, Vec3::ZERO, 1.0), Quat::IDENTITY);
    }

    /// C-09.
    #[test]
    fn infinitesimal_update_falls_short_by_the_cube_over_twelve() {
        for x in [0.01, 0.05] {
            let short = x - angle(rotate_infinitesimal(Quat::IDENTITY, Vec3::Z, x));
            assert!((short / (x * x * x / 12.0) - 1.0).abs() < x * x, "{short}");
        }
    }

    #[test]
    fn partial_update_keeps_the_axle_of_a_fast_wheel() {
        // a wheel at 100 rad/s about its own axle while it is steered at 1 rad/s about the vertical
        let h = 0.01;
        let (mut partial, mut plain) = (Quat::IDENTITY, Quat::IDENTITY);
        for _ in 0..100 {
            let axle = partial * Vec3::X;
            partial = rotate_partial_finite(partial, axle * 100.0 + Vec3::Y, axle, h);
            plain = rotate_infinitesimal(plain, plain * Vec3::X * 100.0 + Vec3::Y, h);
        }
        let steered = Quat::from_rotation_y(1.0) * Vec3::X;
        let (good, bad) = ((partial * Vec3::X).angle_between(steered), (plain * Vec3::X).angle_between(steered));
        assert!(good < 1e-4 && bad > 0.1, "{good} {bad}");
    }

    /// Angle between the axle and where steering has it after a second, for (infinitesimal, finite, partial) updates. `turn` says the
    /// angular velocity of a step from the axle at its start.
    fn axle_errors(h: Real, turn: impl Fn(Vec3) -> Vec3) -> [Real; 3] {
        let mut q = [Quat::IDENTITY; 3];
        for _ in 0..(1.0 / h).round() as u32 {
            let axles = q.map(|q| q * Vec3::X);
            let w = axles.map(&turn);
            q = [
                rotate_infinitesimal(q[0], w[0], h),
                rotate_finite(q[1], w[1], h),
                rotate_partial_finite(q[2], w[2], axles[2], h),
            ];
        }
        let steered = Quat::from_rotation_y(1.0) * Vec3::X;
        q.map(|q| (q * Vec3::X).angle_between(steered))
    }

    #[test]
    fn partial_beats_finite_where_a_velocity_is_that_of_the_start_of_the_step() {
        // C-11: 100 rad/s of spin, 1 rad/s of steering. Turning about their sum, the axle goes round a cone whose axis is the sum and
        // ends up beside its path, by h (1 - cos(100 h)) / (100 h) or so a step
        let at_start = |axle: Vec3| axle * 100.0 + Vec3::Y;
        for h in [0.01, 0.005, 0.0025] {
            let [infinitesimal, finite, partial] = axle_errors(h, at_start);
            assert!(partial < 1e-4 && finite > 0.05 && infinitesimal > 0.05, "{infinitesimal} {finite} {partial}");
        }
    }

    #[test]
    fn finite_is_as_good_where_the_velocity_takes_the_axle_to_its_end() {
        // what a joint's row with its curvature asks for: the constant velocity whose rotation takes the axle along. Then the finite
        // update has nothing left to lose, and the partial one, which takes the same velocity apart, ends beside the path
        let h = 0.005;
        let consistent = |axle: Vec3| {
            // steering by h about Y, then spin about the steered axle, as one rotation
            let steer = Quat::from_rotation_y(h);
            let whole = Quat::from_axis_angle(steer * axle, 100.0 * h) * steer;
            whole.to_scaled_axis() / h
        };
        let [_, finite, partial] = axle_errors(h, consistent);
        assert!(finite < 1e-9 && partial > 0.05, "{finite} {partial}");
    }

    /// Normalising a unit quaternion again changes its last bits in many cases, so a body at rest would never come to the same bits twice.
    #[test]
    fn a_body_that_does_not_turn_keeps_all_bits() {
        let number = |k: u32| Real::from(k.wrapping_mul(2_654_435_761) % 10_007) / 5003.5 - 1.0;
        let mut changed = 0;
        for k in 1..400 {
            let q = Quat::from_xyzw(number(4 * k), number(4 * k + 1), number(4 * k + 2), number(4 * k + 3)).normalize();
            assert_eq!(rotate_infinitesimal(q, Vec3::ZERO, 0.01), q);
            assert_eq!(rotate_finite(q, Vec3::ZERO, 0.01), q);
            assert_eq!(rotate_partial_finite(q, Vec3::ZERO, Vec3::X, 0.01), q);
            changed += u32::from(q.normalize() != q);
        }
        assert!(changed > 20, "the control: {changed}");
    }

    /// C-13.
    #[test]
    fn unit_length_holds_for_a_million_steps() {
        let mut q = Quat::IDENTITY;
        for _ in 0..1_000_000 {
            q = rotate_infinitesimal(q, Vec3::new(1.0, 2.0, 3.0), 0.01);
        }
        assert!((q.length() - 1.0).abs() < 1e-12);
    }
}
