//! A hash of all of a world that no step changes, by which snapshots of other worlds are recognised.

use crate::World;
use drystone_core::{BodyFrame, BodyProperties, Configuration, Joint, Script, State};
use drystone_geometry::Shape;
use drystone_math::{Pose, Quat, Real, SymmetricMat3, Twist, Vec3, Wrench};
use std::fmt::{Debug, Write};

/// Instants at which the poses of scripts are compared (s).
const INSTANTS: [Real; 4] = [0.0, 0.37, 1.91, 7.3];

impl World {
    /// A hash of bodies, surfaces, gravity, joints, forces and scripts. What has no readable numbers is compared by what it does at a few poses or instants: the
    /// rows of joints, the wrenches of forces, the poses of scripts.
    ///
    /// # Cost
    /// A pass over all of them, once after each edit.
    pub(super) fn fingerprint(&self) -> u64 {
        *self.engine.kept().fingerprint.get_or_init(|| {
            let Configuration { bodies, materials, gravity, joints, forces, scripts, ignored_pairs } =
                self.configuration();
            let mut hash = Hash(0xcbf2_9ce4_8422_2325);
            for body in bodies {
                hash.body(body);
            }
            materials.iter().for_each(|material| hash.data(material));
            materials.set_pairs().for_each(|set| hash.data(&set));
            hash.vector(*gravity);
            hash.data(&self.plane());
            for (joint, id) in joints.iter().zip(self.joints()) {
                hash.joint(joint);
                hash.data(&self.joint_description(*id));
            }
            for script in scripts {
                hash.script(script);
            }
            hash.forces(self.configuration());
            hash.word(forces.len() as u64);
            ignored_pairs.iter().for_each(|pair| hash.data(&pair));
            hash.0
        })
    }
}

/// FNV-1a, word by word instead of byte by byte.
struct Hash(u64);

impl Write for Hash {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        text.bytes().for_each(|byte| self.word(u64::from(byte)));
        Ok(())
    }
}

impl Hash {
    fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0100_0000_01b3);
        // the upper bits of a word reach the lower ones
        self.0 ^= self.0 >> 32;
    }

    /// Value with only few numbers.
    fn data(&mut self, data: &impl Debug) {
        // writing to a hash refuses nothing
        let _ = write!(self, "{data:?};");
    }

    fn numbers<const N: usize>(&mut self, numbers: [Real; N]) {
        for number in numbers {
            self.word(number.to_bits());
        }
    }

    fn vector(&mut self, v: Vec3) {
        self.numbers(v.to_array());
    }

    fn pose(&mut self, pose: &Pose) {
        self.vector(pose.position);
        self.numbers(pose.orientation.to_array());
    }

    fn body(&mut self, body: &BodyProperties) {
        let held = [body.inverse_mass == 0.0, body.inverse_inertia == SymmetricMat3::ZERO];
        let flags = [
            body.can_sleep,
            body.continuous,
            body.sensor,
            held[0],
            held[1],
            body.spin_axis.is_some(),
            body.surface_velocity != Twist::ZERO,
        ];
        self.word(flags.into_iter().fold(body.kind as u64, |sum, flag| 2 * sum + u64::from(flag)));
        self.word(u64::from(body.material.0));
        self.word(body.layer as u64);
        self.word(u64::from(body.groups.membership) << 32 | u64::from(body.groups.mask));
        self.numbers([body.mass, body.gravity_scale, body.damping[0], body.damping[1]]);
        let vectors = [body.center, body.inertia.diagonal, body.inertia.off_diagonal];
        let runs = (body.surface_velocity != Twist::ZERO).then_some(body.surface_velocity);
        let runs = runs.into_iter().flat_map(|run| [run.linear, run.angular]);
        vectors.into_iter().chain(body.spin_axis).chain(runs).for_each(|v| self.vector(v));
        self.shape(&body.shape);
    }

    fn shape(&mut self, shape: &Shape) {
        let _ = self.write_str(shape.kind());
        match shape {
            Shape::Sphere(s) => self.numbers([s.radius()]),
            Shape::Box(s) => self.vector(s.half_extents()),
            Shape::Capsule(s) => self.numbers([s.radius(), s.half_height()]),
            Shape::Plane(s) => self.numbers([s.normal().x, s.normal().y, s.normal().z, s.offset()]),
            Shape::Cylinder(s) => self.numbers([s.radius(), s.half_height()]),
            Shape::Cone(s) => self.numbers([s.radius(), s.half_height()]),
            Shape::Convex(s) => s.vertices().iter().for_each(|v| self.vector(*v)),
            Shape::Mesh(s) => {
                let mesh = s.mesh();
                mesh.vertices().iter().for_each(|v| self.vector(*v));
                mesh.triangles().iter().flatten().for_each(|corner| self.word(u64::from(*corner)));
                self.word(u64::from(s.map().is_some()));
            }
            Shape::Compound(s) => {
                for (part, pose) in s.parts() {
                    self.pose(pose);
                    self.shape(part);
                }
            }
            other => self.data(other),
        }
    }

    fn joint(&mut self, joint: &Joint) {
        let _ = self.write_str(joint.source.kind());
        self.data(&joint.bodies);
        self.numbers([joint.strength.force, joint.strength.torque]);
        self.word(u64::from(joint.insulates));
        let mut rows = Vec::new();
        // beyond all limits, one way and the other
        for sign in [1.0, -1.0] {
            let memory = vec![sign * 1e3; joint.source.memory_len()];
            let [a, b] = [0, 1].map(|k| match joint.bodies[k] {
                Some(_) => BodyFrame { pose: some_pose(k, sign * 30.0), velocity: some_velocity(k) },
                None => BodyFrame::WORLD,
            });
            joint.source.rows([&a, &b], &memory, &mut rows);
            self.data(&joint.source.anchor([&a, &b]));
        }
        for row in &rows {
            self.data(row);
        }
    }

    fn script(&mut self, script: &Script) {
        self.word(u64::from(script.body.0));
        for t in INSTANTS {
            self.pose(&script.motion.evaluate(t).pose);
        }
    }

    fn forces(&mut self, configuration: &Configuration) {
        if configuration.forces.is_empty() {
            return;
        }
        let mut state = State::default();
        for k in 0..configuration.bodies.len() {
            state.push(some_pose(k, 1.0), some_velocity(k));
        }
        for force in &configuration.forces {
            let mut wrenches = vec![Wrench::ZERO; state.len()];
            force.accumulate(configuration, &state, &mut wrenches);
            for wrench in &wrenches {
                self.vector(wrench.force);
                self.vector(wrench.torque);
            }
        }
    }
}

/// A pose without symmetries, another one for each `k`.
fn some_pose(k: usize, size: Real) -> Pose {
    let k = k as Real;
    let orientation = Quat::from_xyzw(0.3 + 0.11 * k, -0.5, 0.2 * k - 0.7, 0.4).normalize();
    Pose::new(Vec3::new(0.7 - 1.3 * k, 0.2 + 0.9 * k, 0.4 * k - 1.1) * size, orientation)
}

fn some_velocity(k: usize) -> Twist {
    let k = k as Real;
    Twist::new(Vec3::new(0.3, -0.8 + 0.5 * k, 0.6), Vec3::new(0.2 * k - 0.4, 0.9, -0.1))
}
