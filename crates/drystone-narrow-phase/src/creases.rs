//! Contacts of samples beside an edge or a corner of a map.

use crate::field::{MeshField, field};
use crate::mesh_samples::{FROM_B, Lookup};
use crate::wedge::Wedge;
use drystone_core::{ContactSeed, PosedShape};
use drystone_geometry::Shape;
use drystone_geometry::mesh::SignedDistanceMap;
use drystone_math::{Real, Vec3};

/// From this cosine of the angle between two faces on, the gradient of a map between them belongs to neither.
const BENDS: Real = 0.866;

/// A sample lies on its own surface to within this fraction of the size.
const ON_SURFACE: Real = 1e-7;

/// A touch lies on both surfaces to within this fraction of a cell: the error of a map at an edge.
const LANDS: Real = 0.3;

/// Marks the key of a sample whose surface has no normal in common with the other shape's.
pub(crate) const UNSUPPORTED: u64 = 1 << 43;

/// Corrects the contacts of samples beside an edge or a corner of the other shape: normal, separation and place become those that
/// both surfaces share. A map resolves its surface only to a cell: within a cell, or as deep as the shapes overlap, its gradient is
/// that of any of the faces that meet there, or one in between. Of the normals that the surface has there (those between its
/// faces'), only those count whose opposite is a normal of the sample's own surface. If there is none, or if it leads off the
/// surfaces or gives an overlap deeper than any sample, something else touches, and the key is marked.
///
/// # Source
/// K-04 and K-05 (Baraff 1989). Thesis 6.2.1 (K-06) uses the gradient and notes that normals twist because of it.
pub(crate) fn settle(a: PosedShape<'_>, b: PosedShape<'_>, lookup: Lookup, seeds: &mut [ContactSeed]) {
    let cell = |s: PosedShape<'_>| lookup.map(s.shape).map_or(0.0, SignedDistanceMap::cell);
    let blur = cell(a).max(cell(b));
    let nearest = seeds.iter().fold(Real::INFINITY, |d, s| d.min(s.separation));
    // farther away, the gradient points along the way to the nearest point
    for s in seeds.iter_mut().filter(|s| s.separation <= blur) {
        if s.key.0 & FROM_B == 0 {
            settle_one(a, b, [blur, nearest], s);
        } else {
            s.normal = -s.normal;
            settle_one(b, a, [blur, nearest], s);
            s.normal = -s.normal;
        }
    }
}

/// The same for one sample of `from`, with the normal toward `of`, the edge of a cell and the separation of the nearest sample (m).
fn settle_one(from: PosedShape<'_>, of: PosedShape<'_>, [blur, nearest]: [Real; 2], s: &mut ContactSeed) {
    if !matches!(from.shape, Shape::Mesh(_) | Shape::Box(_) | Shape::Convex(_)) {
        return;
    }
    let sample = s.position - s.normal * (0.5 * s.separation);
    let (p, out) = (of.pose.local_point(sample), of.pose.local_direction(-s.normal));
    let reach = blur + s.separation.max(0.0) - nearest.min(0.0);
    let Some(faces) = Wedge::about(of.shape, p, reach).filter(|f| f.turns_from(out, BENDS)) else { return };
    let on_surface = ON_SURFACE * from.shape.bounding_radius();
    let Some(own) = Wedge::about(from.shape, from.pose.local_point(sample), on_surface) else { return };
    let rel = from.pose.relative_to(&of.pose);
    let touch = faces.touch(&own.turned(|n| rel.direction(n)), out).filter(|t| t.separation >= nearest - 0.5 * blur);
    let lands = |shape: &Shape, at: Vec3| {
        field(shape, at, Real::INFINITY, MeshField::Mapped).is_none_or(|(d, _)| d.abs() <= LANDS * blur)
    };
    let touch = touch.map(|t| (t, p + faces.way_onto(&t)));
    match touch
        .filter(|(t, at)| lands(of.shape, *at - t.normal * t.separation) && lands(from.shape, rel.local_point(*at)))
    {
        Some((touch, at)) => {
            s.position = of.pose.point(at - touch.normal * (0.5 * touch.separation));
            s.normal = -of.pose.direction(touch.normal);
            s.separation = touch.separation;
        }
        None => s.key.0 |= UNSUPPORTED,
    }
}
