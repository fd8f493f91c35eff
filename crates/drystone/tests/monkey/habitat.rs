//! Small worlds with ordinary numbers, and random calls of nearly all of the facade on them.

use crate::numbers::Random;
use crate::parts;
use drystone::prelude::*;
use drystone::{Limits, Replacement};
use drystone_broad_phase::{AabbTree, Exhaustive};
use drystone_core::{CombineRule, JointStrength, MaterialIndex, PairMaterial};
use drystone_geometry::{MassProperties, MeshShape, TriangleMesh};
use drystone_joints::Motor;
use drystone_math::SymmetricMat3;
use drystone_motion::force::{Damping, SpringDamper, Targets};
use drystone_motion::script::Sinusoid;

/// Most bodies of a world.
const MOST_BODIES: usize = 9;

/// A world with the ids of everything that was ever in it.
pub(crate) struct Habitat {
    pub(crate) world: World,
    seed: u64,
    bodies: Vec<BodyId>,
    joints: Vec<JointId>,
    forces: Vec<ForceId>,
    materials: Vec<MaterialIndex>,
    timers: Vec<TimerId>,
    dt: f64,
    calls: Calls,
}

/// The calls that are made: those of the runs that are kept because they once differed, or all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Calls {
    Former,
    All,
}

impl Random {
    fn range(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.unit()
    }

    fn within(&mut self, r: f64) -> Vec3 {
        Vec3::new(self.range(-r, r), self.range(-r, r), self.range(-r, r))
    }

    fn place(&mut self) -> Vec3 {
        Vec3::new(self.range(-1.2, 1.2), self.range(0.1, 2.5), self.range(-1.2, 1.2))
    }

    fn turned(&mut self) -> Quat {
        let q = Quat::from_xyzw(self.range(-1.0, 1.0), self.range(-1.0, 1.0), self.range(-1.0, 1.0), 0.3);
        if self.one_in(3) { Quat::IDENTITY } else { q }
    }

    fn motion(&mut self) -> Twist {
        if self.one_in(3) { Twist::ZERO } else { Twist::new(self.within(3.0), self.within(4.0)) }
    }
}

fn shape(r: &mut Random) -> Shape {
    let s = |r: &mut Random| r.range(0.15, 0.5);
    let made = match r.below(10) {
        0 | 1 => Shape::sphere(s(r)),
        2 => Shape::capsule(s(r), s(r)),
        3 => Shape::cylinder(s(r), s(r)),
        4 => Shape::cone(s(r), s(r)),
        5 => Shape::convex(&(0..7).map(|_| r.within(0.5)).collect::<Vec<_>>()),
        6 => {
            let part = |r: &mut Random, at: f64| Some((Shape::cuboid(s(r), s(r), s(r)).ok()?, Vec3::X * at));
            let parts = [part(r, -0.3), part(r, 0.3)].into_iter().flatten();
            Shape::compound(parts.map(|(shape, at)| (shape, Pose::from_position(at))).collect())
        }
        7 if r.one_in(3) => return tetrahedron(s(r)),
        _ => Shape::cuboid(s(r), s(r), s(r)),
    };
    made.unwrap_or_else(|_| Shape::sphere(0.3).expect("a radius"))
}

fn tetrahedron(size: f64) -> Shape {
    let corners = [Vec3::ONE, Vec3::new(1.0, -1.0, -1.0), Vec3::new(-1.0, 1.0, -1.0), Vec3::new(-1.0, -1.0, 1.0)];
    let faces = vec![[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]];
    let mesh = TriangleMesh::new(corners.map(|c| c * size).to_vec(), faces).expect("a tetrahedron");
    Shape::mesh(MeshShape::new(mesh, None).expect("a closed surface"))
}

fn material(r: &mut Random) -> Material {
    Material {
        friction: r.range(0.0, 1.0),
        restitution: if r.one_in(2) { 0.0 } else { r.unit() },
        rolling: if r.one_in(4) { 0.01 } else { 0.0 },
        friction_rule: CombineRule::NAMES[r.below(CombineRule::NAMES.len())].1,
        ..Material::default()
    }
}

