//! Contact groups: connected bodies, insulated by fixed and scripted ones.

use drystone_contact_graph::GraphAnalysis;
use drystone_core::catalogue::{Settings, Value};
use drystone_core::{BodyIndex, BodyKind};
use drystone_math::Vec3;
use drystone_testkit::GraphScene;

const R: f64 = 0.5;

/// Two stacks on one floor, a body that leans on a scripted lift, two bodies joined in the
/// air, and a free one: four groups A to D, as in thesis Figure 5.9 (O-45).
fn four_groups() -> GraphScene {
    let mut s = GraphScene::default();
    s.plane(Vec3::Y, 0.0);
    let at = |x: f64, y: f64| Vec3::new(x, y, 0.0);
    s.sphere(BodyKind::Dynamic, at(0.0, 0.5), R); // 1: A
    s.sphere(BodyKind::Dynamic, at(4.0, 0.5), R); // 2: B
    s.sphere(BodyKind::Dynamic, at(0.0, 1.5), R); // 3: A
    s.sphere(BodyKind::Dynamic, at(4.0, 1.5), R); // 4: B
    s.sphere(BodyKind::Scripted, at(8.0, 0.5), R); // 5: insulates
    s.sphere(BodyKind::Dynamic, at(8.0, 1.5), R); // 6: C
    s.sphere(BodyKind::Dynamic, at(12.0, 9.0), R); // 7: D
    s.sphere(BodyKind::Dynamic, at(15.0, 9.0), R); // 8: D
    s.sphere(BodyKind::Dynamic, at(20.0, 9.0), R); // 9: free
    s.sphere(BodyKind::Scripted, at(9.0, 0.5), R); // 10: touches 5, a pair of no interest
    s.tie(Some(BodyIndex(8)), Some(BodyIndex(7)));
    s
}

fn bodies(scene: &GraphScene) -> Vec<Vec<u32>> {
    let groups = &scene.graph.groups;
    (0..groups.len()).map(|g| groups.group_bodies(g).iter().map(|b| b.0).collect()).collect()
}

#[test]
fn fixed_and_scripted_bodies_insulate_four_groups() {
    // H-11
    let mut s = four_groups();
    s.detect(&mut GraphAnalysis::default());
    assert_eq!(bodies(&s), [vec![1, 3], vec![2, 4], vec![6], vec![7, 8]]);
    assert_eq!(s.graph.groups.free, [BodyIndex(9)]);
    let pairs = |g: usize| -> Vec<_> {
        let edges = s.graph.groups.group_edges(g).iter();
        edges.map(|e| s.graph.edges[*e as usize].pair).map(|p| (p.a.0, p.b.0)).collect()
    };
    assert_eq!(pairs(0), [(0, 1), (1, 3)]);
    assert_eq!(pairs(2), [(5, 6)]);
    assert_eq!(s.graph.groups.group_joints(3), [0]);
}

#[test]
fn a_group_sleeps_when_all_of_it_does_and_a_moving_script_wakes_it() {
    // H-21
    let mut s = four_groups();
    let mut analysis = GraphAnalysis::default();
    for i in [1, 3, 2, 6] {
        s.state.sleeping[i] = true;
    }
    s.detect(&mut analysis);
    assert_eq!(s.graph.groups.awake, [false, true, false, true]);
    s.state.linear_velocity[5] = Vec3::Y;
    s.detect(&mut analysis);
    assert_eq!(s.graph.groups.awake, [false, true, true, true]);
}

/// D-18 in the last line: contacts of a sleepy body have no restitution.
#[test]
fn subgrouping_lets_contacts_of_two_sleepy_bodies_go() {
    // H-25, H-28
    let mut settings = Settings::defaults(&GraphAnalysis::DESCRIPTION);
    settings.set("subgroup", &Value::Bool(true)).unwrap();
    settings.set("zero", &Value::Bool(true)).unwrap();
    let mut s = four_groups();
    s.sphere(BodyKind::Dynamic, Vec3::Y * 2.5, R); // 11: on top of A
    (s.state.sleepy[1], s.state.sleepy[3]) = (true, true);
    s.detect(&mut GraphAnalysis::from_settings(&settings));
    // body 1 is left to sleep alone; 3 stays with 11, which is not sleepy
    assert_eq!(bodies(&s), [vec![1], vec![2, 4], vec![3, 11], vec![6], vec![7, 8]]);
    assert_eq!(s.graph.groups.awake, [false, true, true, true, true]);
    let restitution = |a: u32, b: u32| s.graph.edge(BodyIndex(a), BodyIndex(b)).unwrap().material.restitution;
    assert_eq!((restitution(3, 11), restitution(2, 4)), (0.0, 0.25));
}

