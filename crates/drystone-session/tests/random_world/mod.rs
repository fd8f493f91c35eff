//! Worlds made by calls alone, with something of everything that a scene can say.

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind, Paradigm, World};
use drystone_core::{CombineRule, Grain, Material, MaterialIndex, PairGrain, PairMaterial};
use drystone_geometry::{MapSettings, MeshShape, TriangleMesh};
use drystone_motion::force::{Anchor, Axes, Damping, Drag, PointGravity, PointWrench, SpringDamper, Targets};
use drystone_motion::script::{
    AngleSpline, CubicSpline, Gaze, Key, KeyFrames, Orientation, RotationSpline, Sinusoid, SpacePath, SplineScript,
    Target, VelocitySpline,
};

/// Splitmix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % n.max(1) as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Between two numbers.
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.below(1 << 40) as f64 / (1u64 << 40) as f64
    }

    pub(crate) fn vector(&mut self, size: f64) -> Vec3 {
        Vec3::new(self.between(-size, size), self.between(-size, size), self.between(-size, size))
    }

    fn turn(&mut self) -> Quat {
        let [v, w] = [self.vector(1.0), self.vector(1.0)];
        Quat::from_xyzw(v.x, v.y, v.z, w.x + 1.5).normalize()
    }
}

fn shape(r: &mut Random, round: bool) -> Shape {
    let size = r.between(0.1, 0.3);
    let points: Vec<Vec3> = (0..9).map(|_| r.vector(size)).collect();
    match r.below(if round { 5 } else { 8 }) {
        0 => Shape::sphere(size).unwrap(),
        1 | 5 => Shape::cuboid(size, r.between(0.1, 0.3), size).unwrap(),
        2 => Shape::capsule(0.7 * size, size).unwrap(),
        3 => Shape::cylinder(size, 0.8 * size).unwrap(),
        4 => Shape::cone(size, size).unwrap(),
        6 => Shape::convex(&points).unwrap(),
        _ => {
            let parts = (0..2).map(|_| (shape(r, true), Pose::new(r.vector(size), r.turn()))).collect();
            Shape::compound(parts).unwrap()
        }
    }
}

/// A tetrahedron or an uneven ground, with a distance map or without.
fn mesh(r: &mut Random) -> Shape {
    let mesh = if r.one_in(2) {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|v| (v + r.vector(0.1)) * 0.6);
        TriangleMesh::new(corners.to_vec(), vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).unwrap()
    } else {
        let heights: Vec<f64> = (0..12).map(|_| r.between(-0.1, 0.1)).collect();
        TriangleMesh::height_field(4, &heights, 0.8, 0.5).unwrap()
    };
    let map =
        r.one_in(3).then(|| MapSettings { band: if r.one_in(2) { 3.0 } else { f64::INFINITY }, ..MapSettings::new(8) });
    Shape::mesh(MeshShape::new(mesh, map).unwrap())
}

fn material(r: &mut Random) -> Material {
    let rules = CombineRule::NAMES.map(|(_, rule)| rule);
    Material {
        friction: r.between(0.0, 1.0),
        restitution: r.between(0.0, 0.6),
        rolling: if r.one_in(3) { 0.01 } else { 0.0 },
        facets: if r.one_in(3) { 8 } else { 0 },
        grain: r.one_in(3).then(|| Grain { direction: r.vector(1.0).normalize(), across: r.between(0.0, 1.0) }),
        friction_rule: rules[r.below(rules.len())],
        restitution_rule: rules[r.below(rules.len())],
        ..Material::default()
    }
}

fn body(r: &mut Random, i: usize, materials: u32) -> Body {
    let at = Vec3::new(r.between(-1.0, 1.0), 0.6 + 0.5 * i as f64, r.between(-0.3, 0.3));
    let of_mesh = r.one_in(8);
    let mut body = Body::dynamic(if of_mesh { mesh(r) } else { shape(r, false) }).at(at).oriented(r.turn());
    body = body.linear_velocity(r.vector(1.0)).angular_velocity(r.vector(2.0));
    body = body.material(MaterialIndex(r.below(materials as usize) as u32)).continuous(r.one_in(6));
    if r.one_in(3) {
        body = body.mass(r.between(0.1, 30.0));
    }
    if r.one_in(5) {
        body = body.inertia([0.31, 0.29, 0.33]).products_of_inertia([0.01, -0.02, 0.015]);
    }
    if r.one_in(5) {
        body = body.center_of_mass(r.vector(0.05));
    }
    if r.one_in(6) {
        body = body.locked(r.one_in(2), true).spin_axis(r.vector(1.0));
    }
    if r.one_in(4) {
        body = body.groups(5, 0xffff_fff7).damping(0.1, r.between(0.0, 0.3)).gravity_scale(r.between(0.5, 1.0));
    }
    if r.one_in(8) { body.layer(-3).can_sleep(false) } else { body.sensor(r.one_in(12)) }
}

