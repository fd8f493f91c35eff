//! A mesh and a convex shape: one descent of the mesh's tree finds the triangles within reach, and each is clipped against the feature that the shape turns to it.

mod feature;
mod triangle;

use crate::gap::Gap;
use crate::gjk;
use crate::gjk_epa::{convex_gap, separation};
use crate::minkowski::Difference;
use drystone_core::{ContactSeed, FeatureKey, NarrowCache, PosedShape};
use drystone_geometry::bvh::AxisBox;
use drystone_geometry::{HulledMesh, Shape};
use drystone_math::{Pose, Real, Vec3};
use feature::Facing;
use std::cell::Cell;
use triangle::Side;

/// Cosine of the angle up to which a normal belongs to a face.
const ALIGNED: Real = 0.995;

/// Sine of the angle up to which a direction may lean out of the normals of a feature.
const LEAN: Real = 5e-3;

/// Lengths below this fraction of the shape's size are noise.
const NOISE: Real = 1e-6;

/// Overlaps below this fraction of the shape's size are taken as they are. For a deeper one, the triangle must be the surface nearest to the shape's point.
const SHALLOW: Real = 1e-3;

/// The nearest surface may be nearer than the triangle by this factor.
const NEAREST: Real = 0.9;

/// Corners of what two features cover may be farther apart than their nearest points by this fraction of the distance.
const FAR: Real = 0.02;

/// Points in one place count once if the cosine of the angle between their normals is above this.
const ALIKE: Real = 0.999;

/// At most this many triangles of a mesh are looked at, the nearest ones.
const MOST_TRIANGLES: usize = 512;

/// At most this many points are kept.
const MOST_POINTS: usize = 256;

thread_local! {
    /// Scratch for the triangles within reach, each with a bound on its distance (m).
    static WITHIN: Cell<Vec<(Real, u32)>> = const { Cell::new(Vec::new()) };
}

/// The kinds of names: a corner of the shape over a triangle, a vertex of the mesh before a face, edges that cross, a pair of nearest points.
#[derive(Clone, Copy)]
enum Name {
    Corner = 1,
    Vertex = 2,
    Crossing = 3,
    Nearest = 4,
}

impl Name {
    fn key(self, what: u64) -> u64 {
        (self as u64) << 44 | what & 0x3ff_ffff_ffff
    }
}

/// The contacts of a mesh and a convex shape up to `reach` (m) apart, put in `seeds`, and the gap of the nearest or deepest of them; `None` if nothing is within reach. Normals point
/// from the mesh to the shape.
///
/// # Source
/// Clipping as for convex pairs (K-03, K-04). A direction counts if the triangles about the feature lie behind its plane: that is the Voronoi region of the feature, and nothing is
/// caught by an edge within a flat region.
pub(crate) fn within(
    (frame, mesh): (&Pose, &HulledMesh),
    solid: PosedShape<'_>,
    reach: Real,
    seeds: &mut Vec<ContactSeed>,
) -> Option<Gap> {
    let rel = solid.pose.relative_to(frame);
    let bounds = solid.shape.aabb(&rel);
    let size = solid.shape.bounding_radius();
    let center = (bounds.min + bounds.max) * 0.5;
    seeds.clear();
    let mut pair =
        Pair { mesh, shape: solid.shape, rel, reach, size, center, seeds, rest: None, nearest: None, looked_at: 0 };
    let mut found = WITHIN.take();
    found.clear();
    let around = AxisBox { min: bounds.min, max: bounds.max };
    mesh.tree().near_box(&around, reach, |t, bound| found.push((bound, t as u32)));
    if found.len() > MOST_TRIANGLES {
        found.select_nth_unstable_by(MOST_TRIANGLES, |x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
        found.truncate(MOST_TRIANGLES);
        found.sort_unstable_by_key(|x| x.1);
    }
    for &(_, t) in &found {
        pair.meet(t as usize);
    }
    WITHIN.set(found);
    pair.complete();
    let Pair { looked_at, nearest, .. } = pair;
    let near = nearest?;
    let gap = Gap::smooth(near.distance, frame.direction(near.normal), frame.point(near.on_a), frame.point(near.on_b));
    for s in seeds.iter_mut() {
        (s.position, s.normal) = (frame.point(s.position), frame.direction(s.normal));
    }
    Some(Gap { iterations: looked_at, ..gap })
}

/// Which corners of what two features cover are contacts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// Corners of the shape's feature, which leans.
    Corners,
    /// All of them.
    All,
}

