//! Finds the name that was meant.

/// The name most like `found`, if one is similar enough to have been meant: by the number of letters to insert, delete, replace or swap with a neighbour, at
/// most a third of them. Capitals, and `_` for `-`, cost nothing; of equally similar names the first is returned.
///
/// # Source
/// Damerau 1964, Levenshtein 1966 (optimal string alignment).
pub fn near_name<'a>(found: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// Longer ones are no names.
    const LONGEST: usize = 64;
    let letters = |s: &str| -> Vec<char> {
        s.chars().take(LONGEST + 1).flat_map(char::to_lowercase).map(|c| if c == '_' { '-' } else { c }).collect()
    };
    let found = letters(found);
    if found.is_empty() || found.len() > LONGEST {
        return None;
    }
    let close = |name: &'a str| {
        let name_letters = letters(name);
        let most = found.len().max(name_letters.len()).div_ceil(3);
        let edits = edits(&found, &name_letters);
        (edits <= most && edits < found.len()).then_some((edits, name))
    };
    names.into_iter().filter_map(close).min_by_key(|(edits, _)| *edits).map(|(_, name)| name)
}

/// Suggestion for a message about an unknown name: " (did you mean 'x'?)", or nothing. `allowed` lists the names with
/// commas, as messages do.
pub fn did_you_mean(found: &str, allowed: &str) -> String {
    let names = allowed.strip_prefix("one of ").unwrap_or(allowed).split(", ");
    match near_name(found, names.filter(|n| *n != found)) {
        Some(name) => format!(" (did you mean '{name}'?)"),
        None => String::new(),
    }
}

fn edits(a: &[char], b: &[char]) -> usize {
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1; b.len() + 1];
        for (j, y) in b.iter().enumerate() {
            row[j + 1] = (last[j] + usize::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = core::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_nearly_right_is_found() {
        let names = ["box-stack", "box-slope", "wall", "cradle"];
        for (found, meant) in [
            ("boxstack", Some("box-stack")),
            ("BOX_STACK", Some("box-stack")),
            ("cardle", Some("cradle")),
            ("wal", Some("wall")),
            ("pyramid", None),
            ("", None),
            ("x", None),
        ] {
            assert_eq!(near_name(found, names), meant, "{found}");
        }
        assert_eq!(near_name(&"a".repeat(100_000), ["aaa"]), None);
        assert_eq!(did_you_mean("dynamci", "one of dynamic, fixed"), " (did you mean 'dynamic'?)");
        assert_eq!(did_you_mean("zzz", "dynamic, fixed"), "");
    }

    #[test]
    fn edits_are_counted() {
        let count = |a: &str, b: &str| edits(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>());
        assert_eq!((count("kitten", "sitting"), count("ab", "ba"), count("", "abc"), count("abc", "")), (3, 1, 3, 3));
    }
}
