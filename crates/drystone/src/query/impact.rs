//! Lower bounds on times of impact.

use super::linkage::{JointEnds, bound_of};
use super::{Query, QueryError};
use drystone_core::{BodyId, BodyIndex, ClosingBound, NarrowPhase, PosedShape};
use drystone_geometry::Shape;
use drystone_math::Real;
use drystone_narrow_phase::Combined;

impl Query<'_> {
    /// A time (s from now) before which two bodies cannot meet, whatever the forces of their joints. Infinite if they never come near each other; zero if they touch
    /// or overlap, or if no bound is known.
    ///
    /// The bound is conservative, not sharp: bodies in flight are bounded by their velocities and gravity, jointed bodies by the energy of everything that hangs
    /// together with them. Advancing a world by it again and again approaches the time of impact from below. No bound is known for what a script moves or holds, for
    /// motors without a largest torque or along a line, and in worlds with forces other than gravity. The bound no longer holds if one of the two is hit by a third
    /// body meanwhile, or is edited.
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
    /// Mirtich and Canny 1995, section 2.2, for bodies in flight. Erleben 2005, section 2.2.2, knows no such bound for articulated bodies.
    pub fn impact_not_before(&self, one: BodyId, other: BodyId) -> Result<Real, QueryError> {
        let data = self.world.engine.data();
        let column = |id: BodyId| self.world.bodies.get(id).copied().ok_or(QueryError::UnknownBody);
        let bodies = [column(one)?, column(other)?];
        let [a, b] = bodies.map(|i| self.placed_body(i));
        let found = Combined.query(a, b, Real::INFINITY, &mut [0; 4], &mut Vec::new())?;
        let ends = self.placed.ends.get_or_init(|| JointEnds::new(&data.configuration, &data.state));
        let [Some(first), Some(second)] = bodies.map(|i| bound_of(&data.configuration, &data.state, ends, i)) else {
            return Ok(0.0);
        };
        // only shapes without dents are separated by a slab
        let convex = [a, b].iter().all(|x| !matches!(x.shape, Shape::Mesh(_) | Shape::Compound(_)));
        let normal = (convex && found.distance > 0.0).then_some(found.normal);
        Ok(ClosingBound::of(&first, &second, normal).not_before(found.distance))
    }

    fn placed_body(&self, body: BodyIndex) -> PosedShape<'_> {
        let shape = &self.world.engine.data().configuration.body(body).shape;
        PosedShape { shape, pose: self.placed.frames[body.at()] }
    }
}
