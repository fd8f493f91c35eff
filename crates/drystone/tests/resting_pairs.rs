//! Detections leave out pairs of sleeping bodies: a step costs in proportion to what is awake, and finds the same as a detection of all pairs.

use drystone::Replacement;
use drystone::prelude::*;
use drystone_broad_phase::AabbTree;
use drystone_contact_graph::{GraphAnalysis, GraphSettings};
use drystone_core::{
    BodyPair, BroadPhase, BroadPhaseInput, CoherenceAnalysis, ContactGraph, ContactSeed, FrameView, Moving,
    NarrowCache, NarrowPhase, PairBatch, PosedShape, Proximity, UnsupportedPair,
};
use drystone_joints::JointDescription;
use drystone_narrow_phase::Combined;
use drystone_testkit::Random;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const H: f64 = 1.0 / 60.0;

/// What the modules were given: bodies for the broad phase, pairs for the analysis, edges for the narrow phase; and how many detections left some
/// out.
#[derive(Default)]
struct Given {
    bodies: AtomicU64,
    pairs: AtomicU64,
    edges: AtomicU64,
    left_out: AtomicU64,
}

impl Given {
    fn take(&self) -> [u64; 3] {
        [&self.bodies, &self.pairs, &self.edges].map(|count| count.swap(0, Ordering::Relaxed))
    }
}

/// A module of the preset that counts its input. The flag says whether the analysis may leave resting pairs out.
struct Counted<M>(M, Arc<Given>, bool);

impl BroadPhase for Counted<AabbTree> {
    fn name(&self) -> &'static str {
        "counted"
    }

    fn find_pairs(&mut self, input: BroadPhaseInput<'_>, pairs: &mut Vec<BodyPair>) {
        self.1.bodies.fetch_add(input.boxes.len() as u64, Ordering::Relaxed);
        self.0.find_pairs(input, pairs);
    }

    fn find_moving_pairs(&mut self, input: BroadPhaseInput<'_>, moving: Moving<'_>, pairs: &mut Vec<BodyPair>) {
        self.1.bodies.fetch_add(moving.bodies.len() as u64, Ordering::Relaxed);
        self.1.left_out.fetch_add(1, Ordering::Relaxed);
        self.0.find_moving_pairs(input, moving, pairs);
    }
}

impl NarrowPhase for Counted<Combined> {
    fn name(&self) -> &'static str {
        "counted"
    }

    fn supports(&self, a: &Shape, b: &Shape) -> bool {
        self.0.supports(a, b)
    }

    fn query(
        &self,
        a: PosedShape<'_>,
        b: PosedShape<'_>,
        envelope: f64,
        cache: &mut NarrowCache,
        seeds: &mut Vec<ContactSeed>,
    ) -> Result<Proximity, UnsupportedPair> {
        self.0.query(a, b, envelope, cache, seeds)
    }

    fn query_batch(&self, batch: &mut PairBatch<'_>) -> Result<(), UnsupportedPair> {
        self.1.edges.fetch_add(batch.edges.len() as u64, Ordering::Relaxed);
        self.0.query_batch(batch)
    }
}

impl CoherenceAnalysis for Counted<GraphAnalysis> {
    fn name(&self) -> &'static str {
        "counted"
    }

    fn watches_sleep(&self) -> bool {
        self.0.watches_sleep()
    }

    fn keeps_contacts(&self) -> bool {
        self.0.keeps_contacts()
    }

    fn leaves_rest(&self) -> bool {
        self.2 && self.0.leaves_rest()
    }

    fn after_broad_phase(&mut self, frame: FrameView<'_>, pairs: &[BodyPair], graph: &mut ContactGraph) {
        self.1.pairs.fetch_add(pairs.len() as u64, Ordering::Relaxed);
        self.0.after_broad_phase(frame, pairs, graph);
    }

    fn after_narrow_phase(&mut self, frame: FrameView<'_>, graph: &mut ContactGraph) {
        self.0.after_narrow_phase(frame, graph);
    }

    fn after_contact_determination(&mut self, frame: FrameView<'_>, graph: &mut ContactGraph) {
        self.0.after_contact_determination(frame, graph);
    }

    fn stack_layers(&mut self, frame: FrameView<'_>, graph: &mut ContactGraph) {
        self.0.stack_layers(frame, graph);
    }
}

