use super::factored_row::{FactoredRow, NO_BODY, bump_all, six_dot, write_rates};
use super::rows::{Colours, parent_colour};
use crate::vectors::{Work, vectorised};
use crate::{LcpError, LcpOperator};

/// A = J W J^T + diag(cfm), never formed: two 1x6 blocks of J per row, and W = (inverse mass, inverse inertia) per
/// body.
///
/// The accumulator is W J^T x, six reals per body (linear, angular). If x is an impulse, that is the change of velocity.
///
/// [`Self::clear`] keeps all buffers, so refilling allocates nothing once warm. Add bodies first, then rows.
///
/// # Cost
/// 24 multiplications for a row update, independent of n.
///
/// # Source
/// Erleben 2005, 6.1.5, equations (6.59)-(6.74), Figures 6.9-6.11. Differs in: Figure 6.10's d_i x_i term stands for the
/// CFM part only, and F' is updated with the clamped change; w = A x + b throughout.
// F-22, F-23, F-24, F-25, F-38
#[derive(Default)]
pub struct FactoredOperator {
    bodies: Vec<BodyWeight>,
    rows: Vec<FactoredRow>,
    before: Before,
}

impl core::fmt::Debug for FactoredOperator {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { bodies, rows, .. } = self;
        f.debug_struct("FactoredOperator").field("bodies", bodies).field("rows", rows).finish_non_exhaustive()
    }
}

/// The previous contents of an operator that is being refilled.
#[derive(Default)]
struct Before {
    bodies: Vec<BodyWeight>,
    rows: Vec<FactoredRow>,
    /// True if everything pushed since then equals what was pushed before.
    same: bool,
    /// True if rows were changed after they were pushed.
    changed: bool,
}

impl Before {
    /// The old row in the place of the next one, if it equals that one and this many bodies and rows up to here are all unchanged.
    fn known_row(
        &self,
        [bodies, rows]: [usize; 2],
        ends: [u32; 2],
        jacobian: &[[f64; 6]; 2],
        cfm: f64,
    ) -> Option<FactoredRow> {
        let known = self.rows.get(rows).filter(|_| self.bodies.len() == bodies)?;
        (known.bodies == ends && known.jacobian == *jacobian && known.cfm == cfm).then_some(*known)
    }
}

impl PartialEq for FactoredOperator {
    fn eq(&self, other: &Self) -> bool {
        self.bodies == other.bodies && self.rows == other.rows
    }
}

impl Clone for FactoredOperator {
    fn clone(&self) -> Self {
        Self { bodies: self.bodies.clone(), rows: self.rows.clone(), before: Before::default() }
    }

    fn clone_from(&mut self, source: &Self) {
        self.bodies.clone_from(&source.bodies);
        self.rows.clone_from(&source.rows);
        self.before.changed = true;
    }
}

/// Inverse mass and symmetric world inverse inertia (xx, yy, zz, xy, xz, yz).
#[derive(Debug, Clone, Copy, PartialEq)]
struct BodyWeight {
    inverse_mass: f64,
    inverse_inertia: [f64; 6],
    /// True if all of it is zero.
    immovable: bool,
}

impl BodyWeight {
    fn new(inverse_mass: f64, inverse_inertia: [f64; 6]) -> Self {
        let immovable = inverse_mass == 0.0 && inverse_inertia == [0.0; 6];
        Self { inverse_mass, inverse_inertia, immovable }
    }

    #[inline(always)]
    fn apply(&self, j: &[f64; 6]) -> [f64; 6] {
        let (m, [xx, yy, zz, xy, xz, yz]) = (self.inverse_mass, self.inverse_inertia);
        // column by column: a register each
        let columns = [[xx, xy, xz, 0.0], [xy, yy, yz, 0.0], [xz, yz, zz, 0.0]];
        let turn: [f64; 4] =
            core::array::from_fn(|k| (columns[0][k] * j[3] + columns[1][k] * j[4]) + columns[2][k] * j[5]);
        [m * j[0], m * j[1], m * j[2], turn[0], turn[1], turn[2]]
    }
}

