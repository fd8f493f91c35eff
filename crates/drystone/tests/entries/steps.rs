//! Steps: of zero length, with contacts found ahead, of which order, and how a collision within a step is located in time.

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind, Replacement};
use drystone_core::catalogue::Value;
use drystone_core::{
    DetectMode, Kernel, MaterialIndex, Module, Scope, StepFailure, StepObserver, TimeControl, TimeReport,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const H: f64 = 0.01;
const G: f64 = 9.81;

fn choose(kind: ModuleKind, name: Option<&str>, settings: &[(&str, Value)]) -> ModuleChoice {
    let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
    ModuleChoice { kind, name: name.map(str::to_owned), settings }
}

fn text(value: &str) -> Value {
    Value::Text(value.to_owned())
}

fn exact() -> ModuleChoice {
    choose(ModuleKind::Lcp, Some("sparse-principal-pivoting"), &[])
}

fn smooth(world: &mut World, restitution: f64) -> MaterialIndex {
    world.add_material(Material { friction: 0.0, restitution, ..Material::default() }).unwrap()
}

fn floor(world: &mut World, m: MaterialIndex) {
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(m)).unwrap();
}

fn ball(at: [f64; 3], v: [f64; 3], m: MaterialIndex) -> Body {
    Body::dynamic(Shape::sphere(0.5).unwrap()).at(at).linear_velocity(v).material(m)
}

/// Detects and solves over zero time, and does nothing else.
struct NoTime;

impl TimeControl for NoTime {
    fn name(&self) -> &'static str {
        "no-time"
    }
    fn advance(&mut self, kernel: &mut dyn Kernel, dt: f64) -> Result<TimeReport, StepFailure> {
        let mut report = TimeReport::default();
        let now = kernel.time();
        kernel.script(now)?;
        report.detected(&kernel.detect(Scope::All, DetectMode::default())?);
        report.solve.merge(&kernel.solve(Scope::All, 0.0, dt)?);
        kernel.set_time(now + dt);
        Ok(report)
    }
}

/// D-21: the values that the text takes for real surfaces are the defaults of a material.
#[test]
fn friction_and_restitution_are_a_quarter_unless_said_otherwise() {
    let surface = Material::default();
    assert_eq!((surface.friction, surface.restitution), (0.25, 0.25));
    // and the default takes effect: a ball rebounds to a sixteenth of its drop height
    let mut world = World::builder().paradigm(Paradigm::RETROACTIVE).build().unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    let id = world.add(Body::dynamic(Shape::sphere(0.5).unwrap()).at([0.0, 2.5, 0.0])).unwrap();
    let hit = (2.0 * 2.0 / G).sqrt();
    let heights = (0..120).map(|k| {
        world.advance(H).unwrap();
        (k, world.position(id).unwrap().y - 0.5)
    });
    let top = heights.filter(|(k, _)| f64::from(*k) * H > hit).map(|h| h.1).fold(0.0, f64::max);
    assert!((top - 2.0 / 16.0).abs() < 1e-3, "{top} m");
}

