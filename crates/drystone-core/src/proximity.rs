use crate::FeatureKey;
use drystone_math::{Real, Vec3};

/// Relation of two solids: separated, touching or penetrating, by the thresholds of B-05 (K-16).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Relation {
    /// Apart by more than the contact envelope.
    #[default]
    Separated,
    /// Within the contact envelope of each other.
    Touching,
    /// Overlapping.
    Penetrating,
}

/// A part of a solid's surface that takes part in a principal contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Feature {
    /// Not known: the narrow phase gives points only, or the surface is smooth.
    #[default]
    Surface,
    /// A vertex.
    Vertex(u32),
    /// An edge.
    Edge(u32),
    /// A face.
    Face(u32),
}

/// Result of the narrow phase for a pair: the closest (or deepest) points and where they lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Proximity {
    /// Separated, touching or penetrating.
    pub relation: Relation,
    /// Signed distance (m): negative is the penetration depth.
    pub distance: Real,
    /// Unit normal from A to B, world frame.
    pub normal: Vec3,
    /// Closest point of A's surface (the deepest one if they overlap), world frame (m).
    pub witness_a: Vec3,
    /// Closest point of B's surface, world frame (m): `distance` from the other along the normal, and opposite it except in the cases that
    /// [`NarrowPhase`](crate::NarrowPhase) names.
    pub witness_b: Vec3,
    /// The part of A that carries the witness.
    pub feature_a: Feature,
    /// The part of B that carries the witness.
    pub feature_b: Feature,
    /// Iterations the algorithm took; zero for a closed form.
    pub iterations: u32,
}

impl Default for Proximity {
    /// Far apart.
    fn default() -> Self {
        Self {
            relation: Relation::Separated,
            distance: Real::INFINITY,
            normal: Vec3::Y,
            witness_a: Vec3::ZERO,
            witness_b: Vec3::ZERO,
            feature_a: Feature::Surface,
            feature_b: Feature::Surface,
            iterations: 0,
        }
    }
}

impl Proximity {
    /// Classifies a signed distance against the contact envelope (m).
    pub fn relation_of(distance: Real, envelope: Real) -> Relation {
        if distance < 0.0 {
            Relation::Penetrating
        } else if distance <= envelope {
            Relation::Touching
        } else {
            Relation::Separated
        }
    }
}

/// A contact point that the narrow phase itself found: sampled surfaces, meshes, compounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactSeed {
    /// Midway between the surfaces, world frame (m).
    pub position: Vec3,
    /// Unit normal from A to B, world frame.
    pub normal: Vec3,
    /// Signed distance along the normal (m).
    pub separation: Real,
    /// Which features meet, stable from frame to frame.
    pub key: FeatureKey,
    /// The parts that meet here, if this is the nearest or deepest point of a pair of parts whose other contacts the contact determination finds.
    pub parts: Option<PartPair>,
}

/// Two parts of a pair of shapes, at least one of them a compound, that meet as shapes of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartPair {
    /// Number of A's part; 0 if A is not a compound.
    pub part_a: u32,
    /// Number of B's part; 0 if B is not a compound.
    pub part_b: u32,
    /// The feature of A's part that carries its witness.
    pub feature_a: Feature,
    /// The feature of B's part that carries its witness.
    pub feature_b: Feature,
}

impl ContactSeed {
    /// The seed as the answer about its pair of parts; `None` if it is a contact by itself.
    pub fn proximity(&self) -> Option<Proximity> {
        let PartPair { feature_a, feature_b, .. } = self.parts?;
        let half = self.normal * (0.5 * self.separation);
        Some(Proximity {
            relation: if self.separation < 0.0 { Relation::Penetrating } else { Relation::Touching },
            distance: self.separation,
            normal: self.normal,
            witness_a: self.position - half,
            witness_b: self.position + half,
            feature_a,
            feature_b,
            iterations: 0,
        })
    }
}
