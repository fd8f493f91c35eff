use super::declare::{Key, Kind, Readable, Table};
use super::{Cursor, Reading};
use crate::document::{Entry, Value};
use crate::fault::FaultKind;

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

    /// Place of a key's value; a fault if a required key is missing.
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

impl<'a> Cursor<'a> {
    /// The keys of a declared table.
    pub(crate) fn fields(&self, table: &'static Table, r: &mut Reading) -> Option<Fields<'a>> {
        if let Value::Table(entries) = &self.node().value {
            return Some(Fields { at: self.clone(), entries, table, others: Vec::new() });
        }
        r.wrong(self, "a table");
        None
    }

    /// The keys of one of several tables, told apart by a text in them, and that text. `others` are texts that a fault names as allowed too.
    pub(crate) fn tagged(&self, kind: &Kind, others: &[&str], r: &mut Reading) -> Option<(&'static str, Fields<'a>)> {
        let (Kind::Tagged(tag, tables), Value::Table(entries)) = (kind, &self.node().value) else {
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
        let found = tables.iter().find(|t| matches!(&c.node().value, Value::Text(text) if text == t.0));
        let Some((name, table)) = found else {
            r.wrong(&c, &allowed());
            return None;
        };
        Some((name, Fields { at: self.clone(), entries, table, others: vec![tag] }))
    }
}
