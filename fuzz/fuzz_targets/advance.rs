#![no_main]

#[path = "../entries/advance.rs"]
mod advance;
#[path = "../entries/scene.rs"]
mod scene;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| advance::advance(bytes));
