mod rows;

use crate::PairSort;
use crate::aabb_tree::unbounded_pairs;
use crate::exact::Exact;
use crate::outward_box::is_void;
use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{BodyPair, BroadPhase, BroadPhaseInput, MOST_PAIRS, settings};
use drystone_geometry::Aabb;
use drystone_math::Real;
use drystone_math::elementary::ln;
use rows::Rows;

/// A hierarchy of grids of rows: each box lies in a row, along x, of the finest grid whose rows are wider than the box.
///
/// The coarsest grid's rows are as wide as the largest box. A box reaches into the next row at most, so it can meet boxes of
/// its own grid only in its row and the eight around it, and those of a coarser grid in as many rows there; within rows the
/// boxes are swept from end to end. Rows are numbered modulo 2^16 on either axis and their boxes are contiguous in memory, in
/// the order of the rows and along each: they are radix sorted, not hashed, so that the time per box does not grow with their
/// number.
///
/// # Cost
/// O(n L) for L grids in use; L is the logarithm, to the base `growth`, of the ratio of sizes.
///
/// # Source
/// I-06; Overmars' subdivision in Mirtich's form, as Lennerz, Schömer and Warken 1999, section 3.1, and Mirtich and Canny
/// 1995 name it. Differs in: sorted rows instead of hashed cells (a hash table of cells misses the cache at each box once
/// it is larger), and nothing is kept from call to call.
#[derive(Debug, Clone)]
pub struct HashGrid {
    growth: Real,
    grids: Vec<Grid>,
    unbounded: Vec<u32>,
    /// Grid of each body; [`NO_GRID`] for those in none.
    grid_of: Vec<u16>,
    members: Rows,
    visitors: Rows,
    /// The boxes of a grid with few of them.
    few: Vec<(Aabb, u32)>,
    pair_sort: PairSort,
}

const NO_GRID: u16 = u16::MAX;

/// Up to this many boxes of a grid are better tried one by one.
const FEW: usize = 12;

/// Rows are wider than their boxes by this fraction, so that rounding never lets a box into a third row.
const SLACK: Real = 1e-3;

/// Beyond this row number, rounding would exceed that slack.
const FARTHEST_ROW: Real = (1_u64 << 40) as Real;

/// The least growth from grid to grid.
const LEAST_GROWTH: Real = 1.5;

settings! {
    /// Settings of a [`HashGrid`]'s hierarchy of grids.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct GridSettings {
        /// ratio of a grid's row width to that of the next finer grid
        growth: Real = real(2.0, LEAST_GROWTH, 64.0),
    }
}

/// A grid in use.
#[derive(Debug, Clone, Copy)]
struct Grid {
    /// Number of levels finer than the coarsest grid.
    level: u32,
    /// 1 / width of a row (1/m).
    scale: Real,
    /// Number of boxes.
    count: usize,
}

impl Default for HashGrid {
    fn default() -> Self {
        Self::new(GridSettings::default().growth)
    }
}

