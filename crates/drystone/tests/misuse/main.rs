//! Wrong uses of the facade: each is refused with a typed error or taken literally; nothing panics, and no run continues with nonsense.

mod building;
mod crowds;
mod failures;
mod forces;
mod modules;
mod pairs;
mod scripts;
mod sleepers;
mod snapshots;
mod surfaces;

use drystone::prelude::*;

/// A ball of radius 0.5 m at the origin.
fn ball() -> Body {
    Body::dynamic(Shape::sphere(0.5).unwrap())
}

/// The half space below `y = 0`.
fn floor() -> Body {
    Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())
}

fn world() -> World {
    World::builder().build().unwrap()
}

/// Takes `count` steps of 0.01 s.
fn steps(world: &mut World, count: usize) {
    for _ in 0..count {
        world.advance(0.01).unwrap();
    }
}
