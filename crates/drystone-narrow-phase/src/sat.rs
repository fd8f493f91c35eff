//! Separating axes of two convex polyhedra, with the axis of last time as a witness.

use crate::gap::Gap;
use crate::gjk_epa::{parting_point, separation_toward};
use crate::minkowski::Difference;
use crate::primitives::unsupported;
use crate::segment::closest_points;
use crate::solid::{Solid, is_solid};
use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{ContactSeed, Feature, NarrowCache, NarrowPhase, PosedShape, Proximity, UnsupportedPair};
use drystone_geometry::Shape;
use drystone_math::{Pose, Real, Vec3};

/// Two boxes or convex polyhedra by the axes that can separate them: the normals of all faces, and the cross products
/// of those edge pairs that make a face of the Minkowski difference. The axis that separated a pair last time is tried
/// first: as long as it still does, nothing more is needed.
///
/// Shapes that are apart, but by no more than the envelope along any axis, get their distance from GJK.
///
/// # Source
/// Gottschalk, Lin and Manocha 1996 (J-20); the witness is Baraff's (J-13). Overlapping pairs get the axis of least
/// depth; a face is preferred to an edge pair that ties up to rounding.
#[derive(Debug, Clone, Copy, Default)]
pub struct SeparatingAxes;

impl SeparatingAxes {
    /// For catalogues.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "sat",
        summary: "separating axes, the last one cached as a witness; cost grows with the product of the edge counts; takes any two of box, convex",
        source: "Gottschalk, Lin and Manocha 1996; Baraff 1995",
        parameters: &[],
    };

    /// There is nothing to set.
    pub fn from_settings(_: &Settings) -> Self {
        Self
    }
}

/// Rounding error of a separation along the cross product of two edges, as a fraction of the size, divided by the
/// product's length.
const ROUNDING: Real = 1e-14;

/// Overlaps below this fraction of the size count as touching: any vertex is as deep as another.
const TOUCHING: Real = 1e-6;

/// Squared sine of the angle below which two edges count as parallel: their cross product gives no separate axis.
const PARALLEL: Real = 1e-14;

/// An axis that may separate: a face's normal, or the cross product of two edges.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Axis {
    FaceOfA(u32),
    FaceOfB(u32),
    Edges(u32, u32),
}

/// Gap of the solids along an axis.
#[derive(Debug, Clone, Copy)]
struct Parted {
    axis: Axis,
    separation: Real,
    normal: Vec3,
}

/// The two solids, and the vertices that were farthest last time.
struct Axes<'a> {
    a: Solid<'a>,
    b: Solid<'a>,
    last: [u32; 2],
}

