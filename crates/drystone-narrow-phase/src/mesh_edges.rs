//! Convex edges that cross each other: corners of a contact region where no vertex is.

use crate::field::{MeshField, field};
use crate::solid::{Solid, is_solid};
use drystone_core::{ContactSeed, FeatureKey, PosedShape};
use drystone_geometry::bvh::triangle_pairs;
use drystone_geometry::{MeshShape, Shape};
use drystone_math::{Pose, Real, Vec3};

/// From this sine of the angle between two faces on, their common edge counts as an edge.
const SHARP: Real = 1e-3;

/// Sine of the angle up to which edges count as parallel: then their ends say more than a crossing.
const BESIDE: Real = 0.02;

/// A direction may lean by this sine out of the arc between the normals of an edge's faces.
const LEAN: Real = 1e-3;

/// Fractions of an edge at its ends that count as its vertices.
const ENDS: Real = 1e-6;

/// Up to this many edges of a convex polyhedron, each is tried.
const MOST_EDGES: usize = 64;

/// Overlaps up to this fraction of the size count as crossings if samples show no deeper one.
const SHALLOW: Real = 0.05;

/// A convex edge with the normals of its faces; it runs counter-clockwise along the first.
#[derive(Clone, Copy)]
struct Edge {
    ends: [Vec3; 2],
    normals: [Vec3; 2],
    number: u64,
}

impl Edge {
    /// An edge of a mesh, given as a side of a triangle.
    fn of_mesh(mesh: &MeshShape, triangle: usize, side: usize) -> Option<Self> {
        let other = mesh.topology().across(triangle, side)?;
        let corners = mesh.mesh().corners(triangle);
        let ends = [corners[side], corners[(side + 1) % 3]];
        let normals = [mesh.normals().face(triangle), mesh.normals().face(other)];
        let along = ends[1] - ends[0];
        let number = mesh.topology().edge_of(triangle, side) as u64;
        (normals[0].cross(normals[1]).dot(along) > SHARP * along.length()).then_some(Self { ends, normals, number })
    }

    /// An edge of a box or polyhedron.
    fn of_solid(solid: &Solid<'_>, edge: u32) -> Self {
        let (p, q) = solid.edge(edge);
        let normals = solid.poly().edge_faces(edge).map(|f| solid.normal(f));
        let turned = normals[0].cross(normals[1]).dot(q - p) < 0.0;
        Self { ends: if turned { [q, p] } else { [p, q] }, normals, number: u64::from(edge) }
    }

    fn placed(self, pose: &Pose) -> Self {
        Self { ends: self.ends.map(|p| pose.point(p)), normals: self.normals.map(|n| pose.direction(n)), ..self }
    }

    /// Returns true if a direction normal to the edge lies between the normals of its faces.
    fn spans(&self, n: Vec3) -> bool {
        let along = (self.ends[1] - self.ends[0]).normalize_or_zero();
        self.normals[0].cross(n).dot(along) >= -LEAN && n.cross(self.normals[1]).dot(along) >= -LEAN
    }
}

/// Crossing of two edges: a point of each, the normal from the first to the second, which is perpendicular to both
/// (K-04), and the names of the edges.
struct Crossing {
    on: [Vec3; 2],
    normal: Vec3,
    separation: Real,
    edges: [u64; 2],
}

/// The crossing of two edges whose signed distance is from `-deepest` to `reach` (m).
fn crossing(p: &Edge, q: &Edge, reach: Real, deepest: Real) -> Option<Crossing> {
    let (u, v) = (p.ends[1] - p.ends[0], q.ends[1] - q.ends[0]);
    let across = u.cross(v);
    let square = across.length_squared();
    if square <= BESIDE * BESIDE * u.length_squared() * v.length_squared() {
        return None;
    }
    let w = q.ends[0] - p.ends[0];
    let (s, t) = (w.cross(v).dot(across) / square, w.cross(u).dot(across) / square);
    if s.min(t) <= ENDS || s.max(t) >= 1.0 - ENDS {
        return None;
    }
    let n = across / square.sqrt();
    let n = if n.dot(p.normals[0] + p.normals[1]) < 0.0 { -n } else { n };
    let (x, y) = (p.ends[0] + u * s, q.ends[0] + v * t);
    let separation = n.dot(y - x);
    let counts = separation <= reach && separation >= -deepest && p.spans(n) && q.spans(-n);
    counts.then_some(Crossing { on: [x, y], normal: n, separation, edges: [p.number, q.number] })
}

