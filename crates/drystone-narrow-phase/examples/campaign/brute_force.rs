use drystone_core::{PosedShape, Proximity};
use drystone_geometry::{ConvexPolyhedron, Shape};
use drystone_math::{Real, Vec3};

/// Squared sine of the angle below which two edges count as parallel.
const PARALLEL: Real = 1e-20;

/// Cosine of a degree.
const ONE_DEGREE: Real = 0.999_847_7;

/// The least depth of two overlapping polyhedra, by looking at every direction that can be a face of their Minkowski
/// difference: the normals of both, and the cross products of any two edges.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LeastDepth {
    /// The depth (m).
    pub depth: Real,
    /// The direction from A to B.
    pub normal: Vec3,
    /// The least depth along a direction that is more than a degree away (m).
    pub next: Real,
}

impl LeastDepth {
    /// Whether there is but one direction: the next is deeper by a fiftieth, and by a millionth of the size (m).
    pub(crate) fn is_unique(&self, size: Real) -> bool {
        self.next > self.depth * 1.02 + 1e-6 * size
    }

    /// Whether an answer has this depth to a tolerance (m), and its direction to a degree where there is but one.
    pub(crate) fn agrees(&self, p: &Proximity, tolerance: Real, size: Real) -> bool {
        let askew = self.is_unique(size) && p.normal.dot(self.normal) < ONE_DEGREE;
        (p.distance + self.depth).abs() <= tolerance && !askew
    }
}

/// Vertices, outward normals and edge directions in the world.
struct Polytope {
    vertices: Vec<Vec3>,
    normals: Vec<Vec3>,
    edges: Vec<Vec3>,
}

impl Polytope {
    fn of(s: PosedShape<'_>) -> Option<Self> {
        let turn = |v: Vec<Vec3>| v.into_iter().map(|d| s.pose.direction(d)).collect();
        let (vertices, normals, edges): (Vec<Vec3>, Vec<Vec3>, Vec<Vec3>) = match s.shape {
            Shape::Box(b) => {
                let sign = |on: bool| if on { 1.0 } else { -1.0 };
                let corner = |i: u32| Vec3::new(sign(i & 1 > 0), sign(i & 2 > 0), sign(i & 4 > 0)) * b.half_extents();
                let axes = Vec3::AXES.to_vec();
                ((0..8).map(corner).collect(), axes.iter().flat_map(|&x| [x, -x]).collect(), axes)
            }
            Shape::Convex(c) => (c.vertices().to_vec(), normals_of(c), edges_of(c)),
            _ => return None,
        };
        let vertices = vertices.into_iter().map(|p| s.pose.point(p)).collect();
        Some(Self { vertices, normals: turn(normals), edges: turn(edges) })
    }

    fn reach(&self, n: Vec3) -> Real {
        self.vertices.iter().map(|p| n.dot(*p)).fold(Real::NEG_INFINITY, Real::max)
    }
}

fn normals_of(c: &ConvexPolyhedron) -> Vec<Vec3> {
    (0..c.face_count()).map(|f| c.face_plane(f).0).collect()
}

fn edges_of(c: &ConvexPolyhedron) -> Vec<Vec3> {
    c.edges().iter().map(|e| (c.vertices()[e[1] as usize] - c.vertices()[e[0] as usize]).normalize_or_zero()).collect()
}

/// The least depth of two boxes or hulls, with all directions that were looked at; `None` for other shapes.
pub(crate) fn least_depth(a: PosedShape<'_>, b: PosedShape<'_>) -> Option<LeastDepth> {
    let (x, y) = (Polytope::of(a)?, Polytope::of(b)?);
    let crossed = x.edges.iter().flat_map(|d| y.edges.iter().map(move |e| d.cross(*e)));
    let crossed = crossed.filter(|n| n.length_squared() > PARALLEL).map(Vec3::normalize).flat_map(|n| [n, -n]);
    let faces = x.normals.iter().copied().chain(y.normals.iter().map(|n| -*n));
    let depths: Vec<(Real, Vec3)> = faces.chain(crossed).map(|n| (x.reach(n) + y.reach(-n), n)).collect();
    let least = |near: Option<Vec3>| {
        let beside = |n: Vec3| near.is_none_or(|m| m.dot(n) < ONE_DEGREE);
        depths.iter().filter(|d| beside(d.1)).fold((Real::INFINITY, Vec3::ZERO), |m, d| if d.0 < m.0 { *d } else { m })
    };
    let (depth, normal) = least(None);
    Some(LeastDepth { depth, normal, next: least(Some(normal)).0 })
}
