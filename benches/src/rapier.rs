//! Rapier in both precisions: one thread, its default settings.

use crate::scenes::{DT, Form, Scene};
use crate::{Engine, EngineError, Sleep};
use drystone::math::{Pose, Quat, Vec3};

macro_rules! rapier_engine {
    ($(#[$doc:meta])* $engine:ident, $rapier:ident, $real:ty, $name:literal) => {
        $(#[$doc])*
        pub struct $engine {
            world: $rapier::pipeline::PhysicsWorld,
            handles: Vec<$rapier::dynamics::RigidBodyHandle>,
        }

        impl $engine {
            /// Puts a scene into it.
            pub fn new(scene: &Scene, sleep: Sleep) -> Self {
                use $rapier::prelude::{ColliderBuilder, PhysicsWorld, RigidBodyBuilder, SphericalJointBuilder};
                let vector = |v: Vec3| $rapier::math::Vector::new(v.x as $real, v.y as $real, v.z as $real);
                let mut world = PhysicsWorld::default();
                world.gravity = vector(Vec3::new(0.0, -9.81, 0.0));
                world.integration_parameters.dt = DT as $real;
                let handles: Vec<_> = scene
                    .pieces
                    .iter()
                    .map(|piece| {
                        let q = piece.pose.orientation;
                        let turn = $rapier::math::Rotation::from_xyzw(
                            q.x as $real,
                            q.y as $real,
                            q.z as $real,
                            q.w as $real,
                        );
                        let body = if piece.fixed { RigidBodyBuilder::fixed() } else { RigidBodyBuilder::dynamic() };
                        let body = body.angvel(vector(piece.spin));
                        let place = $rapier::math::Pose::from_parts(vector(piece.pose.position), turn);
                        let collider = match piece.form {
                            Form::Box(half) => ColliderBuilder::cuboid(half.x as $real, half.y as $real, half.z as $real),
                            Form::Ball(radius) => ColliderBuilder::ball(radius as $real),
                        };
                        let collider = collider
                            .density(piece.density as $real)
                            .friction(scene.friction as $real)
                            .restitution(0.0);
                        world.insert(body.pose(place).can_sleep(sleep == Sleep::ByDefault), collider).0
                    })
                    .collect();
                let held = world.insert_body(RigidBodyBuilder::fixed());
                for link in &scene.links {
                    let [one, other] = link.pieces.map(|piece| match piece {
                        Some(i) => {
                            let pose = scene.pieces[i].pose;
                            (handles[i], pose.orientation.inverse() * (link.anchor - pose.position))
                        }
                        None => (held, link.anchor),
                    });
                    let joint = SphericalJointBuilder::new()
                        .local_anchor1(vector(one.1))
                        .local_anchor2(vector(other.1))
                        .contacts_enabled(false);
                    world.insert_impulse_joint(one.0, other.0, joint);
                }
                Self { world, handles }
            }
        }

        impl Engine for $engine {
            fn name(&self) -> &str {
                $name
            }

            fn step(&mut self) -> Result<(), EngineError> {
                self.world.step();
                Ok(())
            }

            #[allow(clippy::useless_conversion, reason = "useless in one of the two precisions")]
            fn poses(&self, poses: &mut Vec<Pose>) {
                poses.clear();
                poses.extend(self.handles.iter().map(|h| {
                    let body = &self.world.bodies[*h];
                    let (t, r) = (body.translation(), *body.rotation());
                    Pose::new(
                        Vec3::new(t.x.into(), t.y.into(), t.z.into()),
                        Quat::from_xyzw(r.x.into(), r.y.into(), r.z.into(), r.w.into()).normalize(),
                    )
                }));
            }

            fn contacts(&self) -> usize {
                let pairs = self.world.narrow_phase.contact_pairs();
                pairs.flat_map(|pair| pair.manifolds()).map(|m| m.points.len()).sum()
            }

            fn asleep(&self) -> usize {
                let bodies = self.handles.iter().map(|h| &self.world.bodies[*h]);
                bodies.filter(|body| body.is_dynamic() && body.is_sleeping()).count()
            }
        }
    };
}

rapier_engine!(
    /// Rapier in single precision, its usual form.
    RapierSingle,
    rapier3d,
    f32,
    "rapier-f32"
);

rapier_engine!(
    /// Rapier in double precision.
    RapierDouble,
    rapier3d_f64,
    f64,
    "rapier-f64"
);
