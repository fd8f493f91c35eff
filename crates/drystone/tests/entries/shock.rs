//! Shock propagation on small scenes: which bodies are held while a layer is processed, what the weight f does, and what a step costs (L-11, L-17,
//! L-19, L-25, L-26, L-28).

use drystone::prelude::*;
use drystone::{Budget, ModuleChoice, ModuleKind, Pacer};
use drystone_core::catalogue::Value;
use drystone_testkit::Random;

const H: f64 = 0.01;

fn set(kind: ModuleKind, name: Option<&str>, settings: &[(&str, Value)]) -> ModuleChoice {
    let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
    ModuleChoice { kind, name: name.map(str::to_owned), settings }
}

/// The text's scheme at weight f, in the velocity-based preset.
fn shock(f: f64) -> ModuleChoice {
    set(ModuleKind::TimeControl, Some("shock-propagation"), &[("weight", Value::Real(f))])
}

fn world(gravity: Vec3, choices: Vec<ModuleChoice>) -> World {
    let builder = World::builder().paradigm(Paradigm::VELOCITY_LCP).gravity(gravity);
    choices.into_iter().fold(builder, drystone::WorldBuilder::choose).build().unwrap()
}

fn cube(at: [f64; 3]) -> Body {
    Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).mass(10.0).at(at)
}

#[test]
fn what_is_below_a_layer_does_not_move_while_it_is_processed() {
    // L-11: two boxes without gravity, the upper one 2 cm deep in the lower
    let run = |choices: Vec<ModuleChoice>| {
        let mut world = world(Vec3::ZERO, choices);
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
        let [lower, upper] = [0.5, 1.48].map(|y| world.add(cube([0.0, y, 0.0])).unwrap());
        let before = world.pose(lower).unwrap();
        world.advance(H).unwrap();
        (world.pose(lower).unwrap() == before, world.position(upper).unwrap().y)
    };
    let (held, up) = run(vec![shock(0.0)]);
    assert!(held && (up - 1.5).abs() < 1e-5, "{up}");
    // the control: solved together and away from the ground, each box moves by half of the 2 cm
    let mut world = world(Vec3::ZERO, Vec::new());
    let [lower, upper] = [0.5, 1.48].map(|y| world.add(cube([0.0, y, 0.0])).unwrap());
    world.advance(H).unwrap();
    let [a, b] = [lower, upper].map(|body| world.position(body).unwrap().y);
    assert!((a - 0.49).abs() < 1e-5 && (b - 1.49).abs() < 1e-5, "{a} {b}");
}

/// A box slides over a floor and hits another one. Returns the positions of both after half a second.
fn slide(choices: Vec<ModuleChoice>) -> [Vec3; 2] {
    let direct = set(ModuleKind::Lcp, Some("sparse-principal-pivoting"), &[]);
    let mut world = world(Vec3::NEG_Y * 9.81, [vec![direct], choices].concat());
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    let boxes = [world.add(cube([0.0, 0.5, 0.0]).linear_velocity([3.0, 0.0, 0.0])), world.add(cube([1.3, 0.5, 0.0]))];
    for _ in 0..50 {
        world.advance(H).unwrap();
    }
    boxes.map(|b| world.position(b.unwrap()).unwrap())
}

#[test]
fn with_all_the_weight_it_is_plain_dynamics() {
    // L-17: at f = 1 plain dynamics takes the whole step and leaves nothing to the layers
    let (all, plain) = (slide(vec![shock(1.0)]), slide(Vec::new()));
    let off = all.iter().zip(plain).map(|(a, b)| a.distance(b)).fold(0.0, f64::max);
    assert!(off < 1e-4, "{off}");
    let none = slide(vec![shock(0.0)]);
    assert!(none.iter().all(|p| (p.y - 0.5).abs() < 1e-3) && none[1].x > 1.3, "{none:?}");
}

