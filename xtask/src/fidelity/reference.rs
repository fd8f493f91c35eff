//! Motions of few freedoms, integrated to rounding in independent coordinates: what joints are compared with.

use super::scene::G;

/// Classical Runge-Kutta steps of equal length.
fn integrate<const N: usize>(mut y: [f64; N], duration: f64, rate: impl Fn(&[f64; N]) -> [f64; N]) -> [f64; N] {
    const STEPS: usize = 100_000;
    let h = duration / STEPS as f64;
    let moved = |y: &[f64; N], k: &[f64; N], h: f64| core::array::from_fn(|i| y[i] + h * k[i]);
    for _ in 0..STEPS {
        let k1 = rate(&y);
        let k2 = rate(&moved(&y, &k1, 0.5 * h));
        let k3 = rate(&moved(&y, &k2, 0.5 * h));
        let k4 = rate(&moved(&y, &k3, h));
        y = core::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
    }
    y
}

/// Angle (rad, from hanging) of a uniform rod of the length that swings about one end, let go level, after a time.
pub(crate) fn rod(length: f64, time: f64) -> f64 {
    let stiffness = 1.5 * G / length;
    integrate([core::f64::consts::FRAC_PI_2, 0.0], time, |y| [y[1], -stiffness * y[0].sin()])[0]
}

/// Angles (rad, from hanging) of two equal uniform rods in a row, let go level, after a time.
pub(crate) fn double_rod(length: f64, time: f64) -> [f64; 2] {
    let level = core::f64::consts::FRAC_PI_2;
    // divided by the mass of a rod
    let (m11, m22, coupling) = (4.0 / 3.0 * length * length, length * length / 3.0, 0.5 * length * length);
    let y = integrate([level, level, 0.0, 0.0], time, |y| {
        let (sin, cos) = (y[0] - y[1]).sin_cos();
        let m12 = coupling * cos;
        let f1 = -coupling * sin * y[3] * y[3] - 1.5 * length * G * y[0].sin();
        let f2 = coupling * sin * y[2] * y[2] - 0.5 * length * G * y[1].sin();
        let det = m11 * m22 - m12 * m12;
        [y[2], y[3], (m22 * f1 - m12 * f2) / det, (m11 * f2 - m12 * f1) / det]
    });
    [y[0], y[1]]
}

/// A symmetric heavy top on a pivot at the origin: where its centre of mass is after a time.
///
/// `inertia` is about the centre of mass, across and along the axis; the axis starts at `tilt` from the upward y axis
/// towards x, the top spinning about it.
pub(crate) fn heavy_top(mass: f64, arm: f64, inertia: [f64; 2], tilt: f64, spin: f64, time: f64) -> [f64; 3] {
    let (across, along) = (inertia[0] + mass * arm * arm, inertia[1]);
    let momentum = along * spin;
    // the axis e and the angular momentum L: L' = r x F with r = arm e, e' = w x e, w = L / across + (1/along - 1/across) (L.e) e
    let y = integrate([tilt.sin(), tilt.cos(), 0.0, momentum * tilt.sin(), momentum * tilt.cos(), 0.0], time, |y| {
        let (e, l) = ([y[0], y[1], y[2]], [y[3], y[4], y[5]]);
        let w = l.map(|x| x / across);
        let turned = cross(w, e);
        let torque = cross(e.map(|x| arm * x), [0.0, -mass * G, 0.0]);
        [turned[0], turned[1], turned[2], torque[0], torque[1], torque[2]]
    });
    [arm * y[0], arm * y[1], arm * y[2]]
}

/// Angular velocity in body axes of a free body with the principal moments after a time.
pub(crate) fn free_body(inertia: [f64; 3], spin: [f64; 3], time: f64) -> [f64; 3] {
    integrate(spin, time, |w| {
        core::array::from_fn(|i| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            (inertia[j] - inertia[k]) * w[j] * w[k] / inertia[i]
        })
    })
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Tilt angles (rad) at which a block that rocks on a rough floor turns back, after each knock (Housner 1963).
///
/// `half_width` and `half_height` of the block, `start` the tilt it is let go at. At a knock the corner changes and
/// angular momentum about the new corner is kept.
pub(crate) fn rocking_peaks(half_width: f64, half_height: f64, start: f64, knocks: usize) -> Vec<f64> {
    let slope = (half_width / half_height).atan();
    // w^2 = 3/2 g/R (height lost), all speeds in that unit
    let (mut peak, mut peaks) = (start, Vec::new());
    let kept = (1.0 - 1.5 * slope.sin().powi(2)).powi(2);
    for _ in 0..knocks {
        let energy = kept * ((slope - peak).cos() - slope.cos());
        peak = slope - (slope.cos() + energy).acos();
        peaks.push(peak);
    }
    peaks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rod_passes_its_lowest_point_after_a_quarter_period() {
        // K(1/2) sqrt(2 L / 3 g)
        let quarter = 1.854_074_677_301_372 * (2.0 / (3.0 * G)).sqrt();
        assert!(rod(1.0, quarter).abs() < 1e-9);
    }

    #[test]
    fn two_rods_keep_their_energy() {
        // let go level, the potential energy of the start is zero; a small angle later it is still that of the motion
        let [a, b] = double_rod(1.0, 0.01);
        // both fall: the first at 9 g / 7 L (uniform rods, level), the second the other way round its joint
        let fall = core::f64::consts::FRAC_PI_2 - a;
        assert!((fall - 0.5 * 9.0 / 7.0 * G * 1e-4).abs() < 1e-6, "{fall}");
        assert!(b > core::f64::consts::FRAC_PI_2);
    }

    #[test]
    fn a_fast_top_precesses_at_the_rate_of_the_text() {
        let (mass, arm, along, spin) = (1.0, 0.5, 0.125, 1000.0);
        let at = heavy_top(mass, arm, [0.0625, along], core::f64::consts::FRAC_PI_2, spin, 1.0);
        let rate = mass * G * arm / (along * spin);
        // let go at rest it nods by rate / 400 rad beside: 400 rad/s is the rate of the nodding
        assert!((at[2].atan2(at[0]).abs() - rate).abs() < 3e-3 * rate);
    }

    #[test]
    fn a_free_symmetric_body_turns_uniformly() {
        let (inertia, spin) = ([1.0, 1.0, 2.0], [0.3, 0.0, 5.0]);
        let w = free_body(inertia, spin, 2.0);
        let angle: f64 = 5.0 * 2.0;
        assert!((w[0] - 0.3 * angle.cos()).abs() < 1e-9 && (w[2] - 5.0).abs() < 1e-12);
    }

    #[test]
    fn slender_blocks_rock_on_for_longer() {
        let (slender, stout) = (rocking_peaks(0.1, 1.0, 0.05, 2), rocking_peaks(0.3, 1.0, 0.05, 2));
        assert!(slender[1] > stout[1] && slender[1] < slender[0] && slender[0] < 0.05);
    }
}
