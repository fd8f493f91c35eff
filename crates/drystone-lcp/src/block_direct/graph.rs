//! Which blocks there are, which are neighbours, and in what order they are eliminated.
use crate::pivoting::principal::Side;
use crate::sparse_direct::ordering::minimum_degree;
use crate::sparse_direct::structure::find;
use crate::{FactoredOperator, NO_BODY};
use core::ops::Range;

/// Most rows of a block.
pub(super) const MOST: usize = 6;
/// Limit on the multiplications of a factorisation, and on the pairs of neighbours of all blocks together, above which
/// there is no analysis.
const MOST_WORK: f64 = 1e8;
const MOST_PAIRS: usize = 1 << 20;
/// Analyses that are kept.
const KEPT: usize = 8;

/// A block of free rows that touch the same bodies.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Block {
    /// Its rows, as places in [`BlockGraph::rows`].
    pub(super) rows: Range<usize>,
    /// The first of them, if the others follow it in the problem.
    pub(super) first: Option<usize>,
    /// First index of its square of numbers.
    pub(super) diagonal: usize,
    /// The columns below it, as places in [`BlockGraph::below`].
    pub(super) below: Range<usize>,
    /// Positions in [`BlockGraph::targets`] from which its products are to be subtracted, for each pair of its
    /// neighbours.
    pub(super) targets: Range<usize>,
}

impl Block {
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }
}

/// One block of the lower factor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Below {
    /// The block that is eliminated later.
    pub(super) block: usize,
    /// Its first row, as a place in [`BlockGraph::rows`], and how many it has.
    pub(super) first: usize,
    pub(super) len: usize,
    /// First index of its numbers, as many rows as that block has.
    pub(super) values: usize,
}

/// Entries of A: those of two blocks with a body in common.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Source {
    /// Row block and column block.
    pub(super) blocks: [usize; 2],
    /// On which side of each row the common body is.
    pub(super) sides: [usize; 2],
    /// The body.
    pub(super) body: u32,
    /// First index of their storage.
    pub(super) values: usize,
}

/// The blocks in the order of elimination, and where each number of the factors is.
#[derive(Debug, Default)]
pub(super) struct BlockGraph {
    key: Vec<([u32; 2], Side)>,
    complete: bool,
    pub(super) blocks: Vec<Block>,
    /// All blocks, grouped into runs of equally large ones in which each but the last has only the next one below it: chains.
    pub(super) runs: Vec<Range<usize>>,
    /// The problem's rows, block by block.
    pub(super) rows: Vec<usize>,
    pub(super) below: Vec<Below>,
    pub(super) targets: Vec<usize>,
    pub(super) sources: Vec<Source>,
    /// True if no joints close a loop: rows of different joints are then independent.
    pub(super) is_forest: bool,
    /// Number of entries of the factors.
    pub(super) values: usize,
    /// Multiplications of a factorisation, and of a solution.
    pub(super) multiplications: f64,
    pub(super) solution_multiplications: f64,
}

/// Analyses of the problems met last.
#[derive(Debug, Default)]
pub(super) struct Graphs {
    kept: Vec<BlockGraph>,
}

impl Graphs {
    /// The analysis of the last problem.
    pub(super) fn last(&self) -> Option<&BlockGraph> {
        self.kept.first().filter(|g| g.complete)
    }

    /// The analysis of a problem with its free rows; `None` if it fills in too much.
    pub(super) fn of(&mut self, op: &FactoredOperator, sides: &[Side]) -> Option<&BlockGraph> {
        if let Some(k) = self.kept.iter().position(|g| g.is_of(op, sides)) {
            self.kept[..=k].rotate_right(1);
        } else {
            self.kept.truncate(KEPT - 1);
            self.kept.insert(0, BlockGraph::new(op, sides));
        }
        self.last()
    }
}

impl BlockGraph {
    fn is_of(&self, op: &FactoredOperator, sides: &[Side]) -> bool {
        let rows = op.factored_rows();
        let same = |((bodies, side), (row, now)): (&([u32; 2], Side), (&crate::FactoredRow, &Side))| {
            row.bodies == *bodies && (*side == Side::Free) == (*now == Side::Free)
        };
        self.key.len() == rows.len() && self.key.iter().zip(rows.iter().zip(sides)).all(same)
    }

    fn new(op: &FactoredOperator, sides: &[Side]) -> Self {
        let rows = op.factored_rows();
        let mut graph = Self { key: rows.iter().zip(sides).map(|(r, s)| (r.bodies, *s)).collect(), ..Self::default() };
        let free = graph.free_blocks();
        let Some(order) = order(op.bodies(), &free) else { return graph };
        for &b in &order {
            let first = graph.rows.len();
            let own = &free[b as usize].rows;
            graph.rows.extend_from_slice(own);
            let rows = first..graph.rows.len();
            let first = own.first().copied().filter(|first| own.iter().copied().eq(*first..first + own.len()));
            graph.blocks.push(Block { rows, first, diagonal: 0, below: 0..0, targets: 0..0 });
        }
        let bodies: Vec<[u32; 2]> = order.iter().map(|&b| free[b as usize].bodies).collect();
        graph.is_forest = is_forest(op.bodies(), &bodies);
        graph.complete = graph.eliminate(op.bodies(), &bodies);
        graph
    }

    /// Groups of consecutive rows between the same bodies.
    fn free_blocks(&self) -> Vec<FreeBlock> {
        let mut blocks: Vec<FreeBlock> = Vec::new();
        for (i, &(bodies, side)) in self.key.iter().enumerate() {
            if side != Side::Free {
                continue;
            }
            match blocks.last_mut() {
                Some(last) if last.bodies == bodies && last.rows.len() < MOST => last.rows.push(i),
                _ => blocks.push(FreeBlock { bodies, rows: vec![i] }),
            }
        }
        blocks
    }

