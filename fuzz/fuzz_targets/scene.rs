#![no_main]

#[path = "../entries/scene.rs"]
mod scene;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| scene::scene(bytes));