/// How far (m) the heavy side of a see-saw, released level, comes down in a quarter of a second at weight f.
fn see_saw(f: f64) -> f64 {
    let mut world = world(Vec3::NEG_Y * 9.81, vec![shock(f)]);
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    let wedge = Body::fixed(Shape::cylinder(0.5, 0.5).unwrap());
    world.add(wedge.at([0.0, 0.5, 0.0]).oriented(Quat::from_rotation_x(core::f64::consts::FRAC_PI_2))).unwrap();
    let plank = Body::dynamic(Shape::cuboid(2.0, 0.05, 0.4).unwrap()).mass(10.0);
    world.add(plank.at([0.0, 1.05, 0.0])).unwrap();
    let light = Body::dynamic(Shape::cuboid(0.2, 0.2, 0.2).unwrap()).mass(1.0);
    world.add(light.at([-1.6, 1.3, 0.0])).unwrap();
    let heavy = Body::dynamic(Shape::cuboid(0.2, 0.2, 0.2).unwrap()).mass(100.0);
    let heavy = world.add(heavy.at([1.6, 1.3, 0.0])).unwrap();
    for _ in 0..25 {
        world.advance(H).unwrap();
    }
    1.3 - world.position(heavy).unwrap().y
}

#[test]
fn weight_is_felt_as_far_as_f_lets_it() {
    // L-19
    let [none, some, more, all] = [0.0, 0.01, 0.1, 1.0].map(see_saw);
    assert!(none < 0.02 * all && all > 0.05, "at f = 0 the plank hardly feels what lies on it: {none} of {all}");
    assert!(none < some && some < more && more < all, "{none} {some} {more} {all}");
}

#[test]
fn the_budget_of_iterations_is_kept() {
    // L-25: the text's limits are ten iterations in the dynamics and five in the correction; the preset takes twenty, for the reason given there
    for (preset, most, choices) in [
        (Paradigm::LOAD_PROPAGATION, 20, Vec::new()),
        (Paradigm::SHOCK_PROPAGATION, 20, Vec::new()),
        (
            Paradigm::VELOCITY_LCP,
            10,
            vec![shock(0.01), set(ModuleKind::ConstraintSolver, None, &[("correction_iterations", Value::Integer(5))])],
        ),
    ] {
        let builder = World::builder().paradigm(preset);
        let mut world = choices.into_iter().fold(builder, drystone::WorldBuilder::choose).build().unwrap();
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
        for k in 0..6 {
            world.add(cube([0.02 * f64::from(k), 0.48 + 0.97 * f64::from(k), 0.0])).unwrap();
        }
        let mut corrected = 0;
        for _ in 0..20 {
            let r = world.advance(H).unwrap();
            assert!(r.lcp.iterations <= most * r.lcp.solves, "{}: {:?}", preset.name, r.lcp);
            let c = r.calls.correction.lcp;
            assert!(c.iterations <= 5 * c.solves, "{}: {c:?}", preset.name);
            corrected += c.solves;
        }
        // `shock-propagation` corrects layer by layer within the sweep, and these corrections count as solves
        assert!(corrected > 0 || preset != Paradigm::LOAD_PROPAGATION, "the boxes overlap");
    }
}

/// The way (m) of the cubes of a random column in two seconds, with nobody asleep: 6 to 14 of them, each 1 to 100 times as heavy as the lightest, turned and off by up to 3 %.
fn column(random: &mut Random, time_control: Option<&str>) -> f64 {
    let never = set(ModuleKind::SleepPolicy, Some("never"), &[]);
    let builder = World::builder().paradigm(Paradigm::SHOCK_PROPAGATION).choose(never);
    let control = time_control.map(|name| set(ModuleKind::TimeControl, Some(name), &[]));
    let mut world = control.into_iter().fold(builder, drystone::WorldBuilder::choose).build().unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    let places: Vec<_> = (0..6 + random.below(9))
        .map(|k| {
            let at = Vec3::new(random.range(-0.03, 0.03), 0.5 + k as f64, random.range(-0.03, 0.03));
            let body = cube(at.to_array()).mass(10.0_f64.powf(random.range(0.0, 2.0)));
            (world.add(body.oriented(Quat::from_rotation_y(random.range(-0.4, 0.4)))).unwrap(), at)
        })
        .collect();
    for _ in 0..120 {
        world.advance(1.0 / 60.0).unwrap();
    }
    places.iter().map(|(body, at)| world.position(*body).unwrap().distance(*at)).fold(0.0, f64::max)
}

