//! L D U of the free rows, without pivoting, on a fixed pattern.
use super::structure::{NONE, Pattern, Structure};
use crate::buffers::refill;

/// A pivot at most this, relative to the diagonal entry it came from, marks a row that depends on those before it.
pub(crate) const DEPENDENT: f64 = 1e-12;
/// A pivot of at most this, relative to its diagonal entry, may belong to a nearly redundant row, or to a heavy body among light
/// ones.
const SUSPECT: f64 = 1e-4;

/// The role of a row in the system; like everything here, by places.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Role {
    /// An unknown with its equation.
    Free,
    /// Follows an unknown: dx = slope dx_root.
    Follows {
        /// The unknown's place.
        root: u32,
        /// Its factor.
        slope: f64,
    },
    /// Stays as it is.
    Held,
}

/// The factors of (A with rows that follow added to their roots)_FF, F the free rows that do not depend on each other.
///
/// # Source
/// Up-looking factorisation over the elimination tree: Davis, Direct Methods for Sparse Linear Systems, 2006, 4.7 and Algorithm 849 (LDL),
/// here with the rows of U beside the columns of L if rows that follow make the system unsymmetric.
#[derive(Debug, Default)]
pub(crate) struct Factors {
    symmetric: bool,
    /// True if U differs from L^T: A is not symmetric, or rows follow others.
    unsymmetric: bool,
    /// A by places along the structure's pattern, and its transpose if A is unsymmetric.
    values: Vec<f64>,
    transposed: Vec<f64>,
    pub(crate) roles: Vec<Role>,
    /// Free rows that depend on earlier ones: they keep their x.
    pub(crate) dropped: Vec<bool>,
    /// Multiplications of all factorisations and solves since this was set to zero.
    pub(crate) work: f64,
    /// Number of dropped rows.
    pub(crate) redundant: usize,
    /// Number of free rows with pivots that are small beside their diagonal entries.
    pub(crate) suspects: usize,
    lengths: Vec<usize>,
    indices: Vec<u32>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    pivots: Vec<f64>,
    flag: Vec<u32>,
    reach: Vec<u32>,
    column: Vec<f64>,
    row: Vec<f64>,
    followers: Vec<u32>,
    next_follower: Vec<u32>,
}

/// Multiplications that take as long as sorting one row of a reach into order.
const SORTED: f64 = 16.0;

impl Factors {
    /// Reads the entries of A.
    pub(crate) fn read<P: Pattern>(&mut self, op: &P, structure: &Structure) {
        let row_at = &structure.row_at;
        self.symmetric = op.is_symmetric();
        self.values.clear();
        self.transposed.clear();
        for k in 0..row_at.len() {
            for &j in &structure.columns[structure.starts[k]..structure.starts[k + 1]] {
                let (i, j) = (row_at[k] as usize, row_at[j as usize] as usize);
                if self.symmetric {
                    self.values.push(op.entry(i.min(j), i.max(j)));
                } else {
                    self.values.push(op.entry(i, j));
                    self.transposed.push(op.entry(j, i));
                }
            }
        }
        refill(&mut self.roles, row_at.len(), Role::Held);
    }

    /// Reads the entries of the geometric Gram matrix instead; false if the operator has none.
    pub(crate) fn read_geometry<P: Pattern>(&mut self, op: &P, structure: &Structure) -> bool {
        let row_at = &structure.row_at;
        self.symmetric = true;
        self.values.clear();
        self.transposed.clear();
        for k in 0..row_at.len() {
            for &j in &structure.columns[structure.starts[k]..structure.starts[k + 1]] {
                let (i, j) = (row_at[k] as usize, row_at[j as usize] as usize);
                let Some(value) = op.geometric_entry(i.min(j), i.max(j)) else { return false };
                self.values.push(value);
            }
        }
        refill(&mut self.roles, row_at.len(), Role::Held);
        true
    }