impl FactoredOperator {
    /// An operator without bodies or rows.
    pub fn new() -> Self {
        Self::default()
    }

    /// Removes bodies and rows, keeps the memory.
    pub fn clear(&mut self) {
        let Self { bodies, rows, before } = self;
        core::mem::swap(bodies, &mut before.bodies);
        core::mem::swap(rows, &mut before.rows);
        before.same = !core::mem::take(&mut before.changed);
        bodies.clear();
        rows.clear();
    }

    /// Returns true if bodies and rows are, number by number, the same as before the last [`Self::clear`].
    pub fn is_as_before(&self) -> bool {
        let Self { bodies, rows, before } = self;
        let whole = bodies.len() == before.bodies.len() && rows.len() == before.rows.len();
        before.same && !before.changed && whole
    }

    /// Removes the rows only.
    pub fn clear_rows(&mut self) {
        self.before.changed = true;
        self.rows.clear();
    }

    /// Adds a body and returns its index. `inverse_inertia` is symmetric, in world axes: xx, yy, zz, xy, xz, yz.
    /// A body whose weights are all zero is immovable: rows treat it as [`NO_BODY`].
    #[inline]
    pub fn push_body(&mut self, inverse_mass: f64, inverse_inertia: [f64; 6]) -> u32 {
        let weight = BodyWeight::new(inverse_mass, inverse_inertia);
        let before = &mut self.before;
        before.same = before.same && before.bodies.get(self.bodies.len()) == Some(&weight);
        self.bodies.push(weight);
        (self.bodies.len() - 1) as u32
    }

    /// Adds a row and returns its index: `bodies` a and b ([`NO_BODY`] for none), their blocks of J (linear, angular), and cfm.
    /// A row from a body to itself is folded into one block.
    ///
    /// # Errors
    /// [`LcpError::IndexOutOfRange`] where a body does not exist.
    #[inline]
    pub fn push_row(&mut self, bodies: [u32; 2], ja: [f64; 6], jb: [f64; 6], cfm: f64) -> Result<usize, LcpError> {
        self.push_rows(bodies, core::iter::once(([ja, jb], cfm)))?;
        Ok(self.rows.len() - 1)
    }

    /// The same for rows that all touch the same bodies, given their blocks of J and their cfm.
    ///
    /// # Errors
    /// [`LcpError::IndexOutOfRange`] if a body does not exist; no row is added then.
    #[inline(always)]
    pub fn push_rows(
        &mut self,
        bodies: [u32; 2],
        rows: impl IntoIterator<Item = ([[f64; 6]; 2], f64)>,
    ) -> Result<(), LcpError> {
        let Self { bodies: weights_of, rows: into, before } = self;
        let limit = weights_of.len();
        if let Some(body) = bodies.into_iter().find(|b| *b != NO_BODY && *b as usize >= limit) {
            return Err(LcpError::IndexOutOfRange { what: "body of a row", index: body as usize, limit });
        }
        let folded = bodies[0] == bodies[1] && bodies[0] != NO_BODY;
        let own = if folded { [bodies[0], NO_BODY] } else { bodies };
        // used in place: copies of them would be read before they are written
        let weights = own.map(|b| weights_of.get(b as usize).filter(|weight| !weight.immovable));
        let bodies = [0, 1].map(|side| if weights[side].is_some() { own[side] } else { NO_BODY });
        for (mut jacobian, cfm) in rows {
            if folded {
                let [onto, other] = &mut jacobian;
                onto.iter_mut().zip(other).for_each(|(to, from)| *to += *from);
            }
            for side in 0..2 {
                if weights[side].is_none() {
                    jacobian[side] = [0.0; 6];
                }
            }
            if before.same {
                if let Some(known) = before.known_row([limit, into.len()], bodies, &jacobian, cfm) {
                    into.push(known);
                    continue;
                }
                before.same = false;
            }
            let (mut weighted, mut diagonal) = ([[0.0; 6]; 2], cfm);
            for side in 0..2 {
                if let Some(weight) = weights[side] {
                    weighted[side] = weight.apply(&jacobian[side]);
                    diagonal += six_dot(&jacobian[side], &weighted[side]);
                }
            }
            into.push(FactoredRow { bodies, jacobian, weighted, diagonal, cfm });
        }
        Ok(())
    }

