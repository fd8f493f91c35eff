use crate::row::Row;
use drystone_core::GroupBody;
use drystone_math::{Real, Twist};

/// A row counts as a combination of the joint's other rows if what is left of its own diagonal entry is below this fraction.
const DEPENDENT: Real = 1e-10;

/// Makes the rigid two-sided rows of each joint orthogonal to each other in the kinetic-energy metric.
///
/// A row-by-row method treats the rows of one joint as if they were unrelated: if the joint's point is far from the
/// centre of a small body, one row undoes the other, and many sweeps do not solve even a single joint. With L the unit lower
/// factor of the joint's own block of A, the rows `J' = L^-1 J`, `b' = L^-1 b` make that block diagonal, so that the same
/// sweep solves the whole joint at once, and `x = L^-T x'` are the multipliers of the original rows.
///
/// Rows keep their places and units: each is the part of itself that is left after the earlier ones. Soft and bounded rows are left unchanged,
/// and so is a row that the earlier ones imply.
///
/// # Source
/// Block Gauss-Seidel (F-10) as a change of variables; Golub and Van Loan, Matrix Computations, 5.2.8 (modified Gram-Schmidt).
#[derive(Debug, Default)]
pub(crate) struct JointBasis {
    /// The joint whose rows are being added, and its rows so far.
    joint: Option<u32>,
    rows: Vec<BasisRow>,
    /// Every entry of every L below the diagonal, in the order of the rows.
    entries: Vec<Entry>,
}

#[derive(Debug, Clone, Copy)]
struct BasisRow {
    number: usize,
    jacobian: [Twist; 2],
    /// `W J'^T`.
    weighted: [Twist; 2],
    /// `1 / (J' W J'^T)`.
    inverse_diagonal: Real,
    b: Real,
    chord: Real,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    row: usize,
    earlier: usize,
    factor: Real,
}

impl JointBasis {
    pub(crate) fn clear(&mut self) {
        self.joint = None;
        self.rows.clear();
        self.entries.clear();
    }

    /// Removes from row `number` what the joint's earlier rows hold already; its right-hand side is `b`, of which `chord` comes from the way that it bends.
    pub(crate) fn reduce(
        &mut self,
        joint: u32,
        number: usize,
        bodies: [&GroupBody; 2],
        row: &mut Row,
        [b, chord]: [&mut Real; 2],
    ) {
        if self.joint != Some(joint) {
            self.joint = Some(joint);
            self.rows.clear();
        }
        let given = (*row, *b, *chord);
        let first = self.entries.len();
        let [ja, jb] = &mut row.jacobian;
        for e in &self.rows {
            let factor = (dot(ja, &e.weighted[0]) + dot(jb, &e.weighted[1])) * e.inverse_diagonal;
            *ja = *ja - e.jacobian[0] * factor;
            *jb = *jb - e.jacobian[1] * factor;
            *b -= factor * e.b;
            *chord -= factor * e.chord;
            self.entries.push(Entry { row: number, earlier: e.number, factor });
        }
        let weighted = [weigh(bodies[0], ja), weigh(bodies[1], jb)];
        let diagonal = dot(ja, &weighted[0]) + dot(jb, &weighted[1]);
        let whole = if self.rows.is_empty() { diagonal } else { energy(bodies, &given.0) };
        if diagonal.is_finite() && diagonal > DEPENDENT * whole {
            let inverse_diagonal = diagonal.recip();
            self.rows.push(BasisRow {
                number,
                jacobian: row.jacobian,
                weighted,
                inverse_diagonal,
                b: *b,
                chord: *chord,
            });
        } else {
            (*row, *b, *chord) = given;
            self.entries.truncate(first);
        }
    }

    /// `x' = L^T x`: from the multipliers of the original rows.
    pub(crate) fn enter(&self, x: &mut [Real]) {
        for e in &self.entries {
            x[e.earlier] += e.factor * x[e.row];
        }
    }

    /// `x = L^-T x'`: to the multipliers of the original rows.
    pub(crate) fn leave(&self, x: &mut [Real]) {
        for e in self.entries.iter().rev() {
            x[e.earlier] -= e.factor * x[e.row];
        }
    }
}

#[inline]
fn dot(a: &Twist, b: &Twist) -> Real {
    a.linear.dot(b.linear) + a.angular.dot(b.angular)
}

#[inline]
fn weigh(body: &GroupBody, j: &Twist) -> Twist {
    Twist::new(j.linear * body.inverse_mass, body.inverse_inertia.mul_vec(j.angular))
}

/// `J W J^T`.
fn energy(bodies: [&GroupBody; 2], row: &Row) -> Real {
    bodies.iter().zip(&row.jacobian).map(|(b, j)| dot(j, &weigh(b, j))).sum()
}
