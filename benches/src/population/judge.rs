//! Quality of a run, from recorded states by one judge for all engines.
//!
//! Overlaps are measured by parry in double precision, energies by drystone's mass properties.

use super::engine::BodyState;
use super::rapier_run::judge_shape;
use super::scene::{GRAVITY, Joint, JointKind, PopulationScene, RigidBody};
use crate::EngineError;
use drystone::World;
use drystone::math::{Pose, Real, SymmetricMat3, Vec3};
use rapier3d_f64::math as rapier_math;
use rapier3d_f64::parry::query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher};
use rapier3d_f64::parry::shape::SharedShape;

/// Quality of a run.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Quality {
    /// Largest joint gap of the observed steps (m).
    pub gap: Real,
    /// Deepest overlap of the sampled steps (m).
    pub depth: Real,
    /// Largest excess over the initial energy, relative to it (potential energy counts from y = 0). Not a number if a motor does work.
    pub gain: Real,
    /// Longest displacement of a body over the last second (m). Not a number for a run of less than a second.
    pub creep: Real,
}

/// Mass, centre of mass in the body's frame, and inertia about it in body axes.
struct Solid {
    mass: Real,
    center: Vec3,
    inertia: SymmetricMat3,
}

/// Knows a scene's shapes and masses, and scores states of it.
pub struct Judge<'a> {
    scene: &'a PopulationScene,
    solids: Vec<Solid>,
    shapes: Vec<SharedShape>,
    /// Joined pairs, the smaller index first, sorted: they may overlap.
    joined: Vec<[usize; 2]>,
    initial: Real,
}

/// Extremes over a run so far.
#[derive(Debug, Clone, Default)]
pub struct Observed {
    quality: Quality,
    /// States one second before the end.
    earlier: Vec<BodyState>,
}

impl<'a> Judge<'a> {
    /// A judge of a scene; the masses are those of `world`.
    ///
    /// # Errors
    /// For a shape that parry does not accept.
    pub fn new(scene: &'a PopulationScene, world: &World, start: &[BodyState]) -> Result<Self, EngineError> {
        let solid = |body| {
            let none = Solid { mass: 0.0, center: Vec3::ZERO, inertia: SymmetricMat3::ZERO };
            let found = world.properties(body);
            found.map_or(none, |p| Solid { mass: p.mass, center: p.center, inertia: p.inertia })
        };
        let pairs = scene.joints.iter().filter_map(|joint| Some([joint.bodies[0]?, joint.bodies[1]?]));
        let mut judge = Self {
            scene,
            solids: world.bodies().iter().copied().map(solid).collect(),
            shapes: scene.bodies.iter().map(|body| judge_shape(&body.form)).collect::<Result<_, _>>()?,
            joined: pairs.map(|[a, b]| [a.min(b), a.max(b)]).collect(),
            initial: 0.0,
        };
        judge.joined.sort_unstable();
        judge.initial = judge.energy(start);
        Ok(judge)
    }

    /// Kinetic energy and potential energy over y = 0 (J).
    pub fn energy(&self, states: &[BodyState]) -> Real {
        let of = |(solid, state): (&Solid, &BodyState)| {
            let BodyState { pose, velocity } = state;
            let spin = pose.orientation.inverse() * velocity.angular;
            let kinetic = solid.mass * velocity.linear.length_squared() + spin.dot(solid.inertia.mul_vec(spin));
            let center = pose.position + pose.orientation * solid.center;
            0.5 * kinetic - solid.mass * GRAVITY.dot(center)
        };
        self.solids.iter().zip(states).map(of).sum()
    }

    /// Largest gap of the joints (m): the distance of their two anchors, of a slider that across its axis.
    pub fn gap(&self, states: &[BodyState]) -> Real {
        let place = |joint: &Joint, end: usize| {
            let local = self.scene.local_point(joint.bodies[end], joint.anchor);
            joint.bodies[end].map_or(local, |i| states[i].pose.position + states[i].pose.orientation * local)
        };
        let gap = |joint: &Joint| {
            let between = place(joint, 1) - place(joint, 0);
            if joint.kind != JointKind::Slider {
                return between.length();
            }
            let local = self.scene.local_direction(joint.bodies[0], joint.axis);
            let axis = joint.bodies[0].map_or(local, |i| states[i].pose.orientation * local);
            (between - axis * axis.dot(between)).length()
        };
        self.scene.joints.iter().map(gap).fold(0.0, larger)
    }