    /// Finds neighbours, fill-in and the place of each number; false if that is too much.
    fn eliminate(&mut self, bodies: usize, of_block: &[[u32; 2]]) -> bool {
        let count = self.blocks.len();
        let on_body = blocks_of_bodies(bodies, of_block);
        let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut place = vec![usize::MAX; count];
        let mut pairs = 0;
        for k in 0..count {
            let own = of_block[k].iter().filter(|b| **b != NO_BODY).flat_map(|b| &on_body[*b as usize]);
            let mut later: Vec<usize> = own.copied().filter(|&i| i > k).chain(neighbours[k].iter().copied()).collect();
            later.sort_unstable();
            later.dedup();
            // the rest of a block stays with the first of its neighbours
            if let Some((&first, rest)) = later.split_first() {
                neighbours[first].extend_from_slice(rest);
            }
            pairs += later.len() * (later.len() + 1) / 2;
            if pairs > MOST_PAIRS {
                return false;
            }
            neighbours[k] = later;
        }
        self.lay_out(&neighbours);
        self.find_runs();
        self.find_targets(&mut place);
        self.find_sources(of_block, &on_body);
        self.multiplications <= MOST_WORK
    }

    fn lay_out(&mut self, neighbours: &[Vec<usize>]) {
        for k in 0..self.blocks.len() {
            let own = self.blocks[k].len();
            self.blocks[k].diagonal = self.values;
            self.values += own * own;
            let first = self.below.len();
            let mut others = 0;
            for &block in &neighbours[k] {
                let (first, len) = (self.blocks[block].rows.start, self.blocks[block].len());
                self.below.push(Below { block, first, len, values: self.values });
                self.values += own * len;
                others += len;
            }
            self.blocks[k].below = first..self.below.len();
            let (own, others) = (own as f64, others as f64);
            self.multiplications += own * (own + others) * (own + others);
            self.solution_multiplications += own * (own + 2.0 * others);
        }
    }

    /// Groups blocks that follow each other into runs.
    fn find_runs(&mut self) {
        let Self { blocks, below, runs, .. } = self;
        let mut first = 0;
        for (k, block) in blocks.iter().enumerate() {
            let goes_on =
                matches!(&below[block.below.clone()], [next] if next.block == k + 1 && next.len == block.len());
            if !goes_on {
                runs.push(first..k + 1);
                first = k + 1;
            }
        }
    }

    /// Finds where the product for each pair of a block's neighbours is subtracted.
    fn find_targets(&mut self, place: &mut [usize]) {
        for k in 0..self.blocks.len() {
            let below = self.blocks[k].below.clone();
            let first = self.targets.len();
            for j in below.clone() {
                let column = self.below[j].block;
                for slot in self.blocks[column].below.clone() {
                    place[self.below[slot].block] = self.below[slot].values;
                }
                self.targets.push(self.blocks[column].diagonal);
                let later = self.below[j + 1..below.end].iter();
                self.targets.extend(later.map(|i| place[i.block]));
            }
            self.blocks[k].targets = first..self.targets.len();
        }
    }

    /// Finds where the entries of A are stored.
    fn find_sources(&mut self, of_block: &[[u32; 2]], on_body: &[Vec<usize>]) {
        let mut place = vec![usize::MAX; self.blocks.len()];
        for k in 0..self.blocks.len() {
            place[k] = self.blocks[k].diagonal;
            for slot in self.blocks[k].below.clone() {
                place[self.below[slot].block] = self.below[slot].values;
            }
            for (side, &body) in of_block[k].iter().enumerate().filter(|(_, b)| **b != NO_BODY) {
                for &i in on_body[body as usize].iter().filter(|&&i| i >= k) {
                    for other in (0..2).filter(|&s| of_block[i][s] == body) {
                        let (blocks, sides) = ([i, k], [other, side]);
                        self.sources.push(Source { blocks, sides, body, values: place[i] });
                    }
                }
            }
        }
    }
}

/// Consecutive rows between the same bodies, in the problem's order.
struct FreeBlock {
    bodies: [u32; 2],
    rows: Vec<usize>,
}

/// The order of elimination; `None` if it takes too much work.
fn order(bodies: usize, blocks: &[FreeBlock]) -> Option<Vec<u32>> {
    let of_block: Vec<[u32; 2]> = blocks.iter().map(|b| b.bodies).collect();
    let cliques = blocks_of_bodies(bodies, &of_block);
    let cliques = cliques.into_iter().filter(|c| c.len() > 1);
    let cliques = cliques.map(|c| c.into_iter().map(|b| b as u32).collect()).collect();
    let weights: Vec<u32> = blocks.iter().map(|b| b.rows.len() as u32).collect();
    minimum_degree(&weights, cliques, MOST_WORK, &mut 0.0)
}

/// Returns true if the blocks are the edges of a forest, all immovable bodies being one vertex.
fn is_forest(bodies: usize, of_block: &[[u32; 2]]) -> bool {
    let mut leader: Vec<u32> = (0..=bodies as u32).collect();
    of_block.iter().all(|both| {
        let [a, b] = both.map(|body| find(&mut leader, body.min(bodies as u32)));
        leader[a as usize] = b;
        a != b
    })
}

/// The blocks on each body, ascending.
fn blocks_of_bodies(bodies: usize, of_block: &[[u32; 2]]) -> Vec<Vec<usize>> {
    let mut on_body = vec![Vec::new(); bodies];
    for (k, both) in of_block.iter().enumerate() {
        for &body in both.iter().filter(|b| **b != NO_BODY) {
            on_body[body as usize].push(k);
        }
    }
    on_body
}
