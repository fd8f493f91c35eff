//! One path of the normal map: from y to a zero along which it shrinks in proportion.
use crate::DenseOperator;
use crate::buffers::{collect, refill};
use crate::dense_direct::lu::Lu;
use crate::operator::dense::dot;

/// A pivot below this, relative to the column's largest entry, leads into a cell whose matrix is singular.
const SINGULAR: f64 = 1e-11;
/// Pieces between two fresh inverses.
pub(super) const RENEW: usize = 50;

/// End of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// At a zero.
    Zero,
    /// On an unbounded piece.
    Ray,
    /// In a cell from which no direction leads on.
    Stuck,
    /// Out of pieces.
    Limit,
}

/// A row whose y changes its sign.
#[derive(Debug, Clone, Copy)]
struct Crossing {
    row: usize,
    upwards: bool,
}

/// F(y) = M y+ - y- + q and the piece of it that contains y.
pub(super) struct Path<'a> {
    pub(super) m: &'a DenseOperator,
    pub(super) q: &'a [f64],
    /// Added to M's diagonal.
    pub(super) shift: f64,
    pub(super) y: &'a mut Vec<f64>,
    /// Pieces followed.
    pub(super) pieces: usize,
    positive: &'a mut Vec<bool>,
    factors: &'a mut Lu,
    inverse: &'a mut Vec<f64>,
}

/// Buffers of paths between solves.
#[derive(Debug, Default)]
pub(super) struct PathWorkspace {
    /// The point, from the start of a path to its end.
    pub(super) y: Vec<f64>,
    positive: Vec<bool>,
    factors: Lu,
    inverse: Vec<f64>,
    ways: Ways,
}

/// Vectors along a path.
#[derive(Debug, Default)]
pub(super) struct Ways {
    /// F at its start.
    start: Vec<f64>,
    /// The direction in which F falls, and the one that is taken.
    direction: Vec<f64>,
    v: Vec<f64>,
    crossing: Exchange,
}

/// Vectors of a crossing.
#[derive(Debug, Default)]
struct Exchange {
    column: Vec<f64>,
    /// The inverse times the column.
    d: Vec<f64>,
    pivot: Vec<f64>,
    null: Vec<f64>,
}

impl<'a> Path<'a> {
    /// The path from the y in the workspace, with the vectors needed to follow it.
    pub(super) fn new(
        m: &'a DenseOperator,
        q: &'a [f64],
        shift: f64,
        workspace: &'a mut PathWorkspace,
    ) -> (Self, &'a mut Ways) {
        let PathWorkspace { y, positive, factors, inverse, ways } = workspace;
        collect(positive, y.iter().map(|y| *y > 0.0));
        (Self { m, q, shift, y, pieces: 0, positive, factors, inverse }, ways)
    }

    /// Entry of the cell's matrix: columns of M where y > 0, of the identity elsewhere.
    fn entry(&self, i: usize, j: usize) -> f64 {
        if self.positive[j] {
            self.m.get(i, j) + if i == j { self.shift } else { 0.0 }
        } else if i == j {
            1.0
        } else {
            0.0
        }
    }

    /// Factorises the cell's matrix; false if it is singular.
    fn factorise(&mut self) -> bool {
        let Self { m, shift, positive, factors, .. } = self;
        let n = positive.len();
        factors.factor(n, |entries| {
            for i in 0..n {
                let of = |(j, (m, positive)): (usize, (&f64, &bool))| match (*positive, i == j) {
                    (true, true) => m + *shift,
                    (true, false) => m + 0.0,
                    (false, own) => f64::from(u8::from(own)),
                };
                entries.extend(m.row(i).iter().zip(&**positive).enumerate().map(of));
            }
        });
        let (least, most) = factors.pivots();
        least > 1e-14 * most
    }

    fn renew(&mut self) -> bool {
        if !self.factorise() {
            return false;
        }
        self.factors.inverse(self.inverse);
        self.inverse.iter().all(|v| v.is_finite())
    }

    fn times_inverse(&self, c: &[f64], to: &mut Vec<f64>) {
        refill(to, c.len(), 0.0);
        for (to, row) in to.iter_mut().zip(self.inverse.chunks_exact(c.len().max(1))) {
            *to = dot(row, c);
        }
    }

