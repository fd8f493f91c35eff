//! The format's tables and keys, each declared once: the reader, the schema and the chapter of the book are made from the same
//! declaration.

use super::{Cursor, Reading};
use crate::fault::FaultKind;
use drystone_math::{Real, Vec3};
use serde_json::{Value as Json, json};

/// Which numbers are allowed; all of them finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Range {
    /// Any.
    Any,
    /// Above zero.
    Positive,
    /// Zero or more.
    NotNegative,
    /// From 0 to 1.
    Fraction,
}

/// Kind of value.
pub(crate) enum Kind {
    /// `true` or `false`.
    Flag,
    /// A text.
    Text,
    /// A text that is the name of something in the scene, or of a file: what.
    Name(&'static str),
    /// One of several texts.
    Choice(&'static [&'static str]),
    /// A whole number in a closed range.
    Integer { least: i64, most: i64 },
    /// A finite number.
    Number(Range),
    /// A list of so many finite numbers.
    Vector(usize, Range),
    /// A vector of a length above zero, of which only the direction counts.
    Direction,
    /// A list with at least so many entries, and exactly so many where the second number says so.
    List(&'static Kind, usize, Option<usize>),
    /// A table.
    Table(&'static Table),
    /// A table whose keys are names of one's own, each with such a table.
    Named(&'static Table),
    /// One of several kinds.
    Either(&'static [Kind]),
    /// One of several tables, told apart by the text under a key: the key, the texts and their tables.
    Tagged(&'static str, &'static [(&'static str, &'static Table)]),
    /// The name of a preset of the build.
    Preset,
}

impl Kind {
    /// Allowed values, for a message.
    pub(crate) fn allowed(&self) -> String {
        let range = |r: &Range| match r {
            Range::Any => "",
            Range::Positive => " above zero",
            Range::NotNegative => ", zero or more",
            Range::Fraction => " from 0 to 1",
        };
        match self {
            Self::Flag => "true or false".to_owned(),
            Self::Text => "a text".to_owned(),
            Self::Name(what) => format!("the name of {what}"),
            Self::Choice(names) => format!("one of {}", names.join(", ")),
            Self::Integer { least, most } => match (*least, *most) {
                (i64::MIN, i64::MAX) => "a whole number".to_owned(),
                (_, i64::MAX) => format!("a whole number from {least}"),
                _ => format!("a whole number from {least} to {most}"),
            },
            Self::Number(r) => format!("a finite number{}", range(r)),
            Self::Vector(n, Range::Any) => format!("a list of {n} finite numbers"),
            Self::Vector(n, r) => format!("a list of {n} finite numbers{}", range(r)),
            Self::Direction => "a vector of a length above zero".to_owned(),
            Self::List(of, _, Some(n)) => format!("a list of {n}, each {}", of.allowed()),
            Self::List(of, 0, None) => format!("a list, each entry {}", of.allowed()),
            Self::List(of, least, None) => format!("a list of {least} or more, each {}", of.allowed()),
            Self::Table(t) if t.one => format!("a table with one key of {}", t.names().join(", ")),
            Self::Table(t) => format!("a table with {}", t.names().join(", ")),
            Self::Named(_) => "a table of tables by name".to_owned(),
            Self::Either(kinds) => kinds.iter().map(Self::allowed).collect::<Vec<_>>().join("; or "),
            Self::Tagged(key, tables) => {
                format!("a table whose {key} is one of {}", tables.iter().map(|t| t.0).collect::<Vec<_>>().join(", "))
            }
            Self::Preset => "the name of a preset".to_owned(),
        }
    }
}

/// A table of the format: a section, an entry of a list, a value with keys of its own.
pub(crate) struct Table {
    /// Its name in the schema and the book.
    pub(crate) name: &'static str,
    /// Its description.
    pub(crate) doc: &'static str,
    /// Its keys.
    pub(crate) keys: &'static [&'static dyn Declared],
    /// True if exactly one of the keys must be given.
    pub(crate) one: bool,
    /// A piece of a scene that shows it (TOML); empty where that of a table that holds it does.
    pub(crate) example: &'static str,
}

impl Table {
    /// The keys' names.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        self.keys.iter().map(|k| k.name()).collect()
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.keys.iter().any(|k| k.name() == key)
    }
}

/// A key of a table, with what its value becomes when it is read.
pub(crate) struct Key<T: 'static> {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// Its unit; empty where it has none.
    pub(crate) unit: &'static str,
    /// Its meaning.
    pub(crate) doc: &'static str,
    /// Default value; `None` if the key is required.
    pub(crate) default: Option<T>,
}

impl<T> Key<T> {
    /// A key that must be there.
    pub(crate) const fn required(name: &'static str, kind: Kind, unit: &'static str, doc: &'static str) -> Self {
        Self { name, kind, unit, doc, default: None }
    }

