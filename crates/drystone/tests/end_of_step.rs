//! Contacts held at the end of a step: `position-ncp` with friction, and the
//! fixed-point iteration of velocity problems, against closed forms (B-09).

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind, WorldError};
use drystone_core::TimeReport;
use drystone_core::catalogue::Value;

const G: f64 = 9.81;
const H: f64 = 0.01;

type Settings<'a> = &'a [(&'a str, Value)];

fn choice(kind: ModuleKind, name: Option<&str>, settings: Settings<'_>) -> ModuleChoice {
    let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
    ModuleChoice { kind, name: name.map(str::to_owned), settings }
}

fn distances(gravity: Vec3, settings: Settings<'_>) -> World {
    let choice = choice(ModuleKind::ConstraintSolver, None, settings);
    World::builder().paradigm(Paradigm::POSITION_NCP).gravity(gravity).choose(choice).build().unwrap()
}

/// Velocity problems, solved exactly, that close the whole gap (`erp` 1); `control`
/// decides whether they are posed at the start or at the end of the step.
fn velocities(gravity: Vec3, control: &str) -> World {
    let whole = [
        ("stabilization", Value::Text("baumgarte".to_owned())),
        ("erp", Value::Real(1.0)),
        ("friction", Value::Text("cone".to_owned())),
        ("cone_solver", Value::Text("nonsmooth-newton".to_owned())),
        ("cone_iterations", Value::Integer(1000)),
    ];
    let builder = World::builder().paradigm(Paradigm::VELOCITY_LCP).gravity(gravity);
    let builder = builder.choose(choice(ModuleKind::TimeControl, Some(control), &[]));
    builder.choose(choice(ModuleKind::ConstraintSolver, None, &whole)).build().unwrap()
}

fn rough(world: &mut World, friction: f64) -> drystone_core::MaterialIndex {
    let m = world.add_material(Material { friction, restitution: 0.0, ..Material::default() }).unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(m)).unwrap();
    m
}

fn cube() -> Body {
    Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap())
}

fn ball() -> Body {
    Body::dynamic(Shape::sphere(0.5).unwrap())
}

fn run(world: &mut World, steps: u32) -> TimeReport {
    let mut last = TimeReport::default();
    for _ in 0..steps {
        last = world.advance(H).unwrap().calls;
    }
    last
}

/// The gravity that makes a level floor act as a slope of this tangent, going down towards a heading (rad).
fn downhill(tangent: f64, heading: f64) -> Vec3 {
    let (cos, sin) = (1.0 / (1.0 + tangent * tangent).sqrt(), tangent / (1.0 + tangent * tangent).sqrt());
    Vec3::new(sin * heading.cos(), -cos, sin * heading.sin()) * G
}

/// The displacement of a cube after 100 steps on the slope that the world's gravity stands for.
fn slides(mut world: World, friction: f64) -> Vec3 {
    let m = rough(&mut world, friction);
    let id = world.add(cube().at([0.0, 0.5, 0.0]).material(m)).unwrap();
    run(&mut world, 100);
    world.position(id).unwrap() - Vec3::Y * 0.5
}

#[test]
fn a_block_on_a_slope_slides_and_sticks_as_coulomb_says_at_any_heading() {
    for eighth in 0..8 {
        let heading = f64::from(eighth) * std::f64::consts::FRAC_PI_4 + 0.1;
        let along = Vec3::new(heading.cos(), 0.0, heading.sin());
        let down = downhill(0.5, heading);
        let worlds: [fn(Vec3) -> World; 2] = [|g| distances(g, &[]), |g| velocities(g, "fixed-point")];
        for make in worlds {
            // implicit Euler: a h^2 (1 + 2 + ... + n)
            let a = down.dot(along) - 0.3 * -down.y;
            let wanted = along * (a * H * H * 5050.0);
            let found = slides(make(down), 0.3);
            assert!((found - wanted).length() < 1e-7, "{eighth}: {found}, expected {wanted}");
            // below the angle of friction nothing moves at all
            let held = slides(make(down), 0.51);
            assert!(held.length() < 1e-9, "{eighth}: {held}");
        }
        // the control: the method as published has no friction to hold it
        let bare = slides(distances(down, &[("friction", Value::Bool(false))]), 0.51);
        assert!((bare - along * (down.dot(along) * H * H * 5050.0)).length() < 1e-7, "{eighth}: {bare}");
    }
}

