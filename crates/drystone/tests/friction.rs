//! Friction against closed forms: the cone, a grain, rolling, spinning, and rules that combine two surfaces.

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};
use drystone_core::catalogue::Value;
use drystone_core::{CombineRule, Grain};
use drystone_testkit::Random;

const G: f64 = 9.81;
const H: f64 = 1.0 / 240.0;

/// A plane with a neutral surface (a factor of 1 in the product of both), and a body that moves on it.
fn world(model: &str, surface: Material, body: Body) -> (World, BodyId) {
    let settings = vec![("friction".to_owned(), Value::Text(model.into()))];
    let choice = ModuleChoice { kind: ModuleKind::ConstraintSolver, name: None, settings };
    let sweeps = vec![("iterations".to_owned(), Value::Integer(200))];
    let sweeps = ModuleChoice { kind: ModuleKind::Lcp, name: None, settings: sweeps };
    let mut world = World::builder().paradigm(Paradigm::VELOCITY_LCP).choose(choice).choose(sweeps).build().unwrap();
    let plain = world.add_material(Material { friction: 1.0, restitution: 0.0, ..Material::default() }).unwrap();
    let surface =
        world.add_material(Material { friction_rule: CombineRule::Multiply, restitution: 0.0, ..surface }).unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(plain)).unwrap();
    let body = world.add(body.material(surface)).unwrap();
    (world, body)
}

fn block(velocity: Vec3) -> Body {
    Body::dynamic(Shape::cuboid(0.5, 0.05, 0.5).unwrap()).at([0.0, 0.05, 0.0]).linear_velocity(velocity)
}

fn run(world: &mut World, steps: usize) {
    for _ in 0..steps {
        world.advance(H).unwrap();
    }
}

#[test]
fn a_block_is_braked_alike_in_all_directions() {
    // for the box too, because its tangents follow the slip
    let surface = Material { friction: 0.5, ..Material::default() };
    for model in ["disc", "cone", "scaled-box"] {
        for degrees in [0.0_f64, 20.0, 45.0, 70.0, 130.0] {
            let (sine, cosine) = degrees.to_radians().sin_cos();
            let start = Vec3::new(2.0 * cosine, 0.0, 2.0 * sine);
            let (mut world, body) = self::world(model, surface, block(start));
            run(&mut world, 60);
            let v = world.velocity(body).unwrap().linear;
            let expected = start * (1.0 - 0.5 * G * 0.25 / 2.0);
            assert!((v - expected).length() < 1e-6, "{model}, {degrees} degrees: {v} against {expected}");
        }
    }
}

#[test]
fn thrown_on_a_slope_it_converges_at_order_one_at_any_heading() {
    let (mu, time) = (0.2, 0.5_f64);
    let (sine, cosine) = 20.0_f64.to_radians().sin_cos();
    let surface = Material { friction: mu, ..Material::default() };
    for k in 0..8 {
        let heading = core::f64::consts::FRAC_PI_4 * f64::from(k) + 0.1;
        let start = Vec3::new(heading.cos(), 0.0, heading.sin()) * 2.0;
        // the reference: a sliding point by the midpoint rule, at steps that leave 1e-8 m
        let (mut x, mut v, h) = (Vec3::ZERO, start, 1e-4_f64);
        let pull = |v: Vec3| Vec3::X * (G * sine) - v.normalize() * (mu * G * cosine);
        for _ in 0..(time / h).round() as usize {
            let middle = v + pull(v) * (0.5 * h);
            x += middle * h;
            v += pull(middle) * h;
        }
        let error = |steps: u32| {
            let (mut world, body) = self::world("disc", surface, block(start));
            world.set_gravity(Vec3::new(sine, -cosine, 0.0) * G).unwrap();
            for _ in 0..steps {
                world.advance(time / f64::from(steps)).unwrap();
            }
            (world.position(body).unwrap() - Vec3::Y * 0.05 - x).length()
        };
        let (coarse, fine) = (error(60), error(120));
        assert!(fine < 0.01, "heading {heading}: {fine} m");
        assert!((coarse / fine - 2.0).abs() < 0.1, "heading {heading}: {coarse} and {fine} m");
    }
}

