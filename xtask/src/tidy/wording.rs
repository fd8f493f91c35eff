//! The English of what programs print: a rate is said with *per*.

use super::tree::TextFile;

/// What there is many of in a run, and costs are counted by.
const UNITS: &[&str] = &[
    "step",
    "sweep",
    "pivot",
    "problem",
    "box",
    "turn",
    "sub-step",
    "direction",
    "iteration",
    "partition",
    "piece",
    "frame",
];

/// Words before an article that make no rate of it: prepositions, conjunctions, verbs.
const JOINING: &[&str] = &[
    "after", "and", "as", "at", "before", "between", "by", "cut", "for", "from", "half", "in", "into", "is", "of",
    "on", "or", "over", "per", "solve", "solves", "take", "takes", "than", "that", "through", "to", "with", "within",
    "without",
];

/// No summary and no documentation of a parameter says "two solves a step" for two per step.
pub(crate) fn check(files: &[TextFile]) -> Vec<String> {
    let printed = |f: &&TextFile| f.is_rust() && f.path.starts_with("crates/") && f.path.contains("/src/");
    files.iter().filter(printed).flat_map(faults).collect()
}

fn faults(file: &TextFile) -> Vec<String> {
    let mut faults = Vec::new();
    // within a declaration of settings: before its struct, or at its fields
    let (mut declares, mut fields) = (false, false);
    for (i, line) in file.text.lines().enumerate() {
        let code = line.trim_start();
        if line == "#[cfg(test)]" {
            break;
        }
        if code.ends_with("settings! {") || code.ends_with("parameters! {") {
            (declares, fields) = (true, false);
        } else if line == "}" {
            declares = false;
        } else if declares && code.contains("struct ") {
            fields = true;
        }
        let said: Vec<&str> = match code.strip_prefix("///") {
            Some(doc) if declares && fields => vec![doc],
            _ if code.starts_with("//") => Vec::new(),
            _ => line.split('"').skip(1).step_by(2).collect(),
        };
        let found = said.into_iter().filter_map(rate);
        faults.extend(found.map(|words| format!("{}:{}: \"{words}\": a rate is said with per", file.path, i + 1)));
    }
    faults
}

/// The words of a text that say a rate by an article.
fn rate(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.windows(3).find_map(|w| {
        let unit = w[2].trim_end_matches(|c: char| !c.is_alphanumeric());
        let counted = w[0].ends_with(char::is_alphanumeric) && !JOINING.contains(&w[0]);
        let is_rate = matches!(w[1], "a" | "an") && UNITS.contains(&unit) && counted;
        is_rate.then(|| w.join(" "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str) -> usize {
        check(&[TextFile { path: "crates/a/src/x.rs".to_owned(), text: text.to_owned() }]).len()
    }

    #[test]
    fn rates_by_an_article_are_found() {
        for text in [
            "n row updates a sweep",
            "2 N^2 a pivot, dense",
            "rounds of projection a step",
            "exchanges a box before",
            "four a direction",
            "sweeps with bias a sub-step",
            "Newton's method a problem",
            "a lead a turn about it",
        ] {
            assert_eq!(count(&format!("    summary: \"{text}\",\n")), 1, "{text}");
            assert_eq!(
                count(&format!("settings! {{\n    pub struct A {{\n        /// {text}\n    }}\n}}\n")),
                1,
                "{text}"
            );
        }
        for text in [
            "n row updates per sweep",
            "the end of a step",
            "a sweep and a half",
            "that a step takes",
            "what turns a body",
            "friction: a box",
        ] {
            assert_eq!(count(&format!("    summary: \"{text}\",\n")), 0, "{text}");
        }
    }

    #[test]
    fn only_what_is_printed_is_looked_at() {
        let text = "two solves a step";
        assert_eq!(count(&format!("/// {text}\nfn f() {{}} // {text}\n")), 0);
        assert_eq!(count(&format!("settings! {{\n    /// {text}\n    pub struct A {{\n    }}\n}}\n")), 0);
        assert_eq!(count(&format!("#[cfg(test)]\nmod tests {{\n    const A: &str = \"{text}\";\n}}\n")), 0);
        assert!(check(&[TextFile { path: "docs/x.md".to_owned(), text: text.to_owned() }]).is_empty());
    }
}
