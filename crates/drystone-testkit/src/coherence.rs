mod heights;

pub use heights::Heights;

use crate::{GraphScene, Random};
use drystone_core::{BodyIndex, BodyKind, BodyProperties, CoherenceAnalysis, ContactGraph, Edge, EdgeAction, Moving};
use drystone_math::Vec3;

/// The contract of [`CoherenceAnalysis`] on random moving spheres: the live edges hold the pairs of the broad phase; a pair that moved is tested; the events add up
/// to the present pairs; groups are the connected components found by flood fill, in the documented order; stack heights follow `rule`. An analysis that leaves
/// resting bodies out finds the same if it is told which bodies move.
///
/// `make` must make an analysis that neither drops edges, nor joins groups, nor leaves out the contacts of sleeping bodies.
///
/// # Panics
/// If the analysis violates its contract.
pub fn check_coherence_analysis(make: &mut dyn FnMut() -> Box<dyn CoherenceAnalysis>, rule: Heights) {
    for seed in 0..6 {
        let mut analysis = make();
        let mut random = Random::new(seed);
        let mut scene = random_scene(&mut random, 60);
        let (mut proximity, mut touching) = (0_i64, 0_i64);
        for step in 0..40 {
            let pairs = scene.detect(analysis.as_mut());
            let graph = &scene.graph;
            let what = format!("{}: seed {seed}, step {step}", analysis.name());

            // edges
            assert!(graph.order.is_sorted_by(|x, y| x.pair < y.pair), "{what}: edges not sorted");
            let overlapping: Vec<_> = graph.iter().filter(|e| e.overlapping).map(|e| e.pair).collect();
            assert_eq!(overlapping, pairs, "{what}: overlapping edges are not the pairs");
            for e in graph.iter() {
                assert!(e.overlapping || (e.action == EdgeAction::Skip && e.manifold.points.is_empty()), "{what}");
                let dynamic = [e.pair.a, e.pair.b].map(|b| scene.configuration.body(b).is_dynamic());
                if e.overlapping && dynamic != [false; 2] {
                    let truth = scene.are_touching(e.pair.a, e.pair.b);
                    assert_eq!(e.touching, truth, "{what}: {:?}", e.pair);
                }
            }

            // the events add up
            let ev = graph.events;
            proximity += ev.new_proximity as i64 - ev.vanishing_proximity as i64;
            touching += ev.new_touching as i64 - ev.vanishing_touching as i64;
            assert_eq!(proximity, overlapping.len() as i64, "{what}: proximity events");
            assert_eq!(touching, graph.iter().filter(|e| e.touching).count() as i64, "{what}: touching events");

            check_groups(&scene, &what);
            scene.stack_layers(analysis.as_mut());
            heights::check_heights(&scene, rule, &what);
            move_spheres(&mut scene, &mut random);
        }
    }
    check_rest(make);
}

/// Two detections of everything with the same bodies asleep, and ten after them, compared between an analysis that is told which bodies move and one that is not.
fn check_rest(make: &mut dyn FnMut() -> Box<dyn CoherenceAnalysis>) {
    if !make().leaves_rest() {
        return;
    }
    let mut looked_at = [0, 0];
    for seed in 0..6 {
        let mut analyses = [make(), make()];
        let mut random = Random::new(seed);
        let mut scenes = [(); 2].map(|()| random_scene(&mut Random::new(seed), 60));
        let mut is = Vec::new();
        for step in 0..120 {
            if step % 12 == 0 {
                is = move_some(&mut scenes[0], &mut random);
            }
            let state = &mut scenes[0].state;
            for i in (1..is.len()).filter(|i| is[*i]) {
                // most stay where they were, a few jump
                match random.below(20) {
                    0 => state.position[i] = random.vector(3.0),
                    1..12 => state.position[i] += random.vector(0.05),
                    _ => {}
                }
            }
            let (first, second) = scenes.split_at_mut(1);
            second[0].state.clone_from(&first[0].state);
            let bodies: Vec<_> = (0..is.len()).filter(|i| is[*i]).map(BodyIndex::new).collect();
            let moving = (step % 12 > 1).then_some(Moving { bodies: &bodies, is: &is });
            scenes[0].detect_moving(analyses[0].as_mut(), moving);
            scenes[1].detect(analyses[1].as_mut());
            let [told, untold] = [&scenes[0].graph, &scenes[1].graph];
            let what = format!("{}: told who moves, seed {seed}, step {step}", analyses[0].name());
            let edges = |graph: &ContactGraph| {
                let of = |e: &Edge| (e.pair, e.action, e.overlapping, e.touching, e.manifold.points.len());
                graph.iter().map(of).collect::<Vec<_>>()
            };
            assert_eq!(edges(told), edges(untold), "{what}");
            assert_eq!(told.groups, untold.groups, "{what}");
            assert_eq!(told.events, untold.events, "{what}");
            let expected = told.order.iter().filter(|entry| moving.is_none_or(|moving| moving.has(entry.pair)));
            assert!(told.moving_edges().iter().eq(expected), "{what}: edges looked at");
            looked_at[0] += told.moving_edges().len();
            looked_at[1] += untold.moving_edges().len();
        }
    }
    assert!(2 * looked_at[0] < looked_at[1], "{looked_at:?}: pairs at rest are left out");
}