fn body(r: &mut Random, materials: &[MaterialIndex]) -> Body {
    let shape = shape(r);
    let mut body = match r.below(9) {
        0 => Body::fixed(shape),
        1 => Body::scripted(shape),
        _ => Body::dynamic(shape),
    };
    body = body.at(r.place()).oriented(r.turned());
    let Twist { linear, angular } = r.motion();
    body = body.linear_velocity(linear).angular_velocity(angular);
    body = body.continuous(r.one_in(8)).sensor(r.one_in(12)).can_sleep(!r.one_in(8));
    if r.one_in(12) {
        body = body.locked(r.one_in(2), true);
    }
    if r.one_in(8) {
        body = body.damping(0.3, 0.2);
    }
    match r.pick(materials) {
        Some(material) if r.one_in(2) => body.material(material),
        _ => body,
    }
}

fn joint(r: &mut Random, [a, b]: [Option<BodyId>; 2], middle: Vec3) -> Joint {
    let joint = match r.below(5) {
        0 => Joint::ball(a, b),
        1 => Joint::fixed(a, b),
        2 => Joint::slider(a, b).axis(Vec3::new(0.6, 0.8, 0.0)),
        3 => Joint::hinge(a, b).axis(Vec3::Z).limits(-0.5, 0.7),
        _ => {
            let motor = Motor::Velocity { velocity: r.range(-2.0, 2.0), max_force: 20.0 };
            Joint::hinge(a, b).axis(Vec3::new(0.0, 0.6, 0.8)).motor(motor)
        }
    };
    let joint = joint.anchor(middle + r.within(0.2)).collide(r.one_in(4));
    if r.one_in(4) { joint.breaks_at(r.range(5.0, 200.0), r.range(5.0, 200.0)) } else { joint }
}

impl Habitat {
    /// The world of a seed before its first step. Seeds whose modules cannot be combined, or take no joints, have a simpler world.
    pub(crate) fn new(seed: u64, paradigm: Paradigm, threads: usize, calls: Calls) -> Self {
        let opened = |chosen, joined| Self::opened(seed, paradigm, threads, chosen, joined);
        for (chosen, joined) in [(true, true), (true, false), (false, true)] {
            let Some(mut tried) = opened(chosen, joined) else { continue };
            if !matches!(tried.world.advance(tried.dt), Err(WorldError::Refused { .. })) {
                return Self { calls, ..opened(chosen, joined).expect("it was built a moment ago") };
            }
        }
        Self { calls, ..opened(false, false).expect("a preset and bodies") }
    }

    fn opened(seed: u64, paradigm: Paradigm, threads: usize, chosen: bool, joined: bool) -> Option<Self> {
        let mut r = Random(seed);
        let mut builder = World::builder().paradigm(paradigm).threads(threads);
        if r.one_in(12) {
            builder = builder.plane(if r.one_in(2) { Vec3::Z } else { Vec3::new(0.2, 0.1, 0.9) });
        }
        if r.one_in(6) {
            builder = builder.gravity(r.within(9.0));
        }
        let choices: Vec<_> = (0..r.below(3)).map(|_| parts::choice(&mut r)).collect();
        for choice in choices.into_iter().filter(|_| chosen) {
            builder = builder.choose(choice);
        }
        let world = builder.build().ok()?;
        let dt = [0.002, 0.005, 0.01, 1.0 / 60.0][r.below(4)];
        let (bodies, joints, forces, materials, timers) = Default::default();
        let mut it = Self { world, seed, bodies, joints, forces, materials, timers, dt, calls: Calls::Former };
        for _ in 0..r.below(3) {
            it.materials.extend(it.world.add_material(material(&mut r)).ok());
        }
        let floor = Body::fixed(Shape::plane(Vec3::Y, 0.0).ok()?);
        it.bodies.push(it.world.add(floor).ok()?);
        for _ in 0..2 + r.below(MOST_BODIES - 3) {
            let body = body(&mut r, &it.materials);
            it.bodies.extend(it.world.add(body).ok());
        }
        for _ in 0..r.below(4) {
            let ends = [r.pick(&it.bodies), r.pick(&it.bodies).filter(|_| !r.one_in(3))];
            let places = ends.map(|b| b.and_then(|b| it.world.position(b)));
            let middle = places[0].zip(places[1]).map_or_else(|| r.place(), |(a, b)| (a + b) * 0.5);
            let joint = joint(&mut r, ends, middle);
            if joined {
                it.joints.extend(it.world.join(joint).ok());
            }
        }
        for _ in 0..r.below(3) {
            it.force(&mut r, None);
        }
        for k in 0..it.bodies.len() {
            if r.one_in(2) {
                it.script(&mut r, it.bodies[k]);
            }
        }
        Some(it)
    }

