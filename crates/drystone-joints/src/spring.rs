use drystone_math::Real;

/// The `(erp, cfm)` of a row that is a spring and damper taken implicitly over a step of `h` seconds.
///
/// `stiffness` k in N/m (or N m/rad), `damping` c in N s/m (or N m s/rad), not both zero; cfm in m/N (or rad/(N m)).
/// The force `-k x+ - c v+` of the end of the step gives `erp = h k / (h k + c)`, `cfm = h / (h k + c)`. A spring without
/// damping is `erp = 1, cfm = 1 / k` at any step.
///
/// # Source
/// E-33. The scaling is that of [`drystone_core::ConstraintRow`]: `J u + cfm F / h = target - erp error / h`, F a force.
pub fn row_of_spring(stiffness: Real, damping: Real, h: Real) -> (Real, Real) {
    let total = h * stiffness + damping;
    (h * stiffness / total, h / total)
}

/// The `(stiffness, damping)` that a row with `erp` and `cfm` (above zero) stands for over a step of `h` seconds.
pub fn spring_of_row(erp: Real, cfm: Real, h: Real) -> (Real, Real) {
    (erp / cfm, (1.0 - erp) * h / cfm)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_the_implicit_spring() {
        let (k, c, h, mass) = (300.0, 4.0, 0.01, 2.0);
        let (erp, cfm) = row_of_spring(k, c, h);
        let back = spring_of_row(erp, cfm, h);
        assert!((back.0 - k).abs() < 1e-10 && (back.1 - c).abs() < 1e-10);

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
        let (erp, cfm) = row_of_spring(300.0, 4.0, 0.01);
        // at rest: cfm F / h = -erp x / h
        assert!((cfm * 6.0 / erp - 6.0 / 300.0).abs() < 1e-15);
        assert_eq!(row_of_spring(50.0, 0.0, 0.01).0, 1.0);
    }
}
