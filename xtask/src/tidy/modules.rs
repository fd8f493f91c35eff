//! Modules of a crate use each other in one direction.

use super::exceptions::MODULE_CYCLES;
use super::rust_text::code;
use super::tree::TextFile;
use std::collections::BTreeMap;

/// A module's path within its crate: `["kernel", "verbs"]`; the root's is empty.
type Path = Vec<String>;

/// No two modules of a crate import each other, by whatever way round, but for the listed ones; and each of these do. A module and what it has inside count as two;
/// an import by way of another module's `pub use` is one of where the item stands.
pub(crate) fn check(files: &[TextFile]) -> Vec<String> {
    let found = cycles(files);
    let listed = |cycle: &(String, Vec<String>)| {
        MODULE_CYCLES.iter().any(|(krate, modules, _)| *krate == cycle.0 && *modules == cycle.1)
    };
    let new = found.iter().filter(|c| !listed(c));
    let mut faults: Vec<String> =
        new.map(|(krate, modules)| format!("{krate}: modules import each other: {}", modules.join(", "))).collect();
    let idle =
        MODULE_CYCLES.iter().filter(|(k, m, _)| !found.iter().any(|(krate, modules)| krate == k && modules == m));
    faults
        .extend(idle.map(|(k, m, _)| format!("{k}: {} do not import each other any more: off the list", m.join(", "))));
    faults
}

/// The cycles of each crate, by its folder; modules sorted.
fn cycles(files: &[TextFile]) -> Vec<(String, Vec<String>)> {
    let mut crates: BTreeMap<&str, BTreeMap<Path, String>> = BTreeMap::new();
    for file in files.iter().filter(|f| f.is_rust()) {
        let Some((krate, inside)) = file.path.split_once("/src/") else { continue };
        let mut path: Path = inside.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
        if path.last().is_some_and(|last| matches!(last.as_str(), "lib" | "main" | "mod")) {
            path.pop();
        }
        let before_tests = file.text.split("#[cfg(test)]").next().unwrap_or_default();
        crates.entry(krate).or_default().insert(path, code(before_tests));
    }
    let mut all = Vec::new();
    for (krate, modules) in &crates {
        for component in Graph::of(modules).components() {
            let mut names: Vec<String> = component.iter().map(|path| path.join("::")).collect();
            names.sort();
            all.push(((*krate).to_owned(), names));
        }
    }
    all
}

/// The modules of a crate, and which imports which.
struct Graph<'a> {
    modules: Vec<&'a Path>,
    imports: Vec<Vec<usize>>,
}

impl<'a> Graph<'a> {
    fn of(crate_: &'a BTreeMap<Path, String>) -> Self {
        let modules: Vec<&Path> = crate_.keys().collect();
        let exports: BTreeMap<&Path, BTreeMap<String, Path>> =
            crate_.iter().map(|(path, code)| (path, exports(path, code))).collect();
        let target = |from: &Path, import: &[String]| {
            let full = absolute(from, import)?;
            let to = resolve(crate_, &exports, &full, 0);
            (to != *from).then(|| modules.binary_search(&&to).ok()).flatten()
        };
        let imports = crate_
            .iter()
            .map(|(path, code)| {
                let mut to: Vec<usize> = paths(code).iter().filter_map(|import| target(path, import)).collect();
                to.sort_unstable();
                to.dedup();
                to
            })
            .collect();
        Self { modules, imports }
    }

    /// Sets of two modules or more in which each leads to each.
    fn components(&self) -> Vec<Vec<&'a Path>> {
        let reach: Vec<Vec<bool>> = (0..self.modules.len()).map(|from| self.reachable(from)).collect();
        let mut taken = vec![false; self.modules.len()];
        let mut all = Vec::new();
        for (from, there) in reach.iter().enumerate() {
            let back = |to: &usize| !taken[*to] && there[*to] && reach[*to][from];
            let members: Vec<usize> = (from..self.modules.len()).filter(back).collect();
            if members.len() > 1 {
                for member in &members {
                    taken[*member] = true;
                }
                all.push(members.iter().map(|m| self.modules[*m]).collect());
            }
        }
        all
    }

    fn reachable(&self, from: usize) -> Vec<bool> {
        let mut seen = vec![false; self.modules.len()];
        let mut next = vec![from];
        while let Some(at) = next.pop() {
            for &to in &self.imports[at] {
                if !core::mem::replace(&mut seen[to], true) {
                    next.push(to);
                }
            }
        }
        seen
    }
}