    /// Multiplies A by a factor: bodies become that much lighter, and rows that much softer.
    pub(crate) fn scale(&mut self, by: f64) {
        self.before.changed = true;
        for body in &mut self.bodies {
            body.inverse_mass *= by;
            body.inverse_inertia = body.inverse_inertia.map(|i| i * by);
        }
        for row in &mut self.rows {
            row.weighted = row.weighted.map(|side| side.map(|w| w * by));
            row.diagonal *= by;
            row.cfm *= by;
        }
    }

    /// Number of bodies.
    pub fn bodies(&self) -> usize {
        self.bodies.len()
    }

    /// Inverse mass and inverse inertia (xx, yy, zz, xy, xz, yz) of a body.
    pub fn body(&self, body: usize) -> Option<(f64, [f64; 6])> {
        self.bodies.get(body).map(|w| (w.inverse_mass, w.inverse_inertia))
    }

    /// Mobility of a body: its inverse mass or, if it only turns, the mean of its inverse inertia.
    pub(crate) fn weight_scale(&self, body: u32) -> f64 {
        let BodyWeight { inverse_mass, inverse_inertia: i, .. } = self.bodies[body as usize];
        if inverse_mass > 0.0 { inverse_mass } else { (i[0] + i[1] + i[2]) / 3.0 }
    }

    /// Entry of J G J^T, G the weights of bodies of equal mass: it distinguishes nearly dependent rows from light bodies beside heavy
    /// ones.
    pub(crate) fn equal_mass_entry(&self, i: usize, j: usize) -> f64 {
        let (left, right) = (&self.rows[i], &self.rows[j]);
        let mut sum = 0.0;
        for (a, ja) in left.bodies.iter().zip(&left.jacobian) {
            for (b, wb) in right.bodies.iter().zip(&right.weighted) {
                if a == b && *a != NO_BODY {
                    let product: f64 = ja.iter().zip(wb).map(|(j, w)| j * w).sum();
                    sum += product / self.weight_scale(*a);
                }
            }
        }
        // a row that yields is not redundant: its share of the diagonal is kept
        let rigid = left.diagonal - left.cfm;
        if i == j && left.cfm > 0.0 && rigid > 0.0 { sum * (left.diagonal / rigid) } else { sum }
    }

    /// All rows.
    pub fn factored_rows(&self) -> &[FactoredRow] {
        &self.rows
    }

    /// w = A x + b of all rows, from the accumulator of x.
    pub(crate) fn rates(&self, x: &[f64], b: &[f64], acc: &[f64], w: &mut Vec<f64>) {
        w.resize(b.len(), 0.0);
        vectorised(Rates { op: self, x, b, acc, w });
    }

    /// Returns true if two rows may be rotated into each other: they touch the same bodies, and have the same
    /// regularisation.
    pub(crate) fn can_turn(&self, [i, k]: [usize; 2], scale: f64) -> bool {
        let (first, second) = (&self.rows[i], &self.rows[k]);
        first.bodies == second.bodies && first.cfm == scale * scale * second.cfm
    }

