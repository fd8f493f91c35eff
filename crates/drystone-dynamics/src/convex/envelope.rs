use drystone_math::Real;

/// A 6 x 6 block, row by row.
pub(super) type Block = [Real; 36];

/// If one factorisation took more multiplications than this, the blocks off the diagonal are left out: the matrix solved with is then block-diagonal.
const MOST_WORK: Real = 2e10;

/// A symmetric positive definite matrix of 6 x 6 blocks, one row of blocks per body, and its Cholesky factor in place.
///
/// Bodies are taken in the reverse order of a breadth-first search (Cuthill and McKee), and of each row the blocks from its first neighbour to the diagonal are kept: all fill-in
/// lies within these. Buffers are kept; nothing is allocated once they are large enough.
///
/// # Cost
/// 216 multiplications for each pair of blocks of a row: bodies times the square of the bandwidth.
///
/// # Source
/// Cuthill and McKee 1969; George and Liu 1981, chapter 4 (envelope method).
#[derive(Debug, Default)]
pub(super) struct Envelope {
    /// The place of each body, and (below) the body at each place.
    place: Vec<u32>,
    order: Vec<u32>,
    /// The first block of each row, and where its blocks begin.
    first: Vec<u32>,
    starts: Vec<usize>,
    blocks: Vec<Block>,
    /// Neighbours of each body, needed for the order.
    pairs: Vec<[u32; 2]>,
    neighbour_starts: Vec<u32>,
    seen: Vec<bool>,
}

impl Envelope {
    /// Multiplications of a factorisation.
    pub(super) fn work(&self) -> Real {
        self.first.iter().enumerate().map(|(i, f)| 216.0 * (i as Real - Real::from(*f)).powi(2)).sum()
    }

    /// Takes the pattern of a matrix for `bodies` bodies, where those in `pairs` are coupled.
    pub(super) fn shape(&mut self, bodies: usize, pairs: impl Iterator<Item = [u32; 2]>) {
        self.pairs.clear();
        for [a, b] in pairs.filter(|[a, b]| a != b) {
            self.pairs.extend([[a, b], [b, a]]);
        }
        self.pairs.sort_unstable();
        self.pairs.dedup();
        self.neighbour_starts.clear();
        self.neighbour_starts.extend((0..=bodies as u32).map(|i| self.pairs.partition_point(|p| p[0] < i) as u32));
        self.arrange(bodies);
        self.first.clear();
        self.first.extend(0..bodies as u32);
        for &[a, b] in &self.pairs {
            let (i, j) = (self.place[a as usize], self.place[b as usize]);
            if j < i {
                self.first[i as usize] = self.first[i as usize].min(j);
            }
        }
        if self.work() > MOST_WORK {
            self.first.clear();
            self.first.extend(0..bodies as u32);
        }
        self.starts.clear();
        self.starts.push(0);
        let mut end = 0;
        for (i, first) in self.first.iter().enumerate() {
            end += i + 1 - *first as usize;
            self.starts.push(end);
        }
    }

    fn neighbours(&self, body: u32) -> core::ops::Range<usize> {
        self.neighbour_starts[body as usize] as usize..self.neighbour_starts[body as usize + 1] as usize
    }

    /// Finds the order: breadth-first from a body at the edge of each component, then reversed.
    fn arrange(&mut self, bodies: usize) {
        self.order.clear();
        self.seen.clear();
        self.seen.resize(bodies, false);
        for body in 0..bodies as u32 {
            if self.seen[body as usize] {
                continue;
            }
            // the last body that a search finds is at the edge
            let first = self.order.len();
            self.search(body);
            let edge = self.order[self.order.len() - 1];
            for k in first..self.order.len() {
                self.seen[self.order[k] as usize] = false;
            }
            self.order.truncate(first);
            self.search(edge);
        }
        self.order.reverse();
        self.place.clear();
        self.place.resize(bodies, 0);
        for (k, &body) in self.order.iter().enumerate() {
            self.place[body as usize] = k as u32;
        }
    }