/// D-15: a step of zero length resolves collisions and does nothing else: nothing moves or falls, and bodies that do not approach keep their
/// velocities.
#[test]
fn a_step_of_no_length_is_a_collision_solver() {
    for restitution in [0.0, 0.5] {
        let mut world = World::builder().paradigm(Paradigm::VELOCITY_LCP).choose(exact()).build().unwrap();
        world.replace(Replacement::time_control(NoTime)).unwrap();
        let m = smooth(&mut world, restitution);
        floor(&mut world, m);
        let thrown = [
            // one falls onto the floor, one leaves it, one is in the air, and two collide
            ([0.0, 0.5, 0.0], [1.0, -2.0, 0.0], [1.0, 2.0 * restitution, 0.0]),
            ([3.0, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0]),
            ([6.0, 5.0, 0.0], [0.0, -3.0, 1.0], [0.0, -3.0, 1.0]),
            ([9.0, 5.0, 0.0], [2.0, 0.0, 0.0], [0.5 - 1.5 * restitution, 0.0, 0.0]),
            ([10.0, 5.0, 0.0], [-1.0, 0.0, 0.0], [0.5 + 1.5 * restitution, 0.0, 0.0]),
        ];
        let ids = thrown.map(|(at, v, _)| world.add(ball(at, v, m)).unwrap());
        world.advance(H).unwrap();
        for (id, (at, _, after)) in ids.into_iter().zip(thrown) {
            assert_eq!(world.position(id).unwrap(), Vec3::from(at));
            let found = world.velocity(id).unwrap().linear;
            assert!((found - Vec3::from(after)).length() < 1e-9, "{found}, wanted {after:?}");
        }
    }
    // the control: a step of nonzero length moves a flying body
    let mut world = World::builder().paradigm(Paradigm::VELOCITY_LCP).build().unwrap();
    let m = smooth(&mut world, 0.0);
    let id = world.add(ball([6.0, 5.0, 0.0], [0.0, -3.0, 1.0], m)).unwrap();
    world.advance(H).unwrap();
    assert!((world.position(id).unwrap() - Vec3::new(6.0, 5.0, 0.0)).length() > 0.02);
}

/// A random number from zero to one.
fn uniform(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1_u64 << 53) as f64
}

/// A heap of touching balls with random velocities, in a step of zero length: the fastest approach after it (m/s), the energy that the step removes
/// (J), and the energy of the velocity change (J).
fn heap(restitution: f64) -> [f64; 3] {
    let mut world =
        World::builder().paradigm(Paradigm::VELOCITY_LCP).gravity([0.0; 3]).choose(exact()).build().unwrap();
    world.replace(Replacement::time_control(NoTime)).unwrap();
    let m = smooth(&mut world, restitution);
    let mut seed = 7;
    let thrown: Vec<(BodyId, Vec3)> = (0..27)
        .map(|k| {
            let at = [k % 3, (k / 3) % 3, k / 9].map(f64::from);
            let v = [0; 3].map(|_| 2.0 * uniform(&mut seed) - 1.0);
            (world.add(ball(at, v, m).mass(2.0)).unwrap(), Vec3::from(v))
        })
        .collect();
    world.advance(H).unwrap();
    let velocity = |id: BodyId| world.velocity(id).unwrap().linear;
    let approach = world.contacts().map(|c| c.normal.dot(velocity(c.bodies[0]) - velocity(c.bodies[1])));
    let taken = thrown.iter().map(|(id, v)| v.length_squared() - velocity(*id).length_squared()).sum();
    let change = thrown.iter().map(|(id, v)| (velocity(*id) - *v).length_squared()).sum();
    assert!(world.contacts().count() == 54 && change > 1.0, "{change} J");
    [approach.fold(0.0, f64::max), taken, change]
}

/// D-16: without restitution nothing approaches after the impacts, and no contact with an impulse separates. So no impulse does work at the end,
/// and the energy removed equals that of the velocity change.
#[test]
fn inelastic_blows_leave_together_what_they_meet() {
    let [approach, taken, change] = heap(0.0);
    assert!(approach < 1e-9 && (taken - change).abs() < 1e-9 * change, "{approach} m/s, {taken} J, {change} J");
    let [approach, taken, change] = heap(0.5);
    assert!(approach < 1e-9 && taken < 0.8 * change, "{approach} m/s, {taken} J, {change} J");
}