    /// Deepest overlap of two bodies that no joint holds together (m).
    pub fn depth(&self, states: &[BodyState]) -> Real {
        if !states.iter().all(|state| state.pose.is_finite()) {
            return Real::NAN;
        }
        let places: Vec<_> = states.iter().map(|state| placement(&state.pose)).collect();
        let boxes: Vec<_> = self.shapes.iter().zip(&places).map(|(shape, place)| shape.compute_aabb(place)).collect();
        let mut order: Vec<usize> = (0..states.len()).collect();
        order.sort_by(|&i, &j| boxes[i].mins.x.total_cmp(&boxes[j].mins.x));
        let mut depth: Real = 0.0;
        let mut manifolds: Vec<ContactManifold<(), ()>> = Vec::new();
        for (k, &i) in order.iter().enumerate() {
            for &j in order[k + 1..].iter().take_while(|&&j| boxes[j].mins.x <= boxes[i].maxs.x) {
                let apart = boxes[i].mins.cmpgt(boxes[j].maxs).any() || boxes[j].mins.cmpgt(boxes[i].maxs).any();
                let still = self.scene.bodies[i].mass.is_none() && self.scene.bodies[j].mass.is_none();
                if apart || still || self.joined.binary_search(&[i.min(j), i.max(j)]).is_ok() {
                    continue;
                }
                manifolds.clear();
                let relative = places[i].inv_mul(&places[j]);
                let [a, b] = [i, j].map(|body| &*self.shapes[body].0);
                let tested = DefaultQueryDispatcher.contact_manifolds(&relative, a, b, 0.0, &mut manifolds, &mut None);
                if tested.is_ok() {
                    let points = manifolds.iter().flat_map(|manifold| &manifold.points);
                    depth = points.map(|point| -point.dist).fold(depth, Real::max);
                }
            }
        }
        depth
    }

    /// Takes in gaps and energy after a step.
    pub fn observe(&self, observed: &mut Observed, states: &[BodyState]) {
        let quality = &mut observed.quality;
        quality.gap = larger(quality.gap, self.gap(states));
        let gain = (self.energy(states) - self.initial) / self.initial;
        quality.gain = if self.scene.is_passive() { larger(quality.gain, gain) } else { Real::NAN };
    }

    /// Takes in overlaps after a step.
    pub fn observe_depth(&self, observed: &mut Observed, states: &[BodyState]) {
        observed.quality.depth = larger(observed.quality.depth, self.depth(states));
    }

    /// The score of a run that ends with `states`.
    pub fn score(&self, observed: &Observed, states: &[BodyState]) -> Quality {
        let moved =
            |(i, _): (usize, &RigidBody)| (states[i].pose.position - observed.earlier[i].pose.position).length();
        let creep =
            if observed.earlier.is_empty() { Real::NAN } else { self.scene.moving().map(moved).fold(0.0, larger) };
        Quality { creep, ..observed.quality }
    }
}

impl Observed {
    /// Notes the states one second before the end.
    pub fn note_last_second(&mut self, states: &[BodyState]) {
        self.earlier = states.to_vec();
    }
}

/// The larger of two numbers; not a number if one of them is none.
fn larger(a: Real, b: Real) -> Real {
    if a.is_nan() || a > b { a } else { b }
}

fn placement(pose: &Pose) -> rapier_math::Pose {
    let (p, q) = (pose.position, pose.orientation);
    let turn = rapier_math::Rotation::from_xyzw(q.x, q.y, q.z, q.w);
    rapier_math::Pose::from_parts(rapier_math::Vector::new(p.x, p.y, p.z), turn)
}
