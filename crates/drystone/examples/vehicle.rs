//! A car with steering, suspension and driven rear wheels over a bump, made of joints.
//!
//! `cargo run --release --example vehicle`

use drystone::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::builder().build()?;
    let rubber = world.add_material(Material { friction: 1.0, restitution: 0.0, ..Material::default() })?;
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0)?).material(rubber))?;
    let bump = Body::fixed(Shape::cylinder(0.1, 3.0)?).at([8.0, -0.02, 0.0]);
    world.add(bump.oriented(Quat::from_rotation_x(std::f64::consts::FRAC_PI_2)).material(rubber))?;

    let chassis = world.add(Body::dynamic(Shape::cuboid(1.2, 0.2, 0.6)?).at([0.0, 0.6, 0.0]).mass(800.0))?;
    let mut steering = Vec::new();
    let mut driven = Vec::new();
    for (x, z) in [(0.9, 0.7), (0.9, -0.7), (-0.9, 0.7), (-0.9, -0.7)] {
        let hub = Vec3::new(x, 0.35, z);
        // a ball rolls as a wheel does, and feels a bump on all sides
        let wheel = Body::dynamic(Shape::sphere(0.35)?).at(hub).mass(20.0).material(rubber).spin_axis(Vec3::Z);
        let wheel = world.add(wheel)?;
        let mount = Joint::wheel(chassis, wheel)
            .anchor(hub)
            .axis(Vec3::Y)
            .second_axis(Vec3::Z)
            .suspension(Spring { stiffness: 40_000.0, damping: 3_000.0, rest: 0.0 })
            .motor(Motor::Position { target: 0.0, max_force: 1e5 });
        let joint = world.join(mount)?;
        if x > 0.0 { steering.push(joint) } else { driven.push(joint) }
    }

    for step in 0..900 {
        let t = f64::from(step) / 120.0;
        // straight over the bump, then to the left
        let angle = if t > 4.0 { 0.25 } else { 0.0 };
        for &wheel in &steering {
            world.set_motor(wheel, Some(Motor::Position { target: angle, max_force: 1e5 }))?;
        }
        for &wheel in &driven {
            let throttle = Motor::Velocity { velocity: -12.0, max_force: 250.0 };
            world.set_second_motor(wheel, Some(throttle))?;
        }
        world.advance(1.0 / 120.0)?;
        if step % 120 == 0 {
            let at = world.position(chassis).unwrap_or_default();
            let speed = world.velocity(chassis).unwrap_or_default().linear.length();
            let spin = world.second_joint_coordinate(driven[0]).map_or(0.0, |c| c.speed);
            println!("{t:4.1} s: {:6.2} {:5.2} {:6.2} m, {speed:5.2} m/s, wheel {spin:6.2} rad/s", at.x, at.y, at.z);
        }
    }
    Ok(())
}
