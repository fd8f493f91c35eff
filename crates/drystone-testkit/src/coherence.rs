use crate::{GraphScene, Random};
use drystone_core::{BodyIndex, BodyKind, CoherenceAnalysis, EdgeAction, StackLayers};
use drystone_math::Vec3;

/// The contract of [`CoherenceAnalysis`] on random moving spheres: the live edges hold the pairs of the broad phase; a
/// pair that moved is tested; the events add up to what is there; groups are the connected components by flood fill, in
/// the documented order; stack heights solve the shortest-path equations.
///
/// `make` makes an analysis with its default settings.
///
/// # Panics
/// Where the analysis breaks its contract.
pub fn check_coherence_analysis(make: &mut dyn FnMut() -> Box<dyn CoherenceAnalysis>) {
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

            // events add up
            let ev = graph.events;
            proximity += ev.new_proximity as i64 - ev.vanishing_proximity as i64;
            touching += ev.new_touching as i64 - ev.vanishing_touching as i64;
            assert_eq!(proximity, overlapping.len() as i64, "{what}: proximity events");
            assert_eq!(touching, graph.iter().filter(|e| e.touching).count() as i64, "{what}: touching events");

            check_groups(&scene, &what);
            scene.stack_layers(analysis.as_mut());
            check_heights(&scene, &what);
            move_spheres(&mut scene, &mut random);
        }
    }
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
        // most rest, some move, few jump
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

/// The first of the dynamic bodies that joints tie to each, found by spreading numbers until nothing changes.
fn tied(scene: &GraphScene) -> Vec<usize> {
    let mut first: Vec<usize> = (0..scene.state.len()).collect();
    let dynamic = |b: BodyIndex| scene.configuration.body(b).is_dynamic();
    loop {
        let before = first.clone();
        for &k in &scene.graph.groups.joints {
            if let [Some(a), Some(b)] = scene.configuration.joints[k as usize].bodies
                && dynamic(a)
                && dynamic(b)
            {
                let least = first[a.at()].min(first[b.at()]);
                (first[a.at()], first[b.at()]) = (least, least);
            }
        }
        if first == before {
            return first;
        }
    }
}

/// A height is zero for a fixed body and else one more than the least of the neighbours, bodies tied to each other counting as one.
fn check_heights(scene: &GraphScene, what: &str) {
    let layers = &scene.graph.layers;
    assert_eq!(layers.heights.len(), scene.state.len(), "{what}");
    let mut least = vec![StackLayers::NONE; scene.state.len()];
    let tied = tied(scene);
    let mut link = |a: Option<BodyIndex>, b: Option<BodyIndex>| {
        let height = |x: Option<BodyIndex>| x.map_or(0, |x| layers.heights[x.at()]);
        for (from, to) in [(a, b), (b, a)] {
            if let Some(to) = to
                && from.is_none_or(|from| tied[from.at()] != tied[to.at()])
            {
                let to = tied[to.at()];
                least[to] = least[to].min(height(from));
            }
        }
    };
    let groups = &scene.graph.groups;
    for &slot in &groups.edges {
        let pair = scene.graph.edges[slot as usize].pair;
        link(Some(pair.a), Some(pair.b));
    }
    for &k in &groups.joints {
        let [a, b] = scene.configuration.joints[k as usize].bodies;
        link(a, b);
    }
    for (i, body) in scene.configuration.bodies.iter().enumerate() {
        let expected = if body.is_dynamic() { least[tied[i]].saturating_add(1) } else { 0 };
        assert_eq!(layers.heights[i], expected, "{what}: height of body {i}");
    }
    for &slot in &groups.edges {
        let pair = scene.graph.edges[slot as usize].pair;
        let (a, b) = (layers.heights[pair.a.at()], layers.heights[pair.b.at()]);
        let expected = match (a.min(b), a == b) {
            (StackLayers::NONE, _) => StackLayers::NONE,
            (h, true) => h - 1,
            (h, false) => h,
        };
        assert_eq!(layers.edge_layers[slot as usize], expected, "{what}: layer of {pair:?}");
    }
}
