//! Queries: what a ray hits, what is nearest to a point, what a shape overlaps, how far it can be moved.

mod demands;
mod error;
mod impact;
mod index;
mod linkage;

pub use demands::Demands;
pub use error::QueryError;
pub(crate) use index::QueryIndex;

use crate::World;
use drystone_core::{BodyId, BodyProperties, CollisionGroups, NarrowPhase, PosedShape, run_each};
use drystone_geometry::{Ray, Shape};
use drystone_math::{Pose, Real, Vec3};
use drystone_narrow_phase::{Combined, Sweep, point_distance, sweep};
use index::PlacedBodies;
use std::sync::Arc;

/// Intersection of a ray, a point or a moving shape with a body.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Hit {
    /// The body.
    pub body: BodyId,
    /// The distance along the ray or the path, or from the point to the surface, negative inside (m).
    pub distance: Real,
    /// A point on the body's surface (m); if a ray begins inside, its origin.
    pub position: Vec3,
    /// Unit normal pointing out of the body; if a ray begins inside, the opposite of the ray's direction.
    pub normal: Vec3,
}

/// Answers queries about bodies as they stand now; made by [`World::query`].
///
/// All kinds of shapes are supported. Passive bodies and sensors are left out. Of equal answers, the body that was added first is returned.
///
/// ```
/// use drystone::prelude::*;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut world = World::builder().build()?;
/// let floor = world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0)?))?;
/// let crate_ = world.add(Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5)?).at([0.0, 0.5, 0.0]))?;
///
/// let query = world.query();
/// let hit = query.ray(Vec3::new(0.0, 9.0, 0.0), Vec3::NEG_Y, f64::INFINITY)?.unwrap();
/// assert_eq!((hit.body, hit.distance, hit.normal), (crate_, 8.0, Vec3::Y));
///
/// // how far can a ball go before it touches something that is not the floor?
/// let ball = Shape::sphere(0.25)?;
/// let query = query.only(|body| body != floor);
/// let hit = query.sweep(&ball, Pose::from_position(Vec3::new(-5.0, 0.5, 0.0)), Vec3::X * 10.0)?.unwrap();
/// assert!((hit.distance - 4.25).abs() < 1e-12);
/// # Ok(())
/// # }
/// ```
pub struct Query<'w> {
    world: &'w World,
    placed: Arc<PlacedBodies>,
    /// Which bodies are asked about; all of them without it.
    keep: Option<Box<dyn Fn(BodyId) -> bool + 'w>>,
}

/// A ray: where it begins (m), where it points, at any length above zero, and how long it is (m, infinity for a half line).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RayQuery {
    /// Origin (m).
    pub origin: Vec3,
    /// Direction; its length does not matter, but must be above zero.
    pub direction: Vec3,
    /// Its length (m), infinity for a half line.
    pub length: Real,
}

/// Number of rays that a thread takes at a time.
const RAYS_AT_A_TIME: usize = 64;

/// Data read to answer queries, if need be by several threads; `K` tells which columns are asked about.
struct Sight<'q, K> {
    placed: &'q PlacedBodies,
    bodies: &'q [BodyProperties],
    ids: &'q [BodyId],
    keep: K,
}

impl World {
    /// A view of the world for queries about its bodies as they stand now.
    ///
    /// # Cost
    /// Linear in the number of bodies that have moved for the first call after steps; linear in that of all bodies for the first after an edit; otherwise nothing.
    pub fn query(&self) -> Query<'_> {
        Query { world: self, placed: self.queries.placed(self), keep: None }
    }
}

impl<'w> Query<'w> {
    /// The same query, restricted to those of its bodies for which `keep` returns true.
    #[must_use]
    pub fn only(self, keep: impl Fn(BodyId) -> bool + 'w) -> Self {
        let before = self.keep;
        let keep = move |body| before.as_ref().is_none_or(|before| before(body)) && keep(body);
        Self { keep: Some(Box::new(keep)), ..self }
    }