impl Axes<'_> {
    fn along(&mut self, axis: Axis) -> Parted {
        match axis {
            Axis::FaceOfA(f) => {
                let n = self.a.normal(f);
                self.last[1] = self.b.support(-n, self.last[1]);
                let separation = n.dot(self.b.vertex(self.last[1]) - self.a.face_point(f));
                Parted { axis, separation, normal: n }
            }
            Axis::FaceOfB(f) => {
                let n = self.b.normal(f);
                self.last[0] = self.a.support(-n, self.last[0]);
                let separation = n.dot(self.a.vertex(self.last[0]) - self.b.face_point(f));
                Parted { axis, separation, normal: -n }
            }
            Axis::Edges(d, e) => {
                let ((p0, p1), (q0, q1)) = (self.a.edge(d), self.b.edge(e));
                let n = (p1 - p0).cross(q1 - q0).normalize_or_zero();
                let n = if n.dot(p0 - self.a.inner()) < 0.0 { -n } else { n };
                self.last = [self.a.support(n, self.last[0]), self.b.support(-n, self.last[1])];
                let separation = n.dot(self.b.vertex(self.last[1]) - self.a.vertex(self.last[0]));
                Parted { axis, separation: if n == Vec3::ZERO { Real::NEG_INFINITY } else { separation }, normal: n }
            }
        }
    }

    /// The face along whose normal the solids are farthest apart; returns early with one that separates them by more
    /// than `beyond`.
    fn best_face(&mut self, beyond: Real) -> Parted {
        let mut best = self.along(Axis::FaceOfA(0));
        let counts = [self.a.poly().face_count() as u32, self.b.poly().face_count() as u32];
        for axis in (1..counts[0]).map(Axis::FaceOfA).chain((0..counts[1]).map(Axis::FaceOfB)) {
            if best.separation > beyond {
                break;
            }
            let parted = self.along(axis);
            // equal faces do not take turns
            if parted.separation > best.separation + 1e-9 * best.separation.abs() {
                best = parted;
            }
        }
        best
    }

    /// The edge pair that separates the solids the most, by more than `floor` plus the rounding error of shapes of this `size`
    /// (m), among those whose arcs of normals cross: only these make faces of the difference.
    fn best_edges(&self, floor: Real, size: Real, beyond: Real) -> Option<Parted> {
        let mut best: Option<Parted> = None;
        let (pa, pb) = (self.a.poly(), self.b.poly());
        let inner = self.a.inner();
        for d in 0..pa.edges().len() as u32 {
            let (p0, p1) = self.a.edge(d);
            let u = p1 - p0;
            let [n0, n1] = pa.edge_faces(d).map(|f| self.a.normal(f));
            for e in 0..pb.edges().len() as u32 {
                let [m0, m1] = pb.edge_faces(e).map(|f| self.b.normal(f));
                // the arc from n0 to n1 lies about u; does the arc of B's opposite normals cross it?
                let (s0, s1) = (-m0.dot(u), -m1.dot(u));
                if s0 * s1 >= 0.0 {
                    continue;
                }
                let (q0, q1) = self.b.edge(e);
                let v = q1 - q0;
                let (t0, t1) = (n0.dot(v), n1.dot(v));
                // both arcs on the same half of the sphere
                if t0 * t1 >= 0.0 || s0 * t1 < 0.0 {
                    continue;
                }
                let n = u.cross(v);
                let squared_sine = n.length_squared() / (u.length_squared() * v.length_squared());
                if squared_sine <= PARALLEL {
                    continue;
                }
                let n = n.normalize();
                let n = if n.dot(p0 - inner) < 0.0 { -n } else { n };
                let separation = n.dot(q0 - p0);
                let noise = || ROUNDING * size / squared_sine.sqrt();
                if separation > best.map_or_else(|| floor + noise(), |b| b.separation) {
                    best = Some(Parted { axis: Axis::Edges(d, e), separation, normal: n });
                    if separation > beyond {
                        return best;
                    }
                }
            }
        }
        best
    }
}

impl NarrowPhase for SeparatingAxes {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn supports(&self, a: &Shape, b: &Shape) -> bool {
        is_solid(a) && is_solid(b)
    }