/// The module that holds what a path from the crate's root names, by way of exports.
fn resolve(
    modules: &BTreeMap<Path, String>,
    exports: &BTreeMap<&Path, BTreeMap<String, Path>>,
    full: &[String],
    depth: u32,
) -> Path {
    let mut at = Path::new();
    for (k, part) in full.iter().enumerate() {
        let mut inside = at.clone();
        inside.push(part.clone());
        if modules.contains_key(&inside) {
            at = inside;
        } else if let (Some(to), true) = (exports.get(&at).and_then(|e| e.get(part)), depth < 8) {
            let onwards: Path = to.iter().chain(&full[k + 1..]).cloned().collect();
            return resolve(modules, exports, &onwards, depth + 1);
        } else {
            break;
        }
    }
    at
}

/// A path that begins with `crate`, `self` or `super`, from the crate's root.
fn absolute(from: &Path, import: &[String]) -> Option<Path> {
    let (first, rest) = import.split_first()?;
    let mut base = match first.as_str() {
        "crate" => Path::new(),
        "self" => from.clone(),
        "super" => from[..from.len().checked_sub(1)?].to_vec(),
        _ => return None,
    };
    for part in rest {
        if part == "super" {
            base.pop();
        } else {
            base.push(part.clone());
        }
    }
    Some(base)
}

/// What a module exports under which name, and where it stands.
fn exports(module: &Path, code: &str) -> BTreeMap<String, Path> {
    let mut all = BTreeMap::new();
    for (at, _) in code.match_indices("use ") {
        let before = code[..at].trim_end();
        let Some(tree) = code[at + 4..].split(';').next().filter(|_| before.ends_with("pub") || before.ends_with(')'))
        else {
            continue;
        };
        let mut leaves = Vec::new();
        expand(&[], tree, &mut leaves);
        for mut path in leaves {
            let Some(last) = path.pop() else { continue };
            let (item, name) = last.split_once(" as ").unwrap_or((&last, &last));
            let name = name.trim().to_owned();
            path.push(item.trim().to_owned());
            let full = absolute(module, &path).unwrap_or_else(|| module.iter().chain(&path).cloned().collect());
            all.insert(name, full);
        }
    }
    all
}

/// All paths that a file names: the leaves of its imports, and those that stand in its code.
fn paths(code: &str) -> Vec<Path> {
    let mut all = Vec::new();
    for (at, _) in code.match_indices("use ") {
        let word = code[..at].chars().next_back().is_none_or(|c| !(c.is_alphanumeric() || c == '_'));
        if let (true, Some(tree)) = (word, code[at + 4..].split(';').next()) {
            expand(&[], tree, &mut all);
        }
    }
    for begin in ["crate::", "super::"] {
        for (at, _) in code.match_indices(begin) {
            let end =
                code[at..].find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | ':'))).unwrap_or(code.len() - at);
            let path = code[at..at + end].trim_end_matches(':');
            all.push(path.split("::").map(str::to_owned).collect());
        }
    }
    all
}

/// The leaves of a tree of imports.
fn expand(prefix: &[String], tree: &str, leaves: &mut Vec<Path>) {
    let (head, inside) = match tree.split_once('{') {
        Some((head, rest)) => (head, rest.rfind('}').map(|end| &rest[..end])),
        None => (tree, None),
    };
    let own = head.split("::").map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned);
    let path: Path = prefix.iter().cloned().chain(own).collect();
    let Some(inside) = inside else {
        leaves.push(path);
        return;
    };
    let (mut depth, mut from) = (0_i32, 0);
    for (at, c) in inside.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                expand(&path, &inside[from..at], leaves);
                from = at + 1;
            }
            _ => {}
        }
    }
    if !inside[from..].trim().is_empty() {
        expand(&path, &inside[from..], leaves);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<(String, Vec<String>)> {
        let file = |(path, text): &(&str, &str)| TextFile { path: format!("c/src/{path}"), text: (*text).to_owned() };
        cycles(&files.iter().map(file).collect::<Vec<_>>())
    }

    #[test]
    fn modules_that_import_each_other_are_found() {
        let both =
            [("lib.rs", "mod a; mod b; pub use b::B;"), ("a.rs", "use crate::B;"), ("b.rs", "use super::a::{A, C};")];
        assert_eq!(found(&both), [("c".to_owned(), vec!["a".to_owned(), "b".to_owned()])]);
        let one = [
            ("lib.rs", "mod a; mod b; pub use b::B;"),
            ("a.rs", "use crate::B;"),
            ("b.rs", "#[cfg(test)] use super::a::A;"),
        ];
        assert_eq!(found(&one), []);
    }

    #[test]
    fn the_way_round_may_be_long() {
        let three = [
            ("lib.rs", ""),
            ("a.rs", "fn f() { super::b::g() }"),
            ("b.rs", "use crate::c::{d::{E, F}, G};"),
            ("c.rs", "mod d;"),
            ("c/d.rs", "use super::super::a::f;"),
        ];
        assert_eq!(found(&three), [("c".to_owned(), vec!["a".to_owned(), "b".to_owned(), "c::d".to_owned()])]);
    }
}
