//! A spring and damper as soft rows.

use super::SpringDamper;
use super::anchor::Attachment;
use drystone_core::{ConstraintRow, Line, RowLimits, Softness};
use drystone_math::{Real, Twist, Vec3, bounded, tangent_basis};

impl SpringDamper {
    /// A row along a unit vector between two points, with an error.
    fn row(&self, [a, b]: [Attachment; 2], n: Vec3, error: Real, most: Real) -> ConstraintRow {
        let limits = RowLimits { lo: -most, hi: most };
        ConstraintRow {
            jacobian: [Twist::new(-n, -a.arm.cross(n)), Twist::new(n, b.arm.cross(n))],
            target: 0.0,
            error,
            curvature: n.dot(b.acceleration() - a.acceleration()),
            limits,
            softness: Softness::Spring { stiffness: self.stiffness, damping: self.damping },
            restitution: 0.0,
            correctable: false,
            line: None,
        }
    }

    /// The row of a spring with a rest length: along the line between the points, if they are apart.
    pub(super) fn along(&self, [a, b]: [Attachment; 2]) -> Option<ConstraintRow> {
        let offset = b.point - a.point;
        let length = offset.length();
        let n = offset.normalize_or_zero();
        if n == Vec3::ZERO {
            return None;
        }
        let mut row = self.row([a, b], n, length - self.rest_length, self.max_force);
        let rate = b.velocity - a.velocity;
        // the line turns as well
        row.curvature += (rate.length_squared() - n.dot(rate).powi(2)) / length;
        row.line = Some(Line { arms: [a.arm, b.arm], gap: offset });
        Some(row)
    }

    /// The rows of a spring without a rest length, whose offset is a vector.
    ///
    /// The bounds of three rows form a box, whereas the largest force is a ball: the box has a corner on it, and room for the present force along its first
    /// edge.
    pub(super) fn isotropic(&self, [a, b]: [Attachment; 2], rows: &mut Vec<ConstraintRow>) {
        let (offset, rate) = (b.point - a.point, b.velocity - a.velocity);
        let force = offset * self.stiffness + rate * self.damping;
        let most = self.max_force;
        let axes = if most.is_finite() && force != Vec3::ZERO && force.is_finite() {
            let n = force.normalize();
            let (t, s) = tangent_basis(n);
            [n, t, s]
        } else {
            Vec3::AXES
        };
        let first = if most.is_finite() { bounded(force.length(), most / Real::sqrt(3.0), most) } else { most };
        let others = if most.is_finite() { (0.5 * (most * most - first * first)).max(0.0).sqrt() } else { most };
        for (n, most) in axes.into_iter().zip([first, others, others]) {
            // a row without force would only ask for rounding
            if most > 0.0 {
                rows.push(self.row([a, b], n, n.dot(offset), most));
            }
        }
    }
}