    fn force(&mut self, r: &mut Random, old: Option<ForceId>) {
        let Some(body) = r.pick(&self.bodies).and_then(|b| self.world.body_index(b).ok()) else { return };
        let drag = Damping { linear: r.unit(), angular: r.unit(), targets: Targets::These(vec![body]) };
        let ends = [
            drystone_motion::force::Anchor::Body { body, point: Vec3::ZERO },
            drystone_motion::force::Anchor::World(r.place()),
        ];
        let spring = SpringDamper {
            anchors: ends,
            rest_length: r.unit(),
            stiffness: r.range(1.0, 100.0),
            damping: r.unit(),
            max_force: 50.0,
        };
        match (old, r.one_in(2)) {
            (Some(id), true) => drop(self.world.set_force(id, drag)),
            (Some(id), false) => drop(self.world.set_force(id, spring)),
            (None, true) => self.forces.push(self.world.add_force(drag)),
            (None, false) => self.forces.push(self.world.add_force(spring)),
        }
    }

    fn script(&mut self, r: &mut Random, body: BodyId) {
        let [travel, turn] = [r.within(0.4), r.within(0.5)];
        let middle = Pose::from_position(r.place());
        // it is refused for bodies that are not scripted
        drop(self.world.add_script(body, Sinusoid { middle, travel, turn, frequency: r.unit(), phase: r.unit() }));
    }

    /// Makes the calls before a step. They depend on the seed and the step alone, not on the state.
    pub(crate) fn calls(&mut self, step: usize) {
        let mut r = Random(self.seed ^ (step as u64 + 1).wrapping_mul(0xD129_42F0_3F2B_6C4D));
        if !r.one_in(3) {
            return;
        }
        for _ in 0..=r.below(3) {
            // what is refused changes nothing, in each of the runs
            match r.below(8) {
                0 | 1 => self.place(&mut r),
                2 => self.push(&mut r),
                3 => self.alter(&mut r),
                4 => self.surface(&mut r),
                5 => self.link(&mut r),
                6 => self.exchange(&mut r),
                _ => self.common(&mut r),
            }
        }
        if self.calls == Calls::All {
            match r.below(4) {
                0 => self.rejoin(&mut r),
                1 => self.furnish(&mut r),
                2 => self.settle(&mut r),
                _ => {}
            }
        }
    }

    /// Changes what joints do, and adds joints that are given as constraints.
    fn rejoin(&mut self, r: &mut Random) {
        let places = [Pose::from_position(r.place()), Pose::from_position(r.place())];
        let ends = [r.pick(&self.bodies), r.pick(&self.bodies).filter(|_| !r.one_in(3))];
        let limits = (!r.one_in(3)).then(|| [-r.unit(), r.unit()]);
        let motor = Motor::Velocity { velocity: r.range(-3.0, 3.0), max_force: 30.0 };
        let (kind, source, w) = (r.below(7), parts::joint(r, places.each_ref()), &mut self.world);
        match (kind, r.pick(&self.joints), source) {
            (0, _, Some(source)) => self.joints.extend(w.add_joint(ends, source).ok()),
            (1, Some(j), Some(source)) => drop(w.set_joint(j, source)),
            (2, Some(j), _) => drop(w.set_collide(j, r.one_in(2))),
            (3, Some(j), _) => drop(w.set_limits_of(j, limits)),
            (4, Some(j), _) => drop(w.set_second_limits_of(j, limits)),
            (5, Some(j), _) => drop(w.set_second_motor(j, (!r.one_in(3)).then_some(motor))),
            (_, Some(j), _) => drop(w.tag_joint(j, "joint", 7)),
            _ => {}
        }
    }

