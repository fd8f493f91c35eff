//! Every preset with inertia against the first three closed forms that anyone would try: a blow, a bounce, a ball that slides until it rolls.

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind, WorldBuilder};

const G: f64 = 9.81;
const H: f64 = 0.01;

/// All presets with inertia except `without`.
fn presets(without: &[Paradigm]) -> impl Iterator<Item = Paradigm> {
    Paradigm::ALL.iter().copied().filter(move |p| *p != Paradigm::FIRST_ORDER && !without.contains(p))
}

/// A world with a floor and a ball of radius 0.5 m at each place; all surfaces have the same material.
fn balls(builder: WorldBuilder, friction: f64, restitution: f64, places: &[Vec3]) -> (World, Vec<BodyId>) {
    let mut world = builder.build().unwrap();
    let surface = world.add_material(Material { friction, restitution, ..Material::default() }).unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(surface)).unwrap();
    let ball = Body::dynamic(Shape::sphere(0.5).unwrap()).mass(2.0).material(surface);
    let balls = places.iter().map(|at| world.add(ball.clone().at(*at)).unwrap()).collect();
    (world, balls)
}

/// A ball at 4 m/s hits an equal one at rest: it keeps (1 - e) / 2 of its speed, and the other one gets the rest.
#[test]
fn a_blow_is_shared_by_newtons_law() {
    // springs and soft contacts have a restitution of their own
    for paradigm in presets(&[Paradigm::PENALTY, Paradigm::POSITION_NCP]) {
        for e in [0.0, 0.5, 1.0] {
            let places = [Vec3::new(-2.0, 0.5, 0.0), Vec3::new(0.0, 0.5, 0.0)];
            let (mut world, balls) = balls(World::builder().paradigm(paradigm), 0.0, e, &places);
            world.set_velocity(balls[0], Twist::new(Vec3::X * 4.0, Vec3::ZERO)).unwrap();
            for _ in 0..60 {
                world.advance(H).unwrap();
            }
            let [a, b] = [0, 1].map(|i| world.velocity(balls[i]).unwrap().linear.x);
            let off = (a - 2.0 * (1.0 - e)).abs().max((b - 2.0 * (1.0 + e)).abs());
            assert!(off < 0.02, "{} at e = {e}: {a} and {b} m/s", paradigm.name);
            assert!((a + b - 4.0).abs() < 1e-9, "{}: momentum {}", paradigm.name, a + b);
        }
    }
}

/// The relative error of a ball's final velocities, which should be those of
/// rolling at 5 v / 7 if it slides at first, or at v if it rolls from the start.
fn off_rolling(builder: WorldBuilder, speed: f64, rolls: bool) -> f64 {
    let (mut world, balls) = balls(builder, 0.4, 0.0, &[Vec3::Y * 0.5]);
    let spin = if rolls { -2.0 * speed } else { 0.0 };
    world.set_velocity(balls[0], Twist::new(Vec3::X * speed, Vec3::Z * spin)).unwrap();
    for _ in 0..200 {
        world.advance(H).unwrap();
    }
    let Twist { linear, angular } = world.velocity(balls[0]).unwrap();
    let expected = if rolls { speed } else { speed * 5.0 / 7.0 };
    (linear.x / expected - 1.0).abs().max((angular.z * 0.5 / expected + 1.0).abs())
}

/// A ball that slides at v without turning ends up rolling at 5 v / 7, whatever the friction; one that rolls from the start keeps its speed.
#[test]
fn a_ball_that_slides_ends_up_rolling() {
    for paradigm in presets(&[Paradigm::ACCELERATION_LP, Paradigm::POSITION_NCP]) {
        // `impulse` lets it roll in small hops
        let bound = if paradigm == Paradigm::IMPULSE { 0.03 } else { 0.002 };
        for speed in [1.0, 2.5, 3.5, 6.0] {
            for rolls in [false, true] {
                let off = off_rolling(World::builder().paradigm(paradigm), speed, rolls);
                assert!(off < bound, "{} at {speed} m/s, rolls {rolls}: off by {off}", paradigm.name);
            }
        }
    }
    for control in ["fixed", "semi-implicit", "leapfrog", "retroactive", "impulse-split", "runge-kutta", "timewarp"] {
        let choice =
            ModuleChoice { kind: ModuleKind::TimeControl, name: Some(control.to_owned()), settings: Vec::new() };
        for rolls in [false, true] {
            let builder = World::builder().paradigm(Paradigm::VELOCITY_LCP).choose(choice.clone());
            let off = off_rolling(builder, 2.5, rolls);
            assert!(off < 0.002, "{control}, rolls {rolls}: off by {off}");
        }
    }
}