    /// A key with a default.
    pub(crate) const fn or(name: &'static str, kind: Kind, default: T, unit: &'static str, doc: &'static str) -> Self {
        Self { name, kind, unit, doc, default: Some(default) }
    }
}

impl<T> Key<Option<T>> {
    /// A key that may be left out: its documentation says what holds then.
    pub(crate) const fn optional(name: &'static str, kind: Kind, unit: &'static str, doc: &'static str) -> Self {
        Self { name, kind, unit, doc, default: Some(None) }
    }
}

/// Marker of a key that its section reads itself, with its knowledge of the rest of the scene.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InContext;

impl Key<InContext> {
    /// Such a key that may be left out.
    pub(crate) const fn section(name: &'static str, kind: Kind, doc: &'static str) -> Self {
        Self { name, kind, unit: "", doc, default: Some(InContext) }
    }
}

/// A key as the schema and the book see it.
pub(crate) trait Declared: Sync {
    fn name(&self) -> &'static str;
    fn kind(&self) -> &Kind;
    fn unit(&self) -> &'static str;
    fn doc(&self) -> &'static str;
    fn is_required(&self) -> bool;
    /// The default as JSON; `None` where there is none that can be written down.
    fn default(&self) -> Option<Json>;
}

impl<T: Shown + Sync> Declared for Key<T> {
    fn name(&self) -> &'static str {
        self.name
    }
    fn kind(&self) -> &Kind {
        &self.kind
    }
    fn unit(&self) -> &'static str {
        self.unit
    }
    fn doc(&self) -> &'static str {
        self.doc
    }
    fn is_required(&self) -> bool {
        self.default.is_none()
    }
    fn default(&self) -> Option<Json> {
        self.default.as_ref().and_then(Shown::shown)
    }
}

/// A default that can be written down.
pub(crate) trait Shown {
    fn shown(&self) -> Option<Json> {
        None
    }
}

impl Shown for InContext {}

impl<T> Shown for Option<T> {}

impl<T> Shown for Vec<T> {}

impl Shown for String {}

impl Shown for bool {
    fn shown(&self) -> Option<Json> {
        Some(json!(self))
    }
}

impl Shown for i64 {
    fn shown(&self) -> Option<Json> {
        Some(json!(self))
    }
}

impl Shown for Real {
    fn shown(&self) -> Option<Json> {
        self.is_finite().then(|| json!(self))
    }
}

impl Shown for Vec3 {
    fn shown(&self) -> Option<Json> {
        Some(json!(self.to_array()))
    }
}

impl<const N: usize> Shown for [Real; N] {}

