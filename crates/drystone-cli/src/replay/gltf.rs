use super::{Recording, Surface};
use crate::page::{FIXED, STONES};
use base64::Engine;
use drystone_math::{Mat3, Quat, Vec3};
use serde_json::{Value, json};

/// Vertical angle of view of the camera (rad).
const ANGLE: f64 = 0.7;

/// A recording as a glTF 2.0 document with its data inside: a node a body, each distinct surface one mesh for each material that it has, a
/// camera that sees the whole run, a sun (`KHR_lights_punctual`), one animation.
///
/// # Source
/// Khronos, glTF 2.0 specification. Normals are left out: viewers then shade flatly.
pub fn to_gltf(recording: &Recording) -> Value {
    let look = &recording.look;
    let mut bin = Binary::default();
    let surfaces: Vec<(usize, usize)> =
        look.scenery.surfaces.iter().map(|s| (bin.positions(s), bin.indices(s))).collect();
    // a mesh for each surface in each material; what never moves has the last
    let mut meshes: Vec<(u32, usize)> = Vec::new();
    let mut nodes: Vec<Value> = Vec::new();
    for i in 0..look.names.len() {
        let last = look.materials.len();
        // materials that were added later have no name
        let material = if look.moves(i) { (look.material_of[i] as usize).min(last.saturating_sub(1)) } else { last };
        let mesh = (look.scenery.surface_of[i], material);
        let at = meshes.iter().position(|m| *m == mesh).unwrap_or(meshes.len());
        if at == meshes.len() {
            meshes.push(mesh);
        }
        let pose = recording.frames.first().map_or([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], |f| pose(&f.bodies[i]));
        nodes.push(json!({ "name": look.names[i], "mesh": at, "translation": &pose[..3], "rotation": &pose[3..] }));
    }
    let meshes: Vec<Value> = meshes
        .into_iter()
        .map(|(surface, material)| {
            let (positions, indices) = surfaces[surface as usize];
            json!({ "primitives": [{ "attributes": { "POSITION": positions }, "indices": indices, "material": material }] })
        })
        .collect();
    let material = |name: &str, [r, g, b]: [f32; 3]| {
        json!({ "name": name, "doubleSided": true,
                "pbrMetallicRoughness": { "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.85 } })
    };
    let named = look.materials.iter().zip(STONES.into_iter().cycle()).map(|(name, colour)| material(name, colour));
    let materials: Vec<Value> = named.chain([material("fixed", FIXED)]).collect();
    let (eye, turn) = camera(recording);
    nodes.push(json!({ "name": "camera", "camera": 0, "translation": eye, "rotation": turn }));
    // light goes along the node's -z: a quarter turn about x, less a little, lets it fall from above
    nodes.push(json!({ "name": "sun", "rotation": [-0.5, 0.2, 0.1, 0.836_660_026_534_075_6],
                       "extensions": { "KHR_lights_punctual": { "light": 0 } } }));
    let mut document = json!({
        "asset": { "version": "2.0", "generator": concat!("drystone ", env!("CARGO_PKG_VERSION")) },
        "extensionsUsed": ["KHR_lights_punctual"],
        "extensions": { "KHR_lights_punctual": { "lights": [
            { "name": "sun", "type": "directional", "color": [1.0, 0.97, 0.92], "intensity": 3.0 }] } },
        "cameras": [{ "name": "camera", "type": "perspective", "perspective": { "yfov": ANGLE, "znear": 0.01 } }],
        "scene": 0,
        "scenes": [{ "nodes": (0..nodes.len()).collect::<Vec<_>>() }],
        "nodes": nodes,
        "meshes": meshes,
        "materials": materials,
    });
    let moving: Vec<usize> = (0..look.names.len()).filter(|&i| look.moves(i)).collect();
    if recording.frames.len() > 1 && !moving.is_empty() {
        document["animations"] = animation(recording, &moving, &mut bin);
    }
    document["accessors"] = Value::Array(bin.accessors);
    document["bufferViews"] = Value::Array(bin.views);
    let data = base64::engine::general_purpose::STANDARD.encode(&bin.bytes);
    let uri = format!("data:application/octet-stream;base64,{data}");
    document["buffers"] = json!([{ "byteLength": bin.bytes.len(), "uri": uri }]);
    document
}

/// Position and orientation of a camera that looks along (-1, -0.6, -2) and sees all that moves over the run.
fn camera(recording: &Recording) -> ([f64; 3], [f64; 4]) {
    let look = &recording.look;
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for frame in &recording.frames {
        for (i, body) in frame.bodies.iter().enumerate().filter(|(i, _)| look.moves(*i)) {
            let corners = &look.scenery.surfaces[look.scenery.surface_of[i] as usize].positions;
            let reach = corners.iter().flatten().fold(0.0_f32, |m, v| m.max(v.abs()));
            let at = Vec3::new(body[0], body[1], body[2]);
            (low, high) = (low.min(at - f64::from(reach)), high.max(at + f64::from(reach)));
        }
    }
    if !(low.is_finite() && high.is_finite()) {
        (low, high) = (Vec3::NEG_ONE, Vec3::ONE);
    }
    let back = Vec3::new(1.0, 0.6, 2.0).normalize();
    let eye = (low + high) * 0.5 + back * ((high - low).length() * 0.5 / (ANGLE * 0.5).sin());
    let right = Vec3::Y.cross(back).normalize();
    let turn = Quat::from_mat3(&Mat3::from_cols(right, back.cross(right), back));
    (eye.to_array(), turn.to_array())
}

fn animation(recording: &Recording, moving: &[usize], bin: &mut Binary) -> Value {
    let times: Vec<f32> = recording.frames.iter().map(|f| f.time as f32).collect();
    let input = bin.floats(&times, 1, "SCALAR");
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    for &i in moving {
        let poses: Vec<[f64; 7]> = recording.frames.iter().map(|f| pose(&f.bodies[i])).collect();
        for (path, part, kind) in [("translation", 0..3, "VEC3"), ("rotation", 3..7, "VEC4")] {
            let values: Vec<f32> = poses.iter().flat_map(|p| p[part.clone()].iter().map(|v| *v as f32)).collect();
            let output = bin.floats(&values, part.len(), kind);
            channels.push(json!({ "sampler": samplers.len(), "target": { "node": i, "path": path } }));
            samplers.push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
        }
    }
    json!([{ "name": "run", "samplers": samplers, "channels": channels }])
}

fn pose(body: &[f64; 13]) -> [f64; 7] {
    let mut pose = [0.0; 7];
    pose.copy_from_slice(&body[..7]);
    pose
}

/// The buffer, and what describes its parts.
#[derive(Default)]
struct Binary {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Binary {
    const FLOAT: u32 = 5126;
    const UNSIGNED_INT: u32 = 5125;

    /// Appends four-byte numbers and describes them; returns the accessor's number.
    fn append(&mut self, data: impl Iterator<Item = [u8; 4]>, mut accessor: Value) -> usize {
        let offset = self.bytes.len();
        self.bytes.extend(data.flatten());
        accessor["bufferView"] = json!(self.views.len());
        self.views.push(json!({ "buffer": 0, "byteOffset": offset, "byteLength": self.bytes.len() - offset }));
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn floats(&mut self, values: &[f32], width: usize, kind: &str) -> usize {
        // bounds are asked for of positions and times, and do no harm elsewhere
        let bound = |f: fn(f32, f32) -> f32, start: f32| -> Vec<f32> {
            (0..width).map(|k| values.iter().skip(k).step_by(width).fold(start, |m, v| f(m, *v))).collect()
        };
        let accessor = json!({ "componentType": Self::FLOAT, "count": values.len() / width, "type": kind,
                               "min": bound(f32::min, f32::INFINITY), "max": bound(f32::max, f32::NEG_INFINITY) });
        self.append(values.iter().map(|v| v.to_le_bytes()), accessor)
    }

    fn positions(&mut self, surface: &Surface) -> usize {
        self.floats(&surface.positions.concat(), 3, "VEC3")
    }

    fn indices(&mut self, surface: &Surface) -> usize {
        let indices = surface.triangles.concat();
        let accessor = json!({ "componentType": Self::UNSIGNED_INT, "count": indices.len(), "type": "SCALAR" });
        self.append(indices.iter().map(|i| i.to_le_bytes()), accessor)
    }
}
