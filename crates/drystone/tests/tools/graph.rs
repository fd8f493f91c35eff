//! Nodes and edges of the contact graph as the user sees them (H-02, H-03).

use drystone::prelude::*;
use drystone::{GraphEdge, GraphNode, JointDescription};
use drystone_core::NodeKind::{Fixed, Link, Rigid, Scripted, Trigger};
use drystone_core::{EdgeKind, NoSuchEdge, NodeKind};

fn cube(x: f64, y: f64) -> Body {
    Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).mass(1.0).at([x, y, 0.0])
}

fn join(world: &mut World, kind: &str, bodies: [BodyId; 2]) -> JointId {
    let [a, b] = bodies.map(|id| world.pose(id).unwrap());
    let description = JointDescription { anchor: Some((a.position + b.position) * 0.5), ..JointDescription::new(kind) };
    let source = drystone_joints::build(&description, &a, &b).unwrap();
    world.add_joint(bodies.map(Some), source).unwrap()
}

#[test]
fn each_node_is_of_the_kind_that_it_has_in_the_table() {
    let mut world = World::builder().paradigm(Paradigm::VELOCITY_LCP).build().unwrap();
    let floor = world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    let wall = world.add(Body::fixed(Shape::cuboid(0.5, 2.0, 2.0).unwrap()).at([-20.0, 2.0, 0.0])).unwrap();
    let alone = world.add(cube(0.0, 0.5)).unwrap();
    let arm = [world.add(cube(4.0, 0.5)).unwrap(), world.add(cube(5.1, 0.5)).unwrap()];
    let glued = [world.add(cube(8.0, 0.5)).unwrap(), world.add(cube(9.0, 0.5)).unwrap()];
    let belt = world.add(Body::scripted(Shape::cuboid(1.0, 0.25, 1.0).unwrap()).at([12.0, 0.3, 0.0])).unwrap();
    let gate = world.add(Body::fixed(Shape::cuboid(1.0, 1.0, 1.0).unwrap()).at([0.0, 0.8, 0.0]).sensor(true)).unwrap();
    join(&mut world, "ball", arm);
    join(&mut world, "fixed", glued);
    world.ignore_pair(alone, arm[0]).unwrap();
    world.advance(0.01).unwrap();

    let kinds = [floor, alone, arm[0], arm[1], glued[0], glued[1], belt, gate].map(|b| world.node_kind(b).unwrap());
    assert_eq!(kinds, [Fixed, Rigid, Link, Link, Rigid, Rigid, Scripted, Trigger]);
    // a pair of kinds that is not in the table has no edge
    let refused = |one, other| world.edge_kind(one, other).unwrap().unwrap_err();
    assert_eq!(refused(floor, wall), NoSuchEdge { one: Fixed, other: Fixed });
    assert_eq!(refused(belt, floor), NoSuchEdge { one: Scripted, other: Fixed });
    assert_eq!(world.edge_kind(arm[1], floor).unwrap(), Ok(EdgeKind::Physical));

    let edges = world.graph_edges();
    let has = |kind, nodes| edges.contains(&GraphEdge { kind, nodes });
    let body = GraphNode::Body;
    for b in [alone, arm[0], arm[1], glued[0], glued[1]] {
        assert!(has(EdgeKind::Physical, [body(floor), body(b)]), "{edges:?}");
    }
    assert!(has(EdgeKind::Geometrical, [body(gate), body(alone)]), "{edges:?}");
    for b in arm {
        assert!(has(EdgeKind::Structural, [GraphNode::Multibody(arm[0]), body(b)]));
    }
    for b in glued {
        assert!(has(EdgeKind::Structural, [GraphNode::Composite(glued[0]), body(b)]));
    }
    for b in [alone, arm[0]] {
        assert!(has(EdgeKind::Logical, [GraphNode::Rule([alone, arm[0]]), body(b)]));
    }
    // geometrical: one body in the gate; structural: four parts. The five bodies on the floor and
    // the two ends of the rule are checked above; pairs that joints keep from meeting are rules too
    let count = |kind| edges.iter().filter(|e| e.kind == kind).count();
    assert_eq!([EdgeKind::Geometrical, EdgeKind::Structural].map(count), [1, 4]);
    assert!(!edges.iter().any(|e| e.nodes.contains(&body(wall)) || e.nodes.contains(&body(belt))), "{edges:?}");
}

#[test]
fn a_broken_joint_makes_no_link() {
    let mut world = World::builder().paradigm(Paradigm::VELOCITY_LCP).gravity(Vec3::ZERO).build().unwrap();
    let pair = [world.add(cube(0.0, 0.0)).unwrap(), world.add(cube(3.0, 0.0)).unwrap()];
    let joint = join(&mut world, "ball", pair);
    assert_eq!(world.node_kind(pair[0]), Some(NodeKind::Link));
    world.remove_joint(joint).unwrap();
    assert_eq!(world.node_kind(pair[0]), Some(NodeKind::Rigid));
    assert!(world.graph_edges().is_empty());
    world.remove(pair[0]).unwrap();
    assert_eq!(world.node_kind(pair[0]), None);
}
