//! Position errors removed by displacement: closed forms of one contact and of several, one-sided and two-sided (L-02, L-05 to L-07, L-09, L-10).

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};
use drystone_core::catalogue::Value;

fn solver(settings: &[(&str, Value)]) -> ModuleChoice {
    let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
    ModuleChoice { kind: ModuleKind::ConstraintSolver, name: None, settings }
}

fn exactly() -> Value {
    Value::Integer(2000)
}

/// A world without gravity in which errors are projected out by many sweeps.
fn floating(more: &[(&str, Value)]) -> World {
    let settings = [&[("correction_iterations", exactly())], more].concat();
    World::builder().paradigm(Paradigm::VELOCITY_LCP).gravity(Vec3::ZERO).choose(solver(&settings)).build().unwrap()
}

const ARM: f64 = 0.8;
const INERTIA: f64 = 0.5;

/// A ball of 1 kg is this deep in a lying capsule of 3 kg, 0.8 m from its middle. After a step of
/// h: how far each was moved along y, how far the capsule was turned, and how deep they still are.
fn one_contact(depth: f64, h: f64) -> [f64; 4] {
    let mut world = floating(&[]);
    let lying = Quat::from_rotation_z(core::f64::consts::FRAC_PI_2);
    let rod = Body::dynamic(Shape::capsule(0.2, 1.0).unwrap()).mass(3.0).inertia([INERTIA; 3]).oriented(lying);
    let rod = world.add(rod).unwrap();
    let ball = world.add(Body::dynamic(Shape::sphere(0.2).unwrap()).mass(1.0).at([ARM, 0.4 - depth, 0.0])).unwrap();
    world.advance(h).unwrap();
    let turned = world.pose(rod).unwrap().orientation * lying.conjugate();
    assert_eq!(world.velocity(ball).unwrap(), Twist::ZERO, "projection gives no velocity");
    let (up, down) = (world.position(ball).unwrap().y - (0.4 - depth), world.position(rod).unwrap().y);
    [up, down, 2.0 * turned.z.atan2(turned.w), world.penetration().unwrap()]
}

#[test]
fn one_contact_moves_by_the_force_that_takes_the_depth_out_in_a_step() {
    // L-02: f / h = d / (n K n), the step cancels, momenta balance
    let k = 1.0 / 3.0 + 1.0 + ARM * ARM / INERTIA;
    for depth in [0.02, 0.01, 0.005] {
        let [up, down, turned, left] = one_contact(depth, 0.01);
        assert!((up + 3.0 * down).abs() < 1e-12, "{up} {down}");
        let exact = [depth / k, -depth / (3.0 * k), -depth * ARM / (k * INERTIA)];
        let off = [up, down, turned].iter().zip(exact).map(|(a, b)| (a / b - 1.0).abs()).fold(0.0, f64::max);
        assert!(off < 1e-9, "{depth}: off by {off}");
        assert!(left < depth * depth, "{depth}: {left} left");
        assert_eq!(one_contact(depth, 0.001), [up, down, turned, left], "the step cancels");
    }
}

/// A plank overlaps three supports by these depths: how far it is lifted, how far it is tilted, and what depth is left.
fn on_supports(depths: [f64; 3], bilateral: bool, slop: f64) -> (f64, f64, f64) {
    let mut world = floating(&[("bilateral", Value::Bool(bilateral)), ("slop", Value::Real(slop))]);
    for (depth, x) in depths.into_iter().zip([-1.0, 0.0, 1.0]) {
        world.add(Body::fixed(Shape::sphere(0.1).unwrap()).at([x, depth - 0.2, 0.0])).unwrap();
    }
    let plank = world.add(Body::dynamic(Shape::cuboid(1.5, 0.1, 0.2).unwrap()).mass(2.0)).unwrap();
    world.advance(0.01).unwrap();
    let pose = world.pose(plank).unwrap();
    (pose.position.y, 2.0 * pose.orientation.z, world.penetration().unwrap())
}

