//! Bodies at rest under `real-time` are skipped: a world has the same bits as one in which everything is computed.

use drystone::Replacement;
use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};
use drystone_core::{ConstraintSolver, Executor, GroupAnswer, GroupProblem, Module, SolveReport, Step, StepObserver};
use drystone_dynamics::{ContactSweeps, SweepParameters};
use drystone_joints::JointDescription;
use drystone_testkit::Random;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const G: f64 = 9.81;
const H: f64 = 1.0 / 60.0;

/// An observer that counts calls. A world with an observer computes everything.
struct Counter(Arc<AtomicU64>);

impl StepObserver for Counter {
    fn call(&mut self, _from: Module, _to: Module) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// The sleep policy under which no body falls asleep.
fn never() -> ModuleChoice {
    ModuleChoice { kind: ModuleKind::SleepPolicy, name: Some("never".to_owned()), settings: Vec::new() }
}

/// A world of piles, and the random numbers that made it.
struct Piles {
    world: World,
    random: Random,
    bodies: Vec<BodyId>,
    ground: BodyId,
}

impl Piles {
    /// Columns of boxes and balls on a floor; `asleep` says whether bodies may fall asleep.
    fn new(seed: u64, asleep: bool) -> Self {
        let mut random = Random::new(seed);
        let mut builder = World::builder().gravity([0.0, -G, 0.0]);
        if !asleep {
            builder = builder.choose(never());
        }
        let mut world = builder.build().unwrap();
        let ground = world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
        let mut bodies = Vec::new();
        for pile in 0..2 + random.below(4) {
            let x = 6.0 * pile as f64;
            for layer in 0..=random.below(4) {
                let at = Vec3::new(x + random.range(-0.1, 0.1), 0.5 + layer as f64, 0.0);
                let turned = Quat::from_rotation_y(random.range(-0.3, 0.3));
                let shape = if random.below(7) > 0 {
                    Shape::cuboid(0.5, 0.5, random.range(0.3, 0.8)).unwrap()
                } else {
                    Shape::sphere(0.5).unwrap()
                };
                bodies.push(world.add(Body::dynamic(shape).at(at).oriented(turned)).unwrap());
            }
        }
        if seed.is_multiple_of(3) {
            // with a pendulum the world never stands still, but its piles do
            let bob = world.add(Body::dynamic(Shape::sphere(0.1).unwrap()).at([-9.0, 9.0, 0.0])).unwrap();
            hang(&mut world, bob);
            bodies.push(bob);
        }
        Self { world, random, bodies, ground }
    }

    /// What a user does while the world runs. It is the same in both worlds, because their random numbers are.
    fn interfere(&mut self, step: u32) {
        let Self { world, random, bodies, ground } = self;
        if random.below(40) > 0 || step < 40 {
            return;
        }
        let body = bodies[random.below(bodies.len())];
        match random.below(8) {
            0 => {
                let at = Vec3::new(random.range(-4.0, 20.0), random.range(1.0, 4.0), 8.0);
                let ball = Body::dynamic(Shape::sphere(0.3).unwrap()).at(at).linear_velocity([0.0, 2.0, -9.0]);
                bodies.push(world.add(ball).unwrap());
            }
            1 if bodies.len() > 3 => {
                world.remove(body).unwrap();
                bodies.retain(|b| *b != body);
            }
            2 => world.set_gravity(Vec3::Y * -random.range(2.0, 12.0)).unwrap(),
            3 => world.apply_impulse(body, Vec3::new(random.range(-300.0, 300.0), 0.0, 50.0), Vec3::ZERO).unwrap(),
            4 => world.set_mass(body, random.range(100.0, 3000.0)).unwrap(),
            5 => world.set_pose(*ground, Vec3::Y * -random.range(0.0, 0.01), Quat::IDENTITY).unwrap(),
            6 => {
                let snapshot = world.snapshot();
                (0..5).for_each(|_| _ = world.advance(H));
                world.restore(&snapshot).unwrap();
            }
            _ => world.set_damping(body, 0.1, 0.1).unwrap(),
        }
    }

