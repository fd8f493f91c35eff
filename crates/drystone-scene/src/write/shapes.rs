use super::values::{real, unit_quaternion, vector, vectors};
use super::{Said, cannot};
use drystone_geometry::Shape;
use drystone_math::Vec3;
use serde_json::{Map, Value as Json, json};

/// A shape: a table with its kind as the key.
pub(super) fn shape(shape: &Shape) -> Said<Json> {
    let kind = shape.kind();
    let revolved = |radius, half_height| -> Said<Json> {
        Ok(json!({ "radius": real(kind, radius)?, "half_height": real(kind, half_height)? }))
    };
    let said = match shape {
        Shape::Sphere(s) => json!({ "radius": real(kind, s.radius())? }),
        Shape::Box(s) => json!({ "half_extents": vector(kind, s.half_extents())? }),
        Shape::Capsule(s) => revolved(s.radius(), s.half_height())?,
        Shape::Cylinder(s) => revolved(s.radius(), s.half_height())?,
        Shape::Cone(s) => revolved(s.radius(), s.half_height())?,
        Shape::Plane(s) => json!({ "normal": vector(kind, s.normal())?, "offset": real(kind, s.offset())? }),
        Shape::Convex(s) => json!({ "points": hull(s.vertices(), shape)? }),
        Shape::Mesh(s) => {
            let mut mesh = Map::new();
            mesh.insert("vertices".to_owned(), vectors(kind, s.mesh().vertices())?);
            mesh.insert("triangles".to_owned(), json!(s.mesh().triangles()));
            mesh.insert("as_is".to_owned(), json!(true));
            if let Some(map) = s.map_settings() {
                let mut sdf = json!({ "resolution": map.resolution, "spacing": real(kind, map.spacing)? });
                if map.band.is_finite() {
                    sdf["band"] = json!(map.band);
                }
                mesh.insert("sdf".to_owned(), sdf);
            }
            Json::Object(mesh)
        }
        Shape::Compound(s) => {
            let part = |(part, pose): &(Shape, drystone_math::Pose)| {
                let orientation = unit_quaternion("orientation of a part of a compound", pose.orientation)?;
                let position = vector(kind, pose.position)?;
                Ok(json!({ "shape": self::shape(part)?, "position": position, "orientation": orientation }))
            };
            json!({ "parts": s.parts().iter().map(part).collect::<Said<Vec<Json>>>()? })
        }
        _ => return cannot(format!("a shape of the kind {kind}")),
    };
    Ok(json!({ kind: said }))
}

/// Points whose hull is the polyhedron, bit for bit.
fn hull(vertices: &[Vec3], shape: &Shape) -> Said<Json> {
    if Shape::convex(vertices).ok().as_ref() != Some(shape) {
        return cannot(format!("a convex shape of {} vertices whose hull has other faces than it has", vertices.len()));
    }
    vectors("convex", vertices)
}
