//! Times before which bodies do not meet.

use super::linkage::bound_of;
use super::{Query, QueryError};
use drystone_core::{BodyId, BodyIndex, ClosingBound, NarrowPhase, PosedShape};
use drystone_geometry::Shape;
use drystone_math::Real;
use drystone_narrow_phase::Combined;

impl Query<'_> {
    /// A time (s from now) before which two bodies do not meet, whatever their joints' forces are: infinite where they never come near each other, zero
    /// where they touch, overlap, or nothing is known.
    ///
    /// It is conservative, not sharp: bodies in flight are bounded by their velocities and gravity, bodies in joints by the energy of all that hangs together.
    /// Advancing a world by it, again and again, comes to the time of impact from before. Nothing is known of what a script moves or
    /// holds, of motors without a largest torque or along a line, and in worlds with forces other than gravity. What holds is broken where
    /// one of the two is met by a third body meanwhile, or is edited.
    ///
    /// ```
    /// use drystone::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::builder().paradigm(Paradigm::MECHANISM).gravity([0.0, -10.0, 0.0]).build()?;
    /// let wall = world.add(Body::fixed(Shape::cuboid(0.1, 1.0, 1.0)?).at([1.2, 0.0, 0.0]))?;
    /// let bob = world.add(Body::dynamic(Shape::sphere(0.1)?).at([0.0, -1.0, 0.0]).linear_velocity([3.0, 0.0, 0.0]))?;
    /// world.join(Joint::ball(Joint::WORLD, bob).anchor([0.0, 0.0, 0.0]))?;
    ///
    /// let t = world.query().impact_not_before(bob, wall)?;
    /// assert!(t > 0.1 && t < 0.5);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`QueryError::UnknownBody`], and [`QueryError::Unsupported`] for a pair of shapes that cannot be compared.
    ///
    /// # Source
    /// Mirtich and Canny 1995, section 2.2, for bodies in flight. Erleben 2005, section 2.2.2, knows of no such time for articulated bodies.
    pub fn impact_not_before(&self, one: BodyId, other: BodyId) -> Result<Real, QueryError> {
        let data = self.world.engine.data();
        let column = |id: BodyId| self.world.bodies.get(id).copied().ok_or(QueryError::UnknownBody);
        let bodies = [column(one)?, column(other)?];
        let [a, b] = bodies.map(|i| self.placed_body(i));
        let found = Combined.query(a, b, Real::INFINITY, &mut [0; 4], &mut Vec::new())?;
        let [Some(first), Some(second)] = bodies.map(|i| bound_of(&data.configuration, &data.state, i)) else {
            return Ok(0.0);
        };
        // a slab parts what has no dents
        let convex = [a, b].iter().all(|x| !matches!(x.shape, Shape::Mesh(_) | Shape::Compound(_)));
        let normal = (convex && found.distance > 0.0).then_some(found.normal);
        Ok(ClosingBound::of(&first, &second, normal).not_before(found.distance))
    }

    fn placed_body(&self, body: BodyIndex) -> PosedShape<'_> {
        let shape = &self.world.engine.data().configuration.body(body).shape;
        PosedShape { shape, pose: self.placed.frames[body.at()] }
    }
}
