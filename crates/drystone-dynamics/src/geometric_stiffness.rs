use drystone_core::{GroupProblem, GroupRow};
use drystone_math::{Mat3, Real, SymmetricMat3, Vec3};

/// Adds to the inertia of each body `factor h^2` times the geometric stiffness of its joints, in this problem alone.
///
/// A joint's force F turns a body that has it at the end of an arm b: when the body turns by a small angle, so does b, and the torque
/// `b x F` changes by `-K` times the angle, `K = (b . F) 1 - b F^T`. A link under tension T is a pendulum of that stiffness,
/// and a method that takes the direction of the force from the start of the step is unstable where
/// `h sqrt(K / I) > 2`: every chain with a heavy end, at the usual steps. With `I + h^2 K / 4` in place of I the
/// step is that of the trapezoidal rule for these modes, which is stable at any step and loses no energy; it only makes the stiff
/// ones slower. `K` is estimated from the last multipliers (they are impulses: `h^2 K(F) = h K(F h)`), and only its
/// positive part counts: with `m` half-way between b and F it is at most `(|b| |F| + b . F) / 2 (1 - m m^T)`.
///
/// The external velocity change is scaled with the inertia, so that torques stay what they are. `damping` times the same
/// inertia resists the angular velocity itself: a little of it takes out what the changing estimate of K puts in.
///
/// All of it is weighed by `y^2 / (1 + y^2)`, y = 2 `h^2 K / I`: what the step resolves keeps its order of accuracy, since the rest is
/// of order h^6 there, and what it does not is stiffened in full.
///
/// # Source
/// M. Tournier, M. Nesme, B. Gilles, F. Faure, "Stable constrained dynamics", 2015; S. Andrews, M. Teichmann, P. Kry,
/// "Geometric stiffness for real-time constrained multibody dynamics", 2017. Differs in: the change of the angular velocity
/// meets the stiffness and only `damping` of the velocity (near the trapezoidal rule, instead of implicit Euler).
pub fn stiffen(problem: &mut GroupProblem, factor: Real, damping: Real, h: Real) {
    if factor * h == 0.0 {
        return;
    }
    let mut first = 0;
    while first < problem.rows.len() {
        let joint = problem.rows[first].joint;
        let count = problem.rows[first..].iter().take_while(|r| r.joint == joint).count();
        let rows = &problem.rows[first..first + count];
        let pulls = [0, 1].map(|side| pull(rows, side));
        for (side, pull) in pulls.into_iter().enumerate() {
            if let Some((arm, impulse)) = pull {
                add(problem, rows_body(&problem.rows[first], side), positive_part(arm, impulse), [factor, damping], h);
            }
        }
        first += count;
    }
}

fn rows_body(row: &GroupRow, side: usize) -> usize {
    row.bodies[side] as usize
}

/// Arm (m) and impulse (N s) of a joint on one of its bodies; `None` where its rows do not tell the arm.
///
/// Each row pushes along e with the moment `c = b x e`. `sum e x c = sum (1 - e e^T) b` has one solution b as soon as two of the
/// directions differ.
fn pull(rows: &[GroupRow], side: usize) -> Option<(Vec3, Vec3)> {
    let (mut normal, mut moment, mut impulse) = (Mat3::ZERO, Vec3::ZERO, Vec3::ZERO);
    for r in rows {
        let (e, c) = (r.row.jacobian[side].linear, r.row.jacobian[side].angular);
        let square = e.length_squared();
        if square == 0.0 {
            continue;
        }
        normal += Mat3::from_diagonal(Vec3::splat(square)) - outer(e, e);
        moment += e.cross(c);
        impulse += e * r.impulse;
    }
    // two unit directions at right angles have the determinant 2
    if impulse == Vec3::ZERO || normal.determinant() < 1e-3 {
        return None;
    }
    Some((normal.inverse() * moment, impulse))
}

fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// A bound of the positive part of `(b . F) 1 - (b F^T + F b^T) / 2`, exact where b and F are parallel.
fn positive_part(b: Vec3, f: Vec3) -> SymmetricMat3 {
    let size = 0.5 * (b.length() * f.length() + b.dot(f));
    let Some(m) = (b.normalize_or_zero() + f.normalize_or_zero()).try_normalize() else { return SymmetricMat3::ZERO };
    SymmetricMat3::from_mat3(&((Mat3::IDENTITY - outer(m, m)) * size))
}

