use super::{Law, approach, split};
use drystone_core::catalogue::Implementation;
use drystone_core::{CollisionLaw, ImpactContact};
use drystone_math::{Mat3, Real, Vec2, Vec3, tangent_basis};

/// The incremental law: Coulomb friction and Poisson's hypothesis followed through an impact of no duration.
///
/// With the normal impulse p as the clock, the relative velocity obeys `du/dp = K (n - mu s)` while it slips in direction
/// s. When the slip stops, it sticks if the cone holds it; otherwise it leaves along the one ray on which sliding goes
/// on. Compression lasts until the normal velocity is zero, restitution until p has grown by e times its value in
/// compression.
///
/// # Cost
/// Some hundred evaluations of a 3x3 product for an impact that slides.
///
/// # Source
/// D-09; Mirtich and Canny 1995, section 3; Bhatt and Koechling 1995 for the ray. Integrated by RK4 in steps in which the
/// slip changes by an eighth of itself; sticking and the ray are in closed form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RouthMirtich;

impl RouthMirtich {
    /// Name and source.
    pub const DESCRIPTION: Implementation = Implementation {
        name: Law::RouthMirtich.name(),
        summary: "incremental: Coulomb friction integrated through compression and restitution; e applies to the impulse",
        source: "Mirtich and Canny 1995; Routh; Bhatt and Koechling 1995",
        parameters: &[],
    };
}

/// Fraction of the slip by which it may change in one integration step.
const STEP: Real = 0.125;
/// Slip below this fraction of the initial velocity has stopped.
const STOPPED: Real = 1e-9;
/// Most steps in a phase: a slip that shrinks by [`STEP`] per step has stopped after some 160.
const MOST_STEPS: usize = 1000;

/// K in the contact frame (t1, t2, n), and the friction coefficient.
struct Impact {
    tangent: [Vec2; 2],
    coupling: Vec2,
    normal: Real,
    mu: Real,
    stopped: Real,
}

/// Relative velocity and impulse in the contact frame.
#[derive(Clone, Copy)]
struct Progress {
    slip: Vec2,
    approach: Real,
    tangential: Vec2,
    normal: Real,
}

impl Progress {
    /// Rest of the normal impulse in a phase if the rates stay as they are.
    fn remaining(&self, end: End, rate: Real) -> Real {
        match end {
            End::Impulse(p) => p - self.normal,
            End::Compression if rate > 0.0 => -self.approach / rate,
            End::Compression => Real::INFINITY,
        }
    }
}

/// End of a phase.
#[derive(Clone, Copy)]
enum End {
    /// The normal velocity is zero.
    Compression,
    /// The normal impulse has this value.
    Impulse(Real),
}

impl Impact {
    fn tangent_times(&self, v: Vec2) -> Vec2 {
        Vec2::new(self.tangent[0].dot(v), self.tangent[1].dot(v))
    }

    /// `du/dp` under the friction ratio f (tangential per normal impulse): tangential and normal part.
    fn rate(&self, f: Vec2) -> (Vec2, Real) {
        (self.coupling + self.tangent_times(f), self.normal + self.coupling.dot(f))
    }

    /// Solves `(scale K_t + shift 1) x = K_tn`.
    fn solve(&self, scale: Real, shift: Real) -> Vec2 {
        let (a, b, d) =
            (scale * self.tangent[0].x + shift, scale * self.tangent[0].y, scale * self.tangent[1].y + shift);
        let det = a * d - b * b;
        if det > 0.0 {
            Vec2::new(d * self.coupling.x - b * self.coupling.y, a * self.coupling.y - b * self.coupling.x) / det
        } else {
            Vec2::ZERO
        }
    }