/// A world of the preset with counting modules, and their counts.
fn world(paradigm: Paradigm, threads: usize, told: bool) -> (World, Arc<Given>) {
    let given = Arc::<Given>::default();
    let settings = GraphSettings { reuse: true, reuse_distance: 1e-5, reuse_angle: 1e-5, ..GraphSettings::default() };
    let world = World::builder()
        .paradigm(paradigm)
        .threads(threads)
        .replace(Replacement::broad_phase(Counted(AabbTree::default(), given.clone(), told)))
        .replace(Replacement::narrow_phase(Counted(Combined, given.clone(), told)))
        .replace(Replacement::coherence(Counted(GraphAnalysis::new(&settings), given.clone(), told)))
        .build()
        .unwrap();
    (world, given)
}

fn cube() -> Body {
    Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap())
}

/// Piles of ten sleeping boxes, and a ball that slides past them. Returns the bodies, pairs and edges given to the modules, as an average per step
/// over a second.
fn given_in_a_step(piles: usize, told: bool) -> [f64; 3] {
    let (mut world, given) = world(Paradigm::REAL_TIME, 1, told);
    let ice = world.add_material(Material { friction: 0.0, ..Material::default() }).unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    for pile in 0..piles {
        for (row, i) in (0..4).flat_map(|row| (0..4 - row).map(move |i| (f64::from(row), f64::from(i)))) {
            let place = Vec3::new(1.05 * i + 0.525 * row, 0.5 + row, 6.0 * pile as f64);
            world.add(cube().at(place)).unwrap();
        }
    }
    let ball = Body::dynamic(Shape::sphere(0.3).unwrap()).material(ice);
    world.add(ball.at([-4.0, 0.3, 0.9]).linear_velocity([1.5, 0.0, 0.0])).unwrap();
    (0..180).for_each(|_| _ = world.advance(H).unwrap());
    given.take();
    for _ in 0..60 {
        let report = world.advance(H).unwrap();
        assert_eq!(report.sleeping, 10 * piles as u64);
        assert!(report.contacts > 60 * piles as u64, "{} contacts are told of", report.contacts);
    }
    let counts = given.take().map(|count| count as f64 / 60.0);
    let info = allocation_counter::measure(|| (0..20).for_each(|_| _ = world.advance(H).unwrap()));
    assert_eq!(info.count_total, 0, "a warm step allocates nothing");
    counts
}

#[test]
fn what_sleeps_costs_nothing() {
    let [few, many] = [5, 50].map(|piles| given_in_a_step(piles, true));
    // the ball, its pair with the ground, and its pairs with cubes whose boxes it crosses
    assert_eq!(few, many);
    assert!(few[0] <= 1.0 && few.iter().all(|given| *given < 8.0), "{few:?}");
    // the control: if nothing may be left out, everything is looked at
    let [few, many] = [5, 50].map(|piles| given_in_a_step(piles, false));
    assert!(few.iter().zip(many).all(|(few, many)| *few > 50.0 && many > 9.0 * few), "{few:?} {many:?}");
}

/// A world in which few bodies are awake, and its random generator.
struct Yard {
    world: World,
    given: Arc<Given>,
    random: Random,
    bodies: Vec<BodyId>,
}

impl Yard {
    fn new(seed: u64, told: bool) -> Self {
        let paradigms = [Paradigm::REAL_TIME, Paradigm::REAL_TIME, Paradigm::VELOCITY_LCP, Paradigm::SUBSTEP_SOFT];
        let threads = if seed.is_multiple_of(5) { 2 } else { 1 };
        let (mut world, given) = world(paradigms[seed as usize % paradigms.len()], threads, told);
        let mut random = Random::new(seed);
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
        if seed % 3 == 1 {
            // some bodies sleep inside it
            let gate = Body::fixed(Shape::cuboid(3.0, 1.0, 3.0).unwrap()).at([0.0, 0.5, 0.0]).sensor(true);
            world.add(gate).unwrap();
        }
        let mut bodies = Vec::new();
        for pile in 0..6 + random.below(6) {
            let crowded = random.below(2) == 0;
            for layer in 0..2 + random.below(3) {
                let spread = if crowded { 0.6 } else { 0.1 };
                let x = 4.0 * pile as f64 + random.range(-spread, spread);
                let turned = Quat::from_rotation_y(random.range(-0.3, 0.3));
                let place = Vec3::new(x, 0.5 + layer as f64, random.range(-spread, spread));
                bodies.push(world.add(cube().at(place).oriented(turned)).unwrap());
            }
        }
        let bob = world.add(Body::dynamic(Shape::sphere(0.2).unwrap()).at([-6.0, 3.0, 0.0])).unwrap();
        let pose = world.pose(bob).unwrap();
        let ball = JointDescription { anchor: Some(pose.position - Vec3::X), ..JointDescription::new("ball") };
        let joint = drystone_joints::build(&ball, &Pose::IDENTITY, &pose).unwrap();
        if seed.is_multiple_of(2) {
            world.add_joint([None, Some(bob)], joint).unwrap();
        }
        bodies.push(bob);
        Self { world, given, random, bodies }
    }

