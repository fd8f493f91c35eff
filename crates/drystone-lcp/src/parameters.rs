//! A single declaration per parameter, which gives the field of a solver, its default, range and documentation, its listing and its
//! setter.
use crate::{LcpError, ParameterRange};

/// A parameter that `set` takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParameterInfo {
    /// Its name.
    pub name: &'static str,
    /// Its value if it is not set.
    pub default: f64,
    /// Range of its values.
    pub range: ParameterRange,
    /// Its meaning.
    pub meaning: &'static str,
}

/// A struct whose fields are parameters of a solver. Each is declared once: its type, its default with the range that follows from its kind, and its documentation, which
/// listings show. `PARAMETERS` lists them in the order of the fields, `set_parameter` sets one by name, `Default` gives their defaults.
///
/// A field is `count(default)` or `count(default, least)`, `positive(default)`, `not_negative(default)`, `fraction(default)`, `whole(default, least, most)`, `switch(default)`,
/// `choice(Variant)` of a [`Choice`], `part(default)` of a type that has its own parameters, or `given(default)`, which is not a parameter. A name in brackets before the colon is
/// the parameter's name if it differs from the field's.
macro_rules! parameters {
    ($(#[$meta:meta])* pub struct $Name:ident {
        $($(#[doc = $doc:literal])+ $field:ident $([$key:literal])?: $type:ty = $kind:ident($($value:tt)*)),* $(,)?
    }) => {
        $(#[$meta])*
        pub struct $Name {
            $($(#[doc = $doc])+ pub $field: $type),*
        }

        impl $Name {
            /// Parameters that can be set by name.
            pub const PARAMETERS: &'static [$crate::ParameterInfo] = {
                const LISTS: &[&[$crate::ParameterInfo]] = &[$(
                    $crate::parameters::parameters!(@listed $kind, $crate::parameters::parameters!(@key $field $($key)?), concat!($($doc),+).trim_ascii(), $type, $($value)*)
                ),*];
                &$crate::parameters::joined::<{ $crate::parameters::total(LISTS) }>(LISTS)
            };

            /// Sets a parameter by its name.
            pub(crate) fn set_parameter(&mut self, set: &$crate::parameters::Setting<'_>) -> Result<(), $crate::LcpError> {
                $($crate::parameters::parameters!(@set $kind, set, self.$field, $crate::parameters::parameters!(@key $field $($key)?), $type, $($value)*);)*
                set.unknown()
            }
        }

        impl Default for $Name {
            fn default() -> Self {
                Self { $($field: $crate::parameters::parameters!(@default $kind, $type, $($value)*)),* }
            }
        }
    };
    (@key $field:ident) => { stringify!($field) };
    (@key $field:ident $key:literal) => { $key };

    (@range count, $type:ty, $default:expr) => { $crate::ParameterRange::COUNT };
    (@range count, $type:ty, $default:expr, $least:expr) => { $crate::ParameterRange::at_least($least) };
    (@range positive, $type:ty, $default:expr) => { $crate::ParameterRange::Positive };
    (@range not_negative, $type:ty, $default:expr) => { $crate::ParameterRange::NotNegative };
    (@range fraction, $type:ty, $default:expr) => { $crate::ParameterRange::Fraction };
    (@range whole, $type:ty, $default:expr, $least:expr, $most:expr) => {
        $crate::ParameterRange::Whole { least: $least, most: $most }
    };
    (@range switch, $type:ty, $default:expr) => { $crate::ParameterRange::Switch };
    (@range choice, $type:ty, $default:ident) => { $crate::parameters::choice_range::<$type>() };

    (@listed given, $key:expr, $doc:expr, $type:ty, $default:expr) => { &[] };
    (@listed part, $key:expr, $doc:expr, $type:ty, $default:expr) => { <$type>::PARAMETERS };
    (@listed $kind:ident, $key:expr, $doc:expr, $type:ty, $($value:tt)*) => {
        &[$crate::ParameterInfo {
            name: $key,
            default: $crate::parameters::parameters!(@number $kind, $type, $($value)*),
            range: $crate::parameters::parameters!(@range $kind, $type, $($value)*),
            meaning: $doc,
        }]
    };

    (@number choice, $type:ty, $default:ident) => { <$type>::$default as u8 as f64 };
    (@number switch, $type:ty, $default:expr) => { $default as u8 as f64 };
    (@number count, $type:ty, $default:expr $(, $least:expr)?) => { $default as f64 };
    (@number whole, $type:ty, $default:expr, $least:expr, $most:expr) => { $default as f64 };
    (@number $kind:ident, $type:ty, $default:expr) => { $default };

    (@default choice, $type:ty, $default:ident) => { <$type>::$default };
    (@default $kind:ident, $type:ty, $default:expr $(, $end:expr)*) => { $default };

    (@set given, $set:ident, $place:expr, $key:expr, $type:ty, $default:expr) => {};
    (@set part, $set:ident, $place:expr, $key:expr, $type:ty, $default:expr) => {
        if <$type>::PARAMETERS.iter().any(|p| p.name == $set.parameter) {
            return $place.set_parameter($set);
        }
    };
    (@set $kind:ident, $set:ident, $place:expr, $key:expr, $type:ty, $($value:tt)*) => {
        if $set.parameter == $key {
            return $set.write($crate::parameters::parameters!(@range $kind, $type, $($value)*), &mut $place);
        }
    };
}
pub(crate) use parameters;

/// Total number of parameters in several lists.
pub(crate) const fn total(lists: &[&[ParameterInfo]]) -> usize {
    let (mut i, mut sum) = (0, 0);
    while i < lists.len() {
        sum += lists[i].len();
        i += 1;
    }
    sum
}

/// Several lists as one of `N` parameters.
pub(crate) const fn joined<const N: usize>(lists: &[&[ParameterInfo]]) -> [ParameterInfo; N] {
    const NONE: ParameterInfo = ParameterInfo { name: "", default: 0.0, range: ParameterRange::Switch, meaning: "" };
    let mut all = [NONE; N];
    let (mut i, mut at) = (0, 0);
    while i < lists.len() {
        let mut k = 0;
        while k < lists[i].len() {
            all[at] = lists[i][k];
            (at, k) = (at + 1, k + 1);
        }
        i += 1;
    }
    all
}

/// A list in which a parameter has a different default: for the same solver under another name.
pub(crate) const fn with_default<const N: usize>(
    list: &[ParameterInfo],
    name: &str,
    default: f64,
) -> [ParameterInfo; N] {
    let mut all = joined(&[list]);
    let mut i = 0;
    while !same(all[i].name, name) {
        i += 1;
    }
    all[i].default = default;
    all
}

/// Compares two names, also at compile time.
const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// One `set` call.
#[derive(Clone, Copy)]
pub(crate) struct Setting<'a> {
    pub(crate) solver: &'static str,
    pub(crate) parameter: &'a str,
    pub(crate) value: f64,
}

impl Setting<'_> {
    /// Writes the value if it is in the range.
    pub(crate) fn write(&self, range: ParameterRange, field: &mut impl Field) -> Result<(), LcpError> {
        let Self { solver, parameter, value } = *self;
        if !range.holds(value) {
            return Err(LcpError::BadParameter { solver, parameter: parameter.into(), value, allowed: range });
        }
        field.write(value);
        Ok(())
    }

    pub(crate) fn unknown(&self) -> Result<(), LcpError> {
        Err(LcpError::UnknownParameter { solver: self.solver, parameter: self.parameter.into() })
    }
}

/// A field to which a value in the range of its parameter can be written.
pub(crate) trait Field {
    fn write(&mut self, value: f64);
}

impl Field for usize {
    fn write(&mut self, value: f64) {
        *self = value as usize;
    }
}

impl Field for u64 {
    fn write(&mut self, value: f64) {
        *self = value as u64;
    }
}

impl Field for f64 {
    fn write(&mut self, value: f64) {
        *self = value;
    }
}

impl Field for bool {
    fn write(&mut self, value: f64) {
        *self = value == 1.0;
    }
}

/// A choice among named variants, which are numbered from zero on in the order in which they are declared.
pub(crate) trait Choice: Copy + 'static {
    const ALL: &'static [Self];
    /// The names, each at the place of its variant.
    const NAMES: &'static [&'static str];
}

/// The range of a choice.
pub(crate) const fn choice_range<T: Choice>() -> ParameterRange {
    assert!(T::ALL.len() == T::NAMES.len(), "each variant has a name");
    ParameterRange::Choice(T::NAMES)
}

impl<T: Choice> Field for T {
    fn write(&mut self, value: f64) {
        *self = Self::ALL[value as usize];
    }
}
