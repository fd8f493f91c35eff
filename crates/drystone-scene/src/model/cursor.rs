use super::declare::{Key, Kind, Readable, Table};
use super::mesh_shape::MeshSource;
use crate::Document;
use crate::document::{Entry, Node, Origin, Value};
use crate::fault::{FaultKind, Location, SceneFault, SceneFaults};
use drystone_geometry::Shape;
use drystone_math::{Real, Vec3};
use std::path::PathBuf;
use std::sync::Arc;

/// What a reading gathers, and what it needs to know of the scene's file.
pub(crate) struct Reading {
    pub(crate) faults: SceneFaults,
    /// The body or joint that is being read.
    pub(crate) subject: Option<Arc<str>>,
    pub(crate) file: Option<Arc<str>>,
    /// The folder that file names in the scene are relative to.
    pub(crate) folder: PathBuf,
    /// Meshes read so far, so that none is read twice.
    pub(crate) meshes: Vec<(MeshSource, Shape)>,
    /// What is allowed and looks like a slip.
    pub(crate) warnings: Vec<SceneFault>,
}

impl Reading {
    pub(crate) fn new(document: &Document) -> Self {
        Self {
            faults: SceneFaults::default(),
            subject: None,
            file: document.file.clone(),
            folder: document.folder.clone(),
            meshes: Vec::new(),
            warnings: Vec::new(),
        }
    }

    pub(crate) fn fault(&mut self, at: &Cursor<'_>, kind: FaultKind) {
        let location = self.location(at);
        self.faults.push(location, kind);
    }

    /// Notes what is allowed and looks like a slip.
    pub(crate) fn warn(&mut self, at: &Cursor<'_>, message: String) {
        let location = self.location(at);
        self.warnings.push(SceneFault { location, kind: FaultKind::Other(message) });
    }

    pub(crate) fn location(&self, at: &Cursor<'_>) -> Location {
        Location { subject: self.subject.clone(), ..place(self.file.as_ref(), at.origin, &at.path) }
    }

    /// A fault of the form "found ..., allowed ...".
    pub(crate) fn wrong(&mut self, at: &Cursor<'_>, allowed: &str) {
        let kind = FaultKind::Value { found: at.node.describe(), allowed: allowed.to_owned() };
        self.fault(at, kind);
    }
}

fn place(file: Option<&Arc<str>>, origin: Origin, path: &str) -> Location {
    Location {
        file: file.cloned(),
        line: if let Origin::Line(l) = origin { Some(l) } else { None },
        path: path.to_owned(),
        overridden: origin == Origin::Set,
        subject: None,
    }
}

/// A value of the document with its path.
#[derive(Clone)]
pub(crate) struct Cursor<'a> {
    node: &'a Node,
    origin: Origin,
    path: String,
}

impl<'a> Cursor<'a> {
    pub(crate) fn root(node: &'a Node) -> Self {
        Self { node, origin: node.origin, path: String::new() }
    }