    /// The same query, restricted to bodies on a collision layer.
    #[must_use]
    pub fn on_layer(self, layer: i64) -> Self {
        let (columns, bodies) = (&self.world.bodies, &self.world.engine.data().configuration.bodies);
        self.only(move |body| columns.get(body).is_some_and(|i| bodies[i.at()].layer == layer))
    }

    /// The same query, restricted to bodies that a body in these groups would collide with; see [`crate::Body::groups`].
    #[must_use]
    pub fn meeting(self, groups: CollisionGroups) -> Self {
        let (columns, bodies) = (&self.world.bodies, &self.world.engine.data().configuration.bodies);
        self.only(move |body| columns.get(body).is_some_and(|i| bodies[i.at()].groups.meet(&groups)))
    }

    /// The first body that a ray hits within `length` (m, infinity for a half line) of `origin` (m). The direction may have any length above zero.
    ///
    /// # Errors
    /// [`QueryError::NotFinite`], [`QueryError::TooFar`], [`QueryError::ZeroDirection`], [`QueryError::Negative`].
    pub fn ray(&self, origin: Vec3, direction: Vec3, length: Real) -> Result<Option<Hit>, QueryError> {
        Ok(self.sight().first_hit(&checked_ray(origin, direction, length)?))
    }

    /// The same for many rays, on all threads of the world: the first hit of each.
    ///
    /// ```
    /// use drystone::RayQuery;
    /// use drystone::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::builder().build()?;
    /// world.add(Body::fixed(Shape::sphere(1.0)?))?;
    /// let down = |x: f64| RayQuery { origin: Vec3::new(x, 5.0, 0.0), direction: Vec3::NEG_Y, length: f64::INFINITY };
    /// let hits = world.query().rays(&[down(0.0), down(3.0)])?;
    /// assert!(hits[0].is_some_and(|hit| hit.distance == 4.0) && hits[1].is_none());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Self::ray`], for the first ray that has a fault; no ray is cast then.
    ///
    /// # Cost
    /// That of the rays; restricted queries ask about each body of the world once.
    pub fn rays(&self, rays: &[RayQuery]) -> Result<Vec<Option<Hit>>, QueryError> {
        let rays =
            rays.iter().map(|r| checked_ray(r.origin, r.direction, r.length)).collect::<Result<Vec<Ray>, _>>()?;
        let mut hits = vec![None; rays.len()];
        // a rule of the user's is asked here: it need not be one for several threads
        let kept: Option<Vec<bool>> =
            self.keep.as_ref().map(|keep| self.world.body_ids.iter().map(|id| keep(*id)).collect());
        let sight = self.sight_of(|column: usize| kept.as_ref().is_none_or(|kept| kept[column]));
        let pieces = hits.chunks_mut(RAYS_AT_A_TIME).zip(rays.chunks(RAYS_AT_A_TIME));
        run_each(self.world.engine.executor(), pieces, |(hits, rays)| {
            for (hit, ray) in hits.iter_mut().zip(rays) {
                *hit = sight.first_hit(ray);
            }
        });
        Ok(hits)
    }

    /// All bodies that a ray hits, each at the point where it first enters, sorted by distance.
    ///
    /// # Errors
    /// As [`Self::ray`].
    pub fn ray_all(&self, origin: Vec3, direction: Vec3, length: Real) -> Result<Vec<Hit>, QueryError> {
        let ray = checked_ray(origin, direction, length)?;
        let mut hits = Vec::new();
        self.placed.tree.first_hit(&self.placed.boxes, &ray, |i| {
            hits.extend(self.sight().cast(&ray, i).map(|hit| (hit, i)));
            None
        });
        hits.sort_by(|(a, i), (b, j)| a.distance.total_cmp(&b.distance).then(i.cmp(j)));
        Ok(hits.into_iter().map(|(hit, _)| hit).collect())
    }