    fn bits(&self) -> Vec<[u64; 13]> {
        let numbers = |b: &BodyId| {
            let (pose, velocity) = (self.world.pose(*b).unwrap(), self.world.velocity(*b).unwrap());
            let mut all = [0.0; 13];
            all[..3].copy_from_slice(&pose.position.to_array());
            all[3..7].copy_from_slice(&pose.orientation.to_array());
            all[7..10].copy_from_slice(&velocity.linear.to_array());
            all[10..].copy_from_slice(&velocity.angular.to_array());
            all.map(f64::to_bits)
        };
        self.bodies.iter().map(numbers).collect()
    }

    /// Whether no body moves.
    fn stands(&self) -> bool {
        self.bodies.iter().all(|b| self.world.velocity(*b) == Some(Twist::ZERO))
    }
}

/// Hangs a body by a ball joint a metre to its left.
fn hang(world: &mut World, bob: BodyId) {
    let pose = world.pose(bob).unwrap();
    let ball = JointDescription { anchor: Some(pose.position - Vec3::X), ..JointDescription::new("ball") };
    let joint = drystone_joints::build(&ball, &Pose::IDENTITY, &pose).unwrap();
    world.add_joint([None, Some(bob)], joint).unwrap();
}

/// The preset's solver, with a count of the groups with contacts that it was given.
struct Counted(Box<dyn ConstraintSolver>, Arc<AtomicU64>);

impl ConstraintSolver for Counted {
    fn name(&self) -> &'static str {
        "counted"
    }

    fn solve(
        &mut self,
        problem: &GroupProblem,
        step: Step,
        executor: &dyn Executor,
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        self.1.fetch_add(u64::from(!problem.contacts.is_empty()), Ordering::Relaxed);
        self.0.solve(problem, step, executor, answer)
    }

    fn fork(&self) -> Box<dyn ConstraintSolver> {
        Box::new(Self(self.0.fork(), self.1.clone()))
    }
}

/// A column beside a pendulum: the world moves, but the column is not solved until
/// something hits it. In the control, a world with an observer, it is solved in every step.
#[test]
fn what_stands_beside_something_that_moves_is_left_alone_until_it_is_touched() {
    for watch in [false, true] {
        let count = Arc::new(AtomicU64::new(0));
        let joints = Box::new(drystone_lcp::Dantzig::default());
        let solver = Counted(Box::new(ContactSweeps::new(SweepParameters::default(), joints)), count.clone());
        let mut world =
            World::builder().choose(never()).replace(Replacement::constraint_solver(solver)).build().unwrap();
        if watch {
            world.observe(Some(Box::new(Counter(Arc::default()))));
        }
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
        let cube = |i: u32| Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at([0.0, 0.5 + f64::from(i), 0.0]);
        let column: Vec<_> = (0..4).map(|i| world.add(cube(i)).unwrap()).collect();
        let bob = world.add(Body::dynamic(Shape::sphere(0.1).unwrap()).at([-9.0, 9.0, 0.0])).unwrap();
        hang(&mut world, bob);
        let solves = |world: &mut World, steps: u32| {
            let before = count.load(Ordering::Relaxed);
            (0..steps).for_each(|_| _ = world.advance(H).unwrap());
            count.load(Ordering::Relaxed) - before
        };
        solves(&mut world, 60);
        let rest = solves(&mut world, 60);
        assert_eq!(rest > 0, watch, "{rest} solves");
        // a ball from the side at 8 m/s
        world
            .add(Body::dynamic(Shape::sphere(0.3).unwrap()).at([2.5, 3.6, 0.0]).linear_velocity([-8.0, 0.0, 0.0]))
            .unwrap();
        assert!(solves(&mut world, 30) > 0);
        assert!(world.pose(column[3]).unwrap().position.x < -0.01);
    }
}

#[test]
fn what_stands_still_has_the_bits_that_it_has_where_all_is_computed() {
    let (mut stood, mut calls, mut calls_of_watched) = (0, 0, 0);
    for seed in 0..40 {
        let [mut free, mut watched] = [0, 1].map(|_| Piles::new(seed, seed % 2 == 0));
        let counts: [Arc<AtomicU64>; 2] = Default::default();
        watched.world.observe(Some(Box::new(Counter(counts[0].clone()))));
        for step in 0..400 {
            for piles in [&mut free, &mut watched] {
                piles.interfere(step);
            }
            let dt = if step % 150 < 120 { H } else { 0.5 * H };
            let [a, b] = [&mut free, &mut watched].map(|piles| piles.world.advance(dt).unwrap());
            assert_eq!(free.bits(), watched.bits(), "seed {seed}, step {step}");
            assert_eq!(free.world.time(), watched.world.time());
            assert_eq!((a.contacts, a.groups, a.penetration), (b.contacts, b.groups, b.penetration), "{seed}, {step}");
            assert_eq!(
                (a.lcp.solves, a.sleeping, a.converged),
                (b.lcp.solves, b.sleeping, b.converged),
                "{seed}, {step}"
            );
            stood += u64::from(free.stands());
            calls += a.times.total().to_bits().min(1);
            calls_of_watched += b.times.total().to_bits().min(1);
        }
    }
    // the control: worlds did stand still for long, and hardly any of those steps were computed
    assert!(stood > 2000, "{stood}");
    assert!(calls_of_watched == 16_000 && calls + 1500 < calls_of_watched, "{calls} of {calls_of_watched} steps");
}