/// velocity jumps are counted, and all other bodies keep the same velocities, to the bit, as in a world in which the two balls miss each
/// other.
#[test]
fn only_bodies_that_were_hit_have_other_velocities() {
    let run = |gap: f64| {
        let mut world = World::builder().paradigm(Paradigm::RETROACTIVE).gravity([0.0; 3]).build().unwrap();
        let m = smooth(&mut world, 1.0);
        floor(&mut world, m);
        world.add(ball([0.0, 5.0, 0.0], [3.0, 0.0, 0.0], m)).unwrap();
        world.add(ball([1.0 + gap, 5.0, 0.0], [0.0, 0.0, 0.0], m)).unwrap();
        let others = [4.0, 8.0, 12.0].map(|x| world.add(ball([x, 7.0, 0.3], [0.1, 0.2, 0.3], m)).unwrap());
        // one hits the floor: a single jump, since the floor has no velocity
        world.add(ball([20.0, 0.52, 0.0], [0.0, -4.0, 0.0], m)).unwrap();
        let jumps = world.advance(H).unwrap().calls.resolve.discontinuities;
        (jumps, others.map(|id| world.velocity(id).unwrap()))
    };
    let (hit, missed) = (run(0.02), run(5.0));
    assert_eq!((hit.0, missed.0), (3, 1));
    assert_eq!(hit.1, missed.1);
}

/// B-02: with contacts found at a predicted position, free flight is the exact parabola and a block at rest stays at rest from the first step on.
#[test]
fn a_fake_position_changes_neither_flight_nor_rest() {
    let semi_implicit = choose(ModuleKind::TimeControl, Some("semi-implicit"), &[]);
    let builder = World::builder().paradigm(Paradigm::VELOCITY_LCP).choose(exact());
    let mut world = builder.choose(semi_implicit).build().unwrap();
    let m = smooth(&mut world, 0.0);
    floor(&mut world, m);
    let block = Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at([0.0, 0.5, 0.0]).material(m);
    let block = world.add(block).unwrap();
    let thrown = world.add(ball([5.0, 5.0, 0.0], [1.0, 2.0, 0.0], m)).unwrap();
    for k in 1..=50 {
        assert_eq!(world.advance(H).unwrap().calls.solve.lcp.solves, 1);
        assert!(world.velocity(block).unwrap().linear.length() < 1e-9, "step {k}");
        let t = H * f64::from(k);
        let wanted = Vec3::new(5.0 + t, 5.0 + 2.0 * t - 0.5 * G * t * t, 0.0);
        let found = world.position(thrown).unwrap();
        assert!((found - wanted).length() < 1e-9, "step {k}: {found}, wanted {wanted}");
    }
    // half of the text's scheme, semi-implicit Euler, falls short of the parabola by g h t / 2
    let symplectic = 5.0 + 2.0 * 0.5 - 0.5 * G * H * H * 50.0 * 51.0;
    assert!((world.position(thrown).unwrap().y - symplectic - 0.5 * G * H * 0.5).abs() < 1e-9);
}

/// Heights (m) above the table of a ball that leaves it at 2 m/s, at the ends of three frames of 0.02 s. It passes the edge in the middle of the
/// second.
fn leaving(paradigm: Paradigm, steps: i64) -> [f64; 3] {
    let mut world = World::builder().paradigm(paradigm).build().unwrap();
    let m = smooth(&mut world, 0.0);
    let table = Shape::cuboid(1.0, 0.5, 1.0).unwrap();
    world.add(Body::fixed(table).at([-1.0, -0.5, 0.0]).material(m)).unwrap();
    let id = world.add(ball([-0.06, 0.5, 0.0], [2.0, 0.0, 0.0], m)).unwrap();
    [0; 3].map(|_| {
        for _ in 0..steps {
            world.advance(0.02 / steps as f64).unwrap();
        }
        world.position(id).unwrap().y - 0.5
    })
}

