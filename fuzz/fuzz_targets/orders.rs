#![no_main]

#[path = "../entries/orders.rs"]
mod orders;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| orders::orders(bytes));