    /// Replaces two rows that [`Self::can_turn`] by two combinations of them, the second with additional
    /// regularisation.
    pub(crate) fn turn(&mut self, rows: [usize; 2], coefficients: [[f64; 2]; 2], yielding: f64) {
        self.before.changed = true;
        let from = rows.map(|r| self.rows[r]);
        for ((row, c), extra) in rows.into_iter().zip(coefficients).zip([0.0, yielding]) {
            let combine = |a: [[f64; 6]; 2], b: [[f64; 6]; 2]| -> [[f64; 6]; 2] {
                core::array::from_fn(|side| core::array::from_fn(|l| c[0] * a[side][l] + c[1] * b[side][l]))
            };
            let jacobian = combine(from[0].jacobian, from[1].jacobian);
            let weighted = combine(from[0].weighted, from[1].weighted);
            let cfm = from[0].cfm + extra;
            let diagonal = cfm + six_dot(&jacobian[0], &weighted[0]) + six_dot(&jacobian[1], &weighted[1]);
            self.rows[row] = FactoredRow { bodies: from[0].bodies, jacobian, weighted, diagonal, cfm };
        }
    }

    /// Adds a fraction of row i's diagonal to its regularisation, and returns the amount.
    pub(crate) fn add_cfm(&mut self, i: usize, part: f64) -> f64 {
        self.before.changed = true;
        let row = &mut self.rows[i];
        let by = part * row.diagonal;
        row.diagonal += by;
        row.cfm += by;
        by
    }

    /// Changes the regularisation of row i.
    ///
    /// # Errors
    /// [`LcpError::IndexOutOfRange`] if the row does not exist.
    pub fn set_cfm(&mut self, i: usize, cfm: f64) -> Result<(), LcpError> {
        self.before.changed = true;
        let limit = self.rows.len();
        let row = self.rows.get_mut(i).ok_or(LcpError::IndexOutOfRange { what: "row", index: i, limit })?;
        row.diagonal += cfm - row.cfm;
        row.cfm = cfm;
        Ok(())
    }
}

/// [`LcpOperator::start`].
struct Start<'a> {
    op: &'a FactoredOperator,
    x: &'a [f64],
    acc: &'a mut [f64],
}

impl Work for Start<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.acc.fill(0.0);
        bump_all(&self.op.rows, self.x, self.acc);
    }
}

/// [`FactoredOperator::rates`].
struct Rates<'a> {
    op: &'a FactoredOperator,
    x: &'a [f64],
    b: &'a [f64],
    acc: &'a [f64],
    w: &'a mut [f64],
}

impl Work for Rates<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        write_rates(&self.op.rows, self.x, self.b, (self.acc, self.w));
    }
}

/// J W J^T of two rows, added to what is there.
#[inline(always)]
fn coupling(left: &FactoredRow, right: &FactoredRow, mut sum: f64) -> f64 {
    for (a, ja) in left.bodies.iter().zip(&left.jacobian) {
        for (b, wb) in right.bodies.iter().zip(&right.weighted) {
            if a == b && *a != NO_BODY {
                sum += six_dot(ja, wb);
            }
        }
    }
    sum
}

impl LcpOperator for FactoredOperator {
    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn accumulator_len(&self) -> usize {
        6 * self.bodies.len()
    }

    #[inline]
    fn diagonal(&self, i: usize) -> f64 {
        self.rows[i].diagonal
    }

    fn compliance(&self, i: usize) -> f64 {
        self.rows[i].cfm
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        let (left, right) = (&self.rows[i], &self.rows[j]);
        coupling(left, right, if i == j { left.cfm } else { 0.0 })
    }

    fn start(&self, x: &[f64], acc: &mut [f64]) {
        vectorised(Start { op: self, x, acc });
    }

    #[inline(always)]
    fn row_dot(&self, i: usize, x: &[f64], acc: &[f64]) -> f64 {
        self.rows[i].dot(x[i], acc)
    }

