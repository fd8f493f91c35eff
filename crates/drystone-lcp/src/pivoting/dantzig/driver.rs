//! Drives one row after the other to its condition while those before it keep theirs.
use super::clamped::{Clamped, ClampedWorkspace, DEPENDENT};
use crate::buffers::refill;
use crate::operator::dense::dot;
use crate::{DenseOperator, LcpOperator, ProblemView};

/// Event that stops the driving of a row.
enum Event {
    /// Its w reached zero.
    Zero,
    /// It met its own bound.
    Bound(f64),
    /// A clamped row met the bound given.
    Release(usize, f64),
    /// The w of a row at its bound reached zero.
    Clamp(usize),
}

/// Drive of a row: the sign of the change of its x, and the resulting change of its w.
#[derive(Clone, Copy)]
struct Drive {
    row: usize,
    sign: f64,
    own: f64,
}

/// x and w of the rows that are done, and the sets they are in.
pub(super) struct Driver<'a> {
    pub(super) a: &'a DenseOperator,
    pub(super) lo: &'a mut Vec<f64>,
    pub(super) hi: &'a mut Vec<f64>,
    pub(super) x: &'a mut Vec<f64>,
    pub(super) w: &'a mut Vec<f64>,
    pub(super) clamped: Clamped<'a>,
    pub(super) in_clamped: &'a mut Vec<bool>,
    pub(super) done: &'a mut Vec<usize>,
    /// Rows that the block start has settled at a bound.
    pub(super) placed: &'a mut Vec<bool>,
    pub(super) pivots: usize,
    pub(super) direction: &'a mut Vec<f64>,
    /// Rows at a bound, with the change of their w along the direction.
    pub(super) outside: &'a mut Vec<(usize, f64)>,
    /// The change of the clamped rows along the direction.
    change: &'a mut Vec<f64>,
    /// w below this is rounding.
    rounding: f64,
}

/// Buffers of the driving between solves.
#[derive(Debug, Default)]
pub(super) struct DriverWorkspace {
    clamped: ClampedWorkspace,
    /// lo, hi, x, w and the direction.
    columns: [Vec<f64>; 5],
    in_clamped: Vec<bool>,
    done: Vec<usize>,
    placed: Vec<bool>,
    outside: Vec<(usize, f64)>,
    change: Vec<f64>,
}

/// Rounding error of w, relative to the largest |b|.
const ROUNDING: f64 = 1e-13;

impl<'a> Driver<'a> {
    pub(super) fn new(a: &'a DenseOperator, b: &[f64], symmetric: bool, workspace: &'a mut DriverWorkspace) -> Self {
        let DriverWorkspace { clamped, columns, in_clamped, done, placed, outside, change } = workspace;
        let n = a.rows();
        for column in &mut *columns {
            refill(column, n, 0.0);
        }
        refill(in_clamped, n, false);
        refill(placed, n, false);
        done.clear();
        let [lo, hi, x, w, direction] = columns;
        let clamped = Clamped::new(a, symmetric, clamped);
        let rounding = ROUNDING * b.iter().fold(0.0_f64, |m, b| m.max(b.abs()));
        let pivots = 0;
        Self { a, lo, hi, x, w, clamped, in_clamped, done, placed, pivots, direction, outside, change, rounding }
    }

    /// Resets everything, with the bounds of these rows at `parents`; nothing is clamped.
    pub(super) fn restart(&mut self, problem: &ProblemView<'_>, rows: &[usize], parents: &[f64]) {
        for &i in rows {
            (self.lo[i], self.hi[i]) = problem.bounds(i, parents);
        }
        self.clamped.clear();
        self.in_clamped.fill(false);
        self.placed.fill(false);
        self.x.fill(0.0);
        self.w.fill(0.0);
        self.done.clear();
    }

