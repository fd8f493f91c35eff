use super::{Entry, Node, Origin, Value};
use crate::fault::{FaultKind, Location, SceneFaults};
use drystone_math::Real;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::sync::Arc;

/// Begins the texts that stand for numbers JSON has no word for.
const MARK: &str = "\u{0}number ";

/// Reads JSON; duplicate keys are faults, as in TOML. `NaN`, `Infinity` and numbers out of range, which many programs write, are
/// read as what they are, so that the key they stand at can be named.
pub(super) fn parse(text: &str, file: Option<&Arc<str>>) -> Result<Node, SceneFaults> {
    let first = serde_json::from_str::<Node>(text);
    let read = match first {
        Err(e) => marked(text).and_then(|text| serde_json::from_str::<Node>(&text).ok()).ok_or(e),
        ok => ok,
    };
    read.map_err(|e| {
        let line = Some(e.line() as u32).filter(|l| *l > 0);
        let location = Location { file: file.cloned(), line, ..Location::default() };
        SceneFaults::from(crate::SceneFault { location, kind: FaultKind::Syntax(format!("not JSON: {e}")) })
    })
}

/// Writes what [`parse`] reads: numbers that JSON has no word for as `NaN`, `Infinity` and `-Infinity`.
pub(super) fn write(node: &Node, out: &mut String) {
    match &node.value {
        Value::Null => out.push_str("null"),
        Value::Bool(v) => out.push_str(if *v { "true" } else { "false" }),
        Value::Integer(v) => out.push_str(&v.to_string()),
        Value::Real(v) if v.is_nan() => out.push_str("NaN"),
        Value::Real(v) if v.is_infinite() => out.push_str(if *v > 0.0 { "Infinity" } else { "-Infinity" }),
        Value::Real(v) => out.push_str(&serde_json::Value::from(*v).to_string()),
        Value::Text(v) | Value::Date(v) => write_text(v, out),
        Value::List(list) => {
            out.push('[');
            for (i, item) in list.iter().enumerate() {
                out.push_str(if i == 0 { "" } else { ", " });
                write(item, out);
            }
            out.push(']');
        }
        Value::Table(table) => {
            out.push('{');
            for (i, Entry { key, node, .. }) in table.iter().enumerate() {
                out.push_str(if i == 0 { "" } else { ", " });
                write_text(key, out);
                out.push_str(": ");
                write(node, out);
            }
            out.push('}');
        }
    }
}

fn write_text(text: &str, out: &mut String) {
    out.push_str(&serde_json::Value::from(text).to_string());
}

/// The text with such numbers as marked texts; `None` where there are none.
fn marked(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let (mut rest, mut any) = (text, false);
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '"' => quoted(rest),
            '-' | '0'..='9' | 'A'..='Z' | 'a'..='z' => {
                let odd = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
                rest.find(odd).unwrap_or(rest.len())
            }
            _ => c.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        let number = match token {
            "NaN" | "Infinity" | "-Infinity" => true,
            t => t.starts_with(|c: char| c == '-' || c.is_ascii_digit()) && t.parse().is_ok_and(Real::is_infinite),
        };
        if number {
            any = true;
            out.push_str("\"\\u0000number ");
            out.push_str(token);
            out.push('"');
        } else {
            out.push_str(token);
        }
        rest = after;
    }
    any.then_some(out)
}

/// Length of the quoted text that another begins with.
fn quoted(text: &str) -> usize {
    let mut escaped = false;
    for (i, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return i + 1,
            _ => {}
        }
    }
    text.len()
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

#[allow(clippy::unnecessary_wraps, reason = "the visitor's methods return results")]
fn node<E>(value: Value) -> Result<Node, E> {
    Ok(Node { value, origin: Origin::Path })
}

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        node(Value::Null)
    }

    fn visit_bool<E>(self, v: bool) -> Result<Node, E> {
        node(Value::Bool(v))
    }

    fn visit_i64<E>(self, v: i64) -> Result<Node, E> {
        node(Value::Integer(v))
    }

    fn visit_u64<E>(self, v: u64) -> Result<Node, E> {
        node(i64::try_from(v).map_or(Value::Real(v as f64), Value::Integer))
    }

    fn visit_f64<E>(self, v: f64) -> Result<Node, E> {
        node(Value::Real(v))
    }

    fn visit_str<E>(self, v: &str) -> Result<Node, E> {
        node(match v.strip_prefix(MARK).map(str::parse) {
            Some(Ok(number)) => Value::Real(number),
            _ => Value::Text(v.to_owned()),
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        node(Value::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut keys = std::collections::BTreeSet::new();
        while let Some((key, node)) = map.next_entry::<String, Node>()? {
            if !keys.insert(key.clone()) {
                return Err(A::Error::custom(format_args!("duplicate key {key:?}")));
            }
            entries.push(Entry { key, origin: Origin::Path, node });
        }
        node(Value::Table(entries))
    }
}
