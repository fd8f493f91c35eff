//! Chains of joints under the presets that sweep: the joints are solved among themselves before the sweeps begin.

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};
use drystone_core::catalogue::Value;
use drystone_joints::JointDescription;

const H: f64 = 1.0 / 60.0;

fn world(paradigm: Paradigm, joint_start: bool) -> World {
    let settings = vec![("joint_start".to_owned(), Value::Bool(joint_start))];
    let choice = ModuleChoice { kind: ModuleKind::ConstraintSolver, name: None, settings };
    World::builder().paradigm(paradigm).gravity([0.0, -9.81, 0.0]).choose(choice).build().unwrap()
}

/// Hangs a chain from the origin along `way`, with 1 kg links of 0.2 m on ball joints, the last of 100 kg. Returns the largest gap (m) over `steps`
/// steps.
fn chain(mut world: World, links: usize, way: Vec3, steps: usize) -> f64 {
    hang(&mut world, links, Vec3::ZERO, way);
    let mut gap = 0.0_f64;
    for _ in 0..steps {
        world.advance(H).unwrap();
        gap = gap.max(world.configuration().largest_joint_error(world.state()).linear);
    }
    gap
}

/// Builds such a chain from any point, and returns its links.
fn hang(world: &mut World, links: usize, from: Vec3, way: Vec3) -> Vec<BodyId> {
    let mut chain = Vec::new();
    let mut before = None;
    let half = way * 0.1 + (Vec3::ONE - way.abs()) * 0.02;
    for i in 0..links {
        let mass = if i + 1 == links { 100.0 } else { 1.0 };
        let at = from + way * (0.1 + 0.2 * i as f64);
        let shape = Shape::cuboid(half.x.abs(), half.y.abs(), half.z.abs()).unwrap();
        let link = world.add(Body::dynamic(shape).mass(mass).at(at.to_array())).unwrap();
        let ball = JointDescription { anchor: Some(at - way * 0.1), ..JointDescription::new("ball") };
        let frame = before.map_or(Pose::IDENTITY, |a| world.pose(a).unwrap());
        let source = drystone_joints::build(&ball, &frame, &world.pose(link).unwrap()).unwrap();
        world.add_joint([before, Some(link)], source).unwrap();
        before = Some(link);
        chain.push(link);
    }
    chain
}

// G-27
#[test]
fn a_chain_of_a_hundred_hangs_without_a_gap() {
    for paradigm in [Paradigm::VELOCITY_LCP, Paradigm::LOAD_PROPAGATION] {
        let gap = chain(world(paradigm, true), 100, Vec3::NEG_Y, 300);
        assert!(gap < 1e-9, "{}: {gap}", paradigm.name);
        let sweeps = chain(world(paradigm, false), 100, Vec3::NEG_Y, 60);
        assert!(sweeps > 1e-2, "{}: sweeps alone hold it to {sweeps}", paradigm.name);
    }
}

/// Only one and a half seconds: after that the links fold faster than a step of 1/60 s can resolve.
#[test]
fn a_chain_of_a_hundred_swings_in_one_piece() {
    for paradigm in [Paradigm::VELOCITY_LCP, Paradigm::LOAD_PROPAGATION] {
        let gap = chain(world(paradigm, true), 100, Vec3::X, 90);
        assert!(gap < 1e-5, "{}: {gap}", paradigm.name);
        let sweeps = chain(world(paradigm, false), 100, Vec3::X, 90);
        assert!(sweeps > 0.1, "{}: sweeps alone hold it to {sweeps}", paradigm.name);
    }
}

/// A step solves the joints twice. A worker with a single group keeps the gathered and factorised system for the second solve, a worker with
/// several does not.
#[test]
fn a_chain_swings_to_the_same_bits_beside_another_one() {
    let poses = |count: usize, threads: usize| {
        let mut world = World::builder().paradigm(Paradigm::REAL_TIME).threads(threads).build().unwrap();
        let chains: Vec<_> = (0..count).map(|k| hang(&mut world, 30, Vec3::Z * (5.0 * k as f64), Vec3::X)).collect();
        for _ in 0..60 {
            world.advance(H).unwrap();
        }
        chains[0].iter().map(|link| world.pose(*link).unwrap()).collect::<Vec<_>>()
    };
    let alone = poses(1, 1);
    assert!(alone.last().unwrap().position.y < -1.0);
    assert!(alone == poses(2, 1) && alone == poses(2, 2));
}
