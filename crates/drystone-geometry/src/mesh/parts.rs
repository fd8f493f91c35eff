use super::{Topology, TriangleMesh};
use crate::Aabb;
use drystone_math::elementary::atan2;
use drystone_math::{Real, Vec3};

/// A closed part of a mesh that faces the wrong way relative to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Misplaced {
    /// It faces inwards, and no other part is around it.
    InsideOut(usize),
    /// It faces outwards within another part: their common space counts twice.
    Doubled(usize),
}

/// The triangles of a mesh, grouped into parts connected over edges.
struct Parts {
    /// The triangles, part by part, ascending within each.
    triangles: Vec<u32>,
    /// First index of each part in the list, and the end.
    first: Vec<usize>,
}

impl Parts {
    fn of(topology: &Topology, count: usize) -> Self {
        let mut part_of = vec![u32::MAX; count];
        let mut parts = 0_u32;
        let mut queue = Vec::new();
        for start in 0..count {
            if part_of[start] != u32::MAX {
                continue;
            }
            part_of[start] = parts;
            queue.push(start);
            while let Some(t) = queue.pop() {
                for e in 0..3 {
                    for u in topology.sides(topology.edge_of(t, e)) {
                        if part_of[u] == u32::MAX {
                            part_of[u] = parts;
                            queue.push(u);
                        }
                    }
                }
            }
            parts += 1;
        }
        let mut triangles: Vec<u32> = (0..count as u32).collect();
        triangles.sort_by_key(|&t| part_of[t as usize]);
        let first = (0..=parts).map(|p| triangles.partition_point(|&t| part_of[t as usize] < p)).collect();
        Self { triangles, first }
    }

    fn len(&self) -> usize {
        self.first.len() - 1
    }

    fn triangles(&self, part: usize) -> &[u32] {
        &self.triangles[self.first[part]..self.first[part + 1]]
    }

    fn boxes(&self, mesh: &TriangleMesh) -> Vec<Aabb> {
        let corners = |part: usize| self.triangles(part).iter().flat_map(|&t| mesh.corners(t as usize));
        let around = |part: usize| corners(part).fold(Aabb::EMPTY, |b, p| b.union(&Aabb::new(p, p)));
        (0..self.len()).map(around).collect()
    }
}

/// Winding number of closed triangles around a point: one inside, zero outside, for surfaces that face outwards.
///
/// # Source
/// van Oosterom and Strackee 1983: the solid angle of a triangle.
fn winding_number(mesh: &TriangleMesh, triangles: &[u32], p: Vec3) -> Real {
    let angle = |t: &u32| {
        let [a, b, c] = mesh.corners(*t as usize).map(|q| q - p);
        let (x, y, z) = (a.length(), b.length(), c.length());
        let below = x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y;
        2.0 * atan2(a.dot(b.cross(c)), below)
    };
    triangles.iter().map(angle).sum::<Real>() / (4.0 * core::f64::consts::PI)
}

/// The parts of a watertight mesh inside which the surface does not wind around once, each by its first triangle. For
/// parts that cut each other, a single point decides: see [`TriangleMesh::crossings`].
///
/// # Cost
/// O(n) for each part whose box lies in another's.
pub(super) fn misplaced(mesh: &TriangleMesh, topology: &Topology) -> Vec<Misplaced> {
    let parts = Parts::of(topology, mesh.triangles().len());
    let volume = |part: usize| -> Real {
        let list = parts.triangles(part);
        let origin = mesh.corners(list[0] as usize)[0];
        let six = |t: &u32| {
            let [a, b, c] = mesh.corners(*t as usize).map(|p| p - origin);
            a.dot(b.cross(c))
        };
        list.iter().map(six).sum()
    };
    let boxes = parts.boxes(mesh);
    let holds = |b: &Aabb, p: Vec3| p.cmpge(b.min).all() && p.cmple(b.max).all();
    let mut found = Vec::new();
    for part in 0..parts.len() {
        let first = parts.triangles(part)[0] as usize;
        let p = mesh.corners(first)[0];
        let others = (0..parts.len()).filter(|&o| o != part && holds(&boxes[o], p));
        let around = others.map(|o| winding_number(mesh, parts.triangles(o), p)).sum::<Real>();
        // a part that touches another at the tested point is half within it: it counts as outside
        let within = around > 0.75;
        match (volume(part) < 0.0, within) {
            (true, false) => found.push(Misplaced::InsideOut(first)),
            (false, true) => found.push(Misplaced::Doubled(first)),
            _ => {}
        }
    }
    found
}

/// Number of corners of a part that are tested for lying in another.
const ASKED: usize = 64;

/// For each triangle, whether its closed part lies wholly within an odd number of others: such a part is a hollow. A part
/// counts as within another if its box does not stick out and its corners (up to 64 of them) are inside.
pub(super) fn within_others(mesh: &TriangleMesh, topology: &Topology) -> Vec<bool> {
    let parts = Parts::of(topology, mesh.triangles().len());
    let mut within = vec![false; mesh.triangles().len()];
    if parts.len() < 2 {
        return within;
    }
    let boxes = parts.boxes(mesh);
    for part in 0..parts.len() {
        let list = parts.triangles(part);
        let asked = || list.iter().step_by(list.len().div_ceil(ASKED)).map(|&t| mesh.corners(t as usize)[0]);
        let own = &boxes[part];
        let around = (0..parts.len())
            .filter(|&o| o != part && own.min.cmpgt(boxes[o].min).all() && own.max.cmplt(boxes[o].max).all())
            .filter(|&o| asked().all(|p| winding_number(mesh, parts.triangles(o), p).abs() > 0.75));
        if around.count() % 2 == 1 {
            for &t in list {
                within[t as usize] = true;
            }
        }
    }
    within
}
