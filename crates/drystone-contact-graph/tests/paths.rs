//! The paths of bodies decide about a pair as an exact look at its poses would.

use drystone_contact_graph::GraphAnalysis;
use drystone_core::catalogue::{Settings, Value};
use drystone_core::{BodyKind, BodyPair, ContactGraph, EdgeAction, Measured};
use drystone_math::{Quat, Real, Vec3};
use drystone_testkit::{GraphScene, Random};

/// Tolerances of a thousandth of a radius and of a radian; for round bodies a hundredth of that.
fn reusing() -> GraphAnalysis {
    let mut settings = Settings::defaults(&GraphAnalysis::DESCRIPTION);
    settings.set("reuse", &Value::Bool(true)).unwrap();
    for key in ["reuse_distance", "reuse_angle"] {
        settings.set(key, &Value::Real(1e-3)).unwrap();
    }
    GraphAnalysis::from_settings(&settings)
}

/// A row of balls of several sizes on a floor, each slightly overlapping the next.
fn row() -> GraphScene {
    let mut scene = GraphScene::default();
    scene.plane(Vec3::Y, 0.0);
    let mut x = 0.0;
    for k in 0..8 {
        let radius = 0.2 + 0.1 * Real::from(k % 3);
        scene.sphere(BodyKind::Dynamic, Vec3::new(x + radius, radius, 0.0), radius);
        x += 1.999 * radius;
    }
    scene
}

/// Moves all bodies by about this much (m and rad).
fn creep(scene: &mut GraphScene, random: &mut Random, size: Real) {
    for i in 1..scene.state.position.len() {
        let by = random.vector(size);
        scene.state.position[i] += by;
        let turn = Quat::from_scaled_axis(random.vector(size));
        scene.state.orientation[i] = (turn * scene.state.orientation[i]).normalize();
    }
}

/// What is known about how far pairs have moved.
fn measures(graph: &ContactGraph) -> Vec<(BodyPair, Measured)> {
    let known = graph.order.iter().filter(|entry| graph.edges[entry.slot as usize].is_measured);
    known.map(|entry| (entry.pair, graph.measured[entry.slot as usize])).collect()
}

fn actions(scene: &GraphScene) -> Vec<EdgeAction> {
    scene.graph.iter().map(|edge| edge.action).collect()
}

#[test]
fn contacts_are_reused_where_a_look_would_reuse_them() {
    let (mut by_paths, mut by_looks) = (row(), row());
    let (mut one, mut other) = (reusing(), reusing());
    let mut random = Random::new(7);
    let (mut surely, mut tested, mut kept) = (0, 0, None);
    for step in 0..400 {
        // sometimes hardly at all, sometimes enough to take a pair beyond its tolerance soon
        let size = [1e-9, 1e-7, 1e-6, 3e-6][step / 5 % 4];
        creep(&mut by_paths, &mut random, size);
        // now and then an earlier state is restored, with or without the graph of that time
        if step % 50 == 20 {
            kept = Some((by_paths.state.clone(), by_paths.graph.clone()));
        } else if step % 50 == 40
            && let Some((state, graph)) = &kept
        {
            by_paths.state.clone_from(state);
            if step % 100 == 40 {
                by_paths.graph.clone_from(graph);
                by_looks.graph.clone_from(graph);
            }
        }
        by_looks.state.clone_from(&by_paths.state);
        by_looks.graph.edges.iter_mut().for_each(|edge| edge.is_measured = false);
        let measured = measures(&by_paths.graph);
        by_paths.detect(&mut one);
        by_looks.detect(&mut other);
        assert_eq!(actions(&by_paths), actions(&by_looks), "step {step}");
        for (bounded, exact) in by_paths.graph.iter().zip(by_looks.graph.iter()) {
            let (bound, moved) = (bounded.moved, exact.moved);
            assert_eq!(bound.is_finite(), moved.is_finite(), "step {step}, {:?}", bounded.pair);
            assert!(
                !moved.is_finite() || bound >= moved - 1e-15,
                "step {step}, {:?}: {bound} and {moved}",
                bounded.pair
            );
        }
        surely += measures(&by_paths.graph).iter().filter(|m| measured.contains(m)).count();
        tested += by_paths.tested;
    }
    assert!(surely > 1000 && tested > 100, "{surely} by their paths, {tested} tested");
}