#[test]
fn what_one_contact_lifts_no_other_pulls_back() {
    // L-05: complementarity, since removing one error may remove others
    let (up, tilt, left) = on_supports([0.010, 0.002, 0.010], false, 1e-6);
    assert!((up - 0.010).abs() < 2e-6 && tilt.abs() < 1e-7 && left <= 2e-6, "{up} {tilt} {left}");
    // the control: with two-sided rows the middle support pulls the plank down, and the others stay in it
    let (up, _, left) = on_supports([0.010, 0.002, 0.010], true, 1e-3);
    assert!(up < 0.009 && left > 1e-3, "{up} {left}");
}

/// Balls of these masses in a row along x, overlapping their neighbours by these depths
/// (m): how far each is moved, in metres, in a world whose unit of length is `unit` metres.
fn row(masses: &[f64], depths: &[f64], unit: f64, more: &[(&str, Value)]) -> Vec<f64> {
    let slop = ("slop", Value::Real(1e-9 / unit));
    let more = [&[slop], more].concat();
    let builder = World::builder().contact_envelope(1e-3 / unit).paradigm(Paradigm::VELOCITY_LCP).gravity(Vec3::ZERO);
    let settings = [&[("correction_iterations", exactly())], more.as_slice()].concat();
    let mut world = builder.choose(solver(&settings)).build().unwrap();
    let mut x = 0.0;
    let mut balls = Vec::new();
    for (k, mass) in masses.iter().enumerate() {
        let shape = Shape::sphere(0.5 / unit).unwrap();
        let body = if mass.is_finite() { Body::dynamic(shape).mass(*mass) } else { Body::fixed(shape) };
        balls.push((world.add(body.at([x / unit, 0.0, 0.0])).unwrap(), x));
        x += 1.0 - depths.get(k).unwrap_or(&0.0);
    }
    world.advance(0.01).unwrap();
    balls.iter().map(|(b, x)| world.position(*b).unwrap().x * unit - x).collect()
}

#[test]
fn the_correction_is_the_least_displacement_in_the_norm_of_kinetic_energy() {
    // L-04, L-07: the matrix A of two contacts that share a body, and lambda, in closed form
    let (m, d) = ([1.0, 2.0, 4.0], [0.01, 0.004]);
    let (a, b, c) = (1.0 / m[0] + 1.0 / m[1], -1.0 / m[1], 1.0 / m[1] + 1.0 / m[2]);
    let det = a * c - b * b;
    let (f, g) = ((c * d[0] - b * d[1]) / det, (a * d[1] - b * d[0]) / det);
    let exact = [-f / m[0], (f - g) / m[1], g / m[2]];
    let near = |found: &[f64], wanted: &[f64]| {
        assert!(found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-8), "{found:?}, not {wanted:?}");
    };
    let found = row(&m, &d, 1.0, &[]);
    near(&found, &exact);
    assert!(found[0].abs() > found[2].abs(), "the lighter moves more");
    // the same in centimetres
    near(&row(&m, &d, 0.01, &[]), &exact);
    // no other displacement that parts them is shorter
    let norm = |y: &[f64]| y.iter().zip(m).map(|(y, m)| m * y * y).sum::<f64>();
    let mut others = 0;
    for k in 0..2000 {
        let t = f64::from(k);
        let other = [t.sin(), (1.7 * t).cos(), (0.3 * t * t).sin()].map(|s| 0.003 * s);
        let other: Vec<f64> = exact.iter().zip(other).map(|(e, o)| e + o).collect();
        if other[1] - other[0] >= d[0] && other[2] - other[1] >= d[1] {
            others += 1;
            assert!(norm(&other) > norm(&exact), "{other:?}");
        }
    }
    assert!(others > 100, "{others}");
    // infinite mass never moves
    near(&row(&[1.0, f64::INFINITY, 4.0], &d, 1.0, &[]), &[-d[0], 0.0, d[1]]);
}