    /// Returns true if A_ij = A_ji throughout.
    pub(crate) fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    /// A by places along the structure's pattern.
    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }

    /// Factorises for the roles as they are set; `shift` times A_ii is added to the diagonal, and rows whose pivot is at most `dependent` times it
    /// are dropped.
    pub(crate) fn factorise(&mut self, structure: &Structure, shift: f64, dependent: f64) {
        let n = structure.row_at.len();
        let entries = structure.column_starts.last().copied().unwrap_or(0);
        refill(&mut self.followers, n, NONE);
        refill(&mut self.next_follower, n, NONE);
        let mut following = false;
        for k in 0..n {
            if let Role::Follows { root, slope } = self.roles[k]
                && slope != 0.0
            {
                self.next_follower[k] = self.followers[root as usize];
                self.followers[root as usize] = k as u32;
                following = true;
            }
        }
        self.unsymmetric = following || !self.symmetric;
        refill(&mut self.lengths, n, 0);
        self.indices.resize(entries, 0);
        self.lower.resize(entries, 0.0);
        self.upper.resize(if self.unsymmetric { entries } else { 0 }, 0.0);
        refill(&mut self.pivots, n, 1.0);
        refill(&mut self.dropped, n, false);
        refill(&mut self.flag, n, NONE);
        refill(&mut self.column, n, 0.0);
        refill(&mut self.row, n, 0.0);
        self.redundant = 0;
        self.suspects = 0;
        for k in 0..n {
            if self.roles[k] == Role::Free {
                self.reach.clear();
                self.flag[k] = k as u32;
                let diagonal = self.gather_row(structure, k, shift);
                self.gather_column(structure, k);
                let pivot = self.eliminate(structure, diagonal);
                let depends = pivot.is_nan() || pivot.abs() <= dependent * diagonal.abs();
                self.suspects += usize::from(depends || pivot.abs() <= SUSPECT * diagonal.abs());
                self.store(structure, k, (!depends).then_some(pivot));
            }
        }
    }

    /// Walks from a neighbour up the elimination tree to a place visited before; the path is added to the reach.
    fn climb(&mut self, structure: &Structure, from: usize, k: usize) {
        let mut i = from;
        while i < k && self.flag[i] != k as u32 {
            self.flag[i] = k as u32;
            self.reach.push(i as u32);
            i = structure.parent[i] as usize;
        }
    }

    /// Gathers row k of the system before the diagonal, and the part of its column that comes from the same entries;
    /// returns the diagonal entry.
    fn gather_row(&mut self, structure: &Structure, k: usize, shift: f64) -> f64 {
        let mut diagonal = 0.0;
        for p in structure.starts[k]..structure.starts[k + 1] {
            let j = structure.columns[p] as usize;
            let a = self.values[p];
            match self.roles[j] {
                Role::Free if j == k => diagonal += a + shift * a,
                Role::Free if j < k && !self.dropped[j] => {
                    let across = if self.symmetric { a } else { self.transposed[p] };
                    self.row[j] += a;
                    self.column[j] += across;
                    self.climb(structure, j, k);
                }
                Role::Free | Role::Held => {}
                // Row k, column of the root.
                Role::Follows { root, slope } => {
                    let root = root as usize;
                    if root == k {
                        diagonal += slope * a;
                    } else if root < k && !self.dropped[root] {
                        self.row[root] += slope * a;
                        self.climb(structure, root, k);
                    }
                }
            }
        }
        diagonal
    }

    /// Gathers column k: what followers of k add to the equations of earlier rows.
    fn gather_column(&mut self, structure: &Structure, k: usize) {
        let mut follower = self.followers[k];
        while follower != NONE {
            let s = follower as usize;
            if let Role::Follows { slope, .. } = self.roles[s] {
                for p in structure.starts[s]..structure.starts[s + 1] {
                    let i = structure.columns[p] as usize;
                    if i >= k {
                        break;
                    }
                    if self.roles[i] == Role::Free && !self.dropped[i] {
                        self.column[i] += slope * if self.symmetric { self.values[p] } else { self.transposed[p] };
                        self.climb(structure, i, k);
                    }
                }
            }
            follower = self.next_follower[s];
        }
    }

    /// Solves with the rows before for row k of L and column k of U, not yet divided by the pivots; returns the pivot.
    fn eliminate(&mut self, structure: &Structure, diagonal: f64) -> f64 {
        // Parents have larger places than their children: ascending order is a topological one.
        self.reach.sort_unstable();
        self.work += SORTED * self.reach.len() as f64;
        let mut pivot = diagonal;
        for &i in &self.reach {
            let i = i as usize;
            let range = structure.column_starts[i]..structure.column_starts[i] + self.lengths[i];
            let (y, z) = (self.column[i], self.row[i]);
            self.work += (1 + range.len() * if self.unsymmetric { 2 } else { 1 }) as f64;
            for p in range.clone() {
                self.column[self.indices[p] as usize] -= self.lower[p] * y;
            }
            if self.unsymmetric {
                for p in range {
                    self.row[self.indices[p] as usize] -= self.upper[p] * z;
                }
                pivot -= z / self.pivots[i] * y;
            } else {
                pivot -= y / self.pivots[i] * y;
            }
        }
        pivot
    }

    /// Puts row k into the factors, unless it depends on those before and has no pivot, and clears the gathered entries.
    fn store(&mut self, structure: &Structure, k: usize, pivot: Option<f64>) {
        if let Some(pivot) = pivot {
            self.pivots[k] = pivot;
        } else {
            self.dropped[k] = true;
            self.redundant += 1;
        }
        for &i in &self.reach {
            let i = i as usize;
            let (y, z) = (self.column[i], if self.unsymmetric { self.row[i] } else { self.column[i] });
            if pivot.is_some() && (y != 0.0 || z != 0.0) {
                let p = structure.column_starts[i] + self.lengths[i];
                self.indices[p] = k as u32;
                self.lower[p] = z / self.pivots[i];
                if self.unsymmetric {
                    self.upper[p] = y / self.pivots[i];
                }
                self.lengths[i] += 1;
            }
            self.column[i] = 0.0;
            self.row[i] = 0.0;
        }
        self.column[k] = 0.0;
        self.row[k] = 0.0;
    }

    /// Replaces the right-hand side (by places, zero where there is no equation) by the solution.
    pub(crate) fn solve(&mut self, structure: &Structure, x: &mut [f64]) {
        let n = x.len();
        self.work += 2.0 * self.lengths.iter().sum::<usize>() as f64;
        let upper = if self.upper.is_empty() { &self.lower } else { &self.upper };
        for i in 0..n {
            let start = structure.column_starts[i];
            let value = x[i];
            if value != 0.0 {
                for p in start..start + self.lengths[i] {
                    x[self.indices[p] as usize] -= self.lower[p] * value;
                }
            }
        }
        for (x, pivot) in x.iter_mut().zip(&self.pivots) {
            *x /= pivot;
        }
        for i in (0..n).rev() {
            let start = structure.column_starts[i];
            let mut sum = x[i];
            for p in start..start + self.lengths[i] {
                sum -= upper[p] * x[self.indices[p] as usize];
            }
            x[i] = sum;
        }
    }
}
