//! The robustness campaign: `campaign [pairs] [seed]`; prints what went wrong, and how many pairs were asked. One pair in
//! ten has a mesh or a compound in it.

mod brute_force;
mod mixed_pairs;
mod random_pairs;

use mixed_pairs::{Meshes, check_mixed};
use random_pairs::{Random, check};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse::<u64>().ok());
    let pairs = arguments.next().flatten().unwrap_or(1_000_000);
    let seed = arguments.next().flatten().unwrap_or(1);
    let meshes = match Meshes::new() {
        Ok(meshes) => meshes,
        Err(e) => {
            println!("{e}");
            return ExitCode::FAILURE;
        }
    };
    // streams of their own: a pair is found again by its number whatever the others are
    let (mut random, mut mixed, mut failures) = (Random(seed), Random(!seed), 0_u64);
    for k in 0..pairs {
        let found = if k % 10 == 9 { check_mixed(&mut mixed, &meshes) } else { check(&mut random) };
        if let Err(e) = found {
            failures += 1;
            if failures <= 10 {
                println!("pair {k}: {e}");
            }
        }
    }
    println!("{pairs} pairs, seed {seed}: {failures} failures");
    ExitCode::from(u8::from(failures > 0))
}