/// B-22: a step by accelerations keeps the contacts of its start, so a body that leaves a table falls only once the step is over.
#[test]
fn support_goes_on_to_the_end_of_the_step_and_no_further() {
    let whole = leaving(Paradigm::ACCELERATION_LCP, 1);
    assert!(whole[..2].iter().all(|y| y.abs() < 1e-5), "held over the edge: {whole:?}");
    assert!(whole[2] < -2e-4, "and falls in the next step: {whole:?}");
    let short = leaving(Paradigm::ACCELERATION_LCP, 20);
    // in short steps the ball has begun to roll over the edge, two centimetres past it
    assert!(short[1] < -2e-4 && short[1] > -5e-4, "{short:?}");
}

/// Position of a pendulum's bob half a second after release from the horizontal, in steps of `h`.
fn pendulum(h: f64, symmetric: bool) -> Vec3 {
    let control = choose(ModuleKind::TimeControl, symmetric.then_some("leapfrog"), &[]);
    let builder = World::builder().paradigm(Paradigm::VELOCITY_LCP).choose(exact());
    let mut world = builder.choose(control).build().unwrap();
    let bob = Body::dynamic(Shape::sphere(0.1).unwrap()).at([1.0, 0.0, 0.0]);
    let bob = world.add(bob).unwrap();
    world.join(Joint::ball(None, bob).anchor([0.0; 3])).unwrap();
    for _ in 0..(0.5 / h).round() as usize {
        world.advance(h).unwrap();
    }
    world.position(bob).unwrap()
}

/// B-26: the error has the order of the scheme. Halving the step halves it, or quarters it if joints are evaluated at both ends of the motion.
#[test]
fn errors_are_of_the_order_of_the_scheme() {
    for (symmetric, factor) in [(false, 2.0), (true, 4.0)] {
        let [a, b, c] = [0.01, 0.005, 0.0025].map(|h| pendulum(h, symmetric));
        let found = (a - b).length() / (b - c).length();
        assert!((found / factor - 1.0).abs() < 0.15, "symmetric {symmetric}: {found}, wanted {factor}");
    }
}

#[derive(Clone, Default)]
struct Looks(Arc<AtomicUsize>);

impl StepObserver for Looks {
    fn call(&mut self, _: Module, to: Module) {
        self.0.fetch_add(usize::from(to == Module::NarrowPhase), Ordering::Relaxed);
    }
}

/// How often the narrow phase is called until a falling ball has bounced off the floor, and how far the ball is from the parabola of its rebound
/// (m).
fn looks(search: &str, height: f64) -> (usize, f64) {
    let control = choose(ModuleKind::TimeControl, None, &[("search", text(search))]);
    let mut world = World::builder().paradigm(Paradigm::RETROACTIVE).choose(control).build().unwrap();
    let m = smooth(&mut world, 1.0);
    floor(&mut world, m);
    let id = world.add(ball([0.0, 0.5 + height, 0.0], [0.0; 3], m)).unwrap();
    let looks = Looks::default();
    world.observe(Some(Box::new(looks.clone())));
    let hit = (2.0 * height / G).sqrt();
    let steps = (hit / H).ceil() as u32;
    for _ in 0..steps {
        world.advance(H).unwrap();
    }
    let late = f64::from(steps) * H - hit;
    let wanted = 0.5 + G * hit * late - 0.5 * G * late * late;
    (looks.0.load(Ordering::Relaxed), (world.position(id).unwrap().y - wanted).abs())
}

/// B-04, B-16, B-21: both searches find the time of impact of a fall to the tolerance; regula falsi needs fewer narrow phase calls than bisection.
#[test]
fn regula_falsi_looks_less_often_than_bisection() {
    let mut sums = [0_usize; 2];
    for k in 0..20 {
        let height = 0.3 + 0.1 * f64::from(k);
        for (sum, search) in sums.iter_mut().zip(["root", "bisection"]) {
            let (number, off) = looks(search, height);
            // 1e-4 m of distance at the time of impact become twice that after the bounce
            assert!(off < 3e-4, "{search}, {height} m: {off}");
            *sum += number;
        }
    }
    let [root, bisection] = sums;
    assert!(root + 20 * 4 < bisection, "{root} {bisection}");
}
