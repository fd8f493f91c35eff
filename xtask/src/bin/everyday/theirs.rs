//! Members in rapier, single precision, with its default settings.
//!
//! Velocities of motors are held by a large damping factor within the motor's largest force. The cones of ball joints are left out.

use crate::run::{Engine, Verdict};
use drystone::World;
use drystone::math::{Pose, Quat, Real, Twist, Vec3};
use drystone_scene::Document;
use drystone_session::{Overrides, prepare};
use rapier3d::prelude::{
    ActiveHooks, ColliderBuilder, ContactPair, GenericJointBuilder, ImpulseJointHandle, JointAxesMask, JointAxis,
    MassProperties, MotorModel, PairFilterContext, PhysicsHooks, PhysicsWorld, Pose as RapierPose, RigidBody,
    RigidBodyBuilder, RigidBodyHandle, RigidBodyType, Rotation, SharedShape, SolverFlags, SpringJointBuilder, Vector,
};
use serde_json::Value;

/// Damping factor of a motor that holds a velocity.
const HOLDS: f32 = 1e6;

/// A world made from a scene.
pub(crate) struct Theirs {
    world: PhysicsWorld,
    /// The same scene here: for scripts, and for defaults of the format.
    read: World,
    names: Vec<String>,
    handles: Vec<RigidBodyHandle>,
    left: Vec<(Pose, Twist)>,
    joints: Vec<(String, ImpulseJointHandle)>,
    springs: Vec<Spring>,
    wrenches: Vec<Wrench>,
    ignored: Ignored,
    time: Real,
}

/// A spring between the origins of two bodies; its joint is in the world, this is for its energy.
struct Spring {
    ends: [RigidBodyHandle; 2],
    stiffness: Real,
    length: Real,
}

/// A constant force at a point of a body.
struct Wrench {
    body: RigidBodyHandle,
    point: Vec3,
    force: Vec3,
}

/// Pairs that do not collide.
struct Ignored(Vec<[RigidBodyHandle; 2]>);

impl PhysicsHooks for Ignored {
    fn filter_contact_pair(&self, context: &PairFilterContext) -> Option<SolverFlags> {
        let pair = [context.rigid_body1?, context.rigid_body2?];
        let ignored = self.0.iter().any(|p| *p == pair || *p == [pair[1], pair[0]]);
        let moves = pair.iter().any(|b| context.bodies[*b].is_dynamic());
        (moves && !ignored).then_some(SolverFlags::COMPUTE_RIGID_IMPULSES)
    }
}

fn vector(v: Vec3) -> Vector {
    Vector::new(v.x as f32, v.y as f32, v.z as f32)
}

fn pose(p: &Pose) -> RapierPose {
    let q = p.orientation;
    RapierPose::from_parts(vector(p.position), Rotation::from_xyzw(q.x as f32, q.y as f32, q.z as f32, q.w as f32))
}

fn vec3(v: Vector) -> Vec3 {
    Vec3::new(v.x.into(), v.y.into(), v.z.into())
}

/// A list of three numbers, or zero.
fn point(v: &Value) -> Vec3 {
    Vec3::from_array([0, 1, 2].map(|i| v[i].as_f64().unwrap_or(0.0)))
}

/// A turn by axis and angle, or a quaternion.
fn orientation(v: &Value) -> Quat {
    if let Some(degrees) = v["degrees"].as_f64() {
        return Quat::from_axis_angle(point(&v["axis"]).normalize(), degrees.to_radians());
    }
    match v.as_array() {
        Some(_) => Quat::from_array([0, 1, 2, 3].map(|i| v[i].as_f64().unwrap_or(0.0))),
        None => Quat::IDENTITY,
    }
}

fn shape(v: &Value) -> Result<SharedShape, String> {
    let number = |v: &Value| v.as_f64().unwrap_or(0.0) as f32;
    let Some((kind, s)) = v.as_object().and_then(|o| o.iter().next()) else { return Err("no shape".to_owned()) };
    let points =
        |v: &Value| v.as_array().map_or(Vec::new(), |p| p.iter().map(|p| vector(point(p))).collect::<Vec<_>>());
    Ok(match kind.as_str() {
        "sphere" => SharedShape::ball(number(&s["radius"])),
        "box" => {
            let half = vector(point(&s["half_extents"]));
            SharedShape::cuboid(half.x, half.y, half.z)
        }
        "capsule" => SharedShape::capsule_y(number(&s["half_height"]), number(&s["radius"])),
        "cylinder" => SharedShape::cylinder(number(&s["half_height"]), number(&s["radius"])),
        "plane" => SharedShape::halfspace(vector(point(&s["normal"]).normalize())),
        "convex" => SharedShape::convex_hull(&points(&s["points"])).ok_or("no hull")?,
        "mesh" => {
            let corner = |t: &Value| [0, 1, 2].map(|i| t[i].as_u64().unwrap_or(0) as u32);
            let triangles = s["triangles"].as_array().map_or(Vec::new(), |t| t.iter().map(corner).collect());
            SharedShape::trimesh(points(&s["vertices"]), triangles).map_err(|e| format!("{e:?}"))?
        }
        "compound" => {
            let part = |p: &Value| {
                let place = Pose::new(point(&p["position"]), orientation(&p["orientation"]));
                Ok((pose(&place), shape(&p["shape"])?))
            };
            let parts = s["parts"].as_array().map_or(&[][..], Vec::as_slice);
            SharedShape::compound(parts.iter().map(part).collect::<Result<_, String>>()?)
        }
        other => return Err(format!("rapier has no shape {other}")),
    })
}

