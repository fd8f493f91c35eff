use crate::{Aabb, MassProperties, Shape, ShapeError};
use drystone_math::{Mat3, Pose, Real, SymmetricMat3, Vec3};

/// Several bounded shapes, fixed to each other, as one. Where parts overlap, their mass counts twice.
#[derive(Debug, Clone, PartialEq)]
pub struct Compound {
    parts: Vec<(Shape, Pose)>,
}

impl Compound {
    /// A compound of parts, each with its frame in the compound's.
    ///
    /// # Errors
    /// [`ShapeError::NoParts`]; [`ShapeError::Part`] for a part that is unbounded, a compound itself, or placed at a pose
    /// that is not finite.
    pub fn new(parts: Vec<(Shape, Pose)>) -> Result<Self, ShapeError> {
        if parts.is_empty() {
            return Err(ShapeError::NoParts);
        }
        for (part, (shape, pose)) in parts.iter().enumerate() {
            let turned = (pose.orientation.length_squared() - 1.0).abs() < 1e-6;
            if matches!(shape, Shape::Plane(_) | Shape::Compound(_)) || !pose.is_finite() || !turned {
                return Err(ShapeError::Part { part, kind: shape.kind() });
            }
        }
        Ok(Self { parts })
    }

    /// The parts with their frames.
    pub fn parts(&self) -> &[(Shape, Pose)] {
        &self.parts
    }

    pub(crate) fn aabb(&self, pose: &Pose) -> Aabb {
        self.parts.iter().fold(Aabb::EMPTY, |b, (s, p)| b.union(&s.aabb(&(*pose * *p))))
    }

    pub(crate) fn bounding_radius(&self) -> Real {
        self.parts.iter().fold(0.0, |r: Real, (s, p)| r.max(p.position.length() + s.bounding_radius()))
    }

    pub(crate) fn mass_properties(&self, density: Real) -> Option<MassProperties> {
        let (mut mass, mut first) = (0.0, Vec3::ZERO);
        let mut placed = Vec::with_capacity(self.parts.len());
        for (s, p) in &self.parts {
            let m = s.mass_properties(density)?;
            let center = p.point(m.center);
            mass += m.mass;
            first += center * m.mass;
            placed.push((m.mass, center, m.inertia.rotated(p.orientation)));
        }
        let center = first / mass;
        let mut inertia = Mat3::ZERO;
        for (m, c, i) in placed {
            // the parallel-axis theorem
            let d = c - center;
            let outer = Mat3::from_cols(d * d.x, d * d.y, d * d.z);
            inertia += i.to_mat3() + (Mat3::IDENTITY * d.length_squared() - outer) * m;
        }
        Some(MassProperties { mass, center, inertia: SymmetricMat3::from_mat3(&inertia) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_halves_make_a_box() {
        let half = Shape::cuboid(0.5, 1.0, 1.5).unwrap();
        let at = |x: Real| Pose::from_position(Vec3::new(x, 0.0, 0.0));
        let c = Shape::compound(vec![(half.clone(), at(0.5)), (half, at(1.5))]).unwrap();
        let m = c.mass_properties(3.0).unwrap();
        let whole = Shape::cuboid(1.0, 1.0, 1.5).unwrap().mass_properties(3.0).unwrap();
        assert!((m.mass - whole.mass).abs() < 1e-12 && (m.center - Vec3::X).length() < 1e-15);
        assert!((m.inertia.diagonal - whole.inertia.diagonal).length() < 1e-12);
        let plane = Shape::plane(Vec3::Y, 0.0).unwrap();
        assert!(matches!(Shape::compound(vec![(plane, at(0.0))]), Err(ShapeError::Part { part: 0, kind: "plane" })));
        assert!(matches!(Shape::compound(vec![]), Err(ShapeError::NoParts)));
    }
}
