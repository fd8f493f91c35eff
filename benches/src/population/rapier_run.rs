//! A scene of the population in rapier in both precisions: one thread, its default settings.

use super::engine::{BodyState, PopulationEngine};
use super::scene::{Form, GRAVITY, Joint, JointKind, PointSpring, PopulationScene};
use crate::EngineError;
use crate::scenes::DT;
use drystone::math::{Pose, Quat, Twist, Vec3};

/// Gain of a motor (1/s): so large that it holds its speed until the force reaches its bound.
const MOTOR_GAIN: f64 = 1e4;

/// Frame of a joint at the start, its x axis along the joint's, in the frame of one of its bodies.
fn joint_frame(scene: &PopulationScene, joint: &Joint, end: usize) -> Pose {
    let body = joint.bodies[end];
    let turn = body.map_or(Quat::IDENTITY, |i| scene.bodies[i].pose.orientation).inverse();
    Pose::new(scene.local_point(body, joint.anchor), turn * Quat::from_rotation_arc(Vec3::X, joint.axis))
}

macro_rules! rapier_run {
    ($(#[$doc:meta])* $engine:ident, $module:ident, $rapier:ident, $real:ty, $name:literal) => {
        mod $module {
            use super::{
                BodyState, DT, EngineError, Form, GRAVITY, Joint, JointKind, MOTOR_GAIN, PointSpring, PopulationEngine,
                PopulationScene, Pose, Quat, Twist, Vec3, joint_frame,
            };
            use $rapier::dynamics::{
                GenericJoint, JointAxesMask, JointAxis, MotorModel, RigidBodyBuilder, RigidBodyHandle, SpringJointBuilder,
            };
            use $rapier::geometry::{ColliderBuilder, SharedShape};
            use $rapier::math::{Pose as Place, Rotation, Vector};
            use $rapier::parry::shape::{HeightField, HeightFieldCellStatus};
            use $rapier::parry::utils::Array2;
            use $rapier::pipeline::PhysicsWorld;

            type Real = $real;

            $(#[$doc])*
            pub struct $engine {
                world: PhysicsWorld,
                handles: Vec<RigidBodyHandle>,
            }

            fn vector(v: Vec3) -> Vector {
                Vector::new(v.x as Real, v.y as Real, v.z as Real)
            }

            fn place(pose: Pose) -> Place {
                let q = pose.orientation;
                let turn = Rotation::from_xyzw(q.x as Real, q.y as Real, q.z as Real, q.w as Real);
                Place::from_parts(vector(pose.position), turn)
            }

            /// The shape of a form.
            ///
            /// # Errors
            /// For a hull or mesh that the engine does not accept.
            pub(in crate::population) fn shape(form: &Form) -> Result<SharedShape, EngineError> {
                let vectors = |points: &[Vec3]| points.iter().map(|p| vector(*p)).collect::<Vec<_>>();
                Ok(match form {
                    Form::Box(half) => SharedShape::cuboid(half.x as Real, half.y as Real, half.z as Real),
                    Form::Ball(radius) => SharedShape::ball(*radius as Real),
                    Form::Capsule { radius, half_height } => SharedShape::capsule_y(*half_height as Real, *radius as Real),
                    Form::Cylinder { radius, half_height } => SharedShape::cylinder(*half_height as Real, *radius as Real),
                    Form::Hull(points) => SharedShape::convex_hull(&vectors(points)).ok_or("a hull that rapier rejects")?,
                    Form::Mesh { vertices, triangles } => SharedShape::trimesh(vectors(vertices), triangles.clone())?,
                    Form::Compound(parts) => {
                        let part = |(form, pose): &(Form, Pose)| Ok::<_, EngineError>((place(*pose), shape(form)?));
                        SharedShape::compound(parts.iter().map(part).collect::<Result<_, _>>()?)
                    }
                    Form::HeightField { columns, heights, step } => ground(*columns, heights, *step),
                })
            }

            /// The same triangles as in drystone: each cell is cut from its first corner to its last.
            fn ground(columns: usize, heights: &[f64], step: f64) -> SharedShape {
                let rows = heights.len() / columns;
                // parry stores columns one after the other
                let stored = (0..heights.len()).map(|k| heights[k / rows + k % rows * columns] as Real).collect();
                let size = Vec3::new((columns - 1) as f64 * step, 1.0, (rows - 1) as f64 * step);
                let mut field = HeightField::new(Array2::new(rows, columns, stored), vector(size));
                for (i, j) in (0..rows - 1).flat_map(|i| (0..columns - 1).map(move |j| (i, j))) {
                    field.set_cell_status(i, j, HeightFieldCellStatus::ZIGZAG_SUBDIVISION);
                }
                SharedShape::new(field)
            }

            fn joint(scene: &PopulationScene, joint: &Joint) -> GenericJoint {
                let (locked, free) = match joint.kind {
                    JointKind::Ball => (JointAxesMask::LOCKED_SPHERICAL_AXES, JointAxis::AngX),
                    JointKind::Hinge => (JointAxesMask::LOCKED_REVOLUTE_AXES, JointAxis::AngX),
                    JointKind::Slider => (JointAxesMask::LOCKED_PRISMATIC_AXES, JointAxis::LinX),
                };
                let mut made = GenericJoint::new(locked);
                made.set_contacts_enabled(false);
                made.set_local_frame1(place(joint_frame(scene, joint, 0)));
                made.set_local_frame2(place(joint_frame(scene, joint, 1)));
                if let Some([lower, upper]) = joint.limits {
                    made.set_limits(free, [lower as Real, upper as Real]);
                }
                if let Some(motor) = joint.motor {
                    made.set_motor_velocity(free, motor.speed as Real, MOTOR_GAIN as Real);
                    made.set_motor_max_force(free, motor.max_force as Real);
                }
                if let Some(spring) = joint.spring {
                    made.set_motor_model(free, MotorModel::ForceBased);
                    made.set_motor_position(free, 0.0, spring.stiffness as Real, spring.damping as Real);
                }
                made
            }

            fn spring(scene: &PopulationScene, link: &PointSpring) -> GenericJoint {
                let [a, b] = [0, 1].map(|end| vector(scene.local_point(link.bodies[end], link.points[end])));
                let spring = link.spring;
                let length = link.rest_length() as Real;
                SpringJointBuilder::new(length, spring.stiffness as Real, spring.damping as Real)
                    .local_anchor1(a)
                    .local_anchor2(b)
                    .into()
            }

            impl $engine {
                /// Puts a scene into it.
                ///
                /// # Errors
                /// For a shape that the engine does not accept.
                pub fn new(scene: &PopulationScene) -> Result<Self, EngineError> {
                    let mut world = PhysicsWorld::default();
                    world.gravity = vector(GRAVITY);
                    world.integration_parameters.dt = DT as Real;
                    let mut handles = Vec::with_capacity(scene.bodies.len());
                    for body in &scene.bodies {
                        let made = match body.mass {
                            Some(_) => RigidBodyBuilder::dynamic(),
                            None => RigidBodyBuilder::fixed(),
                        };
                        let made = made.pose(place(body.pose)).linvel(vector(body.velocity)).angvel(vector(body.spin));
                        let collider = ColliderBuilder::new(shape(&body.form)?)
                            .friction(scene.friction as Real)
                            .restitution(scene.restitution as Real)
                            .mass(body.mass.unwrap_or(0.0) as Real);
                        handles.push(world.insert(made.can_sleep(false), collider).0);
                    }
                    let held = world.insert_body(RigidBodyBuilder::fixed());
                    let ends = |bodies: [Option<usize>; 2]| bodies.map(|body| body.map_or(held, |i| handles[i]));
                    let joints = scene.joints.iter().map(|made| (ends(made.bodies), joint(scene, made)));
                    let springs = scene.springs.iter().map(|made| (ends(made.bodies), spring(scene, made)));
                    for ([a, b], made) in joints.chain(springs) {
                        world.insert_impulse_joint(a, b, made);
                    }
                    Ok(Self { world, handles })
                }

                /// The world.
                pub fn world(&self) -> &PhysicsWorld {
                    &self.world
                }

                /// Handles of the bodies, in the order of the scene.
                pub fn handles(&self) -> &[RigidBodyHandle] {
                    &self.handles
                }
            }

            impl PopulationEngine for $engine {
                fn name(&self) -> &str {
                    $name
                }

                fn step(&mut self) -> Result<(), EngineError> {
                    self.world.step();
                    Ok(())
                }

                #[allow(clippy::useless_conversion, reason = "useless in one of the two precisions")]
                fn states(&self, states: &mut Vec<BodyState>) {
                    let wide = |v: Vector| Vec3::new(v.x.into(), v.y.into(), v.z.into());
                    states.clear();
                    states.extend(self.handles.iter().map(|handle| {
                        let body = &self.world.bodies[*handle];
                        let r = body.rotation();
                        let turn = Quat::from_xyzw(r.x.into(), r.y.into(), r.z.into(), r.w.into()).normalize();
                        BodyState {
                            pose: Pose::new(wide(body.translation()), turn),
                            velocity: Twist::new(wide(body.linvel()), wide(body.angvel())),
                        }
                    }));
                }

                fn contacts(&self) -> usize {
                    let pairs = self.world.narrow_phase.contact_pairs();
                    pairs.flat_map(|pair| pair.manifolds()).map(|manifold| manifold.points.len()).sum()
                }
            }
        }

        pub use $module::$engine;
    };
}

rapier_run!(
    /// Rapier in single precision, its usual form.
    RapierSingleRun,
    single,
    rapier3d,
    f32,
    "rapier-f32"
);

rapier_run!(
    /// Rapier in double precision.
    RapierDoubleRun,
    double,
    rapier3d_f64,
    f64,
    "rapier-f64"
);

pub(super) use double::shape as judge_shape;