#[test]
fn every_cone_solver_brakes_alike() {
    let start = Vec3::new(1.2, 0.0, 1.6);
    let listed = drystone::lcp::SOLVERS.iter().filter(|s| s.kinds.contains(&drystone::lcp::ProblemKind::Friction));
    for solver in listed.map(|s| s.name) {
        let settings = [("friction", Value::Text("cone".into())), ("cone_solver", Value::Text(solver.into()))]
            .into_iter()
            .chain([("cone_iterations", Value::Integer(10_000))])
            .map(|(k, v)| (k.to_owned(), v))
            .collect();
        let choice = ModuleChoice { kind: ModuleKind::ConstraintSolver, name: None, settings };
        let mut world = World::builder().paradigm(Paradigm::VELOCITY_LCP).choose(choice).build().unwrap();
        let rough = world.add_material(Material { friction: 0.5, restitution: 0.0, ..Material::default() }).unwrap();
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(rough)).unwrap();
        let body = world.add(block(start).material(rough)).unwrap();
        let mut fallbacks = 0;
        for _ in 0..60 {
            fallbacks += world.advance(H).unwrap().calls.solve.fallbacks;
        }
        let v = world.velocity(body).unwrap().linear;
        let expected = start * (1.0 - 0.5 * G * 0.25 / 2.0);
        assert!((v - expected).length() < 1e-5, "{solver}: {v} against {expected}");
        assert_eq!(fallbacks, 0, "{solver}");
    }
}

#[test]
fn a_grain_makes_the_cone_an_ellipse() {
    let grain = Grain { direction: Vec3::X, across: 0.2 };
    let surface = Material { friction: 0.6, grain: Some(grain), ..Material::default() };
    // greatest dissipation: the force is -N (mu_x^2 v_x, mu_z^2 v_z) / |(mu_x v_x, mu_z v_z)|, to first order in the step
    for model in ["cone", "disc", "pyramid", "scaled-box"] {
        for (start, exact) in [(Vec3::X, Vec3::X * 0.6), (Vec3::Z, Vec3::Z * 0.2)] {
            let (mut world, body) = self::world(model, surface, block(start * 2.0));
            run(&mut world, 48);
            let lost = start * 2.0 - world.velocity(body).unwrap().linear;
            assert!((lost - exact * (G * 0.2)).length() < 1e-6, "{model} along {start}: lost {lost}");
        }
    }
    let start = Vec3::new(1.0, 0.0, 2.0);
    for model in ["cone", "disc"] {
        let (mut world, body) = self::world(model, surface, block(start));
        run(&mut world, 1);
        let lost = (start - world.velocity(body).unwrap().linear) / (G * H);
        let exact = Vec3::new(0.36, 0.0, 0.04 * 2.0) / 0.6_f64.hypot(0.4);
        assert!((lost - exact).length() < 0.01, "{model}: {lost} against {exact}");
    }
}

#[test]
fn the_grain_turns_with_its_body() {
    let grain = Grain { direction: Vec3::X, across: 0.0 };
    let surface = Material { friction: 0.5, grain: Some(grain), ..Material::default() };
    // a quarter turn about y: the grain lies along z, and x is across it
    let turned = block(Vec3::X).oriented(Quat::from_rotation_y(core::f64::consts::FRAC_PI_2));
    for model in ["cone", "disc", "scaled-box", "pyramid"] {
        let (mut world, body) = self::world(model, surface, turned.clone());
        run(&mut world, 24);
        let v = world.velocity(body).unwrap().linear;
        assert!((v - Vec3::X).length() < 1e-9, "{model}: {v}");
    }
}

