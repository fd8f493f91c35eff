use crate::PairSort;
use crate::aabb_tree::{Exact, unbounded_pairs};
use drystone_core::catalogue::{Implementation, Parameter, Settings};
use drystone_core::{BodyPair, BroadPhase, BroadPhaseInput};
use drystone_geometry::Aabb;
use drystone_math::Real;

/// A hierarchy of grids in one hash table: each box lies in the cells of the grid whose cells are just larger than it.
///
/// A box meets those of its own grid and of coarser ones in the cells it covers, at most eight of each grid. A pair is
/// reported by the cell that holds the lowest corner of the two boxes' intersection, so by one only. The table is filled
/// anew in each call.
///
/// # Cost
/// O(n L) for L grids in use: the logarithm, to the base of `growth`, of the ratio of sizes.
///
/// # Source
/// I-06; Overmars' subdivision in Mirtich's form, as seeds `002_49f162e0f565e689.txt`, section 3.1, and
/// `003_aa54fc22eb333cf1.txt` name it. Differs in: the table is not kept from call to call, for filling it costs less than
/// finding what changed.
#[derive(Debug, Clone)]
pub struct HashGrid {
    growth: Real,
    grids: Vec<Grid>,
    unbounded: Vec<u32>,
    /// Grid of each body.
    grid_of: Vec<u16>,
    /// Cells that boxes cover, by bucket.
    entries: Vec<Entry>,
    unsorted: Vec<Entry>,
    starts: Vec<u32>,
    pair_sort: PairSort,
}

/// A grid in use.
#[derive(Debug, Clone, Copy)]
struct Grid {
    level: i32,
    /// 1 / edge of a cell (1/m).
    scale: Real,
}

/// A box in a cell.
#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    cell: [i64; 3],
    grid: u16,
    body: u32,
}

impl Default for HashGrid {
    fn default() -> Self {
        Self::new(4.0)
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
            4.0,
            2.0,
            64.0,
            "edge of a grid's cells over that of the next finer grid",
        )],
    };

    /// With cells that grow by `growth` (at least two) from grid to grid.
    pub fn new(growth: Real) -> Self {
        Self {
            growth: if growth >= 2.0 { growth } else { 2.0 },
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
        // a point has no size of its own: it joins the smallest box that has one
        let finest = boxes.iter().map(Aabb::largest_edge).filter(|e| *e > 0.0).fold(Real::MAX, Real::min);
        let per_level = 1.0 / self.growth.ln();
        for (i, b) in boxes.iter().enumerate() {
            if !(b.min.is_finite() && b.max.is_finite() && b.size().is_finite() && b.size().min_element() >= 0.0) {
                self.unbounded.push(i as u32);
                self.grid_of.push(u16::MAX);
                continue;
            }
            let edge = b.largest_edge().max(finest).max(Real::MIN_POSITIVE);
            let level = (edge.ln() * per_level).ceil() as i32;
            let grid = self.grids.iter().position(|g| g.level == level).unwrap_or_else(|| {
                self.grids.push(Grid { level, scale: self.growth.powi(-level) });
                self.grids.len() - 1
            });
            self.grid_of.push(grid as u16);
        }
    }

    /// Sorts the cells that boxes cover into buckets.
    fn fill(&mut self, boxes: &[Aabb]) {
        self.unsorted.clear();
        for (i, b) in boxes.iter().enumerate().filter(|(i, _)| self.grid_of[*i] != u16::MAX) {
            let grid = self.grid_of[i];
            for_cells(b, self.grids[grid as usize].scale, |cell| {
                self.unsorted.push(Entry { cell, grid, body: i as u32 });
            });
        }
        let buckets = (2 * self.unsorted.len()).next_power_of_two();
        self.starts.clear();
        self.starts.resize(buckets + 1, 0);
        for e in &self.unsorted {
            self.starts[bucket(e.cell, e.grid, buckets)] += 1;
        }
        let mut sum = 0;
        for s in &mut self.starts {
            sum += core::mem::replace(s, sum);
        }
        self.entries.resize(self.unsorted.len(), Entry::default());
        for e in &self.unsorted {
            let at = &mut self.starts[bucket(e.cell, e.grid, buckets)];
            self.entries[*at as usize] = *e;
            *at += 1;
        }
        // each start has moved to the next one's place
        self.starts.rotate_right(1);
        self.starts[0] = 0;
    }

    fn collect(&self, input: BroadPhaseInput<'_>, pairs: &mut Vec<BodyPair>) {
        let buckets = self.starts.len() - 1;
        for (i, b) in input.boxes.iter().enumerate().filter(|(i, _)| self.grid_of[*i] != u16::MAX) {
            let own = self.grid_of[i];
            let level = self.grids[own as usize].level;
            for (g, grid) in self.grids.iter().enumerate().filter(|(_, grid)| grid.level >= level) {
                let g = g as u16;
                for_cells(b, grid.scale, |cell| {
                    let at = bucket(cell, g, buckets);
                    for e in &self.entries[self.starts[at] as usize..self.starts[at + 1] as usize] {
                        // in one grid the body with the smaller index asks
                        if e.cell != cell || e.grid != g || (g == own && e.body <= i as u32) {
                            continue;
                        }
                        let corner = b.min.max(input.boxes[e.body as usize].min);
                        let pair = BodyPair::ordered(e.body.min(i as u32), e.body.max(i as u32));
                        if cell_of(corner, grid.scale) == cell && input.overlaps(pair) {
                            pairs.push(pair);
                        }
                    }
                });
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
        self.collect(input, pairs);
        unbounded_pairs(input, &self.unbounded, pairs);
        self.pair_sort.sort(pairs, input.boxes.len());
    }
}

#[inline]
fn cell_of(point: drystone_math::Vec3, scale: Real) -> [i64; 3] {
    (point * scale).floor().to_array().map(|x| x as i64)
}

/// The cells that a box covers, at most two along an axis for a box no larger than a cell.
#[inline]
fn for_cells(b: &Aabb, scale: Real, mut visit: impl FnMut([i64; 3])) {
    let (lo, hi) = (cell_of(b.min, scale), cell_of(b.max, scale));
    for x in lo[0]..=hi[0] {
        for y in lo[1]..=hi[1] {
            for z in lo[2]..=hi[2] {
                visit([x, y, z]);
            }
        }
    }
}

/// The bucket of a cell in a table of a power of two.
#[inline]
fn bucket(cell: [i64; 3], grid: u16, buckets: usize) -> usize {
    // multiplication by large odd numbers, then the upper half: neighbours go far apart
    let mix = (cell[0] as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ (cell[1] as u64).wrapping_mul(0xC2B2_AE3D_27D4_EB4F)
        ^ (cell[2] as u64).wrapping_mul(0x1656_67B1_9E37_79F9)
        ^ u64::from(grid).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (mix ^ mix >> 32) as usize & (buckets - 1)
}
