//! Stack heights and layers (O-64): thesis Figures 6.48 and 6.49, and the canyon of Figure 6.55.

use drystone_contact_graph::{GraphAnalysis, GroupLayers, layer_count};
use drystone_core::catalogue::{Settings, Value};
use drystone_core::{BodyIndex, BodyKind, StackLayers};
use drystone_math::Vec3;
use drystone_testkit::GraphScene;

const NONE: u32 = StackLayers::NONE;

fn at(x: f64, y: f64) -> Vec3 {
    Vec3::new(x, y, 0.0)
}

fn run(s: &mut GraphScene, heights: &str) -> Vec<u32> {
    let mut settings = Settings::defaults(&GraphAnalysis::DESCRIPTION);
    settings.set("stack_height", &Value::Text(heights.into())).unwrap();
    let mut analysis = GraphAnalysis::from_settings(&settings);
    s.configuration.gravity = Vec3::NEG_Y * 9.81;
    s.detect(&mut analysis);
    s.stack_layers(&mut analysis);
    s.graph.layers.heights.clone()
}

#[test]
fn a_simple_stack_has_heights_0_1_2() {
    // L-12
    for heights in ["bfs", "gravity"] {
        let mut s = GraphScene::default();
        s.sphere(BodyKind::Dynamic, at(0.0, 1.5), 0.5);
        s.plane(Vec3::Y, 0.0);
        s.sphere(BodyKind::Dynamic, at(0.0, 0.5), 0.5);
        assert_eq!(run(&mut s, heights), [2, 0, 1]);
    }
}

/// Thesis Figure 6.49: a column between the floor and a bracket, bodies beside it, and some that float. Heights are given at the right.
fn not_simple() -> GraphScene {
    let mut s = GraphScene::default();
    s.plane(Vec3::Y, 0.0); // 0
    s.sphere(BodyKind::Fixed, at(0.0, 4.5), 0.5); // 0: a ceiling's bracket
    s.sphere(BodyKind::Dynamic, at(0.0, 0.5), 0.5); // 1
    s.sphere(BodyKind::Dynamic, at(0.0, 1.5), 0.5); // 2
    s.sphere(BodyKind::Dynamic, at(0.0, 2.5), 0.5); // 2: the bracket is as near as the floor
    s.sphere(BodyKind::Dynamic, at(0.0, 3.5), 0.5); // 1
    s.sphere(BodyKind::Dynamic, at(1.0, 2.5), 0.5); // 3: beside the stack
    s.sphere(BodyKind::Dynamic, at(2.0, 2.5), 0.5); // 4: the greatest height, farther out
    s.sphere(BodyKind::Dynamic, at(9.0, 9.0), 0.5); // ?: floats alone
    s.sphere(BodyKind::Dynamic, at(20.0, 9.0), 0.5); // ?: float together
    s.sphere(BodyKind::Dynamic, at(20.0, 10.0), 0.5);
    s
}

#[test]
fn a_stack_that_is_not_simple_has_its_greatest_height_at_the_side() {
    // L-12, L-13
    assert_eq!(run(&mut not_simple(), "bfs"), [0, 0, 1, 2, 2, 1, 3, 4, NONE, NONE, NONE]);
}

/// The control: if heights follow what carries what, instead of the shortest path to something
/// fixed, the same stack has its greatest height in the column.
#[test]
fn by_gravity_the_same_stack_has_its_greatest_height_in_the_column() {
    let heights = run(&mut not_simple(), "gravity");
    assert_eq!(heights[2..6], [1, 2, 3, 4], "{heights:?}");
    assert!(heights[6..8].iter().all(|h| *h <= 4), "{heights:?}");
}

#[test]
fn layers_free_each_body_once_above_fixated_ones() {
    // L-13, L-14, L-15
    // a wall of two columns side by side
    let mut s = GraphScene::default();
    s.plane(Vec3::Y, 0.0);
    for y in 0..3 {
        for x in 0..2 {
            s.sphere(BodyKind::Dynamic, at(f64::from(x), 0.5 + f64::from(y)), 0.5);
        }
    }
    run(&mut s, "bfs");
    assert_eq!((s.graph.groups.len(), layer_count(&s.graph, 0)), (1, 3));
    let mut layers = GroupLayers::default();
    layers.arrange(&s.configuration, &s.graph, 0);
    let table: Vec<_> = layers
        .iter()
        .map(|l| {
            let pairs = l.edges.iter().map(|e| s.graph.edges[*e as usize].pair).map(|p| (p.a.0, p.b.0));
            (l.free.iter().map(|b| b.0).collect::<Vec<_>>(), pairs.collect::<Vec<_>>())
        })
        .collect();
    assert_eq!(
        table,
        [
            (vec![1, 2], vec![(0, 1), (0, 2), (1, 2)]),
            (vec![3, 4], vec![(1, 3), (2, 4), (3, 4)]),
            (vec![5, 6], vec![(3, 5), (4, 6), (5, 6)]),
        ]
    );
}

