//! The `drystone` binary; everything is in the library beside it.

fn main() -> std::process::ExitCode {
    drystone_cli::main()
}