    /// By bodies: rows that share a movable body get different colours. Linear in the number of rows.
    fn colour(&self, order: &[u32], after: &[u32], colours: &mut Colours) {
        let Colours { of_row, used, .. } = colours;
        of_row.clear();
        of_row.resize(self.rows.len(), u32::MAX);
        if used.len() < self.bodies.len() {
            used.resize(self.bodies.len(), Vec::new());
        }
        let used = &mut used[..self.bodies.len()];
        used.iter_mut().for_each(Vec::clear);
        for &i in order {
            let i = i as usize;
            let bodies = self.rows[i].bodies;
            let mut colour = parent_colour(i, after, of_row);
            let taken = |colour: usize| {
                bodies.iter().any(|&body| {
                    let words = used.get(body as usize);
                    words.and_then(|w| w.get(colour / 64)).is_some_and(|word| word >> (colour % 64) & 1 == 1)
                })
            };
            while taken(colour) {
                colour += 1;
            }
            for &body in &bodies {
                if let Some(words) = used.get_mut(body as usize) {
                    if words.len() <= colour / 64 {
                        words.resize(colour / 64 + 1, 0);
                    }
                    words[colour / 64] |= 1 << (colour % 64);
                }
            }
            of_row[i] = colour as u32;
        }
    }

    fn to_dense(&self) -> crate::DenseOperator {
        let mut dense = crate::DenseOperator::default();
        self.write_dense(&mut dense);
        dense
    }

    fn write_dense(&self, dense: &mut crate::DenseOperator) {
        let n = self.rows.len();
        dense.reset(n);
        for i in 0..n {
            let left = &self.rows[i];
            for (entry, right) in dense.row_mut(i).iter_mut().zip(&self.rows) {
                *entry = coupling(left, right, 0.0);
            }
            dense.set(i, i, coupling(left, left, left.cfm));
        }
    }

    #[inline(always)]
    fn bump(&self, i: usize, dx: f64, acc: &mut [f64]) {
        self.rows[i].bump(dx, acc);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(a: &mut FactoredOperator, mass: f64, last: f64) {
        a.push_body(1.0 / mass, [1.0, 2.0, 3.0, 0.1, 0.0, 0.2]);
        a.push_body(0.0, [0.0; 6]);
        a.push_row([0, 1], [1.0, 0.0, 0.5, 0.0, 2.0, 0.0], [1.0; 6], 0.0).unwrap();
        a.push_row([NO_BODY, 0], [0.0; 6], [0.0, last, 0.0, 1.0, 0.0, 0.0], 0.1).unwrap();
    }

    #[test]
    fn an_operator_knows_whether_it_was_filled_as_before() {
        let mut a = FactoredOperator::new();
        fill(&mut a, 2.0, 1.0);
        assert!(!a.is_as_before());
        let mut fill_again = |mass, last| {
            a.clear();
            fill(&mut a, mass, last);
            let mut anew = FactoredOperator::new();
            fill(&mut anew, mass, last);
            assert_eq!(a, anew);
            a.is_as_before()
        };
        assert!(fill_again(2.0, 1.0));
        // a changed row, a changed body
        assert!(!fill_again(2.0, 1.5) && fill_again(2.0, 1.5));
        assert!(!fill_again(3.0, 1.5) && fill_again(3.0, 1.5));
        // fewer rows, then more rows
        a.clear();
        a.push_body(1.0 / 3.0, [1.0, 2.0, 3.0, 0.1, 0.0, 0.2]);
        a.push_body(0.0, [0.0; 6]);
        assert!(!a.is_as_before());
        a.clear();
        fill(&mut a, 3.0, 1.5);
        assert!(!a.is_as_before());
        // changing a row after it was pushed makes it differ
        a.set_cfm(0, 1.0).unwrap();
        assert!(!a.is_as_before());
        a.clear();
        fill(&mut a, 3.0, 1.5);
        let mut anew = FactoredOperator::new();
        fill(&mut anew, 3.0, 1.5);
        assert!(!a.is_as_before() && a == anew);
    }
}
