//! Random pairs of all ordered kinds of shapes, each judged by certificates: `fuzz_pairs [pairs] [seed]`. Pair *k* of a seed is the same whatever is drawn before it: `fuzz_pairs 1 seed k`
//! draws it alone. One pair in four is of two faces or edges that lie flush on each other.

mod certificates;
mod draw;
mod flush;

use std::collections::BTreeMap;
use std::process::ExitCode;

/// At most this many faults are told of one kind.
const TOLD: u64 = 3;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse::<u64>().ok());
    let pairs = arguments.next().flatten().unwrap_or(1_000_000);
    let seed = arguments.next().flatten().unwrap_or(1);
    let first = arguments.next().flatten().unwrap_or(0);
    let scenery = draw::Scenery::new();
    let mut faults: BTreeMap<String, u64> = BTreeMap::new();
    for k in first..first + pairs {
        if let Err(fault) = certificates::check(seed, k, &scenery) {
            let count = faults.entry(fault.kind.clone()).or_default();
            *count += 1;
            if *count <= TOLD {
                println!("pair {k}: {}: {}", fault.kind, fault.told);
            }
        }
    }
    for (kind, count) in &faults {
        println!("{count:8} {kind}");
    }
    let sum: u64 = faults.values().sum();
    println!("{pairs} pairs, seed {seed}: {sum} faults");
    ExitCode::from(u8::from(sum > 0))
}
