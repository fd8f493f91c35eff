//! Workspace chores: `cargo xtask ci`, `ci-long`, `claims`, `combinations`, `comparison`, `tidy`, `book`, `everyday`, `experiments`, `fidelity`, `figures`, `fuzz-pairs`, `atlas`, `golden`, `monkey`, `mutants`, `rest`, `scaling`, `wasm-bits`.

mod atlas;
mod book;
mod ci;
mod ci_long;
mod claims;
mod combinations;
mod comparison;
mod everyday;
mod experiments;
mod fidelity;
mod figures;
mod fuzz_pairs;
mod golden;
mod monkey;
mod mutants;
mod references;
mod rest;
mod root;
mod scaling;
mod tidy;
mod wasm_bits;

use std::fmt::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rest = arguments.get(1..).unwrap_or_default();
    let outcome = match arguments.first().map(String::as_str) {
        Some("ci") if rest.is_empty() => ci::run(),
        Some("ci-long") => ci_long::run(rest),
        Some("tidy") if rest.is_empty() => tidy::run(),
        Some("experiments") => experiments::run(rest),
        Some("monkey") => monkey::run(rest),
        Some("mutants") => mutants::run(rest),
        Some("claims") => claims::run(rest),
        Some("combinations") => combinations::run(rest),
        Some("comparison") => comparison::run(rest),
        Some("everyday") => everyday::run(rest),
        Some("fidelity") => fidelity::run(rest),
        Some("figures") => figures::run(rest),
        Some("atlas") => atlas::run(rest),
        Some("rest") => rest::run(rest),
        Some("scaling") => scaling::run(rest),
        Some("book") if rest.is_empty() => book::run(),
        Some("fuzz-pairs") => fuzz_pairs::run(rest),
        Some("golden") => golden::run(rest),
        Some("wasm-bits") if rest.is_empty() => wasm_bits::run(),
        Some("help" | "--help" | "-h") => {
            println!("{}", usage());
            return ExitCode::SUCCESS;
        }
        _ => {
            eprintln!("{}", usage());
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> String {
    let mut text = String::from(
        "cargo xtask ci                             everything a change must pass\n\
         cargo xtask ci-long [PART…]                what takes minutes or needs more than Rust: wasm-check, oldest-rust, fuzz, deny, audit, semver-checks, pages, python, wasm-bits, lab, fuzz-pairs, monkey, combinations, bevy\n\
         cargo xtask book                           the book as pages, with the built lab in its frames\n\
         cargo xtask tidy                           layers, file length, forbidden macros, READMEs, links, sources of figures\n\
         cargo xtask figures [--check] [--binary FILE]\n                                           generated blocks of the documentation\n\
         cargo xtask atlas [--check | --vary] [--binary FILE] [ID…]\n                                           long runs and pictures of the sources' experiments: docs/src/atlas.md\n\
         cargo xtask fuzz-pairs [N] [--seed S] [--first K]\n                                           N random pairs of shapes, all narrow phases and the contacts, judged by certificates\n\
         cargo xtask rest [N [SEED]]                N random bodies of nine kinds dropped on random terrain and rails come to rest and stay\n\
         cargo xtask golden [--bless]               bits of short runs, optimised and not\n\
         cargo xtask wasm-bits                      scenes built for wasm32 and run in Node: the same bits as here\n\
         cargo xtask everyday N --seed S [--paradigm P,…] [--rate 60,30,144,jitter] [--kind K,…] [--rapier] [--jobs J] [--write DIR]\n                                           N random members of each kind of everyday scenes, judged: docs/src/everyday.md\n\
         cargo xtask scaling [--from FILE… | --family F,… --sizes N,… --steps N]\n                                           time and memory by the number of bodies, beside rapier: docs/src/scaling.md\n\
         cargo xtask fidelity [--binary FILE] [--scenes N] [--record FILE]\n                                           errors against what is known: docs/src/fidelity.md\n\
         cargo xtask comparison [--binary FILE] [--presets A,B]\n                                           every preset on the same scenes: docs/src/which-paradigm.md\n\
         cargo xtask claims [--binary FILE] [--presets A,B] [--scenes A,B] [--duration S] [--patience S]\n                                           every preset on every bundled scene, held to what it claims: docs/src/which-paradigm.md\n\
         cargo xtask combinations [N] [--seed S] [--binary FILE]\n                                           N worlds on random walks over modules and parameters: refused, warned, well or wrong\n\
         cargo xtask monkey [CALLS [SEED]]          random calls of the whole facade with hostile numbers, in both profiles\n\
         cargo xtask monkey --restore [SECONDS [SEED]]\n                                           random runs, repeated, interrupted and restored: the same bits under all presets\n\
         cargo xtask mutants CRATE [ARGUMENT…]      small changes to a crate that its own tests must notice: cargo-mutants, with its arguments\n\
         cargo xtask experiments [--binary FILE] [--meshes DIR] [NAME…]\n                                           long experiments; all where no name is given:\n",
    );
    for e in experiments::ALL {
        let _ = writeln!(text, "    {:<22} {}", e.name, e.summary);
    }
    text
}
