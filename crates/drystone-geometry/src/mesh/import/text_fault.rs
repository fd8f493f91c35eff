//! Line of a fault in a text mesh file: the readers say what is wrong, but not on which line.

use super::MeshError;

/// A message, line number first, for an OBJ file that a reader refused; the reader's own message if no line is to
/// blame.
pub(super) fn of_obj(bytes: &[u8], refused: MeshError) -> MeshError {
    let words = |line: &[u8]| line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()).map(text).collect();
    let lines: Vec<Vec<String>> = bytes.split(|b| *b == b'\n').map(words).collect();
    let is = |words: &[String], kind: &str| words.first().is_some_and(|w| w == kind);
    let vertices = lines.iter().filter(|l| is(l, "v")).count();
    let fault = lines.iter().enumerate().find_map(|(i, words)| {
        let found = match words.first()?.as_str() {
            "v" => coordinates(&words[1..]),
            "f" => words[1..].iter().find_map(|word| corner(word, vertices)),
            _ => None,
        };
        found.map(|found| format!("line {}: {found}", i + 1))
    });
    fault.map_or(refused, MeshError::File)
}

/// The same for STL.
pub(super) fn of_stl(bytes: &[u8], refused: MeshError) -> MeshError {
    const KNOWN: [&str; 6] = ["solid", "outer", "endloop", "endfacet", "endsolid", "facet"];
    let lines = bytes.split(|b| *b == b'\n').enumerate();
    let mut last = 0;
    let mut ended = false;
    for (i, line) in lines {
        let words: Vec<String> = line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()).map(text).collect();
        let Some(first) = words.first() else { continue };
        last = i + 1;
        ended = first.eq_ignore_ascii_case("endsolid");
        let found = if first.eq_ignore_ascii_case("vertex") {
            coordinates(&words[1..])
        } else if KNOWN.iter().any(|k| first.eq_ignore_ascii_case(k)) {
            None
        } else {
            Some(format!("'{first}' begins no line of STL"))
        };
        if let Some(found) = found {
            return MeshError::File(format!("line {last}: {found}"));
        }
    }
    if ended { refused } else { MeshError::File(format!("line {last}: the file ends before endsolid")) }
}

/// Fault of a vertex.
fn coordinates(words: &[String]) -> Option<String> {
    if words.len() < 3 {
        return Some(format!("a vertex of {} numbers; allowed: 3", words.len()));
    }
    let bad = words.iter().take(3).find(|w| !w.parse::<f32>().is_ok_and(f32::is_finite));
    bad.map(|w| format!("'{w}' is no finite number"))
}

/// Fault of a face's corner, given the number of vertices.
fn corner(word: &str, vertices: usize) -> Option<String> {
    let index = word.split('/').next().unwrap_or_default();
    match index.parse::<i64>() {
        Ok(i) if i != 0 && i.unsigned_abs() <= vertices as u64 => None,
        Ok(_) => Some(format!("a face names vertex {index}, but there are {vertices}")),
        Err(_) => Some(format!("'{word}' names no vertex")),
    }
}

/// A word, made to fit into a message.
fn text(word: &[u8]) -> String {
    const LONGEST: usize = 40;
    String::from_utf8_lossy(word).chars().take(LONGEST).collect()
}
