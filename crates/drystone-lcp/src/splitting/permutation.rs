use crate::parameters::Setting;
use crate::{Colours, LcpError, ParameterInfo, ParameterRange, ProblemView, SplitMix64};

/// In which order a sweep visits the rows.
// F-13, F-14, F-15
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Permutation {
    /// As they stand.
    #[default]
    None,
    /// A new random order before every `every`-th sweep (Erleben 2005, 6.1.4: every 7th in ODE).
    Random {
        /// Sweeps that share an order, at least 1.
        every: usize,
        /// Seed of the orders.
        seed: u64,
    },
    /// By decreasing change in the last sweep (Erleben 2005, Figure 6.8).
    ByError,
    /// By colour: rows of one colour are not coupled, so that a colour's updates could run in parallel with the same result.
    Coloured,
}

/// Sweeps that share a random order where nothing else is said, as in ODE.
const EVERY: usize = 7;

impl Permutation {
    /// What it can be told by name.
    pub const PARAMETERS: &'static [ParameterInfo] = &[
        ParameterInfo {
            name: "permute-every",
            default: 0.0,
            range: ParameterRange::COUNT,
            meaning: "a new random order every so many sweeps (0: none)",
        },
        ParameterInfo {
            name: SEED,
            default: 0.0,
            range: ParameterRange::Whole { least: 0, most: 1 << 53 },
            meaning: "of the random orders, a whole number",
        },
        ParameterInfo {
            name: "order-by-error",
            default: 0.0,
            range: ParameterRange::SWITCH,
            meaning: "1: rows by decreasing change",
        },
    ];

    /// A new random order as often as the texts have it.
    pub const RANDOM: Self = Self::Random { every: EVERY, seed: 0 };

    /// Sets a parameter by its name.
    pub(crate) fn set_parameter(&mut self, set: &Setting<'_>) -> Result<(), LcpError> {
        let [permute_every, of_seed, order_by_error] = Self::PARAMETERS else { return set.unknown() };
        if set.parameter == order_by_error.name {
            let mut by_error = false;
            set.write(order_by_error.range, &mut by_error)?;
            *self = if by_error { Self::ByError } else { Self::None };
            return Ok(());
        }
        let (mut every, mut seed) = match *self {
            Self::Random { every, seed } => (every, seed as usize),
            Self::None | Self::ByError | Self::Coloured => (EVERY, 0),
        };
        if set.parameter == permute_every.name {
            set.write(permute_every.range, &mut every)?;
        } else {
            set.write(of_seed.range, &mut seed)?;
        }
        *self = if every == 0 { Self::None } else { Self::Random { every, seed: seed as u64 } };
        Ok(())
    }
}

/// The parameter that only random orders have.
pub(crate) const SEED: &str = "seed";

/// An index array with parents before the rows that depend on them (Erleben 2005, Figures 6.6-6.7: A itself is never moved).
#[derive(Debug, Clone, Default)]
pub(crate) struct Order {
    rows: Vec<u32>,
    wanted: Vec<u32>,
    placed: Vec<bool>,
    colours: Colours,
    /// Where each colour's next row goes.
    next: Vec<usize>,
}

impl Order {
    pub(crate) fn reset(&mut self, n: usize) {
        self.rows.clear();
        self.rows.extend(0..n as u32);
    }

    pub(crate) fn rows(&self) -> &[u32] {
        &self.rows
    }

    pub(crate) fn shuffle(&mut self, random: &mut SplitMix64, problem: &ProblemView<'_>) {
        for k in (1..self.rows.len()).rev() {
            self.rows.swap(k, random.below(k + 1));
        }
        self.parents_first(problem);
    }

    pub(crate) fn sort_by_error(&mut self, change: &[f64], problem: &ProblemView<'_>) {
        self.rows.sort_unstable_by(|&i, &j| change[j as usize].total_cmp(&change[i as usize]).then(i.cmp(&j)));
        self.parents_first(problem);
    }

    /// Sorts rows by the colours that `colour` gives them in their present order, which they keep within a colour; parents have smaller colours than
    /// their dependent rows.
    pub(crate) fn sort_by_colour(&mut self, colour: impl FnOnce(&[u32], &mut Colours)) {
        let Self { rows, wanted, colours, next, .. } = self;
        colour(rows, colours);
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

    /// Keeps the order but for rows that would come before their parent: the parent is drawn to just before them.
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
            // The chain from the row up to its first placed ancestor is written backwards, then turned.
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
