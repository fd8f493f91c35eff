use crate::gap::Gap;
use crate::{box_box, capsule_box, plane_pairs, round_pairs, sphere_box};
use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{ContactSeed, NarrowCache, NarrowPhase, PosedShape, Proximity, UnsupportedPair};
use drystone_geometry::{Cuboid, Shape};
use drystone_math::{Pose, Real};

/// Closed forms for spheres, boxes, capsules and planes; boxes by their axis of least depth.
///
/// # Source
/// Gottschalk, Lin and Manocha 1996 for two boxes (J-20); the others are elementary geometry.
#[derive(Debug, Clone, Copy, Default)]
pub struct Primitives;

/// The same closed forms, but two boxes by the improved method of thesis 6.3, which takes a face, however deep, if an end of
/// the crossing edges lies inside the other box.
///
/// # Source
/// Thesis 6.3 (K-11).
#[derive(Debug, Clone, Copy, Default)]
pub struct PrimitivesImproved;

/// The same closed forms, but two boxes by the old method, which finds its own contact points and fails as the thesis
/// shows.
///
/// # Source
/// Thesis 6.3, Figure 6.41 (K-10).
#[derive(Debug, Clone, Copy, Default)]
pub struct PrimitivesOld;

impl Primitives {
    /// For catalogues.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "primitives",
        summary: "closed forms, boxes by the axis of least depth; takes any two of sphere, box, capsule, plane except two planes",
        source: "Gottschalk, Lin and Manocha 1996",
        parameters: &[],
    };

    /// There is nothing to set.
    pub fn from_settings(_: &Settings) -> Self {
        Self
    }
}

impl PrimitivesImproved {
    /// For catalogues.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "box-box-improved",
        summary: "as primitives, but boxes prefer a face, however deep, if an end of the crossing edges is inside the other box; takes the same pairs",
        source: "Erleben 2005, section 6.3 (improved method)",
        parameters: &[],
    };

    /// There is nothing to set.
    pub fn from_settings(_: &Settings) -> Self {
        Self
    }
}

impl PrimitivesOld {
    /// For catalogues.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "box-box-old",
        summary: "as primitives, but boxes by the axis of least overlap without preferring faces: the old method with its three failures; takes the same pairs",
        source: "Erleben 2005, section 6.3, Figure 6.41 (old method)",
        parameters: &[],
    };

    /// There is nothing to set.
    pub fn from_settings(_: &Settings) -> Self {
        Self
    }
}

/// Returns true if there is a closed form for the pair.
fn known(a: &Shape, b: &Shape) -> bool {
    let primitive = |s: &Shape| matches!(s, Shape::Sphere(_) | Shape::Box(_) | Shape::Capsule(_) | Shape::Plane(_));
    let planes = matches!(a, Shape::Plane(_)) && matches!(b, Shape::Plane(_));
    primitive(a) && primitive(b) && !planes
}

/// All closed forms except that of two boxes.
pub(crate) fn closed_form(a: PosedShape<'_>, b: PosedShape<'_>) -> Option<Gap> {
    let (pa, pb) = (&a.pose, &b.pose);
    Some(match (a.shape, b.shape) {
        (Shape::Sphere(x), Shape::Sphere(y)) => round_pairs::sphere_sphere(*x, pa, *y, pb),
        (Shape::Sphere(x), Shape::Capsule(y)) => round_pairs::sphere_capsule(*x, pa, y, pb),
        (Shape::Capsule(x), Shape::Sphere(y)) => round_pairs::sphere_capsule(*y, pb, x, pa).flipped(),
        (Shape::Capsule(x), Shape::Capsule(y)) => round_pairs::capsule_capsule(x, pa, y, pb),
        (Shape::Sphere(x), Shape::Box(y)) => sphere_box::sphere_box(*x, pa, y, pb),
        (Shape::Box(x), Shape::Sphere(y)) => sphere_box::sphere_box(*y, pb, x, pa).flipped(),
        (Shape::Capsule(x), Shape::Box(y)) => capsule_box::capsule_box(x, pa, y, pb),
        (Shape::Box(x), Shape::Capsule(y)) => capsule_box::capsule_box(y, pb, x, pa).flipped(),
        (Shape::Plane(x), Shape::Sphere(y)) => plane_pairs::plane_sphere(x, pa, *y, pb),
        (Shape::Sphere(x), Shape::Plane(y)) => plane_pairs::plane_sphere(y, pb, *x, pa).flipped(),
        (Shape::Plane(x), Shape::Capsule(y)) => plane_pairs::plane_capsule(x, pa, y, pb),
        (Shape::Capsule(x), Shape::Plane(y)) => plane_pairs::plane_capsule(y, pb, x, pa).flipped(),
        (Shape::Plane(x), Shape::Box(y)) => plane_pairs::plane_box(x, pa, y, pb),
        (Shape::Box(x), Shape::Plane(y)) => plane_pairs::plane_box(y, pb, x, pa).flipped(),
        _ => return None,
    })
}

pub(crate) fn unsupported(narrow_phase: &'static str, a: &Shape, b: &Shape) -> UnsupportedPair {
    UnsupportedPair { narrow_phase, shape_a: a.kind(), shape_b: b.kind() }
}

/// A box with its pose.
type Placed<'a> = (&'a Cuboid, &'a Pose);

/// The narrow phase of the closed forms, with a function for the gap of two boxes, which is also given the envelope (m), the pair's cache, and the seeds to
/// write.
macro_rules! closed_forms {
    ($Phase:ident, $boxes:expr) => {
        impl NarrowPhase for $Phase {
            fn name(&self) -> &'static str {
                Self::DESCRIPTION.name
            }

            fn supports(&self, a: &Shape, b: &Shape) -> bool {
                known(a, b)
            }

            fn query(
                &self,
                a: PosedShape<'_>,
                b: PosedShape<'_>,
                envelope: Real,
                cache: &mut NarrowCache,
                seeds: &mut Vec<ContactSeed>,
            ) -> Result<Proximity, UnsupportedPair> {
                const BOXES: fn(Placed<'_>, Placed<'_>, Real, &mut u32, &mut Vec<ContactSeed>) -> Gap = $boxes;
                seeds.clear();
                let gap = if let (Shape::Box(x), Shape::Box(y)) = (a.shape, b.shape) {
                    BOXES((x, &a.pose), (y, &b.pose), envelope, &mut cache[0], seeds)
                } else {
                    closed_form(a, b).ok_or_else(|| unsupported(self.name(), a.shape, b.shape))?
                };
                Ok(gap.proximity(envelope))
            }
        }
    };
}

closed_forms!(Primitives, |(x, p), (y, q), envelope, known, _| box_box::least_depth(x, p, y, q, envelope, known));
closed_forms!(PrimitivesImproved, |(x, p), (y, q), envelope, known, _| box_box::improved(x, p, y, q, envelope, known));
closed_forms!(PrimitivesOld, |(x, p), (y, q), envelope, known, seeds| {
    box_box::old(x, p, y, q, envelope, known, seeds)
});
