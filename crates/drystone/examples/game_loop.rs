//! A game's loop: fixed steps, a ray that picks, a blow, and events that become sounds and scores.
//!
//! `cargo run --release --example game_loop`

use drystone::prelude::*;

/// Blows softer than this make no sound (N s).
const QUIET: f64 = 0.5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::builder().paradigm(Paradigm::REAL_TIME).build()?;
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0)?))?;
    let mut pins = Vec::new();
    for row in 0..4 {
        for k in 0..=row {
            let place = [f64::from(row) * 0.5, 0.3, (f64::from(k) - 0.5 * f64::from(row)) * 0.4];
            let pin = world.add(Body::dynamic(Shape::cylinder(0.08, 0.3)?).at(place).mass(1.5))?;
            world.set_name(pin, format!("pin {}", pins.len() + 1))?;
            pins.push(pin);
        }
    }
    let ball = world.add(Body::dynamic(Shape::sphere(0.18)?).at([-5.0, 0.18, 0.02]).mass(7.0).continuous(true))?;
    world.set_name(ball, "ball")?;
    // the gutter behind the pins counts what falls into it
    let gutter = world.add(Body::fixed(Shape::cuboid(1.0, 2.0, 5.0)?).at([6.0, 0.0, 0.0]).sensor(true))?;

    // the player points at the ball, and throws what the ray meets
    let eye = Vec3::new(-8.0, 1.6, 0.0);
    let aim = world.position(ball).unwrap_or_default() - eye;
    let picked = world.query().ray(eye, aim, 20.0)?.map(|hit| hit.body);
    if picked == Some(ball) {
        world.apply_impulse(ball, Vec3::X * 60.0, world.position(ball).unwrap_or_default())?;
    }

    let (mut sounds, mut scored) = (0, Vec::new());
    for _ in 0..600 {
        world.advance(1.0 / 120.0)?;
        let events: Vec<Event> = world.drain_events().collect();
        for event in events {
            match event {
                Event::TouchBegan(touch) if touch.impulse.length() > QUIET => sounds += 1,
                Event::Entered { sensor, body, .. } if sensor == gutter => scored.push(body),
                _ => {}
            }
        }
    }
    let fallen = pins.iter().filter(|pin| {
        let up = world.pose(**pin).map_or(Vec3::Y, |p| p.direction(Vec3::Y));
        up.y < 0.8
    });
    let names: Vec<&str> = scored.iter().filter_map(|b| world.name(*b)).collect();
    println!("{sounds} sounds, {} of {} pins down, into the gutter: {}", fallen.count(), pins.len(), names.join(", "));
    Ok(())
}