#[test]
fn a_rolling_ball_slows_down_by_its_lever_arm() {
    let (arm, radius) = (0.01, 0.5);
    let surface = Material { friction: 1.0, rolling: arm, ..Material::default() };
    let ball = Body::dynamic(Shape::sphere(radius).unwrap())
        .at([0.0, radius, 0.0])
        .linear_velocity([2.0, 0.0, 0.0])
        .angular_velocity([0.0, 0.0, -2.0 / radius]);
    for model in ["cone", "disc", "scaled-box", "pyramid"] {
        let (mut world, body) = self::world(model, surface, ball.clone());
        run(&mut world, 240);
        let lost = 2.0 - world.velocity(body).unwrap().linear.x;
        // a r m = arm m g - 2/5 m r a
        let exact = arm * G / (1.4 * radius);
        assert!((lost / exact - 1.0).abs() < 1e-6, "{model}: {lost} against {exact}");
    }
}

// E-25
#[test]
fn a_spinning_ball_slows_down_by_its_lever_arm() {
    let (arm, radius) = (0.02, 0.5);
    let surface = Material { friction: 1.0, spinning: arm, ..Material::default() };
    let ball = Body::dynamic(Shape::sphere(radius).unwrap()).at([0.0, radius, 0.0]).angular_velocity([0.0, 5.0, 0.0]);
    for model in ["cone", "disc", "scaled-box"] {
        let (mut world, body) = self::world(model, surface, ball.clone());
        run(&mut world, 120);
        let lost = 5.0 - world.velocity(body).unwrap().angular.y;
        let exact = 0.5 * arm * G / (0.4 * radius * radius);
        assert!((lost / exact - 1.0).abs() < 1e-6, "{model}: {lost} against {exact}");
    }
}

// E-27
#[test]
fn a_slope_within_the_cone_holds_at_any_heading() {
    // friction of 1.01 times the slope's tangent holds, of 0.99 times does not
    let (s, c) = 25.0_f64.to_radians().sin_cos();
    for (model, heading) in [("cone", 0.3_f64), ("cone", 0.8), ("disc", 0.3), ("disc", 0.8), ("disc", 1.2)] {
        for (part, holds) in [(1.01, true), (0.99, false)] {
            let surface = Material { friction: part * s / c, ..Material::default() };
            let (mut world, body) = self::world(model, surface, block(Vec3::ZERO));
            world.set_gravity(Vec3::new(s * heading.cos(), -c, s * heading.sin()) * G).unwrap();
            run(&mut world, 240);
            let moved = (world.position(body).unwrap() - Vec3::Y * 0.05).length();
            assert_eq!(moved < 1e-7, holds, "{model}, {heading}, {part}: {moved}");
        }
    }
}

/// A random box on a slope of 10 to 35 degrees at a random heading, under a preset at 60 Hz: how fast (m/s) it moves along the slope once it has settled for a second,
/// if friction is `part` of what the slope takes.
fn creep(preset: Paradigm, part: f64, r: &mut drystone_testkit::Random) -> f64 {
    let (slope, heading) = (r.range(10.0, 35.0_f64).to_radians(), r.range(0.0, 6.3_f64));
    let half = [r.range(0.1, 0.4), r.range(0.03, 0.08), r.range(0.1, 0.4)];
    let surface = Material { friction: part * slope.tan(), restitution: 0.0, ..Material::default() };
    let mut world = World::builder().paradigm(preset).build().unwrap();
    let surface = world.add_material(surface).unwrap();
    let (s, c) = slope.sin_cos();
    world.set_gravity(Vec3::new(s * heading.cos(), -c, s * heading.sin()) * G).unwrap();
    world.add(Body::fixed(Shape::cuboid(20.0, 0.5, 20.0).unwrap()).at([0.0, -0.5, 0.0]).material(surface)).unwrap();
    let shape = Shape::cuboid(half[0], half[1], half[2]).unwrap();
    let body = world.add(Body::dynamic(shape).at([0.0, half[1], 0.0]).material(surface)).unwrap();
    let mut from = Vec3::ZERO;
    for k in 0..120 {
        if k == 60 {
            from = world.position(body).unwrap();
        }
        world.advance(1.0 / 60.0).unwrap();
    }
    let gone = world.position(body).unwrap() - from;
    gone.x.hypot(gone.z)
}