impl Theirs {
    /// Builds a scene (JSON).
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        let document = Document::from_json_str(text).map_err(|e| format!("not a scene: {e}"))?;
        let prepared = prepare(document, &Overrides::default()).map_err(|e| format!("not a scene: {e}"))?;
        let read = prepared.finish().map_err(|e| e.to_string())?;
        let scene: Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
        let mut world = PhysicsWorld::default();
        world.gravity = vector(read.world.configuration().gravity);
        let count = read.names.len();
        let mut theirs = Self {
            world,
            read: read.world,
            names: read.names,
            handles: Vec::new(),
            left: vec![(Pose::IDENTITY, Twist::ZERO); count],
            joints: Vec::new(),
            springs: Vec::new(),
            wrenches: Vec::new(),
            ignored: Ignored(Vec::new()),
            time: 0.0,
        };
        let list = |key: &str| scene[key].as_array().cloned().unwrap_or_default();
        let surface = &scene["materials"]["default"];
        let hooked = list("ignore_pairs");
        for (i, body) in list("bodies").iter().enumerate() {
            let named = |pair: &&Value| pair["between"].as_array().is_some_and(|two| two.contains(&body["name"]));
            let hooks = hooked.iter().find(named).map_or(ActiveHooks::empty(), |_| ActiveHooks::FILTER_CONTACT_PAIRS);
            theirs.add(i, body, surface, hooks)?;
        }
        let held = theirs.world.insert_body(RigidBodyBuilder::fixed());
        for pair in &hooked {
            let ends = [0, 1].map(|i| theirs.handle(&pair["between"][i], held));
            theirs.ignored.0.push(ends);
        }
        for joint in &list("joints") {
            theirs.join(joint, held)?;
        }
        for force in &list("forces") {
            theirs.force(force, held)?;
        }
        Ok(theirs)
    }

    /// The body of a name; the fixed world for any other.
    fn handle(&self, name: &Value, held: RigidBodyHandle) -> RigidBodyHandle {
        let at = self.names.iter().position(|n| Some(n.as_str()) == name.as_str());
        at.map_or(held, |i| self.handles[i])
    }

    fn add(&mut self, i: usize, body: &Value, surface: &Value, hooks: ActiveHooks) -> Verdict {
        let id = self.read.bodies()[i];
        let (Some(place), Some(velocity)) = (self.read.pose(id), self.read.velocity(id)) else { return Ok(()) };
        let properties = self.read.properties(id).ok_or("a body without properties")?;
        let scripted = self.read.configuration().scripts.iter().any(|s| s.body.at() == i);
        let builder = match body["kind"].as_str() {
            Some("fixed") => RigidBodyBuilder::fixed(),
            Some("scripted") if scripted => RigidBodyBuilder::kinematic_position_based(),
            Some("scripted") => RigidBodyBuilder::kinematic_velocity_based(),
            _ => RigidBodyBuilder::dynamic(),
        };
        let builder = builder
            .pose(pose(&place))
            .linvel(vector(velocity.linear))
            .angvel(vector(velocity.angular))
            .gravity_scale(properties.gravity_scale as f32)
            .can_sleep(properties.can_sleep)
            .ccd_enabled(properties.continuous);
        let builder = if body["lock_rotation"] == true { builder.lock_rotations() } else { builder };
        let number = |key: &str| surface[key].as_f64().unwrap_or(0.0) as f32;
        let collider = ColliderBuilder::new(shape(&body["shape"])?)
            .friction(number("friction"))
            .restitution(number("restitution"))
            .density(number("density"));
        let offset = body["shape"]["plane"]["offset"].as_f64().unwrap_or(0.0);
        let collider =
            collider.position(pose(&Pose::new(point(&body["shape"]["plane"]["normal"]) * offset, Quat::IDENTITY)));
        let collider = match (body["mass"].as_f64(), body.get("inertia")) {
            (Some(mass), Some(inertia)) => collider.mass_properties(MassProperties::new(
                vector(properties.center),
                mass as f32,
                vector(point(inertia)),
            )),
            (Some(mass), None) => collider.mass(mass as f32),
            _ => collider,
        };
        self.handles.push(self.world.insert(builder, collider.active_hooks(hooks)).0);
        Ok(())
    }

    /// A joint whose frame has its free axis as x; for a wheel, x is the steering axis and z the spin's.
    fn join(&mut self, joint: &Value, held: RigidBodyHandle) -> Verdict {
        let ends = [0, 1].map(|i| self.handle(&joint["bodies"][i], held));
        let axis = if joint["axis"].is_null() { Vec3::X } else { point(&joint["axis"]).normalize() };
        let across = if joint["axis2"].is_null() { axis.any_orthonormal_vector() } else { point(&joint["axis2"]) };
        let frame = Quat::from_mat3(&drystone::math::Mat3::from_cols(axis, across.cross(axis), across));
        let frame = pose(&Pose::new(point(&joint["anchor"]), frame));
        let kind = joint["kind"].as_str().unwrap_or_default();
        let (locked, free) = match kind {
            "ball" => (JointAxesMask::LOCKED_SPHERICAL_AXES, None),
            "hinge" => (JointAxesMask::LOCKED_REVOLUTE_AXES, Some(JointAxis::AngX)),
            "slider" => (JointAxesMask::LOCKED_PRISMATIC_AXES, Some(JointAxis::LinX)),
            "hinge2" => (
                JointAxesMask::LIN_Y | JointAxesMask::LIN_Z | JointAxesMask::ANG_X | JointAxesMask::ANG_Y,
                Some(JointAxis::AngZ),
            ),
            other => return Err(format!("no joint {other} in rapier")),
        };
        let local = ends.map(|b| self.world.bodies[b].position().inverse() * frame);
        let mut builder =
            GenericJointBuilder::new(locked).contacts_enabled(false).local_frame1(local[0]).local_frame2(local[1]);
        let number = |v: &Value| v.as_f64().unwrap_or(0.0) as f32;
        let motor = if kind == "hinge2" { &joint["motor2"] } else { &joint["motor"] };
        if let (Some(free), Some(speed)) = (free, motor["velocity"].as_f64()) {
            builder =
                builder.motor_velocity(free, speed as f32, HOLDS).motor_max_force(free, number(&motor["max_force"]));
        }
        if let (Some(free), Some(limits), true) = (free, joint["limits"].as_object(), kind != "hinge2") {
            builder = builder.limits(free, ["lower", "upper"].map(|k| number(&limits[k])));
        }
        if let Some(spring) = joint["suspension"].as_object() {
            let [stiffness, damping] = ["stiffness", "damping"].map(|k| number(&spring[k]));
            builder = builder.motor_model(JointAxis::LinX, MotorModel::ForceBased).motor_position(
                JointAxis::LinX,
                0.0,
                stiffness,
                damping,
            );
        }
        let handle = self.world.insert_impulse_joint(ends[0], ends[1], builder);
        self.joints.push((joint["name"].as_str().unwrap_or_default().to_owned(), handle));
        Ok(())
    }

    fn force(&mut self, force: &Value, held: RigidBodyHandle) -> Verdict {
        let number = |key: &str| force[key].as_f64().unwrap_or(0.0);
        match force["kind"].as_str() {
            Some("spring") => {
                let ends = [0, 1].map(|i| self.handle(&force["bodies"][i], held));
                let (stiffness, length) = (number("stiffness"), number("rest_length"));
                let spring = SpringJointBuilder::new(length as f32, stiffness as f32, number("damping") as f32);
                self.world.insert_impulse_joint(ends[0], ends[1], spring);
                self.springs.push(Spring { ends, stiffness, length });
            }
            Some("wrench") => {
                let (body, point, force) =
                    (self.handle(&force["body"], held), point(&force["point"]), point(&force["force"]));
                self.wrenches.push(Wrench { body, point, force });
            }
            Some("damping") => {
                for (_, body) in self.world.bodies.iter_mut() {
                    body.set_linear_damping(number("linear") as f32);
                    body.set_angular_damping(number("angular") as f32);
                }
            }
            other => return Err(format!("no force {other:?} in rapier")),
        }
        Ok(())
    }
}

