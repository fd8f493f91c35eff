//! What stands still is free: fixed bodies, and those that sleep.

use drystone::Replacement;
use drystone::prelude::*;
use drystone_broad_phase::AabbTree;
use drystone_contact_graph::GraphAnalysis;
use drystone_contact_graph::sleep::KineticEnergyRelative;
use drystone_core::{
    BodyPair, BroadPhase, BroadPhaseInput, CoherenceAnalysis, ContactGraph, FrameView, Moving, SleepMemory,
    SleepObservation, SleepPolicy,
};
use drystone_testkit::Random;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A broad phase that counts the bodies whose boxes it is told to look at.
struct CountsBoxes(AabbTree, Arc<AtomicUsize>);

impl BroadPhase for CountsBoxes {
    fn name(&self) -> &'static str {
        "counts-boxes"
    }

    fn find_pairs(&mut self, input: BroadPhaseInput<'_>, pairs: &mut Vec<BodyPair>) {
        self.1.fetch_add(input.boxes.len(), Ordering::Relaxed);
        self.0.find_pairs(input, pairs);
    }

    fn find_moving_pairs(&mut self, input: BroadPhaseInput<'_>, moving: Moving<'_>, pairs: &mut Vec<BodyPair>) {
        self.1.fetch_add(moving.bodies.len(), Ordering::Relaxed);
        self.0.find_moving_pairs(input, moving, pairs);
    }
}

/// The analysis by the contact graph, which must look at everything in every step.
struct LooksAtAll(GraphAnalysis);

impl CoherenceAnalysis for LooksAtAll {
    fn name(&self) -> &'static str {
        "looks-at-all"
    }

    fn watches_sleep(&self) -> bool {
        false
    }

    fn keeps_contacts(&self) -> bool {
        true
    }

    fn leaves_rest(&self) -> bool {
        false
    }

    fn after_broad_phase(&mut self, frame: FrameView<'_>, pairs: &[BodyPair], graph: &mut ContactGraph) {
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

/// A sleep policy that counts the bodies that it is asked about.
struct CountsSleepy(KineticEnergyRelative, Arc<AtomicUsize>);

impl SleepPolicy for CountsSleepy {
    fn name(&self) -> &'static str {
        "counts-sleepy"
    }

    fn is_sleepy(&self, observation: &SleepObservation, dt: f64, memory: &mut SleepMemory) -> bool {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.is_sleepy(observation, dt, memory)
    }
}
/// Bodies that never move cost a broad phase nothing: it looks at those that may move, however many others there are.
#[test]
fn fixed_bodies_are_not_looked_at_again() {
    for fixed in [100, 1000, 10_000] {
        let mut random = Random::new(17);
        let count = Arc::new(AtomicUsize::new(0));
        let counting = Replacement::BroadPhase(Box::new(CountsBoxes(AabbTree::default(), count.clone())));
        let mut world = World::builder().replace(counting).build().unwrap();
        let mut plain = World::builder().build().unwrap();
        for world in [&mut world, &mut plain] {
            for k in 0..fixed {
                let at = Vec3::new(f64::from(k % 50), 0.0, f64::from(k / 50));
                world.add(Body::fixed(Shape::cuboid(0.45, 0.5, 0.45).unwrap()).at(at)).unwrap();
            }
        }
        for _ in 0..10 {
            let at = Vec3::new(0.3, 3.0, 0.3) + random.vector(0.2) + Vec3::X * 10.0 * random.unit();
            let spin = random.vector(3.0);
            for world in [&mut world, &mut plain] {
                let ball = Body::dynamic(Shape::cuboid(0.2, 0.3, 0.25).unwrap());
                world.add(ball.at(at).angular_velocity(spin)).unwrap();
            }
        }
        for step in 0..60 {
            let before = count.load(Ordering::Relaxed);
            world.advance(0.01).unwrap();
            plain.advance(0.01).unwrap();
            let looked = count.load(Ordering::Relaxed) - before;
            // the first steps find out what moves
            assert!(step < 3 || looked <= 10, "{looked} boxes with {fixed} fixed bodies in step {step}");
            assert_same(&world, &plain, &format!("{fixed} {step}"));
        }
    }
}

