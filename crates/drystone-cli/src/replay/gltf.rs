use super::{Recording, Surface};
use base64::Engine;
use serde_json::{Value, json};

/// A recording as a glTF 2.0 document with its data inside: a node a body, each distinct surface one mesh, one animation.
///
/// # Source
/// Khronos, glTF 2.0 specification. Normals are left out: viewers then shade flatly.
pub fn to_gltf(recording: &Recording) -> Value {
    let mut bin = Binary::default();
    let meshes: Vec<Value> = recording
        .surfaces
        .iter()
        .map(|s| {
            let (positions, indices) = (bin.positions(s), bin.indices(s));
            json!({ "primitives": [{ "attributes": { "POSITION": positions }, "indices": indices, "material": 0 }] })
        })
        .collect();
    let nodes: Vec<Value> = (0..recording.names.len())
        .map(|i| {
            let pose = recording.frames.first().map_or([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], |f| pose(&f.bodies[i]));
            json!({ "name": recording.names[i], "mesh": recording.surface_of[i],
                    "translation": &pose[..3], "rotation": &pose[3..] })
        })
        .collect();
    let mut document = json!({
        "asset": { "version": "2.0", "generator": concat!("drystone ", env!("CARGO_PKG_VERSION")) },
        "scene": 0,
        "scenes": [{ "nodes": (0..nodes.len()).collect::<Vec<_>>() }],
        "nodes": nodes,
        "meshes": meshes,
        "materials": [{ "name": "stone", "doubleSided": true,
                        "pbrMetallicRoughness": { "baseColorFactor": [0.62, 0.58, 0.52, 1.0], "metallicFactor": 0.0 } }],
    });
    let moving: Vec<usize> = (0..recording.names.len()).filter(|&i| recording.moves[i]).collect();
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