/// A mesh and a convex shape, in the mesh's frame.
struct Pair<'a, 's> {
    mesh: &'a HulledMesh,
    shape: &'a Shape,
    rel: Pose,
    reach: Real,
    size: Real,
    /// Middle of the shape (m).
    center: Vec3,
    seeds: &'s mut Vec<ContactSeed>,
    /// The nearest or deepest of the triangles that have no contact of their own, and its name.
    rest: Option<(Gap, u64)>,
    /// The nearest or deepest place so far, as a gap from the mesh to the shape.
    nearest: Option<Gap>,
    looked_at: u32,
}

impl Pair<'_, '_> {
    fn noise(&self) -> Real {
        NOISE * self.size
    }

    /// The contacts with one triangle.
    fn meet(&mut self, number: usize) {
        let t = Side::of(self.mesh, number);
        let level = t.normal.dot(t.corners[0]);
        let along = |d: Vec3| {
            let local = self.rel.local_direction(d);
            self.shape.support(local).map(|p| d.dot(self.rel.point(p)))
        };
        let (Some(top), Some(bottom)) = (along(t.normal), along(-t.normal)) else { return };
        let low = -bottom - level;
        // in front of the triangle's plane by more than the reach, or behind it
        if low > self.reach || top < level {
            return;
        }
        self.looked_at += 1;
        let facing = Facing::of(self.shape, &self.rel, t.normal);
        let kept = if facing.is_aligned(t.normal) { Kept::All } else { Kept::Corners };
        let lowest = self.common(&t, &facing, t.normal, kept);
        if lowest <= low + self.noise() {
            return;
        }
        // a face that covers the whole triangle decides alone
        if let Some(n) = facing.normal.filter(|n| -n.dot(t.normal) > 0.3)
            && t.corners.iter().all(|p| feature::covers(&facing.points, n, *p, -self.noise()))
        {
            if t.supports(self.mesh, -n) {
                self.common(&t, &facing, -n, Kept::All);
            }
            return;
        }
        self.nearest(&t, &facing);
    }

    /// The contacts along the direction between the nearest points of a triangle and the shape, or along the least way out.
    fn nearest(&mut self, t: &Side, facing: &Facing) {
        let Some(d) = Difference::of_triangle(t.corners, self.shape, &self.rel) else { return };
        let beyond = self.reach + d.radius;
        let mut simplex = gjk::toward(&d, t.normal);
        let answer = gjk::distance(&d, &mut simplex, beyond);
        if answer.distance > beyond {
            return;
        }
        if answer.distance <= 0.0 && self.before_face(t, facing) {
            return;
        }
        let found = separation(&d, &answer, &simplex, beyond);
        let (m, distance) = (found.normal, found.distance - d.radius);
        let gap = Gap::smooth(distance, m, found.on_a, found.on_b - m * d.radius);
        if m.dot(t.normal) < -LEAN || !t.supports(self.mesh, m) {
            // to be out of the mesh, the shape has to be out of each triangle
            let counts = distance < 0.0 || m.dot(t.normal) >= -LEAN;
            if counts && self.rest.is_none_or(|(r, _)| distance < r.distance) {
                self.rest = Some((gap, t.name(self.mesh, m)));
            }
            return;
        }
        let facing = Facing::of(self.shape, &self.rel, m);
        let own = t.normal.dot(m);
        let its = facing.normal.map_or(0.0, |n| -n.dot(m));
        let lowest = if own.max(its) >= ALIGNED {
            let along = if its > own { -facing.normal.unwrap_or(-m) } else { t.normal };
            self.common(t, &facing, along, Kept::All)
        } else {
            self.beside(t, &facing, m)
        };
        self.note(gap);
        if lowest - distance > FAR * distance.abs() + self.noise() {
            self.push(found.on_a, m, distance, t.name(self.mesh, m));
        }
    }

    /// Takes note of a gap if it is the least so far.
    fn note(&mut self, gap: Gap) {
        if self.nearest.is_none_or(|n| gap.distance < n.distance) {
            self.nearest = Some(gap);
        }
    }

