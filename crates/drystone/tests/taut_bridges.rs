//! A bridge of planks hinged end to end, exactly as long as the gap that it spans. This is singular: to first order, its rows let every plank sink.

use drystone::prelude::*;
use drystone_joints::JointDescription;

const PLANKS: usize = 12;

/// Planks of half a metre at a height of 3 m from x = 0 to 6 m, hinged to each other and to the world; boxes of 40 kg fall on them from half a
/// metre higher.
fn bridge(paradigm: Paradigm, boxes: usize) -> (World, Vec<BodyId>, Vec<BodyId>) {
    let mut world = World::builder().paradigm(paradigm).gravity([0.0, -9.81, 0.0]).build().unwrap();
    let plank = Body::dynamic(Shape::cuboid(0.24, 0.05, 0.5).unwrap()).mass(8.0);
    let planks: Vec<BodyId> =
        (0..PLANKS).map(|i| world.add(plank.clone().at([0.25 + 0.5 * i as f64, 3.0, 0.0])).unwrap()).collect();
    for i in 0..=PLANKS {
        let bodies = [i.checked_sub(1).map(|k| planks[k]), planks.get(i).copied()];
        let poses = bodies.map(|b| b.map_or(Pose::IDENTITY, |b| world.pose(b).unwrap()));
        let anchor = Some(Vec3::new(0.5 * i as f64, 3.0, 0.0));
        let hinge = JointDescription { anchor, axis: Some(Vec3::Z), ..JointDescription::new("hinge") };
        world.add_joint(bodies, drystone_joints::build(&hinge, &poses[0], &poses[1]).unwrap()).unwrap();
    }
    let load = Body::dynamic(Shape::cuboid(0.3, 0.3, 0.3).unwrap()).mass(40.0);
    let boxes =
        (0..boxes).map(|i| world.add(load.clone().at([1.5 + i as f64, 3.5 + 0.2 * i as f64, 0.0])).unwrap()).collect();
    (world, planks, boxes)
}

/// The default preset holds the bridge, and what falls on it.
#[test]
fn a_taut_bridge_holds() {
    for boxes in [0, 1, 4] {
        let (mut world, planks, boxes) = bridge(Paradigm::REAL_TIME, boxes);
        let start = world.energy().total();
        let mut most = start;
        for _ in 0..500 {
            world.advance(0.01).unwrap();
            most = most.max(world.energy().total());
        }
        let lowest = planks.iter().map(|b| world.position(*b).unwrap().y).fold(f64::INFINITY, f64::min);
        println!("{} boxes: planks at {lowest:.3} m, energy + {:.1e} J", boxes.len(), most - start);
        assert!(lowest > 2.9, "{} boxes: a plank at {lowest} m", boxes.len());
        for b in &boxes {
            let y = world.position(*b).unwrap().y;
            assert!((y - 3.35).abs() < 0.1, "a box at {y} m");
        }
        // when motion went on against the projection, 3.4 J came from nothing, and boxes fell through gaps of half a metre
        assert!(most - start < 0.1, "{} boxes: energy grew by {} J", boxes.len(), most - start);
    }
}