/// Picks at random which bodies, most of them, sleep from now on, and returns which ones move.
fn move_some(scene: &mut GraphScene, random: &mut Random) -> Vec<bool> {
    let bodies = &scene.configuration.bodies;
    let moves = |(body, asleep): (&BodyProperties, &mut bool)| {
        *asleep = body.kind == BodyKind::Dynamic && random.below(8) > 0;
        body.kind == BodyKind::Scripted || (body.kind == BodyKind::Dynamic && !*asleep)
    };
    bodies.iter().zip(&mut scene.state.sleeping).map(moves).collect()
}

fn random_scene(random: &mut Random, n: usize) -> GraphScene {
    let mut scene = GraphScene::default();
    scene.configuration.gravity = Vec3::NEG_Y * 9.81;
    scene.plane(Vec3::Y, -3.0);
    for _ in 0..n {
        let kind = match random.below(10) {
            0 => BodyKind::Fixed,
            1 => BodyKind::Scripted,
            _ => BodyKind::Dynamic,
        };
        scene.sphere(kind, random.vector(3.0), 0.5);
    }
    scene.tie(Some(BodyIndex(3)), Some(BodyIndex(40)));
    scene.tie(None, Some(BodyIndex(7)));
    scene.tie(Some(BodyIndex(9)), None);
    scene.tie(None, None);
    scene
}

fn move_spheres(scene: &mut GraphScene, random: &mut Random) {
    for i in 1..scene.state.len() {
        // most rest, some move, a few jump
        match random.below(20) {
            0 => scene.state.position[i] = random.vector(3.0),
            1..8 => scene.state.position[i] += random.vector(0.05),
            _ => {}
        }
    }
}

fn check_groups(scene: &GraphScene, what: &str) {
    let (groups, n) = (&scene.graph.groups, scene.state.len());
    let dynamic = |b: BodyIndex| scene.configuration.body(b).is_dynamic();
    // links by contacts and joints; flood fill by repeated relaxation to the smallest index
    let mut links: Vec<(u32, u32)> = Vec::new();
    let contacts = scene.graph.iter().filter(|e| !e.manifold.points.is_empty());
    for [a, b] in
        contacts.map(|e| [Some(e.pair.a), Some(e.pair.b)]).chain(scene.configuration.joints.iter().map(|j| j.bodies))
    {
        match (a.filter(|b| dynamic(*b)), b.filter(|b| dynamic(*b))) {
            (Some(a), Some(b)) => links.push((a.0, b.0)),
            (Some(a), None) | (None, Some(a)) => links.push((a.0, a.0)),
            (None, None) => {}
        }
    }
    let mut label: Vec<u32> = (0..n as u32).collect();
    for _ in 0..n {
        for &(a, b) in &links {
            let m = label[a as usize].min(label[b as usize]);
            (label[a as usize], label[b as usize]) = (m, m);
        }
    }
    let grouped = |i: u32| links.iter().any(|l| l.0 == i || l.1 == i);
    let mut roots: Vec<u32> = (0..n as u32).filter(|i| grouped(*i)).map(|i| label[i as usize]).collect();
    roots.sort_unstable();
    roots.dedup();
    assert_eq!(groups.len(), roots.len(), "{what}: number of groups");
    for (g, root) in roots.iter().enumerate() {
        let members: Vec<_> =
            (0..n as u32).filter(|i| grouped(*i) && label[*i as usize] == *root).map(BodyIndex).collect();
        assert_eq!(groups.group_bodies(g), members, "{what}: bodies of group {g}");
        let slots = scene.graph.order.iter().filter(|e| {
            let touches = members.contains(&e.pair.a) || members.contains(&e.pair.b);
            touches && !scene.graph.edges[e.slot as usize].manifold.points.is_empty()
        });
        assert_eq!(groups.group_edges(g), slots.map(|e| e.slot).collect::<Vec<_>>(), "{what}: edges of group {g}");
        let joints = scene.configuration.joints.iter().enumerate();
        let joints = joints.filter(|(_, j)| j.bodies.iter().flatten().any(|b| members.contains(b)));
        assert_eq!(groups.group_joints(g), joints.map(|(k, _)| k as u32).collect::<Vec<_>>(), "{what}: joints of {g}");
        assert!(groups.awake[g], "{what}: nobody sleeps");
    }
    let free: Vec<_> = (0..n as u32).map(BodyIndex).filter(|b| dynamic(*b) && !grouped(b.0)).collect();
    assert_eq!(groups.free, free, "{what}: free bodies");
    assert_eq!(scene.graph.joint_impulses.len(), scene.configuration.joints.len(), "{what}");
}
