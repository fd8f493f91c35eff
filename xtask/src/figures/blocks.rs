const BEGIN: &str = "<!-- generated: cargo xtask figures ";
const END: &str = "<!-- end -->";

/// The names of the blocks in a document.
pub(crate) fn names(text: &str) -> Vec<String> {
    text.lines().filter_map(|l| Some(l.strip_prefix(BEGIN)?.strip_suffix(" -->")?.to_owned())).collect()
}

/// The document with every block of a name filled with `content`.
pub(crate) fn replace(text: &str, name: &str, content: &str) -> Result<String, String> {
    let begin = format!("{BEGIN}{name} -->\n");
    let mut out = String::new();
    let mut rest = text;
    while let Some(i) = rest.find(&begin) {
        let (before, after) = rest.split_at(i + begin.len());
        let end = after.find(END).ok_or(format!("figures {name}: no {END}"))?;
        out.extend([before, "\n", content.trim(), "\n\n"]);
        rest = &after[end..];
    }
    Ok(out + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_filled_again_and_again() {
        let empty = format!("a\n\n{BEGIN}x -->\n{END}\n\nb\n");
        assert_eq!(names(&empty), ["x"]);
        let filled = replace(&empty, "x", "| 1 |\n").unwrap();
        assert_eq!(filled, format!("a\n\n{BEGIN}x -->\n\n| 1 |\n\n{END}\n\nb\n"));
        assert_eq!(replace(&filled, "x", "| 1 |").unwrap(), filled);
        assert_eq!(replace(&filled, "y", "| 2 |").unwrap(), filled);
        assert!(replace(&format!("{BEGIN}x -->\n"), "x", "").is_err());
    }
}
