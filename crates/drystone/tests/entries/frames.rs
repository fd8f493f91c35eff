//! What a frame is made of: its steps, which modules are called in them, how often, and in what order.

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind, Modules, Replacement};
use drystone_core::catalogue::Value;
use drystone_core::{
    Configuration, ConstraintSolver, Executor, ForceField, GroupAnswer, GroupProblem, Levels, Module, Resolves,
    ScriptedState, SolveReport, State, Step, StepObserver,
};
use drystone_math::Wrench;
use drystone_motion::script::FunctionOfTime;
use std::sync::{Arc, Mutex};

const H: f64 = 0.01;

#[derive(Clone, Default)]
struct Calls(Arc<Mutex<Vec<(Module, Module)>>>);

impl StepObserver for Calls {
    fn call(&mut self, from: Module, to: Module) {
        self.0.lock().unwrap().push((from, to));
    }
}

impl Calls {
    fn watch(world: &mut World) -> Self {
        let calls = Self::default();
        world.observe(Some(Box::new(calls.clone())));
        calls
    }

    /// The calls since this was last asked.
    fn taken(&self) -> Vec<(Module, Module)> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

fn floor(world: &mut World, restitution: f64) -> drystone_core::MaterialIndex {
    let m = world.add_material(Material { friction: 0.5, restitution, ..Material::default() }).unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(m)).unwrap();
    m
}

fn cube(at: [f64; 3]) -> Body {
    Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at(at)
}

fn choose(kind: ModuleKind, name: Option<&str>, settings: &[(&str, Value)]) -> ModuleChoice {
    let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
    ModuleChoice { kind, name: name.map(str::to_owned), settings }
}

/// B-01: a frame of 1/25 s consists of as many steps as are asked
/// for, each with one detection and one problem, and ends at the right time.
#[test]
fn a_frame_is_so_many_steps_with_a_problem_each() {
    for steps in [1_u32, 4, 10] {
        let sub_steps = choose(ModuleKind::TimeControl, None, &[("sub_steps", Value::Integer(i64::from(steps)))]);
        let mut world = World::builder().paradigm(Paradigm::VELOCITY_LCP).choose(sub_steps).build().unwrap();
        let m = floor(&mut world, 0.0);
        world.add(cube([0.0, 0.5, 0.0]).material(m)).unwrap();
        let calls = Calls::watch(&mut world);
        for frame in 1..=5 {
            let report = world.advance(1.0 / 25.0).unwrap().calls;
            let counted = [report.sub_steps, report.detections, report.solve.lcp.solves];
            assert_eq!(counted, [u64::from(steps); 3], "{report:?}");
            assert!((world.time() - f64::from(frame) / 25.0).abs() < 1e-12);
            // an observer sees as many detections
            let seen = calls.taken().iter().filter(|c| c.1 == Module::BroadPhase).count();
            assert_eq!(seen as u64, u64::from(steps));
        }
    }
}

/// A constraint solver that shows each problem it is given to `see`.
struct Watched<F> {
    inner: Box<dyn ConstraintSolver>,
    see: F,
}

impl<F: FnMut(&GroupProblem) + Clone + Send + 'static> ConstraintSolver for Watched<F> {
    fn name(&self) -> &'static str {
        self.inner.name()
    }
    fn levels(&self) -> Levels {
        self.inner.levels()
    }
    fn resolves(&self) -> Resolves {
        self.inner.resolves()
    }
    fn solve(&mut self, p: &GroupProblem, s: Step, e: &dyn Executor, a: &mut GroupAnswer) -> SolveReport {
        (self.see)(p);
        self.inner.solve(p, s, e, a)
    }
    fn cannot(&self, configuration: &Configuration) -> Option<&'static str> {
        self.inner.cannot(configuration)
    }
    fn sub_steps(&self) -> u32 {
        self.inner.sub_steps()
    }
    fn fork(&self) -> Box<dyn ConstraintSolver> {
        Box::new(Self { inner: self.inner.fork(), see: self.see.clone() })
    }
}

/// The constraint solver of a paradigm, watched.
fn watched(paradigm: Paradigm, see: impl FnMut(&GroupProblem) + Clone + Send + 'static) -> Replacement {
    let inner = Modules::assemble(&paradigm, &[]).unwrap().stages.constraint_solver;
    Replacement::constraint_solver(Watched { inner, see })
}

