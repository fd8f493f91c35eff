//! PhysX through the crate `physx`: its default settings (patch friction, projected Gauss-Seidel, four iterations over
//! positions and one over velocities), all of it on the thread that asks.
//!
//! Behind the feature `physx`, for the crate compiles the C++ sources of PhysX that it brings along: that takes some
//! minutes and `clang++`, or another compiler of C++14 that `CXX` names, as in `CXX=g++ cargo bench …`. Joints are not to
//! be had from it without unsafe code, so it is not asked for scenes with links; nor does it tell of contact points.
//! One world at a time: PhysX has one foundation per process.

use crate::scenes::{DT, Form, Scene};
use crate::{Engine, EngineError, Sleep};
use drystone::math::{Pose, Quat, Vec3};
use physx::actor::ActorMap;
use physx::prelude::{
    AdvanceCallback, BoxGeometry, CollisionCallback, ConstraintBreakCallback, Owner, Physics, PhysicsFoundation,
    PxBoxGeometry, PxQuat, PxSphereGeometry, PxTransform, PxVec3, RigidActor, RigidDynamic, Scene as _,
    SceneDescriptor, SphereGeometry, TriggerCallback, WakeSleepCallback,
};
use physx::rigid_body::RigidBodyMap;
use std::cell::RefCell;

/// What a thing of PhysX knows: a moving body its place in the list of pieces, others nothing. The crate reads as much as
/// a pointer of it, so that it must not be `()`.
type Mark = usize;
type Surface = physx::material::PxMaterial<Mark>;
type Shape = physx::shape::PxShape<Mark, Surface>;
type Linked = physx::articulation_link::PxArticulationLink<Mark, Shape>;
type Fixed = physx::rigid_static::PxRigidStatic<Mark, Shape>;
type Moving = physx::rigid_dynamic::PxRigidDynamic<Mark, Shape>;
type Articulation = physx::articulation_reduced_coordinate::PxArticulationReducedCoordinate<Mark, Linked>;
type World = physx::scene::PxScene<Mark, Linked, Fixed, Moving, Articulation, Deaf, Deaf, Deaf, Deaf, Deaf>;

/// Wants to hear of nothing.
struct Deaf;

impl CollisionCallback for Deaf {
    fn on_collision(&mut self, _: &physx_sys::PxContactPairHeader, _: &[physx_sys::PxContactPair]) {}
}
impl TriggerCallback for Deaf {
    fn on_trigger(&mut self, _: &[physx_sys::PxTriggerPair]) {}
}
impl ConstraintBreakCallback for Deaf {
    fn on_constraint_break(&mut self, _: &[physx_sys::PxConstraintInfo]) {}
}
impl WakeSleepCallback<Linked, Fixed, Moving> for Deaf {
    fn on_wake_sleep(&mut self, _: &[&ActorMap<Linked, Fixed, Moving>], _: bool) {}
}
impl AdvanceCallback<Linked, Moving> for Deaf {
    fn on_advance(&self, _: &[&RigidBodyMap<Linked, Moving>], _: &[PxTransform]) {}
}

/// A world of PhysX.
pub struct PhysxEngine {
    // in the order in which they are given up
    world: RefCell<Owner<World>>,
    _surface: Owner<Surface>,
    _physics: PhysicsFoundation<physx::foundation::DefaultAllocator, Shape>,
    /// Where all pieces were at first.
    places: Vec<Pose>,
}

