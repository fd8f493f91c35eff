use super::packed;
use drystone_core::BodyIndex;
use drystone_geometry::Shape;
use drystone_session::{Loaded, Scenery, Surface, joint_points, kind_name};
use serde_json::{Value, json};

/// Appearance of a scene's bodies and joints, as of when it was loaded.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Look {
    /// Names of the bodies.
    pub names: Vec<String>,
    /// Their kinds, as scene files call them.
    pub kinds: Vec<&'static str>,
    /// Names of the materials.
    pub materials: Vec<String>,
    /// Which material a body has.
    pub material_of: Vec<u32>,
    /// Surfaces, and which of them a body has.
    pub scenery: Scenery,
    /// For each surface, normal and offset if it is a plane.
    planes: Vec<Option<[f64; 4]>>,
    /// The bodies of each joint, and its anchor in the body frame of the first that there is (m).
    joints: Vec<([Option<usize>; 2], [f64; 3])>,
}

impl Look {
    /// Of a loaded scene.
    pub fn of(loaded: &Loaded) -> Self {
        let (world, configuration) = (&loaded.world, loaded.world.configuration());
        let scenery = Scenery::of(configuration);
        let mut planes = vec![None; scenery.surfaces.len()];
        for (body, surface) in configuration.bodies.iter().zip(&scenery.surface_of) {
            if let Shape::Plane(p) = &body.shape {
                let n = p.normal();
                planes[*surface as usize] = Some([n.x, n.y, n.z, p.offset()]);
            }
        }
        let frame = |i: usize| configuration.bodies[i].frame(&world.state().pose(BodyIndex::new(i)));
        let joint = |(joint, [anchor, ..]): (&drystone_core::Joint, [drystone_math::Vec3; 3])| {
            let bodies = joint.bodies.map(|b| b.map(BodyIndex::at));
            let base = bodies[0].or(bodies[1]);
            let local = base.map_or(anchor, |b| frame(b).local_point(anchor));
            (bodies, local.to_array())
        };
        Self {
            names: loaded.names.clone(),
            kinds: configuration.bodies.iter().map(|b| kind_name(b.kind)).collect(),
            materials: loaded.materials.iter().map(|m| m.name.clone()).collect(),
            material_of: configuration.bodies.iter().map(|b| b.material.0).collect(),
            scenery,
            planes,
            joints: configuration.joints.iter().zip(joint_points(world)).map(joint).collect(),
        }
    }

    /// Returns true if a body moves at all.
    pub fn moves(&self, body: usize) -> bool {
        !matches!(self.kinds.get(body), Some(&"fixed" | &"passive"))
    }

    /// As the page reads it: surfaces stretched to a box of edge two, so that all balls share one, and the size of each body.
    pub fn to_json(&self) -> Value {
        let mut units: Vec<(Vec<i16>, &[[u32; 3]])> = Vec::new();
        let mut written = Vec::new();
        let mut of: Vec<(usize, [f32; 3])> = Vec::new();
        for (surface, plane) in self.scenery.surfaces.iter().zip(&self.planes) {
            if let Some(plane) = plane {
                of.push((written.len(), [1.0; 3]));
                written.push(json!({ "plane": plane }));
                units.push((Vec::new(), &[]));
                continue;
            }
            let (corners, size) = stretched(surface);
            let known = units.iter().position(|(c, t)| *c == corners && *t == surface.triangles);
            of.push((known.unwrap_or(written.len()), size));
            if known.is_none() {
                let bytes = |list: &[i16]| list.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
                let triangles: Vec<u8> = surface.triangles.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
                written.push(json!({ "p": packed(&bytes(&corners)), "t": packed(&triangles) }));
                units.push((corners, &surface.triangles));
            }
        }
        let of_body = |s: &u32| of[*s as usize];
        let joint = |(bodies, anchor): &([Option<usize>; 2], [f64; 3])| {
            let bodies = bodies.map(|b| b.map_or(-1.0, |b| b as f64));
            [bodies[0], bodies[1], anchor[0], anchor[1], anchor[2]]
        };
        json!({
            "names": self.names, "kinds": self.kinds, "materials": self.materials, "materialOf": self.material_of,
            "surfaces": written,
            "surfaceOf": self.scenery.surface_of.iter().map(|s| of_body(s).0).collect::<Vec<_>>(),
            "scales": self.scenery.surface_of.iter().flat_map(|s| of_body(s).1).collect::<Vec<_>>(),
            "joints": self.joints.iter().map(joint).collect::<Vec<_>>(),
        })
    }
}

/// A surface's corners in units of its reach along each axis, and these reaches (m).
fn stretched(surface: &Surface) -> (Vec<i16>, [f32; 3]) {
    let mut size = [0.0_f32; 3];
    for p in &surface.positions {
        for (size, v) in size.iter_mut().zip(p) {
            *size = size.max(v.abs());
        }
    }
    let size = size.map(|s| if s > 0.0 { s } else { 1.0 });
    let unit = |p: &[f32; 3]| [0, 1, 2].map(|k| (p[k] / size[k] * f32::from(i16::MAX)).round() as i16);
    (surface.positions.iter().flat_map(unit).collect(), size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Overrides, load};

    #[test]
    fn balls_of_all_sizes_share_a_surface() {
        let (small, large) = (Shape::sphere(0.1).unwrap(), Shape::sphere(0.73).unwrap());
        let [(a, size), (b, other)] = [small, large].map(|s| stretched(&Surface::of(&s)));
        assert_eq!(a, b);
        assert!((size[0] - 0.1).abs() < 1e-6 && (other[1] - 0.73).abs() < 1e-6);
    }

    #[test]
    fn a_surface_is_written_once_for_all_that_are_it_stretched() {
        let shapes = [
            Shape::sphere(0.1),
            Shape::cuboid(0.1, 0.2, 0.3),
            Shape::sphere(0.73),
            Shape::cuboid(1.0, 1.0, 0.2),
            Shape::capsule(0.1, 0.2),
        ];
        let surfaces: Vec<Surface> = shapes.map(|s| Surface::of(&s.unwrap())).into();
        let scenery = Scenery { surface_of: (0..5).collect(), surfaces };
        let told = Look { planes: vec![None; 5], scenery, ..Look::default() }.to_json();
        assert_eq!(told["surfaceOf"], json!([0, 1, 0, 1, 2]));
        assert_eq!(told["surfaces"].as_array().unwrap().len(), 3);
    }

    #[test]
    fn a_joint_is_anchored_to_a_body() {
        let loaded = load("chain-swing", &Overrides::default()).unwrap();
        let look = Look::of(&loaded);
        assert_eq!(look.to_json()["joints"].as_array().unwrap().len(), loaded.world.configuration().joints.len());
        // the first holds to the world at its anchor
        let (bodies, anchor) = look.joints[0];
        let base = bodies[0].or(bodies[1]).unwrap();
        let c = loaded.world.configuration();
        let frame = c.bodies[base].frame(&loaded.world.state().pose(BodyIndex::new(base)));
        let back = frame.point(drystone_math::Vec3::from_array(anchor));
        assert!(back.distance(joint_points(&loaded.world)[0][0]) < 1e-12);
    }
}