#[test]
fn the_preset_holds_columns_that_as_many_sweeps_do_not() {
    let moved = |control| {
        let mut random = Random::new(40);
        (0..4).map(|_| column(&mut random, control)).fold(0.0, f64::max)
    };
    let [layers, together] = [None, Some("fixed")].map(moved);
    println!("columns move by {layers:.1e} m at most, solved at once by {together:.1e} m");
    assert!(layers < 5e-3, "{layers} m");
    assert!(together > 10.0 * layers, "{together} m without layers");
}

/// Contacts and operations per step of a wall of this many bricks per row, five rows high, in which nothing sleeps.
fn wall(length: u32) -> (f64, f64) {
    let never = set(ModuleKind::SleepPolicy, Some("never"), &[]);
    let mut world = World::builder().paradigm(Paradigm::LOAD_PROPAGATION).choose(never).build().unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    for row in 0..5 {
        for k in 0..length {
            let brick = Body::dynamic(Shape::cuboid(0.5, 0.25, 0.25).unwrap());
            let x = 1.01 * f64::from(k) + if row % 2 == 1 { 0.5 } else { 0.0 };
            world.add(brick.at([x, 0.25 + 0.5 * f64::from(row), 0.0])).unwrap();
        }
    }
    let mut pacer = Pacer::new(Budget::Operations(f64::INFINITY), 1);
    let frames: Vec<_> = (0..5).map(|_| pacer.advance(&mut world, H).unwrap()).collect();
    let last = frames.last().unwrap();
    (last.last.contacts as f64, frames.iter().map(|f| f.cost).sum::<f64>() / 5.0)
}

#[test]
fn a_step_costs_in_proportion_to_its_contacts() {
    // L-26; measured as time by `cargo xtask experiments contact-cost`
    let found: Vec<(f64, f64)> = [4, 8, 12, 16, 24, 32].map(wall).to_vec();
    let n = found.len() as f64;
    let mean = |f: fn(&(f64, f64)) -> f64| found.iter().map(f).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let (xx, xy, yy) = found.iter().fold((0.0, 0.0, 0.0), |(a, b, c), p| {
        (a + (p.0 - x).powi(2), b + (p.0 - x) * (p.1 - y), c + (p.1 - y).powi(2))
    });
    let r_squared = xy * xy / (xx * yy);
    assert!(r_squared > 0.95, "R^2 = {r_squared}: {found:?}");
    // proportional, not only linear: eight times the contacts cost at most ten times as much
    let each = |p: &(f64, f64)| p.1 / p.0;
    assert!(each(&found[5]) < 1.25 * each(&found[0]), "{found:?}");
}

#[test]
fn groups_that_float_do_not_know_of_layers() {
    // L-28: two boxes collide off-centre in free space
    let run = |choices: Vec<ModuleChoice>| {
        let mut world = world(Vec3::ZERO, choices);
        let a = world.add(cube([0.0; 3]).linear_velocity([2.0, 0.0, 0.0])).unwrap();
        let b = world.add(cube([1.3, 0.4, 0.2]).oriented(Quat::from_rotation_y(0.5))).unwrap();
        for _ in 0..60 {
            world.advance(H).unwrap();
        }
        [a, b].map(|body| (world.pose(body).unwrap(), world.velocity(body).unwrap()))
    };
    let plain = run(Vec::new());
    for f in [0.0, 1.0] {
        let shocked = run(vec![shock(f)]);
        for ((p, v), (q, w)) in shocked.iter().zip(&plain) {
            let off = (p.position - q.position).length().max((v.linear - w.linear).length());
            assert!(off < 1e-9 && (v.angular - w.angular).length() < 1e-9, "f = {f}: {off}");
        }
    }
    assert!(plain[1].1.linear.length() > 0.5, "they met");
}

#[test]
fn who_solves_no_impacts_is_refused_where_the_scheme_asks_for_them() {
    for preset in [Paradigm::SUBSTEP_SOFT, Paradigm::XPBD, Paradigm::AVBD] {
        for (f, fits) in [(0.0, false), (0.01, true), (1.0, false)] {
            let built = World::builder().paradigm(preset).choose(shock(f)).build();
            match built {
                Ok(_) => assert!(fits, "{} at f = {f}", preset.name),
                Err(e) => assert!(!fits && matches!(e, WorldError::Levels { .. }), "{} at f = {f}: {e}", preset.name),
            }
        }
    }
}
