use super::mesh_source::MeshSource;
use crate::Document;
use crate::document::{Entry, Node, Origin, Value};
use crate::fault::{FaultKind, Location, SceneFault, SceneFaults};
use drystone_geometry::Shape;
use drystone_math::{Real, Vec3};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

/// Accumulator of a reading: results, and the data of the scene's file that it needs.
pub(crate) struct Reading {
    pub(crate) faults: SceneFaults,
    /// The body or joint that is being read.
    pub(crate) subject: Option<Arc<str>>,
    pub(crate) file: Option<Arc<str>>,
    /// The folder that file names in the scene are relative to.
    pub(crate) folder: PathBuf,
    /// Meshes read so far, so that none is read twice.
    pub(crate) meshes: Vec<(MeshSource, Shape)>,
    /// Warnings about values that are allowed and look like a slip.
    pub(crate) warnings: Vec<SceneFault>,
    /// Bodies that have a fault themselves.
    pub(crate) faulty_bodies: FaultyBodies,
}

/// The bodies that could not be read: what refers to them is no fault of its own.
#[derive(Debug, Default)]
pub(crate) struct FaultyBodies {
    /// Their names, copies aside.
    pub(crate) names: BTreeSet<String>,
    /// True if one of them has no name that could be read: any name may be its.
    pub(crate) nameless: bool,
}

impl FaultyBodies {
    /// Returns true if a name may be that of one of them, or of a copy of it.
    pub(crate) fn may_have(&self, name: &str) -> bool {
        let base = name.rsplit_once('[').map_or(name, |(base, _)| base);
        self.nameless || self.names.contains(name) || self.names.contains(base)
    }
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
            faulty_bodies: FaultyBodies::default(),
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
        option: if let Origin::Set(option) = origin { Some(option) } else { None },
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

    pub(super) fn child(&self, entry: &'a Entry) -> Self {
        let dot = if self.path.is_empty() { "" } else { "." };
        let origin = if matches!(entry.node.origin, Origin::Set(_)) { entry.node.origin } else { entry.origin };
        Self { node: &entry.node, origin, path: format!("{}{dot}{}", self.path, entry.key) }
    }

    fn item(&self, i: usize, node: &'a Node) -> Self {
        Self { node, origin: node.origin, path: format!("{}[{i}]", self.path) }
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

    /// The value that one of several texts stands for.
    pub(crate) fn choice_of<T: Copy>(&self, choices: &[(&'static str, T)], r: &mut Reading) -> Option<T> {
        if let Value::Text(v) = &self.node.value
            && let Some((_, value)) = choices.iter().find(|(text, _)| text == v)
        {
            return Some(*value);
        }
        let texts: Vec<&str> = choices.iter().map(|(text, _)| *text).collect();
        r.wrong(self, &format!("one of {}", texts.join(", ")));
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