/// A body on a floor that is tilted by an angle (rad), with this friction.
fn on_a_tilt(angle: f64, friction: f64, body: Body) -> (World, BodyId) {
    let gravity = Vec3::new(G * angle.sin(), -G * angle.cos(), 0.0);
    let mut world = World::builder().gravity(gravity).choose(never()).build().unwrap();
    let surface = world.add_material(Material { friction, ..Material::default() }).unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(surface)).unwrap();
    let body = world.add(body.material(surface)).unwrap();
    (world, body)
}

/// A body that is pulled by a millionth of its weight is not taken for one at rest.
#[test]
fn what_hardly_moves_moves() {
    let (tilt, seconds) = (1e-6, 10.0);
    let cube = Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at([0.0, 0.5, 0.0]);
    let ball = Body::dynamic(Shape::sphere(0.5).unwrap()).at([0.0, 0.5, 0.0]);
    for (body, friction, part) in [(cube.clone(), 0.0, 1.0), (ball, 0.5, 5.0 / 7.0)] {
        let (mut world, body) = on_a_tilt(tilt, friction, body);
        (0..600).for_each(|_| _ = world.advance(H).unwrap());
        let way = 0.5 * part * G * tilt * seconds * seconds;
        let x = world.position(body).unwrap().x;
        assert!((x - way).abs() < 0.01 * way, "{x} m, not {way}");
    }
    // the same cube with friction, on a steep floor, stays where it is to the bit
    let (mut world, body) = on_a_tilt(0.3, 0.5, cube);
    (0..60).for_each(|_| _ = world.advance(H).unwrap());
    let pose = world.pose(body);
    (0..600).for_each(|_| _ = world.advance(H).unwrap());
    assert_eq!((world.pose(body), world.velocity(body)), (pose, Some(Twist::ZERO)));
}

/// Carelessly laid bricks, turned and off their places, are held by frictional
/// torques too, which act at the middle of a patch and not at its points.
#[test]
fn bricks_that_are_laid_carelessly_come_to_rest_for_good() {
    for seed in 2..6 {
        let mut random = Random::new(seed);
        let mut world = World::builder().gravity([0.0, -G, 0.0]).choose(never()).build().unwrap();
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
        let brick = Shape::cuboid(0.5, 0.25, 0.25).unwrap();
        let mut last = None;
        for i in 0..64 {
            let (row, place) = (f64::from(i / 8), f64::from(i % 8));
            let direction = Quat::from_rotation_y(random.range(0.0, core::f64::consts::TAU));
            let place = Vec3::new(1.12 * (place + 0.5 * (row % 2.0)), 0.25 + 0.5 * row, 0.0);
            let at = place + direction * Vec3::X * random.range(0.01, 0.04);
            let turned = Quat::from_rotation_y(random.range(-0.03, 0.03));
            last = Some(world.add(Body::dynamic(brick.clone()).at(at).oriented(turned)).unwrap());
        }
        for _ in 0..1800 {
            world.advance(H).unwrap();
        }
        let before = world.state().clone();
        world.advance(H).unwrap();
        let stands = |i: usize| before.velocity(drystone_core::BodyIndex::new(i)) == Twist::ZERO;
        assert!((0..before.len()).all(stands), "seed {seed}");
        assert_eq!((&before.position, &before.orientation), (&world.state().position, &world.state().orientation));
        // the control: a brick that is pushed moves
        world.apply_impulse(last.unwrap(), Vec3::X * 1e3, Vec3::Y * 4.0).unwrap();
        world.advance(H).unwrap();
        assert!(world.state().position != before.position);
    }
}
