use drystone_math::{Real, Vec3};

/// The work that contacts do in an impact, along the way from an answer without restitution to one with it.
///
/// Newton's law with friction may give back more energy than it took, if friction reverses the slip that fed the compression. The energetic law (the
/// coefficient of restitution squared is the fraction of the work of compression that comes back) cannot. Both answers fulfil the contacts' conditions, and so
/// does every answer between them; the work along the way is a quadratic in the fraction s of restitution that is given.
///
/// # Source
/// W. J. Stronge, "Rigid body collisions with friction", 1990, for the energetic coefficient. Differs in: the bound is on the contacts of a
/// group together, friction included, and the answer is Newton's scaled back to it, exact if it is not reached.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ImpactWork {
    /// Work without restitution (J).
    plastic: Real,
    linear: Real,
    square: Real,
    /// The largest work that is allowed (J).
    bound: Real,
    /// The additional work of the rows that hold joints, compared with no restitution (J): the coefficients of s and of its square.
    held: [Real; 2],
}

/// Rounding that is no gain, as a fraction of the work of compression.
const ROUNDING: Real = 1e-9;

impl ImpactWork {
    /// Adds a contact: its impulse without and with restitution, its relative velocity before the impact and after it without and with
    /// restitution (all in any one orthonormal basis), and the coefficient of restitution.
    pub fn add(&mut self, impulse: [Vec3; 2], before: Vec3, after: [Vec3; 2], restitution: Real) {
        let (p, dp) = (impulse[0], impulse[1] - impulse[0]);
        let (u, du) = (before + after[0], after[1] - after[0]);
        let plastic = 0.5 * p.dot(u);
        self.plastic += plastic;
        self.linear += 0.5 * (dp.dot(u) + p.dot(du));
        self.square += 0.5 * dp.dot(du);
        self.bound += (1.0 - restitution * restitution) * plastic;
    }

    /// Adds a row that holds a joint: its impulse without and with restitution, its rate before the step and after it without and with restitution.
    ///
    /// If the step resolves how the joint turns, the rates before and after are mirror images of each other, and the row does no work. If it does not, the
    /// impulse of an impact meets what is left of them: a joint under a contact that friction jams gave back as much as friction took, and more.
    pub fn add_held(&mut self, impulse: [Real; 2], before: Real, after: [Real; 2]) {
        let (p, dp) = (impulse[0], impulse[1] - impulse[0]);
        let (u, du) = (before + after[0], after[1] - after[0]);
        self.held[0] += 0.5 * (dp * u + p * du);
        self.held[1] += 0.5 * dp * du;
    }

    /// The largest fraction of restitution, in `[0, 1]`, with which the contacts give back no more than the coefficients of restitution allow, and no energy in
    /// total: both alone, and together with what joints do because of it.
    pub fn fraction(&self) -> Real {
        let [linear, square] = self.held;
        let with_joints = Self { linear: self.linear + linear, square: self.square + square, ..*self };
        self.contacts_fraction().min(with_joints.contacts_fraction())
    }

    fn contacts_fraction(&self) -> Real {
        let slack = ROUNDING * self.plastic.abs();
        let bound = self.bound.min(0.0) + slack;
        let c = self.plastic - bound;
        if c + self.linear + self.square <= 0.0 {
            return 1.0;
        }
        if c >= 0.0 {
            return 0.0;
        }
        // c < 0 at s = 0 and above zero at s = 1: one root between, in the form without cancellation
        let root = (self.linear * self.linear - 4.0 * self.square * c).max(0.0).sqrt();
        let s = if self.linear > 0.0 {
            -2.0 * c / (self.linear + root)
        } else {
            (root - self.linear) / (2.0 * self.square)
        };
        if s.is_finite() { s.clamp(0.0, 1.0) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn central_impacts_are_newtons() {
        // 2 kg at -3 m/s, any e
        for e in [0.0, 0.3, 1.0] {
            let mut work = ImpactWork::default();
            let v = Vec3::NEG_Y * 3.0;
            work.add([Vec3::Y * 6.0, Vec3::Y * 6.0 * (1.0 + e)], v, [Vec3::ZERO, Vec3::Y * 3.0 * e], e);
            assert_eq!(work.fraction(), 1.0, "{e}");
        }
    }

    #[test]
    fn joints_that_would_give_limit_restitution_and_those_that_take_do_not_widen_it() {
        let (before, after) = (Vec3::NEG_Y, [Vec3::ZERO, Vec3::Y]);
        let of = |joint: Real| {
            let mut work = ImpactWork::default();
            work.add([Vec3::Y, Vec3::Y * 2.0], before, after, 1.0);
            work.add_held([3.0, 3.0 + joint], 0.7, [-0.3, -0.3]);
            work.fraction()
        };
        assert_eq!(of(0.0), 1.0);
        assert_eq!(of(-0.5), 1.0);
        // contacts: s^2 / 2 - 1 / 2; the joint: 0.2 s joint
        let s = of(1.0);
        assert!((0.5 * (s * s - 1.0) + 0.2 * s).abs() < 1e-8 && s > 0.0, "{s}");
    }

    #[test]
    fn what_gains_is_scaled_back_to_the_bound() {
        let (before, after) = (Vec3::NEG_Y, [Vec3::ZERO, Vec3::Y * 2.0]);
        let impulse = [Vec3::Y, Vec3::Y * 3.0];
        let mut work = ImpactWork::default();
        work.add(impulse, before, after, 0.5);
        let s = work.fraction();
        let at = |s: Real| {
            0.5 * (impulse[0] + (impulse[1] - impulse[0]) * s).dot(before + after[0] + (after[1] - after[0]) * s)
        };
        assert!(at(1.0) > 0.0 && s > 0.0 && s < 1.0);
        assert!((at(s) - 0.75 * at(0.0)).abs() < 1e-8, "{s}: {} {}", at(s), at(0.0));
    }
}