fn joint(r: &mut Random, a: BodyId, b: BodyId, at: Vec3) -> Joint {
    let axis = r.vector(1.0);
    let joint = match r.below(6) {
        0 => Joint::hinge(a, b).anchor(at).axis(axis).limits(-1.0, f64::INFINITY),
        1 => Joint::ball(a, b).anchor(at),
        2 => Joint::slider(a, b).axis(axis).spring(Spring { stiffness: 40.0, damping: 1.0, rest: 0.1 }),
        3 => Joint::distance(a, b).anchor(at).second_anchor(at + Vec3::new(0.2, 0.1, 0.0)),
        4 => {
            let max_force = if r.one_in(2) { f64::INFINITY } else { 3.0 };
            Joint::hinge(a, b).anchor(at).axis(axis).motor(Motor::Velocity { velocity: 2.0, max_force })
        }
        _ => Joint::fixed(a, b).anchor(at),
    };
    if r.one_in(3) { joint.breaks_at(r.between(50.0, 500.0), f64::INFINITY).collide(true) } else { joint }
}

fn force(r: &mut Random, world: &mut World, bodies: [BodyId; 2]) {
    let [a, b] = bodies.map(|b| world.body_index(b).unwrap());
    let spring = SpringDamper {
        anchors: [Anchor::Body { body: a, point: r.vector(0.1) }, Anchor::World(r.vector(1.0))],
        rest_length: r.between(0.0, 0.5),
        stiffness: r.between(1.0, 60.0),
        damping: 0.5,
        max_force: if r.one_in(2) { 20.0 } else { f64::INFINITY },
    };
    let targets = if r.one_in(2) { Targets::All } else { Targets::These(vec![a, b]) };
    let _ = match r.below(5) {
        0 => world.add_force(spring),
        1 => world.add_force(Damping { linear: 0.1, angular: r.between(0.0, 0.5), targets }),
        2 => world.add_force(Drag { quadratic: 0.2, wind: r.vector(2.0), targets, ..Drag::default() }),
        3 => world.add_force(PointGravity { center: r.vector(1.0), strength: 2.0, softening: 0.3 }),
        _ => world.add_force(PointWrench {
            body: b,
            point: r.vector(0.1),
            force: r.vector(3.0),
            torque: r.vector(0.3),
            axes: if r.one_in(2) { Axes::World } else { Axes::Body },
        }),
    };
}

fn script(r: &mut Random, world: &mut World, body: BodyId) {
    let points: Vec<Vec3> = (0..5).map(|i| Vec3::new(0.4 * f64::from(i), -0.5, 0.0) + r.vector(0.1)).collect();
    let times = [0.0, 0.4, 1.1];
    let turns = [0, 1, 2].map(|_| r.turn());
    let orientation = match r.below(6) {
        0 => Orientation::Fixed(turns[0]),
        1 => Orientation::Spin { start: turns[0], velocity: r.vector(1.0) },
        2 => Orientation::Spline(RotationSpline::through(&times, &turns).unwrap()),
        3 => Orientation::Angles(AngleSpline::through(&times, &[0, 1, 2].map(|_| r.vector(1.0))).unwrap()),
        4 => Orientation::Gaze(Gaze { target: Target::Point(r.vector(3.0)), up: Vec3::Y }),
        _ => Orientation::Gaze(Gaze { target: Target::Ahead(0.3), up: Vec3::Y }),
    };
    match r.below(3) {
        0 => world.add_script(
            body,
            Sinusoid {
                middle: Pose::new(points[0], turns[1]),
                travel: r.vector(0.2),
                turn: r.vector(0.3),
                frequency: 1.3,
                phase: r.between(0.0, 3.0),
            },
        ),
        1 => {
            let key =
                |(time, orientation): (&f64, &Quat)| Key { time: *time, pose: Pose::new(points[1], *orientation) };
            world.add_script(body, KeyFrames::new(&times.iter().zip(&turns).map(key).collect::<Vec<_>>()).unwrap())
        }
        _ => {
            let ways = [[0.0, 0.0], [0.5, r.between(0.1, 0.4)], [2.0, 1.0]];
            let progress = VelocitySpline::new(&ways[..2 + r.below(2)]).unwrap();
            let path = SpacePath::new(CubicSpline::open(&points).unwrap()).unwrap();
            world.add_script(body, SplineScript { path, progress, orientation })
        }
    }
    .unwrap();
}

