use super::clip::{Clipped, Plane, visit_planes};
use crate::segment::closest_points;
use crate::solid::Solid;
use drystone_core::Feature;
use drystone_math::{Real, Vec3};

/// Steps after which the walk is given up.
const MOST_STEPS: u32 = 400;

/// End of the walk.
#[derive(Debug, Clone, Copy)]
pub(super) struct Walk {
    pub feature_a: Feature,
    pub feature_b: Feature,
    /// Steps from feature to feature.
    pub steps: u32,
    /// The solids overlap.
    pub overlap: bool,
    /// True if it found what it was looking for.
    pub ended: bool,
}

/// The next step, from one look at a pair of features.
enum Next {
    /// Another feature of the first solid, or of the second.
    First(Feature),
    Second(Feature),
    Closest,
    Overlap,
}

/// The walk over the features of two solids.
pub(super) struct March<'a> {
    a: &'a Solid<'a>,
    b: &'a Solid<'a>,
}

impl<'a> March<'a> {
    pub(super) fn new(a: &'a Solid<'a>, b: &'a Solid<'a>) -> Self {
        Self { a, b }
    }

    /// Walks until each feature's closest point to the other lies in the other's Voronoi region.
    pub(super) fn run(&self, mut f: Feature, mut g: Feature) -> Walk {
        for steps in 0..MOST_STEPS {
            let end = |overlap| Walk { feature_a: f, feature_b: g, steps, overlap, ended: true };
            let next = match (f, g) {
                (Feature::Vertex(v), Feature::Vertex(w)) => two_vertices((self.a, v), (self.b, w)),
                (Feature::Vertex(v), Feature::Edge(e)) => vertex_edge((self.a, v), (self.b, e)),
                (Feature::Edge(e), Feature::Vertex(v)) => vertex_edge((self.b, v), (self.a, e)).flipped(),
                (Feature::Vertex(v), Feature::Face(h)) => vertex_face((self.a, v), (self.b, h)),
                (Feature::Face(h), Feature::Vertex(v)) => vertex_face((self.b, v), (self.a, h)).flipped(),
                (Feature::Edge(d), Feature::Edge(e)) => two_edges((self.a, d), (self.b, e)),
                (Feature::Edge(e), Feature::Face(h)) => edge_face((self.a, e), (self.b, h)),
                (Feature::Face(h), Feature::Edge(e)) => edge_face((self.b, e), (self.a, h)).flipped(),
                // two faces, or none: begin at a corner
                (Feature::Face(h), _) => Next::First(Feature::Vertex(self.a.poly().face_corners(h as usize)[0])),
                _ => Next::First(Feature::Vertex(0)),
            };
            match next {
                Next::First(h) => f = h,
                Next::Second(h) => g = h,
                Next::Closest => return end(false),
                Next::Overlap => return end(true),
            }
        }
        Walk { feature_a: f, feature_b: g, steps: MOST_STEPS, overlap: false, ended: false }
    }
}

impl Next {
    fn flipped(self) -> Self {
        match self {
            Self::First(f) => Self::Second(f),
            Self::Second(f) => Self::First(f),
            other => other,
        }
    }
}

/// The neighbour whose plane the point lies farthest beyond, by true distance.
fn most_violated(s: &Solid<'_>, feature: Feature, p: Vec3) -> Option<Feature> {
    let mut worst: (Real, Option<Feature>) = (0.0, None);
    visit_planes(s, feature, |plane| {
        let h = plane.height(p);
        if h < 0.0 {
            let h = h / plane.normal.length();
            if h < worst.0 {
                worst = (h, Some(plane.neighbour));
            }
        }
    });
    worst.1
}

fn two_vertices((a, v): (&Solid<'_>, u32), (b, w): (&Solid<'_>, u32)) -> Next {
    if let Some(e) = most_violated(a, Feature::Vertex(v), b.vertex(w)) {
        return Next::First(e);
    }
    most_violated(b, Feature::Vertex(w), a.vertex(v)).map_or(Next::Closest, Next::Second)
}

fn vertex_edge((a, v): (&Solid<'_>, u32), (b, e): (&Solid<'_>, u32)) -> Next {
    if let Some(h) = most_violated(b, Feature::Edge(e), a.vertex(v)) {
        return Next::Second(h);
    }
    let edge = b.edge(e);
    let mut clipped = Clipped::whole();
    visit_planes(a, Feature::Vertex(v), |plane| clipped.cut(edge, &plane));
    after_clip(a, Feature::Vertex(v), edge, &clipped)
}

fn two_edges((a, d): (&Solid<'_>, u32), (b, e): (&Solid<'_>, u32)) -> Next {
    // the second edge in the region of the first: its ends' planes, then its faces'
    for (s, own, edge, swapped) in [(a, d, b.edge(e), false), (b, e, a.edge(d), true)] {
        let mut planes: [Option<Plane>; 4] = [None; 4];
        let mut count = 0;
        visit_planes(s, Feature::Edge(own), |p| {
            planes[count] = Some(p);
            count += 1;
        });
        for part in [&planes[..2], &planes[2..]] {
            let mut clipped = Clipped::whole();
            for plane in part.iter().flatten() {
                clipped.cut(edge, plane);
            }
            let next = after_clip(s, Feature::Edge(own), edge, &clipped);
            if !matches!(next, Next::Closest) {
                return if swapped { next.flipped() } else { next };
            }
        }
    }
    Next::Closest
}

