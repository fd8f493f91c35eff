#![no_main]

#[path = "../entries/advance.rs"]
mod advance;
// the entry of another target is not called here
#[allow(dead_code)]
#[path = "../entries/scene.rs"]
mod scene;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| advance::advance(bytes));