struct Told(Arc<Mutex<Vec<char>>>);

impl ForceField for Told {
    fn accumulate(&self, _: &Configuration, _: &State, _: &mut [Wrench]) {
        self.0.lock().unwrap().push('f');
    }
}

/// within a step, scripted bodies come first, then external forces, then constraint
/// forces. So a lift that starts to move takes along what stands on it in the same step.
#[test]
fn scripts_come_before_forces_and_forces_before_constraints() {
    const START: f64 = 0.1;
    let log = Arc::new(Mutex::new(Vec::new()));
    let (of_script, of_solver) = (log.clone(), log.clone());
    let solver = watched(Paradigm::VELOCITY_LCP, move |_| of_solver.lock().unwrap().push('c'));
    let mut world = World::builder().paradigm(Paradigm::VELOCITY_LCP).build().unwrap();
    world.replace(solver).unwrap();
    let m = world.add_material(Material { friction: 0.5, restitution: 0.0, ..Material::default() }).unwrap();
    let lift = Body::scripted(Shape::cuboid(1.0, 0.1, 1.0).unwrap()).at([0.0, -0.1, 0.0]).material(m);
    let lift = world.add(lift).unwrap();
    let motion = FunctionOfTime(move |t: f64| {
        of_script.lock().unwrap().push('s');
        let v = if t > START - 1e-9 { Vec3::Y * 0.3 } else { Vec3::ZERO };
        ScriptedState {
            pose: Pose::from_position(Vec3::Y * (0.3 * (t - START).max(0.0) - 0.1)),
            velocity: Twist::new(v, Vec3::ZERO),
            acceleration: Twist::ZERO,
        }
    });
    world.add_script(lift, motion).unwrap();
    world.add_force(Told(log.clone()));
    let carried = world.add(cube([0.0, 0.5, 0.0]).material(m)).unwrap();
    for k in 0..15 {
        log.lock().unwrap().clear();
        world.advance(H).unwrap();
        let order = log.lock().unwrap().clone();
        let first = |c: char| order.iter().position(|o| *o == c).unwrap();
        assert!(first('s') < first('f') && first('f') < first('c'), "{order:?}");
        // the step that begins at the start has the new velocity, the step before it the old one
        let speed = world.velocity(carried).unwrap().linear.y;
        let wanted = if k >= 10 { 0.3 } else { 0.0 };
        assert!((speed - wanted).abs() < 1e-4, "step {k}: {speed}, wanted {wanted}");
    }
}

/// Balls fall on boxes and bounce: the fastest approach (m/s) among all contacts in the problems given to a paradigm's constraint solver.
fn fastest_approach_asked(paradigm: Paradigm) -> f64 {
    let fastest = Arc::new(Mutex::new(0.0_f64));
    let noted = fastest.clone();
    let solver = watched(paradigm, move |p| {
        for c in &p.contacts {
            let [a, b] = c.bodies.map(|b| {
                let body = &p.bodies[b as usize];
                body.velocity.linear + body.velocity.angular.cross(c.position - body.pose.position)
            });
            let mut fastest = noted.lock().unwrap();
            *fastest = fastest.max(-c.normal.dot(b - a));
        }
    });
    let mut world = World::builder().paradigm(paradigm).build().unwrap();
    world.replace(solver).unwrap();
    let m = world.add_material(Material { friction: 0.0, restitution: 0.5, ..Material::default() }).unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(m)).unwrap();
    for x in 0..3 {
        let x = 2.0 * f64::from(x);
        world.add(cube([x, 0.5, 0.0]).material(m)).unwrap();
        let ball = Body::dynamic(Shape::sphere(0.2).unwrap()).at([x + 0.1, 1.5 + 0.2 * x, 0.0]).material(m);
        world.add(ball).unwrap();
    }
    for _ in 0..100 {
        world.advance(H).unwrap();
    }
    *fastest.lock().unwrap()
}

