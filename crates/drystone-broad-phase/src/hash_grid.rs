use crate::PairSort;
use crate::aabb_tree::{Exact, unbounded_pairs};
use drystone_core::catalogue::{Implementation, Parameter, Settings};
use drystone_core::{BodyPair, BroadPhase, BroadPhaseInput};
use drystone_geometry::Aabb;
use drystone_math::{Real, Vec3};

/// A hierarchy of grids in one hash table: each box lies in the cells of the grid whose cells are just larger than it.
///
/// The coarsest grid's cells are as large as the largest box. A box meets those of its own grid in the cells they share, at
/// most two along each axis, and those of coarser grids by looking into the cells it covers there. A pair is reported by the cell that holds the lowest corner of the two
/// boxes' intersection, so by one only. The table is filled anew in each call.
///
/// # Cost
/// O(n L) for L grids in use: the logarithm, to the base of `growth`, of the ratio of sizes.
///
/// # Source
/// I-06; Overmars' subdivision in Mirtich's form, as seeds `002_49f162e0f565e689.txt`, section 3.1, and
/// `003_aa54fc22eb333cf1.txt` name it. Differs in: the table is not kept from call to call.
#[derive(Debug, Clone)]
pub struct HashGrid {
    growth: Real,
    grids: Vec<Grid>,
    unbounded: Vec<u32>,
    /// Grid of each body; [`NO_GRID`] for those beside the grids.
    grid_of: Vec<u16>,
    /// Cells that boxes cover, by bucket.
    entries: Vec<Entry>,
    /// The same in the order of bodies, each with its bucket.
    unsorted: Vec<(u32, Entry)>,
    starts: Vec<u32>,
    pair_sort: PairSort,
}

const NO_GRID: u16 = u16::MAX;

/// A grid in use.
#[derive(Debug, Clone, Copy)]
struct Grid {
    /// How many steps finer than the coarsest one.
    level: u32,
    /// 1 / edge of a cell (1/m).
    scale: Real,
}

/// The number of a cell along each axis, modulo 2^32: a box covers so few cells that no two of them have one number.
type Cell = [i32; 3];

/// A box in a cell.
#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    cell: Cell,
    body: u32,
}

impl Default for HashGrid {
    fn default() -> Self {
        Self::new(2.0)
    }
}