#[test]
fn all_may_be_solved_as_one_group() {
    // H-20
    let mut settings = Settings::defaults(&GraphAnalysis::DESCRIPTION);
    settings.set("one_group", &Value::Bool(true)).unwrap();
    let mut s = four_groups();
    s.detect(&mut GraphAnalysis::from_settings(&settings));
    // the free body stays free: there is nothing to solve for it
    assert_eq!(bodies(&s), [vec![1, 2, 3, 4, 6, 7, 8]]);
    assert_eq!(s.graph.groups.free, [BodyIndex(9)]);
}

#[test]
fn fixation_holds_the_sleepy() {
    // H-27
    let mut settings = Settings::defaults(&GraphAnalysis::DESCRIPTION);
    let mut s = four_groups();
    (s.state.sleepy[0], s.state.sleepy[3]) = (true, true);
    let held = |s: &GraphScene| (0..11).filter(|i| s.graph.groups.is_fixated(BodyIndex(*i))).collect::<Vec<_>>();
    s.detect(&mut GraphAnalysis::from_settings(&settings));
    assert!(held(&s).is_empty());
    settings.set("fixate", &Value::Bool(true)).unwrap();
    s.detect(&mut GraphAnalysis::from_settings(&settings));
    assert_eq!(held(&s), [3], "what is fixed anyway does not count");
}

#[test]
fn a_pile_of_ten_thousand_is_one_group_without_recursion() {
    // H-11
    let mut s = GraphScene::default();
    // the scene's brute-force detector is quadratic, so a chain of joints is used to make one large group
    for i in 0..10_000 {
        s.configuration.bodies.push(s.configuration.bodies.first().cloned().unwrap_or_else(|| {
            let mut t = GraphScene::default();
            t.sphere(BodyKind::Dynamic, Vec3::ZERO, R);
            let mut body = t.configuration.bodies[0].clone();
            body.layer = 0;
            body
        }));
        s.configuration.bodies[i].layer = i as i64;
        s.state.push(drystone_math::Pose::from_position(Vec3::X * i as f64), drystone_math::Twist::ZERO);
        if i > 0 {
            s.tie(Some(BodyIndex::new(i)), Some(BodyIndex::new(i - 1)));
        }
    }
    let mut analysis = GraphAnalysis::default();
    s.detect(&mut analysis);
    s.stack_layers(&mut analysis);
    assert_eq!(s.graph.groups.len(), 1);
    assert_eq!(s.graph.groups.group_bodies(0).len(), 10_000);
}

/// Two bodies connected only by a joint, one of them on the floor: when the joint is removed
/// the touching pairs are unchanged, but the two are no longer one group.
#[test]
fn a_joint_that_is_gone_leaves_no_group_behind() {
    let mut s = GraphScene::default();
    s.plane(Vec3::Y, 0.0);
    s.sphere(BodyKind::Dynamic, Vec3::new(0.0, R, 0.0), R);
    s.sphere(BodyKind::Dynamic, Vec3::new(3.0, 5.0, 0.0), R);
    s.tie(Some(BodyIndex(1)), Some(BodyIndex(2)));
    let mut analysis = GraphAnalysis::default();
    s.detect(&mut analysis);
    assert_eq!(bodies(&s), [[1, 2]]);
    s.configuration.joints.clear();
    for _ in 0..2 {
        s.detect(&mut analysis);
        assert_eq!((bodies(&s), s.graph.groups.free.as_slice()), (vec![vec![1]], &[BodyIndex(2)][..]));
    }
}
