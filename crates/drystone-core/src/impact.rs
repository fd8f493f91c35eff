use drystone_math::Real;

/// Surfaces closer than this touch (m): the error that a projection leaves.
pub const TOUCHING: Real = 1e-6;

/// Closing motion of a contact along its normal until the next solve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closing {
    /// Signed distance at present (m).
    pub gap: Real,
    /// Normal velocity before external forces (m/s), negative if the bodies approach.
    pub before: Real,
    /// The same after the external forces of the whole step (m/s).
    pub after: Real,
    /// Time until the next solve (s), above zero.
    pub horizon: Real,
}

/// The instant at which two surfaces meet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Impact {
    /// When, as a fraction of the horizon, in `[0, 1]`; zero if they touch.
    pub at: Real,
    /// Normal velocity then (m/s), negative.
    pub approach: Real,
}

impl Closing {
    /// Returns true if the surfaces touch or overlap.
    pub fn is_touching(&self) -> bool {
        self.gap <= TOUCHING
    }

    /// When the gap closes, as a fraction of the horizon; `None` if it stays open.
    ///
    /// In schemes with constant steps, velocities belong to the middle of a drift: at a solve the bodies have the mean of the velocities before and after the
    /// forces. The parabola from there meets the surface within the horizon exactly if the velocity after the forces closes the gap.
    pub fn arrival(&self) -> Option<Real> {
        let Self { gap, before, after, horizon } = *self;
        if gap <= 0.0 {
            return Some(0.0);
        }
        if gap + after * horizon > 0.0 {
            return None;
        }
        // gap + a t + b t^2 = 0 in fractions t of the horizon
        let (a, b) = (0.5 * (before + after) * horizon, 0.5 * (after - before) * horizon);
        let root = (a * a - 4.0 * b * gap).max(0.0).sqrt();
        Some((2.0 * gap / (root - a)).clamp(0.0, 1.0))
    }

    /// By how much the gap has closed at a fraction `at` of the horizon.
    pub fn gap_closed_by(&self, at: Real) -> Real {
        let Self { before, after, horizon, .. } = *self;
        -0.5 * at * horizon * (before + after + at * (after - before))
    }

    /// The one answer to *what is an impact* (D-01), for constraint and collision solvers alike: a contact that touches, or one that bounces (`restitution`
    /// above zero) and arrives within the horizon, and that in either case approaches faster than `resting` (m/s), both now and when the surfaces meet. A
    /// contact that arrives without a bounce is no impact: the constraint solver lets it close its gap and no more.
    pub fn impact(&self, restitution: Real, resting: Real) -> Option<Impact> {
        let impact = if self.is_touching() {
            // what rests on a surface is held up by it: external forces do not make it fall
            Impact { at: 0.0, approach: self.before }
        } else if restitution > 0.0 {
            let at = self.arrival()?;
            Impact { at, approach: self.before + self.force_until(at) }
        } else {
            return None;
        };
        (impact.approach.max(self.before) < -resting).then_some(impact)
    }

    /// Velocity that external forces add to [`Self::before`] until a fraction `at` of the horizon: half of a step's
    /// velocity change belongs to the half drift before the solve.
    pub fn force_until(&self, at: Real) -> Real {
        (0.5 + at) * (self.after - self.before)
    }

    /// The normal velocity of [`Self::after`]'s kind that leads to the velocity `leaving` (m/s) right after an impact.
    pub fn velocity_for(&self, impact: &Impact, leaving: Real) -> Real {
        if self.is_touching() { leaving } else { leaving + (0.5 - impact.at) * (self.after - self.before) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ball thrown down at `speed` from `gap` above a floor, in steps of `h`.
    fn falling(gap: Real, speed: Real, h: Real) -> Closing {
        Closing { gap, before: -speed, after: -speed - 9.81 * h, horizon: h }
    }

    #[test]
    fn arrives_where_the_parabola_meets_the_surface() {
        let h = 0.02;
        for (gap, speed) in [(0.1, 10.0), (0.001, 0.0), (0.0015, -0.08), (0.19, 9.5)] {
            let c = falling(gap, speed, h);
            let t = c.arrival().unwrap() * h;
            let start = c.before - 0.5 * 9.81 * h;
            assert!((gap + start * t - 0.5 * 9.81 * t * t).abs() < 1e-15, "{gap} {speed}");
            assert!((c.before + c.force_until(t / h) - (start - 9.81 * t)).abs() < 1e-14);
            assert!((c.gap_closed_by(t / h) - gap).abs() < 1e-15);
            assert_eq!(c.impact(0.5, 0.0).is_some(), speed > 0.0);
        }
        assert_eq!(falling(0.3, 10.0, h).arrival(), None);
    }

    #[test]
    fn plastic_arrivals_and_slow_touches_are_no_impacts() {
        let h = 0.01;
        assert_eq!(falling(0.01, 5.0, h).impact(0.0, 0.0), None);
        assert!(falling(0.01, 5.0, h).impact(0.5, 0.0).is_some());
        assert_eq!(falling(0.0, 5.0, h).impact(0.0, 0.1), Some(Impact { at: 0.0, approach: -5.0 }));
        assert_eq!(falling(0.0, 0.05, h).impact(0.5, 0.1), None);
        assert_eq!(falling(-0.01, -1.0, h).impact(0.5, 0.0), None);
    }

    /// D-01: colliding, resting, separating, on both sides of the tolerance.
    #[test]
    fn what_touches_collides_beyond_the_tolerance_and_no_sooner() {
        let (tolerance, h) = (0.1, 0.01);
        for gap in [-1e-3, 0.0, TOUCHING] {
            for restitution in [0.0, 0.5] {
                let collides = |speed| falling(gap, speed, h).impact(restitution, tolerance);
                assert_eq!(collides(1.01 * tolerance).map(|i| i.at), Some(0.0));
                assert_eq!([0.99, 0.0, -0.99, -1.01].map(|part| collides(part * tolerance)), [None; 4]);
            }
        }
    }

    #[test]
    fn a_velocity_after_an_elastic_impact_keeps_the_discrete_energy() {
        // v^2 / 2 + g x - g h v / 2 is conserved by semi-implicit Euler in free flight
        let (h, g) = (0.02, 9.81);
        let c = falling(0.1, 10.0, h);
        let i = c.impact(1.0, 0.0).unwrap();
        let v = c.velocity_for(&i, -i.approach);
        let x = i.at * h * c.after + (1.0 - i.at) * h * v + c.gap;
        let energy = |x: Real, v: Real| 0.5 * v * v + g * x - 0.5 * g * h * v;
        assert!((energy(x, v) - energy(c.gap, c.before)).abs() < 1e-12);
    }
}
