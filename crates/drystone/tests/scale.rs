//! Work grows as what is there: counts of visits, not times.

use drystone::prelude::*;
use drystone::{RayQuery, Removed, Replacement};
use drystone_core::{
    BodyIndex, Configuration, ConstraintSolver, Executor, ForceField, GroupAnswer, GroupProblem, SolveReport, State,
    Step,
};
use drystone_math::Wrench;
use drystone_testkit::Random;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// A constraint solver that leaves all velocities as they are, and counts the rows that each of its instances gets.
struct CountsRows {
    rows: Arc<Mutex<Vec<usize>>>,
    own: usize,
}

impl CountsRows {
    fn next(rows: &Arc<Mutex<Vec<usize>>>) -> Self {
        let mut list = rows.lock().unwrap();
        list.push(0);
        Self { rows: rows.clone(), own: list.len() - 1 }
    }
}

impl ConstraintSolver for CountsRows {
    fn name(&self) -> &'static str {
        "counts-rows"
    }

    fn solve(&mut self, problem: &GroupProblem, _: Step, _: &dyn Executor, _: &mut GroupAnswer) -> SolveReport {
        self.rows.lock().unwrap()[self.own] += problem.rows.len();
        SolveReport::default()
    }

    fn fork(&self) -> Box<dyn ConstraintSolver> {
        Box::new(Self::next(&self.rows))
    }
}

/// Chains of random lengths hang beside each other: each thread gets about as many rows of joints. Counted by chains alone, the longest ones would decide.
#[test]
fn chains_are_shared_out_by_their_joints() {
    for (seed, threads) in [(1, 2), (2, 4), (3, 8), (4, 16)] {
        let mut random = Random::new(seed);
        let rows = Arc::default();
        let solver = Replacement::ConstraintSolver(Box::new(CountsRows::next(&rows)));
        let mut world = World::builder().threads(threads).replace(solver).build().unwrap();
        let link = Body::dynamic(Shape::sphere(0.1).unwrap());
        let mut longest = 0;
        for chain in 0..200 {
            // short ones first: shares of equal numbers of chains are far from equal
            let links = 1 + (chain * chain / 500) + (random.unit() * 4.0) as usize;
            longest = longest.max(links);
            let mut holder = None;
            for k in 0..links {
                let place = [chain as f64, -(k as f64) - 1.0, 0.0];
                let body = world.add(link.clone().at(place)).unwrap();
                world.join(Joint::ball(holder, body).anchor([chain as f64, -(k as f64), 0.0])).unwrap();
                holder = Some(body);
            }
        }
        world.advance(0.01).unwrap();
        let rows = rows.lock().unwrap().clone();
        let (most, all) = (rows.iter().max().unwrap(), rows.iter().sum::<usize>());
        assert!(rows.iter().filter(|r| **r > 0).count() == threads, "{rows:?}");
        // a ball joint has three rows, and a chain is not divided
        let fair = all / threads + 2 * 3 * longest;
        assert!(*most <= fair, "{most} of {all} on {threads} threads: {rows:?}");
    }
}

/// A force between two bodies that never acts, and counts how often it is asked whom it links.
#[derive(Clone)]
struct CountsQuestions(Arc<AtomicUsize>);

impl ForceField for CountsQuestions {
    fn accumulate(&self, _: &Configuration, _: &State, _: &mut [Wrench]) {}

    fn linked_bodies(&self) -> Option<[Option<BodyIndex>; 2]> {
        self.0.fetch_add(1, Ordering::Relaxed);
        None
    }
}

/// Balls in rows, some of which touch or hang together, on a floor.
fn heap(count: usize, seed: u64) -> (World, Vec<drystone::core::BodyId>) {
    let mut random = Random::new(seed);
    let mut world = World::builder().build().unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    let mut ids = Vec::new();
    for k in 0..count {
        let place = Vec3::new((k % 10) as f64, 0.5 + (k / 100) as f64, (k / 10 % 10) as f64);
        let ball = Body::dynamic(Shape::sphere(0.5 + 0.01 * random.unit()).unwrap());
        ids.push(world.add(ball.at(place + random.vector(0.02))).unwrap());
    }
    for k in 0..count / 4 {
        let pair = [ids[4 * k], ids[4 * k + 1 + (random.unit() * 3.0) as usize]];
        world.join(Joint::ball(pair[0], pair[1]).anchor([k as f64, 0.0, 0.0])).unwrap();
    }
    (world, ids)
}

