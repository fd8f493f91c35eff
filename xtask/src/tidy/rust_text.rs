//! Rust as text: what is code, and where functions begin and end.

/// The text with comments and the insides of literals blanked out, line for line.
pub(crate) fn code(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'/' if text[at..].starts_with("//") => text[at..].find('\n').map_or(text.len(), |n| at + n),
            b'/' if text[at..].starts_with("/*") => end_of_comment(text, at),
            b'"' => end_of_string(bytes, at),
            b'r' if !follows_word(bytes, at) => end_of_raw(text, at).unwrap_or(at),
            b'\'' => end_of_character(text, at).unwrap_or(at),
            _ => at,
        };
        if end == at {
            let character = text[at..].chars().next().unwrap_or(' ');
            out.push(character);
            at += character.len_utf8();
        } else {
            let blank = if bytes[at] == b'/' { ' ' } else { '_' };
            out.extend(text[at..end].chars().map(|c| if c == '\n' { '\n' } else { blank }));
            at = end;
        }
    }
    out
}

fn follows_word(bytes: &[u8], at: usize) -> bool {
    at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_') && bytes[at - 1] != b'b'
}

fn end_of_comment(text: &str, from: usize) -> usize {
    let (mut depth, mut at) = (0_u32, from);
    while at < text.len() {
        if text[at..].starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if text[at..].starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                break;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    at
}

fn end_of_string(bytes: &[u8], from: usize) -> usize {
    let mut at = from + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

/// The end of a raw string that begins here, if one does.
fn end_of_raw(text: &str, from: usize) -> Option<usize> {
    let hashes = text[from + 1..].bytes().take_while(|b| *b == b'#').count();
    let begin = from + 1 + hashes;
    if !text[begin..].starts_with('"') {
        return None;
    }
    let close = format!("\"{}", "#".repeat(hashes));
    text[begin + 1..].find(&close).map(|n| begin + 1 + n + close.len())
}

/// The end of a character that begins here; none where it is a lifetime.
fn end_of_character(text: &str, from: usize) -> Option<usize> {
    let mut rest = text[from + 1..].chars();
    let first = rest.next()?;
    if first == '\\' {
        return text[from + 3..].find('\'').map(|n| from + 4 + n);
    }
    (rest.next()? == '\'').then(|| from + 2 + first.len_utf8())
}

/// A function with a body.
pub(crate) struct Function<'a> {
    pub(crate) name: &'a str,
    /// From its generics to the brace that opens its body.
    pub(crate) signature: &'a str,
    /// Between its braces.
    pub(crate) body: &'a str,
    /// The line that names it, the first being one.
    pub(crate) line: usize,
}

impl Function<'_> {
    /// Lines of the body, those left out that are blank or hold nothing but a comment.
    pub(crate) fn lines(&self) -> usize {
        self.body.lines().filter(|l| !l.trim().is_empty()).count()
    }
}

/// The functions of a file's code, those in others too.
pub(crate) fn functions(code: &str) -> impl Iterator<Item = Function<'_>> {
    code.match_indices("fn ").filter_map(|(at, _)| {
        if follows_word(code.as_bytes(), at) || code[..at].ends_with('b') {
            return None;
        }
        let rest = &code[at + 3..];
        let name = &rest[..rest.find(|c: char| !(c.is_alphanumeric() || c == '_'))?];
        let open = start_of_body(&rest[name.len()..])? + name.len();
        let close = open + end_of_block(&rest[open..])?;
        let line = code[..at].matches('\n').count() + 1;
        let found = Function { name, signature: &rest[name.len()..open], body: &rest[open + 1..close], line };
        (!name.is_empty()).then_some(found)
    })
}

/// Where the brace stands that opens a body; none where the signature ends without one.
fn start_of_body(signature: &str) -> Option<usize> {
    let mut depth = 0_i32;
    for (at, c) in signature.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ';' if depth == 0 => return None,
            '{' if depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

/// Where the brace stands that closes the one at the start.
pub(crate) fn end_of_block(text: &str) -> Option<usize> {
    let mut depth = 0_i32;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return Some(at),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blank() {
        assert_eq!(code("a // {\nb"), "a     \nb");
        assert_eq!(code("a /* { /* } */ { */ b"), format!("a {} b", " ".repeat(17)));
        assert_eq!(code(r#"f("{\"", '{', '\'', r"\", b"}")"#).matches(['{', '}']).count(), 0);
        assert_eq!(code("&'a str; 'x'"), "&'a str; ___");
        assert_eq!(code("r#\"{\"# r#type"), "______ r#type");
    }

    #[test]
    fn functions_are_found_with_their_bodies() {
        let text =
            code("fn a(x: [u8; 3]) -> u8 {\n  // one\n\n  if x { 1 } else { 2 }\n}\nfn b();\nfn c<T>() { fn d() {} }");
        let found: Vec<_> = functions(&text).map(|f| (f.name, f.lines(), f.line)).collect();
        assert_eq!(found, [("a", 1, 1), ("c", 1, 7), ("d", 0, 7)]);
    }
}