/// On a slope of 0.95 of the angle that friction holds a box stays; the control: where friction is 0.8 of what it takes, it goes.
#[test]
fn boxes_hold_on_slopes_near_the_angle_of_friction() {
    for (preset, bound) in [
        (Paradigm::SUBSTEP_SOFT, 1e-4),
        (Paradigm::PENALTY, 5e-3),
        (Paradigm::IMPULSE, 1e-3),
        (Paradigm::CONVEX_NEWTON, 1e-4),
    ] {
        let mut r = drystone_testkit::Random::new(18);
        for k in 0..8 {
            let speed = creep(preset, 1.0 / 0.95, &mut r);
            assert!(speed < bound, "{} {k}: {speed} m/s", preset.name);
            assert!(creep(preset, 0.8, &mut r) > 0.1, "{} {k}", preset.name);
        }
    }
}

#[test]
fn surfaces_that_cannot_be_are_refused() {
    let mut world = World::builder().build().unwrap();
    let plain = Material::default();
    let no_grain = Some(Grain { direction: Vec3::ZERO, across: 0.1 });
    for bad in [
        Material { friction: -0.1, ..plain },
        Material { rolling: f64::NAN, ..plain },
        Material { restitution: 1.5, ..plain },
        Material { grain: no_grain, ..plain },
    ] {
        assert!(world.add_material(bad).is_err());
    }
}

/// The change of the vertical velocity (m/s) and the residual of the first step of a rod that leans by `lean` (rad) towards +x and comes to its tip at `speed` along x (m/s),
/// after so many sweeps.
fn rod_on_its_tip(preset: Paradigm, sweeps: i64, [lean, speed, friction]: [f64; 3]) -> [f64; 2] {
    let (radius, half) = (0.01, 0.5);
    let settings = vec![("iterations".to_owned(), Value::Integer(sweeps))];
    let sweeps = ModuleChoice { kind: ModuleKind::Lcp, name: None, settings };
    let mut world = World::builder().paradigm(preset).choose(sweeps).build().unwrap();
    let rough = world.add_material(Material { friction, restitution: 0.0, ..Material::default() }).unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(rough)).unwrap();
    let rod = Body::dynamic(Shape::capsule(radius, half).unwrap()).material(rough);
    let rod = rod.at([0.0, half * lean.cos() + radius, 0.0]).oriented(Quat::from_rotation_z(-lean));
    let rod = world.add(rod.linear_velocity([speed, -1.0, 0.0])).unwrap();
    let report = world.advance(0.005).unwrap();
    [world.velocity(rod).unwrap().linear.y + 1.0, report.calls.solve.lcp.residual_max]
}

/// One contact is solved, however its friction and its normal impulse depend on each other (Painlevé 1895): sweeps that alternate end by pivoting.
#[test]
fn a_rod_that_slides_on_its_tip_gets_its_impulse() {
    for preset in [Paradigm::VELOCITY_LCP, Paradigm::LOAD_PROPAGATION, Paradigm::NONLINEAR_GAUSS_SEIDEL] {
        // an even number and an odd one, since sweeps that alternate end at either end of their cycle
        for sweeps in [10, 11, 100, 101] {
            let mut random = Random::new(55);
            for _ in 0..60 {
                let speed = random.range(2.0, 8.0) * if random.below(2) == 0 { 1.0 } else { -1.0 };
                let rod = [random.range(0.2, 1.1), speed, random.range(0.5, 3.0)];
                let [change, residual] = rod_on_its_tip(preset, sweeps, rod);
                // where friction presses the rod down, sweeps go one way, however slowly
                let solved = residual < 0.02 || (speed < 0.0 && sweeps < 100);
                assert!(change > 0.01 && solved, "{}: {change} {residual}, {rod:?}", preset.name);
            }
        }
    }
}
