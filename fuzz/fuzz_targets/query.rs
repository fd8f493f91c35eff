#![no_main]

#[path = "../entries/query.rs"]
mod query;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| query::query(bytes));
