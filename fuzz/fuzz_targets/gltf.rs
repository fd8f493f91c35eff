#![no_main]
// one target a reader, all in one file of entries
#![allow(dead_code)]

#[path = "../entries/mesh.rs"]
mod mesh;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| mesh::gltf(bytes));
