//! Box3D through the crate `boxddd`: one thread, its default settings, four sub-steps per step as its samples have.
//!
//! Behind the feature `box3d`, for the crate compiles the C sources of Box3D that it brings along: a C compiler for
//! C17 is all that takes. They are compiled as the crate has it: `-O2`, the registers of any x86-64.

use crate::scenes::{DT, Form, Scene};
use crate::{Engine, EngineError, Sleep};
use boxddd::{BodyId, BodyType, BoxHull, ContactData, Foundation, Sphere, SphericalJointDef, Transform, World};
use drystone::math::{Pose, Quat, Vec3};

/// Sub-steps of a step.
const SUB_STEPS: i32 = 4;

/// A world of Box3D.
pub struct Box3dEngine {
    world: World,
    ids: Vec<BodyId>,
    /// The ids of the bodies that move.
    moving: Vec<BodyId>,
}

impl Box3dEngine {
    /// Puts a scene into it.
    ///
    /// # Errors
    /// Where Box3D takes a body or a joint for none.
    pub fn new(scene: &Scene, sleep: Sleep) -> Result<Self, EngineError> {
        let foundation = Foundation::initialize_default()?;
        let settings = foundation.world_def_builder().gravity(vector(Vec3::new(0.0, -9.81, 0.0))).worker_count(1);
        let mut world = foundation.create_world(settings.enable_sleep(sleep == Sleep::ByDefault).build()?)?;
        let mut ids = Vec::with_capacity(scene.pieces.len());
        for piece in &scene.pieces {
            let kind = if piece.fixed { BodyType::Static } else { BodyType::Dynamic };
            let at = vector(piece.pose.position);
            let body = foundation.body_def_builder().body_type(kind).position([at.x, at.y, at.z]);
            let body = body.rotation(rotation(piece.pose.orientation)).angular_velocity(vector(piece.spin));
            let id = world.create_body(body.build()?)?;
            let shape = foundation.shape_def_builder().density(piece.density as f32);
            let shape = shape.friction(scene.friction as f32).restitution(0.0).build()?;
            match piece.form {
                Form::Box(half) => {
                    let hull = BoxHull::new(half.x as f32, half.y as f32, half.z as f32)?;
                    world.create_hull_shape(id, &shape, &hull)?;
                }
                Form::Ball(radius) => {
                    world.create_sphere_shape(id, &shape, &Sphere::new(vector(Vec3::ZERO), radius as f32))?;
                }
            }
            ids.push(id);
        }
        let held = world.create_body(foundation.body_def_builder().build()?)?;
        for link in &scene.links {
            let [(one, first), (other, second)] = link.pieces.map(|piece| match piece {
                Some(i) => {
                    let pose = scene.pieces[i].pose;
                    (ids[i], pose.orientation.inverse() * (link.anchor - pose.position))
                }
                None => (held, link.anchor),
            });
            let [first, second] = [first, second].map(|p| Transform { p: vector(p), ..Transform::IDENTITY });
            let joint = SphericalJointDef::new(one, other).local_frame_a(first).local_frame_b(second);
            world.create_spherical_joint(joint.collide_connected(false))?;
        }
        let moving = scene.moving().map(|(i, _)| ids[i]).collect();
        Ok(Self { world, ids, moving })
    }
}

fn vector(v: Vec3) -> boxddd::Vec3 {
    boxddd::Vec3 { x: v.x as f32, y: v.y as f32, z: v.z as f32 }
}

fn rotation(q: Quat) -> boxddd::Quat {
    boxddd::Quat::new(vector(Vec3::new(q.x, q.y, q.z)), q.w as f32)
}

impl Engine for Box3dEngine {
    fn name(&self) -> &'static str {
        "box3d"
    }

    fn step(&mut self) -> Result<(), EngineError> {
        Ok(self.world.step(DT as f32, SUB_STEPS)?)
    }

    fn poses(&self, poses: &mut Vec<Pose>) {
        poses.clear();
        poses.extend(self.ids.iter().map(|id| {
            let Ok(boxddd::WorldTransform { p, q }) = self.world.body_transform(*id) else { return Pose::IDENTITY };
            Pose::new(
                Vec3::new(p.x.into(), p.y.into(), p.z.into()),
                Quat::from_xyzw(q.v.x.into(), q.v.y.into(), q.v.z.into(), q.s.into()).normalize(),
            )
        }));
    }

    fn contacts(&self) -> usize {
        let points = |contact: &ContactData| contact.manifolds.iter().map(|m| m.point_count as usize).sum::<usize>();
        let first = |contact: &ContactData| self.world.shape_body(contact.shape_id_a).ok();
        let of_body = |id: &BodyId| {
            let contacts = self.world.body_contacts(*id).unwrap_or_default();
            // each of two bodies tells of the contact between them
            contacts.iter().filter(|c| first(c) == Some(*id)).map(points).sum::<usize>()
        };
        self.ids.iter().map(of_body).sum()
    }

    fn asleep(&self) -> usize {
        self.moving.iter().filter(|id| self.world.body_awake(**id).is_ok_and(|awake| !awake)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quality::Quality;

    #[test]
    fn a_column_stands_and_falls_asleep_where_it_may() {
        let scene = Scene::by_name("column-10").unwrap();
        for sleep in [Sleep::Never, Sleep::ByDefault] {
            let mut engine = Box3dEngine::new(&scene, sleep).unwrap();
            for _ in 0..10 {
                engine.step().unwrap();
            }
            assert_eq!(engine.contacts(), 40);
            for _ in 0..290 {
                engine.step().unwrap();
            }
            let mut poses = Vec::new();
            engine.poses(&mut poses);
            assert!(Quality::of(&scene, &poses, &poses).holds);
            assert_eq!(engine.asleep(), if sleep == Sleep::Never { 0 } else { 10 });
        }
    }

    #[test]
    fn a_chain_hangs() {
        let scene = Scene::by_name("chain-hanging").unwrap();
        let mut engine = Box3dEngine::new(&scene, Sleep::Never).unwrap();
        for _ in 0..5 {
            engine.step().unwrap();
        }
        let mut poses = Vec::new();
        engine.poses(&mut poses);
        assert!(Quality::of(&scene, &poses, &poses).gap < 0.1);
    }
}
