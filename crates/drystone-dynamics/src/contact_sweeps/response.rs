use super::body::Body;
use drystone_math::{Real, Vec3};

/// The effect of a wrench at the middle of a contact patch on the relative velocity there: six rows in the order of [`Frame::rows`].
///
/// Thanks to this order one factorisation serves all cases: the first three rows are those of a point, the first five those of two points in line with the first
/// tangent, all six those of a face.
///
/// [`Frame::rows`]: super::patch::Frame::rows
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Response([Real; 21]);

/// The same, factorised as L D L^T: unit lower triangle and the reciprocals of D.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Factor([Real; 21]);

/// Index of the entry in row i, column j <= i.
#[inline(always)]
const fn at(i: usize, j: usize) -> usize {
    i * (i + 1) / 2 + j
}

/// A pivot below this, relative to its diagonal entry, belongs to a row that nothing else can move.
const SINGULAR: Real = 1e-12;

impl Response {
    /// The response of bodies that do not give way.
    pub(super) const NONE: Self = Self([0.0; 21]);

    /// Adds the response of one body: `arm` from its centre of mass to the middle of the patch (m), `axes` n, t1, t2; only the first `rows` rows.
    #[inline(always)]
    pub(super) fn add(&mut self, body: &Body, arm: Vec3, [n, t1, t2]: [Vec3; 3], rows: usize) {
        let levers = [arm.cross(n), arm.cross(t1), arm.cross(t2), n, t2, t1];
        for i in 0..rows {
            let turned = body.inverse_inertia.mul_vec(levers[i]);
            for j in 0..=i {
                self.0[at(i, j)] += levers[j].dot(turned);
            }
            if i < 3 {
                self.0[at(i, i)] += body.inverse_mass;
            }
        }
    }

    /// The same for the rows that normal impulses act in alone: the first and the last two.
    #[inline(always)]
    pub(super) fn add_normals(&mut self, body: &Body, arm: Vec3, [n, t1, t2]: [Vec3; 3]) {
        let lever = arm.cross(n);
        let turned = body.inverse_inertia.mul_vec(lever);
        self.0[at(0, 0)] += body.inverse_mass + lever.dot(turned);
        self.0[at(4, 0)] += t2.dot(turned);
        self.0[at(5, 0)] += t1.dot(turned);
        let [about2, about1] = [t2, t1].map(|t| body.inverse_inertia.mul_vec(t));
        self.0[at(4, 4)] += t2.dot(about2);
        self.0[at(5, 4)] += t1.dot(about2);
        self.0[at(5, 5)] += t1.dot(about1);
    }

    /// The part for the first three rows: entries on and below the diagonal.
    #[inline(always)]
    pub(super) fn of_point(&self) -> [Real; 6] {
        core::array::from_fn(|i| self.0[i])
    }

    #[inline(always)]
    pub(super) fn get(&self, i: usize, j: usize) -> Real {
        self.0[if i >= j { at(i, j) } else { at(j, i) }]
    }

    /// From its entries on and below the diagonal.
    #[inline(always)]
    pub(super) fn of_lower(entry: impl Fn(usize, usize) -> Real) -> Self {
        let mut all = Self::default();
        for i in 0..6 {
            for j in 0..=i {
                all.0[at(i, j)] = entry(i, j);
            }
        }
        all
    }

    /// The velocity change that a wrench makes in one row.
    #[inline(always)]
    pub(super) fn row(&self, i: usize, wrench: &[Real; 6]) -> Real {
        let mut sum = self.get(i, 0) * wrench[0];
        for j in 1..6 {
            sum += self.get(i, j) * wrench[j];
        }
        sum
    }

    /// The factor of the first `rows` rows.
    #[inline(always)]
    pub(super) fn factor(&self, rows: usize) -> Factor {
        let mut l = self.0;
        let mut pivots = [0.0; 6];
        for j in 0..rows {
            let mut scaled = [0.0; 6];
            let mut d = l[at(j, j)];
            for k in 0..j {
                scaled[k] = l[at(j, k)] * pivots[k];
                d -= l[at(j, k)] * scaled[k];
            }
            let movable = d > SINGULAR * self.0[at(j, j)];
            let inverse = if movable { 1.0 / d } else { 0.0 };
            pivots[j] = if movable { d } else { 0.0 };
            // the reciprocal of D stands on the diagonal
            l[at(j, j)] = inverse;
            for i in j + 1..rows {
                let mut s = l[at(i, j)];
                for k in 0..j {
                    s -= l[at(i, k)] * scaled[k];
                }
                l[at(i, j)] = s * inverse;
            }
        }
        Factor(l)
    }
}

