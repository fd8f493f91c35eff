//! Paradigms that solve one problem per step: the convex one in velocities, and those that keep positions.

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind, WorldError};
use drystone_core::MaterialIndex;
use drystone_core::catalogue::Value;

const H: f64 = 1.0 / 240.0;
const G: f64 = 9.81;

fn world(paradigm: Paradigm, settings: &[(&str, Value)]) -> World {
    let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
    let choice = ModuleChoice { kind: ModuleKind::ConstraintSolver, name: None, settings };
    let mut world = World::builder().paradigm(paradigm).gravity([0.0, -G, 0.0]).choose(choice).build().unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    world
}

fn cube() -> Body {
    Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap())
}

fn run(world: &mut World, steps: usize) {
    for _ in 0..steps {
        world.advance(H).unwrap();
    }
}

#[test]
fn convex_newton_sinks_as_its_impedance_says() {
    // steady state: R f = k r, R = (1 - d) / d A, A f = g, k = 1 / (d T zeta)^2
    for (d, time, ratio) in [(0.9, 0.02, 1.0), (0.95, 0.05, 1.0), (0.9, 0.02, 0.7)] {
        let settings = [
            ("impedance", Value::Real(d)),
            ("impedance_deep", Value::Real(d)),
            ("time_constant", Value::Real(time)),
            ("damping_ratio", Value::Real(ratio)),
        ];
        let mut world = world(Paradigm::CONVEX_NEWTON, &settings);
        let block = world.add(cube().at([0.0, 0.5, 0.0])).unwrap();
        run(&mut world, 960);
        let (found, expected) = (0.5 - world.position(block).unwrap().y, (1.0 - d) * d * G * (time * ratio).powi(2));
        assert!((found - expected).abs() < 1e-6 * expected, "{d} {time}: {found}, expected {expected}");
    }
    // with the defaults it hardly sinks at all
    let mut world = world(Paradigm::CONVEX_NEWTON, &[]);
    let block = world.add(cube().at([0.0, 0.5, 0.0])).unwrap();
    run(&mut world, 480);
    assert!((0.5 - world.position(block).unwrap().y).abs() < 1e-6);
}

/// How far (m) a block thrown at 3 m/s slides, and how high it hops (m).
fn slide(settings: &[(&str, Value)]) -> (f64, f64) {
    let mut world = world(Paradigm::CONVEX_NEWTON, settings);
    world.materials_mut().set(MaterialIndex(0), Material { friction: 0.4, ..Material::default() }).unwrap();
    let block = world.add(cube().at([0.0, 0.5, 0.0]).linear_velocity([2.6, 0.0, 1.5])).unwrap();
    let mut highest = 0.0_f64;
    for _ in 0..480 {
        run(&mut world, 1);
        highest = highest.max(world.position(block).unwrap().y - 0.5);
    }
    let p = world.position(block).unwrap();
    (p.x.hypot(p.z), highest)
}

#[test]
fn convex_newton_slides_by_coulombs_law_and_hops_without_its_iteration() {
    let want = (2.6_f64 * 2.6 + 1.5 * 1.5) / (2.0 * 0.4 * G);
    let (far, high) = slide(&[]);
    assert!((far - want).abs() < 0.01 * want && high < 1e-6, "{far}, expected {want}; {high}");
    let (_, high) = slide(&[("sliding_iterations", Value::Integer(0))]);
    assert!(high > 0.03, "{high}");
}

#[test]
fn convex_newton_holds_columns_and_keeps_momentum() {
    let mut w = world(Paradigm::CONVEX_NEWTON, &[]);
    let ids: Vec<_> = (0..10).map(|i| w.add(cube().at([0.0, 0.5 + f64::from(i), 0.0])).unwrap()).collect();
    let start = w.energy();
    run(&mut w, 480);
    for (i, id) in ids.iter().enumerate() {
        assert!((w.position(*id).unwrap() - Vec3::Y * (0.5 + i as f64)).length() < 1e-4, "{i}");
    }
    assert!(w.energy().total() <= start.total() + 1e-9 * start.total().abs());

    // cubes that meet in flight
    let mut w = World::builder().paradigm(Paradigm::CONVEX_NEWTON).gravity([0.0; 3]).build().unwrap();
    for i in 0..6 {
        let speed = if i % 2 == 0 { 1.0 } else { -0.5 };
        w.add(cube().at([f64::from(i) * 1.3, 0.1 * f64::from(i), 0.0]).linear_velocity([speed, 0.0, 0.1])).unwrap();
    }
    let (before, energy) = (w.momentum(), w.energy().total());
    for _ in 0..240 {
        w.advance(H).unwrap();
        assert!(w.energy().total() <= energy * (1.0 + 1e-9));
    }
    let after = w.momentum();
    assert!((after.linear - before.linear).length() < 1e-9 * 6000.0, "{before:?} {after:?}");
    assert!(w.energy().total() < 0.9 * energy, "they met");
}

