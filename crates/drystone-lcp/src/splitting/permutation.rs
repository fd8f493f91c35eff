use crate::parameters::parameters;
use crate::{Colours, LcpError, LcpOperator, ProblemView, SplitMix64};

/// Number of sweeps that share a random order by default (Erleben 2005, 6.1.4: every 7th in ODE).
const EVERY: usize = 7;

parameters! {
    /// In which order a sweep visits the rows: as they stand if nothing is set. An order by error excludes the others; a random order with colours assigns the colours in
    /// random order.
    // F-13, F-14, F-15
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Permutation {
        /// sweeps between new random orders (0: none); not with `order_by_error`
        every ["permute_every"]: usize = count(0),
        /// seed of the random orders, an integer
        seed: u64 = whole(0, 0, 1 << 53),
        /// visit rows by decreasing change in the last sweep; not with `permute_every` or `order_by_colour`
        by_error ["order_by_error"]: bool = switch(false),
        /// visit rows by colour, none coupled to another of its colour; not with `order_by_error`
        by_colour ["order_by_colour"]: bool = switch(false),
    }
}

impl Permutation {
    /// The rows in the given order.
    pub const NONE: Self = Self { every: 0, seed: 0, by_error: false, by_colour: false };

    /// A new random order as often as in the texts.
    pub const RANDOM: Self = Self::random(EVERY, 0);

    /// By decreasing change in the last sweep (Erleben 2005, Figure 6.8).
    pub const BY_ERROR: Self = Self { by_error: true, ..Self::NONE };

    /// By colour: rows of one colour are not coupled, so that a colour's updates could run in parallel with the same result.
    pub const COLOURED: Self = Self { by_colour: true, ..Self::NONE };

    /// A new random order before every `every`-th sweep, by a seed.
    pub const fn random(every: usize, seed: u64) -> Self {
        Self { every, seed, ..Self::NONE }
    }

    /// Returns true if rows are visited in the given order.
    pub const fn is_none(self) -> bool {
        self.every == 0 && !self.by_error && !self.by_colour
    }

    /// Refuses incompatible settings.
    pub(crate) fn check(self, solver: &'static str) -> Result<(), LcpError> {
        let other = match self {
            Self { by_error: true, by_colour: true, .. } => "order_by_colour",
            Self { by_error: true, every: 1.., .. } => "permute_every",
            _ => return Ok(()),
        };
        Err(LcpError::Exclusive { solver, parameters: ["order_by_error", other] })
    }
}

/// An index array with parents before the rows that depend on them (Erleben 2005, Figures 6.6-6.7: A itself is never moved).
#[derive(Debug, Clone, Default)]
pub(crate) struct Order {
    rows: Vec<u32>,
    wanted: Vec<u32>,
    placed: Vec<bool>,
    colours: Colours,
    /// Next position in each colour's rows.
    next: Vec<usize>,
}

impl Order {
    /// Sets the order of the first sweep; none is stored if rows are taken by index.
    pub(crate) fn begin<O: LcpOperator + ?Sized>(&mut self, by: Permutation, op: &O, problem: &ProblemView<'_>) {
        if !by.is_none() {
            self.reset(problem.len());
        }
        // random orders are coloured when they are drawn
        if by.by_colour && by.every == 0 {
            self.parents_first(problem);
            self.sort_by_colour(op, problem);
        }
    }

    /// Sets the order of the next sweep after `swept` sweeps; `change` is what the last one did to each row.
    pub(crate) fn renew<O: LcpOperator + ?Sized>(
        &mut self,
        by: Permutation,
        swept: usize,
        random: &mut SplitMix64,
        change: &[f64],
        op: &O,
        problem: &ProblemView<'_>,
    ) {
        if by.every > 0 && swept.is_multiple_of(by.every) {
            self.shuffle(random, problem);
            if by.by_colour {
                self.sort_by_colour(op, problem);
            }
        }
        if by.by_error && swept > 0 {
            self.sort_by_error(change, problem);
        }
    }

    pub(crate) fn reset(&mut self, n: usize) {
        self.rows.clear();
        self.rows.extend(0..n as u32);
    }

    pub(crate) fn rows(&self) -> &[u32] {
        &self.rows
    }

    fn shuffle(&mut self, random: &mut SplitMix64, problem: &ProblemView<'_>) {
        for k in (1..self.rows.len()).rev() {
            self.rows.swap(k, random.below(k + 1));
        }
        self.parents_first(problem);
    }

    fn sort_by_error(&mut self, change: &[f64], problem: &ProblemView<'_>) {
        self.rows.sort_unstable_by(|&i, &j| change[j as usize].total_cmp(&change[i as usize]).then(i.cmp(&j)));
        self.parents_first(problem);
    }

    /// Sorts rows by the colours that they get in their present order, parents first; within a colour they keep that order. Parents have smaller colours than
    /// their dependent rows.
    fn sort_by_colour<O: LcpOperator + ?Sized>(&mut self, op: &O, problem: &ProblemView<'_>) {
        let Self { rows, wanted, colours, next, .. } = self;
        op.colour(rows, problem.dependency, colours);
        let of_row = |i: u32| colours.of_row[i as usize] as usize;
        let most = rows.iter().map(|&i| of_row(i) + 1).max().unwrap_or(0);
        next.clear();
        next.resize(most + 1, 0);
        for &i in rows.iter() {
            next[of_row(i) + 1] += 1;
        }
        for k in 0..most {
            next[k + 1] += next[k];
        }
        wanted.clear();
        wanted.resize(rows.len(), 0);
        for &i in rows.iter() {
            let at = &mut next[of_row(i)];
            wanted[*at] = i;
            *at += 1;
        }
        core::mem::swap(rows, wanted);
    }

    /// Keeps the order, except that the parent of a row that would come before it is moved to just before that row.
    pub(crate) fn parents_first(&mut self, problem: &ProblemView<'_>) {
        if problem.dependency.is_empty() {
            return;
        }
        self.wanted.clear();
        self.wanted.extend_from_slice(&self.rows);
        self.placed.clear();
        self.placed.resize(self.rows.len(), false);
        self.rows.clear();
        for k in 0..self.wanted.len() {
            // The chain from the row up to its first placed ancestor is written backwards, then reversed.
            let first = self.rows.len();
            let mut row = self.wanted[k] as usize;
            while !self.placed[row] {
                self.placed[row] = true;
                self.rows.push(row as u32);
                match problem.parent(row) {
                    Some(parent) => row = parent,
                    None => break,
                }
            }
            self.rows[first..].reverse();
        }
    }
}