/// Figure 10 of Baraff 1995: A is deep in B, B only a little in C; D and E overlap a little elsewhere. The depths after a step.
fn figure_10(preset: Paradigm, bilateral: bool) -> [f64; 3] {
    let settings = [("slop", Value::Real(0.015)), ("bilateral", Value::Bool(bilateral))];
    let builder = World::builder().paradigm(preset).gravity(Vec3::ZERO).contact_envelope(0.02);
    let mut world = builder.choose(solver(&settings)).build().unwrap();
    let smooth = world.add_material(Material { friction: 0.0, restitution: 0.0, ..Material::default() }).unwrap();
    let mut ball = |x: f64, y: f64| {
        world.add(Body::dynamic(Shape::sphere(0.5).unwrap()).mass(1.0).material(smooth).at([x, y, 0.0])).unwrap()
    };
    let [a, b, c] = [0.0, 1.0 - 0.018, 2.0 - 0.018 - 0.008].map(|x| ball(x, 0.0));
    let [d, e] = [0.0, 1.0 - 0.008].map(|x| ball(x, 9.0));
    world.advance(0.01).unwrap();
    let x = |body: BodyId| world.position(body).unwrap().x;
    [x(a) + 1.0 - x(b), x(b) + 1.0 - x(c), x(d) + 1.0 - x(e)]
}

#[test]
fn a_tolerance_correction_takes_the_small_errors_of_its_group_out_too() {
    // L-06
    for preset in [Paradigm::ACCELERATION_LCP, Paradigm::ACCELERATION_LP, Paradigm::VELOCITY_LCP] {
        let [ab, bc, de] = figure_10(preset, true);
        // to within what a few sweeps leave
        assert!(ab.abs() < 5e-5 && bc.abs() < 5e-5, "{}: {ab} {bc}", preset.name);
        assert!((de - 0.008).abs() < 1e-12, "{}: D and E belong to another group, {de}", preset.name);
    }
    // a gap within the tolerance is closed by two-sided rows, and left as it is by one-sided ones
    let gap = |bilateral: bool| {
        let more = [("slop", Value::Real(0.015)), ("bilateral", Value::Bool(bilateral))];
        let settings = [&[("correction_iterations", exactly())], more.as_slice()].concat();
        let builder = World::builder().paradigm(Paradigm::VELOCITY_LCP).gravity(Vec3::ZERO).contact_envelope(0.02);
        let mut world = builder.choose(solver(&settings)).build().unwrap();
        let mut add = |x: f64, mass: f64| {
            world.add(Body::dynamic(Shape::sphere(0.5).unwrap()).mass(mass).at([x, 0.0, 0.0])).unwrap()
        };
        let [a, b, c] = [(0.0, 1.0), (0.982, 1e6), (1.992, 1.0)].map(|(x, m)| add(x, m));
        world.advance(0.01).unwrap();
        let x = |body: BodyId| world.position(body).unwrap().x;
        [x(b) - x(a) - 1.0, x(c) - x(b) - 1.0]
    };
    assert!(gap(true).iter().all(|g| g.abs() < 1e-5), "{:?}", gap(true));
    let [closed, open] = gap(false);
    assert!(closed.abs() < 1e-5 && (open - 0.010).abs() < 1e-5, "{closed} {open}");
}

#[test]
fn projection_moves_and_stabilisation_pushes() {
    // L-09, L-10: a box 5 mm deep in the floor, and nothing else to do
    let run = |stabilization: &str| {
        let mut world = floating(&[("stabilization", Value::Text(stabilization.to_owned()))]);
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
        let cube = world.add(Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at([0.0, 0.495, 0.0])).unwrap();
        world.advance(0.01).unwrap();
        (world.position(cube).unwrap().y - 0.5, world.velocity(cube).unwrap())
    };
    let (off, velocity) = run("projection");
    assert!(off.abs() < 2e-6 && velocity == Twist::ZERO, "{off} {velocity:?}");
    let (_, velocity) = run("baumgarte");
    assert!(velocity.linear.y > 0.05, "{velocity:?}");
}
