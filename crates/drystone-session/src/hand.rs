use drystone::World;
use drystone_core::{BodyIndex, ForceId};
use drystone_math::Vec3;
use drystone_motion::force::SpringDamper;

/// Oscillations of a held body per second, and the largest pull of a hand, in weights of the body.
const FREQUENCY: f64 = 3.0;
const STRENGTH: f64 = 40.0;

/// A user's hand: it holds one body at a time by a mouse spring, critically damped at three oscillations per second.
#[derive(Debug, Default)]
pub struct Hand {
    grip: Option<Grip>,
}

#[derive(Debug)]
struct Grip {
    force: ForceId,
    body: BodyIndex,
    /// Grip point, in the body's own axes about its centre of mass (m).
    point: Vec3,
    /// The point that it is drawn to (m).
    target: Vec3,
    /// Its mass (kg).
    mass: f64,
}

impl Hand {
    /// Takes hold of a dynamic body at a point in the world (m); returns false if the body cannot be moved.
    pub fn grab(&mut self, world: &mut World, body: usize, at: Vec3) -> bool {
        self.release(world);
        let index = BodyIndex::new(body);
        if body >= world.state().len() || !world.configuration().body(index).is_dynamic() || !at.is_finite() {
            return false;
        }
        let inverse = world.configuration().body(index).inverse_mass;
        let mass = if inverse > 0.0 { 1.0 / inverse } else { 1.0 };
        let point = world.state().pose(index).local_point(at);
        let force = world.add_force(SpringDamper::mouse(index, point, at, 0.0, 0.0, 0.0));
        self.grip = Some(Grip { force, body: index, point, target: at, mass });
        self.drag(world, at);
        true
    }

    /// Draws the held body towards a point in the world (m).
    pub fn drag(&mut self, world: &mut World, target: Vec3) {
        let Some(grip) = self.grip.as_mut().filter(|_| target.is_finite()) else { return };
        grip.target = target;
        let rate = std::f64::consts::TAU * FREQUENCY;
        let (stiffness, damping) = (grip.mass * rate * rate, 2.0 * grip.mass * rate);
        let weight = grip.mass * world.configuration().gravity.length().max(1.0);
        let spring = SpringDamper::mouse(grip.body, grip.point, target, stiffness, damping, STRENGTH * weight);
        // if the force is gone, the hand has lost its grip
        if world.set_force(grip.force, spring).is_err() {
            self.grip = None;
        }
    }

    /// Lets go.
    pub fn release(&mut self, world: &mut World) {
        if let Some(grip) = self.grip.take() {
            // it may have been removed with its body
            let _ = world.remove_force(grip.force);
        }
    }

    /// The point at which the body is held, and the point that it is drawn to (m).
    pub fn held(&self, world: &World) -> Option<[Vec3; 2]> {
        self.grip.as_ref().map(|g| [world.state().pose(g.body).point(g.point), g.target])
    }
}