    /// Adds and removes what stands beside bodies and joints.
    fn furnish(&mut self, r: &mut Random) {
        let [one, other] = [r.pick(&self.bodies), r.pick(&self.bodies)];
        let (Some(one), Some(other), w) = (one, other, &mut self.world) else { return };
        match r.below(8) {
            0 | 1 => drop(w.set_surface_velocity(one, r.motion())),
            2 => drop(w.remove_many(&[one, other])),
            3 if w.bodies().len() < MOST_BODIES => {
                let Some(properties) = w.properties(other).cloned() else { return };
                let place = Pose::new(r.place(), r.turned().normalize());
                self.bodies.extend(w.add_properties(properties, place, r.motion()).ok());
            }
            4 => self.timers.extend(w.add_timer(r.unit(), r.one_in(2).then(|| 0.01 + r.unit())).ok()),
            5 => drop(r.pick(&self.timers).map(|t| w.remove_timer(t))),
            6 => drop(w.set_name(one, "body")),
            _ => drop(w.set_user_data(one, 7)),
        }
    }

    /// Changes what holds for the whole world.
    fn settle(&mut self, r: &mut Random) {
        let w = &mut self.world;
        match r.below(5) {
            0 => drop(w.replace(Replacement::broad_phase(Exhaustive))),
            1 => drop(w.replace(Replacement::broad_phase(AabbTree::default()))),
            2 => w.set_limits(if r.one_in(2) { Limits::NONE } else { Limits::default() }),
            3 => w.set_keep_events(r.one_in(2)),
            _ => drop(w.drain_events().count()),
        }
    }

    fn place(&mut self, r: &mut Random) {
        let Some(body) = r.pick(&self.bodies) else { return };
        let w = &mut self.world;
        match r.below(7) {
            0 | 1 => drop(w.set_pose(body, r.place(), r.turned())),
            2 | 3 => drop(w.set_velocity(body, r.motion())),
            4 => drop(w.sleep(body)),
            5 => drop(w.wake(body)),
            _ => drop(w.set_passive(body, r.one_in(2))),
        }
    }

    fn push(&mut self, r: &mut Random) {
        let Some(body) = r.pick(&self.bodies) else { return };
        let w = &mut self.world;
        match r.below(4) {
            0 => drop(w.apply_impulse(body, r.within(200.0), r.place())),
            1 => drop(w.apply_torque_impulse(body, r.within(50.0))),
            2 => drop(w.apply_force(body, r.within(9000.0), r.place())),
            _ => drop(w.apply_torque(body, r.within(900.0))),
        }
    }

    fn alter(&mut self, r: &mut Random) {
        let Some(body) = r.pick(&self.bodies) else { return };
        let w = &mut self.world;
        match r.below(11) {
            0 => drop(w.set_mass(body, r.range(10.0, 900.0))),
            1 => {
                let inertia = SymmetricMat3::from_diagonal(Vec3::new(4.0, 5.0, 6.0) * r.range(1.0, 9.0));
                let mass = MassProperties { mass: r.range(50.0, 500.0), center: r.within(0.2), inertia };
                drop(w.set_mass_properties(body, &mass));
            }
            2 => drop(w.set_shape(body, shape(r))),
            3 => {
                let kinds = [BodyKind::Dynamic, BodyKind::Fixed, BodyKind::Scripted, BodyKind::Passive];
                drop(w.set_kind(body, kinds[r.below(4)]));
            }
            4 => drop(w.set_damping(body, r.unit(), r.unit())),
            5 => drop(w.set_gravity_scale(body, r.range(-0.5, 1.5))),
            6 => drop(w.set_continuous(body, r.one_in(2))),
            7 => drop(w.set_groups(body, 1 + r.below(2) as u32, if r.one_in(2) { u32::MAX } else { 1 })),
            8 => drop(w.set_layer(body, r.below(2) as i64)),
            9 => drop(w.set_sensor(body, r.one_in(2))),
            _ => drop(w.set_can_sleep(body, r.one_in(2))),
        }
    }

