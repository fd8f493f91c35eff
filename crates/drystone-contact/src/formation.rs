use drystone_core::{Feature, PosedShape, Proximity};
use drystone_geometry::Shape;
use drystone_math::{Real, Vec3};

/// The part of a surface that takes part in a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FeatureKind {
    /// A point.
    Vertex,
    /// A segment.
    Edge,
    /// A polygon, or a plane.
    Face,
    /// A point of a curved surface.
    Smooth,
}

/// Two features that meet: a principal contact. A pair of convex shapes has one at a time, its contact formation; shapes of
/// several parts have one for each pair of parts that meet.
///
/// # Source
/// K-01; thesis 2.4 after Xiao: the contact region is the intersection of the surfaces, the formation the set of its
/// principal contacts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrincipalContact {
    /// The feature of body A.
    pub a: FeatureKind,
    /// The feature of body B.
    pub b: FeatureKind,
}

/// Sine of the angle up to which a feature counts as perpendicular to the normal.
const ACROSS: Real = 0.01;

impl PrincipalContact {
    /// The principal contact of two convex shapes, or of a plane and a convex shape, along the normal that a narrow phase
    /// found; `None` for shapes without support features: meshes, and compounds, whose parts must be queried one by one.
    pub fn of(a: PosedShape<'_>, b: PosedShape<'_>, proximity: &Proximity) -> Option<Self> {
        Some(Self {
            a: kind(a, proximity.normal, proximity.feature_a)?,
            b: kind(b, -proximity.normal, proximity.feature_b)?,
        })
    }

    /// Returns true if the features leave its normal undetermined: two vertices, or a vertex and an edge (K-05). The
    /// closest points give one if the shapes are apart, the direction of least penetration if they are not.
    pub fn is_degenerate(self) -> bool {
        use FeatureKind::{Edge, Vertex};
        matches!((self.a, self.b), (Vertex, Vertex | Edge) | (Edge, Vertex))
    }
}

/// The feature of a shape that faces a direction (world frame).
fn kind(s: PosedShape<'_>, toward: Vec3, named: Feature) -> Option<FeatureKind> {
    match s.shape {
        Shape::Plane(_) => return Some(FeatureKind::Face),
        Shape::Sphere(_) => return Some(FeatureKind::Smooth),
        Shape::Mesh(_) | Shape::Compound(_) => {
            // only the narrow phase knows
            return match named {
                Feature::Surface => None,
                Feature::Vertex(_) => Some(FeatureKind::Vertex),
                Feature::Edge(_) => Some(FeatureKind::Edge),
                Feature::Face(_) => Some(FeatureKind::Face),
            };
        }
        _ => {}
    }
    let n = s.pose.local_direction(toward);
    let feature = s.shape.support_feature(n);
    // a feature that leans away from the contact meets it in its lowest part
    let size = feature.points.iter().fold(0.0, |m: Real, p| m.max((*p - feature.points[0]).length()));
    let highest = feature.points.iter().fold(Real::NEG_INFINITY, |m, p| m.max(n.dot(*p)));
    let level = feature.points.iter().filter(|p| highest - n.dot(**p) <= ACROSS * size).count();
    Some(match level {
        0 => return None,
        1 if feature.radius > 0.0 => FeatureKind::Smooth,
        1 => FeatureKind::Vertex,
        2 => FeatureKind::Edge,
        _ => FeatureKind::Face,
    })
}
