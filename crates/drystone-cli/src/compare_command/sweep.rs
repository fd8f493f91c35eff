//! `--sweep`: which values are run through, and what the runs are called.

use crate::Failure;

/// A swept setting with the value of one run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Swept {
    /// Its path in the scene.
    pub(super) path: String,
    /// Its name: as much of the path's end as no other swept path has.
    pub(super) name: String,
    /// As in TOML.
    pub(super) value: String,
}

impl Swept {
    /// As `--set` takes it.
    pub(super) fn setting(&self) -> String {
        format!("{}={}", self.path, self.value)
    }
}

/// The name of a run among those of a sweep; empty where nothing is swept.
pub(super) fn label(swept: &[Swept]) -> String {
    swept.iter().map(|s| format!("{}={}", s.name, s.value)).collect::<Vec<_>>().join(" ")
}

/// The grid of all swept values, the last sweep fastest; one empty combination where nothing is swept.
///
/// # Errors
/// [`Failure::Input`] for a sweep that is not `PATH=V1,V2,…`, and for a path that is swept twice.
pub(super) fn grid(sweeps: &[String]) -> Result<Vec<Vec<Swept>>, Failure> {
    let refused = |sweep: &str, why: &str| Failure::Input(format!("--sweep: {sweep}: {why}; allowed: PATH=V1,V2,…"));
    let mut all: Vec<(&str, Vec<&str>)> = Vec::new();
    for sweep in sweeps {
        let (path, text) = sweep.split_once('=').ok_or_else(|| refused(sweep, "found no '='"))?;
        let path = path.trim();
        if all.iter().any(|(other, _)| *other == path) {
            return Err(refused(sweep, "swept twice"));
        }
        let values = values(text);
        if values.iter().any(|v| v.is_empty()) {
            return Err(refused(sweep, "found an empty value"));
        }
        all.push((path, values));
    }
    let paths: Vec<&str> = all.iter().map(|(path, _)| *path).collect();
    let mut grid = vec![Vec::new()];
    for (path, values) in &all {
        let name = name(path, &paths);
        let with = |value: &&str| Swept { path: (*path).to_owned(), name: name.to_owned(), value: (*value).to_owned() };
        grid = grid
            .into_iter()
            .flat_map(|row: Vec<Swept>| values.iter().map(move |v| [row.clone(), vec![with(v)]].concat()))
            .collect();
    }
    Ok(grid)
}

/// The parts of a text between commas, but not those within brackets or quotes.
fn values(text: &str) -> Vec<&str> {
    let (mut depth, mut quote, mut start) = (0_usize, None, 0);
    let mut found = Vec::new();
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), _) => quote = if c == open { None } else { quote },
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                found.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(text[start..].trim());
    found
}

/// The shortest run of last keys by which a path differs from all others.
fn name<'a>(path: &'a str, paths: &[&str]) -> &'a str {
    let ends = path.rmatch_indices('.').map(|(dot, _)| dot + 1).chain([0]);
    let is_own = |end: &str| {
        let has = |other: &str| other == end || other.strip_suffix(end).is_some_and(|rest| rest.ends_with('.'));
        paths.iter().filter(|other| has(other)).count() == 1
    };
    ends.map(|from| &path[from..]).find(|end| is_own(end)).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(sweeps: &[&str]) -> Vec<String> {
        let sweeps: Vec<String> = sweeps.iter().map(|s| (*s).to_owned()).collect();
        grid(&sweeps).unwrap().iter().map(|row| label(row)).collect()
    }

    #[test]
    fn several_sweeps_give_a_grid() {
        let sweeps = ["a.b=1,2".to_owned(), "c=x,y".to_owned()];
        let all = grid(&sweeps).unwrap();
        let settings: Vec<Vec<String>> = all.iter().map(|row| row.iter().map(Swept::setting).collect()).collect();
        assert_eq!(settings, [["a.b=1", "c=x"], ["a.b=1", "c=y"], ["a.b=2", "c=x"], ["a.b=2", "c=y"]]);
        assert_eq!(labels(&["a.b=1,2", "c=x,y"]), ["b=1 c=x", "b=1 c=y", "b=2 c=x", "b=2 c=y"]);
        assert_eq!(labels(&[]), [""]);
    }

    /// Points of numbers are not points of paths, and keys that two paths share are told apart.
    #[test]
    fn labels_tell_runs_apart() {
        assert_eq!(labels(&["materials.default.friction=0.1,1.1"]), ["friction=0.1", "friction=1.1"]);
        let two = labels(&["materials.ice.friction=0.1,1.1", "materials.steel.friction=0.5"]);
        assert_eq!(two, ["ice.friction=0.1 steel.friction=0.5", "ice.friction=1.1 steel.friction=0.5"]);
        assert_eq!(labels(&["friction=1", "a.friction=2"]), ["friction=1 a.friction=2"]);
    }

    #[test]
    fn lists_tables_and_texts_are_values() {
        let all = labels(&["scene.gravity=[0, -9.81, 0],[0,-1.6,0]"]);
        assert_eq!(all, ["gravity=[0, -9.81, 0]", "gravity=[0,-1.6,0]"]);
        assert_eq!(labels(&["a={x = 1, y = [2, 3]},\"u,v\",'w,'"]), ["a={x = 1, y = [2, 3]}", "a=\"u,v\"", "a='w,'"]);
    }

    #[test]
    fn what_is_no_sweep_is_refused() {
        for sweeps in [&["nothing"][..], &["a=1,,2"], &["a="], &["a=1,"], &["a.b=1", "a.b=2"]] {
            let sweeps: Vec<String> = sweeps.iter().map(|s| (*s).to_owned()).collect();
            let said = grid(&sweeps).unwrap_err().to_string();
            assert!(said.starts_with("--sweep: ") && said.contains("allowed: PATH=V1,V2"), "{said}");
        }
    }
}
