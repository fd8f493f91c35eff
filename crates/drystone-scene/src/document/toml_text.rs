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