    fn surface(&mut self, r: &mut Random) {
        let (body, [a, b]) = (r.pick(&self.bodies), [r.pick(&self.materials), r.pick(&self.materials)]);
        let surface = material(r);
        match (r.below(4), a, b, body) {
            (0, ..) => self.materials.extend(self.world.add_material(surface).ok()),
            (1, Some(a), ..) => drop(self.world.materials_mut().set(a, surface)),
            (2, Some(a), Some(b), _) => {
                let pair = PairMaterial { friction: r.unit(), restitution: 0.5 * r.unit(), ..PairMaterial::default() };
                drop(self.world.materials_mut().set_pair(a, b, pair));
            }
            (_, Some(a), _, Some(body)) => drop(self.world.set_material(body, a)),
            _ => {}
        }
    }

    fn link(&mut self, r: &mut Random) {
        let (joint, [a, b]) = (r.pick(&self.joints), [r.pick(&self.bodies), r.pick(&self.bodies)]);
        let w = &mut self.world;
        match (r.below(6), joint, a, b) {
            (0, Some(j), ..) => drop(w.remove_joint(j)),
            (1, Some(j), ..) => {
                let bound = r.range(1.0, 300.0);
                drop(w.set_strength(j, JointStrength { force: bound, torque: bound }));
            }
            (2, Some(j), ..) => drop(w.mend_joint(j)),
            (3, Some(j), ..) => {
                let motor = Motor::Velocity { velocity: r.range(-3.0, 3.0), max_force: 30.0 };
                drop(w.set_motor(j, (!r.one_in(3)).then_some(motor)));
            }
            (4, _, Some(a), Some(b)) => drop(w.ignore_pair(a, b)),
            (_, _, Some(a), Some(b)) => drop(w.unignore_pair(a, b)),
            _ => {}
        }
    }

    fn exchange(&mut self, r: &mut Random) {
        let old = r.pick(&self.forces);
        match r.below(6) {
            0 | 1 if self.world.bodies().len() < MOST_BODIES => {
                let body = body(r, &self.materials);
                self.bodies.extend(self.world.add(body).ok());
            }
            2 => drop(r.pick(&self.bodies).map(|b| self.world.remove(b))),
            3 => self.force(r, None),
            4 => self.force(r, old),
            _ => drop(old.map(|f| self.world.remove_force(f))),
        }
    }

    fn common(&mut self, r: &mut Random) {
        match r.below(6) {
            0 => drop(self.world.set_gravity(Vec3::new(r.range(-2.0, 2.0), r.range(-10.0, 2.0), 0.0))),
            1 => drop(self.world.penetration()),
            2 => self.world.limit_iterations((!r.one_in(2)).then(|| 5 + r.below(20) as u32)),
            3 if r.one_in(3) => drop(self.world.set_paradigm(Paradigm::ALL[r.below(Paradigm::ALL.len())], &[])),
            4 => {
                if let Some(body) = r.pick(&self.bodies) {
                    self.script(r, body);
                }
            }
            _ => self.dt = [0.002, 0.005, 0.01, 1.0 / 60.0][r.below(4)],
        }
    }

    /// One step; the reason if it fails.
    pub(crate) fn step(&mut self) -> Result<(), String> {
        self.world.advance(self.dt).map(drop).map_err(|e| e.to_string())
    }
}
