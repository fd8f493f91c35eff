use crate::Session;
use drystone_core::BodyIndex;
use drystone_math::{Pose, Vec3};
use drystone_session::{joint_frames, joint_points};
use wasm_bindgen::prelude::wasm_bindgen;

/// What there is to draw.
#[wasm_bindgen]
impl Session {
    /// Number of bodies.
    #[wasm_bindgen(js_name = bodyCount)]
    pub fn body_count(&self) -> usize {
        self.loaded.world.state().len()
    }

    /// Number of distinct surfaces.
    #[wasm_bindgen(js_name = surfaceCount)]
    pub fn surface_count(&self) -> usize {
        self.scenery.surfaces.len()
    }

    /// Which surface each body has.
    #[wasm_bindgen(js_name = surfaceOf)]
    pub fn surface_of(&self) -> Vec<u32> {
        self.scenery.surface_of.clone()
    }

    /// Corners of a surface, in the body frame (m): x, y, z of each.
    #[wasm_bindgen(js_name = surfacePositions)]
    pub fn surface_positions(&self, surface: usize) -> Vec<f32> {
        self.scenery.surfaces.get(surface).map(|s| s.positions.concat()).unwrap_or_default()
    }

    /// Triangles of a surface, counterclockwise from outside.
    #[wasm_bindgen(js_name = surfaceTriangles)]
    pub fn surface_triangles(&self, surface: usize) -> Vec<u32> {
        self.scenery.surfaces.get(surface).map(|s| s.triangles.concat()).unwrap_or_default()
    }

    /// Body frames, seven numbers each: position (m) and orientation as a quaternion x, y, z, w.
    pub fn poses(&self) -> Vec<f64> {
        drystone_session::poses(&self.loaded.world)
    }

    /// Which bodies are asleep: one or zero each.
    pub fn asleep(&self) -> Vec<u8> {
        self.loaded.world.state().sleeping.iter().map(|s| u8::from(*s)).collect()
    }

    /// The contact group of each body as of the last detection, -1 for none.
    pub fn groups(&self) -> Vec<i32> {
        drystone_session::groups(&self.loaded.world)
    }

    /// The height of each body in its stack, -1 where the time control asked for none.
    pub fn layers(&self) -> Vec<i32> {
        drystone_session::layers(&self.loaded.world)
    }

    /// Contacts, twelve numbers each: position (m), normal from the first body to the second, impulse on the second (N s), separation
    /// (m), and the bodies.
    pub fn contacts(&self) -> Vec<f64> {
        let world = &self.loaded.world;
        let at = |body| world.body_index(body).map_or(-1.0, |i| i.at() as f64);
        let mut all = Vec::new();
        for c in world.contacts() {
            let impulse = c.normal * c.impulse.normal + c.impulse.friction;
            for v in [c.position, c.normal, impulse] {
                all.extend(v.to_array());
            }
            all.extend([c.separation, at(c.bodies[0]), at(c.bodies[1])]);
        }
        all
    }

    /// Axis-aligned boxes of the bodies that have finite ones, six numbers each: least and largest corner (m).
    pub fn boxes(&self) -> Vec<f64> {
        let (c, s) = (self.loaded.world.configuration(), self.loaded.world.state());
        let mut all = Vec::new();
        for (i, body) in c.bodies.iter().enumerate() {
            let b = body.shape.aabb(&body.frame(&s.pose(BodyIndex::new(i))));
            if b.min.is_finite() && b.max.is_finite() && b.largest_edge() < 1e6 {
                all.extend(b.min.to_array().into_iter().chain(b.max.to_array()));
            }
        }
        all
    }

    /// Joints, ten numbers each: the anchor and the centres of both bodies (m; the anchor itself where a joint holds to the world), and
    /// whether it is broken.
    pub fn joints(&self) -> Vec<f64> {
        let world = &self.loaded.world;
        let ten = |(j, points): (usize, [Vec3; 3])| {
            let broken = f64::from(u8::from(world.state().is_broken(j)));
            points.into_iter().flat_map(<[f64; 3]>::from).chain([broken])
        };
        joint_points(world).into_iter().enumerate().flat_map(ten).collect()
    }

    /// The frames of the joints that hold and have one, fourteen numbers each: as the first and as the second body carries it, position (m) and
    /// orientation as a quaternion x, y, z, w.
    #[wasm_bindgen(js_name = jointFrames)]
    pub fn joint_frames(&self) -> Vec<f64> {
        let world = &self.loaded.world;
        let whole = joint_frames(world).into_iter().enumerate().filter(|(j, _)| !world.state().is_broken(*j));
        let seven = |p: Pose| p.position.to_array().into_iter().chain(p.orientation.to_array());
        whole.filter_map(|(_, frames)| frames).flatten().flat_map(seven).collect()
    }
}