/// forces are solved for only after all collisions are resolved, so nothing approaches faster than gravity
/// can make it in a step. In the control, with equal steps, collisions are part of the problem of forces.
#[test]
fn no_contact_force_is_asked_of_what_collides() {
    for paradigm in [Paradigm::ACCELERATION_LCP, Paradigm::ACCELERATION_LP] {
        let fastest = fastest_approach_asked(paradigm);
        assert!(fastest < 9.81 * H, "{}: {fastest} m/s", paradigm.name);
    }
    assert!(fastest_approach_asked(Paradigm::VELOCITY_LCP) > 1.0);
}

/// which modules the paradigms have.
#[test]
fn paradigms_have_the_modules_that_the_figures_show() {
    let has = |paradigm: &Paradigm, kind| Modules::assemble(paradigm, &[]).unwrap().name(kind) != "none";
    let eight = ModuleKind::ALL.into_iter().filter(|k| !matches!(k, ModuleKind::Lcp | ModuleKind::SleepPolicy));
    let eight: Vec<ModuleKind> = eight.collect();
    assert_eq!(eight.len(), 8);
    for (paradigm, without) in [
        (Paradigm::ACCELERATION_LCP, None),
        (Paradigm::RETROACTIVE, None),
        (Paradigm::PENALTY, Some(ModuleKind::CollisionSolver)),
        (Paradigm::IMPULSE, Some(ModuleKind::ConstraintSolver)),
    ] {
        for kind in &eight {
            assert_eq!(has(&paradigm, *kind), Some(*kind) != without, "{}: {kind:?}", paradigm.name);
        }
    }
}

/// Calls of the collision solver in a second in which a ball falls on the floor.
fn collision_calls(paradigm: Paradigm, choices: &[ModuleChoice]) -> usize {
    let mut builder = World::builder().paradigm(paradigm);
    for c in choices {
        builder = builder.choose(c.clone());
    }
    let mut world = builder.build().unwrap();
    let m = floor(&mut world, 0.5);
    world.add(Body::dynamic(Shape::sphere(0.2).unwrap()).at([0.0, 1.0, 0.0]).material(m)).unwrap();
    let calls = Calls::watch(&mut world);
    for _ in 0..100 {
        world.advance(H).unwrap();
    }
    calls.taken().iter().filter(|c| c.1 == Module::CollisionSolver).count()
}

/// D-20: without inertia no velocity can jump, so the collision solver is never called.
#[test]
fn without_inertia_there_are_no_impulses() {
    assert_eq!(collision_calls(Paradigm::FIRST_ORDER, &[]), 0);
    // the control: the same steps with inertia and a collision solver
    let sequential = choose(ModuleKind::CollisionSolver, Some("sequential"), &[]);
    assert!(collision_calls(Paradigm::VELOCITY_LCP, &[sequential]) > 0);
}

/// The fewest and the most calls in a step, of the broad phase and of the constraint solver, while a ball falls on a box and bounces.
fn work(paradigm: Paradigm) -> [(usize, usize); 2] {
    let mut world = World::builder().paradigm(paradigm).build().unwrap();
    let m = floor(&mut world, 0.5);
    world.add(cube([0.0, 0.5, 0.0]).material(m)).unwrap();
    world.add(Body::dynamic(Shape::sphere(0.2).unwrap()).at([0.0, 2.0, 0.0]).material(m)).unwrap();
    let calls = Calls::watch(&mut world);
    let mut range = [(usize::MAX, 0); 2];
    for _ in 0..100 {
        world.advance(H).unwrap();
        let seen = calls.taken();
        for (r, to) in range.iter_mut().zip([Module::BroadPhase, Module::ConstraintSolver]) {
            let n = seen.iter().filter(|c| c.1 == to).count();
            *r = (r.0.min(n), r.1.max(n));
        }
    }
    range
}

/// B-20: presets for interactive use need the same number of evaluations in each step, those that search for collisions do not.
#[test]
fn interactive_presets_work_the_same_in_every_step() {
    for paradigm in [Paradigm::REAL_TIME, Paradigm::VELOCITY_LCP, Paradigm::LOAD_PROPAGATION] {
        let name = paradigm.name;
        for (least, most) in work(paradigm) {
            assert!(least == most && least > 0, "{name}: {least} to {most}");
        }
    }
    let [_, (least, most)] = work(Paradigm::RETROACTIVE);
    assert!(most > least, "{least} to {most}");
}
