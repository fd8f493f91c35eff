//! What can be changed about a body while a world runs, and how it is pushed.

use crate::error::{Done, Fail};
use crate::fragment;
use crate::world::{Inner, NativeWorld, body_id};
use drystone_core::BodyKind;
use drystone_geometry::MassProperties;
use drystone_math::{Mat3, SymmetricMat3, Twist, Vec3};
use pyo3::prelude::*;
use serde_json::{Map, Value as Json, json};

/// Keys of `[[bodies]]` that a body of a running world can be given anew.
const KEYS: [&str; 14] = [
    "kind",
    "shape",
    "mass",
    "material",
    "layer",
    "membership",
    "mask",
    "gravity_scale",
    "linear_damping",
    "angular_damping",
    "continuous",
    "surface_velocity",
    "surface_spin",
    "sensor",
];

pub(crate) fn no_body() -> Fail {
    Fail::Input("no such body: it was removed from its world".to_owned())
}

fn kind_name(kind: BodyKind) -> &'static str {
    match kind {
        BodyKind::Dynamic | BodyKind::Passive => "dynamic",
        BodyKind::Fixed => "fixed",
        BodyKind::Scripted => "scripted",
    }
}

/// Reads the keys by the scene format's own reader and gives the body those that are there.
fn change(w: &mut Inner, body: u64, keys: &str) -> Done<()> {
    let keys: Map<String, Json> =
        serde_json::from_str(keys).map_err(|e| Fail::Input(format!("body: not JSON: {e}")))?;
    if let Some(odd) = keys.keys().find(|k| *k != "can_sleep" && !KEYS.contains(&k.as_str())) {
        return Err(Fail::Input(format!("body: found '{odd}'; allowed: {}, can_sleep", KEYS.join(", "))));
    }
    let id = body_id(body);
    let held = w.world().properties(id).ok_or_else(no_body)?.clone();
    let mut entry = json!({ "name": "body", "kind": kind_name(held.kind), "shape": { "sphere": { "radius": 1.0 } } });
    if let Some(entry) = entry.as_object_mut() {
        entry.extend(keys.clone());
    }
    let materials = fragment::materials(&w.loaded.materials);
    let scene = fragment::read(&json!({ "materials": materials, "bodies": [entry] }))?;
    let Some(read) = scene.bodies.first().map(|b| b.properties.clone()) else { return Err(no_body()) };
    let has = |key: &str| keys.contains_key(key);
    let world = w.world();
    if has("kind") {
        world.set_kind(id, read.kind)?;
    }
    if has("shape") {
        world.set_shape(id, read.shape)?;
    }
    if has("mass") {
        world.set_mass(id, read.mass)?;
    }
    if has("material") {
        world.set_material(id, read.material)?;
    }
    if has("layer") {
        world.set_layer(id, read.layer)?;
    }
    if has("membership") || has("mask") {
        let membership = if has("membership") { read.groups.membership } else { held.groups.membership };
        let mask = if has("mask") { read.groups.mask } else { held.groups.mask };
        world.set_groups(id, membership, mask)?;
    }
    if has("gravity_scale") {
        world.set_gravity_scale(id, read.gravity_scale)?;
    }
    if has("linear_damping") || has("angular_damping") {
        let linear = if has("linear_damping") { read.damping[0] } else { held.damping[0] };
        let angular = if has("angular_damping") { read.damping[1] } else { held.damping[1] };
        world.set_damping(id, linear, angular)?;
    }
    if has("continuous") {
        world.set_continuous(id, read.continuous)?;
    }
    if has("surface_velocity") || has("surface_spin") {
        let (run, held) = (read.surface_velocity, held.surface_velocity);
        let linear = if has("surface_velocity") { run.linear } else { held.linear };
        let angular = if has("surface_spin") { run.angular } else { held.angular };
        world.set_surface_velocity(id, Twist::new(linear, angular))?;
    }
    if has("sensor") {
        world.set_sensor(id, read.sensor)?;
    }
    if has("can_sleep") {
        world.set_can_sleep(id, read.can_sleep)?;
    }
    Ok(())
}

#[pymethods]
impl NativeWorld {
    fn change_body(&self, py: Python<'_>, body: u64, keys: &str) -> PyResult<()> {
        self.lock(py, |w| change(w, body, keys))
    }

    /// Mass (kg), inertia about its centre in body axes (kg m^2), centre in the body frame (m).
    fn set_mass_properties(
        &self,
        py: Python<'_>,
        body: u64,
        mass: f64,
        inertia: [[f64; 3]; 3],
        center: [f64; 3],
    ) -> PyResult<()> {
        self.lock(py, |w| {
            let inertia = SymmetricMat3::from_mat3(&Mat3::from_cols(
                Vec3::from_array(inertia[0]),
                Vec3::from_array(inertia[1]),
                Vec3::from_array(inertia[2]),
            ));
            let properties = MassProperties { mass, inertia, center: Vec3::from_array(center) };
            Ok(w.world().set_mass_properties(body_id(body), &properties)?)
        })
    }

    fn set_passive(&self, py: Python<'_>, body: u64, passive: bool) -> PyResult<()> {
        self.lock(py, |w| Ok(w.world().set_passive(body_id(body), passive)?))
    }

    fn body_asleep(&self, py: Python<'_>, body: u64) -> PyResult<bool> {
        self.lock(py, |w| w.world().is_asleep(body_id(body)).ok_or_else(no_body))
    }

    fn wake(&self, py: Python<'_>, body: u64) -> PyResult<()> {
        self.lock(py, |w| Ok(w.world().wake(body_id(body))?))
    }

    fn sleep(&self, py: Python<'_>, body: u64) -> PyResult<()> {
        self.lock(py, |w| Ok(w.world().sleep(body_id(body))?))
    }

    fn apply_impulse(&self, py: Python<'_>, body: u64, impulse: [f64; 3], point: [f64; 3]) -> PyResult<()> {
        let (impulse, point) = (Vec3::from_array(impulse), Vec3::from_array(point));
        self.lock(py, |w| Ok(w.world().apply_impulse(body_id(body), impulse, point)?))
    }

    fn apply_torque_impulse(&self, py: Python<'_>, body: u64, impulse: [f64; 3]) -> PyResult<()> {
        self.lock(py, |w| Ok(w.world().apply_torque_impulse(body_id(body), Vec3::from_array(impulse))?))
    }

    fn apply_force(&self, py: Python<'_>, body: u64, force: [f64; 3], point: [f64; 3]) -> PyResult<()> {
        let (force, point) = (Vec3::from_array(force), Vec3::from_array(point));
        self.lock(py, |w| Ok(w.world().apply_force(body_id(body), force, point)?))
    }

    fn apply_torque(&self, py: Python<'_>, body: u64, torque: [f64; 3]) -> PyResult<()> {
        self.lock(py, |w| Ok(w.world().apply_torque(body_id(body), Vec3::from_array(torque))?))
    }
}