    /// The first y_i that reaches zero along v, and how far that is; `skip` has just crossed.
    fn ratio(&self, v: &[f64], skip: usize) -> (f64, usize) {
        let mut first = (f64::INFINITY, usize::MAX);
        for (i, (&y, &v)) in self.y.iter().zip(v).enumerate() {
            let towards = if self.positive[i] { v < 0.0 } else { v > 0.0 };
            if i != skip && towards && (y / v).abs() < first.0 {
                first = ((y / v).abs(), i);
            }
        }
        first
    }

    fn advance(&mut self, v: &[f64], length: f64) {
        for (y, v) in self.y.iter_mut().zip(v) {
            *y += length * v;
        }
    }

    /// Follows F(y) = (1 - t) F(y_0) from t = 0 to 1, piece by piece as Lemke's method pivots; at a fold of the map, t runs backwards for a
    /// while.
    pub(super) fn follow(&mut self, limit: usize, ways: &mut Ways) -> End {
        let Ways { start, direction, v, crossing } = ways;
        let n = self.y.len();
        if !self.renew() {
            return End::Stuck;
        }
        collect(start, (0..n).map(|i| self.q[i] + (0..n).map(|j| self.entry(i, j) * self.y[j]).sum::<f64>()));
        let mut remaining = 1.0;
        let mut forward = true;
        let mut crossed = usize::MAX;
        self.times_inverse(start, direction);
        for d in &mut *direction {
            *d = -*d;
        }
        while self.pieces < limit {
            self.pieces += 1;
            collect(v, direction.iter().map(|d| if forward { *d } else { -d }));
            let (length, k) = self.ratio(v, crossed);
            if forward && remaining <= length {
                return if self.finish() { End::Zero } else { End::Stuck };
            }
            if k == usize::MAX {
                return End::Ray;
            }
            self.advance(v, length);
            remaining -= if forward { length } else { -length };
            self.y[k] = 0.0;
            let Some(last) = self.cross(Crossing { row: k, upwards: v[k] > 0.0 }, crossing) else { return End::Stuck };
            self.times_inverse(start, direction);
            for d in &mut *direction {
                *d = -*d;
            }
            // The path goes on into the new cell.
            if direction[last.row] == 0.0 || !direction[last.row].is_finite() {
                return End::Stuck;
            }
            forward = (direction[last.row] > 0.0) == last.upwards;
            crossed = last.row;
        }
        End::Limit
    }

    /// Into the cell beyond y_k = 0. If its matrix is singular, follows its null vector (t stands still) into the next one. Returns the
    /// last crossing.
    fn cross(&mut self, crossing: Crossing, exchange: &mut Exchange) -> Option<Crossing> {
        let Exchange { column, d, pivot, null } = exchange;
        let Crossing { row: k, upwards } = crossing;
        let n = self.y.len();
        self.positive[k] = upwards;
        collect(column, (0..n).map(|i| self.entry(i, k)));
        self.times_inverse(column, d);
        let largest = d.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        if d[k].abs() > SINGULAR * largest {
            if self.pieces.is_multiple_of(RENEW) {
                return self.renew().then_some(crossing);
            }
            // Column k of the cell's matrix is exchanged.
            let scale = 1.0 / d[k];
            collect(pivot, self.inverse[k * n..(k + 1) * n].iter().map(|v| v * scale));
            for i in 0..n {
                let row = &mut self.inverse[i * n..(i + 1) * n];
                if i == k {
                    row.copy_from_slice(pivot);
                } else if d[i] != 0.0 {
                    let factor = d[i];
                    for (target, p) in row.iter_mut().zip(&*pivot) {
                        *target -= factor * p;
                    }
                }
            }
            return Some(crossing);
        }
        let sign = if upwards { 1.0 } else { -1.0 };
        collect(null, d.iter().map(|v| -sign * v));
        null[k] = sign;
        let (length, l) = self.ratio(null, k);
        if l == usize::MAX {
            return None;
        }
        self.advance(null, length);
        self.y[l] = 0.0;
        self.positive[l] = null[l] > 0.0;
        self.renew().then_some(Crossing { row: l, upwards: null[l] > 0.0 })
    }

    /// y of this cell's zero, from the matrix itself.
    fn finish(&mut self) -> bool {
        if !self.factorise() {
            return false;
        }
        collect(self.y, self.q.iter().map(|q| -q));
        self.factors.solve(self.y);
        self.y.iter().all(|y| y.is_finite())
    }
}
