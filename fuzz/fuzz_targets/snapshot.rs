#![no_main]

#[path = "../entries/snapshot.rs"]
mod snapshot;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| snapshot::snapshot(bytes));