/// After a fall of 1 m the first two bounces are e^2 and e^4 metres high.
#[test]
fn a_ball_bounces_as_high_as_it_should() {
    for paradigm in presets(&[Paradigm::POSITION_NCP]) {
        let (mut world, balls) = balls(World::builder().paradigm(paradigm), 0.0, 0.8, &[Vec3::Y * 1.5]);
        let mut heights = Vec::new();
        let (mut rising, mut last) = (false, 1.5);
        for _ in 0..220 {
            world.advance(H).unwrap();
            let y = world.position(balls[0]).unwrap().y;
            if rising && y <= last {
                heights.push(last - 0.5);
            }
            (rising, last) = (y > last, y);
        }
        // an impact that is found only after an overlap, or at the end of a step, is late by up to the way fallen in a step
        let late = 2.0 * H * (2.0 * G).sqrt();
        for (i, wanted) in [0.64, 0.4096].into_iter().enumerate() {
            let found = heights.get(i).copied().unwrap_or(0.0);
            assert!((found - wanted).abs() < late, "{}: {found} m for {wanted} m", paradigm.name);
        }
    }
}

/// Two spinning boxes collide off centre in free space: momentum is kept, and no energy
/// is gained. A method that uses the wrong inertia for a rotated body breaks these laws.
#[test]
fn turned_boxes_that_meet_keep_momentum_and_gain_no_energy() {
    for paradigm in presets(&[]) {
        for (e, mu) in [(0.0, 0.0), (0.5, 0.3)] {
            let restitution = if paradigm == Paradigm::POSITION_NCP { 0.0 } else { e };
            let friction = if paradigm == Paradigm::ACCELERATION_LP { 0.0 } else { mu };
            let mut world = World::builder().paradigm(paradigm).gravity(Vec3::ZERO).build().unwrap();
            let surface = world.add_material(Material { friction, restitution, ..Material::default() }).unwrap();
            let cuboid = |half: [f64; 3]| {
                let shape = Shape::cuboid(half[0], half[1], half[2]).unwrap();
                Body::dynamic(shape).density(1000.0).material(surface)
            };
            let thrown = Twist::new(Vec3::X * 3.0, Vec3::new(0.0, 1.0, 2.0));
            let a = world.add(cuboid([0.5, 0.2, 0.3]).at([-2.0, 0.0, 0.0])).unwrap();
            world.set_velocity(a, thrown).unwrap();
            world.add(cuboid([0.3, 0.5, 0.3]).at([0.0, 0.3, 0.1])).unwrap();
            let [before, energy] = [world.momentum().linear.x, world.energy().kinetic];
            for _ in 0..100 {
                world.advance(H).unwrap();
            }
            let name = paradigm.name;
            let off = (world.momentum().linear - Vec3::X * before).length() / before;
            // a solver that goes body by body keeps momentum only as well as its sweeps have converged
            let bound = if paradigm == Paradigm::AVBD { 2e-3 } else { 1e-9 };
            assert!(off < bound, "{name}, e = {e}: momentum off by {off}");
            let left = world.energy().kinetic / energy;
            assert!(left < 1.0 + 1e-9 && left > 0.45, "{name}, e = {e}, mu = {mu}: {left} of the energy is left");
        }
    }
}