/// Stacks of boxes on a floor, all asleep, of which some hang together; and balls that fly over them, some of which fall on a stack and wake it.
fn sleepers(world: &mut World, stacks: usize, seed: u64) {
    let mut random = Random::new(seed);
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    let cube = Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap());
    let mut asleep = Vec::new();
    for k in 0..stacks {
        let place = Vec3::new(2.0 * (k % 20) as f64, 0.5, 2.0 * (k / 20) as f64);
        let height = 1 + (3.0 * random.unit()) as usize;
        for i in 0..height {
            asleep.push(world.add(cube.clone().at(place + Vec3::Y * i as f64)).unwrap());
        }
        if let [.., below, above] = asleep[asleep.len() - height..]
            && random.unit() < 0.3
        {
            world.join(Joint::ball(below, above).anchor(place + Vec3::Y * (height as f64 - 1.5))).unwrap();
        }
    }
    for id in asleep {
        world.sleep(id).unwrap();
    }
    let ball = Body::dynamic(Shape::sphere(0.2).unwrap());
    for _ in 0..8 {
        let place = Vec3::new(39.0 * random.unit(), 4.0, 2.0 * (stacks / 20) as f64 * random.unit());
        world.add(ball.clone().at(place).linear_velocity(random.vector(2.0))).unwrap();
    }
}

/// Fails with the first body that differs between two worlds.
fn assert_same(one: &World, other: &World, what: &str) {
    let of = |world: &World, i: usize| {
        let s = world.state();
        (s.position[i], s.orientation[i], s.linear_velocity[i], s.angular_velocity[i], s.sleeping[i], s.flight[i])
    };
    for i in 0..one.state().len() {
        assert_eq!(of(one, i), of(other, i), "{what}: body {i}");
    }
    assert!(one.state() == other.state(), "{what}");
}

/// Sleepers are neither boxed anew, nor asked whether they are sleepy, until something wakes them; and until then the world goes as it does if everything is
/// looked at in every step, to the bit.
#[test]
fn what_sleeps_is_not_looked_at_and_goes_as_if_it_were() {
    for (seed, stacks) in [(1, 20), (2, 60), (3, 200)] {
        let counts = [(); 2].map(|()| Arc::new(AtomicUsize::new(0)));
        let [boxes, asked] = counts.clone();
        let mut world = World::builder()
            .replace(Replacement::BroadPhase(Box::new(CountsBoxes(AabbTree::default(), boxes))))
            .replace(Replacement::SleepPolicy(Box::new(CountsSleepy(KineticEnergyRelative::default(), asked))))
            .build()
            .unwrap();
        let at_all = Replacement::CoherenceAnalysis(Box::new(LooksAtAll(GraphAnalysis::default())));
        let policy = || Replacement::sleep_policy(KineticEnergyRelative::default());
        let mut plain = World::builder().replace(at_all).replace(policy()).build().unwrap();
        for world in [&mut world, &mut plain] {
            sleepers(world, stacks, seed);
        }
        let (mut woken, mut quiet, mut again) = (0, 0, 0);
        let awake = |world: &World| world.state().sleeping.iter().filter(|s| !**s).count();
        let mut before = (Vec::new(), 0);
        for step in 0..90 {
            let earlier = counts.each_ref().map(|count| count.load(Ordering::Relaxed));
            let moving = awake(&world);
            world.advance(0.01).unwrap();
            plain.advance(0.01).unwrap();
            // the balls that fly, and the floor
            if woken <= 9 {
                assert_same(&world, &plain, &format!("{seed} {step}"));
                assert!(world.touching().eq(plain.touching()), "{seed} {step}");
            }
            let [boxes, asked] = [0, 1].map(|k| counts[k].load(Ordering::Relaxed) - earlier[k]);
            assert!(asked <= moving.max(awake(&world)), "{asked} of {moving} in step {step}");
            // the steps after a body has woken or fallen asleep find out what moves
            let same = before.0 == world.state().sleeping;
            before = (world.state().sleeping.clone(), if same { before.1 + 1 } else { 0 });
            if before.1 > 3 {
                quiet += 1;
                // where pairs become so many that distant ones are dropped, all are found anew
                again += usize::from(boxes > moving);
            }
            woken = woken.max(moving);
        }
        // the floor never sleeps
        assert!(woken > 9 && quiet > 20 && 20 * again <= quiet, "{woken} {quiet} {again}");
    }
}
