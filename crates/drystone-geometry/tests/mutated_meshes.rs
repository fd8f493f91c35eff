//! Thousands of damaged mesh files: each is refused with a worded error, or read into a mesh whose report is correct.
//!
//! The same functions are fuzz targets: see `fuzz`.

#![cfg(feature = "import")]

#[path = "../../../fuzz/entries/mesh.rs"]
mod mesh;
#[path = "../../../fuzz/entries/mutate.rs"]
mod mutate;

use drystone_geometry::TriangleMesh;
use drystone_math::Vec3;
use mutate::campaign;
use std::fmt::Write;

fn obj() -> Vec<u8> {
    let m = TriangleMesh::cuboid(Vec3::new(1.0, 0.5, 0.25), 1);
    let mut text = String::from("# a box\no box\n");
    for p in m.vertices() {
        let _ = writeln!(text, "v {} {} {}", p.x, p.y, p.z);
    }
    text.push_str("vt 0 0\nvn 0 1 0\ns off\n");
    for t in m.triangles() {
        let _ = writeln!(text, "f {}/1/1 {}//1 {}", t[0] + 1, t[1] + 1, t[2] + 1);
    }
    text.push_str("f -4 -3 -2 -1\nl 1 2\np 1\n");
    text.into_bytes()
}

fn corners() -> Vec<[f32; 3]> {
    let m = TriangleMesh::cuboid(Vec3::new(1.0, 0.5, 0.25), 1);
    (0..m.triangles().len()).flat_map(|t| m.corners(t)).map(|p| p.to_array().map(|x| x as f32)).collect()
}

fn binary_stl() -> Vec<u8> {
    let corners = corners();
    let mut bytes = vec![b' '; 80];
    bytes.extend((corners.len() as u32 / 3).to_le_bytes());
    for t in corners.chunks(3) {
        bytes.extend([0; 12]);
        bytes.extend(t.iter().flatten().flat_map(|x| x.to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

fn text_stl() -> Vec<u8> {
    let mut text = String::from("solid box\n");
    for t in corners().chunks(3) {
        text.push_str("facet normal 0 0 0\nouter loop\n");
        for [x, y, z] in t {
            let _ = writeln!(text, "vertex {x} {y} {z}");
        }
        text.push_str("endloop\nendfacet\n");
    }
    text.push_str("endsolid box\n");
    text.into_bytes()
}

/// The glTF document and the bytes of its buffer: positions, then 16-bit indices.
fn gltf_parts(uri: &str) -> (String, Vec<u8>) {
    let corners = corners();
    let mut data: Vec<u8> = corners.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
    let positions = data.len();
    data.extend((0..corners.len() as u16).flat_map(u16::to_le_bytes));
    let (count, all, rest) = (corners.len(), data.len(), data.len() - positions);
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
        "nodes":[{{"mesh":0,"translation":[1,2,3],"children":[1]}},{{"mesh":0,"scale":[1,1,2]}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
        "buffers":[{{"byteLength":{all}{uri}}}],
        "bufferViews":[{{"buffer":0,"byteLength":{positions}}},{{"buffer":0,"byteOffset":{positions},"byteLength":{rest}}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":{count},"type":"VEC3","min":[-1,-1,-1],"max":[1,1,1]}},
        {{"bufferView":1,"componentType":5123,"count":{count},"type":"SCALAR"}}]}}"#
    );
    (json, data)
}

fn glb() -> Vec<u8> {
    let (mut json, mut data) = gltf_parts("");
    while json.len() % 4 != 0 {
        json.push(' ');
    }
    data.resize(data.len().next_multiple_of(4), 0);
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend((28 + json.len() as u32 + data.len() as u32).to_le_bytes());
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(b"JSON");
    bytes.extend(json.into_bytes());
    bytes.extend((data.len() as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(data);
    bytes
}

fn text_gltf() -> Vec<u8> {
    use base64::Engine;
    let (_, data) = gltf_parts("");
    let data = base64::engine::general_purpose::STANDARD.encode(data);
    gltf_parts(&format!(r#","uri":"data:application/octet-stream;base64,{data}""#)).0.into_bytes()
}

#[test]
fn damaged_obj_files() {
    campaign("obj", &obj(), 3000, mesh::obj);
}

#[test]
fn damaged_stl_files() {
    campaign("binary stl", &binary_stl(), 3000, mesh::stl);
    campaign("text stl", &text_stl(), 3000, mesh::stl);
}

#[test]
fn damaged_gltf_files() {
    campaign("glb", &glb(), 3000, mesh::gltf);
    campaign("gltf", &text_gltf(), 3000, mesh::gltf);
}

#[test]
fn the_undamaged_ones_are_read() {
    use drystone_geometry::mesh::import::{read_glb, read_obj, read_stl};
    for read in
        [read_obj(&obj()), read_stl(&binary_stl()), read_stl(&text_stl()), read_glb(&glb()), read_glb(&text_gltf())]
    {
        assert!(read.unwrap().triangles().len() >= 12);
    }
}
