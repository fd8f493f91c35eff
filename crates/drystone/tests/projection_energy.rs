//! How projection changes potential energy: accounted for along the three ways of thesis Figure 4.20 out of a wall, a floor and a slope, and paid
//! for by motion (P-08).

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};
use drystone_core::catalogue::Value;
use drystone_core::{Energy, Momentum};

const G: f64 = 9.81;
const MASS: f64 = 3.0;
const DEPTH: f64 = 0.05;

/// A cube `DEPTH` deep in a plane that faces `normal`. Returns the energy (J) that projections put in over some steps, and how far it moved along
/// the normal (m).
fn projected(normal: Vec3, stabilization: &str, gravity_scale: f64, steps: usize) -> (f64, f64) {
    let settings = vec![
        ("stabilization".to_owned(), Value::Text(stabilization.to_owned())),
        ("correction_iterations".to_owned(), Value::Integer(200)),
    ];
    let choice = ModuleChoice { kind: ModuleKind::ConstraintSolver, name: None, settings };
    let mut world = World::builder().paradigm(Paradigm::VELOCITY_LCP).choose(choice).build().unwrap();
    let m = world.add_material(Material { friction: 0.0, restitution: 0.0, ..Material::default() }).unwrap();
    world.add(Body::fixed(Shape::plane(normal, 0.0).unwrap()).material(m)).unwrap();
    let turned = Quat::from_rotation_arc(Vec3::Y, normal);
    let cube = Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).mass(MASS).material(m).gravity_scale(gravity_scale);
    let cube = world.add(cube.at(normal * (0.5 - DEPTH)).oriented(turned)).unwrap();
    let mut sum = 0.0;
    for _ in 0..steps {
        sum += world.advance(1e-6).unwrap().calls.correction.lifted;
    }
    (sum, world.position(cube).unwrap().dot(normal) - (0.5 - DEPTH))
}

#[test]
fn the_energy_of_projection_is_that_of_its_way() {
    // L-08
    let slope = Vec3::new(0.6, 0.8, 0.0);
    for (normal, height) in [(Vec3::Y, 1.0), (slope, 0.8), (Vec3::X, 0.0)] {
        let (sum, way) = projected(normal, "projection", 1.0, 20);
        assert!(way > 0.9 * DEPTH, "{normal}: {way}");
        // up to the fall during 20 steps of a microsecond
        assert!((sum - MASS * G * way * height).abs() < 1e-6, "{normal}: {sum} J over {way} m");
    }
    // controls: without projection no energy is put in, and a weightless cube takes none
    assert_eq!(projected(Vec3::Y, "none", 1.0, 20).0, 0.0);
    let (sum, way) = projected(Vec3::Y, "projection", 0.0, 20);
    assert!(sum == 0.0 && way > 0.9 * DEPTH, "{sum} {way}");
}

/// Projection that takes errors out of contacts completely within a step.
fn projecting(keep_energy: bool) -> ModuleChoice {
    paying(keep_energy, false)
}

fn paying(keep_energy: bool, in_full: bool) -> ModuleChoice {
    let settings = vec![
        ("keep_energy".to_owned(), Value::Bool(keep_energy)),
        ("pay_in_full".to_owned(), Value::Bool(in_full)),
        ("correction_iterations".to_owned(), Value::Integer(200)),
    ];
    ModuleChoice { kind: ModuleKind::ConstraintSolver, name: None, settings }
}

/// A cube moves at `speed` out of a plane facing `normal` in which it starts, and at 1 m/s along it. Returns its speed along the normal once it is
/// out (m/s), and its gain of energy (J).
fn leaving(normal: Vec3, speed: f64, keep_energy: bool) -> (f64, f64) {
    let mut world = World::builder().paradigm(Paradigm::VELOCITY_LCP).choose(projecting(keep_energy)).build().unwrap();
    let m = world.add_material(Material { friction: 0.0, restitution: 0.0, ..Material::default() }).unwrap();
    world.add(Body::fixed(Shape::plane(normal, 0.0).unwrap()).material(m)).unwrap();
    let turned = Quat::from_rotation_arc(Vec3::Y, normal);
    let cube = Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).mass(MASS).material(m);
    let cube = cube.at(normal * (0.5 - DEPTH)).oriented(turned).linear_velocity(normal * speed + Vec3::Z);
    let cube = world.add(cube).unwrap();
    let before = Energy::of(world.configuration(), world.state()).total();
    for _ in 0..20 {
        world.advance(1e-6).unwrap();
    }
    assert!(world.position(cube).unwrap().dot(normal) > 0.5 - 2e-6, "{normal}: it is out");
    let after = Energy::of(world.configuration(), world.state()).total();
    (world.velocity(cube).unwrap().linear.dot(normal), after - before)
}

