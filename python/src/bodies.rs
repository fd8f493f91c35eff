//! Bodies and materials of a world: adding, removing, placing, pushing.

use crate::control::no_body;
use crate::error::{Done, Fail};
use crate::fragment;
use crate::world::{Inner, NativeWorld, body_id, key_of};
use drystone_core::BodyKind;
use drystone_math::{Twist, Vec3};
use pyo3::prelude::*;
use serde_json::{Value as Json, json};

/// Adds the copies of one entry of `[[bodies]]`.
fn add(w: &mut Inner, entry: &str) -> Done<Vec<u64>> {
    let entry: Json = serde_json::from_str(entry).map_err(|e| Fail::Input(format!("bodies: not JSON: {e}")))?;
    let materials = fragment::materials(&w.loaded.materials);
    let scene = fragment::read(&json!({ "materials": materials, "bodies": [entry] }))?;
    let mut keys = Vec::new();
    for body in &scene.bodies {
        let names: Vec<String> = (0..body.copies).map(|i| body.copy_name(i)).collect();
        if let Some(taken) = names.iter().find(|n| w.loaded.names.contains(n)) {
            return Err(Fail::Input(format!(
                "bodies: found the name '{taken}' again; allowed: a name that no other body has"
            )));
        }
        for (i, name) in names.into_iter().enumerate() {
            let id = w.world().add_properties(body.properties.clone(), body.center_pose(i), body.velocity)?;
            w.loaded.world.set_name(id, &name)?;
            w.loaded.names.push(name);
            keys.push(key_of(id));
        }
    }
    forget_recording(w)?;
    Ok(keys)
}

/// What was recorded of another set of bodies is dropped; recording goes on anew.
fn forget_recording(w: &mut Inner) -> Done<()> {
    if w.recording.is_some() {
        w.start_recording()?;
    }
    Ok(())
}

#[pymethods]
impl NativeWorld {
    fn bodies(&self, py: Python<'_>) -> PyResult<Vec<u64>> {
        self.lock(py, |w| Ok(w.world().bodies().iter().map(|b| key_of(*b)).collect()))
    }

    fn body_names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.lock(py, |w| Ok(w.loaded.names.clone()))
    }

    fn body_column(&self, py: Python<'_>, body: u64) -> PyResult<usize> {
        self.lock(py, |w| Ok(w.column(body)?.at()))
    }

    fn add_bodies(&self, py: Python<'_>, entry: &str) -> PyResult<Vec<u64>> {
        self.lock(py, |w| add(w, entry))
    }

    /// The joints and forces that went with it.
    fn remove_body(&self, py: Python<'_>, body: u64) -> PyResult<(Vec<u64>, Vec<u64>)> {
        self.lock(py, |w| {
            let column = w.column(body)?;
            let before = w.world().joints().to_vec();
            let removed = w.world().remove(body_id(body))?;
            w.loaded.names.remove(column.at());
            let names = std::mem::take(&mut w.loaded.joint_names);
            let stays = before.into_iter().zip(names).filter(|(id, _)| !removed.joints.contains(id));
            w.loaded.joint_names = stays.map(|(_, name)| name).collect();
            for joint in &removed.joints {
                w.joints.remove(*joint);
            }
            forget_recording(w)?;
            Ok((removed.joints.into_iter().map(key_of).collect(), removed.forces.into_iter().map(key_of).collect()))
        })
    }

    fn body_kind(&self, py: Python<'_>, body: u64) -> PyResult<&'static str> {
        self.lock(py, |w| {
            let column = w.column(body)?;
            Ok(match w.world().configuration().body(column).kind {
                BodyKind::Dynamic => "dynamic",
                BodyKind::Passive => "passive",
                BodyKind::Fixed => "fixed",
                BodyKind::Scripted => "scripted",
            })
        })
    }

    /// (position, orientation) of the body frame.
    fn pose(&self, py: Python<'_>, body: u64) -> PyResult<([f64; 3], [f64; 4])> {
        self.lock(py, |w| {
            let pose = w.world().pose(body_id(body)).ok_or_else(no_body)?;
            Ok((pose.position.to_array(), pose.orientation.to_array()))
        })
    }

    /// (linear, angular).
    fn velocity(&self, py: Python<'_>, body: u64) -> PyResult<([f64; 3], [f64; 3])> {
        self.lock(py, |w| {
            let v = w.world().velocity(body_id(body)).ok_or_else(no_body)?;
            Ok((v.linear.to_array(), v.angular.to_array()))
        })
    }

    /// (mass, inertia about the centre of mass as 3x3 rows in body axes, centre of mass in the body frame).
    fn mass(&self, py: Python<'_>, body: u64) -> PyResult<(f64, [[f64; 3]; 3], [f64; 3])> {
        self.lock(py, |w| {
            let column = w.column(body)?;
            let b = w.world().configuration().body(column);
            let columns = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| b.inertia.mul_vec(axis).to_array());
            // symmetric: columns are rows
            Ok((b.mass, columns, b.center.to_array()))
        })
    }

    fn set_velocity(&self, py: Python<'_>, body: u64, linear: [f64; 3], angular: [f64; 3]) -> PyResult<()> {
        let velocity = Twist::new(Vec3::from_array(linear), Vec3::from_array(angular));
        self.lock(py, |w| Ok(w.world().set_velocity(body_id(body), velocity)?))
    }

    fn ignore_pair(&self, py: Python<'_>, one: u64, other: u64, ignore: bool) -> PyResult<()> {
        self.lock(py, |w| {
            let (one, other) = (body_id(one), body_id(other));
            let world = w.world();
            Ok(if ignore { world.ignore_pair(one, other)? } else { world.unignore_pair(one, other)? })
        })
    }

    fn add_material(&self, py: Python<'_>, name: &str, table: &str) -> PyResult<()> {
        self.lock(py, |w| {
            let table: Json =
                serde_json::from_str(table).map_err(|e| Fail::Input(format!("materials: not JSON: {e}")))?;
            if w.loaded.materials.iter().any(|m| m.name == name) {
                return Err(Fail::Input(format!("materials: there is a '{name}' already")));
            }
            let mut materials = fragment::materials(&w.loaded.materials);
            materials.insert(name.to_owned(), table);
            let scene = fragment::read(&json!({ "materials": materials, "bodies": [] }))?;
            if let Some(entry) = scene.materials.last().filter(|m| m.name == name) {
                w.world().add_material(entry.surface)?;
                w.loaded.materials.push(entry.clone());
            }
            Ok(())
        })
    }
}