    pub(crate) fn node(&self) -> &'a Node {
        self.node
    }

    fn child(&self, entry: &'a Entry) -> Self {
        let dot = if self.path.is_empty() { "" } else { "." };
        let origin = if entry.node.origin == Origin::Set { Origin::Set } else { entry.origin };
        Self { node: &entry.node, origin, path: format!("{}{dot}{}", self.path, entry.key) }
    }

    fn item(&self, i: usize, node: &'a Node) -> Self {
        Self { node, origin: node.origin, path: format!("{}[{i}]", self.path) }
    }

    /// The keys of a declared table.
    pub(crate) fn fields(&self, table: &'static Table, r: &mut Reading) -> Option<Fields<'a>> {
        if let Value::Table(entries) = &self.node.value {
            return Some(Fields { at: self.clone(), entries, table, others: Vec::new() });
        }
        r.wrong(self, "a table");
        None
    }

    /// The keys of one of several tables, told apart by a text in them, and that text. `others` are texts that a fault names as allowed too.
    pub(crate) fn tagged(&self, kind: &Kind, others: &[&str], r: &mut Reading) -> Option<(&'static str, Fields<'a>)> {
        let (Kind::Tagged(tag, tables), Value::Table(entries)) = (kind, &self.node.value) else {
            r.wrong(self, "a table");
            return None;
        };
        let allowed = || {
            format!(
                "one of {}",
                tables.iter().map(|t| t.0).chain(others.iter().copied()).collect::<Vec<_>>().join(", ")
            )
        };
        let Some(entry) = entries.iter().find(|e| e.key == *tag) else {
            r.fault(self, FaultKind::MissingKey { key: (*tag).to_owned(), allowed: allowed() });
            return None;
        };
        let c = self.child(entry);
        let found = tables.iter().find(|t| matches!(&c.node.value, Value::Text(text) if text == t.0));
        let Some((name, table)) = found else {
            r.wrong(&c, &allowed());
            return None;
        };
        Some((name, Fields { at: self.clone(), entries, table, others: vec![tag] }))
    }

    /// The entries of a table, whatever their keys.
    pub(crate) fn entries(&self, r: &mut Reading) -> Option<Vec<(&'a str, Self)>> {
        if let Value::Table(entries) = &self.node.value {
            return Some(entries.iter().map(|e| (e.key.as_str(), self.child(e))).collect());
        }
        r.wrong(self, "a table");
        None
    }

    /// The items of a list.
    pub(crate) fn items(&self, r: &mut Reading) -> Option<Vec<Self>> {
        if let Value::List(items) = &self.node.value {
            return Some(items.iter().enumerate().map(|(i, n)| self.item(i, n)).collect());
        }
        r.wrong(self, "a list");
        None
    }

    pub(crate) fn boolean(&self, r: &mut Reading) -> Option<bool> {
        if let Value::Bool(v) = self.node.value {
            return Some(v);
        }
        r.wrong(self, "true or false");
        None
    }

    pub(crate) fn text(&self, r: &mut Reading) -> Option<&'a str> {
        if let Value::Text(v) = &self.node.value {
            return Some(v);
        }
        r.wrong(self, "a text");
        None
    }

    /// A text that is one of several.
    pub(crate) fn choice(&self, options: &[&'static str], r: &mut Reading) -> Option<&'static str> {
        if let Value::Text(v) = &self.node.value
            && let Some(o) = options.iter().find(|o| *o == v)
        {
            return Some(o);
        }
        r.wrong(self, &format!("one of {}", options.join(", ")));
        None
    }

    pub(crate) fn integer(&self, least: i64, most: i64, r: &mut Reading) -> Option<i64> {
        if let Value::Integer(v) = self.node.value
            && (least..=most).contains(&v)
        {
            return Some(v);
        }
        let allowed = match (least, most) {
            (i64::MIN, i64::MAX) => "a whole number".to_owned(),
            (_, i64::MAX) => format!("a whole number from {least}"),
            _ => format!("a whole number from {least} to {most}"),
        };
        r.wrong(self, &allowed);
        None
    }

    fn number(&self) -> Option<Real> {
        match self.node.value {
            Value::Integer(v) => Some(v as Real),
            Value::Real(v) if v.is_finite() => Some(v),
            _ => None,
        }
    }

    pub(crate) fn real_where(&self, holds: impl Fn(Real) -> bool, allowed: &str, r: &mut Reading) -> Option<Real> {
        let v = self.number().filter(|v| holds(*v));
        if v.is_none() {
            r.wrong(self, allowed);
        }
        v
    }

    pub(crate) fn real(&self, r: &mut Reading) -> Option<Real> {
        self.real_where(|_| true, "a finite number", r)
    }

    /// A list of `N` finite numbers.
    pub(crate) fn reals<const N: usize>(&self, r: &mut Reading) -> Option<[Real; N]> {
        let allowed = format!("a list of {N} finite numbers");
        let Value::List(items) = &self.node.value else {
            r.wrong(self, &allowed);
            return None;
        };
        if items.len() != N {
            r.wrong(self, &allowed);
            return None;
        }
        let mut out = [0.0; N];
        for (i, (node, o)) in items.iter().zip(&mut out).enumerate() {
            *o = self.item(i, node).real(r)?;
        }
        Some(out)
    }

    pub(crate) fn vec3(&self, r: &mut Reading) -> Option<Vec3> {
        self.reals::<3>(r).map(Vec3::from_array)
    }

    /// A vector that has a length: its direction as a unit vector.
    pub(crate) fn direction(&self, r: &mut Reading) -> Option<Vec3> {
        let v = self.vec3(r)?;
        let scale = v.abs().max_element();
        if scale == 0.0 {
            let kind = FaultKind::Value {
                found: "[0, 0, 0]".to_owned(),
                allowed: "a vector of a length above zero".to_owned(),
            };
            r.fault(self, kind);
            return None;
        }
        // scaled first: a tiny or huge vector keeps its digits; a unit vector is left as it is
        let unit = (v.length_squared() - 1.0).abs() < 1e-15;
        Some(if unit { v } else { (v / scale).normalize() })
    }
}

/// A table with its declaration: only declared keys can be asked for, and only they are known.
pub(crate) struct Fields<'a> {
    at: Cursor<'a>,
    entries: &'a [Entry],
    table: &'static Table,
    /// Keys beside those of the table, read elsewhere.
    others: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    pub(crate) fn cursor(&self) -> &Cursor<'a> {
        &self.at
    }

    /// The same, with keys beside those that are declared: the tables of what a build offers.
    pub(crate) fn with(mut self, others: impl IntoIterator<Item = &'static str>) -> Self {
        self.others.extend(others);
        self
    }

    /// The value under a name, where the table has it.
    pub(crate) fn named(&self, key: &str) -> Option<Cursor<'a>> {
        self.entries.iter().find(|e| e.key == key).map(|e| self.at.child(e))
    }

    /// Where a key's value stands; a fault where it must be there and is not.
    pub(crate) fn find<T>(&self, key: &Key<T>, r: &mut Reading) -> Option<Cursor<'a>> {
        debug_assert!(self.table.has(key.name), "{} is not declared for {}", key.name, self.table.name);
        let found = self.named(key.name);
        if found.is_none() && key.default.is_none() {
            let kind = FaultKind::MissingKey { key: key.name.to_owned(), allowed: key.kind.allowed() };
            r.fault(&self.at, kind);
        }
        found
    }

    /// A key's value, or its default; `None` where that is a fault, which is reported.
    pub(crate) fn read<T: Readable + Clone>(&self, key: &Key<T>, r: &mut Reading) -> Option<T> {
        match self.find(key, r) {
            Some(c) => T::read(&key.kind, &c, r),
            None => key.default.clone(),
        }
    }

    /// Reports the keys that the table does not have.
    pub(crate) fn finish(self, r: &mut Reading) {
        if self.table.one && self.entries.len() > 1 {
            r.wrong(&self.at, &Kind::Table(self.table).allowed());
        }
        let known = |key: &str| self.table.has(key) || self.others.contains(&key);
        for e in self.entries.iter().filter(|e| !known(&e.key)) {
            let names: Vec<_> = self.others.iter().copied().chain(self.table.names()).collect();
            let kind = FaultKind::UnknownKey { key: e.key.clone(), allowed: names.join(", ") };
            r.fault(&self.at.child(e), kind);
        }
    }
}
