//! The life of an edge: proximity and touching events, reuse, skipping, rules, and when it is dropped.

use drystone_contact_graph::{GraphAnalysis, forget_body, remove_bodies};
use drystone_core::catalogue::{Settings, Value};
use drystone_core::{BodyIndex, BodyKind, BodyPair, EdgeAction, EventCounts, Gone, OneThread};
use drystone_math::{Quat, Vec3};
use drystone_testkit::{GraphScene, Random};

const PAIR: BodyPair = BodyPair { a: BodyIndex(0), b: BodyIndex(1) };

/// An analysis that reuses the contacts of pairs that hardly moved.
fn reusing() -> GraphAnalysis {
    let mut settings = Settings::defaults(&GraphAnalysis::DESCRIPTION);
    settings.set("reuse", &Value::Bool(true)).unwrap();
    GraphAnalysis::from_settings(&settings)
}

fn two_spheres(gap: f64) -> GraphScene {
    let mut s = GraphScene::default();
    s.sphere(BodyKind::Dynamic, Vec3::ZERO, 0.5);
    s.sphere(BodyKind::Dynamic, Vec3::X * (1.0 + gap), 0.5);
    s
}

#[test]
fn a_pass_by_gives_its_events_in_order() {
    // H-04
    let mut s = two_spheres(1.0);
    let mut analysis = GraphAnalysis::default();
    // diagonally past, so that the boxes meet before the balls
    let path = [(3.0, 3.0), (0.95, 0.95), (0.9, 0.9), (0.7, 0.7), (0.6, 0.6), (0.9, 0.9), (3.0, 3.0), (3.0, 3.1)];
    let none = EventCounts::default();
    let expected = [
        none,
        EventCounts { new_proximity: 1, ..none },
        none,
        EventCounts { new_touching: 1, ..none },
        none,
        EventCounts { vanishing_touching: 1, ..none },
        EventCounts { vanishing_proximity: 1, ..none },
        none,
    ];
    for ((x, y), events) in path.into_iter().zip(expected) {
        s.state.position[1] = Vec3::new(x, y, 0.0);
        s.detect(&mut analysis);
        assert_eq!(s.graph.events, events, "at {x}, {y}");
    }
    // torn apart while touching: touching and proximity vanish at the same time
    for (x, events) in [
        (1.0, EventCounts { new_proximity: 1, new_touching: 1, ..none }),
        (9.0, EventCounts { vanishing_proximity: 1, vanishing_touching: 1, ..none }),
    ] {
        s.state.position[1] = Vec3::X * x;
        s.detect(&mut analysis);
        assert_eq!(s.graph.events, events);
    }
}

#[test]
fn an_edge_is_one_in_either_direction() {
    // H-01
    let mut s = GraphScene::default();
    for i in 0..50 {
        s.sphere(BodyKind::Dynamic, Vec3::X * f64::from(i), 0.6);
    }
    s.detect(&mut GraphAnalysis::default());
    let edge = |a: usize, b: usize| s.graph.edge(BodyIndex::new(a), BodyIndex::new(b));
    for a in 0..50 {
        assert!(edge(a, a).is_none());
        for b in 0..a {
            let (one, other) = (edge(a, b), edge(b, a));
            assert_eq!(one.is_some(), a - b == 1, "{a} {b}");
            assert!(one.zip(other).is_none_or(|(x, y)| core::ptr::eq(x, y)) && one.is_some() == other.is_some());
            // the smaller index is A
            assert!(one.is_none_or(|e| (e.pair.a.at(), e.pair.b.at()) == (b, a)));
        }
    }
}

#[test]
fn a_roaming_body_leaves_no_trail_of_edges() {
    // H-05
    let mut s = GraphScene::default();
    s.plane(Vec3::Y, -1.0);
    for i in 0..100 {
        s.sphere(BodyKind::Fixed, Vec3::X * f64::from(i), 0.5);
    }
    let roamer = s.sphere(BodyKind::Dynamic, Vec3::ZERO, 0.5);
    let mut analysis = GraphAnalysis::default();
    let (mut most, mut seen) = (0, 0_i64);
    for step in 0..400 {
        s.state.position[roamer.at()] = Vec3::X * (f64::from(step) * 0.25);
        s.detect(&mut analysis);
        most = most.max(s.graph.order.len());
        seen += s.graph.events.new_proximity as i64 - s.graph.events.vanishing_proximity as i64;
    }
    // the plane, and the balls within two diameters behind
    assert!(most <= 8, "{most} edges at once");
    assert!(s.graph.edges.len() <= 8, "slots are used again");
    assert_eq!(seen, s.graph.iter().filter(|e| e.overlapping).count() as i64);
}

