use drystone_math::Real;

/// Cells along an edge of a brick.
pub(super) const BRICK: usize = 4;
/// Nodes along an edge of a brick.
const EDGE: usize = BRICK + 1;
/// Marks a brick that is not stored.
pub(super) const FAR: u32 = u32::MAX;

/// Node values of a map.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Storage {
    /// All of them, x running fastest.
    Dense(Vec<f32>),
    /// Those near the surface.
    Band(Bricks),
}

impl Storage {
    pub(super) fn dense(nodes: [usize; 3], value: &mut impl FnMut([usize; 3]) -> f32) -> Self {
        let mut values = Vec::with_capacity(nodes[0] * nodes[1] * nodes[2]);
        for k in 0..nodes[2] {
            for j in 0..nodes[1] {
                values.extend((0..nodes[0]).map(|i| value([i, j, k])));
            }
        }
        Self::Dense(values)
    }

    /// Number of stored values.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Dense(values) => values.len(),
            Self::Band(b) => b.coarse.len() + b.values.len(),
        }
    }

    /// The values at the corners of the cell whose lowest node is given, or of the coarse cell that contains it; with the
    /// edge length of the cell used, in cells, and its lowest node.
    #[inline]
    pub(super) fn corners(&self, [i, j, k]: [usize; 3], nodes: [usize; 3]) -> ([f32; 8], u32, [usize; 3]) {
        match self {
            Self::Dense(values) => {
                let first = i + nodes[0] * (j + nodes[1] * k);
                (eight(values, first, nodes[0], nodes[0] * nodes[1]), 1, [i, j, k])
            }
            Self::Band(b) => b.corners([i, j, k]),
        }
    }
}

/// The corners of a cell in a table of rows and layers.
#[inline]
fn eight(values: &[f32], first: usize, row: usize, layer: usize) -> [f32; 8] {
    let pair = |o: usize| &values[first + o..first + o + 2];
    let (a, b, c, d) = (pair(0), pair(row), pair(layer), pair(layer + row));
    [a[0], a[1], b[0], b[1], c[0], c[1], d[0], d[1]]
}

/// Values in bricks of 4 x 4 x 4 cells near the surface, and at the corners of all bricks.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Bricks {
    /// Bricks along the axes.
    count: [usize; 3],
    /// Values at the corners of bricks.
    coarse: Vec<f32>,
    /// Position of a brick's nodes in the storage, in units of bricks; [`FAR`] if they are not stored.
    place: Vec<u32>,
    values: Vec<f32>,
}

impl Bricks {
    /// The bricks that come within `band` cells of the surface, of a grid with at least `nodes` nodes along the axes.
    pub(super) fn of(nodes: [usize; 3], band: Real, cell: Real, value: &mut impl FnMut([usize; 3]) -> f32) -> Self {
        let count = nodes.map(|n| (n - 1).div_ceil(BRICK));
        let corners = count.map(|c| c + 1);
        let Storage::Dense(coarse) = Storage::dense(corners, &mut |at| value(at.map(|c| c * BRICK))) else {
            return Self { count, coarse: Vec::new(), place: Vec::new(), values: Vec::new() };
        };
        let mut bricks = Self { count, coarse, place: Vec::new(), values: Vec::new() };
        // no point of an octant of a brick is farther from the octant's middle than half its diagonal
        let near = (band + 0.25 * Real::sqrt(3.0) * BRICK as Real) * cell;
        for k in 0..count[2] {
            for j in 0..count[1] {
                for i in 0..count[0] {
                    let mut is_far = |octant: usize| {
                        let middle = |axis: usize, b: usize| BRICK * b + 1 + 2 * (octant >> axis & 1);
                        Real::from(value([middle(0, i), middle(1, j), middle(2, k)]).abs()) > near
                    };
                    if (0..8).all(&mut is_far) {
                        bricks.place.push(FAR);
                        continue;
                    }
                    bricks.place.push((bricks.values.len() / (EDGE * EDGE * EDGE)) as u32);
                    for z in 0..EDGE {
                        for y in 0..EDGE {
                            let at = [BRICK * i, BRICK * j + y, BRICK * k + z];
                            bricks.values.extend((0..EDGE).map(|x| value([at[0] + x, at[1], at[2]])));
                        }
                    }
                }
            }
        }
        bricks
    }

    /// Nodes along the axes: whole bricks.
    pub(super) fn nodes(&self) -> [usize; 3] {
        self.count.map(|c| c * BRICK + 1)
    }

    /// The values at the corners of a brick.
    #[inline]
    pub(super) fn around(&self, [i, j, k]: [usize; 3]) -> [f32; 8] {
        let (row, layer) = (self.count[0] + 1, (self.count[0] + 1) * (self.count[1] + 1));
        eight(&self.coarse, i + row * j + layer * k, row, layer)
    }

    /// Calls back with each brick and where its nodes are stored, in order.
    pub(super) fn visit(&self, mut each: impl FnMut([usize; 3], u32)) {
        for (n, &place) in self.place.iter().enumerate() {
            each([n % self.count[0], n / self.count[0] % self.count[1], n / (self.count[0] * self.count[1])], place);
        }
    }

    /// The number of the brick that holds a cell, and where its nodes are stored.
    #[inline]
    pub(super) fn place_of(&self, at: [usize; 3]) -> (usize, u32) {
        let [i, j, k] = at.map(|c| c / BRICK);
        let brick = i + self.count[0] * (j + self.count[1] * k);
        (brick, self.place[brick])
    }

    #[inline]
    pub(super) fn corners(&self, at: [usize; 3]) -> ([f32; 8], u32, [usize; 3]) {
        let brick = at.map(|c| c / BRICK);
        let (_, place) = self.place_of(at);
        if place == FAR {
            return (self.around(brick), BRICK as u32, brick.map(|c| c * BRICK));
        }
        let [x, y, z] = at.map(|c| c % BRICK);
        let first = place as usize * (EDGE * EDGE * EDGE) + x + EDGE * (y + EDGE * z);
        (eight(&self.values, first, EDGE, EDGE * EDGE), 1, at)
    }
}