/// `stiffness` is K h, by impulses.
fn add(problem: &mut GroupProblem, body: usize, stiffness: SymmetricMat3, [factor, damping]: [Real; 2], h: Real) {
    let body = &mut problem.bodies[body];
    let Some(inertia) = body.inverse_inertia.inverse() else { return };
    // the two directions in which K acts, on average
    let (k, w) = (stiffness, body.inverse_inertia);
    let trace = k.diagonal.dot(w.diagonal) + 2.0 * k.off_diagonal.dot(w.off_diagonal);
    let scale = factor * h * weight(0.5 * h * trace);
    let resisted = stiffness.mul_vec(body.velocity.angular) * (damping * scale);
    let torque = inertia.mul_vec(body.external.angular) - resisted;
    let stiffened = SymmetricMat3::from_mat3(&(inertia.to_mat3() + stiffness.to_mat3() * scale));
    let Some(inverse) = stiffened.inverse() else { return };
    body.inverse_inertia = inverse;
    body.external.angular = inverse.mul_vec(torque);
    body.solved = body.velocity + body.external;
}

/// `h^2 K / I` well below which a step resolves the swing of a link: some seven tenths of a radian of its phase, squared.
const RESOLVED: Real = 0.5;

/// How much counts of a stiffness that is `x` inertias a step squared.
fn weight(x: Real) -> Real {
    let y = x / RESOLVED;
    y * y / (1.0 + y * y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_core::{BodyIndex, ConstraintRow, GroupBody, RowLimits, Softness};
    use drystone_math::{Pose, Twist};

    /// A rod that hangs from the world by three rows with the given impulse.
    fn hanging(impulse: Vec3, arm: Vec3) -> GroupProblem {
        let body = GroupBody {
            index: BodyIndex(0),
            inverse_mass: 1.0,
            inverse_inertia: SymmetricMat3::from_diagonal(Vec3::new(10.0, 100.0, 10.0)),
            pose: Pose::IDENTITY,
            velocity: Twist::ZERO,
            external: Twist::new(Vec3::ZERO, Vec3::new(1.0, 2.0, 3.0)),
            solved: Twist::ZERO,
            shift: Twist::ZERO,
            turn: drystone_core::Turn::default(),
        };
        let rows = Vec3::AXES.map(|e| GroupRow {
            bodies: [0, 0],
            row: ConstraintRow {
                jacobian: [Twist::ZERO, Twist::new(e, arm.cross(e))],
                target: 0.0,
                error: 0.0,
                curvature: 0.0,
                limits: RowLimits::BILATERAL,
                softness: Softness::RIGID,
                restitution: 0.0,
                correctable: true,
            },
            impulse: impulse.dot(e),
            joint: 0,
            place: 0,
        });
        GroupProblem { bodies: vec![body], rows: rows.to_vec(), ..GroupProblem::default() }
    }

    #[test]
    fn a_rod_under_tension_turns_as_if_it_were_heavier_and_spins_as_before() {
        let (h, tension, arm) = (0.01, 500.0, Vec3::new(0.0, 0.3, 0.0));
        let mut p = hanging(Vec3::Y * (tension * h), arm);
        stiffen(&mut p, 0.25, 0.0, h);
        let inertia = p.bodies[0].inverse_inertia.inverse().unwrap().to_mat3();
        // h^2 K / I is 0.15
        let added = 0.25 * h * h * tension * 0.3 * weight(0.15);
        assert!((inertia.x_axis.x - (0.1 + added)).abs() < 1e-12 && (inertia.z_axis.z - (0.1 + added)).abs() < 1e-12);
        assert!((inertia.y_axis.y - 0.01).abs() < 1e-12);
        // the torque stays
        let torque = inertia * p.bodies[0].external.angular;
        assert!((torque - Vec3::new(0.1, 0.02, 0.3)).length() < 1e-12);
    }

    #[test]
    fn a_rod_under_pressure_is_left_alone() {
        let mut p = hanging(Vec3::Y * -5.0, Vec3::new(0.0, 0.3, 0.0));
        let before = p.clone();
        stiffen(&mut p, 0.25, 0.1, 0.01);
        assert!((p.bodies[0].inverse_inertia.diagonal - before.bodies[0].inverse_inertia.diagonal).length() < 1e-12);
    }

    #[test]
    fn the_bound_holds_the_stiffness() {
        let b = Vec3::new(0.3, -0.2, 0.5);
        for f in [Vec3::new(1.0, 2.0, -1.0), Vec3::new(3.0, -2.0, 5.0), Vec3::new(-3.0, 2.0, -4.9), Vec3::X] {
            let bound = positive_part(b, f);
            for k in 0..100 {
                let t = Real::from(k);
                let v = Vec3::new(t.sin(), (1.7 * t).cos(), (2.3 * t).sin());
                let exact = b.dot(f) * v.length_squared() - v.dot(b) * v.dot(f);
                assert!(bound.quadratic(v) >= -1e-12 && bound.quadratic(v) >= exact - 1e-12);
            }
        }
    }
}