#[test]
fn a_thrown_block_stops_where_it_must() {
    let mut world = distances(Vec3::NEG_Y * G, &[]);
    let m = rough(&mut world, 0.4);
    let start = Vec3::new(2.6, 0.0, 1.5);
    let id = world.add(cube().at([0.0, 0.5, 0.0]).material(m).linear_velocity(start)).unwrap();
    let report = run(&mut world, 200);
    let (mut speed, mut wanted) = (start.length(), 0.0);
    while speed > 0.0 {
        speed = (speed - 0.4 * G * H).max(0.0);
        wanted += H * speed;
    }
    let found = world.position(id).unwrap() - Vec3::Y * 0.5;
    assert!((found - start.normalize() * wanted).length() < 1e-8, "{found}, expected {wanted}");
    assert_eq!((world.velocity(id).unwrap().linear.length() < 1e-9, report.solve.fallbacks), (true, 0));
}

#[test]
fn a_ball_rolls_where_it_touches_and_neither_sinks_nor_slows() {
    let mut world = distances(Vec3::NEG_Y * G, &[]);
    let m = rough(&mut world, 0.4);
    // it slides at first, and rolls after 2 v / (7 mu g) seconds with five sevenths of its speed
    let id = world.add(ball().at([0.0, 0.5, 0.0]).material(m).linear_velocity(Vec3::X * 7.0)).unwrap();
    run(&mut world, 30);
    let sliding = world.velocity(id).unwrap();
    assert!((sliding.linear.x - (7.0 - 0.4 * G * 0.3)).abs() < 1e-8, "{sliding:?}");
    run(&mut world, 300);
    let (rolling, place) = (world.velocity(id).unwrap(), world.position(id).unwrap());
    assert!((rolling.linear.x - 5.0).abs() < 1e-8 && (rolling.angular.z + 10.0).abs() < 1e-7, "{rolling:?}");
    assert!((place.y - 0.5).abs() < 1e-9, "{place}");
    // rolling down a slope: five sevenths of the speed of sliding without friction
    let down = downhill(0.5, 0.3);
    let mut world = distances(down, &[]);
    let m = rough(&mut world, 0.4);
    let id = world.add(ball().at([0.0, 0.5, 0.0]).material(m)).unwrap();
    run(&mut world, 100);
    let wanted = down.x.hypot(down.z) * 5.0 / 7.0;
    let found = world.velocity(id).unwrap().linear.length();
    assert!((found - wanted).abs() < 1e-7, "{found}, expected {wanted}");
}

#[test]
fn friction_has_a_grain_and_arms() {
    let brake = |surface: Material, body: Body, steps: u32| {
        let mut world = distances(Vec3::NEG_Y * G, &[]);
        let rule = drystone_core::CombineRule::Multiply;
        let m = world.add_material(Material { restitution: 0.0, friction_rule: rule, ..surface }).unwrap();
        let plain = Material { friction: 1.0, restitution: 0.0, ..Material::default() };
        let plain = world.add_material(plain).unwrap();
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(plain)).unwrap();
        let id = world.add(body.material(m)).unwrap();
        run(&mut world, steps);
        world.velocity(id).unwrap()
    };
    // greatest dissipation: the force is -N (mu_x^2 v_x, mu_z^2 v_z) / |(mu_x v_x, mu_z v_z)|, with the velocity after the step
    let grain = drystone_core::Grain { direction: Vec3::X, across: 0.2 };
    let surface = Material { friction: 0.6, grain: Some(grain), ..Material::default() };
    let start = Vec3::new(1.0, 0.0, 2.0);
    let after = brake(surface, cube().at([0.0, 0.5, 0.0]).linear_velocity(start), 1).linear;
    let size = (0.6 * after.x).hypot(0.2 * after.z);
    let wanted = start - Vec3::new(0.36 * after.x, 0.0, 0.04 * after.z) * (G * H / size);
    assert!((after - wanted).length() < 1e-9, "{after}, expected {wanted}");
    // a rolling and a spinning ball: each is slowed down by its own lever arm, and not by the other's
    let rolls = ball().at([0.0, 0.5, 0.0]).linear_velocity(Vec3::X * 2.0).angular_velocity(Vec3::NEG_Z * 4.0);
    let spins = ball().at([0.0, 0.5, 0.0]).angular_velocity(Vec3::Y * 5.0);
    let [rolling, spinning] = [(0.01, 0.0), (0.0, 0.02)].map(|(rolling, spinning)| Material {
        friction: 1.0,
        rolling,
        spinning,
        ..Material::default()
    });
    let lost = 2.0 - brake(rolling, rolls.clone(), 100).linear.x;
    assert!((lost - 0.01 * G / (1.4 * 0.5)).abs() < 1e-8, "{lost}");
    let lost = 5.0 - brake(spinning, spins.clone(), 100).angular.y;
    assert!((lost - 0.02 * G / (0.4 * 0.25)).abs() < 1e-8, "{lost}");
    assert!((brake(spinning, rolls, 100).linear.x - 2.0).abs() < 1e-9);
    assert!((brake(rolling, spins, 100).angular.y - 5.0).abs() < 1e-9);
}