/// A frictionless rod across a groove of two planes, released at a slant.
fn groove(paradigm: Paradigm, settings: &[(&str, Value)]) -> (World, BodyId) {
    let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
    let choice = ModuleChoice { kind: ModuleKind::ConstraintSolver, name: None, settings };
    let mut world = World::builder().paradigm(paradigm).gravity([0.0, -G, 0.0]).choose(choice).build().unwrap();
    let smooth = world.add_material(Material { friction: 0.0, restitution: 0.0, ..Material::default() }).unwrap();
    for x in [1.0, -1.0] {
        let side = Shape::plane(Vec3::new(x, 1.0, 0.0).normalize(), 0.0).unwrap();
        world.add(Body::fixed(side).material(smooth)).unwrap();
    }
    let rod = Body::dynamic(Shape::cuboid(0.5, 0.02, 0.02).unwrap()).material(smooth).at([0.25, 0.65, 0.0]);
    let rod = world.add(rod.oriented(Quat::from_rotation_z(0.436))).unwrap();
    (world, rod)
}

#[test]
fn position_ncp_does_not_drift_in_ten_thousand_steps() {
    let deepest = |mut world: World, steps: usize| {
        let mut deepest = 0.0_f64;
        for step in 0..steps {
            world.advance(0.01).unwrap();
            if step % 10 == 0 || step > steps - 50 {
                deepest = deepest.max(world.penetration().unwrap());
            }
        }
        deepest
    };
    let (ours, rod) = groove(Paradigm::POSITION_NCP, &[]);
    let found = deepest(ours, 10_000);
    assert!(found < 1e-9, "{found}");
    // the control: velocity problems alone lose the surface as the rod turns
    let none = Value::Text("none".to_owned());
    let found = deepest(groove(Paradigm::VELOCITY_LCP, &[("stabilization", none)]).0, 1000);
    assert!(found > 1e-5, "{found}");
    // and the rod does slide down
    let (mut world, _) = groove(Paradigm::POSITION_NCP, &[]);
    let start = world.position(rod).unwrap().y;
    for _ in 0..300 {
        world.advance(0.01).unwrap();
    }
    assert!(start - world.position(rod).unwrap().y > 0.1);
}

/// A plank tumbles onto the floor in steps of 1/60 s: its greatest depth at the
/// ends of steps (m), and its highest energy relative to that at the start.
fn plank(paradigm: Paradigm) -> (f64, f64) {
    let mut world = world(paradigm, &[]);
    let plank = Body::dynamic(Shape::cuboid(0.5, 0.05, 0.3).unwrap()).at([0.0, 1.2, 0.0]);
    let plank = world.add(plank.angular_velocity([0.5, 0.3, 6.0])).unwrap();
    let start = world.energy().total();
    let (mut deepest, mut most) = (0.0_f64, 0.0_f64);
    for _ in 0..120 {
        world.advance(1.0 / 60.0).unwrap();
        let pose = world.pose(plank).unwrap();
        for (x, y, z) in (0..8).map(|k| (f64::from(k & 1) - 0.5, f64::from(k >> 1 & 1) - 0.5, f64::from(k >> 2) - 0.5))
        {
            deepest = deepest.max(-pose.point(Vec3::new(x, 0.1 * y, 0.6 * z)).y);
        }
        most = most.max(world.energy().total() / start);
    }
    (deepest, most)
}

