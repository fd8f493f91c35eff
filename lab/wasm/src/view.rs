use crate::Session;
use drystone_core::{BodyFrame, BodyIndex, BodyKind};
use drystone_math::Vec3;
use drystone_session::Surface;
use wasm_bindgen::prelude::wasm_bindgen;

pub(crate) fn kind_name(kind: BodyKind) -> &'static str {
    match kind {
        BodyKind::Fixed => "fixed",
        BodyKind::Scripted => "scripted",
        BodyKind::Dynamic => "dynamic",
        BodyKind::Passive => "passive",
    }
}

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
        self.surfaces.len()
    }

    /// Which surface each body has.
    #[wasm_bindgen(js_name = surfaceOf)]
    pub fn surface_of(&self) -> Vec<u32> {
        self.surface_of.clone()
    }

    /// Corners of a surface, in the body frame (m): x, y, z of each.
    #[wasm_bindgen(js_name = surfacePositions)]
    pub fn surface_positions(&self, surface: usize) -> Vec<f32> {
        self.surfaces.get(surface).map(|s| s.positions.concat()).unwrap_or_default()
    }

    /// Triangles of a surface, counterclockwise from outside.
    #[wasm_bindgen(js_name = surfaceTriangles)]
    pub fn surface_triangles(&self, surface: usize) -> Vec<u32> {
        self.surfaces.get(surface).map(|s| s.triangles.concat()).unwrap_or_default()
    }

    /// Body frames, seven numbers each: position (m) and orientation as a quaternion x, y, z, w.
    pub fn poses(&self) -> Vec<f64> {
        let (c, s) = (self.loaded.world.configuration(), self.loaded.world.state());
        let frame = |i: usize| c.bodies[i].frame(&s.pose(BodyIndex::new(i)));
        let seven = |i| {
            let f = frame(i);
            let (p, q) = (f.position, f.orientation);
            [p.x, p.y, p.z, q.x, q.y, q.z, q.w]
        };
        (0..s.len()).flat_map(seven).collect()
    }

    /// Which bodies are asleep: one or zero each.
    pub fn asleep(&self) -> Vec<u8> {
        self.loaded.world.state().sleeping.iter().map(|s| u8::from(*s)).collect()
    }

    /// The contact group of each body as of the last detection, -1 for none.
    pub fn groups(&self) -> Vec<i32> {
        let groups = &self.loaded.world.graph().groups;
        let mut of = vec![-1; self.body_count()];
        for g in 0..groups.len() {
            for body in groups.group_bodies(g) {
                of[body.at()] = g as i32;
            }
        }
        of
    }

    /// The height of each body in its stack, -1 where the time control asked for none.
    pub fn layers(&self) -> Vec<i32> {
        let heights = &self.loaded.world.graph().layers.heights;
        (0..self.body_count()).map(|i| heights.get(i).map_or(-1, |h| i32::try_from(*h).unwrap_or(-1))).collect()
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
        let (c, s) = (self.loaded.world.configuration(), self.loaded.world.state());
        let mut all = Vec::new();
        for (j, joint) in c.joints.iter().enumerate() {
            let frames = joint.bodies.map(|b| BodyFrame::of(s, b));
            let centre = |k: usize| joint.bodies[k].map(|_| frames[k].pose.position);
            let anchor = joint.source.anchor([&frames[0], &frames[1]]);
            let anchor = anchor.or(centre(1)).or(centre(0)).unwrap_or(Vec3::ZERO);
            for point in [anchor, centre(0).unwrap_or(anchor), centre(1).unwrap_or(anchor)] {
                all.extend(point.to_array());
            }
            all.push(f64::from(u8::from(s.is_broken(j))));
        }
        all
    }

    pub(crate) fn take_surfaces(&mut self) {
        let bodies = &self.loaded.world.configuration().bodies;
        let mut shapes: Vec<&drystone_geometry::Shape> = Vec::new();
        let (mut surfaces, mut surface_of) = (Vec::new(), Vec::new());
        for body in bodies {
            let known = shapes.iter().position(|s| **s == body.shape);
            surface_of.push(known.unwrap_or(shapes.len()) as u32);
            if known.is_none() {
                shapes.push(&body.shape);
                surfaces.push(Surface::of(&body.shape));
            }
        }
        (self.surfaces, self.surface_of) = (surfaces, surface_of);
    }
}
