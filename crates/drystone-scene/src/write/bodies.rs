use super::values::{quaternion, real, reals, vector};
use super::{Said, SavedScene, cannot, material_name, scripts, shapes};
use drystone_core::{BodyIndex, BodyKind, BodyProperties, CollisionGroups, MaterialIndex};
use drystone_math::{SymmetricMat3, Vec3};
use serde_json::{Map, Value as Json, json};

/// An entry of `[[bodies]]`.
pub(super) fn body(scene: &SavedScene<'_>, i: usize, name: &str) -> Said<Json> {
    let (index, b) = (BodyIndex::new(i), &scene.configuration.bodies[i]);
    let kind = match b.kind {
        BodyKind::Dynamic => "dynamic",
        BodyKind::Fixed => "fixed",
        BodyKind::Scripted => "scripted",
        BodyKind::Passive => "passive",
    };
    // a script counts from the pose that it was given
    let script = scene.configuration.scripts.iter().find(|s| s.body == index);
    let frame = match script.map(|s| scripts::base(s.motion.as_ref())) {
        Some(base) => base?,
        None => b.frame(&scene.state.pose(index)),
    };
    let mut said = Map::new();
    let mut put = |key: &str, value: Json| said.insert(key.to_owned(), value);
    put("name", json!(name));
    put("kind", json!(kind));
    put("shape", shapes::shape(&b.shape)?);
    put("position", vector(name, frame.position)?);
    put("orientation", quaternion(name, frame.orientation)?);
    let velocity = scene.state.velocity(index);
    if b.kind != BodyKind::Fixed {
        put("linear_velocity", vector(name, velocity.linear)?);
        put("angular_velocity", vector(name, velocity.angular)?);
    }
    if b.material != MaterialIndex::default() {
        put("material", json!(material_name(b.material)));
    }
    said.extend(mass(name, b)?);
    said.extend(traits(name, b)?);
    let data = scene.bodies[i].data;
    if data != 0 {
        said.insert("user_data".to_owned(), json!(format!("{data:x}")));
    }
    Ok(Json::Object(said))
}

/// Mass, inertia and centre of mass, with what is locked of them.
fn mass(name: &str, b: &BodyProperties) -> Said<Map<String, Json>> {
    let mut said = Map::new();
    let mut put = |key: &str, value: Json| said.insert(key.to_owned(), value);
    if b.center != Vec3::ZERO || matches!(b.kind, BodyKind::Dynamic | BodyKind::Passive) {
        put("center_of_mass", vector(name, b.center)?);
    }
    if matches!(b.kind, BodyKind::Fixed | BodyKind::Scripted) {
        let none = b.mass == 0.0 && b.inverse_mass == 0.0 && b.inverse_inertia == SymmetricMat3::ZERO;
        return if none { Ok(said) } else { cannot(format!("{name} is {:?} and has a mass", b.kind)) };
    }
    put("mass", real(name, b.mass)?);
    put("inertia", vector(name, b.inertia.diagonal)?);
    let [yz, xz, xy] = b.inertia.off_diagonal.to_array();
    if b.inertia.off_diagonal != Vec3::ZERO {
        put("products_of_inertia", reals(name, &[xy, xz, yz])?);
    }
    if b.inverse_mass == 0.0 {
        put("lock_translation", json!(true));
    } else if b.inverse_mass != 1.0 / b.mass {
        return cannot(format!("the inverse mass of {name} is not that of its mass"));
    }
    if b.inverse_inertia == SymmetricMat3::ZERO {
        put("lock_rotation", json!(true));
    } else if b.inertia.inverse() != Some(b.inverse_inertia) {
        let (d, o) = (b.inverse_inertia.diagonal, b.inverse_inertia.off_diagonal);
        put("inverse_inertia", reals(name, &[d.x, d.y, d.z, o.x, o.y, o.z])?);
    }
    Ok(said)
}

/// Motion and collision properties, if they differ from the defaults.
fn traits(name: &str, b: &BodyProperties) -> Said<Map<String, Json>> {
    let CollisionGroups { membership, mask } = b.groups;
    let usual = CollisionGroups::default();
    let mut said = Map::new();
    let mut put = |differs: bool, key: &str, value: Json| {
        if differs {
            said.insert(key.to_owned(), value);
        }
    };
    put(b.layer != 0, "layer", json!(b.layer));
    put(membership != usual.membership, "membership", json!(membership));
    put(mask != usual.mask, "mask", json!(mask));
    put(!b.can_sleep, "can_sleep", json!(false));
    put(b.sensor, "sensor", json!(true));
    put(b.continuous, "continuous", json!(true));
    put(b.gravity_scale != 1.0, "gravity_scale", real(name, b.gravity_scale)?);
    put(b.damping[0] != 0.0, "linear_damping", real(name, b.damping[0])?);
    put(b.damping[1] != 0.0, "angular_damping", real(name, b.damping[1])?);
    if let Some(axis) = b.spin_axis {
        put(true, "spin_axis", super::values::unit_vector(&format!("spin axis of {name}"), axis)?);
    }
    Ok(said)
}
