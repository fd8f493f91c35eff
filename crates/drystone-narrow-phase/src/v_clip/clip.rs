//! Voronoi regions as planes, and edges clipped by them.

use crate::solid::Solid;
use drystone_core::Feature;
use drystone_math::{Real, Vec3};

/// A plane between the Voronoi regions of a feature and of one of its neighbours: inside is `normal . (x - at) >= 0`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plane {
    pub at: Vec3,
    pub normal: Vec3,
    pub neighbour: Feature,
}

impl Plane {
    pub(super) fn height(&self, p: Vec3) -> Real {
        self.normal.dot(p - self.at)
    }
}

/// Calls back with the planes of a feature's Voronoi region.
pub(super) fn visit_planes(s: &Solid<'_>, feature: Feature, mut visit: impl FnMut(Plane)) {
    match feature {
        Feature::Vertex(v) => {
            let at = s.vertex(v);
            for (&w, &e) in s.poly().neighbours(v).iter().zip(s.poly().vertex_edges(v)) {
                visit(Plane { at, normal: at - s.vertex(w), neighbour: Feature::Edge(e) });
            }
        }
        Feature::Edge(e) => {
            let [p, q] = s.poly().edges()[e as usize];
            let (tail, head) = s.edge(e);
            let u = head - tail;
            visit(Plane { at: tail, normal: u, neighbour: Feature::Vertex(p) });
            visit(Plane { at: head, normal: -u, neighbour: Feature::Vertex(q) });
            let [left, right] = s.poly().edge_faces(e);
            visit(Plane { at: tail, normal: u.cross(s.normal(left)), neighbour: Feature::Face(left) });
            visit(Plane { at: tail, normal: s.normal(right).cross(u), neighbour: Feature::Face(right) });
        }
        Feature::Face(f) => {
            let n = s.normal(f);
            let corners = s.poly().face_corners(f as usize);
            for (k, &e) in s.poly().face_edges(f as usize).iter().enumerate() {
                let (p, q) = (s.vertex(corners[k]), s.vertex(corners[(k + 1) % corners.len()]));
                visit(Plane { at: p, normal: n.cross(q - p), neighbour: Feature::Edge(e) });
            }
        }
        Feature::Surface => {}
    }
}

/// The part of an edge that lies in a region, by its parameters, and which neighbours cut it off.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clipped {
    pub low: Real,
    pub high: Real,
    pub low_by: Option<Feature>,
    pub high_by: Option<Feature>,
    /// All of it lies beyond this neighbour's plane.
    pub beyond: Option<Feature>,
}

impl Clipped {
    pub(super) fn whole() -> Self {
        Self { low: 0.0, high: 1.0, low_by: None, high_by: None, beyond: None }
    }

    /// Nothing is left.
    pub(super) fn is_empty(&self) -> bool {
        self.beyond.is_some() || self.low > self.high
    }

    /// Cuts off what lies beyond a plane.
    pub(super) fn cut(&mut self, (tail, head): (Vec3, Vec3), plane: &Plane) {
        if self.is_empty() {
            return;
        }
        let (t, h) = (plane.height(tail), plane.height(head));
        if t < 0.0 && h < 0.0 {
            self.beyond = Some(plane.neighbour);
        } else if t < 0.0 {
            let at = t / (t - h);
            if at > self.low {
                (self.low, self.low_by) = (at, Some(plane.neighbour));
            }
        } else if h < 0.0 {
            let at = t / (t - h);
            if at < self.high {
                (self.high, self.high_by) = (at, Some(plane.neighbour));
            }
        }
    }
}