impl PhysxEngine {
    /// Puts a scene without links into it.
    ///
    /// # Errors
    /// Where the scene has links, or PhysX cannot make one of its things.
    pub fn new(scene: &Scene, sleep: Sleep) -> Result<Self, EngineError> {
        if !scene.links.is_empty() {
            return Err("no joints by this crate".into());
        }
        let mut physics = PhysicsFoundation::<_, Shape>::default();
        let settings =
            SceneDescriptor { gravity: PxVec3::new(0.0, -9.81, 0.0), thread_count: 0, ..SceneDescriptor::new(0) };
        let mut world: Owner<World> = physics.create(settings).ok_or("no scene")?;
        let friction = scene.friction as f32;
        let mut surface = physics.create_material(friction, friction, 0.0, 0).ok_or("no material")?;
        for (place, piece) in scene.pieces.iter().enumerate() {
            let (at, shift) = (transform(&piece.pose), PxTransform::default());
            let density = piece.density as f32;
            let block = |half: Vec3| PxBoxGeometry::new(half.x as f32, half.y as f32, half.z as f32);
            let mut body = match piece.form {
                Form::Box(half) if piece.fixed => {
                    let body = physics.create_rigid_static(at, &block(half), &mut surface, shift, place);
                    world.add_static_actor(body.ok_or("no body")?);
                    continue;
                }
                Form::Ball(_) if piece.fixed => return Err("no ball is fixed in any scene".into()),
                Form::Box(half) => physics.create_rigid_dynamic(at, &block(half), &mut surface, density, shift, place),
                Form::Ball(radius) => {
                    let ball = PxSphereGeometry::new(radius as f32);
                    physics.create_rigid_dynamic(at, &ball, &mut surface, density, shift, place)
                }
            }
            .ok_or("no body")?;
            body.set_angular_velocity(&vector(piece.spin), true);
            if sleep == Sleep::Never {
                body.set_sleep_threshold(0.0);
            }
            world.add_dynamic_actor(body);
        }
        let places = scene.pieces.iter().map(|p| p.pose).collect();
        Ok(Self { world: RefCell::new(world), _surface: surface, _physics: physics, places })
    }
}

fn vector(v: Vec3) -> PxVec3 {
    PxVec3::new(v.x as f32, v.y as f32, v.z as f32)
}

fn transform(pose: &Pose) -> PxTransform {
    let q = pose.orientation;
    let turn = PxQuat::new(q.x as f32, q.y as f32, q.z as f32, q.w as f32);
    PxTransform::from_translation_rotation(&vector(pose.position), &turn)
}

impl Engine for PhysxEngine {
    fn name(&self) -> &'static str {
        "physx"
    }

    fn step(&mut self) -> Result<(), EngineError> {
        let done = self.world.get_mut().step(DT as f32, None, None, true);
        done.map_err(|code| format!("PhysX gives up with {code}").into())
    }

    fn poses(&self, poses: &mut Vec<Pose>) {
        poses.clear();
        poses.extend(&self.places);
        for body in self.world.borrow_mut().get_dynamic_actors() {
            let (p, q) = (body.get_global_position(), body.get_global_rotation());
            poses[*body.get_user_data()] = Pose::new(
                Vec3::new(p.x().into(), p.y().into(), p.z().into()),
                Quat::from_xyzw(q.x().into(), q.y().into(), q.z().into(), q.w().into()).normalize(),
            );
        }
    }

    /// None, whatever there is.
    fn contacts(&self) -> usize {
        0
    }

    fn asleep(&self) -> usize {
        self.world.borrow_mut().get_dynamic_actors().iter().filter(|body| body.is_sleeping()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quality::Quality;

    #[test]
    fn a_wall_stands_and_falls_asleep_where_it_may() {
        let scene = Scene::by_name("wall-20x10").unwrap();
        for sleep in [Sleep::Never, Sleep::ByDefault] {
            let mut engine = PhysxEngine::new(&scene, sleep).unwrap();
            for _ in 0..300 {
                engine.step().unwrap();
            }
            let mut poses = Vec::new();
            engine.poses(&mut poses);
            let quality = Quality::of(&scene, &poses, &poses);
            assert!(quality.holds && quality.moved > 0.0, "{quality:?}");
            assert_eq!(engine.asleep(), if sleep == Sleep::Never { 0 } else { 200 });
        }
    }
}
