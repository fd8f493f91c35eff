//! Which solution method suits a group (H-36, H-38).

use drystone_contact_graph::{GraphAnalysis, MethodHint, SwitchCriterion, normal_speed};
use drystone_core::{BodyIndex, BodyKind, FrameView, OneThread};
use drystone_math::{Pose, Vec3};
use drystone_testkit::GraphScene;

fn hint(s: &mut GraphScene) -> MethodHint {
    s.detect(&mut GraphAnalysis::default());
    let frames: Vec<Pose> = (0..s.state.len()).map(|i| s.state.pose(BodyIndex::new(i))).collect();
    let view = FrameView {
        configuration: &s.configuration,
        state: &s.state,
        frames: &frames,
        boxes: &[],
        moving: None,
        executor: &OneThread,
    };
    let speed = normal_speed(view, &s.graph.edges[s.graph.groups.group_edges(0)[0] as usize]);
    assert!((speed - s.state.linear_velocity[1].y.abs()).abs() < 1e-12);
    SwitchCriterion { bodies: 3, speed: 0.1 }.hint(view, &s.graph, 0)
}

#[test]
fn a_bouncing_ball_is_for_impulses_until_it_settles_or_the_pile_grows() {
    let mut s = GraphScene::default();
    s.plane(Vec3::Y, 0.0);
    s.sphere(BodyKind::Dynamic, Vec3::Y * 0.5, 0.5);
    s.state.linear_velocity[1] = Vec3::new(3.0, -1.0, 0.0);
    assert_eq!(hint(&mut s), MethodHint::Impulse);
    s.state.linear_velocity[1] = Vec3::new(3.0, -0.05, 0.0);
    assert_eq!(hint(&mut s), MethodHint::Constraint, "slides and spins, but stays");
    s.state.linear_velocity[1].y = -1.0;
    for y in 1..4 {
        s.sphere(BodyKind::Dynamic, Vec3::Y * (0.5 + f64::from(y)), 0.5);
    }
    assert_eq!(hint(&mut s), MethodHint::Constraint, "a stack of four");
}