/// The next step after clipping an edge by a feature's region: the neighbour in whose region the edge comes nearer
/// becomes the first solid's feature.
fn after_clip(s: &Solid<'_>, own: Feature, edge: (Vec3, Vec3), c: &Clipped) -> Next {
    if let Some(beyond) = c.beyond {
        return Next::First(beyond);
    }
    for (cutter, at, sign) in [(c.low_by, c.low, 1.0), (c.high_by, c.high, -1.0)] {
        if let Some(n) = cutter {
            match rising(s, own, n, edge, at) {
                None => return Next::Overlap,
                Some(slope) if slope * sign > 0.0 => return Next::First(n),
                Some(_) => {}
            }
        }
    }
    // cut off from both sides past each other: the nearer part lies beyond one or the other
    match c.high_by.or(c.low_by) {
        Some(n) if c.low > c.high => Next::First(n),
        _ => Next::Closest,
    }
}

/// The slope of the distance of an edge's point from a feature, on the border of its region with `neighbour`: measured
/// from whichever of the two is a vertex or a face. `None` if the distance is zero.
fn rising(s: &Solid<'_>, own: Feature, neighbour: Feature, (tail, head): (Vec3, Vec3), at: Real) -> Option<Real> {
    let u = head - tail;
    let p = tail + u * at;
    let of = if matches!(neighbour, Feature::Edge(_)) { own } else { neighbour };
    match of {
        Feature::Vertex(v) => {
            let d = p - s.vertex(v);
            (d != Vec3::ZERO).then(|| u.dot(d))
        }
        Feature::Face(f) => {
            let n = s.normal(f);
            let h = n.dot(p - s.face_point(f));
            (h != 0.0).then(|| u.dot(n) * h.signum())
        }
        _ => Some(0.0),
    }
}

fn vertex_face((a, v): (&Solid<'_>, u32), (b, f): (&Solid<'_>, u32)) -> Next {
    let p = a.vertex(v);
    if let Some(e) = most_violated(b, Feature::Face(f), p) {
        return Next::Second(e);
    }
    let (n, at) = (b.normal(f), b.face_point(f));
    let height = n.dot(p - at);
    if height == 0.0 {
        return Next::Overlap;
    }
    // an edge that leads toward the face
    for (&w, &e) in a.poly().neighbours(v).iter().zip(a.poly().vertex_edges(v)) {
        let h = n.dot(a.vertex(w) - at);
        if (height > 0.0 && h < height) || (height < 0.0 && h > height) {
            return Next::First(Feature::Edge(e));
        }
    }
    if height > 0.0 {
        return Next::Closest;
    }
    // below the face and no way up: inside, or in front of another face
    let mut best = (Real::NEG_INFINITY, f);
    for g in 0..b.poly().face_count() as u32 {
        let h = b.normal(g).dot(p - b.face_point(g));
        if h > best.0 {
            best = (h, g);
        }
    }
    if best.0 <= 0.0 { Next::Overlap } else { Next::Second(Feature::Face(best.1)) }
}

fn edge_face((a, e): (&Solid<'_>, u32), (b, f): (&Solid<'_>, u32)) -> Next {
    let edge = a.edge(e);
    let mut clipped = Clipped::whole();
    visit_planes(b, Feature::Face(f), |plane| clipped.cut(edge, &plane));
    if clipped.is_empty() {
        // beside the face: its nearest edge
        let mut best = (Real::INFINITY, Feature::Face(f));
        for &g in b.poly().face_edges(f as usize) {
            let (q0, q1) = b.edge(g);
            let (x, y) = closest_points(edge.0, edge.1, q0, q1);
            let d = (y - x).length_squared();
            if d < best.0 {
                best = (d, Feature::Edge(g));
            }
        }
        return Next::Second(best.1);
    }
    let (n, at) = (b.normal(f), b.face_point(f));
    let height = |t: Real| n.dot(edge.0.lerp(edge.1, t) - at);
    let (low, high) = (height(clipped.low), height(clipped.high));
    if low * high <= 0.0 {
        return Next::Overlap;
    }
    let [tail, head] = a.poly().edges()[e as usize];
    let (cutter, end) = if low.abs() <= high.abs() { (clipped.low_by, tail) } else { (clipped.high_by, head) };
    cutter.map_or(Next::First(Feature::Vertex(end)), Next::Second)
}

/// The closest points of two features that a walk ended at.
pub(super) fn closest(a: &Solid<'_>, f: Feature, b: &Solid<'_>, g: Feature) -> (Vec3, Vec3) {
    let on_edge = |(p, q): (Vec3, Vec3), x: Vec3| {
        let u = q - p;
        p + u * (u.dot(x - p) / u.length_squared().max(Real::MIN_POSITIVE)).clamp(0.0, 1.0)
    };
    let on_face = |s: &Solid<'_>, h: u32, x: Vec3| {
        let n = s.normal(h);
        x - n * n.dot(x - s.face_point(h))
    };
    match (f, g) {
        (Feature::Vertex(v), Feature::Vertex(w)) => (a.vertex(v), b.vertex(w)),
        (Feature::Vertex(v), Feature::Edge(e)) => (a.vertex(v), on_edge(b.edge(e), a.vertex(v))),
        (Feature::Edge(e), Feature::Vertex(v)) => (on_edge(a.edge(e), b.vertex(v)), b.vertex(v)),
        (Feature::Vertex(v), Feature::Face(h)) => (a.vertex(v), on_face(b, h, a.vertex(v))),
        (Feature::Face(h), Feature::Vertex(v)) => (on_face(a, h, b.vertex(v)), b.vertex(v)),
        (Feature::Edge(d), Feature::Edge(e)) => {
            let ((p0, p1), (q0, q1)) = (a.edge(d), b.edge(e));
            closest_points(p0, p1, q0, q1)
        }
        _ => (a.inner(), b.inner()),
    }
}