/// The velocity (x, y, about z) of a unit mass of inertia `inertia` after a plastic impact of a point at `arm` on a rough floor: it sticks
/// if friction suffices for that, else slides.
fn after_landing(v: [f64; 3], arm: Vec3, inertia: f64, mu: f64) -> [f64; 3] {
    let (nn, tt, nt) = (1.0 + arm.x * arm.x / inertia, 1.0 + arm.y * arm.y / inertia, -arm.x * arm.y / inertia);
    let (un, ut) = (v[1] + v[2] * arm.x, v[0] - v[2] * arm.y);
    let moved = |n: f64, t: f64| [v[0] + t, v[1] + n, v[2] + (arm.x * n - arm.y * t) / inertia];
    if un >= 0.0 {
        return v;
    }
    let det = nn * tt - nt * nt;
    let [n, t] = [(nt * ut - tt * un) / det, (nt * un - nn * ut) / det];
    if n >= 0.0 && t.abs() <= mu * n {
        return moved(n, t);
    }
    let slides = |s: f64| {
        let n = -un / (nn + s * mu * nt);
        (n >= 0.0 && (ut + (nt + s * mu * tt) * n) * s <= 1e-12).then(|| moved(n, s * mu * n))
    };
    slides(1.0).or_else(|| slides(-1.0)).expect("sticks or slides")
}

/// A rotated box lands on an edge, at various speeds and spins: normal impulse and friction depend on each other and have to be consistent.
#[test]
fn an_edge_that_lands_sticks_or_slides_by_coulombs_law() {
    let exact = [Paradigm::REAL_TIME, Paradigm::ACCELERATION_LCP, Paradigm::COLLISION_SYNCHRONIZATION];
    let near = [(Paradigm::MECHANISM, 0.05), (Paradigm::AVBD, 0.02)];
    let half = Vec3::new(0.5, 0.2, 0.1);
    let inertia = (half.x * half.x + half.y * half.y) / 3.0;
    for (paradigm, bound) in exact.map(|p| (p, 1e-6)).into_iter().chain(near) {
        let mut slid = 0;
        for degrees in [10.0_f64, 30.0, 60.0, 80.0, -35.0] {
            let turned = Quat::from_rotation_z(degrees.to_radians());
            let corners = [-1.0, 1.0].map(|x| [-1.0, 1.0].map(|y| turned * Vec3::new(x * half.x, y * half.y, 0.0)));
            let arm = *corners.as_flattened().iter().min_by(|a, b| a.y.total_cmp(&b.y)).unwrap();
            for (speed, spin, mu) in
                [(0.0, 0.0, 0.2), (4.0, 3.0, 0.6), (-3.0, -3.0, 0.6), (1.0, -3.0, 0.2), (4.0, 0.0, 0.6)]
            {
                let before = [speed, -2.0, spin];
                let gravity = Vec3::Y * -1e-6;
                let mut world = World::builder().paradigm(paradigm).gravity(gravity).build().unwrap();
                let rough = Material { friction: mu, restitution: 0.0, ..Material::default() };
                let surface = world.add_material(rough).unwrap();
                world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(surface)).unwrap();
                let cuboid = Body::dynamic(Shape::cuboid(half.x, half.y, half.z).unwrap()).mass(1.0).material(surface);
                let body = world.add(cuboid.at(Vec3::Y * -arm.y).oriented(turned)).unwrap();
                world.set_velocity(body, Twist::new(Vec3::new(speed, -2.0, 0.0), Vec3::Z * spin)).unwrap();
                world.advance(1e-3).unwrap();
                let Twist { linear, angular } = world.velocity(body).unwrap();
                let found = [linear.x, linear.y, angular.z];
                let wanted = after_landing(before, arm, inertia, mu);
                let off = (0..3).map(|i| (found[i] - wanted[i]).abs()).fold(0.0, f64::max);
                let name = paradigm.name;
                assert!(off < bound, "{name}, {degrees} degrees, {before:?}, mu = {mu}: {found:?} for {wanted:?}");
                let slip = wanted[0] - wanted[2] * arm.y;
                slid += u32::from(slip.abs() > 1e-3);
            }
        }
        assert!(slid > 3, "{slid} of 25 slide");
    }
}