    /// The contacts of a triangle's foremost corners before the face that the shape turns to it; returns whether there are any.
    fn before_face(&mut self, t: &Side, facing: &Facing) -> bool {
        let Some(n) = facing.normal else { return false };
        if -n.dot(t.normal) < 0.3 || !t.supports(self.mesh, -n) {
            return false;
        }
        let foremost = t.foremost(-n);
        let points = &facing.points;
        feature::covers(points, n, foremost, 0.0) && self.common(t, facing, -n, Kept::All) < Real::INFINITY
    }

    /// Adds the triangle without a contact that is nearer than all contacts. It is nearest whatever rounding does to its direction, if it is seen from outside; if the shape overlaps it,
    /// the shape is deep inside.
    fn complete(&mut self) {
        let told = self.nearest.map_or(Real::INFINITY, |n| n.distance) - self.noise();
        let rest = self.rest.filter(|(r, _)| r.distance < told);
        let is_outside = |p: Vec3| self.mesh.distance(p, Real::INFINITY).is_some_and(|d| d.distance >= 0.0);
        match rest {
            Some((r, name)) if r.distance >= 0.0 && is_outside(r.on_b) => {
                self.note(r);
                self.push(r.on_a, r.normal, r.distance, name);
            }
            Some((r, _)) if r.distance < 0.0 => self.buried(),
            _ if self.seeds.is_empty() => self.buried(),
            _ => {}
        }
    }

    /// The contacts of a shape that no triangle's direction holds: inside a mesh it leaves by the surface nearest to its middle, otherwise by the way out
    /// of the triangle that it overlaps the deepest.
    fn buried(&mut self) {
        if let Some(hull) = self.mesh.hull_shape().filter(|_| self.mesh.is_convex()) {
            let [a, b] =
                [(hull, Pose::IDENTITY), (self.shape, self.rel)].map(|(shape, pose)| PosedShape { shape, pose });
            if let Some(gap) = convex_gap(a, b, self.reach, &mut NarrowCache::default()).filter(|g| g.distance < 0.0) {
                self.note(gap);
                self.push(gap.on_a, gap.normal, gap.distance, Name::Nearest.key(0));
                return;
            }
        }
        // an open mesh is solid behind its front
        let limit = if self.mesh.report().is_watertight() { Real::INFINITY } else { self.size };
        if let Some(d) = self.mesh.distance(self.center, limit).filter(|d| d.distance < 0.0) {
            let n = d.gradient;
            let facing = Facing::of(self.shape, &self.rel, n);
            for (i, p) in facing.points.iter().enumerate() {
                let on_shape = *p - n * facing.radius;
                let separation = n.dot(on_shape - d.nearest);
                self.note(Gap::smooth(separation, n, d.nearest, on_shape));
                self.push(on_shape - n * separation, n, separation, Name::Corner.key(facing.name(i)));
            }
        } else if let Some((r, name)) = self.rest.filter(|(r, _)| r.distance < 0.0) {
            self.note(r);
            self.push(r.on_a, r.normal, r.distance, name);
        }
    }

    /// Adds the corners of what a triangle and the feature both cover, seen along the unit vector `r`; of a feature that leans, only its own corners. Returns the least separation.
    fn common(&mut self, t: &Side, facing: &Facing, r: Vec3, kept: Kept) -> Real {
        let mut lowest = Real::INFINITY;
        let (rise, slack) = (t.normal.dot(r), self.noise());
        let floor = facing.points.iter().fold(Real::INFINITY, |low, p| low.min(r.dot(*p)));
        for (i, &q) in facing.points.iter().enumerate() {
            // beside a steep triangle its plane goes on far above or below the mesh
            if feature::covers(&t.corners, r, q, slack * rise) {
                let s = t.normal.dot(q - t.corners[0]) / rise - facing.radius;
                if self.counts(q, r, s, facing.radius) {
                    lowest = lowest.min(s);
                    let on_mesh = q - r * (s + facing.radius);
                    // the raised end of a capsule is a contact ahead, but not on its surface
                    if facing.radius == 0.0 || kept == Kept::All || r.dot(q) <= floor + slack {
                        self.note(Gap::smooth(s, r, on_mesh, on_mesh + r * s));
                    }
                    self.push(on_mesh, r, s, Name::Corner.key(facing.name(i)));
                }
            }
        }
        if kept == Kept::Corners {
            return lowest;
        }
        if let Some(n) = facing.normal {
            for (k, &p) in t.corners.iter().enumerate() {
                if feature::covers(&facing.points, -r, p, slack) {
                    let s = n.dot(facing.points[0] - p) / n.dot(r);
                    if self.counts(p + r * s, r, s, 0.0) {
                        lowest = lowest.min(s);
                        self.note(Gap::smooth(s, r, p, p + r * s));
                        if !t.is_flat_corner(self.mesh, k) {
                            self.push(p, r, s, Name::Vertex.key(t.vertex(self.mesh, k)));
                        }
                    }
                }
            }
        }
        self.crossings(t, facing, r, &mut lowest);
        lowest
    }

