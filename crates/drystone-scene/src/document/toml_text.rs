use super::{Entry, Node, Origin, Value};
use crate::fault::{FaultKind, Location, SceneFaults};
use std::ops::Range;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Reads TOML; every syntax fault is reported, not only the first.
pub(super) fn parse(text: &str, file: Option<&Arc<str>>) -> Result<Node, SceneFaults> {
    let lines = Lines::new(text);
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        let mut faults = SceneFaults::default();
        for e in errors {
            let line = e.span().map_or(1, |s| lines.line(s.start));
            let location = Location { file: file.cloned(), line: Some(line), ..Location::default() };
            faults.push(location, FaultKind::Syntax(format!("not TOML: {}", e.message().replace('\n', "; "))));
        }
        return Err(faults);
    }
    let origin = Origin::Line(1);
    Ok(Node { value: convert_table(table.into_inner(), &lines), origin })
}

/// Writes what [`parse`] reads: sections and lists of tables at the top, what is in them in line. Null, which TOML has no word for, is left out.
pub(super) fn write(root: &Node) -> String {
    let mut out = String::new();
    let Value::Table(sections) = &root.value else { return out };
    let is_section = |node: &Node| match &node.value {
        Value::Table(_) => true,
        Value::List(list) => !list.is_empty() && list.iter().all(|n| matches!(n.value, Value::Table(_))),
        _ => false,
    };
    for Entry { key, node, .. } in sections.iter().filter(|e| !is_section(&e.node)) {
        write_entry(key, node, &mut out);
    }
    for Entry { key, node, .. } in sections.iter().filter(|e| is_section(&e.node)) {
        let key = written_key(key);
        let (list, [before, after]) = match &node.value {
            Value::List(list) => (list.as_slice(), ["[[", "]]"]),
            _ => (core::slice::from_ref(node), ["[", "]"]),
        };
        for section in list {
            for part in ["\n", before, key.as_str(), after, "\n"] {
                out.push_str(part);
            }
            if let Value::Table(entries) = &section.value {
                for e in entries {
                    write_entry(&e.key, &e.node, &mut out);
                }
            }
        }
    }
    out
}

/// A line of a section.
fn write_entry(key: &str, node: &Node, out: &mut String) {
    if !matches!(node.value, Value::Null) {
        out.push_str(&written_key(key));
        out.push_str(" = ");
        write_value(node, out);
        out.push('\n');
    }
}

fn write_value(node: &Node, out: &mut String) {
    match &node.value {
        Value::Null => {}
        Value::Bool(v) => out.push_str(if *v { "true" } else { "false" }),
        Value::Integer(v) => out.push_str(&v.to_string()),
        Value::Real(v) if v.is_nan() => out.push_str("nan"),
        // infinities are inf and -inf in both languages
        Value::Real(v) => {
            let text = format!("{v:?}");
            out.push_str(&text);
        }
        Value::Text(v) => out.push_str(&written_text(v)),
        Value::Date(v) => out.push_str(v),
        Value::List(list) => {
            out.push('[');
            for (i, item) in list.iter().enumerate() {
                out.push_str(if i == 0 { "" } else { ", " });
                write_value(item, out);
            }
            out.push(']');
        }
        Value::Table(table) => {
            out.push('{');
            let there = table.iter().filter(|e| !matches!(e.node.value, Value::Null));
            for (i, Entry { key, node, .. }) in there.enumerate() {
                out.push_str(if i == 0 { " " } else { ", " });
                out.push_str(&written_key(key));
                out.push_str(" = ");
                write_value(node, out);
            }
            out.push_str(" }");
        }
    }
}

fn written_key(key: &str) -> String {
    let is_bare = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if is_bare { key.to_owned() } else { written_text(key) }
}

/// A text in quotes: TOML knows JSON's escapes, and wants one more.
fn written_text(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

fn convert_table(table: DeTable<'_>, lines: &Lines) -> Value {
    let entries = table.into_iter().map(|(key, value)| Entry {
        origin: lines.origin(key.span()),
        key: key.into_inner().into_owned(),
        node: convert(value, lines),
    });
    Value::Table(entries.collect())
}

fn convert(node: Spanned<DeValue<'_>>, lines: &Lines) -> Node {
    let origin = lines.origin(node.span());
    let value = match node.into_inner() {
        DeValue::String(s) => Value::Text(s.into_owned()),
        DeValue::Integer(n) => {
            // out of i64's range: keep the magnitude, so that the range check can name it
            let (digits, radix) = (n.as_str(), n.radix());
            i64::from_str_radix(digits, radix)
                .map_or_else(|_| Value::Real(digits.parse().unwrap_or(f64::INFINITY)), Value::Integer)
        }
        DeValue::Float(x) => Value::Real(real(x.as_str())),
        DeValue::Boolean(b) => Value::Bool(b),
        DeValue::Datetime(d) => Value::Date(d.to_string()),
        DeValue::Array(items) => Value::List(items.into_iter().map(|v| convert(v, lines)).collect()),
        DeValue::Table(t) => convert_table(t, lines),
    };
    Node { value, origin }
}

fn real(text: &str) -> f64 {
    match text {
        "inf" | "+inf" => f64::INFINITY,
        "-inf" => f64::NEG_INFINITY,
        _ => text.parse().unwrap_or(f64::NAN),
    }
}

/// Byte offsets of line starts.
struct Lines(Vec<usize>);

impl Lines {
    fn new(text: &str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1);
        Self(std::iter::once(0).chain(breaks).collect())
    }

    fn line(&self, offset: usize) -> u32 {
        self.0.partition_point(|start| *start <= offset) as u32
    }

    fn origin(&self, span: Range<usize>) -> Origin {
        Origin::Line(self.line(span.start))
    }
}