    /// Now and then, something that a user may do while the world runs.
    fn interfere(&mut self, step: u32) {
        let Self { world, random, bodies, .. } = self;
        if random.below(25) > 0 || step < 60 {
            return;
        }
        let body = bodies[random.below(bodies.len())];
        let push = Vec3::new(random.range(-600.0, 600.0), 0.0, random.range(-600.0, 600.0));
        match random.below(12) {
            0..4 => {
                let at = Vec3::new(random.range(-4.0, 40.0), random.range(0.3, 4.0), 6.0);
                let ball = Body::dynamic(Shape::sphere(0.3).unwrap()).at(at).linear_velocity([0.0, 2.0, -6.0]);
                bodies.push(world.add(ball).unwrap());
            }
            4 if bodies.len() > 3 => {
                world.remove(body).unwrap();
                bodies.retain(|b| *b != body);
            }
            5 => world.set_gravity(Vec3::Y * -random.range(8.0, 12.0)).unwrap(),
            6 => world.apply_impulse(body, push, Vec3::ZERO).unwrap(),
            7 => world.apply_force(body, push, Vec3::ZERO).unwrap(),
            8 => world.sleep(body).unwrap(),
            9 => {
                let snapshot = world.snapshot();
                (0..5).for_each(|_| _ = world.advance(H));
                world.restore(&snapshot).unwrap();
            }
            10 => world.wake(body).unwrap(),
            _ => world.set_mass(body, random.range(100.0, 3000.0)).unwrap(),
        }
    }

    /// Everything that a step reports, except its own cost.
    fn step(&mut self, dt: f64) -> String {
        let report = self.world.advance(dt).unwrap();
        let figures =
            (report.contacts, report.groups, report.penetration, report.sleeping, report.events, report.calls);
        let world = &self.world;
        let edges: Vec<_> = world.graph().iter().map(|e| (e.pair, e.overlapping, e.touching, e.action)).collect();
        let groups = &world.graph().groups;
        format!("{figures:?} {:?} {edges:?} {groups:?} {:?}", world.events(), world.graph().events)
    }

    fn bits(&self) -> Vec<u64> {
        let state = self.world.state();
        let places = state.position.iter().flat_map(Vec3::to_array);
        let turns = state.orientation.iter().flat_map(Quat::to_array);
        let speeds = state.linear_velocity.iter().chain(&state.angular_velocity).flat_map(Vec3::to_array);
        places.chain(turns).chain(speeds).map(f64::to_bits).collect()
    }
}

#[test]
fn what_is_found_is_what_is_found_where_all_is_looked_at() {
    let (mut left_out, mut steps) = (0, 0);
    for seed in 0..40 {
        let [mut told, mut untold] = [true, false].map(|told| Yard::new(seed, told));
        for step in 0..400 {
            told.interfere(step);
            untold.interfere(step);
            let dt = if step % 150 < 140 { H } else { 0.5 * H };
            assert_eq!(told.step(dt), untold.step(dt), "seed {seed}, step {step}");
            assert_eq!(told.bits(), untold.bits(), "seed {seed}, step {step}");
            steps += 1;
        }
        left_out += told.given.left_out.load(Ordering::Relaxed);
        assert_eq!(untold.given.left_out.load(Ordering::Relaxed), 0);
    }
    // the control: many steps leave pairs out, and many do not
    assert!(left_out > steps / 4 && left_out < steps, "{left_out} of {steps}");
}