    /// Appends the component of a body, breadth-first.
    fn search(&mut self, from: u32) {
        let mut next = self.order.len();
        self.seen[from as usize] = true;
        self.order.push(from);
        while next < self.order.len() {
            let found = self.order.len();
            for k in self.neighbours(self.order[next]) {
                let body = self.pairs[k][1];
                if !core::mem::replace(&mut self.seen[body as usize], true) {
                    self.order.push(body);
                }
            }
            let Self { order, neighbour_starts: starts, .. } = self;
            order[found..].sort_unstable_by_key(|&b| (starts[b as usize + 1] - starts[b as usize], b));
            next += 1;
        }
    }

    /// Sets the matrix to the identity.
    pub(super) fn reset(&mut self) {
        self.blocks.clear();
        self.blocks.resize(self.starts[self.first.len()], [0.0; 36]);
        for end in &self.starts[1..] {
            let block = &mut self.blocks[end - 1];
            for d in 0..6 {
                block[7 * d] = 1.0;
            }
        }
    }

    /// Adds `l^T r` to the block of two bodies, where l and r have the same number of rows; if the bodies differ, its mirror image is added too.
    pub(super) fn add(&mut self, [a, b]: [u32; 2], l: &[[Real; 6]], r: &[[Real; 6]]) {
        let (i, j) = (self.place[a as usize], self.place[b as usize]);
        let (i, j, l, r) = if i < j { (j, i, r, l) } else { (i, j, l, r) };
        if j < self.first[i as usize] {
            return;
        }
        let block = &mut self.blocks[self.starts[i as usize] + (j - self.first[i as usize]) as usize];
        for (l, r) in l.iter().zip(r) {
            for (line, l) in block.as_chunks_mut::<6>().0.iter_mut().zip(l) {
                for (entry, r) in line.iter_mut().zip(r) {
                    *entry += l * r;
                }
            }
        }
    }

    /// Replaces the matrix by its factor.
    pub(super) fn factor(&mut self) {
        for i in 0..self.first.len() {
            let (before, own) = self.blocks.split_at_mut(self.starts[i]);
            let first = self.first[i] as usize;
            for j in first..i {
                let (start, other) = (self.starts[j], self.first[j] as usize);
                let (done, rest) = own.split_at_mut(j - first);
                for k in first.max(other)..j {
                    subtract_product(&mut rest[0], &done[k - first], &before[start + k - other]);
                }
                divide(&mut rest[0], &before[start + j - other]);
            }
            let (done, rest) = own.split_at_mut(i - first);
            for block in done.iter() {
                subtract_product(&mut rest[0], block, block);
            }
            cholesky(&mut rest[0]);
        }
    }

    /// Solves with the factor; `x` holds the right-hand side by body, then the solution. `work` is a buffer.
    pub(super) fn solve(&self, x: &mut [[Real; 6]], work: &mut Vec<[Real; 6]>) {
        work.clear();
        work.extend(self.order.iter().map(|&b| x[b as usize]));
        for i in 0..self.first.len() {
            let row = &self.blocks[self.starts[i]..self.starts[i + 1]];
            let (before, own) = work.split_at_mut(i);
            let z = &mut own[0];
            for (block, y) in row.iter().zip(&before[self.first[i] as usize..]) {
                for (z, line) in z.iter_mut().zip(block.as_chunks::<6>().0) {
                    *z -= six_dot(line, y);
                }
            }
            let diagonal = &row[row.len() - 1];
            for r in 0..6 {
                for c in 0..r {
                    z[r] -= diagonal[6 * r + c] * z[c];
                }
                z[r] /= diagonal[7 * r];
            }
        }
        for i in (0..self.first.len()).rev() {
            let row = &self.blocks[self.starts[i]..self.starts[i + 1]];
            let (before, own) = work.split_at_mut(i);
            let z = &mut own[0];
            let diagonal = &row[row.len() - 1];
            for r in (0..6).rev() {
                for c in r + 1..6 {
                    z[r] -= diagonal[6 * c + r] * z[c];
                }
                z[r] /= diagonal[7 * r];
            }
            for (block, y) in row.iter().zip(&mut before[self.first[i] as usize..]) {
                for (z, line) in z.iter().zip(block.as_chunks::<6>().0) {
                    for (y, entry) in y.iter_mut().zip(line) {
                        *y -= z * entry;
                    }
                }
            }
        }
        for (z, &body) in work.iter().zip(&self.order) {
            x[body as usize] = *z;
        }
    }
}

