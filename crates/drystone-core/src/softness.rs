use drystone_math::Real;

/// Compliance of a row.
///
/// # Source
/// B-32, E-33. The scaling is that of [`crate::ConstraintRow`]: `J u + cfm F / h = target - erp error / h`, F a force.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Softness {
    /// The same numbers at any step.
    Fixed {
        /// Error reduction parameter, in `[0, 1]`: the fraction of the error taken out per step by stabilization.
        erp: Real,
        /// Constraint force mixing (m/N or rad/(N m)): under a steady force F the error is `cfm F / erp`, and grows without bound if
        /// `erp` is zero. Zero is rigid.
        cfm: Real,
    },
    /// A spring and damper, not both zero, taken implicitly over whatever step the row is solved with: the force
    /// `-k x+ - c v+` of the end of the step.
    Spring {
        /// k in N/m (or N m/rad).
        stiffness: Real,
        /// c in N s/m (or N m s/rad).
        damping: Real,
    },
}

impl Softness {
    /// Not soft, and it takes out no error.
    pub const RIGID: Self = Self::Fixed { erp: 0.0, cfm: 0.0 };

    /// Returns true if the row yields to a force.
    pub fn is_soft(&self) -> bool {
        match *self {
            Self::Fixed { cfm, .. } => cfm > 0.0,
            Self::Spring { .. } => true,
        }
    }

    /// The `(erp, cfm)` over a step of `h` seconds, above zero. A spring's are `erp = h k / (h k + c)` and
    /// `cfm = h / (h k + c)`; without damping `erp = 1, cfm = 1 / k` at any step.
    pub fn over(&self, h: Real) -> (Real, Real) {
        match *self {
            Self::Fixed { erp, cfm } => (erp, cfm),
            Self::Spring { stiffness, damping } => {
                let total = h * stiffness + damping;
                (h * stiffness / total, h / total)
            }
        }
    }

    /// The spring and damper that it stands for over a step of `h` seconds; `None` if it is rigid.
    pub fn as_spring(&self, h: Real) -> Option<Self> {
        match *self {
            Self::Fixed { erp, cfm } => {
                (cfm > 0.0).then(|| Self::Spring { stiffness: erp / cfm, damping: (1.0 - erp) * h / cfm })
            }
            spring @ Self::Spring { .. } => Some(spring),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_the_implicit_spring() {
        let (k, c, h, mass) = (300.0, 4.0, 0.01, 2.0);
        let spring = Softness::Spring { stiffness: k, damping: c };
        let (erp, cfm) = spring.over(h);
        let Some(Softness::Spring { stiffness, damping }) = (Softness::Fixed { erp, cfm }).as_spring(h) else {
            panic!("not a spring");
        };
        assert!((stiffness - k).abs() < 1e-10 && (damping - c).abs() < 1e-10);
        assert_eq!(spring.as_spring(h), Some(spring));

        // one body on one row: v+ = v + h F / m with v+ + cfm F / h = -erp x / h
        let (x, v) = (0.2, -1.5);
        let force = (-erp * x / h - v) / (h / mass + cfm / h);
        let next = v + h * force / mass;
        // implicit Euler of the same spring
        let implicit = (v - h * k * x / mass) / (1.0 + h * c / mass + h * h * k / mass);
        assert!((next - implicit).abs() < 1e-13, "{next} {implicit}");
    }

    #[test]
    fn steady_violation_is_the_force_over_the_stiffness() {
        let (erp, cfm) = Softness::Spring { stiffness: 300.0, damping: 4.0 }.over(0.01);
        // at rest: cfm F / h = -erp x / h
        assert!((cfm * 6.0 / erp - 6.0 / 300.0).abs() < 1e-15);
        assert_eq!(Softness::Spring { stiffness: 50.0, damping: 0.0 }.over(0.3).0, 1.0);
        assert_eq!(Softness::RIGID.as_spring(0.01), None);
    }
}
