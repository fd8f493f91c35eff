//! `drystone-bindgen MODULE.wasm FOLDER`: writes the module and its JavaScript and TypeScript side into the folder, for browsers and Node.

use std::process::ExitCode;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder] = &arguments[..] else {
        eprintln!("usage: drystone-bindgen MODULE.wasm FOLDER");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    let made = bindgen.input_path(module).typescript(true).web(true).and_then(|b| b.generate(folder));
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{module}: {why:#}");
            ExitCode::FAILURE
        }
    }
}