    /// Adds the crossings of the triangle's edges and the feature's, seen along `r`.
    fn crossings(&mut self, t: &Side, facing: &Facing, r: Vec3, lowest: &mut Real) {
        for i in 0..facing.edge_count() {
            let (q, v) = facing.edge(i);
            for k in 0..3 {
                let (p, u) = t.edge(k);
                let Some((on_t, on_f)) = feature::cross((p, u), (q, v), r) else { continue };
                let s = r.dot(on_f - on_t) - facing.radius;
                if self.counts(on_f, r, s, facing.radius) {
                    *lowest = lowest.min(s);
                    self.note(Gap::smooth(s, r, on_t, on_t + r * s));
                    if !t.is_flat_edge(self.mesh, k) {
                        let name = t.edge_number(self.mesh, k) << 20 | facing.name(i) & 0xf_ffff;
                        self.push(on_t, r, s, Name::Crossing.key(name));
                    }
                }
            }
        }
    }

    /// Adds the ends of the stretch that a triangle's foremost edge and a segment share beside each other; returns the least separation.
    fn beside(&mut self, t: &Side, facing: &Facing, m: Vec3) -> Real {
        let mut lowest = Real::INFINITY;
        let Some((k, p, u)) = t.foremost_edge(m).filter(|_| facing.points.len() == 2) else { return lowest };
        let (q, v) = (facing.points[0], facing.points[1] - facing.points[0]);
        let (uu, vv) = (u.length_squared(), v.length_squared());
        if u.cross(v).length_squared() > 0.0025 * uu * vv {
            return lowest;
        }
        let (s0, s1) = ((q - p).dot(u) / uu, (q + v - p).dot(u) / uu);
        let (near, far) = (s0.min(s1).max(0.0), s0.max(s1).min(1.0));
        if near > far {
            return lowest;
        }
        for (end, w) in [near, far].into_iter().enumerate() {
            let on = p + u * w;
            let at = q + v * ((on - q).dot(v) / vv).clamp(0.0, 1.0);
            let s = m.dot(at - on) - facing.radius;
            lowest = lowest.min(s);
            self.note(Gap::smooth(s, m, on, on + m * s));
            self.push(on, m, s, Name::Nearest.key(t.edge_number(self.mesh, k) << 1 | end as u64));
        }
        lowest
    }

    /// Returns true if a point of the shape (a radius short of its surface) at a separation along `r` meets this
    /// triangle: within reach, or as deep as the nearest surface.
    fn counts(&self, q: Vec3, r: Vec3, separation: Real, radius: Real) -> bool {
        if separation > self.reach || separation >= -SHALLOW * self.size {
            return separation <= self.reach;
        }
        let depth = -separation;
        let nearest = self.mesh.distance(q - r * radius, depth * 1.001 + self.noise());
        nearest.is_some_and(|d| d.distance <= -NEAREST * depth)
    }

    /// Adds a contact: a point of the mesh, the normal from it to the shape and the separation along it (m). One in the place of another with the same normal replaces it if it is
    /// deeper.
    fn push(&mut self, on_mesh: Vec3, normal: Vec3, separation: Real, key: u64) {
        if separation.is_nan() || separation > self.reach {
            return;
        }
        let position = on_mesh + normal * (0.5 * separation);
        let near = 100.0 * self.noise() * self.noise();
        let mut key = key;
        let mut seed = ContactSeed { position, normal, separation, key: FeatureKey(key), parts: None };
        for s in self.seeds.iter_mut() {
            if (s.position - position).length_squared() <= near && s.normal.dot(normal) > ALIKE {
                if separation < s.separation {
                    seed.key = s.key;
                    *s = seed;
                }
                return;
            }
        }
        // names are distinct within a manifold
        while self.seeds.iter().any(|s| s.key.0 == key) {
            key += 1 << 48;
        }
        seed.key = FeatureKey(key);
        if self.seeds.len() < MOST_POINTS {
            self.seeds.push(seed);
        }
    }
}
