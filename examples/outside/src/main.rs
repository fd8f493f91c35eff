//! The command line of drystone with five modules, a kind of joint and a kind of force of our own: `cargo run --release -- compare box-stack --paradigms velocity-lcp,ours`.

use std::process::ExitCode;

fn main() -> ExitCode {
    match outside::registry() {
        Ok(registry) => drystone_cli::run(&registry, std::env::args_os()),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
