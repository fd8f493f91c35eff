//! Bodies without joints are not affected, to the bit, by the motion of a pendulum in the same world.

use drystone::prelude::*;

/// Boxes that fall onto each other beside a bob on a ball joint that swings
/// or hangs still: the positions of the boxes and of the bob after a second.
fn beside(swings: bool) -> (Vec<Vec3>, Vec3) {
    let mut world = World::builder().paradigm(Paradigm::REAL_TIME).build().unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    let cube = Shape::cuboid(0.2, 0.2, 0.2).unwrap();
    let boxes: Vec<_> = (0..6)
        .map(|i| {
            let turned = Quat::from_rotation_z(0.3 * f64::from(i));
            world
                .add(
                    Body::dynamic(cube.clone())
                        .at([0.1 * f64::from(i % 2), 0.5 + 0.6 * f64::from(i), 0.0])
                        .oriented(turned),
                )
                .unwrap()
        })
        .collect();
    let anchor = Vec3::new(10.0, 5.0, 0.0);
    let off = if swings { Vec3::X } else { Vec3::NEG_Y };
    let bob = world.add(Body::dynamic(Shape::sphere(0.1).unwrap()).at(anchor + off)).unwrap();
    world.join(Joint::ball(Joint::WORLD, bob).anchor(anchor)).unwrap();
    for _ in 0..60 {
        world.advance(1.0 / 60.0).unwrap();
    }
    (boxes.iter().map(|b| world.position(*b).unwrap()).collect(), world.position(bob).unwrap())
}

#[test]
fn boxes_fall_as_they_do_beside_one_that_hangs_still() {
    let ((swinging, there), (hanging, here)) = (beside(true), beside(false));
    assert_eq!(swinging, hanging);
    // the control: the swinging pendulum, which is solved twice per step, ends elsewhere
    assert!((there - here).length() > 0.1, "{there} {here}");
}