#[test]
fn position_ncp_keeps_corners_out_of_the_floor_at_large_steps() {
    let (deepest, energy) = plank(Paradigm::POSITION_NCP);
    assert!(deepest < 1e-9 && energy < 1.0 + 1e-9, "{deepest} {energy}");
    // the control: springs let corners in
    assert!(plank(Paradigm::PENALTY).0 > 1e-4);
}

#[test]
fn position_ncp_refuses_joints_and_as_published_rubs_against_nothing() {
    let mut w = world(Paradigm::POSITION_NCP, &[("friction", Value::Bool(false))]);
    let block = w.add(cube().at([0.0, 0.5, 0.0]).linear_velocity([3.0, 0.0, 0.0])).unwrap();
    run(&mut w, 240);
    assert!((w.position(block).unwrap().x - 3.0).abs() < 1e-9, "without friction nothing brakes it");
    let joint = drystone_joints::JointDescription {
        anchor: Some(Vec3::ZERO),
        ..drystone_joints::JointDescription::new("ball")
    };
    let joint = drystone_joints::build(&joint, &Pose::IDENTITY, &Pose::IDENTITY).unwrap();
    w.add_joint([None, Some(block)], joint).unwrap();
    let refused = w.advance(H).unwrap_err();
    assert!(matches!(refused, WorldError::Refused { paradigm: "position-ncp", what: "joints", .. }), "{refused}");
}

fn synchronized(settings: &[(&str, Value)], gravity: f64) -> World {
    let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
    let choice = ModuleChoice { kind: ModuleKind::TimeControl, name: None, settings };
    let paradigm = Paradigm::COLLISION_SYNCHRONIZATION;
    World::builder().paradigm(paradigm).gravity([0.0, -gravity, 0.0]).choose(choice).build().unwrap()
}

/// E-36: the projection is the displacement of least norm, weighted by the masses.
#[test]
fn synchronized_positions_are_the_nearest_ones() {
    for velocities in ["collisions", "positions"] {
        let mut w = synchronized(&[("velocities", Value::Text(velocities.to_owned()))], 0.0);
        let [light, heavy] = [(1.0, 0.0), (3.0, 0.96)].map(|(m, x)| w.add(cube().mass(m).at([x, 0.0, 0.0])).unwrap());
        w.advance(1.0 / 30.0).unwrap();
        let [a, b] = [light, heavy].map(|id| w.position(id).unwrap().x);
        // the overlap of 4 cm is shared in inverse proportion to the masses
        assert!((a + 0.03).abs() < 1e-5 && (b - 0.97).abs() < 1e-5, "{a} {b}");
        let [u, v] = [light, heavy].map(|id| w.velocity(id).unwrap().linear.x);
        let expected = if velocities == "positions" { [-0.9, 0.3] } else { [0.0; 2] };
        assert!((u - expected[0]).abs() < 1e-3 && (v - expected[1]).abs() < 1e-3, "{u} {v}");
    }
}

#[test]
fn nothing_overlaps_at_the_ends_of_synchronized_frames_and_balls_bounce_there() {
    let mut w = synchronized(&[], G);
    let springy = w.add_material(Material { restitution: 0.5, ..Material::default() }).unwrap();
    w.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(springy)).unwrap();
    for i in 0..4 {
        w.add(cube().at([0.1 * f64::from(i), 0.8 + 1.2 * f64::from(i), 0.0])).unwrap();
    }
    let ball = w.add(Body::dynamic(Shape::sphere(0.1).unwrap()).at([5.0, 1.1, 0.0]).material(springy)).unwrap();
    let (mut before, mut height) = (0.0, None);
    for _ in 0..600 {
        w.advance(1.0 / 60.0).unwrap();
        assert!(w.penetration().unwrap() <= 1.1e-5);
        let up = w.velocity(ball).unwrap().linear.y;
        if before > 0.0 && up <= 0.0 && height.is_none() {
            height = Some(w.position(ball).unwrap().y - 0.1);
        }
        before = up;
    }
    // collisions happen up to a frame late: at 4.4 m/s a frame covers 7 cm
    let height = height.unwrap();
    assert!((height - 0.25).abs() < 0.05, "{height}");
    // and things come to rest
    assert!(w.energy().kinetic < 1e-3, "{:?}", w.energy());
}
