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

/// A parameter of type `bool`, also one within a tuple, that the body branches on. None where it is a value and no choice of what to do: what `set_…` sets, a
/// keyword of a Python method.
fn switch<'a>(function: &Function<'a>) -> Option<&'a str> {
    if function.name.starts_with("set_") || function.signature.contains("Python<") {
        return None;
    }
    let mut names = Vec::new();
    for parameter in pieces(parameters(function.signature), ',') {
        if let [pattern, kind] = pieces(parameter, ':')[..] {
            switches(pattern, kind, &mut names);
        }
    }
    names.into_iter().find(|name| branches_on(function.body, name))
}

/// What stands between the parentheses of a signature, which follow its generics.
fn parameters(signature: &str) -> &str {
    let inside =
        enclosed(signature).find(|(_, depth, c)| *depth == 1 && *c == '(').map_or(signature.len(), |(at, _, _)| at);
    let rest = &signature[inside..];
    let end = enclosed(rest).find(|(_, depth, c)| *depth == 0 && *c == ')').map_or(rest.len(), |(at, _, _)| at);
    rest.get(1..end).unwrap_or_default()
}

/// Adds the names that a pattern gives to values of type `bool`.
fn switches<'a>(pattern: &'a str, kind: &str, names: &mut Vec<&'a str>) {
    let inside = |text: &'a str| text.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
    let (pattern, kind) = (pattern.trim(), kind.trim());
    if kind == "bool" {
        names.extend(pattern.rsplit(' ').next());
    } else if let (Some(patterns), Some(kinds)) =
        (inside(pattern), kind.strip_prefix('(').and_then(|t| t.strip_suffix(')')))
    {
        pieces(patterns, ',').into_iter().zip(pieces(kinds, ',')).for_each(|(p, k)| switches(p, k, names));
    }
}

/// The characters of a text, each with the number of brackets that are open behind it; an arrow is no bracket.
fn enclosed(text: &str) -> impl Iterator<Item = (usize, i32, char)> {
    let mut depth = 0;
    text.char_indices().map(move |(at, c)| {
        match c {
            '(' | '[' | '<' | '{' => depth += 1,
            '>' if text[..at].ends_with(['-', '=']) => {}
            ')' | ']' | '>' | '}' => depth -= 1,
            _ => {}
        }
        (at, depth, c)
    })
}

/// A text cut at a character that stands outside of all brackets; two of the character in a row do not cut.
fn pieces(text: &str, cut: char) -> Vec<&str> {
    let mut from = 0;
    let mut pieces = Vec::new();
    for (at, depth, c) in enclosed(text) {
        let alone = !text[..at].ends_with(cut) && !text[at + c.len_utf8()..].starts_with(cut);
        if c == cut && depth == 0 && alone {
            pieces.push(&text[from..at]);
            from = at + c.len_utf8();
        }
    }
    pieces.push(&text[from..]);
    pieces
}

/// Whether the name stands in a condition, alone or negated: of an `if`, a `while` or a `match`, or beside `&&` or `||`. What a call in the condition is given
/// is the call's own business.
fn branches_on(body: &str, name: &str) -> bool {
    words(body, name).any(|at| {
        let (before, after) = (body[..at].trim_end_matches(['!', ' ', '\n']), body[at + name.len()..].trim_start());
        let joined = ["&&", "||"].iter().any(|sign| before.ends_with(sign) || after.starts_with(sign));
        joined || ["if", "while", "match"].iter().any(|word| heads(before, word))
    })
}

/// Where a name stands as a word of its own, and neither as a field nor as what is called.
fn words<'a>(body: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    body.match_indices(name).map(|(at, _)| at).filter(move |at| {
        let (before, after) = (&body[..*at], &body[at + name.len()..]);
        let is_field = before.ends_with('.') && !before.ends_with("..");
        let is_whole = !before.ends_with(joins) && !after.starts_with(joins);
        is_whole && !is_field && !after.starts_with(['(', '.', '?', ':'])
    })
}

/// Whether a text ends within the condition that a word begins: behind the last such word no block has begun, and no call is open.
fn heads(before: &str, word: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    let Some(at) = words(before, word).last() else { return false };
    let condition = &before[at + word.len()..];
    let mut open = Vec::new();
    for (i, c) in condition.char_indices() {
        match c {
            '(' | '[' => open.push(condition[..i].ends_with(joins)),
            ')' | ']' => drop(open.pop()),
            '{' | ';' => return false,
            '=' if condition[i..].starts_with("=>") => return false,
            _ => {}
        }
    }
    !open.contains(&true)
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
            "fn f<T: Fn(u8) -> u8>(x: T, up: bool) { if x(1) > 0 && !up { g() } }",
            "fn f(up: bool) { if a { g() } else if up { h() } }",
            "fn f(up: bool) { while a < 3 || up { g() } }",
            "fn f(up: bool) { let a = b && !up; }",
            "fn f(up: bool) -> u8 { match (a, up) { _ => 1 } }",
            "fn f(up: bool) { match a { 1 if up => g(), _ => h() } }",
            "fn f((x, mut up): (u8, bool)) { if up { g() } }",
            "fn f(is_held: bool, x: &Body) { if is_held { g() } }",
        ] {
            assert_eq!(compare(&file(text), &[], &[]).len(), 1, "{text}");
            assert!(compare(&file(text), &[], &[("a.rs", "f", "a reason")]).is_empty(), "{text}");
        }
        for text in [
            "fn f(up: bool) { self.up = up; }",
            "fn f(up: u8) { if up { } }",
            "fn f(a: bool) { if apart { } }",
            "fn set_up(up: bool) { if up { g() } }",
            "fn f(up: bool) { if g(up) { h(up) } }",
            "fn f(up: bool) { if a { Self { up } } else { b.up } }",
            "fn f(up: bool) { if a { g() }; h(up, || 1) }",
            "fn f((up, x): (u8, bool)) { if up > 1 { g(x) } }",
            "fn f(&self, py: Python<'_>, up: bool) { if up { g() } }",
        ] {
            assert!(compare(&file(text), &[], &[]).is_empty(), "{text}");
        }
    }
}
