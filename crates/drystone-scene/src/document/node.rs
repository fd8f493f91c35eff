/// Origin of a value: the place where it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// On a line of the file, counted from one.
    Line(u32),
    /// In a file of one long line: its path says where.
    Path,
    /// Set from outside the file, by the option of this name.
    Set(&'static str),
}

/// A value and where it was written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) value: Value,
    pub(crate) origin: Origin,
}

/// Value as TOML and JSON have it in common.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Integer(i64),
    Real(f64),
    Text(String),
    /// A date or a time, which no key of a scene takes.
    Date(String),
    List(Vec<Node>),
    Table(Vec<Entry>),
}

/// A key of a table with its value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) origin: Origin,
    pub(crate) node: Node,
}

impl Node {
    /// Description in a few words, for a message.
    pub(crate) fn describe(&self) -> String {
        match &self.value {
            Value::Null => "null".to_owned(),
            Value::Bool(v) => v.to_string(),
            Value::Integer(v) => v.to_string(),
            Value::Real(v) => format!("{v:?}"),
            Value::Text(v) => quote(v),
            Value::Date(v) => format!("the date {v}"),
            Value::List(v) => format!("a list of {}", v.len()),
            Value::Table(v) if v.is_empty() => "an empty table".to_owned(),
            Value::Table(_) => "a table".to_owned(),
        }
    }

    /// The entries of a list.
    pub(crate) fn list(&self) -> Option<&[Self]> {
        match &self.value {
            Value::List(list) => Some(list),
            _ => None,
        }
    }

    /// The entry of a table under a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        match &self.value {
            Value::Table(t) => t.iter().find(|e| e.key == key).map(|e| &e.node),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub(super) fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        match &mut self.value {
            Value::Table(t) => t.iter_mut().find(|e| e.key == key).map(|e| &mut e.node),
            _ => None,
        }
    }
}

/// A text in quotes, shortened where long.
pub(crate) fn quote(text: &str) -> String {
    const LONGEST: usize = 60;
    if text.chars().count() > LONGEST {
        let short: String = text.chars().take(LONGEST).collect();
        format!("{short:?}...")
    } else {
        format!("{text:?}")
    }
}
