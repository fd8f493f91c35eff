//! The machine that a comparison ran on, in one line.

use std::process::Command;

/// Processor, number of cores, system, and the engine's version and build.
pub(super) fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let build = if cfg!(debug_assertions) { "build with debug assertions" } else { "release build" };
    let (os, architecture) = (std::env::consts::OS, std::env::consts::ARCH);
    let processor = processor().unwrap_or_else(|| "unknown processor".to_owned());
    format!("{processor}, {cores} cores, {os} {architecture}; drystone {}, {build}", env!("CARGO_PKG_VERSION"))
}

/// The system's name of the processor, if it has one.
fn processor() -> Option<String> {
    let name = match std::env::consts::OS {
        "linux" => model_name(&std::fs::read_to_string("/proc/cpuinfo").ok()?)?,
        "macos" => {
            let said = Command::new("sysctl").args(["-n", "machdep.cpu.brand_string"]).output().ok()?;
            String::from_utf8(said.stdout).ok()?
        }
        _ => std::env::var("PROCESSOR_IDENTIFIER").ok()?,
    };
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    (!name.is_empty()).then_some(name)
}

/// From Linux's list of processors.
fn model_name(list: &str) -> Option<String> {
    let value = |line: &str| {
        let (key, value) = line.split_once(':')?;
        matches!(key.trim(), "model name" | "Model" | "Hardware").then(|| value.trim().to_owned())
    };
    list.lines().find_map(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_is_read_from_the_list() {
        let list = "processor\t: 0\nvendor_id\t: A\nmodel name\t: Some CPU  @ 3 GHz\n";
        assert_eq!(model_name(list).as_deref(), Some("Some CPU  @ 3 GHz"));
        assert_eq!(model_name("processor\t: 0\n"), None);
        let line = machine();
        assert!(line.contains(std::env::consts::OS) && line.contains("drystone ") && !line.contains('\n'), "{line}");
    }
}