/// What may be done to a world that has run.
fn edit(r: &mut Random, world: &mut World, bodies: &[BodyId]) {
    let body = bodies[r.below(bodies.len())];
    match r.below(9) {
        0 => drop(world.set_kind(body, BodyKind::Fixed)),
        1 => drop(world.set_kind(body, BodyKind::Scripted)),
        2 => world.set_passive(body, true).unwrap_or(()),
        3 => world.apply_force(body, r.vector(5.0), r.vector(1.0)).unwrap_or(()),
        4 => world.sleep(body).unwrap_or(()),
        5 => drop(world.remove(body)),
        6 => world.set_limits(drystone::Limits { length: 3.0, energy: 1e6 }),
        7 => world.set_mass(body, r.between(0.3, 3.0)).unwrap_or(()),
        _ => world.set_user_data(body, u128::MAX - r.below(1000) as u128).unwrap_or(()),
    }
}

pub(crate) fn random_world(r: &mut Random) -> World {
    let paradigm = Paradigm::ALL[r.below(Paradigm::ALL.len())];
    let mut builder = World::builder().paradigm(if r.one_in(2) { Paradigm::default() } else { paradigm });
    if r.one_in(5) {
        builder = builder.plane(Vec3::new(0.1, 0.0, 1.0));
    }
    if r.one_in(4) {
        builder = builder.contact_envelope(r.between(0.001, 0.02));
    }
    if r.one_in(4) {
        let name = Some(["exhaustive", "hash-grid", "sweep-and-prune", "aabb-tree"][r.below(4)].to_owned());
        builder = builder.choose(ModuleChoice { kind: ModuleKind::BroadPhase, name, settings: Vec::new() });
    }
    let mut world = builder.gravity([0.0, -9.81, 0.0]).build().unwrap();
    let materials = 1 + r.below(3) as u32;
    for _ in 1..materials {
        world.add_material(material(r)).unwrap();
    }
    if materials > 1 && r.one_in(2) {
        let grain = r.one_in(2).then(|| PairGrain { on_second: r.one_in(2), direction: Vec3::X, across: 0.2 });
        let pair = PairMaterial { friction: 0.3, restitution: 0.1, facets: 4, grain, ..PairMaterial::default() };
        world.materials_mut().set_pair(MaterialIndex(1), MaterialIndex(0), pair).unwrap();
    }
    let floor = world.add(Body::fixed(Shape::plane(r.vector(0.1) + Vec3::Y, -0.2).unwrap())).unwrap();
    world.set_name(floor, "floor").unwrap();
    let bodies: Vec<BodyId> = (0..3 + r.below(4)).map(|i| world.add(body(r, i, materials)).unwrap()).collect();
    for pair in bodies.windows(2) {
        if r.one_in(4) {
            let at = world.position(pair[0]).unwrap();
            // not every preset has joints, and not every kind fits every pair
            drop(world.join(joint(r, pair[0], pair[1], at)));
        }
        if r.one_in(6) {
            world.ignore_pair(pair[0], pair[1]).unwrap();
        }
    }
    if r.one_in(3) {
        force(r, &mut world, [bodies[0], bodies[1]]);
    }
    if r.one_in(3) {
        let hand = world.add(Body::scripted(shape(r, true)).at([0.0, -0.6, 0.0])).unwrap();
        script(r, &mut world, hand);
    }
    for _ in 0..r.below(12) {
        drop(world.advance(0.01));
    }
    if r.one_in(2) {
        edit(r, &mut world, &bodies);
    }
    world
}