/// A plank tumbles over a rough floor in steps of 1/60 s: its energy never exceeds that at the start, and its corners stay out of the floor.
#[test]
fn friction_takes_energy_and_keeps_corners_out() {
    let mut world = distances(Vec3::NEG_Y * G, &[]);
    let m = rough(&mut world, 0.6);
    let plank = Body::dynamic(Shape::cuboid(0.5, 0.05, 0.3).unwrap()).at([0.0, 1.2, 0.0]).material(m);
    world.add(plank.linear_velocity([2.0, 0.0, 0.0]).angular_velocity([0.5, 0.3, 6.0])).unwrap();
    let (start, mut deepest) = (world.energy().total(), 0.0_f64);
    for step in 0..240 {
        world.advance(1.0 / 60.0).unwrap();
        let now = world.energy().total();
        assert!(now <= start * (1.0 + 1e-9), "{step}: {start} {now}");
        deepest = deepest.max(world.penetration().unwrap());
    }
    // a little is left when Newton's iteration ends at its limit
    assert!(deepest < 2e-6, "{deepest}");
    assert!(world.energy().kinetic < 1e-9, "it lies still: {:?}", world.energy());
}

#[test]
fn columns_stand_and_heaps_are_swept() {
    let mut world = distances(Vec3::NEG_Y * G, &[]);
    let m = rough(&mut world, 0.5);
    let ids: Vec<_> =
        (0..8).map(|i| world.add(cube().at([0.0, 0.5 + f64::from(i), 0.0]).material(m)).unwrap()).collect();
    let report = run(&mut world, 100);
    for (i, id) in ids.iter().enumerate() {
        assert!((world.position(*id).unwrap() - Vec3::Y * (0.5 + i as f64)).length() < 1e-7, "{i}");
    }
    assert_eq!(report.solve.fallbacks, 0);
    // if a Newton step is too much work, contacts are swept, and the report says so
    let mut world = distances(Vec3::NEG_Y * G, &[("work", Value::Real(0.0))]);
    let m = rough(&mut world, 0.5);
    let ids: Vec<_> =
        (0..8).map(|i| world.add(cube().at([0.0, 0.5 + f64::from(i), 0.0]).material(m)).unwrap()).collect();
    let report = run(&mut world, 100);
    assert!(report.solve.fallbacks > 0, "{report:?}");
    for (i, id) in ids.iter().enumerate() {
        assert!((world.position(*id).unwrap() - Vec3::Y * (0.5 + i as f64)).length() < 1e-2, "{i}");
    }
}

