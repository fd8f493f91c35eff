#![no_main]

#[path = "../entries/http.rs"]
mod http;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| http::http(bytes));