/// However many bodies go, links are walked once.
#[test]
fn bodies_that_go_together_take_one_pass() {
    let asked = |gone: usize| {
        let (mut world, ids) = heap(400, 3);
        let count = Arc::new(AtomicUsize::new(0));
        world.add_force(CountsQuestions(count.clone()));
        count.store(0, Ordering::Relaxed);
        world.remove_many(&ids[..gone]).unwrap();
        count.load(Ordering::Relaxed)
    };
    let one = asked(1);
    assert!(one > 0);
    for gone in [2, 20, 200, 400] {
        assert_eq!(asked(gone), one, "{gone}");
    }
}

/// Removing bodies at once leaves the world that removing one after the other does, to the bit, also in the steps that follow.
#[test]
fn bodies_that_go_together_leave_what_those_that_go_in_turn_do() {
    for seed in 0..12 {
        let mut random = Random::new(100 + seed);
        let (mut together, ids) = heap(120, seed);
        let (mut in_turn, own) = heap(120, seed);
        for world in [&mut together, &mut in_turn] {
            for _ in 0..10 {
                world.advance(0.01).unwrap();
            }
        }
        let share = random.unit();
        let mut gone: Vec<usize> = (0..120).filter(|_| random.unit() < share).collect();
        for k in (1..gone.len()).rev() {
            gone.swap(k, (random.unit() * (k + 1) as f64) as usize);
        }
        let named: Vec<_> = gone.iter().map(|k| ids[*k]).collect();
        let mut removed = together.remove_many(&named).unwrap();
        let mut others = Removed::default();
        for k in &gone {
            others.joints.extend(in_turn.remove(own[*k]).unwrap().joints);
        }
        removed.joints.sort_unstable();
        others.joints.sort_unstable();
        assert_eq!(removed, others);
        assert_eq!(together.state(), in_turn.state(), "{seed}");
        assert_eq!(together.bodies(), in_turn.bodies());
        for step in 0..20 {
            let steps = [&mut together, &mut in_turn].map(|w| w.advance(0.01).map(|r| r.contacts).unwrap());
            assert_eq!(steps[0], steps[1], "{seed} {step}");
            assert_eq!(together.state(), in_turn.state(), "{seed} {step}");
            let mut pairs = [&together, &in_turn].map(|w| w.touching().collect::<Vec<_>>());
            assert_eq!(pairs[0].len(), pairs[1].len());
            assert_eq!(pairs[0].pop(), pairs[1].pop());
        }
    }
}

#[test]
fn a_body_that_is_not_there_keeps_the_others() {
    let (mut world, ids) = heap(20, 1);
    world.remove(ids[3]).unwrap();
    let before = world.state().clone();
    assert!(world.remove_many(&[ids[4], ids[3]]).is_err());
    assert_eq!(world.state(), &before);
    assert_eq!(world.remove_many(&[]).unwrap(), Removed::default());
    world.remove_many(&[ids[4], ids[4]]).unwrap();
    assert_eq!(world.state().len(), before.len() - 1);
}

/// Many rays at once hit what they hit one by one, on any number of threads.
#[test]
fn rays_together_hit_what_each_hits() {
    for threads in [1, 2, 5] {
        let mut random = Random::new(7);
        let mut world = World::builder().threads(threads).build().unwrap();
        for _ in 0..200 {
            world.add(Body::fixed(Shape::cuboid(0.3, 0.2, 0.4).unwrap()).at(random.vector(5.0))).unwrap();
        }
        let rays: Vec<RayQuery> = (0..1000)
            .map(|_| RayQuery { origin: random.vector(6.0), direction: random.vector(1.0), length: f64::INFINITY })
            .collect();
        let query = world.query();
        let hits = query.rays(&rays).unwrap();
        let alone: Vec<_> = rays.iter().map(|r| query.ray(r.origin, r.direction, r.length).unwrap()).collect();
        assert_eq!(hits, alone);
        let hit = hits.iter().flatten().count();
        assert!(hit > 100 && hit < 1000, "{hit}");
        let bad = RayQuery { direction: Vec3::ZERO, ..rays[0] };
        assert_eq!(query.rays(&[rays[0], bad]), Err(drystone::QueryError::ZeroDirection));
    }
}
