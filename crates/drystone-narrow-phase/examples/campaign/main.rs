//! The robustness campaign: `campaign [pairs] [seed]`; prints what went wrong, and how many pairs were asked.

mod random_pairs;

use random_pairs::{Random, check};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse::<u64>().ok());
    let pairs = arguments.next().flatten().unwrap_or(1_000_000);
    let seed = arguments.next().flatten().unwrap_or(1);
    let (mut random, mut failures) = (Random(seed), 0_u64);
    for k in 0..pairs {
        if let Err(e) = check(&mut random) {
            failures += 1;
            if failures <= 10 {
                println!("pair {k}: {e}");
            }
        }
    }
    println!("{pairs} pairs, seed {seed}: {failures} failures");
    ExitCode::from(u8::from(failures > 0))
}
