use super::{BodyEntry, Cursor, Reading, some_of};
use crate::document::quote;
use crate::fault::FaultKind;
use drystone_core::BodyKind;

/// Name of the fixed frame.
pub(super) const WORLD: &str = "world";

/// A body that a joint, a force or a script names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyRef {
    /// The fixed frame.
    World,
    /// The entry in `bodies`, and which of its copies.
    Body {
        /// Place in `bodies`.
        entry: usize,
        /// Which copy.
        copy: usize,
    },
}

impl BodyRef {
    /// The column in configuration and state.
    pub(crate) fn column(self, bodies: &[BodyEntry]) -> Option<usize> {
        match self {
            Self::World => None,
            Self::Body { entry, copy } => Some(bodies[entry].first + copy),
        }
    }
}

/// Looks bodies up by name.
pub(crate) struct BodyNames<'a> {
    entries: &'a [BodyEntry],
    sorted: Vec<(&'a str, usize)>,
}

impl<'a> BodyNames<'a> {
    pub(crate) fn new(entries: &'a [BodyEntry]) -> Self {
        let mut sorted: Vec<_> = entries.iter().enumerate().map(|(i, b)| (b.name.as_str(), i)).collect();
        sorted.sort_unstable();
        Self { entries, sorted }
    }

    fn entry(&self, name: &str) -> Option<usize> {
        self.sorted.binary_search_by(|(n, _)| (*n).cmp(name)).ok().map(|i| self.sorted[i].1)
    }

    /// The body of that name; a copy is named with its number.
    pub(crate) fn find(&self, name: &str) -> Option<BodyRef> {
        if let Some(entry) = self.entry(name)
            && self.entries[entry].repeat.is_none()
        {
            return Some(BodyRef::Body { entry, copy: 0 });
        }
        self.find_copy(name)
    }

    /// The copy of a repeated body that a name with a number names.
    pub(crate) fn find_copy(&self, name: &str) -> Option<BodyRef> {
        let (base, rest) = name.rsplit_once('[')?;
        let digits = rest.strip_suffix(']')?;
        let copy: usize = digits.parse().ok()?;
        let entry = self.entry(base)?;
        let body = &self.entries[entry];
        // box[03] is not the name of box[3]
        let there = body.repeat.is_some() && copy < body.copies && copy.to_string() == digits;
        there.then_some(BodyRef::Body { entry, copy })
    }

    /// The columns of the body, or of all copies of the repeated body, that a text of the scene names, or a fault.
    pub(crate) fn resolve_all(&self, at: &Cursor<'_>, r: &mut Reading) -> Option<core::ops::Range<usize>> {
        if let Some(entry) = self.entry(at.text(r)?) {
            let body = &self.entries[entry];
            return Some(body.first..body.first + body.copies);
        }
        let column = self.resolve(at, r)?.column(self.entries)?;
        Some(column..column + 1)
    }

    /// The body that a text of the scene names, or a fault.
    pub(crate) fn resolve(&self, at: &Cursor<'_>, r: &mut Reading) -> Option<BodyRef> {
        self.find_or_fault(at, &[], r)
    }

    /// The body, or the fixed frame, that a text of the scene names, or a fault.
    pub(crate) fn resolve_or_world(&self, at: &Cursor<'_>, r: &mut Reading) -> Option<BodyRef> {
        if at.text(r)? == WORLD { Some(BodyRef::World) } else { self.find_or_fault(at, &[WORLD], r) }
    }

    /// The body that a text names; where there is none, the fault names others that are allowed too.
    fn find_or_fault(&self, at: &Cursor<'_>, others: &[&str], r: &mut Reading) -> Option<BodyRef> {
        let name = at.text(r)?;
        let found = self.find(name);
        if found.is_none() && !r.faulty_bodies.may_have(name) {
            let mut names: Vec<String> = others.iter().map(|&name| name.to_owned()).collect();
            names.extend(self.entries.iter().map(BodyEntry::display_name));
            names.extend(r.faulty_bodies.names.iter().cloned());
            r.fault(at, FaultKind::Reference { what: "body", found: quote(name), allowed: some_of(name, &names) });
        }
        found
    }
}

/// Two different bodies, at least one of which can move.
pub(crate) fn read_pair(
    c: &Cursor<'_>,
    names: &BodyNames<'_>,
    bodies: &[BodyEntry],
    r: &mut Reading,
) -> Option<[Option<usize>; 2]> {
    let items = c.items(r)?;
    let [a, b] = items.as_slice() else {
        r.wrong(c, "a list of two names of bodies");
        return None;
    };
    let (a, b) = (names.resolve_or_world(a, r), names.resolve_or_world(b, r));
    let (a, b) = (a?, b?);
    if a == b {
        let found = "one body twice".to_owned();
        r.fault(c, FaultKind::Value { found, allowed: "two different bodies".to_owned() });
        return None;
    }
    let moves = |x: BodyRef| match x {
        BodyRef::World => false,
        BodyRef::Body { entry, .. } => {
            matches!(bodies[entry].properties.kind, BodyKind::Dynamic | BodyKind::Passive)
        }
    };
    if !moves(a) && !moves(b) {
        let found = "two bodies that no force moves".to_owned();
        r.fault(c, FaultKind::Value { found, allowed: "at least one dynamic body".to_owned() });
        return None;
    }
    Some([a.column(bodies), b.column(bodies)])
}

/// Reports names that two bodies have, or a body and the copy of another.
pub(super) fn report_duplicates(names: &mut [(String, Cursor<'_>)], bodies: &[BodyEntry], r: &mut Reading) {
    names.sort_by(|a, b| a.0.cmp(&b.0));
    for pair in names.windows(2) {
        if pair[0].0 == pair[1].0 {
            let allowed = "a name that no other body has".to_owned();
            r.fault(&pair[1].1, FaultKind::Value { found: format!("{} again", quote(&pair[1].0)), allowed });
        }
    }
    // a name like box[3] may be that of another body's copy
    let repeated = BodyNames::new(bodies);
    for (name, c) in names.iter().filter(|(n, _)| n.ends_with(']')) {
        if let Some(BodyRef::Body { entry, .. }) = repeated.find_copy(name) {
            let allowed = format!("a name that no copy of {} has", quote(&bodies[entry].name));
            r.fault(c, FaultKind::Value { found: quote(name), allowed });
        }
    }
}
