//! Functions fit on one screen, and none asks for a switch that picks what it does.

use super::exceptions::{LONG_FUNCTIONS, SWITCHED_FUNCTIONS};
use super::rust_text::{Function, code, functions};
use super::tree::TextFile;

/// Most lines of a function's body, blank ones and comments not counted.
const LONGEST: usize = 60;

/// No function is longer than a screen or branches on a parameter that is a switch, but for the listed ones; and each of these does.
pub(crate) fn check(files: &[TextFile]) -> Vec<String> {
    compare(files, LONG_FUNCTIONS, SWITCHED_FUNCTIONS)
}

fn compare(files: &[TextFile], long: &[(&str, &str, &str)], switched: &[(&str, &str, &str)]) -> Vec<String> {
    let (mut faults, mut are_long, mut are_switched) = (Vec::new(), Vec::new(), Vec::new());
    for file in files.iter().filter(|f| f.is_rust()) {
        let code = code(&file.text);
        for function in functions(&code) {
            let at = |what: String| format!("{}:{}: fn {} {what}", file.path, function.line, function.name);
            let place = (file.path.clone(), function.name.to_owned());
            let lines = function.lines();
            if lines > LONGEST {
                if !lists(long, &place) {
                    faults.push(at(format!("has {lines} lines, at most {LONGEST}")));
                }
                are_long.push(place.clone());
            }
            if let (Some(switch), false) = (switch(&function), is_test(&file.path)) {
                if !lists(switched, &place) {
                    faults.push(at(format!(
                        "branches on its switch `{switch}`: an enum, or two functions, say what it does"
                    )));
                }
                are_switched.push(place);
            }
        }
    }
    for (list, found, what) in [(long, &are_long, "long"), (switched, &are_switched, "switched")] {
        let idle = list.iter().filter(|(path, name, _)| !found.iter().any(|(p, n)| p == path && n == name));
        faults.extend(
            idle.map(|(path, name, _)| format!("{path}: fn {name} is no {what} function any more: off the list")),
        );
    }
    faults
}

fn lists(list: &[(&str, &str, &str)], (path, name): &(String, String)) -> bool {
    list.iter().any(|(p, n, _)| p == path && n == name)
}

fn is_test(path: &str) -> bool {
    path.starts_with("tests/") || path.contains("/tests/") || path.ends_with("/tests.rs")
}

/// A parameter of type `bool` that the body branches on. None where it is a value and no choice of what to do: what `set_…` sets, what is the case with
/// another argument (`is_…`, `has_…`), a keyword of a Python method.
fn switch<'a>(function: &Function<'a>) -> Option<&'a str> {
    let signature = function.signature.split("->").next().unwrap_or_default();
    if function.name.starts_with("set_") || signature.contains("Python<") {
        return None;
    }
    signature.split([',', '(', '<']).find_map(|parameter| {
        let (name, kind) = parameter.split_once(':')?;
        let name = name.trim().rsplit(' ').next()?;
        let is_fact = name.starts_with("is_") || name.starts_with("has_");
        let is_switch = kind.trim().trim_end_matches([')', '>']).trim() == "bool" && !is_fact;
        (is_switch && branches_on(function.body, name)).then_some(name)
    })
}

/// Whether a condition begins with the name, as it is or negated.
fn branches_on(body: &str, name: &str) -> bool {
    ["if ", "match "].iter().any(|word| {
        body.match_indices(word).any(|(at, _)| {
            let condition = body[at + word.len()..].trim_start_matches('!');
            let rest = condition.strip_prefix(name);
            rest.is_some_and(|r| !r.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':')))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> Vec<TextFile> {
        vec![TextFile { path: "a.rs".to_owned(), text: text.to_owned() }]
    }

    #[test]
    fn long_functions_are_found_and_lists_are_exact() {
        let text = |lines: usize| format!("fn f() {{\n{}\n// x\n}}\n", "    g();\n".repeat(lines));
        assert!(compare(&file(&text(LONGEST)), &[], &[]).is_empty());
        assert_eq!(compare(&file(&text(LONGEST + 1)), &[], &[]), ["a.rs:1: fn f has 61 lines, at most 60"]);
        let listed = [("a.rs", "f", "a reason")];
        assert!(compare(&file(&text(LONGEST + 1)), &listed, &[]).is_empty());
        assert_eq!(compare(&file(&text(LONGEST)), &listed, &[]).len(), 1);
    }

    #[test]
    fn switches_are_found() {
        for text in [
            "fn f(x: u8, up: bool) { if up { g() } }",
            "fn f(up: bool) -> u8 { match up { _ => 1 } }",
            "fn f(&self, up: bool,) { let a = if !up { 1 } else { 2 }; }",
        ] {
            assert_eq!(compare(&file(text), &[], &[]).len(), 1, "{text}");
            assert!(compare(&file(text), &[], &[("a.rs", "f", "a reason")]).is_empty(), "{text}");
        }
        for text in [
            "fn f(up: bool) { self.up = up; }",
            "fn f(up: u8) { if up { } }",
            "fn f(a: bool) { if apart { } }",
            "fn set_up(up: bool) { if up { g() } }",
            "fn f(body: &Body, is_held: bool) { if is_held { g() } }",
            "fn f(&self, py: Python<'_>, up: bool) { if up { g() } }",
        ] {
            assert!(compare(&file(text), &[], &[]).is_empty(), "{text}");
        }
    }
}