#[test]
fn motion_pays_for_what_projection_lifts() {
    let slope = Vec3::new(0.6, 0.8, 0.0);
    for normal in [Vec3::Y, slope, Vec3::X, -slope, -Vec3::Y] {
        let (speed, gained) = leaving(normal, 2.0, true);
        // the speed left after a ballistic ascent over the same distance
        let closed_form = (4.0 - 2.0 * G * normal.y * DEPTH).sqrt();
        assert!((speed - closed_form).abs() < 1e-3, "{normal}: {speed} m/s, not {closed_form}");
        // up to half a step of gravity's work, 3e-5 J
        assert!(gained.abs() < 2e-4, "{normal}: {gained} J");
        // negative control: the speed is unchanged, and the energy grows
        let (speed, gained) = leaving(normal, 2.0, false);
        assert!((speed - 2.0).abs() < 1e-3, "{normal}: {speed} m/s");
        assert!((gained - MASS * G * normal.y * DEPTH).abs() < 2e-4, "{normal}: {gained} J");
    }
    // a slow cube has 0.24 J of the 1.47 J to pay with: all of that is used, and the rest is still put in
    let (speed, gained) = leaving(Vec3::Y, 0.4, true);
    assert!(speed.abs() < 1e-3, "{speed} m/s");
    assert!((gained - (MASS * G * DEPTH - 0.5 * MASS * 0.16)).abs() < 2e-3, "{gained} J");
}

/// A cube 5 cm deep in the floor rises at `speed`. Returns how far it gets (m), its speed then (m/s), and its total gain of energy (J).
fn rising(speed: f64, in_full: bool) -> (f64, f64, f64) {
    let choice = paying(true, in_full);
    let mut world = World::builder().paradigm(Paradigm::VELOCITY_LCP).choose(choice).build().unwrap();
    let m = world.add_material(Material { friction: 0.0, restitution: 0.0, ..Material::default() }).unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(m)).unwrap();
    let cube = Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).mass(MASS).material(m);
    let cube = world.add(cube.at([0.0, 0.5 - DEPTH, 0.0]).linear_velocity([0.3, speed, 0.0])).unwrap();
    let before = Energy::of(world.configuration(), world.state()).total();
    let mut lifted = 0.0;
    for _ in 0..50 {
        lifted += world.advance(1e-6).unwrap().calls.correction.lifted;
    }
    let after = Energy::of(world.configuration(), world.state()).total();
    let (way, left) = (world.position(cube).unwrap().y - 0.5 + DEPTH, world.velocity(cube).unwrap().linear.y);
    assert!(lifted <= MASS * G * DEPTH + 1e-9);
    (way, left, after - before)
}

#[test]
fn paid_in_full_no_projection_puts_energy_in() {
    // at rest there is nothing to pay with, so the cube stays where it is: taken out of the floor it would have 1.47 J more
    let (way, _, gained) = rising(0.0, true);
    assert!(way.abs() < 1e-9 && gained.abs() < 1e-9, "{way} m, {gained} J");
    // at 0.4 m/s it rises as far as a throw would, v^2 / 2 g = 8 mm, and stops there
    let (way, left, gained) = rising(0.4, true);
    assert!((way - 0.16 / (2.0 * G)).abs() < 2e-5 && left.abs() < 1e-3, "{way} m, {left} m/s");
    assert!(gained.abs() < 2e-4, "{gained} J");
    // at 2 m/s it can pay for everything
    let (way, left, gained) = rising(2.0, true);
    assert!(way > DEPTH - 2e-6 && (left - (4.0 - 2.0 * G * DEPTH).sqrt()).abs() < 1e-3, "{way} m, {left} m/s");
    assert!(gained.abs() < 2e-4, "{gained} J");
    // negative control: if it pays only what it can, it comes out, and the energy grows by the unpaid rest
    for (speed, unpaid) in [(0.0, MASS * G * DEPTH), (0.4, MASS * (G * DEPTH - 0.08))] {
        let (way, _, gained) = rising(speed, false);
        assert!(way > DEPTH - 2e-6 && (gained - unpaid).abs() < 2e-3, "{way} m, {gained} J");
    }
}

/// An overlapping rod and cube, the rod weightless and hit off-centre. Returns their momentum, the gain of energy and the energy lifted by a
/// projection of their overlap.
fn parting(keep_energy: bool) -> (Momentum, f64, f64) {
    let mut world = World::builder().paradigm(Paradigm::VELOCITY_LCP).choose(projecting(keep_energy)).build().unwrap();
    let cube = Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).mass(MASS).linear_velocity([0.2, 1.5, 0.0]);
    world.add(cube).unwrap();
    let rod = Body::dynamic(Shape::cuboid(1.5, 0.1, 0.2).unwrap()).mass(0.5).gravity_scale(0.0);
    world.add(rod.at([1.2, -0.6 + 0.04, 0.0]).angular_velocity([0.0, 0.0, -0.5])).unwrap();
    let before = Energy::of(world.configuration(), world.state()).total();
    let report = world.advance(1e-7).unwrap();
    let after = Energy::of(world.configuration(), world.state()).total();
    let correction = report.calls.correction;
    assert!(!keep_energy || (correction.paid - correction.lifted).abs() < 1e-12);
    (Momentum::of(world.configuration(), world.state()), after - before, correction.lifted)
}

#[test]
fn what_pays_keeps_momentum() {
    let ((kept, gained, lifted), (free, put_in, _)) = (parting(true), parting(false));
    assert!(lifted > 0.02, "{lifted} J");
    assert!(gained.abs() < 1e-4 && (put_in - lifted).abs() < 1e-4, "{gained} J beside {put_in} J");
    // gravity acts alike on both over the step; angular momentum is about the origin, at equal positions
    assert!((kept.linear - free.linear).length() < 1e-12, "{kept:?} {free:?}");
    assert!((kept.angular - free.angular).length() < 1e-9, "{kept:?} {free:?}");
}
