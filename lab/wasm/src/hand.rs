use crate::Session;
use drystone::Body;
use drystone_core::{BodyIndex, ForceId};
use drystone_geometry::Shape;
use drystone_math::Vec3;
use drystone_motion::force::SpringDamper;
use wasm_bindgen::prelude::wasm_bindgen;

/// A body held by the mouse.
pub(crate) struct Grip {
    force: ForceId,
    body: BodyIndex,
    /// Where it is held, in the body's own axes about its centre of mass (m).
    point: Vec3,
    /// Where it is drawn to (m).
    target: Vec3,
    /// Its mass (kg).
    mass: f64,
}

/// Oscillations of a held body a second, and what a hand can pull, in weights of the body.
const FREQUENCY: f64 = 3.0;
const STRENGTH: f64 = 40.0;

/// The user's hand.
#[wasm_bindgen]
impl Session {
    /// Takes hold of a dynamic body at a point of the world (m); false where the body cannot be moved.
    pub fn grab(&mut self, body: usize, x: f64, y: f64, z: f64) -> bool {
        self.release();
        let world = &mut self.loaded.world;
        let index = BodyIndex::new(body);
        let at = Vec3::new(x, y, z);
        if body >= world.state().len() || !world.configuration().body(index).is_dynamic() || !at.is_finite() {
            return false;
        }
        let inverse = world.configuration().body(index).inverse_mass;
        let mass = if inverse > 0.0 { 1.0 / inverse } else { 1.0 };
        let grip = SpringDamper::mouse(index, world.state().pose(index).local_point(at), at, 0.0, 0.0, 0.0);
        let point = world.state().pose(index).local_point(at);
        let force = world.add_force(grip);
        self.grip = Some(Grip { force, body: index, point, target: at, mass });
        self.drag(x, y, z);
        true
    }

    /// Draws what is held towards a point of the world (m), with a damped spring of three oscillations a second.
    pub fn drag(&mut self, x: f64, y: f64, z: f64) {
        let target = Vec3::new(x, y, z);
        let Some(grip) = self.grip.as_mut().filter(|_| target.is_finite()) else { return };
        grip.target = target;
        let rate = std::f64::consts::TAU * FREQUENCY;
        let (stiffness, damping) = (grip.mass * rate * rate, 2.0 * grip.mass * rate);
        let weight = grip.mass * self.loaded.world.configuration().gravity.length().max(1.0);
        let spring = SpringDamper::mouse(grip.body, grip.point, target, stiffness, damping, STRENGTH * weight);
        // a force that is gone has no hand
        if self.loaded.world.set_force(grip.force, spring).is_err() {
            self.grip = None;
        }
    }

    /// Lets go.
    pub fn release(&mut self) {
        if let Some(grip) = self.grip.take() {
            // it may be gone with its body
            let _ = self.loaded.world.remove_force(grip.force);
        }
    }

    /// The point of the held body and the one it is drawn to (m), or nothing.
    pub fn held(&self) -> Vec<f64> {
        let world = &self.loaded.world;
        let points = |g: &Grip| [world.state().pose(g.body).point(g.point), g.target];
        self.grip.as_ref().map(|g| points(g).into_iter().flat_map(<[f64; 3]>::from).collect()).unwrap_or_default()
    }

    /// Throws a ball of the given radius (m) and density (kg/m^3) from a point (m) at a velocity (m/s). What was saved before no longer
    /// fits.
    ///
    /// # Errors
    /// In words, where a number is not finite or not positive.
    #[wasm_bindgen(js_name = throwBall)]
    pub fn throw_ball(&mut self, from: &[f64], velocity: &[f64], radius: f64, density: f64) -> Result<(), String> {
        let vector = |v: &[f64]| <[f64; 3]>::try_from(v).map(Vec3::from_array).map_err(|_| "three numbers are needed");
        let shape = Shape::sphere(radius).map_err(|e| e.to_string())?;
        let body = Body::dynamic(shape).at(vector(from)?).linear_velocity(vector(velocity)?).density(density);
        self.loaded.world.add(body.clone()).map_err(|e| e.to_string())?;
        self.thrown.push(body);
        self.loaded.names.push(format!("ball thrown at {:.2} s", self.loaded.world.time()));
        self.take_surfaces();
        Ok(())
    }
}
