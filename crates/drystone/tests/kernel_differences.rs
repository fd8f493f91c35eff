//! How far bodies have moved between two instants, and the velocities that lead from one to the other, in closed form.

use drystone::core::{Displacement, Kernel, Save, Scope, StepFailure, TimeControl, TimeReport};
use drystone::prelude::*;
use std::sync::{Arc, Mutex};

/// Lets all bodies fly for a step and records how far they moved. Then sets their velocities to those that lead from the old poses to the new ones.
struct Flight {
    found: Arc<Mutex<Displacement>>,
}

impl TimeControl for Flight {
    fn name(&self) -> &'static str {
        "flight"
    }

    fn advance(&mut self, kernel: &mut dyn Kernel, dt: f64) -> Result<TimeReport, StepFailure> {
        let before = kernel.save(Scope::All, Save::Motion);
        kernel.drift(Scope::All, dt)?;
        let after = kernel.save(Scope::All, Save::Motion);
        *self.found.lock().unwrap() = kernel.difference(before, after);
        kernel.velocities_from(before, dt);
        kernel.release(after);
        kernel.release(before);
        kernel.set_time(kernel.time() + dt);
        Ok(TimeReport::default())
    }
}

/// The displacement of a ball of radius 0.5 m with this velocity in 0.01 s, and its velocity as recovered from that.
fn flown(twist: Twist) -> (Displacement, Twist) {
    let found = Arc::new(Mutex::new(Displacement::default()));
    let control = Flight { found: Arc::clone(&found) };
    let mut world = World::builder().gravity(Vec3::ZERO).time_control(control).build().unwrap();
    let ball = Body::dynamic(Shape::sphere(0.5).unwrap()).at([2.0, -1.0, 3.0]);
    let ball = world.add(ball.oriented(Quat::from_rotation_x(0.7))).unwrap();
    world.set_velocity(ball, twist).unwrap();
    world.advance(0.01).unwrap();
    let gone = *found.lock().unwrap();
    (gone, world.velocity(ball).unwrap())
}

#[test]
fn a_way_is_a_path_and_a_turn_by_the_shorter_way() {
    let axis = Vec3::new(2.0, -1.0, 2.0) / 3.0;
    for (speed, spin) in [(0.0, 0.0), (3.0, 0.0), (0.0, 20.0), (3.0, 20.0), (1.0, 250.0), (1.0, 400.0), (0.0, 600.0)] {
        let twist = Twist::new(Vec3::Z * speed, axis * spin);
        let (gone, after) = flown(twist);
        // a turn of more than a half is taken as the remainder in the opposite direction
        let turned = (spin * 0.01_f64).rem_euclid(core::f64::consts::TAU);
        let shorter = turned.min(core::f64::consts::TAU - turned);
        let sign = if turned > core::f64::consts::PI { -1.0 } else { 1.0 };
        assert!((gone.translation - speed * 0.01).abs() < 1e-12, "{speed}, {spin}: {gone:?}");
        assert!((gone.angle - shorter).abs() < 1e-9, "{speed}, {spin}: {gone:?}, not {shorter} rad");
        // the chord of the farthest point's path
        let way = speed * 0.01 + 2.0 * (0.5 * shorter).sin() * 0.5;
        assert!((gone.way - way).abs() < 1e-9 && gone.speed == 0.0, "{speed}, {spin}: {gone:?}, not {way} m");
        assert!((after.linear - twist.linear).length() < 1e-9, "{after:?}");
        let expected = axis * (sign * shorter / 0.01);
        assert!((after.angular - expected).length() < 1e-6, "{speed}, {spin}: {after:?}, not {expected}");
    }
}
