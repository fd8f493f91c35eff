//! Mechanisms of the multibody benchmark library in minimal coordinates: no constraints, no multipliers, none of our own code.
//!
//! Gonzalez, Dopico, Lugris, Cuadrado: "A benchmarking system for MBS simulation software", 2006 (IFToMM, problems A01 to A05).

const G: f64 = 9.81;

/// `x' = f(x)` by the classical Runge-Kutta method.
fn runge_kutta<const N: usize>(
    mut x: [f64; N],
    h: f64,
    steps: usize,
    mut f: impl FnMut(&[f64; N]) -> [f64; N],
) -> [f64; N] {
    let along = |x: &[f64; N], k: &[f64; N], h: f64| core::array::from_fn(|i| x[i] + h * k[i]);
    for _ in 0..steps {
        let k1 = f(&x);
        let k2 = f(&along(&x, &k1, 0.5 * h));
        let k3 = f(&along(&x, &k2, 0.5 * h));
        let k4 = f(&along(&x, &k3, h));
        x = core::array::from_fn(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
    }
    x
}

/// A01: position of the mass of a 1 m pendulum after `time` seconds, released at (-1, 0).
pub(crate) fn pendulum(time: f64, steps: usize) -> [f64; 3] {
    let [angle, _] = runge_kutta([0.0, 0.0], time / steps as f64, steps, |&[a, w]| [w, G * a.cos()]);
    [-angle.cos(), -angle.sin(), 0.0]
}

/// A02: position of the first upper corner of N windows, made of bars of 1 m and 1 kg, initially upright and moving at 1 m/s.
pub(crate) fn four_bars(windows: usize, time: f64, steps: usize) -> [f64; 3] {
    let n = windows as f64;
    // N + 1 uprights turn about their feet, N crossbars move along a circle
    let (inertia, moment) = ((n + 1.0) / 3.0 + n, 0.5 * (n + 1.0) + n);
    let [angle, _] = runge_kutta([0.0, 1.0], time / steps as f64, steps, |&[a, w]| [w, moment / inertia * G * a.sin()]);
    [angle.sin(), angle.cos(), 0.0]
}

/// A05: the height of the governor's slider, the angle of its arms below the horizontal, and its angular velocity about the shaft.
pub(crate) fn governor(time: f64, steps: usize) -> [f64; 3] {
    // shaft, arms (a rod of 0.3 kg with 5 kg at its end), and slider
    let (offset, centre, mass) = (0.05, (0.3 * 0.5 + 5.0) / 5.3, 5.3);
    let (axial, slider) = (0.3 * 2e-4 / 12.0, 3.0);
    let across = 0.3 * (1.0 + 1e-4) / 12.0 + 0.3 * (centre - 0.5_f64).powi(2) + 5.0 * (1.0 - centre).powi(2);
    let inertia = |a: f64| {
        let out = offset + centre * a.cos();
        axial + slider * 0.02 / 12.0 + 2.0 * (mass * out * out + axial * a.sin().powi(2) + across * a.cos().powi(2))
    };
    let slope = |a: f64| {
        let (s, c) = a.sin_cos();
        2.0 * (-2.0 * mass * (offset + centre * c) * centre * s + 2.0 * (axial - across) * s * c)
    };
    let start = std::f64::consts::FRAC_PI_6;
    let momentum = inertia(start) * std::f64::consts::TAU;
    let swing = across + mass * centre * centre;
    let [a, _, s, _] = runge_kutta([start, 0.0, 0.5, 0.0], time / steps as f64, steps, |&[a, w, s, v]| {
        let (sin, cos) = a.sin_cos();
        let rise = 1.0 - 0.5 * sin - s;
        let d = (0.25 * cos * cos + rise * rise).sqrt();
        let (by_a, by_s) = ((-0.25 * cos * sin - 0.5 * cos * rise) / d, -rise / d);
        let pull = 8e5 * (d - 0.5) + 4e4 * (by_a * w + by_s * v);
        let spin = momentum / inertia(a);
        let turn = 0.5 * slope(a) * spin * spin + 2.0 * mass * G * centre * cos - 2.0 * pull * by_a;
        [w, turn / (2.0 * swing), v, -G - 2.0 * pull * by_s / slider]
    });
    [s, a, momentum / inertia(a)]
}

type Point = [f64; 3];

/// Corners and hinge axes of A04: six bars of 1 m along the edges of a cube, the first one fixed.
const CORNERS: [Point; 6] = [[0., 0., 0.], [1., 0., 0.], [1., -1., 0.], [1., -1., 1.], [0., -1., 1.], [0., 0., 1.]];
const AXES: [Point; 6] = [[0., 1., 0.], [0., 0., 1.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.], [1., 0., 0.]];
/// Inertia of a bar about its own axis (kg m^2).
const AXIAL: f64 = 1e-3;

fn sub(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn add(a: Point, b: Point, scale: f64) -> Point {
    [a[0] + scale * b[0], a[1] + scale * b[1], a[2] + scale * b[2]]
}

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// v rotated by an angle about a unit axis.
fn turned(v: Point, axis: Point, angle: f64) -> Point {
    let (s, c) = angle.sin_cos();
    add(add([c * v[0], c * v[1], c * v[2]], cross(axis, v), s), axis, dot(axis, v) * (1.0 - c))
}

type Angles = [f64; 5];

/// The bars at given hinge angles: start, direction and hinge axis of each; the last axis must meet that of the fixed bar.
struct Loop {
    begin: [Point; 6],
    direction: [Point; 5],
    axis: [Point; 6],
}

impl Loop {
    fn at(angles: &Angles) -> Self {
        let mut own = Self { begin: [CORNERS[1]; 6], direction: [[0.0; 3]; 5], axis: [[0.0; 3]; 6] };
        // a vector fixed in bar k, rotated about the hinges from k down to the first, each taken in its initial place
        let carried = |v: Point, k: usize| (0..=k).rev().fold(v, |v, j| turned(v, AXES[j + 1], angles[j]));
        own.axis[0] = AXES[1];
        for k in 0..5 {
            own.direction[k] = carried(sub(CORNERS[(k + 2) % 6], CORNERS[k + 1]), k);
            own.begin[k + 1] = add(own.begin[k], own.direction[k], 1.0);
            own.axis[k + 1] = carried(AXES[(k + 2) % 6], k);
        }
        own
    }

    /// By how much the loop fails to close: the gap at the last corner, and the error of the last axis.
    fn gap(&self) -> [f64; 6] {
        let (p, n) = (sub(self.begin[5], CORNERS[0]), sub(self.axis[5], AXES[0]));
        [p[0], p[1], p[2], n[0], n[1], n[2]]
    }

    /// The derivative of the gap with respect to angle k.
    fn gap_slope(&self, k: usize) -> [f64; 6] {
        let (p, n) = (cross(self.axis[k], sub(self.begin[5], self.begin[k])), cross(self.axis[k], self.axis[5]));
        [p[0], p[1], p[2], n[0], n[1], n[2]]
    }

    fn potential(&self) -> f64 {
        (0..5).map(|k| G * (self.begin[k][1] + 0.5 * self.direction[k][1])).sum()
    }

    /// Twice the kinetic energy at these rates of the angles.
    fn mass(&self, rates: &Angles) -> f64 {
        let (mut spin, mut velocity, mut sum) = ([0.0; 3], [0.0; 3], 0.0);
        for (k, rate) in rates.iter().enumerate() {
            spin = add(spin, self.axis[k], *rate);
            let bar = cross(spin, self.direction[k]);
            let middle = add(velocity, bar, 0.5);
            let along = dot(spin, self.direction[k]);
            sum += dot(middle, middle) + (dot(spin, spin) - along * along) / 12.0 + AXIAL * along * along;
            velocity = add(velocity, bar, 1.0);
        }
        sum
    }
}

/// Solves a symmetric positive definite system by elimination.
fn solve(mut m: [Angles; 5], mut b: Angles) -> Angles {
    for k in 0..5 {
        for i in k + 1..5 {
            let f = m[i][k] / m[k][k];
            let pivot = m[k];
            for (entry, above) in m[i].iter_mut().zip(pivot).skip(k) {
                *entry -= f * above;
            }
            b[i] -= f * b[k];
        }
    }
    for k in (0..5).rev() {
        b[k] = (b[k] - (k + 1..5).map(|j| m[k][j] * b[j]).sum::<f64>()) / m[k][k];
    }
    b
}

/// `J^T J + shift t t^T` and `J^T c`.
fn normal(at: &Loop, t: &Angles, shift: [f64; 2]) -> ([Angles; 5], Angles) {
    let (slopes, gap): ([[f64; 6]; 5], _) = (core::array::from_fn(|k| at.gap_slope(k)), at.gap());
    let product = |a: &[f64; 6], b: &[f64; 6]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let m = core::array::from_fn(|i| {
        core::array::from_fn(|j| {
            product(&slopes[i], &slopes[j]) + shift[0] * t[i] * t[j] + if i == j { shift[1] } else { 0.0 }
        })
    });
    (m, core::array::from_fn(|i| product(&slopes[i], &gap)))
}

/// The angles of the closed loop nearest to these, found in directions across t.
fn closed(mut angles: Angles, t: &Angles) -> Angles {
    for _ in 0..4 {
        let (m, c) = normal(&Loop::at(&angles), t, [1.0, 0.0]);
        let step = solve(m, c);
        angles = core::array::from_fn(|i| angles[i] - step[i]);
    }
    angles
}

/// The one direction in which the closed loop can move, with the sign that agrees with t.
fn tangent(angles: &Angles, t: &Angles) -> Angles {
    let (m, _) = normal(&Loop::at(angles), t, [0.0, 1e-13]);
    let mut v = *t;
    for _ in 0..3 {
        v = solve(m, v);
        let size = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        v = v.map(|x| x / size);
    }
    let side: f64 = v.iter().zip(t).map(|(a, b)| a * b).sum();
    v.map(|x| x * side.signum())
}

/// The distance (rad) between the samples for a slope along the loop's curve.
const DIFFERENCE: f64 = 2e-3;

/// A04 (Bricard): the midpoints of the five bars after `time` seconds, released from the cube; and the change of energy (J).
pub(crate) fn bricard(time: f64, steps: usize) -> ([Point; 5], f64) {
    let first = tangent(&[0.0; 5], &[1.0, -0.5, 0.3, 0.7, 0.2]);
    let mut side = first;
    let energy = |x: &[f64; 6], t: &Angles| {
        let at = Loop::at(&core::array::from_fn(|i| x[i]));
        0.5 * at.mass(t) * x[5] * x[5] + at.potential()
    };
    let mut x = [0.0; 6];
    let start = energy(&x, &first);
    let h = time / steps as f64;
    for _ in 0..steps {
        // one coordinate s along the loop's curve of angles: (m s')' = m_s s'^2 / 2 - V_s, slopes by differences of order four
        x = runge_kutta(x, h, 1, |x| {
            let angles: Angles = core::array::from_fn(|i| x[i]);
            let t = tangent(&angles, &side);
            let sample = |e: f64| {
                let near = closed(core::array::from_fn(|i| angles[i] + e * t[i]), &t);
                let at = Loop::at(&near);
                (at.mass(&tangent_by(&near, &t)), at.potential())
            };
            let (a, b, c, d) =
                (sample(-2.0 * DIFFERENCE), sample(-DIFFERENCE), sample(DIFFERENCE), sample(2.0 * DIFFERENCE));
            let slope = |a: f64, b: f64, c: f64, d: f64| (a - d + 8.0 * (c - b)) / (12.0 * DIFFERENCE);
            let (mass, rate) = (Loop::at(&angles).mass(&t), x[5]);
            let push = -0.5 * slope(a.0, b.0, c.0, d.0) * rate * rate - slope(a.1, b.1, c.1, d.1);
            core::array::from_fn(|i| if i < 5 { t[i] * rate } else { push / mass })
        });
        let angles = closed(core::array::from_fn(|i| x[i]), &side);
        x[..5].copy_from_slice(&angles);
        side = tangent(&angles, &side);
    }
    let at = Loop::at(&core::array::from_fn(|i| x[i]));
    (core::array::from_fn(|k| add(at.begin[k], at.direction[k], 0.5)), energy(&x, &side) - start)
}

/// The tangent at the angles `near`, scaled to a unit component along t: the rate of the angles per distance along t.
fn tangent_by(near: &Angles, t: &Angles) -> Angles {
    let v = tangent(near, t);
    let along: f64 = v.iter().zip(t).map(|(a, b)| a * b).sum();
    v.map(|x| x / along)
}
