//! Once warm, an analysis allocates nothing.

use drystone_contact_graph::{GraphAnalysis, GroupLayers};
use drystone_core::catalogue::{Settings, Value};
use drystone_core::{BodyIndex, BodyKind, CoherenceAnalysis, FrameView, OneThread};
use drystone_math::Vec3;
use drystone_testkit::{GraphScene, Random};

#[test]
fn warm_hooks_allocate_nothing() {
    let mut settings = Settings::defaults(&GraphAnalysis::DESCRIPTION);
    settings.set("stack_height", &Value::Text("gravity".into())).unwrap();
    let mut analysis = GraphAnalysis::from_settings(&settings);
    let (mut s, mut random) = (GraphScene::default(), Random::new(1));
    s.configuration.gravity = Vec3::NEG_Y;
    s.plane(Vec3::Y, -1.0);
    for _ in 0..100 {
        s.sphere(BodyKind::Dynamic, random.vector(1.5), 0.5);
    }
    let pairs = s.detect(&mut analysis);
    let frames: Vec<_> = (0..s.state.len()).map(|i| s.state.pose(BodyIndex::new(i))).collect();
    let boxes: Vec<_> = s.configuration.bodies.iter().zip(&frames).map(|(b, f)| b.shape.aabb(f)).collect();
    let mut layers = GroupLayers::default();
    let mut run = |graph: &mut drystone_core::ContactGraph| {
        let view = FrameView {
            configuration: &s.configuration,
            state: &s.state,
            frames: &frames,
            boxes: &boxes,
            moving: None,
            executor: &OneThread,
        };
        analysis.after_broad_phase(view, &pairs, graph);
        analysis.after_narrow_phase(view, graph);
        analysis.after_contact_determination(view, graph);
        analysis.stack_layers(view, graph);
        layers.arrange(&s.configuration, graph, 0);
    };
    run(&mut s.graph);
    run(&mut s.graph);
    let info = allocation_counter::measure(|| run(&mut s.graph));
    assert_eq!(info.count_total, 0);
}