/// A stack of two and two floating bodies, all taken as one group: the stack has the same layers
/// as on its own, and the floating bodies move with the bottom layer.
#[test]
fn what_floats_in_one_group_with_a_stack_moves_with_its_bottom() {
    let mut s = GraphScene::default();
    s.plane(Vec3::Y, 0.0);
    s.sphere(BodyKind::Dynamic, at(0.0, 0.5), 0.5);
    s.sphere(BodyKind::Dynamic, at(0.0, 1.5), 0.5);
    s.sphere(BodyKind::Dynamic, at(9.0, 5.0), 0.5);
    s.sphere(BodyKind::Dynamic, at(10.0, 5.0), 0.5);
    let mut settings = Settings::defaults(&GraphAnalysis::DESCRIPTION);
    settings.set("one_group", &Value::Bool(true)).unwrap();
    let mut analysis = GraphAnalysis::from_settings(&settings);
    s.detect(&mut analysis);
    s.stack_layers(&mut analysis);
    assert_eq!((s.graph.layers.heights.as_slice(), s.graph.groups.len()), (&[0, 1, 2, NONE, NONE][..], 1));
    let mut layers = GroupLayers::default();
    layers.arrange(&s.configuration, &s.graph, 0);
    let free: Vec<Vec<u32>> = layers.iter().map(|l| l.free.iter().map(|b| b.0).collect()).collect();
    assert_eq!(free, [vec![1, 3, 4], vec![2]]);
    assert_eq!(layers.iter().map(|l| l.edges.len()).collect::<Vec<_>>(), [2, 1]);
}

#[test]
fn a_floating_group_is_one_layer_of_free_bodies() {
    // L-28
    let mut s = GraphScene::default();
    s.sphere(BodyKind::Dynamic, at(0.0, 0.0), 0.5);
    s.sphere(BodyKind::Dynamic, at(1.0, 0.0), 0.5);
    s.tie(Some(BodyIndex(0)), Some(BodyIndex(1)));
    assert_eq!(run(&mut s, "bfs"), [NONE, NONE]);
    let mut layers = GroupLayers::default();
    layers.arrange(&s.configuration, &s.graph, 0);
    let layer = layers.layer(0);
    assert_eq!((layers.len(), layer.free.len(), layer.edges.len(), layer.joints), (1, 2, 1, &[0][..]));
}

#[test]
fn a_chain_that_hangs_from_the_world_is_one_layer() {
    let mut s = GraphScene::default();
    for i in 0..3 {
        s.sphere(BodyKind::Dynamic, at(0.0, -2.0 * f64::from(i)), 0.5);
    }
    s.tie(None, Some(BodyIndex(0)));
    s.tie(Some(BodyIndex(0)), Some(BodyIndex(1)));
    s.tie(Some(BodyIndex(2)), Some(BodyIndex(1)));
    for heights in ["bfs", "gravity"] {
        assert_eq!(run(&mut s, heights), [1, 1, 1]);
    }
    let mut layers = GroupLayers::default();
    layers.arrange(&s.configuration, &s.graph, 0);
    assert_eq!((layers.len(), layers.layer(0).free.len(), layers.layer(0).joints), (1, 3, &[0, 1, 2][..]));
}

/// Half a canyon: balls piled on the floor beside a slope; the last one lies on the ridge and touches the slope.
fn canyon() -> GraphScene {
    let mut s = GraphScene::default();
    s.plane(Vec3::Y, 0.0);
    for i in 0..3 {
        s.sphere(BodyKind::Dynamic, at(0.0, 0.5 + f64::from(i)), 0.5);
    }
    // the ridge ball lies on the third ball and on a slope of 45 degrees
    let ridge = at(0.6, 3.3);
    s.sphere(BodyKind::Dynamic, ridge, 0.5);
    let normal = Vec3::new(-1.0, 1.0, 0.0).normalize();
    s.plane(normal, normal.dot(ridge) - 0.5);
    s
}

#[test]
fn gravity_raises_the_ball_on_the_ridge_to_height_4() {
    // L-23
    assert_eq!(run(&mut canyon(), "bfs")[4], 1);
    let mut s = canyon();
    assert_eq!(run(&mut s, "gravity"), [0, 1, 2, 3, 4, 0]);
    let slope = s.graph.order.iter().find(|e| e.pair.b == BodyIndex(5) && e.pair.a == BodyIndex(4)).unwrap();
    assert_eq!(s.graph.layers.edge_layers[slope.slot as usize], 3);
}

#[test]
fn bodies_that_carry_each_other_in_a_ring_get_heights_too() {
    // A carries B through one contact and B carries A through another: impossible for spheres, so
    // three of them lean on each other in a ring, with contact normals set by hand
    let mut s = GraphScene::default();
    s.plane(Vec3::Y, 0.0);
    for i in 0..3 {
        let angle = f64::from(i) * core::f64::consts::TAU / 3.0;
        let r = 1.0 / 3.0_f64.sqrt();
        s.sphere(BodyKind::Dynamic, Vec3::new(r * angle.cos(), 0.5 + 1e-3 * f64::from(i), r * angle.sin()), 0.5);
    }
    run(&mut s, "gravity");
    for (a, b, up) in [(1, 2, 1.0), (2, 3, 1.0), (1, 3, -1.0), (0, 1, 0.0), (0, 2, 0.0), (0, 3, 0.0)] {
        let slot = s.graph.order.iter().find(|e| (e.pair.a.0, e.pair.b.0) == (a, b)).unwrap().slot;
        s.graph.edges[slot as usize].manifold.points[0].normal = [if up == 0.0 { Vec3::X } else { Vec3::Y * up }; 2];
    }
    let mut settings = Settings::defaults(&GraphAnalysis::DESCRIPTION);
    settings.set("stack_height", &Value::Text("gravity".into())).unwrap();
    s.stack_layers(&mut GraphAnalysis::from_settings(&settings));
    // the ring is cut at the lowest body, body 1
    assert_eq!(s.graph.layers.heights, [0, 1, 2, 3]);
}