    /// The friction ratio without slip: that of sticking if the cone holds it, otherwise against the ray along which
    /// sliding goes on.
    ///
    /// The ray's direction s is where `K_tn - mu K_t s` is parallel to s: the maximum over the unit disc of a concave
    /// function, found from its multiplier, with which the length of the maximiser decreases.
    fn ratio_at_rest(&self) -> Vec2 {
        let hold = -self.solve(1.0, 0.0);
        if hold.length() <= self.mu {
            return hold;
        }
        if self.mu <= 0.0 {
            return Vec2::ZERO;
        }
        let (mut low, mut high) = (0.0, self.coupling.length());
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if self.solve(self.mu, middle).length() > 1.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        -self.solve(self.mu, high).normalize_or_zero() * self.mu
    }

    /// Moves on by dp under a constant friction ratio.
    fn advance(&self, at: &Progress, f: Vec2, dp: Real) -> Progress {
        let (slip, approach) = self.rate(f);
        Progress {
            slip: at.slip + slip * dp,
            approach: at.approach + approach * dp,
            tangential: at.tangential + f * dp,
            normal: at.normal + dp,
        }
    }

    /// One classical Runge-Kutta step while slipping.
    fn slide(&self, at: &Progress, dp: Real) -> Progress {
        let f = |slip: Vec2| -slip.normalize_or_zero() * self.mu;
        let k1 = f(at.slip);
        let k2 = f(at.slip + self.rate(k1).0 * (0.5 * dp));
        let k3 = f(at.slip + self.rate(k2).0 * (0.5 * dp));
        let k4 = f(at.slip + self.rate(k3).0 * dp);
        // friction stays in its cone: the mean of four ratios is no longer than mu.
        self.advance(at, (k1 + (k2 + k3) * 2.0 + k4) / 6.0, dp)
    }

    fn phase(&self, mut at: Progress, end: End) -> Progress {
        for _ in 0..MOST_STEPS {
            let speed = at.slip.length();
            if speed <= self.stopped {
                break;
            }
            let (slip_rate, rate) = self.rate(at.slip * (-self.mu / speed));
            let remaining = at.remaining(end, rate);
            if remaining <= 0.0 {
                return at;
            }
            let step = STEP * speed / slip_rate.length();
            if remaining <= step {
                let next = self.slide(&at, remaining);
                // the rates change a little within the step: the rest of compression takes a smaller step
                if matches!(end, End::Impulse(_)) || next.approach >= -STOPPED * self.stopped {
                    return next;
                }
                at = next;
            } else {
                at = self.slide(&at, step);
            }
        }
        // no slip, or a ray: constant rates to the end of the phase
        let f = self.ratio_at_rest();
        let remaining = at.remaining(end, self.rate(f).1);
        if remaining.is_finite() && remaining > 0.0 { self.advance(&at, f, remaining) } else { at }
    }
}

impl CollisionLaw for RouthMirtich {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn impulse(&self, c: &ImpactContact) -> Vec3 {
        let Some((approach, _)) = approach(c) else { return Vec3::ZERO };
        let (t1, t2) = tangent_basis(c.normal);
        let frame = Mat3::from_cols(t1, t2, c.normal);
        let k = frame.transpose() * c.collision_matrix * frame;
        let (_, slip) = split(c.relative_velocity, c.normal);
        let impact = Impact {
            tangent: [Vec2::new(k.x_axis.x, k.x_axis.y), Vec2::new(k.y_axis.x, k.y_axis.y)],
            coupling: Vec2::new(k.z_axis.x, k.z_axis.y),
            normal: k.z_axis.z,
            mu: c.friction.max(0.0),
            stopped: STOPPED * c.relative_velocity.length(),
        };
        let start =
            Progress { slip: Vec2::new(t1.dot(slip), t2.dot(slip)), approach, tangential: Vec2::ZERO, normal: 0.0 };
        let compressed = impact.phase(start, End::Compression);
        let done = impact.phase(compressed, End::Impulse((1.0 + c.restitution) * compressed.normal));
        frame * Vec3::new(done.tangential.x, done.tangential.y, done.normal)
    }
}
