//! What a snapshot goes through when a world reads it.

use drystone::prelude::*;
use drystone_core::BodyIndex;

/// A ball, a box and a link on a floor, some steps on.
pub(crate) fn world() -> World {
    let build = || -> Result<World, WorldError> {
        let mut world = World::builder().build()?;
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0)?))?;
        let ball = world.add(Body::dynamic(Shape::sphere(0.2)?).at([0.0, 0.19, 0.0]))?;
        let bar = world.add(Body::dynamic(Shape::cuboid(0.1, 0.3, 0.1)?).at([0.5, 0.5, 0.0]))?;
        world.join(Joint::hinge(bar, None).anchor([0.5, 0.8, 0.0]).axis(Vec3::Z).limits(-0.5, 4.0))?;
        world.set_velocity(ball, Twist::new(Vec3::new(0.4, 0.0, 0.0), Vec3::ZERO))?;
        for _ in 0..8 {
            world.advance(0.01)?;
        }
        Ok(world)
    };
    build().unwrap_or_else(|e| panic!("{e}"))
}

/// Refused in words, or an instant from which steps leave finite states or say what failed, and which is written and read again.
pub(crate) fn snapshot(bytes: &[u8]) {
    let mut world = world();
    let before = format!("{:?}", world.state());
    let read = match world.read_snapshot(bytes) {
        Ok(read) => read,
        Err(refused) => {
            assert!(!refused.to_string().is_empty());
            assert_eq!(format!("{:?}", world.state()), before, "a refusal changes nothing");
            return;
        }
    };
    world.restore(&read).unwrap_or_else(|e| panic!("what was read is not restored: {e}"));
    assert!(world.read_snapshot(&world.snapshot().to_bytes()).is_ok(), "what is written can be read");
    for _ in 0..3 {
        match world.advance(0.01) {
            Ok(_) => assert!((0..world.state().len()).all(|i| world.state().is_finite(BodyIndex::new(i)))),
            Err(WorldError::Step(_)) => break,
            Err(other) => panic!("a world that was restored does not step: {other}"),
        }
    }
}
