use drystone_math::{Real, bounded};

/// Largest number of rows of a contact: the normal, two tangents, spinning, two of rolling.
pub(super) const MOST: usize = 6;

/// The cost of a contact in an elliptic cone, as a function of the residual velocity y of its rows, the normal first.
///
/// `s(y) = max over f in K of -f . y - f^T R f / 2`, K the cone `sum (f_i / mu_i)^2 <= f_0^2`. R is chosen such that `R_i mu_i^2` is the same for all
/// rows of friction: scaled by mu, the cone is then a circular one of slope `m`, and s has three pieces in closed form. At the top (the contact opens)
/// it is zero, at the bottom (it sticks) a quadratic, and between (it slides) the square of the distance from the top along the cone's surface.
///
/// # Source
/// Todorov 2014, section IV; MuJoCo's documentation, chapter Computation, section Friction cones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct EllipticCone {
    /// Number of rows, the normal included.
    pub(super) rows: usize,
    /// Regularisation of the normal row (1/kg).
    pub(super) softness: Real,
    /// Slope of the scaled cone.
    pub(super) slope: Real,
    /// `mu_i / m` of the rows after the normal.
    pub(super) scale: [Real; MOST - 1],
}

/// The piece of the cost that a residual is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Zone {
    /// The contact opens.
    Top,
    /// It slides.
    Middle,
    /// It sticks.
    Bottom,
}

/// A residual in the scaled cone.
#[derive(Debug, Clone, Copy)]
struct Scaled {
    normal: Real,
    tangent: [Real; MOST - 1],
    length: Real,
    zone: Zone,
}

impl EllipticCone {
    /// The cone of a normal row of regularisation `softness` and rows of friction with these coefficients; the row with the largest one is `ratio`
    /// times as stiff as the normal.
    pub(super) fn new(softness: Real, coefficients: &[Real], ratio: Real) -> Self {
        let largest = coefficients.iter().fold(0.0, |m: Real, mu| m.max(*mu));
        let slope = largest / ratio.sqrt();
        let mut scale = [0.0; MOST - 1];
        if slope > 0.0 {
            for (s, mu) in scale.iter_mut().zip(coefficients) {
                *s = mu / slope;
            }
        }
        Self { rows: 1 + coefficients.len(), softness, slope, scale }
    }

    fn scaled(&self, y: &[Real]) -> Scaled {
        let mut tangent = [0.0; MOST - 1];
        let mut square = 0.0;
        for ((t, y), s) in tangent.iter_mut().zip(&y[1..self.rows]).zip(&self.scale) {
            *t = s * y;
            square += *t * *t;
        }
        let (normal, length) = (y[0], square.sqrt());
        let zone = if normal >= self.slope * length {
            Zone::Top
        } else if self.slope * normal + length <= 0.0 {
            Zone::Bottom
        } else {
            Zone::Middle
        };
        Scaled { normal, tangent, length, zone }
    }

    /// The slip rates of the rows of friction times their coefficients: the speed at which a sliding contact opens in the convex problem (m/s).
    pub(super) fn dilation(&self, y: &[Real]) -> Real {
        self.slope * self.scaled(y).length
    }

    /// s(y), times the mass that it refers to (J).
    pub(super) fn cost(&self, y: &[Real]) -> Real {
        let at = self.scaled(y);
        match at.zone {
            Zone::Top => 0.0,
            Zone::Bottom => 0.5 * (at.normal * at.normal + at.length * at.length) / self.softness,
            Zone::Middle => {
                let off = at.normal - self.slope * at.length;
                0.5 * off * off / (self.softness * (1.0 + self.slope * self.slope))
            }
        }
    }

    /// The impulses `-ds/dy`.
    pub(super) fn impulses(&self, y: &[Real], f: &mut [Real]) -> Zone {
        let at = self.scaled(y);
        let (normal, along) = match at.zone {
            Zone::Top => (0.0, 0.0),
            Zone::Bottom => (-at.normal / self.softness, -1.0 / self.softness),
            Zone::Middle => {
                let off = self.slope * at.length - at.normal;
                let normal = off / (self.softness * (1.0 + self.slope * self.slope));
                (normal, -self.slope * normal / at.length)
            }
        };
        f[0] = normal;
        for ((f, t), s) in f[1..self.rows].iter_mut().zip(&at.tangent).zip(&self.scale) {
            *f = s * along * t;
        }
        at.zone
    }

    /// The second derivatives of s; false if they are all zero.
    pub(super) fn curvature(&self, y: &[Real], h: &mut [[Real; MOST]; MOST]) -> bool {
        let at = self.scaled(y);
        let n = self.rows;
        let stiff = 1.0 / self.softness;
        // in terms of the scaled residual: h_00, and h_0i = cross t_i, h_ij = outer t_i t_j + equal delta_ij
        let (first, cross, outer, equal) = match at.zone {
            Zone::Top => return false,
            Zone::Bottom => (stiff, 0.0, 0.0, stiff),
            Zone::Middle => {
                let (m, k) = (self.slope, stiff / (1.0 + self.slope * self.slope));
                let (unit, bend) = (1.0 / at.length, k * (m * at.length - at.normal) * m / at.length);
                (k, -k * m * unit, (k * m * m - bend) * unit * unit, bend)
            }
        };
        h[0][0] = first;
        for i in 1..n {
            let (t, s) = (at.tangent[i - 1], self.scale[i - 1]);
            h[0][i] = cross * t * s;
            h[i][0] = h[0][i];
            for j in 1..n {
                let same = if i == j { equal } else { 0.0 };
                h[i][j] = (outer * t * at.tangent[j - 1] + same) * s * self.scale[j - 1];
            }
        }
        true
    }
}

