use super::storage::{BRICK, FAR, Storage};
use drystone_math::Real;

/// Steps per cell edge in which a floor is stored.
const STEPS: f32 = 4.0;

/// The least value in each cell, in quarters of a cell's edge and rounded down to a byte: one look-up instead of eight,
/// in a table that stays in the cache.
///
/// # Source
/// J-17: Guendelman et al. 2003 store one flag per cell for "far from the surface"; this serves as that flag for any
/// distance.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Floors {
    /// All cells, x running fastest.
    Dense {
        /// Cells along x, and in a layer.
        row: usize,
        layer: usize,
        least: Vec<u8>,
    },
    /// The cells of stored bricks, brick by brick, and one value for each of the other bricks.
    Band { stored: Vec<u8>, far: Vec<u8> },
}

fn floor(corners: [f32; 8], cell: Real) -> u8 {
    let least = corners.into_iter().fold(f32::INFINITY, f32::min);
    // negative values become zero
    (Real::from(least) / cell * Real::from(STEPS)).floor() as u8
}

impl Floors {
    pub(super) fn of(storage: &Storage, nodes: [usize; 3], cell: Real) -> Self {
        match storage {
            Storage::Dense(_) => {
                let cells = nodes.map(|n| n - 1);
                let mut least = Vec::with_capacity(cells[0] * cells[1] * cells[2]);
                for k in 0..cells[2] {
                    for j in 0..cells[1] {
                        least.extend((0..cells[0]).map(|i| floor(storage.corners([i, j, k], nodes).0, cell)));
                    }
                }
                Self::Dense { row: cells[0], layer: cells[0] * cells[1], least }
            }
            Storage::Band(bricks) => {
                let (mut stored, mut far) = (Vec::new(), Vec::new());
                bricks.visit(|brick, place| {
                    far.push(floor(bricks.around(brick), cell));
                    if place != FAR {
                        for at in 0..BRICK * BRICK * BRICK {
                            let local = [at % BRICK, at / BRICK % BRICK, at / (BRICK * BRICK)];
                            let at = core::array::from_fn(|k| BRICK * brick[k] + local[k]);
                            stored.push(floor(bricks.corners(at).0, cell));
                        }
                    }
                });
                Self::Band { stored, far }
            }
        }
    }

    /// A lower bound on the values in a cell, in units of cells; not negative.
    #[inline]
    pub(super) fn at(&self, [i, j, k]: [usize; 3], storage: &Storage) -> f32 {
        let least = match (self, storage) {
            (Self::Dense { row, layer, least }, _) => least[i + row * j + layer * k],
            (Self::Band { stored, far }, Storage::Band(bricks)) => {
                let (brick, place) = bricks.place_of([i, j, k]);
                if place == FAR {
                    far[brick]
                } else {
                    let local = i % BRICK + BRICK * (j % BRICK + BRICK * (k % BRICK));
                    stored[place as usize * (BRICK * BRICK * BRICK) + local]
                }
            }
            // a map's floors always match its own storage
            (Self::Band { .. }, Storage::Dense(_)) => 0,
        };
        f32::from(least) * (1.0 / STEPS)
    }
}