/// Adds the crossings of convex edges of two meshes, or of a mesh and a box or polyhedron, up to `reach` (m) apart, to
/// the contacts that samples found.
///
/// # Source
/// Baraff 1989 (K-04): contacts of polyhedra are vertices on faces and edges across edges.
pub(crate) fn edge_crossings(a: PosedShape<'_>, b: PosedShape<'_>, reach: Real, seeds: &mut Vec<ContactSeed>) {
    let depth = seeds.iter().fold(0.0, |d: Real, s| d.max(-s.separation));
    // edges shorter than the overlap have their ends in it
    if [a, b].iter().any(|s| matches!(s.shape, Shape::Mesh(m) if m.edge_gap() < depth)) {
        return;
    }
    let deepest = depth.max(SHALLOW * size_of(a, b));
    crossings(a, b, [reach, deepest], seeds);
}

/// Adds the crossings of convex edges that have passed each other, however far: if no sample of either shape lies in the other, edge crossings are the only corners of the overlap.
pub(crate) fn passed_edges(a: PosedShape<'_>, b: PosedShape<'_>, seeds: &mut Vec<ContactSeed>) {
    crossings(a, b, [0.0, size_of(a, b)], seeds);
}

fn size_of(a: PosedShape<'_>, b: PosedShape<'_>) -> Real {
    a.shape.bounding_radius().min(b.shape.bounding_radius())
}

/// Adds the crossings of convex edges whose signed distance is from `-deepest` to `reach` (m).
fn crossings(a: PosedShape<'_>, b: PosedShape<'_>, [reach, deepest]: [Real; 2], seeds: &mut Vec<ContactSeed>) {
    let size = size_of(a, b);
    let far = reach.max(deepest);
    let mut keep = |c: &Crossing, frame: &Pose| {
        let on = c.on.map(|p| frame.point(p));
        // edges that have passed each other lie in each other's solid; otherwise they belong to the far sides of thin
        // shapes
        let inside = |s: PosedShape<'_>, p: Vec3| {
            field(s.shape, s.pose.local_point(p), Real::INFINITY, MeshField::Exact)
                .is_some_and(|(d, _)| d <= 1e-9 * size)
        };
        if c.separation > 0.0 || inside(b, on[0]) && inside(a, on[1]) {
            let key = FeatureKey((c.edges[0] & 0xf_ffff) << 20 | (c.edges[1] & 0xf_ffff));
            // each edge belongs to two triangles
            if seeds.iter().any(|s| s.key == key) {
                return;
            }
            let (position, normal) = ((on[0] + on[1]) * 0.5, frame.direction(c.normal));
            seeds.push(ContactSeed { position, normal, separation: c.separation, key, parts: None });
        }
    };
    match (a.shape, b.shape) {
        (Shape::Mesh(x), Shape::Mesh(y)) => {
            let rel = b.pose.relative_to(&a.pose);
            triangle_pairs(x.balls(), y.balls(), &rel, reach, |s, t| {
                for p in (0..3).filter_map(|side| Edge::of_mesh(x, s, side)) {
                    for q in (0..3).filter_map(|side| Edge::of_mesh(y, t, side)) {
                        if let Some(c) = crossing(&p, &q.placed(&rel), reach, deepest) {
                            keep(&c, &a.pose);
                        }
                    }
                }
                true
            });
        }
        (Shape::Mesh(mesh), _) => visit_solid(mesh, &a.pose, b, far, |p, q| {
            if let Some(c) = crossing(p, q, reach, deepest) {
                keep(&c, &a.pose);
            }
        }),
        (_, Shape::Mesh(mesh)) => visit_solid(mesh, &b.pose, a, far, |q, p| {
            if let Some(c) = crossing(p, q, reach, deepest) {
                keep(&c, &b.pose);
            }
        }),
        _ => {}
    }
}

/// Calls back with each edge of the mesh that is near an edge of the solid, and that edge, in the mesh's frame.
fn visit_solid(mesh: &MeshShape, pose: &Pose, solid: PosedShape<'_>, far: Real, mut visit: impl FnMut(&Edge, &Edge)) {
    if !is_solid(solid.shape) {
        return;
    }
    let Some(solid) = Solid::new(solid.shape, &solid.pose.relative_to(pose)) else { return };
    let edges = solid.poly().edges().len();
    if edges > MOST_EDGES {
        return;
    }
    for q in (0..edges as u32).map(|e| Edge::of_solid(&solid, e)) {
        let middle = (q.ends[0] + q.ends[1]) * 0.5;
        mesh.tree().near(middle, 0.5 * (q.ends[1] - q.ends[0]).length() + far, |t| {
            for p in (0..3).filter_map(|side| Edge::of_mesh(mesh, t, side)) {
                visit(&p, &q);
            }
        });
    }
}
