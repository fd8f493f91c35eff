//! Joints whose bodies have many contacts hold exactly, and bear the loads that they should.

use drystone::prelude::*;

const G: f64 = 9.81;
const H: f64 = 1.0 / 60.0;

/// A slab on the floor, with a dozen boxes on it: 52 contacts.
fn loaded_slab() -> (World, BodyId) {
    let mut world = World::builder().paradigm(Paradigm::REAL_TIME).build().unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    let slab = world.add(Body::dynamic(Shape::cuboid(3.0, 0.25, 3.0).unwrap()).at([0.0, 0.25, 0.0])).unwrap();
    let cube = Shape::cuboid(0.2, 0.2, 0.2).unwrap();
    for i in 0..12 {
        let at = [-1.5 + f64::from(i % 6) * 0.6, 0.7, -1.0 + f64::from(i / 6) * 0.6];
        world.add(Body::dynamic(cube.clone()).at(at)).unwrap();
    }
    (world, slab)
}

/// A beam beside the slab, 0.2 m above the floor.
fn beam() -> Body {
    Body::dynamic(Shape::cuboid(1.0, 0.1, 0.1).unwrap()).at([4.05, 0.3, 0.0])
}

#[test]
fn a_weld_bears_a_beam_that_nothing_else_does() {
    let (mut world, slab) = loaded_slab();
    let beam = world.add(beam()).unwrap();
    let anchor = Vec3::new(3.0, 0.3, 0.0);
    let weld = world.join(Joint::fixed(slab, beam).anchor(anchor)).unwrap();
    for _ in 0..120 {
        world.advance(H).unwrap();
    }
    let report = world.advance(H).unwrap();
    assert!(report.contacts > 40, "{}", report.contacts);
    let way = world.position(beam).unwrap() - Vec3::new(4.05, 0.3, 0.0);
    assert!(way.length() < 1e-6, "{way}");
    // the beam's weight, and its torque about the anchor
    let weight = 1000.0 * 2.0 * 0.2 * 0.2 * G;
    let reaction = world.joint_reaction(weld).unwrap();
    let (force, torque) = (reaction.force, reaction.torque);
    assert!((force.y.abs() - weight).abs() < 1e-6 * weight && force.x.abs() + force.z.abs() < 1e-6 * weight, "{force}");
    assert!((torque.z.abs() - weight * 1.05).abs() < 1e-6 * weight, "{torque}");
    // the control: without the weld the beam falls
    let (mut world, _) = loaded_slab();
    let loose = world.add(self::beam()).unwrap();
    for _ in 0..120 {
        world.advance(H).unwrap();
    }
    assert!(world.position(loose).unwrap().y < 0.11);
}

/// A bob on a post on the slab swings for ten seconds as one fixed to the world does: its height then differs by less than a hundredth of the
/// initial 0.8 m.
#[test]
fn a_pendulum_on_a_pile_swings_as_on_the_ground() {
    let swing = |on_a_pile: bool| {
        let (mut world, slab) = loaded_slab();
        let bob = world.add(Body::dynamic(Shape::sphere(0.1).unwrap()).at([0.8, 2.5, 2.5])).unwrap();
        let mut foot = Joint::WORLD;
        if on_a_pile {
            let post = Body::dynamic(Shape::cuboid(0.1, 1.0, 0.1).unwrap()).at([0.0, 1.5, 2.5]);
            foot = world.add(post).unwrap().into();
            world.join(Joint::fixed(slab, foot).anchor(Vec3::new(0.0, 0.5, 2.5))).unwrap();
        }
        world.join(Joint::ball(foot, bob).anchor(Vec3::new(0.0, 2.5, 2.5))).unwrap();
        let mut highest = 0.0_f64;
        for i in 0..600 {
            world.advance(H).unwrap();
            if i > 480 {
                highest = highest.max(world.position(bob).unwrap().y - 1.7);
            }
        }
        highest
    };
    let (on_a_pile, on_the_ground) = (swing(true), swing(false));
    assert!((on_a_pile - on_the_ground).abs() < 0.01 * 0.8, "{on_a_pile} {on_the_ground}");
    assert!(on_the_ground > 0.7, "{on_the_ground}");
}
