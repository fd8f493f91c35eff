//! The collision library parry as a narrow phase: its distances and depths behind drystone's seam.
//!
//! [`Parry`] takes any two of sphere, box, capsule, cylinder, cone and convex polyhedron, and each with a plane. Contact points come from the
//! contact determination, as for every narrow phase. It allocates where a convex polyhedron is met for the first time, and nothing after.

mod hulls;
mod shapes;
mod vectors;

use drystone_core::catalogue::Implementation;
use drystone_core::{ContactSeed, Feature, NarrowCache, NarrowPhase, PosedShape, Proximity, UnsupportedPair};
use drystone_geometry::Shape;
use drystone_math::{Real, Vec3};
use hulls::Hulls;
use parry3d_f64::query::{self, ClosestPoints};
use shapes::Placed;
use vectors::from_parry;

/// Distances by GJK and depths by the expanding polytope, balls, boxes and half spaces by closed forms, all of them parry's.
///
/// # Source
/// The library parry3d-f64; Gilbert, Johnson and Keerthi 1988; van den Bergen 2001.
#[derive(Debug, Default)]
pub struct Parry {
    hulls: Hulls,
}

impl Parry {
    /// For catalogues and registries.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "parry",
        summary: "the library parry; takes any two of sphere, box, capsule, cylinder, cone, convex, and each with a plane",
        source: "the library parry3d-f64",
        parameters: &[],
    };

    fn ask(&self, a: PosedShape<'_>, b: PosedShape<'_>, envelope: Real) -> Option<Proximity> {
        let (x, y) = (Placed::of(a, &self.hulls)?, Placed::of(b, &self.hulls)?);
        let (shape_a, shape_b) = (x.shape.as_shape(), y.shape.as_shape());
        let near = envelope.clamp(0.0, Real::MAX);
        if let Some(c) = query::contact(&x.pose, shape_a, &y.pose, shape_b, near).ok()? {
            return Some(proximity(c.dist, from_parry(c.normal1), from_parry(c.point1), envelope));
        }
        match query::closest_points(&x.pose, shape_a, &y.pose, shape_b, Real::MAX).ok()? {
            ClosestPoints::WithinMargin(p, q) => {
                let (p, q) = (from_parry(p), from_parry(q));
                let way = q - p;
                let distance = way.length();
                let apart = (b.pose.position - a.pose.position).normalize_or(Vec3::Y);
                let normal = if distance > 0.0 { way / distance } else { apart };
                Some(proximity(distance, normal, p, envelope))
            }
            // overlapping by less than either method sees, or further apart than any number
            ClosestPoints::Intersecting => {
                let apart = (b.pose.position - a.pose.position).normalize_or(Vec3::Y);
                Some(proximity(0.0, apart, a.pose.position.midpoint(b.pose.position), envelope))
            }
            ClosestPoints::Disjoint => None,
        }
    }
}

fn proximity(distance: Real, normal: Vec3, on_a: Vec3, envelope: Real) -> Proximity {
    let normal = normal.normalize_or(Vec3::Y);
    Proximity {
        relation: Proximity::relation_of(distance, envelope),
        distance,
        normal,
        witness_a: on_a,
        witness_b: on_a + normal * distance,
        feature_a: Feature::Surface,
        feature_b: Feature::Surface,
        iterations: 0,
    }
}

/// The answer for the bodies the other way round.
fn swapped(p: Proximity) -> Proximity {
    Proximity { normal: -p.normal, witness_a: p.witness_b, witness_b: p.witness_a, ..p }
}

impl NarrowPhase for Parry {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn supports(&self, a: &Shape, b: &Shape) -> bool {
        let plane = |s: &Shape| matches!(s, Shape::Plane(_));
        shapes::is_known(a) && shapes::is_known(b) && !(plane(a) && plane(b))
    }

    fn query(
        &self,
        a: PosedShape<'_>,
        b: PosedShape<'_>,
        envelope: Real,
        _: &mut NarrowCache,
        seeds: &mut Vec<ContactSeed>,
    ) -> Result<Proximity, UnsupportedPair> {
        seeds.clear();
        let unsupported =
            || UnsupportedPair { narrow_phase: self.name(), shape_a: a.shape.kind(), shape_b: b.shape.kind() };
        if !self.supports(a.shape, b.shape) {
            return Err(unsupported());
        }
        // asked for a half space behind another shape, parry 0.31 takes the inverse of the pose between them
        let answer = if matches!(b.shape, Shape::Plane(_)) {
            self.ask(b, a, envelope).map(swapped)
        } else {
            self.ask(a, b, envelope)
        };
        answer.ok_or_else(unsupported)
    }
}

#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;