impl Factor {
    /// Not made yet.
    pub(super) const NONE: Self = Self([0.0; 21]);

    /// The part for the first three rows.
    #[inline(always)]
    pub(super) fn of_point(&self) -> [Real; 6] {
        core::array::from_fn(|i| self.0[i])
    }

    /// Solves for the first `rows` entries; a row that cannot be moved gets zero.
    #[inline(always)]
    pub(super) fn solve(&self, mut b: [Real; 6], rows: usize) -> [Real; 6] {
        let l = &self.0;
        for i in 1..rows {
            for j in 0..i {
                b[i] -= l[at(i, j)] * b[j];
            }
        }
        for i in 0..rows {
            b[i] *= l[at(i, i)];
        }
        for i in (0..rows).rev() {
            for k in i + 1..rows {
                b[i] -= l[at(k, i)] * b[k];
            }
        }
        b
    }
}

/// Solves for a point's three rows, given the result of [`Factor::of_point`].
#[inline(always)]
pub(super) fn solve_point([d0, l10, d1, l20, l21, d2]: [Real; 6], b: [Real; 3]) -> [Real; 3] {
    let y1 = b[1] - l10 * b[0];
    let y2 = b[2] - l20 * b[0] - l21 * y1;
    let x2 = y2 * d2;
    let x1 = y1 * d1 - l21 * x2;
    [b[0] * d0 - l10 * x1 - l20 * x2, x1, x2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_core::{BodyIndex, GroupBody};
    use drystone_math::{Pose, SymmetricMat3, Twist};

    fn bar() -> Body {
        let off_diagonal = Vec3::new(0.5, -0.25, 0.125);
        let bar = GroupBody {
            index: BodyIndex(0),
            inverse_mass: 0.5,
            inverse_inertia: SymmetricMat3 { diagonal: Vec3::new(2.0, 3.0, 4.0), off_diagonal },
            pose: Pose::IDENTITY,
            velocity: Twist::ZERO,
            external: Twist::ZERO,
        };
        Body::of(&bar, Twist::ZERO)
    }

    #[test]
    fn answers_as_the_body_does() {
        let (arm, axes) = (Vec3::new(0.3, -0.5, 0.2), [Vec3::Y, Vec3::Z, Vec3::X]);
        let wrench = [1.0, -2.0, 0.5, 0.25, 3.0, -1.0];
        let mut body = bar();
        let mut response = Response::default();
        response.add(&body, arm, axes, 6);
        let [n, t1, t2] = axes;
        let force = n * wrench[0] + t1 * wrench[1] + t2 * wrench[2];
        body.strike(arm, force, n * wrench[3] + t2 * wrench[4] + t1 * wrench[5]);
        let (u, w) = (body.velocity.at(arm), body.velocity.angular);
        let moved = [n.dot(u), t1.dot(u), t2.dot(u), n.dot(w), t2.dot(w), t1.dot(w)];
        for i in 0..6 {
            assert!((response.row(i, &wrench) - moved[i]).abs() < 1e-13);
        }
        // and back, with all rows and with the leading rows only
        let back = response.factor(6).solve(moved, 6);
        assert!(back.iter().zip(&wrench).all(|(a, b)| (a - b).abs() < 1e-12));
        for rows in [3, 5] {
            let part = response.factor(rows).solve(moved, rows);
            let of = |i: usize| (0..rows).map(|j| response.get(i, j) * part[j]).sum::<Real>();
            assert!((0..rows).all(|i| (of(i) - moved[i]).abs() < 1e-12));
            if rows == 3 {
                let point = solve_point(response.factor(3).of_point(), [moved[0], moved[1], moved[2]]);
                assert!((0..3).all(|i| (point[i] - part[i]).abs() < 1e-14));
            }
        }
        // the rows of normals are the same
        let mut normals = Response::default();
        normals.add_normals(&bar(), arm, axes);
        let rows = [0, 4, 5];
        assert!(rows.iter().all(|&i| rows.iter().all(|&j| (normals.get(i, j) - response.get(i, j)).abs() < 1e-15)));
    }

    #[test]
    fn rows_that_nothing_moves_get_nothing() {
        // the body can only slide along one axis: a single row of three
        let mut response = Response::default();
        response.0[at(0, 0)] = 2.0;
        let x = response.factor(6).solve([4.0, 1.0, 1.0, 1.0, 1.0, 1.0], 6);
        assert_eq!(x, [2.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    }
}