impl HashGrid {
    /// Its entry in the catalogue.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "hash-grid",
        summary: "hierarchy of grids in a hash table, for bodies of very different sizes",
        source: "Overmars 1992; Mirtich 1996",
        parameters: &[Parameter::real(
            "growth",
            2.0,
            1.5,
            64.0,
            "edge of a grid's cells over that of the next finer grid",
        )],
    };

    /// With cells that grow by `growth` (at least 1.5) from grid to grid.
    pub fn new(growth: Real) -> Self {
        Self {
            growth: if growth >= 1.5 { growth } else { 1.5 },
            grids: Vec::new(),
            unbounded: Vec::new(),
            grid_of: Vec::new(),
            entries: Vec::new(),
            unsorted: Vec::new(),
            starts: Vec::new(),
            pair_sort: PairSort::default(),
        }
    }

    /// With the given settings.
    pub fn from_settings(settings: &Settings) -> Self {
        Self::new(settings.real("growth"))
    }

    /// Gives each body its grid: the finest whose cells are no smaller than the box. What is infinite, inverted or not a
    /// number stands beside the grids.
    fn choose_grids(&mut self, boxes: &[Aabb]) {
        self.grids.clear();
        self.unbounded.clear();
        self.grid_of.clear();
        let (mut finest, mut coarsest) = (Real::MAX, Real::MIN_POSITIVE);
        for edge in boxes.iter().map(Aabb::largest_edge).filter(|e| *e > 0.0 && e.is_finite()) {
            (finest, coarsest) = (finest.min(edge), coarsest.max(edge));
        }
        let per_level = 1.0 / self.growth.ln();
        for (i, b) in boxes.iter().enumerate() {
            let size = b.size();
            if !(size.is_finite() && size.min_element() >= 0.0) {
                self.unbounded.push(i as u32);
                self.grid_of.push(NO_GRID);
                continue;
            }
            // a point has no size of its own: it joins the smallest box that has one
            let edge = size.max_element().max(finest.min(coarsest)).max(Real::MIN_POSITIVE);
            // rounded so that a cell is never smaller than its boxes by more than rounding
            let level = ((coarsest.ln() - edge.ln()) * per_level + 1e-9).floor().max(0.0) as u32;
            let grid = self.grids.iter().position(|g| g.level == level).unwrap_or_else(|| {
                self.grids.push(Grid { level, scale: self.growth.powi(level as i32) / coarsest });
                self.grids.len() - 1
            });
            self.grid_of.push(grid as u16);
        }
    }

    /// Sorts the cells that boxes cover into buckets.
    fn fill(&mut self, boxes: &[Aabb]) {
        self.unsorted.clear();
        for (i, b) in boxes.iter().enumerate() {
            let grid = self.grid_of[i];
            if grid != NO_GRID {
                for_cells(b, self.grids[grid as usize].scale, |cell| {
                    self.unsorted.push((mix(cell, grid), Entry { cell, body: i as u32 }));
                });
            }
        }
        let buckets = (2 * self.unsorted.len()).next_power_of_two();
        let mask = buckets as u32 - 1;
        self.starts.clear();
        self.starts.resize(buckets + 1, 0);
        for (hash, _) in &self.unsorted {
            self.starts[(hash & mask) as usize] += 1;
        }
        let mut sum = 0;
        for s in &mut self.starts {
            sum += core::mem::replace(s, sum);
        }
        self.entries.resize(self.unsorted.len(), Entry::default());
        for (hash, e) in &self.unsorted {
            let at = &mut self.starts[(hash & mask) as usize];
            self.entries[*at as usize] = *e;
            *at += 1;
        }
        // each start has moved to the next one's place
        self.starts.rotate_right(1);
        self.starts[0] = 0;
    }

    /// Pairs of one grid: those that share a bucket.
    fn collect_within(&self, input: BroadPhaseInput<'_>, pairs: &mut Vec<BodyPair>) {
        for ends in self.starts.windows(2) {
            let bucket = &self.entries[ends[0] as usize..ends[1] as usize];
            for (k, e) in bucket.iter().enumerate() {
                let grid = self.grid_of[e.body as usize];
                for f in bucket[k + 1..].iter().filter(|f| f.cell == e.cell) {
                    if self.grid_of[f.body as usize] == grid {
                        // a bucket's entries are in the order of bodies
                        self.report(input, BodyPair::ordered(e.body, f.body), e.cell, grid, pairs);
                    }
                }
            }
        }
    }

    /// Pairs of a box and one of a coarser grid: the box looks into the cells there that it covers.
    fn collect_between(&self, input: BroadPhaseInput<'_>, pairs: &mut Vec<BodyPair>) {
        let mask = self.starts.len() as u32 - 2;
        for (i, b) in input.boxes.iter().enumerate() {
            let own = self.grid_of[i];
            if own == NO_GRID {
                continue;
            }
            let level = self.grids[own as usize].level;
            for (g, grid) in self.grids.iter().enumerate().filter(|(_, grid)| grid.level < level) {
                let g = g as u16;
                for_cells(b, grid.scale, |cell| {
                    let at = (mix(cell, g) & mask) as usize;
                    let bucket = &self.entries[self.starts[at] as usize..self.starts[at + 1] as usize];
                    for e in bucket.iter().filter(|e| e.cell == cell && self.grid_of[e.body as usize] == g) {
                        let pair = BodyPair::ordered(e.body.min(i as u32), e.body.max(i as u32));
                        self.report(input, pair, cell, g, pairs);
                    }
                });
            }
        }
    }

    /// Adds a pair that overlaps, if this is the cell that holds the lowest corner of the intersection.
    #[inline]
    fn report(&self, input: BroadPhaseInput<'_>, pair: BodyPair, cell: Cell, grid: u16, pairs: &mut Vec<BodyPair>) {
        if input.overlaps(pair) {
            let corner = input.boxes[pair.a.at()].min.max(input.boxes[pair.b.at()].min);
            if cell_of(corner, self.grids[grid as usize].scale) == cell {
                pairs.push(pair);
            }
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
        self.fill(input.boxes);
        self.collect_within(input, pairs);
        self.collect_between(input, pairs);
        unbounded_pairs(input, &self.unbounded, pairs);
        self.pair_sort.sort(pairs, input.boxes.len());
    }
}

/// The largest whole number that is not above `x`.
#[inline]
fn floor(x: Real) -> i64 {
    let towards_zero = x as i64;
    towards_zero - i64::from((towards_zero as Real) > x)
}

#[inline]
fn cell_of(point: Vec3, scale: Real) -> Cell {
    (point * scale).to_array().map(|x| floor(x) as i32)
}

/// The cells that a box covers.
#[inline]
fn for_cells(b: &Aabb, scale: Real, mut visit: impl FnMut(Cell)) {
    let lo = (b.min * scale).to_array().map(floor);
    let hi = (b.max * scale).to_array().map(floor);
    for z in lo[2]..=hi[2] {
        for y in lo[1]..=hi[1] {
            for x in lo[0]..=hi[0] {
                visit([x as i32, y as i32, z as i32]);
            }
        }
    }
}

/// A hash of a cell. Rows go far apart, by multiplication with large odd numbers; neighbours in a row are neighbours in the
/// table too, where one cache line holds them.
#[inline]
fn mix(cell: Cell, grid: u16) -> u32 {
    let row = u64::from(cell[1] as u32) | u64::from(cell[2] as u32) << 32;
    let mixed = row.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ u64::from(grid).wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
    let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xD6E8_FEB8_6659_FD93) >> 32;
    (mixed as u32).wrapping_add(cell[0] as u32)
}