/// A smooth plank is released at a slant: the largest distance (m) of its lower
/// edge from the floor at the ends of steps, and how often a step was taken back.
fn edge(mut world: World) -> (f64, u64) {
    let m = rough(&mut world, 0.0);
    let (tilt, half) = (0.7_f64, Vec3::new(0.5, 0.05, 0.3));
    let height = half.x * tilt.sin() + half.y * tilt.cos();
    let plank = Body::dynamic(Shape::cuboid(half.x, half.y, half.z).unwrap()).material(m);
    let plank = world.add(plank.at([0.0, height, 0.0]).oriented(Quat::from_rotation_z(tilt))).unwrap();
    let (mut furthest, mut back) = (0.0_f64, 0);
    for _ in 0..25 {
        back += world.advance(H).unwrap().calls.rollbacks;
        let pose = world.pose(plank).unwrap();
        furthest = furthest.max(pose.point(Vec3::new(-half.x, -half.y, half.z)).y.abs());
    }
    assert!(height - world.position(plank).unwrap().y > 0.1, "it fell");
    (furthest, back)
}

#[test]
fn fixed_points_have_no_gap_at_the_ends_of_steps() {
    let down = Vec3::NEG_Y * G;
    let (gap, back) = edge(velocities(down, "fixed-point"));
    assert!(gap < 1e-9, "{gap}");
    // a few solves per step
    assert!((25..25 * 12).contains(&back), "{back}");
    assert!(edge(distances(down, &[])).0 < 1e-9);
    // the control: one solve of the same problem, posed where the step begins, leaves the edge in the air or in the floor
    for (control, least) in [("fixed", 1e-4), ("semi-implicit", 1e-6)] {
        let (gap, back) = edge(velocities(down, control));
        assert!(gap > least && back == 0, "{control}: {gap}");
    }
}

#[test]
fn a_guess_that_has_not_settled_is_told_as_not_converged() {
    let run = |iterations: i64| {
        let control =
            choice(ModuleKind::TimeControl, Some("fixed-point"), &[("iterations", Value::Integer(iterations))]);
        let builder = World::builder().paradigm(Paradigm::VELOCITY_LCP).gravity(Vec3::NEG_Y * G).choose(control);
        let mut world = builder.build().unwrap();
        let m = rough(&mut world, 0.0);
        // the edge of a tipping plank has moved by the end of each step
        let half = Vec3::new(1.0, 0.1, 0.5);
        let turned = Quat::from_rotation_z(1.2);
        let height = (turned * Vec3::new(-half.x, -half.y, 0.0)).y;
        let plank = Body::dynamic(Shape::cuboid(half.x, half.y, half.z).unwrap()).material(m);
        world.add(plank.at([0.0, -height, 0.0]).oriented(turned)).unwrap();
        let reports: Vec<_> = (0..20).map(|_| world.advance(H).unwrap()).collect();
        let unsettled: u64 = reports.iter().map(|r| r.calls.unsettled).sum();
        (unsettled, reports.iter().filter(|r| r.converged == Some(false)).count() as u64)
    };
    let (unsettled, told) = run(2);
    assert!(unsettled > 10 && told >= unsettled, "{unsettled} {told}");
    assert_eq!(run(100).0, 0, "given enough guesses it settles");
}

#[test]
fn what_does_not_fit_fixed_points_is_refused_by_name() {
    for paradigm in [Paradigm::POSITION_NCP, Paradigm::XPBD, Paradigm::AVBD, Paradigm::SUBSTEP_SOFT] {
        let control = choice(ModuleKind::TimeControl, Some("fixed-point"), &[]);
        let Err(refused) = World::builder().paradigm(paradigm).choose(control).build() else {
            panic!("{}", paradigm.name)
        };
        let WorldError::Mismatch { time_control: "fixed-point", why, .. } = refused else { panic!("{refused}") };
        assert_eq!(why, "keeps positions itself");
    }
    let mut world = velocities(Vec3::ZERO, "fixed-point");
    let id = world.add(cube()).unwrap();
    let joint = drystone_joints::JointDescription {
        anchor: Some(Vec3::ZERO),
        ..drystone_joints::JointDescription::new("ball")
    };
    let joint = drystone_joints::build(&joint, &Pose::IDENTITY, &Pose::IDENTITY).unwrap();
    world.add_joint([None, Some(id)], joint).unwrap();
    assert!(matches!(world.advance(H), Err(WorldError::Refused { module: "fixed-point", what: "joints", .. })));
}