impl Engine for Theirs {
    fn advance(&mut self, dt: Real) -> Verdict {
        self.time += dt;
        for script in &self.read.configuration().scripts {
            let next = script.motion.evaluate(self.time).pose;
            self.world.bodies[self.handles[script.body.at()]].set_next_kinematic_position(pose(&next));
        }
        for wrench in &self.wrenches {
            let body = &mut self.world.bodies[wrench.body];
            let at = *body.position() * vector(wrench.point);
            body.add_force_at_point(vector(wrench.force), at, true);
        }
        self.world.integration_parameters.dt = dt as f32;
        self.world.step_with_events(&self.ignored, &());
        for (_, body) in self.world.bodies.iter_mut() {
            body.reset_forces(false);
            body.reset_torques(false);
        }
        Ok(())
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn pose(&self, body: usize) -> Pose {
        let Some(body_now) = self.world.bodies.get(self.handles[body]) else { return self.left[body].0 };
        let p = body_now.position();
        let q = p.rotation;
        let orientation = Quat::from_xyzw(q.x.into(), q.y.into(), q.z.into(), q.w.into()).normalize();
        Pose::new(vec3(p.translation), orientation)
    }

    fn velocity(&self, body: usize) -> Twist {
        let Some(body_now) = self.world.bodies.get(self.handles[body]) else { return self.left[body].1 };
        Twist::new(vec3(body_now.linvel()), vec3(body_now.angvel()))
    }

    fn asleep(&self, body: usize) -> bool {
        self.world.bodies.get(self.handles[body]).is_none_or(RigidBody::is_sleeping)
    }

    fn energy(&self) -> [Real; 2] {
        let gravity = self.world.gravity;
        let moving = || self.handles.iter().filter_map(|h| self.world.bodies.get(*h)).filter(|b| b.is_dynamic());
        let kinetic = moving().map(|b| Real::from(b.kinetic_energy())).sum();
        let weight =
            |b: &RigidBody| -Real::from(b.mass() * b.gravity_scale()) * vec3(gravity).dot(vec3(b.center_of_mass()));
        let stretch = |s: &Spring| {
            let [a, b] = s.ends.map(|e| vec3(self.world.bodies[e].translation()));
            0.5 * s.stiffness * ((b - a).length() - s.length).powi(2)
        };
        [kinetic, moving().map(weight).sum::<Real>() + self.springs.iter().map(stretch).sum::<Real>()]
    }

    fn gap(&self) -> Real {
        let gap = |(_, handle): &(String, ImpulseJointHandle)| {
            let Some(joint) = self.world.impulse_joints.get(*handle) else { return 0.0 };
            let frame = |body: RigidBodyHandle, local: RapierPose| *self.world.bodies[body].position() * local;
            let (a, b) = (frame(joint.body1(), joint.data.local_frame1), frame(joint.body2(), joint.data.local_frame2));
            let off = (a.inverse() * b).translation;
            let held = |axis, value: f32| if joint.data.locked_axes.contains(axis) { Real::from(value) } else { 0.0 };
            let [x, y, z] = [JointAxesMask::LIN_X, JointAxesMask::LIN_Y, JointAxesMask::LIN_Z];
            Vec3::new(held(x, off.x), held(y, off.y), held(z, off.z)).length()
        };
        self.joints.iter().map(gap).fold(0.0, Real::max)
    }

    fn depth(&mut self) -> Real {
        let points = self.world.contact_pairs().flat_map(ContactPair::manifolds).flat_map(|m| m.points.iter());
        points.map(|p| -Real::from(p.dist)).fold(0.0, Real::max)
    }

    fn set_pose(&mut self, body: usize, place: Pose) {
        let body = &mut self.world.bodies[self.handles[body]];
        if body.is_kinematic() {
            // as its documentation advises, so that it carries what stands on it
            body.set_body_type(RigidBodyType::KinematicPositionBased, true);
            body.set_next_kinematic_position(pose(&place));
        } else {
            body.set_position(pose(&place), true);
        }
    }

    fn set_velocity(&mut self, body: usize, velocity: Twist) {
        let body = &mut self.world.bodies[self.handles[body]];
        body.set_linvel(vector(velocity.linear), true);
        body.set_angvel(vector(velocity.angular), true);
    }

    fn remove(&mut self, body: usize) {
        self.left[body] = (self.pose(body), self.velocity(body));
        self.world.remove_body(self.handles[body]);
    }

    fn set_gravity(&mut self, gravity: Vec3) {
        self.world.gravity = vector(gravity);
        self.world.wake_up_all(true);
    }

    fn set_friction(&mut self, friction: Real) {
        for (_, collider) in self.world.all_colliders_mut() {
            collider.set_friction(friction as f32);
        }
        self.world.wake_up_all(true);
    }

    fn cut(&mut self, joint: &str) {
        let handle = self.joints.iter().find(|(name, _)| name == joint).expect("a joint of the scene").1;
        self.world.remove_impulse_joint(handle);
    }

    fn drag(&mut self, body: usize, target: Vec3, [stiffness, damping]: [Real; 2]) {
        let (place, velocity) = (self.pose(body).position, self.velocity(body).linear);
        let force = (target - place) * stiffness - velocity * damping;
        self.world.bodies[self.handles[body]].add_force(vector(force), true);
    }
}