    fn query(
        &self,
        a: PosedShape<'_>,
        b: PosedShape<'_>,
        envelope: Real,
        cache: &mut NarrowCache,
        seeds: &mut Vec<ContactSeed>,
    ) -> Result<Proximity, UnsupportedPair> {
        seeds.clear();
        let no = || unsupported(self.name(), a.shape, b.shape);
        let rel = b.pose.relative_to(&a.pose);
        let x = Solid::new(a.shape, &Pose::IDENTITY).ok_or_else(no)?;
        let y = Solid::new(b.shape, &rel).ok_or_else(no)?;
        let shape = Difference::new(a, b).ok_or_else(no)?;
        let mut axes = Axes { a: x, b: y, last: [cache[3] & 0xffff, cache[3] >> 16] };
        let far = |p: Parted, iterations: u32| {
            let gap = Gap::smooth(p.separation, a.pose.direction(p.normal), a.pose.position, b.pose.position);
            Gap { iterations, ..gap }.proximity(envelope)
        };

        // the witness of last time
        if let Some(axis) = decode(cache, &axes) {
            let parted = axes.along(axis);
            if parted.separation > envelope {
                keep(cache, parted.axis, axes.last);
                return Ok(far(parted, 1));
            }
        }

        // all faces, then the edge pairs that could do better
        let faces = (x.poly().face_count() + y.poly().face_count()) as u32;
        let face = axes.best_face(envelope);
        if face.separation > envelope {
            keep(cache, face.axis, axes.last);
            return Ok(far(face, faces));
        }
        let edges = axes.best_edges(face.separation, shape.size, envelope);
        let looked = faces + (x.poly().edges().len() * y.poly().edges().len()) as u32;
        let best = edges.unwrap_or(face);
        keep(cache, best.axis, axes.last);
        if best.separation > envelope {
            return Ok(far(best, looked));
        }
        if best.separation > 0.0 {
            // apart: the search begins along the axis
            let f = separation_toward(&shape, best.normal, envelope);
            let gap = Gap::smooth(f.distance, a.pose.direction(f.normal), a.pose.point(f.on_a), a.pose.point(f.on_b));
            return Ok(Gap { iterations: looked + f.iterations, ..gap }.proximity(envelope));
        }
        let mut gap = overlap(&axes, &best, &a.pose);
        if best.separation > -TOUCHING * shape.size {
            // they only touch: the search finds where
            let f = separation_toward(&shape, best.normal, envelope);
            let (middle, half) = (a.pose.point((f.on_a + f.on_b) * 0.5), gap.normal * (0.5 * gap.distance));
            (gap.on_a, gap.on_b) = (middle - half, middle + half);
        }
        // the farthest vertex may lie beside the face under which it is deepest, and edges that all but run beside each other meet anywhere
        let (on_a, on_b) = (a.pose.local_point(gap.on_a), a.pose.local_point(gap.on_b));
        let noise = 1e-9 * shape.size;
        let beside = (on_b - on_a - best.normal * gap.distance).length();
        if (!x.holds(on_a, noise) || !y.holds(on_b, noise) || beside > noise)
            && let Some(on_a) = parting_point(&shape, best.normal, best.separation)
        {
            gap.on_a = a.pose.point(on_a);
            gap.on_b = gap.on_a + gap.normal * gap.distance;
        }
        Ok(Gap { iterations: looked, ..gap }.proximity(envelope))
    }
}

/// The deepest points along the chosen axis.
fn overlap(axes: &Axes<'_>, p: &Parted, pose: &Pose) -> Gap {
    let (a, b, n, s) = (&axes.a, &axes.b, p.normal, p.separation);
    let (on_a, on_b, feature_a, feature_b) = match p.axis {
        Axis::FaceOfA(f) => {
            let v = b.support(-n, axes.last[1]);
            let q = b.vertex(v);
            (q - n * s, q, a.feature(Feature::Face(f), a.face_point(f)), b.feature(Feature::Vertex(v), q))
        }
        Axis::FaceOfB(f) => {
            let v = a.support(n, axes.last[0]);
            let q = a.vertex(v);
            (q, q + n * s, a.feature(Feature::Vertex(v), q), b.feature(Feature::Face(f), b.face_point(f)))
        }
        Axis::Edges(d, e) => {
            let ((p0, p1), (q0, q1)) = (a.edge(d), b.edge(e));
            let (x, y) = closest_points(p0, p1, q0, q1);
            (x, y, a.feature(Feature::Edge(d), x), b.feature(Feature::Edge(e), y))
        }
    };
    let gap = Gap::smooth(s, pose.direction(n), pose.point(on_a), pose.point(on_b));
    Gap { feature_a, feature_b, ..gap }
}

fn keep(cache: &mut NarrowCache, axis: Axis, last: [u32; 2]) {
    let (kind, i, j) = match axis {
        Axis::FaceOfA(f) => (1, f, 0),
        Axis::FaceOfB(f) => (2, f, 0),
        Axis::Edges(d, e) => (3, d, e),
    };
    *cache = [kind, i, j, (last[0] & 0xffff) | last[1] << 16];
}

fn decode(cache: &NarrowCache, axes: &Axes<'_>) -> Option<Axis> {
    let (pa, pb) = (axes.a.poly(), axes.b.poly());
    let (i, j) = (cache[1] as usize, cache[2] as usize);
    match cache[0] {
        1 if i < pa.face_count() => Some(Axis::FaceOfA(cache[1])),
        2 if i < pb.face_count() => Some(Axis::FaceOfB(cache[1])),
        3 if i < pa.edges().len() && j < pb.edges().len() => Some(Axis::Edges(cache[1], cache[2])),
        _ => None,
    }
}