    /// Drives row d to w_d = 0 or a bound; false if neither can be reached, or the limit is.
    pub(super) fn drive(&mut self, d: usize, limit: usize) -> bool {
        let scale = self.w[d].abs().max(1e-300);
        while !self.is_satisfied(d, scale) {
            if self.pivots >= limit {
                return false;
            }
            self.pivots += 1;
            let drive = self.aim(d);
            if self.is_zero(drive) && self.w[d].abs() <= self.rounding {
                // it depends on the clamped rows and agrees with them: nothing to drive
                self.done.push(d);
                return true;
            }
            let (step, event) = self.first_event(drive);
            if !step.is_finite() {
                self.done.push(d);
                return false;
            }
            self.go(drive, step);
            match event {
                Event::Zero => self.w[d] = 0.0,
                Event::Bound(bound) => {
                    self.x[d] = bound;
                    self.done.push(d);
                    return true;
                }
                Event::Release(i, target) => {
                    self.x[i] = target;
                    self.w[i] = 0.0;
                    self.clamped.remove(i);
                    self.in_clamped[i] = false;
                }
                Event::Clamp(i) => {
                    self.w[i] = 0.0;
                    self.in_clamped[i] = self.clamped.push(i);
                    if !self.in_clamped[i] {
                        self.done.push(d);
                        return false;
                    }
                }
            }
        }
        if self.x[d] > self.lo[d] && self.x[d] < self.hi[d] && self.clamped.push(d) {
            self.in_clamped[d] = true;
        }
        self.done.push(d);
        true
    }

    /// Returns true if a row's condition holds, judging w relative to its initial value.
    fn is_satisfied(&self, d: usize, scale: f64) -> bool {
        self.w[d].abs() <= 1e-15 * scale
            || (self.x[d] <= self.lo[d] && self.w[d] >= 0.0)
            || (self.x[d] >= self.hi[d] && self.w[d] <= 0.0)
            || self.lo[d] == self.hi[d]
    }

    /// The direction of x, and the change of w for the driven row and the rows at a bound.
    fn aim(&mut self, row: usize) -> Drive {
        let sign = if self.w[row] < 0.0 { 1.0 } else { -1.0 };
        let Self { a, clamped, change, direction, outside, done, in_clamped, .. } = self;
        clamped.response(row, change);
        direction.fill(0.0);
        for (&i, v) in clamped.rows.iter().zip(change.iter_mut()) {
            *v *= sign;
            direction[i] = *v;
        }
        direction[row] = sign;
        let own = dot(a.row(row), direction);
        outside.clear();
        outside.extend(done.iter().filter(|&&i| !in_clamped[i]).map(|&i| (i, dot(a.row(i), direction))));
        Drive { row, sign, own }
    }

    /// Returns true if the driven row's w does not change: it depends on the clamped rows.
    fn is_zero(&self, Drive { row, own, .. }: Drive) -> bool {
        own.abs() <= DEPENDENT * self.a.get(row, row).abs()
    }

    /// The first event on the way, and how far away it is. A value that moves by rounding alone reaches no event.
    fn first_event(&self, drive: Drive) -> (f64, Event) {
        let Drive { row: d, sign, own } = drive;
        let bound = if sign > 0.0 { self.hi[d] } else { self.lo[d] };
        let (mut step, mut event) = ((bound - self.x[d]).abs(), Event::Bound(bound));
        if own * sign > 0.0 && !self.is_zero(drive) && -self.w[d] / own < step {
            (step, event) = (-self.w[d] / own, Event::Zero);
        }
        let moves = DEPENDENT * self.direction.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        for (&i, &v) in self.clamped.rows.iter().zip(&*self.change) {
            let target = if v > 0.0 { self.hi[i] } else { self.lo[i] };
            if v.abs() > moves && target.is_finite() {
                let reach = ((target - self.x[i]) / v).max(0.0);
                if reach < step {
                    (step, event) = (reach, Event::Release(i, target));
                }
            }
        }
        for &(i, v) in &*self.outside {
            let leaves = (self.x[i] <= self.lo[i] && v < 0.0) || (self.x[i] >= self.hi[i] && v > 0.0);
            if leaves && self.lo[i] < self.hi[i] && v.abs() > DEPENDENT * self.a.get(i, i).abs() {
                let reach = (-self.w[i] / v).max(0.0);
                if reach < step {
                    (step, event) = (reach, Event::Clamp(i));
                }
            }
        }
        (step, event)
    }

    /// Moves by `step` along the direction.
    fn go(&mut self, Drive { row: d, sign, own }: Drive, step: f64) {
        self.x[d] += sign * step;
        self.w[d] += own * step;
        for (&i, v) in self.clamped.rows.iter().zip(&*self.change) {
            self.x[i] += v * step;
        }
        for &(i, v) in &*self.outside {
            self.w[i] += v * step;
        }
    }
}