/// The cost of a row with a bounded multiplier: `max over lo <= f <= hi of -f y - R f^2 / 2`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BoundedRow {
    /// Regularisation R.
    pub(super) softness: Real,
    /// Bounds of the impulse.
    pub(super) bounds: (Real, Real),
}

impl BoundedRow {
    /// The impulse, and whether it is within its bounds.
    pub(super) fn impulse(&self, y: Real) -> (Real, bool) {
        let free = -y / self.softness;
        let f = bounded(free, self.bounds.0, self.bounds.1);
        (f, f == free)
    }

    /// s(y).
    pub(super) fn cost(&self, y: Real) -> Real {
        let f = self.impulse(y).0;
        -f * (y + 0.5 * self.softness * f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_lcp::SplitMix64;

    fn cones() -> Vec<EllipticCone> {
        vec![
            EllipticCone::new(0.3, &[], 1.0),
            EllipticCone::new(0.01, &[0.5, 0.5], 1.0),
            EllipticCone::new(2.0, &[0.2, 0.9], 4.0),
            EllipticCone::new(0.1, &[0.7, 0.7, 0.05, 0.01, 0.01], 1.0),
        ]
    }

    fn residual(random: &mut SplitMix64, cone: &EllipticCone) -> Vec<Real> {
        (0..cone.rows).map(|_| 2.0 * random.unit() - 1.0).collect()
    }

    #[test]
    fn impulses_and_curvature_are_the_derivatives_of_the_cost() {
        let mut random = SplitMix64::new(5);
        let mut met = [0; 3];
        for cone in cones() {
            for _ in 0..300 {
                let y = residual(&mut random, &cone);
                let (mut f, mut h) = ([0.0; MOST], [[0.0; MOST]; MOST]);
                let zone = cone.impulses(&y, &mut f);
                met[zone as usize] += 1;
                if !cone.curvature(&y, &mut h) {
                    h = [[0.0; MOST]; MOST];
                }
                for i in 0..cone.rows {
                    let step = 1e-6;
                    let at = |d: Real| {
                        let mut y = y.clone();
                        y[i] += d;
                        let mut f = [0.0; MOST];
                        let same = cone.impulses(&y, &mut f) == zone;
                        (cone.cost(&y), f, same)
                    };
                    let (low, high) = (at(-step), at(step));
                    if !(low.2 && high.2) {
                        continue;
                    }
                    let slope = (high.0 - low.0) / (2.0 * step);
                    assert!((slope + f[i]).abs() < 1e-6 * (1.0 + f[i].abs()), "{slope} {}", f[i]);
                    for j in 0..cone.rows {
                        let bend = -(high.1[j] - low.1[j]) / (2.0 * step);
                        assert!((bend - h[i][j]).abs() < 1e-3 * (1.0 + h[i][j].abs()), "{bend} {}", h[i][j]);
                    }
                }
            }
        }
        assert!(met.iter().all(|&count| count > 50), "{met:?}");
    }

    #[test]
    fn impulses_are_the_best_in_the_cone() {
        let mut random = SplitMix64::new(9);
        for cone in cones() {
            let softness: Vec<Real> = (0..cone.rows)
                .map(|i| if i == 0 { cone.softness } else { cone.softness / (cone.scale[i - 1] * cone.scale[i - 1]) })
                .collect();
            let gain = |f: &[Real], y: &[Real]| -> Real {
                f.iter().zip(y).zip(&softness).map(|((f, y), r)| -f * y - 0.5 * r * f * f).sum()
            };
            for _ in 0..200 {
                let y = residual(&mut random, &cone);
                let mut f = vec![0.0; MOST];
                cone.impulses(&y, &mut f);
                let best = gain(&f, &y);
                assert!((best - cone.cost(&y)).abs() < 1e-12 * (1.0 + best), "{best}");
                let inside = |f: &[Real]| {
                    let across =
                        (1..cone.rows).map(|i| (f[i] / (cone.scale[i - 1] * cone.slope)).powi(2)).sum::<Real>();
                    across.sqrt() <= f[0] * (1.0 + 1e-12) + 1e-300
                };
                assert!(inside(&f), "{f:?}");
                for _ in 0..20 {
                    let other: Vec<Real> = f.iter().map(|f| f + 0.3 * (2.0 * random.unit() - 1.0)).collect();
                    assert!(!inside(&other) || gain(&other, &y) <= best + 1e-12);
                }
            }
        }
    }
}
