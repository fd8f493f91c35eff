use super::{Entry, Node, Origin, Value};
use crate::fault::{FaultKind, Location, SceneFaults};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::sync::Arc;

/// Reads JSON; duplicate keys are faults, as in TOML.
pub(super) fn parse(text: &str, file: Option<&Arc<str>>) -> Result<Node, SceneFaults> {
    serde_json::from_str::<Node>(text).map_err(|e| {
        let line = Some(e.line() as u32).filter(|l| *l > 0);
        let location = Location { file: file.cloned(), line, ..Location::default() };
        SceneFaults::from(crate::SceneFault { location, kind: FaultKind::Syntax(format!("not JSON: {e}")) })
    })
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
        node(Value::Text(v.to_owned()))
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
