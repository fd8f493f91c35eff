use crate::Session;
use drystone::Body;
use drystone_geometry::Shape;
use drystone_math::Vec3;
use drystone_session::Scenery;
use wasm_bindgen::prelude::wasm_bindgen;

/// The user's hand.
#[wasm_bindgen]
impl Session {
    /// Takes hold of a dynamic body at a point of the world (m); false where the body cannot be moved.
    pub fn grab(&mut self, body: usize, x: f64, y: f64, z: f64) -> bool {
        self.hand.grab(&mut self.loaded.world, body, Vec3::new(x, y, z))
    }

    /// Draws what is held towards a point of the world (m), with a damped spring of three oscillations a second.
    pub fn drag(&mut self, x: f64, y: f64, z: f64) {
        self.hand.drag(&mut self.loaded.world, Vec3::new(x, y, z));
    }

    /// Lets go.
    pub fn release(&mut self) {
        self.hand.release(&mut self.loaded.world);
    }

    /// The point of the held body and the one it is drawn to (m), or nothing.
    pub fn held(&self) -> Vec<f64> {
        let points = self.hand.held(&self.loaded.world);
        points.map(|p| p.into_iter().flat_map(<[f64; 3]>::from).collect()).unwrap_or_default()
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
        self.scenery = Scenery::of(self.loaded.world.configuration());
        Ok(())
    }
}