#[test]
fn a_pair_that_moves_together_is_not_tested_again() {
    // H-08, H-22
    let mut s = two_spheres(0.0);
    let mut analysis = reusing();
    s.detect(&mut analysis);
    let action = |s: &mut GraphScene, analysis: &mut GraphAnalysis| {
        s.detect(analysis);
        s.graph.edge(PAIR.a, PAIR.b).unwrap().action
    };
    assert_eq!((s.tested, action(&mut s, &mut analysis)), (1, EdgeAction::Reuse));
    let turn = Quat::from_rotation_z(1.0);
    for i in 0..2 {
        s.state.position[i] = turn * s.state.position[i] + Vec3::Y;
        s.state.orientation[i] = turn;
    }
    assert_eq!(action(&mut s, &mut analysis), EdgeAction::Reuse, "moved as one");
    s.state.position[1] += Vec3::Y * 4e-7;
    assert_eq!(action(&mut s, &mut analysis), EdgeAction::Reuse, "within the tolerance");
    assert!(s.graph.edge(PAIR.a, PAIR.b).unwrap().touching);
    s.state.position[1] += Vec3::Y * 9e-7;
    assert_eq!(action(&mut s, &mut analysis), EdgeAction::Test, "the drift adds up to more than the tolerance");
    s.state.orientation[0] = turn * Quat::from_rotation_x(2e-5);
    assert_eq!(action(&mut s, &mut analysis), EdgeAction::Test, "turned");
    assert_eq!(action(&mut s, &mut analysis), EdgeAction::Reuse);
    forget_body(&mut s.graph, PAIR.b);
    assert_eq!(action(&mut s, &mut analysis), EdgeAction::Test, "edited");
}

#[test]
fn with_zero_tolerance_only_exact_rest_is_reused() {
    // H-22
    let mut settings = Settings::defaults(&GraphAnalysis::DESCRIPTION);
    settings.set("reuse", &Value::Bool(true)).unwrap();
    for key in ["reuse_distance", "reuse_angle"] {
        settings.set(key, &Value::Real(0.0)).unwrap();
    }
    let mut analysis = GraphAnalysis::from_settings(&settings);
    let mut s = two_spheres(0.0);
    s.detect(&mut analysis);
    s.detect(&mut analysis);
    assert_eq!(s.tested, 0);
    s.state.position[1].x += 1e-15;
    s.detect(&mut analysis);
    assert_eq!(s.tested, 1);
    settings.set("reuse", &Value::Bool(false)).unwrap();
    let mut analysis = GraphAnalysis::from_settings(&settings);
    s.detect(&mut analysis);
    assert_eq!(s.tested, 1);
}

#[test]
fn sleepers_keep_their_contacts_without_a_test() {
    // H-08, H-21
    let mut s = two_spheres(0.0);
    s.plane(Vec3::Y, -0.5);
    s.sphere(BodyKind::Fixed, Vec3::Y * 1.0, 0.5);
    let mut analysis = GraphAnalysis::default();
    s.state.sleeping = vec![true, true, false, false];
    s.detect(&mut analysis);
    assert_eq!(s.tested, 5, "a sleeping pair that was never tested is");
    s.detect(&mut analysis);
    assert_eq!(s.tested, 0);
    assert!(s.graph.iter().filter(|e| e.overlapping).all(|e| e.action == EdgeAction::Skip));
    assert_eq!((s.graph.groups.awake.as_slice(), s.graph.groups.edges.len()), (&[false][..], 4));
}

