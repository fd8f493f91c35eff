//! The resistance of a rope or rod under tension at its ends, other than along its length.

use crate::row::Row;
use crate::stiffness_weight::weight;
use drystone_core::{ConstraintRow, GroupProblem, GroupRow, Line, RowLimits, Softness};
use drystone_math::{Real, Twist, Vec3, tangent_basis};

/// A joint along a line, under tension.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Taut {
    bodies: [u32; 2],
    line: Line,
    /// From A's point to B's, and how far apart they are (m).
    along: Vec3,
    length: Real,
    /// Impulse of the tension (N s).
    tension: Real,
}

impl Taut {
    /// From a joint's rows; `None` if it is not a line, or not under tension.
    pub(crate) fn of(rows: &[GroupRow]) -> Option<Self> {
        let (bodies, line) = rows.iter().find_map(|r| Some((r.bodies, r.row.line?)))?;
        let along = line.gap.try_normalize()?;
        let pull = |r: &GroupRow| -r.row.jacobian[1].linear.dot(along) * r.impulse;
        let tension: Real = rows.iter().filter(|r| r.row.line.is_some()).map(pull).sum();
        (tension > 0.0).then(|| Self { bodies, line, along, length: line.gap.length(), tension })
    }

    /// Arm (m) and impulse (N s) on each of its bodies.
    pub(crate) fn pulls(&self) -> [(Vec3, Vec3); 2] {
        let impulse = self.along * self.tension;
        [(self.line.arms[0], impulse), (self.line.arms[1], -impulse)]
    }

    /// Appends the resistance to a motion of its ends across it, `T / L` both ways, as rows of a separate link, weighted like the stiffness of a
    /// joint. Returns whether the step needs it.
    pub(crate) fn push_across(&self, problem: &mut GroupProblem, [factor, damping]: [Real; 2], h: Real) -> bool {
        let mut any = false;
        let link = problem.rows.last().map_or(0, |r| r.joint + 1);
        let (t1, t2) = tangent_basis(self.along);
        for (place, t) in (0..).zip([t1, t2]) {
            let [a, b] = self.line.arms;
            let row = Row {
                bodies: self.bodies,
                jacobian: [Twist::new(-t, t.cross(a)), Twist::new(t, b.cross(t))],
                cfm: 0.0,
            };
            let stiffness = self.tension / self.length;
            let weight = weight(h * stiffness * row.response(&problem.bodies), damping);
            let resistance = factor * weight * stiffness;
            if resistance == 0.0 {
                continue;
            }
            any = true;
            let velocities = row.bodies.map(|i| problem.bodies[i as usize].velocity);
            problem.rows.push(GroupRow {
                bodies: row.bodies,
                row: ConstraintRow {
                    jacobian: row.jacobian,
                    target: (1.0 - damping) * row.rate(velocities),
                    error: 0.0,
                    curvature: 0.0,
                    limits: RowLimits::BILATERAL,
                    softness: Softness::Spring { stiffness: 0.0, damping: resistance },
                    restitution: 0.0,
                    correctable: false,
                    line: None,
                },
                impulse: 0.0,
                joint: link,
                place,
            });
        }
        any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stiffen;
    use drystone_core::{BodyIndex, GroupBody};
    use drystone_math::{Pose, SymmetricMat3};

    const LENGTH: Real = 0.5;

    /// A bob of 2 kg on a rope from the origin along x, with an impulse that pulls its ends together.
    fn bob(pull: Real) -> GroupProblem {
        let still = GroupBody {
            index: BodyIndex(0),
            inverse_mass: 0.0,
            inverse_inertia: SymmetricMat3::ZERO,
            pose: Pose::IDENTITY,
            velocity: Twist::ZERO,
            external: Twist::ZERO,
        };
        let moved = GroupBody {
            index: BodyIndex(1),
            inverse_mass: 0.5,
            inverse_inertia: SymmetricMat3::from_diagonal(Vec3::ONE),
            velocity: Twist::new(Vec3::Y * 3.0, Vec3::ZERO),
            ..still
        };
        let along = Vec3::X;
        // a limit from above pushes against the gap
        let row = ConstraintRow {
            jacobian: [Twist::new(along, Vec3::ZERO), Twist::new(-along, Vec3::ZERO)],
            target: 0.0,
            error: 0.0,
            curvature: 0.0,
            limits: RowLimits::UNILATERAL,
            softness: Softness::RIGID,
            restitution: 0.0,
            correctable: true,
            line: Some(Line { arms: [Vec3::ZERO; 2], gap: along * LENGTH }),
        };
        let row = GroupRow { bodies: [0, 1], row, impulse: pull, joint: 0, place: 0 };
        GroupProblem { bodies: vec![still, moved], rows: vec![row], ..GroupProblem::default() }
    }

    #[test]
    fn a_taut_rope_holds_its_end_across_by_tension_over_length() {
        let (h, tension) = (0.01, 4000.0);
        let mut p = bob(tension * h);
        assert!(stiffen(&mut p, 1.0, 1.0, h));
        assert_eq!(p.rows.len(), 3);
        for r in &p.rows[1..] {
            let [a, b] = r.row.jacobian;
            assert!(
                b.linear.dot(Vec3::X).abs() < 1e-15 && (b.linear.length() - 1.0).abs() < 1e-15 && a.linear == -b.linear
            );
            // the force -T / L x over the step, x = h v: an impulse of h^2 T / L per unit of velocity
            let (erp, cfm) = r.row.softness.over(h);
            assert_eq!((erp, r.row.target, r.joint), (0.0, 0.0, 1));
            assert!((h * h / cfm - h * h * tension / LENGTH).abs() < 1e-12, "{cfm}");
        }
        // with inertia it acts on the change of the velocity, if the step does not resolve h^2 T / (L m) = 0.4
        let mut resolved = bob(tension * h);
        assert!(!stiffen(&mut resolved, 0.5, 0.0, h) && resolved.rows.len() == 1);
        let mut stiff = bob(100.0 * tension * h);
        assert!(stiffen(&mut stiff, 0.5, 0.0, h));
        let kept: Real = stiff.rows[1..].iter().map(|r| r.row.target.powi(2)).sum();
        assert!((kept - 9.0).abs() < 1e-12, "{kept}");
    }

    #[test]
    fn what_pushes_and_what_is_no_line_is_left_alone() {
        let mut rod = bob(-40.0);
        let mut row = bob(40.0);
        row.rows[0].row.line = None;
        for p in [&mut rod, &mut row] {
            let before = p.rows.clone();
            assert!(!stiffen(p, 1.0, 1.0, 0.01));
            assert_eq!(p.rows, before);
        }
    }
}