pub(super) fn six_dot(a: &[Real; 6], b: &[Real; 6]) -> Real {
    ((a[0] * b[0] + a[2] * b[2]) + a[4] * b[4]) + ((a[1] * b[1] + a[3] * b[3]) + a[5] * b[5])
}

/// `s -= a b^T`.
fn subtract_product(s: &mut Block, a: &Block, b: &Block) {
    for (line, a) in s.as_chunks_mut::<6>().0.iter_mut().zip(a.as_chunks::<6>().0) {
        for (entry, b) in line.iter_mut().zip(b.as_chunks::<6>().0) {
            *entry -= six_dot(a, b);
        }
    }
}

/// `s := s L^-T`, L lower triangular.
fn divide(s: &mut Block, l: &Block) {
    for line in s.as_chunks_mut::<6>().0 {
        for c in 0..6 {
            for k in 0..c {
                line[c] -= line[k] * l[6 * c + k];
            }
            line[c] /= l[7 * c];
        }
    }
}

/// Replaces the lower triangle by the factor; the upper one is not read.
fn cholesky(s: &mut Block) {
    for r in 0..6 {
        for c in 0..=r {
            let mut sum = s[6 * r + c];
            for k in 0..c {
                sum -= s[6 * r + k] * s[6 * c + k];
            }
            // the matrix is at least the identity: less is rounding
            s[6 * r + c] = if r == c { sum.max(Real::EPSILON).sqrt() } else { sum / s[7 * c] };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_lcp::SplitMix64;

    #[test]
    fn solves_what_was_added() {
        let mut random = SplitMix64::new(3);
        let pairs = [[0, 4], [4, 2], [2, 6], [6, 0], [1, 5], [3, 3], [5, 4]];
        let mut matrix = Envelope::default();
        // twice, the second time for the remainder of the first
        for _ in 0..2 {
            matrix.shape(7, pairs.into_iter());
            matrix.reset();
            let mut dense = vec![vec![0.0; 42]; 42];
            for (k, row) in dense.iter_mut().enumerate() {
                row[k] = 1.0;
            }
            for [a, b] in pairs {
                let mut rows = [[0.0; 6]; 2];
                let sides: Vec<[[Real; 6]; 2]> = (0..2)
                    .map(|_| {
                        rows.iter_mut().flatten().for_each(|v| *v = 2.0 * random.unit() - 1.0);
                        rows
                    })
                    .collect();
                let [left, right] = [&sides[0], &sides[1]];
                matrix.add([a, a], left, left);
                if a != b {
                    matrix.add([b, b], right, right);
                    matrix.add([a, b], left, right);
                }
                let mut put = |i: u32, j: u32, l: &[[Real; 6]; 2], r: &[[Real; 6]; 2]| {
                    for (l, r) in l.iter().zip(r) {
                        for p in 0..6 {
                            for q in 0..6 {
                                dense[6 * i as usize + p][6 * j as usize + q] += l[p] * r[q];
                            }
                        }
                    }
                };
                put(a, a, left, left);
                if a != b {
                    put(b, b, right, right);
                    put(a, b, left, right);
                    put(b, a, right, left);
                }
            }
            let wanted: Vec<[Real; 6]> = (0..7).map(|_| core::array::from_fn(|_| 2.0 * random.unit() - 1.0)).collect();
            let mut x: Vec<[Real; 6]> = (0..7)
                .map(|i| core::array::from_fn(|p| (0..42).map(|q| dense[6 * i + p][q] * wanted[q / 6][q % 6]).sum()))
                .collect();
            matrix.factor();
            matrix.solve(&mut x, &mut Vec::new());
            for (x, w) in x.iter().zip(&wanted) {
                for (x, w) in x.iter().zip(w) {
                    assert!((x - w).abs() < 1e-10, "{x} {w}");
                }
            }
        }
    }
}
