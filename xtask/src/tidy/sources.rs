use super::tree::TextFile;

/// A longer file holds two concepts.
const LONGEST: usize = 500;

// written in two parts, so that this file does not break its own rule
const FORBIDDEN: &[&str] = &[
    concat!("todo", "!("),
    concat!("unimplemented", "!("),
    concat!("dbg", "!("),
    concat!("#[", "ignore"),
    concat!("use std::collections::Hash", "Map"),
];

/// What prints, and what looks at the clock; the command line may, libraries may not.
const OUTWARD: &[&str] = &[concat!("print", "ln!("), concat!("print", "!("), "SystemTime", concat!("std::time", "::")];

/// Elementary functions of the platform, whose last bits differ from one platform to the next: as methods of a number, and glam's
/// rotations that use them. `drystone_math::elementary` has their like.
const PLATFORM: &[&str] = &[
    "sin()",
    "cos()",
    "tan()",
    "asin()",
    "acos()",
    "atan()",
    "atan2(",
    "sin_cos()",
    "exp()",
    "exp2()",
    "exp_m1()",
    "ln()",
    "ln_1p()",
    "log(",
    "log2()",
    "log10()",
    "powf(",
    "cbrt()",
    "hypot(",
    "sinh()",
    "cosh()",
    "tanh()",
    "to_axis_angle()",
    "to_scaled_axis()",
    "angle_between(",
    "slerp(",
    "rotate_towards(",
    "to_euler(",
];
/// The same, called by their paths.
const PLATFORM_PATHS: &[&str] = &[
    "f64::sin",
    "f64::cos",
    "f64::tan",
    "f64::acos",
    "f64::asin",
    "f64::atan",
    "f64::exp",
    "f64::ln",
    "f64::log",
    "f64::powf",
    "f64::cbrt",
    "f64::hypot",
    "Real::sin",
    "Real::cos",
    "Real::tan",
    "Real::exp",
    "Real::ln",
    "Real::log",
    "Real::powf",
    "Real::cbrt",
    "Real::hypot",
    "from_axis_angle(",
    "from_scaled_axis(",
    "from_rotation_x(",
    "from_rotation_y(",
    "from_rotation_z(",
    "from_rotation_arc(",
    "from_euler(",
];

/// Folders of single machines have no place in a repository.
const MACHINE_PATHS: &[&str] = &[
    concat!("/ho", "me/"),
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("/tm", "p/"),
    concat!("/Us", "ers/"),
    concat!("C:", "\\"),
];

/// Rust files are short and hold none of the macros of unfinished work; libraries neither print nor look at the clock; no
/// file names a machine's folders.
pub(crate) fn check(files: &[TextFile]) -> Vec<String> {
    let mut faults = Vec::new();
    for file in files {
        if file.is_rust() && is_library(&file.path) {
            faults.extend(platform_functions(file));
        }
        if file.is_rust() {
            let lines = file.text.lines().count();
            if lines > LONGEST {
                faults.push(format!("{}: {lines} lines, at most {LONGEST}", file.path));
            }
        }
        for (i, line) in file.text.lines().enumerate() {
            let at = |what: &str| format!("{}:{}: {what}", file.path, i + 1);
            if is_library(&file.path) && !line.trim_start().starts_with("//") {
                faults.extend(OUTWARD.iter().filter(|w| line.contains(*w)).map(|w| at(w)));
            }
            if file.is_rust() {
                faults.extend(FORBIDDEN.iter().filter(|w| line.contains(*w)).map(|w| at(w)));
            }
            faults
                .extend(MACHINE_PATHS.iter().filter(|p| names_path(line, p)).map(|p| at(&format!("machine path {p}"))));
        }
    }
    faults
}

/// Whether a file is a part of a library crate, tests and examples beside it left out.
fn is_library(path: &str) -> bool {
    let source = path.starts_with("crates/") && path.contains("/src/");
    source && !path.starts_with("crates/drystone-cli/")
}

/// Calls of the platform's elementary functions outside of a library file's tests.
fn platform_functions(file: &TextFile) -> Vec<String> {
    let tests = file.path.ends_with("/tests.rs") || file.path.ends_with("/fixtures.rs");
    let before_tests = file.text.lines().take_while(|l| l.trim() != "#[cfg(test)]").enumerate();
    let code = before_tests.filter(|(_, l)| !tests && !l.trim_start().starts_with("//"));
    let calls = |line: &str| {
        let method = PLATFORM.iter().find(|f| line.contains(&format!(".{f}")));
        method.or_else(|| PLATFORM_PATHS.iter().find(|f| line.contains(*f))).copied()
    };
    code.filter_map(|(i, line)| {
        let function = calls(line)?;
        Some(format!(
            "{}:{}: {function} differs between platforms; drystone_math::elementary does not",
            file.path,
            i + 1
        ))
    })
    .collect()
}

/// Whether the text has a path that begins so: a match inside of a longer path or address does not count.
fn names_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(i, _)| {
        let before = line[..i].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(path: &str, text: &str) -> Vec<String> {
        check(&[TextFile { path: path.to_owned(), text: text.to_owned() }])
    }

    #[test]
    fn long_files_are_found() {
        assert!(faults("a.rs", &"x\n".repeat(LONGEST)).is_empty());
        assert_eq!(faults("a.rs", &"x\n".repeat(LONGEST + 1)), ["a.rs: 501 lines, at most 500"]);
        assert!(faults("a.md", &"x\n".repeat(LONGEST + 1)).is_empty());
    }

    #[test]
    fn unfinished_work_is_found() {
        for word in FORBIDDEN {
            assert_eq!(faults("a.rs", &format!("    {word}\n")).len(), 1, "{word}");
        }
    }

    #[test]
    fn libraries_neither_print_nor_look_at_the_clock() {
        for word in OUTWARD {
            let text = format!("    {word}\n    // {word}\n");
            assert_eq!(faults("crates/drystone-lcp/src/a.rs", &text).len(), 1, "{word}");
            assert!(faults("crates/drystone-cli/src/a.rs", &text).is_empty());
            assert!(faults("crates/drystone-lcp/examples/a.rs", &text).is_empty());
        }
    }

    #[test]
    fn functions_of_the_platform_are_found() {
        for line in
            ["let y = x.sin();", "let a = y.atan2(x);", "v.map(f64::ln)", "Quat::from_axis_angle(n, a)", "x.powf(0.2)"]
        {
            assert_eq!(faults("crates/drystone-joints/src/a.rs", line).len(), 1, "{line}");
            assert!(faults("crates/drystone-joints/src/a.rs", &format!("#[cfg(test)]\n{line}")).is_empty(), "{line}");
            assert!(faults("crates/drystone-joints/tests/a.rs", line).is_empty(), "{line}");
        }
        for line in ["let y = elementary::sin(x);", "atan2(y, x)", "x.sqrt()", "f64::abs(x)", "// x.sin()", "v.log(x)"]
        {
            let found = faults("crates/drystone-joints/src/a.rs", line).len();
            assert_eq!(found, usize::from(line == "v.log(x)"), "{line}");
        }
    }

    #[test]
    fn machine_paths_are_found() {
        let home = concat!("/ho", "me/");
        assert_eq!(faults("a.toml", &format!("file = \"{home}me/x\"")).len(), 1);
        assert!(faults("a.toml", &format!("see example.org{home}x")).is_empty());
    }
}