    /// The body whose surface is nearest to a point (m) and not farther than `limit` (m, infinity for any). If bodies contain the point, it is the one in which the
    /// point lies deepest, at a negative distance.
    ///
    /// # Errors
    /// [`QueryError::NotFinite`], [`QueryError::TooFar`], [`QueryError::Negative`].
    pub fn nearest(&self, point: Vec3, limit: Real) -> Result<Option<Hit>, QueryError> {
        let point = checked("point", point)?;
        let limit = not_negative("limit", limit)?;
        let mut best: Option<(Real, u32, Hit)> = None;
        let mut exact = |i: u32| {
            let Some(hit) = self.distance_of(point, i).filter(|hit| hit.distance <= limit) else {
                return Real::INFINITY;
            };
            if best.is_none_or(|(d, j, _)| (hit.distance, i) < (d, j)) {
                best = Some((hit.distance, i, hit));
            }
            // bodies that contain the point are compared by depth: none of them hides another
            hit.distance.max(0.0)
        };
        // just beyond the limit, so that what lies exactly at it counts
        self.placed.tree.nearest(&self.placed.boxes, point, limit.next_up(), &mut exact);
        Ok(best.map(|(_, _, hit)| hit))
    }

    /// The bodies that a placed shape overlaps or touches, in the order in which they were added.
    ///
    /// # Errors
    /// [`QueryError::NotFinite`], [`QueryError::TooFar`], [`QueryError::Orientation`], [`QueryError::Unbounded`] for a plane.
    pub fn overlapping(&self, shape: &Shape, pose: Pose) -> Result<Vec<BodyId>, QueryError> {
        let asked = checked_shape(shape, pose)?;
        let mut found = Vec::new();
        let bounds = asked.shape.aabb(&asked.pose);
        self.placed.tree.overlapping(&self.placed.boxes, &bounds, |i| found.push(i));
        found.sort_unstable();
        let mut overlapping = Vec::new();
        for i in found {
            let Some((id, still)) = self.body(i) else { continue };
            if Combined.query(asked, still, 0.0, &mut [0; 4], &mut Vec::new())?.distance <= 0.0 {
                overlapping.push(id);
            }
        }
        Ok(overlapping)
    }

    /// The first body that a shape touches when it is moved by `translation` (m) without rotation, and the distance until then; zero if it touches one at the start.
    ///
    /// # Errors
    /// As [`Self::overlapping`], and [`QueryError::NotSettled`].
    pub fn sweep(&self, shape: &Shape, pose: Pose, translation: Vec3) -> Result<Option<Hit>, QueryError> {
        let moving = checked_shape(shape, pose)?;
        let translation = checked("translation", translation)?;
        let mut found = Vec::new();
        let bounds = moving.shape.aabb(&moving.pose).swept(translation);
        self.placed.tree.overlapping(&self.placed.boxes, &bounds, |i| found.push(i));
        found.sort_unstable();
        let way = translation.length();
        let (mut best, mut unsettled): (Option<Hit>, Option<Real>) = (None, None);
        for i in found {
            let Some((body, still)) = self.body(i) else { continue };
            match sweep(moving, translation, still)? {
                Sweep::Free => {}
                Sweep::NotBefore(fraction) => unsettled = Some(unsettled.unwrap_or(fraction).min(fraction)),
                Sweep::Touch(hit) => {
                    let distance = hit.fraction * way;
                    if best.is_none_or(|b| distance < b.distance) {
                        best = Some(Hit { body, distance, position: hit.position, normal: hit.normal });
                    }
                }
            }
        }
        match unsettled.map(|fraction| fraction * way) {
            Some(free) if best.is_none_or(|hit| free < hit.distance) => Err(QueryError::NotSettled { free }),
            _ => Ok(best),
        }
    }