impl HashGrid {
    /// Its entry in the catalogue.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "hash-grid",
        summary: "hierarchy of grids with sorted rows, for bodies of very different sizes",
        source: "Overmars 1992; Mirtich 1996",
        parameters: GridSettings::PARAMETERS,
    };

    /// With rows that grow by `growth` (at least 1.5) from grid to grid.
    pub fn new(growth: Real) -> Self {
        Self {
            growth: if growth >= LEAST_GROWTH { growth } else { LEAST_GROWTH },
            grids: Vec::new(),
            unbounded: Vec::new(),
            grid_of: Vec::new(),
            members: Rows::default(),
            visitors: Rows::default(),
            few: Vec::new(),
            pair_sort: PairSort::default(),
        }
    }

    /// With the given settings.
    pub fn from_settings(settings: &Settings) -> Self {
        Self::new(GridSettings::from_settings(settings).growth)
    }

    /// Gives each body its grid: the finest whose rows are no narrower than the box. Boxes that are infinite, inverted,
    /// NaN or too far away for their size are handled outside the grids, and those that can meet nothing are left out.
    fn choose_grids(&mut self, boxes: &[Aabb]) {
        self.grids.clear();
        self.unbounded.clear();
        self.grid_of.clear();
        let (mut finest, mut coarsest) = (Real::MAX, Real::MIN_POSITIVE);
        for edge in boxes.iter().map(Aabb::largest_edge).filter(|e| *e > 0.0 && e.is_finite()) {
            (finest, coarsest) = (finest.min(edge), coarsest.max(edge));
        }
        let finest = finest.min(coarsest).max(Real::MIN_POSITIVE);
        let (largest, per_level) = (ln(coarsest), 1.0 / ln(self.growth));
        // most boxes are like the one before
        let (mut last, mut above, mut up_to) = (0, Real::INFINITY, Real::NEG_INFINITY);
        for (i, b) in boxes.iter().enumerate() {
            let size = b.max - b.min;
            // a point has no size of its own: it joins the smallest box that has one
            let edge = size.max_element().max(finest);
            let sound = size.is_finite() && size.min_element() >= 0.0;
            if sound && !(edge > above && edge <= up_to) {
                let level = ((largest - ln(edge)) * per_level + 1e-9).floor().max(0.0) as u32;
                let width = coarsest * self.growth.powi(-(level as i32));
                // bounds that allow for the rounding of logarithms
                (above, up_to) = (width / self.growth * (1.0 + 1e-6), width);
                last = self.grids.iter().position(|g| g.level == level).unwrap_or_else(|| {
                    self.grids.push(Grid { level, scale: 1.0 / (width * (1.0 + SLACK)), count: 0 });
                    self.grids.len() - 1
                });
            }
            let far = b.min.abs().max(b.max.abs()).max_element();
            if !sound || far * self.grids[last].scale >= FARTHEST_ROW {
                self.unbounded.extend((!is_void(b)).then_some(i as u32));
                self.grid_of.push(NO_GRID);
                continue;
            }
            self.grids[last].count += 1;
            self.grid_of.push(last as u16);
        }
    }

    /// Pairs of a grid with few boxes, among themselves and with all boxes of finer grids: every pair is tried.
    fn try_few(&mut self, input: BroadPhaseInput<'_>, g: usize, pairs: &mut Vec<BodyPair>) {
        self.few.clear();
        let of_grid = self.grid_of.iter().enumerate().filter(|(_, grid)| usize::from(**grid) == g);
        self.few.extend(of_grid.map(|(i, _)| (input.boxes[i], i as u32)));
        for (k, (b, i)) in self.few.iter().enumerate() {
            pairs.extend(
                self.few[k + 1..]
                    .iter()
                    .filter(|(c, _)| b.overlaps(c))
                    .map(|(_, j)| BodyPair::ordered(*i, *j))
                    .filter(|p| input.overlaps(*p)),
            );
        }
        let level = self.grids[g].level;
        if self.grids.iter().all(|other| other.level <= level) {
            return;
        }
        for (j, b) in input.boxes.iter().enumerate() {
            let grid = self.grid_of[j];
            if grid == NO_GRID || self.grids[usize::from(grid)].level <= level {
                continue;
            }
            for (_, i) in self.few.iter().filter(|(c, _)| c.overlaps(b)) {
                let pair = BodyPair::ordered((*i).min(j as u32), (*i).max(j as u32));
                if pairs.len() <= MOST_PAIRS && input.overlaps(pair) {
                    pairs.push(pair);
                }
            }
        }
    }

    /// Pairs among a grid's boxes, and of these with the boxes of finer grids.
    fn sweep_grid(&mut self, input: BroadPhaseInput<'_>, g: usize, pairs: &mut Vec<BodyPair>) {
        let Grid { level, scale, .. } = self.grids[g];
        let grid_of = &self.grid_of;
        let mut report = |i: u32, j: u32| {
            let pair = BodyPair::ordered(i.min(j), i.max(j));
            if pairs.len() <= MOST_PAIRS && input.overlaps(pair) {
                pairs.push(pair);
            }
        };
        self.members.fill(input.boxes, scale, |i| usize::from(grid_of[i]) == g);
        self.members.sweep(&mut report);
        if self.grids.iter().any(|other| other.level > level) {
            let grids = &self.grids;
            let finer = |i: usize| grid_of[i] != NO_GRID && grids[usize::from(grid_of[i])].level > level;
            self.visitors.fill(input.boxes, scale, finer);
            self.visitors.sweep_against(&self.members, &mut report);
        }
    }
}

impl BroadPhase for HashGrid {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn find_pairs(&mut self, input: BroadPhaseInput<'_>, pairs: &mut Vec<BodyPair>) {
        pairs.clear();
        self.choose_grids(input.boxes);
        for g in 0..self.grids.len() {
            match self.grids[g].count {
                0 => {}
                1..=FEW => self.try_few(input, g, pairs),
                _ => self.sweep_grid(input, g, pairs),
            }
        }
        unbounded_pairs(input, &self.unbounded, None, pairs);
        self.pair_sort.sort(pairs, input.boxes.len());
    }
}