#[test]
fn an_ignored_pair_has_no_edge() {
    // H-06
    let mut s = two_spheres(0.0);
    let mut analysis = GraphAnalysis::default();
    s.detect(&mut analysis);
    s.configuration.ignore(PAIR);
    s.detect(&mut analysis);
    assert_eq!((s.graph.events.vanishing_touching, s.graph.groups.len()), (1, 0));
    s.detect(&mut analysis);
    assert_eq!(s.tested, 0);
}

#[test]
fn taking_a_body_out_keeps_the_contacts_of_the_others() {
    let mut s = GraphScene::default();
    let mut random = Random::new(3);
    for _ in 0..40 {
        s.sphere(BodyKind::Dynamic, random.vector(1.5), 0.5);
    }
    let mut analysis = reusing();
    s.detect(&mut analysis);
    for body in [0, 17, 37] {
        s.configuration.bodies.remove(body);
        let gone = Gone::new([body as u32]);
        s.state.remove(&gone);
        remove_bodies(&mut s.graph, &gone);
        let pairs = s.detect(&mut analysis);
        assert_eq!(s.tested, 0, "the others did not move");
        assert_eq!(s.graph.iter().filter(|e| e.overlapping).map(|e| e.pair).collect::<Vec<_>>(), pairs);
    }
}

#[test]
fn free_slots_are_skipped_whatever_freed_them() {
    let (mut parted, mut removed) = (0, 0);
    for seed in 1..=10 {
        let mut random = Random::new(seed);
        let mut s = GraphScene::default();
        for _ in 0..30 {
            s.sphere(BodyKind::Dynamic, random.vector(1.5), 0.5);
        }
        let mut analysis = reusing();
        for _ in 0..20 {
            s.detect(&mut analysis);
            let live: Vec<u32> = s.graph.order.iter().map(|e| e.slot).collect();
            // as after contacts were evaluated
            for slot in live {
                s.graph.edges[slot as usize].fresh = true;
            }
            let before = s.graph.free.len();
            if random.below(2) == 0 {
                let body = random.below(s.state.position.len());
                s.state.position[body] = random.direction() * 20.0;
                s.detect(&mut analysis);
                s.detect(&mut analysis);
                parted += usize::from(s.graph.free.len() > before);
            } else {
                let body = random.below(s.state.position.len());
                s.configuration.bodies.remove(body);
                let gone = Gone::new([body as u32]);
                s.state.remove(&gone);
                remove_bodies(&mut s.graph, &gone);
                removed += usize::from(s.graph.free.len() > before);
            }
            for &slot in &s.graph.free {
                let edge = &s.graph.edges[slot as usize];
                assert_eq!(edge.action, EdgeAction::Skip, "seed {seed}");
                assert!(!edge.fresh && !edge.overlapping && !edge.touching, "seed {seed}: {:?}", edge.pair);
            }
        }
    }
    assert!(parted > 10 && removed > 10, "{parted} and {removed} times");
}

#[test]
fn reduction_keeps_the_deepest_point_of_deep_pairs() {
    // H-24
    let mut settings = Settings::defaults(&GraphAnalysis::DESCRIPTION);
    settings.set("reduce", &Value::Bool(true)).unwrap();
    let mut analysis = GraphAnalysis::from_settings(&settings);
    let mut s = two_spheres(-0.1);
    s.detect(&mut analysis);
    let slot = s.graph.order[0].slot as usize;
    let point = s.graph.edges[slot].manifold.points[0];
    for (depth, expected) in [(0.2, 1), (0.005, 2)] {
        let mut other = point;
        other.separation = -depth;
        let mut first = point;
        first.separation = -0.001;
        s.graph.edges[slot].manifold.points = [first, other].into_iter().collect();
        let frames: Vec<_> = (0..2).map(|i| s.state.pose(BodyIndex(i))).collect();
        let view = drystone_core::FrameView {
            configuration: &s.configuration,
            state: &s.state,
            frames: &frames,
            boxes: &[],
            moving: None,
            executor: &OneThread,
        };
        drystone_core::CoherenceAnalysis::after_contact_determination(&mut analysis, view, &mut s.graph);
        assert_eq!(s.graph.edges[slot].manifold.points.len(), expected);
        assert_eq!(s.graph.edges[slot].manifold.least_separation(), -depth);
    }
}