/// A value that is read by its kind alone.
pub(crate) trait Readable: Sized {
    /// The value, or a fault.
    fn read(kind: &Kind, c: &Cursor<'_>, r: &mut Reading) -> Option<Self>;
}

impl<T: Readable> Readable for Option<T> {
    fn read(kind: &Kind, c: &Cursor<'_>, r: &mut Reading) -> Option<Self> {
        T::read(kind, c, r).map(Some)
    }
}

/// A declaration that says one kind and reads another: a mistake in this crate, told as a fault and found by its tests.
fn misdeclared<T>(c: &Cursor<'_>, r: &mut Reading) -> Option<T> {
    debug_assert!(false, "a key is declared as another kind than it is read as");
    r.fault(c, FaultKind::Other("the format declares this key wrongly".to_owned()));
    None
}

impl Readable for bool {
    fn read(kind: &Kind, c: &Cursor<'_>, r: &mut Reading) -> Option<Self> {
        if matches!(kind, Kind::Flag) { c.boolean(r) } else { misdeclared(c, r) }
    }
}

impl Readable for i64 {
    fn read(kind: &Kind, c: &Cursor<'_>, r: &mut Reading) -> Option<Self> {
        match kind {
            Kind::Integer { least, most } => c.integer(*least, *most, r),
            _ => misdeclared(c, r),
        }
    }
}

impl Readable for String {
    fn read(kind: &Kind, c: &Cursor<'_>, r: &mut Reading) -> Option<Self> {
        match kind {
            Kind::Text | Kind::Name(_) | Kind::Preset => c.text(r).map(str::to_owned),
            _ => misdeclared(c, r),
        }
    }
}

/// A value that a scene names by one of several texts.
pub(crate) trait Chosen: Copy + PartialEq + 'static {
    /// Each text and what it stands for, in the order of messages and of the schema.
    const CHOICES: &'static [(&'static str, Self)];
}

/// The texts of such a value, for its kind: all `N` of them.
pub(crate) const fn texts<T: Chosen, const N: usize>() -> [&'static str; N] {
    assert!(T::CHOICES.len() == N, "each choice has a text");
    let mut texts = [""; N];
    let mut i = 0;
    while i < N {
        texts[i] = T::CHOICES[i].0;
        i += 1;
    }
    texts
}

impl<T: Chosen> Readable for T {
    fn read(kind: &Kind, c: &Cursor<'_>, r: &mut Reading) -> Option<Self> {
        match kind {
            Kind::Choice(_) => c.choice_of(T::CHOICES, r),
            _ => misdeclared(c, r),
        }
    }
}

impl<T: Chosen> Shown for T {
    fn shown(&self) -> Option<Json> {
        T::CHOICES.iter().find(|(_, value)| value == self).map(|(text, _)| json!(text))
    }
}

/// A finite number in a range.
fn number(range: Range, c: &Cursor<'_>, r: &mut Reading) -> Option<Real> {
    let holds = |v: Real| match range {
        Range::Any => true,
        Range::Positive => v > 0.0,
        Range::NotNegative => v >= 0.0,
        Range::Fraction => (0.0..=1.0).contains(&v),
    };
    c.real_where(holds, &Kind::Number(range).allowed(), r)
}

impl Readable for Real {
    fn read(kind: &Kind, c: &Cursor<'_>, r: &mut Reading) -> Option<Self> {
        match kind {
            Kind::Number(range) => number(*range, c, r),
            _ => misdeclared(c, r),
        }
    }
}

impl<const N: usize> Readable for [Real; N] {
    fn read(kind: &Kind, c: &Cursor<'_>, r: &mut Reading) -> Option<Self> {
        let Kind::Vector(n, range) = kind else { return misdeclared(c, r) };
        if *n != N {
            return misdeclared(c, r);
        }
        let items = c.items(r)?;
        if items.len() != N {
            r.wrong(c, &kind.allowed());
            return None;
        }
        let mut out = [0.0; N];
        for (o, item) in out.iter_mut().zip(&items) {
            *o = number(*range, item, r)?;
        }
        Some(out)
    }
}

impl Readable for Vec3 {
    fn read(kind: &Kind, c: &Cursor<'_>, r: &mut Reading) -> Option<Self> {
        match kind {
            Kind::Direction => c.direction(r),
            _ => <[Real; 3]>::read(kind, c, r).map(Self::from_array),
        }
    }
}

impl<T: Readable> Readable for Vec<T> {
    fn read(kind: &Kind, c: &Cursor<'_>, r: &mut Reading) -> Option<Self> {
        let Kind::List(of, least, exactly) = kind else { return misdeclared(c, r) };
        let items = c.items(r)?;
        if items.len() < *least || exactly.is_some_and(|n| items.len() != n) {
            r.wrong(c, &kind.allowed());
            return None;
        }
        let read: Vec<Option<T>> = items.iter().map(|i| T::read(of, i, r)).collect();
        read.into_iter().collect()
    }
}
