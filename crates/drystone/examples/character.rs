//! A character that walks, is stopped by walls, climbs a step and jumps: a scripted capsule whose ways are swept first.
//!
//! `cargo run --release --example character`

use drystone::prelude::*;

const RADIUS: f64 = 0.3;
const HALF: f64 = 0.5;
/// It keeps this far from what it meets (m).
const SKIN: f64 = 0.01;
const STEP: f64 = 0.35;
const DT: f64 = 1.0 / 60.0;

struct Character {
    body: BodyId,
    shape: Shape,
    fall: f64,
    standing: bool,
}

impl Character {
    /// As far along `way` as nothing is in it, and the normal of what is.
    fn free(&self, world: &World, from: Vec3, way: Vec3) -> Result<(Vec3, Option<Vec3>), QueryError> {
        let length = way.length();
        // what moves by itself is pushed, not gone around
        let still = |b: BodyId| world.properties(b).is_some_and(|p| !p.is_dynamic());
        let query = world.query().only(|b| b != self.body && still(b));
        let hit = query.sweep(&self.shape, Pose::from_position(from), way)?;
        Ok(match hit {
            Some(hit) if length > 0.0 => (way * ((hit.distance - SKIN).max(0.0) / length), Some(hit.normal)),
            _ => (way, None),
        })
    }

    fn walk(&mut self, world: &mut World, wish: Vec3, jump: bool) -> Result<(), Box<dyn std::error::Error>> {
        let start = world.position(self.body).unwrap_or_default();
        let mut at = start;
        // along the ground; up a step where that is blocked; else along the wall
        let way = wish * DT;
        let (done, wall) = self.free(world, at, way)?;
        at += done;
        if let Some(normal) = wall {
            let (up, _) = self.free(world, at, Vec3::Y * STEP)?;
            let (over, _) = self.free(world, at + up, way - done)?;
            if over.length() > done.length() && self.standing {
                at += up + over;
            } else {
                let rest = way - done;
                let (slide, _) = self.free(world, at, rest - normal * rest.dot(normal))?;
                at += slide;
            }
        }
        // down, or up from a jump
        self.fall = if jump && self.standing { 4.0 } else { self.fall - 9.81 * DT };
        let (down, ground) = self.free(world, at, Vec3::Y * self.fall * DT)?;
        at += down;
        self.standing = ground.is_some_and(|n| n.y > 0.7);
        if ground.is_some() {
            self.fall = 0.0;
        }
        // a scripted body pushes what it meets at the velocity it is given
        world.set_velocity(self.body, Twist::new((at - start) / DT, Vec3::ZERO))?;
        world.advance(DT)?;
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::builder().build()?;
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0)?))?;
    world.add(Body::fixed(Shape::cuboid(1.0, 0.15, 2.0)?).at([4.0, 0.15, 0.0]))?;
    let wall = world.add(Body::fixed(Shape::cuboid(0.2, 2.0, 2.0)?).at([8.0, 2.0, 0.0]))?;
    let crate_ = world.add(Body::dynamic(Shape::cuboid(0.25, 0.25, 0.25)?).at([1.5, 0.25, 0.0]).mass(10.0))?;
    let shape = Shape::capsule(RADIUS, HALF)?;
    let body = world.add(Body::scripted(shape.clone()).at([0.0, RADIUS + HALF + SKIN, 0.0]))?;
    let mut character = Character { body, shape, fall: 0.0, standing: true };
    let mut highest: f64 = 0.0;
    for step in 0..480 {
        character.walk(&mut world, Vec3::X * 2.0, step == 200)?;
        let at = world.position(body).unwrap_or_default();
        highest = highest.max(at.y - RADIUS - HALF);
        if step % 60 == 0 {
            println!("{:4.1} s: {:5.2} m, feet at {:4.2} m", f64::from(step) * DT, at.x, at.y - RADIUS - HALF);
        }
    }
    let gap = world.position(wall).unwrap_or_default().x - 0.2 - world.position(body).unwrap_or_default().x - RADIUS;
    let pushed = world.position(crate_).unwrap_or_default().x - 1.5;
    println!("stopped {gap:.2} m before the wall; highest {highest:.2} m; pushed the crate by {pushed:.2} m");
    Ok(())
}