    fn sight(&self) -> Sight<'_, impl Fn(usize) -> bool> {
        self.sight_of(|column| self.keep.as_ref().is_none_or(|keep| keep(self.world.body_ids[column])))
    }

    fn sight_of<K: Fn(usize) -> bool>(&self, keep: K) -> Sight<'_, K> {
        let World { engine, body_ids, .. } = self.world;
        Sight { placed: &self.placed, bodies: &engine.data().configuration.bodies, ids: body_ids, keep }
    }

    fn body(&self, column: u32) -> Option<(BodyId, PosedShape<'_>)> {
        self.sight().body(column)
    }

    fn distance_of(&self, point: Vec3, column: u32) -> Option<Hit> {
        let (body, PosedShape { shape, pose }) = self.body(column)?;
        let d = point_distance(shape, &pose, point)?;
        Some(Hit { body, distance: d.distance, position: d.nearest, normal: d.normal })
    }
}

impl<'q, K: Fn(usize) -> bool> Sight<'q, K> {
    /// The body in a column, if it is not left out, and its placed shape.
    fn body(&self, column: u32) -> Option<(BodyId, PosedShape<'q>)> {
        let at = column as usize;
        let id = *self.ids.get(at)?;
        (self.keep)(at).then(|| (id, PosedShape { shape: &self.bodies[at].shape, pose: self.placed.frames[at] }))
    }

    fn cast(&self, ray: &Ray, column: u32) -> Option<Hit> {
        let (body, PosedShape { shape, pose }) = self.body(column)?;
        let hit = shape.cast_ray(&ray.seen_from(&pose))?;
        let position = ray.at(hit.t);
        let known = position.is_finite().then_some(position)?;
        Some(Hit { body, distance: hit.t, position: known, normal: pose.direction(hit.normal) })
    }

    /// The nearest hit of a ray; of equal ones, that of the body that was added first.
    fn first_hit(&self, ray: &Ray) -> Option<Hit> {
        let mut best: Option<(Real, u32, Hit)> = None;
        self.placed.tree.first_hit(&self.placed.boxes, ray, |i| {
            let hit = self.cast(ray, i)?;
            if best.is_none_or(|(d, j, _)| (hit.distance, i) < (d, j)) {
                best = Some((hit.distance, i, hit));
            }
            Some(hit.distance)
        });
        best.map(|(_, _, hit)| hit)
    }
}

/// Largest coordinate in a query (m): its fourth power must still be finite.
const FARTHEST: Real = 1e75;

fn checked(what: &'static str, v: Vec3) -> Result<Vec3, QueryError> {
    if !v.is_finite() {
        return Err(QueryError::NotFinite { what });
    }
    if v.abs().max_element() > FARTHEST {
        return Err(QueryError::TooFar { what, farthest: FARTHEST });
    }
    Ok(v)
}

fn not_negative(what: &'static str, length: Real) -> Result<Real, QueryError> {
    if length >= 0.0 { Ok(length) } else { Err(QueryError::Negative { what, found: length }) }
}

/// A ray along a unit direction, checked.
fn checked_ray(origin: Vec3, direction: Vec3, length: Real) -> Result<Ray, QueryError> {
    let origin = checked("origin", origin)?;
    let scale = direction.abs().max_element();
    if !direction.is_finite() {
        return Err(QueryError::NotFinite { what: "direction" });
    }
    if scale == 0.0 {
        return Err(QueryError::ZeroDirection);
    }
    // scaled first, so that tiny and huge vectors keep their digits; a unit vector is left as it is
    let unit = (direction.length_squared() - 1.0).abs() < 1e-15;
    let direction = if unit { direction } else { (direction / scale).normalize() };
    Ok(Ray { origin, direction, length: not_negative("length", length)? })
}

fn checked_shape(shape: &Shape, pose: Pose) -> Result<PosedShape<'_>, QueryError> {
    if matches!(shape, Shape::Plane(_)) {
        return Err(QueryError::Unbounded(shape.kind()));
    }
    let position = checked("position", pose.position)?;
    let length = pose.orientation.length();
    if !(length.is_finite() && length > 1e-100) {
        return Err(QueryError::Orientation);
    }
    let orientation = if (length - 1.0).abs() < 1e-15 { pose.orientation } else { pose.orientation / length };
    Ok(PosedShape { shape, pose: Pose::new(position, orientation) })
}
