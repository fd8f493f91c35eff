//! One declaration for a setting: the field of a struct, its default, range and documentation, how it is listed and how it is read.

use crate::catalogue::{Condition, Parameter};

/// An enum whose variants have names: the choices of a parameter. Variants after a semicolon have names too, but cannot be chosen by name: only code chooses
/// them.
///
/// ```
/// drystone_core::choice! {
///     /// Where a lamp is.
///     pub enum Switch {
///         /// It shines.
///         On = "on",
///         /// It does not.
///         Off = "off",
///     }
/// }
/// assert_eq!(Switch::from_name("off"), Some(Switch::Off));
/// assert_eq!(Switch::NAMES, ["on", "off"]);
/// ```
#[macro_export]
macro_rules! choice {
    ($(#[$meta:meta])* $vis:vis enum $Name:ident {
        $($(#[$doc:meta])* $Variant:ident = $name:literal),* $(,)? $(; $(#[$own_doc:meta])* $Own:ident = $own:literal)*
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis enum $Name { $($(#[$doc])* $Variant,)* $($(#[$own_doc])* $Own,)* }

        impl $Name {
            /// The names in scene files.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$Variant => $name,)* $(Self::$Own => $own,)* }
            }

            /// The one of that name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$Variant),)* _ => None }
            }
        }
    };
}

/// A struct whose fields are settings of a module. Each is declared once: its type, its default with the least and largest value, and its documentation, which
/// `drystone list` prints. `PARAMETERS` lists them, `from_settings` reads them, and `Default` gives their defaults. A description may list only some of them:
/// the others then have their defaults.
///
/// A field is `integer(default, least, most)`, `real(default, least, most)`, `switch(default)`, or `choice(default variant)` of a [`choice!`](crate::choice).
/// It may also be `all()` for a struct that is itself declared like this, all of whose settings are settings of this one; `some("name", …)` for a struct of
/// whose settings only these are (the others keep their defaults); or `given(value)` for a field that is not a setting: it is set otherwise, and has that value
/// if it is not set. A name in quotes before the colon is the key, if it differs from the field's name. After `if` or `unless` stands the condition on another parameter
/// without which this one is not read.
///
/// ```
/// use drystone_core::catalogue::{Implementation, Settings, Value};
/// drystone_core::settings! {
///     /// How sweeps are made.
///     #[derive(Debug, Clone, Copy, PartialEq)]
///     pub struct Sweeps {
///         /// most sweeps
///         iterations: u32 = integer(10, 0, 1000),
///         /// over-relaxation
///         omega "relaxation": f64 = real(1.0, 0.0, 2.0),
///         /// stop early
///         stops: bool = switch(false),
///         /// change at which sweeps end
///         tolerance: f64 = real(1e-9, 0.0, 1.0) if stops is ["true"],
///         /// order of rows from the second sweep on, by a seed
///         seed: u32 = integer(0, 0, 100) unless iterations is ["0", "1"],
///     }
/// }
/// let listed = Implementation { name: "sweeps", summary: "", source: "", parameters: Sweeps::PARAMETERS };
/// assert_eq!((listed.parameters[0].name, listed.parameters[1].summary), ("iterations", "over-relaxation"));
/// let mut chosen = Settings::defaults(&listed);
/// chosen.set("relaxation", &Value::Real(1.5))?;
/// assert_eq!(Sweeps::from_settings(&chosen), Sweeps { omega: 1.5, ..Sweeps::default() });
/// assert_eq!(chosen.unread("tolerance").map(|c| c.key), Some("stops"));
/// assert_eq!(chosen.unread("seed"), None);
/// chosen.set("iterations", &Value::Integer(1))?;
/// assert_eq!(chosen.unread("seed").map(|c| c.to_string()), Some("iterations is not 0 or 1".to_owned()));
/// # Ok::<(), drystone_core::catalogue::SettingError>(())
/// ```
#[macro_export]
macro_rules! settings {
    ($(#[$meta:meta])* $vis:vis struct $Name:ident {
        $($(#[doc = $doc:literal])+ $field:ident $($key:literal)?: $type:ty = $kind:ident($($value:tt)*) $($when:ident $on:ident is $of:expr)?),* $(,)?
    }) => {
        $(#[$meta])*
        $vis struct $Name {
            $($(#[doc = $doc])+ pub $field: $type),*
        }

        impl $Name {
            /// The settings as scene files have them.
            pub const PARAMETERS: &'static [$crate::catalogue::Parameter] = {
                const LISTS: &[&[$crate::catalogue::Parameter]] = &[$(
                    $crate::settings!(@if
                        ($crate::settings!(@listed $kind, $crate::settings!(@key $field $($key)?), concat!($($doc),+).trim_ascii(), $type, $($value)*))
                        $($when $on $of)?)
                ),*];
                &$crate::catalogue::joined::<{ $crate::catalogue::total(LISTS) }>(LISTS)
            };

            /// From checked settings of a description that lists these.
            pub fn from_settings(settings: &$crate::catalogue::Settings) -> Self {
                Self { $($field: $crate::settings!(@read $kind, settings, $crate::settings!(@key $field $($key)?), $type, $($value)*)),* }
            }
        }

        impl Default for $Name {
            fn default() -> Self {
                Self::from_settings(&$crate::catalogue::Settings::of(Self::PARAMETERS))
            }
        }
    };
    (@if ($list:expr)) => { $list };
    (@if ($list:expr) unless $on:ident $of:expr) => {{
        const LIST: &[$crate::catalogue::Parameter] = $list;
        &$crate::catalogue::read_unless::<{ LIST.len() }>(LIST, stringify!($on), &$of)
    }};
    (@if ($list:expr) if $on:ident $of:expr) => {{
        const LIST: &[$crate::catalogue::Parameter] = $list;
        &$crate::catalogue::read_if::<{ LIST.len() }>(LIST, stringify!($on), &$of)
    }};
    (@key $field:ident) => { stringify!($field) };
    (@key $field:ident $key:literal) => { $key };
    (@listed integer, $key:expr, $doc:expr, $type:ty, $default:expr, $least:expr, $most:expr) => {
        &[$crate::catalogue::Parameter::integer($key, $default, $least, $most, $doc)]
    };
    (@listed real, $key:expr, $doc:expr, $type:ty, $default:expr, $least:expr, $most:expr) => {
        &[$crate::catalogue::Parameter::real($key, $default, $least, $most, $doc)]
    };
    (@listed switch, $key:expr, $doc:expr, $type:ty, $default:expr) => {
        &[$crate::catalogue::Parameter::switch($key, $default, $doc)]
    };
    (@listed choice, $key:expr, $doc:expr, $type:ty, $default:ident) => {
        &[$crate::catalogue::Parameter::choice($key, <$type>::$default.name(), <$type>::NAMES, $doc)]
    };
    (@listed all, $key:expr, $doc:expr, $type:ty,) => { <$type>::PARAMETERS };
    (@listed some, $key:expr, $doc:expr, $type:ty, $($name:literal),+) => {
        &$crate::catalogue::chosen(<$type>::PARAMETERS, [$($name),+])
    };
    (@listed given, $key:expr, $doc:expr, $type:ty, $default:expr) => { &[] };
    (@read integer, $s:ident, $key:expr, $type:ty, $default:expr, $($rest:tt)*) => {
        if $s.has($key) { $s.integer($key) as $type } else { $default as $type }
    };
    (@read real, $s:ident, $key:expr, $type:ty, $default:expr, $($rest:tt)*) => {
        if $s.has($key) { $s.real($key) } else { $default }
    };
    (@read switch, $s:ident, $key:expr, $type:ty, $default:expr) => {
        if $s.has($key) { $s.switch($key) } else { $default }
    };
    (@read choice, $s:ident, $key:expr, $type:ty, $default:ident) => {
        <$type>::from_name($s.text($key)).unwrap_or(<$type>::$default)
    };
    (@read all, $s:ident, $key:expr, $type:ty,) => { <$type>::from_settings($s) };
    (@read some, $s:ident, $key:expr, $type:ty, $($name:literal),+) => { <$type>::from_settings($s) };
    (@read given, $s:ident, $key:expr, $type:ty, $default:expr) => { $default };
}

/// Several lists of parameters as one: a description that is made of the settings of several structs.
#[macro_export]
macro_rules! parameters {
    ($($list:expr),* $(,)?) => {{
        const LISTS: &[&[$crate::catalogue::Parameter]] = &[$($list),*];
        const ALL: &[$crate::catalogue::Parameter] = &$crate::catalogue::joined::<{ $crate::catalogue::total(LISTS) }>(LISTS);
        ALL
    }};
}

/// The implementations of a seam, each named once: defines the list of their descriptions, and the function that makes one by its name. After each description
/// stands the function that makes the implementation from settings.
///
/// ```
/// use drystone_core::catalogue::{Implementation, Settings};
/// trait Shade: std::fmt::Debug {}
/// #[derive(Debug)]
/// struct Blind;
/// impl Shade for Blind {}
/// impl Blind {
///     const DESCRIPTION: Implementation = Implementation { name: "blind", summary: "", source: "", parameters: &[] };
///     fn from_settings(_: &Settings) -> Self {
///         Self
///     }
/// }
/// drystone_core::implementations! {
///     /// All shades.
///     pub const SHADES;
///     /// The shade of that name.
///     pub fn by_name -> dyn Shade;
///     Blind::DESCRIPTION => Blind::from_settings,
/// }
/// assert_eq!(SHADES[0].name, "blind");
/// assert!(by_name("blind", &Settings::defaults(&SHADES[0])).is_some());
/// assert!(by_name("none", &Settings::defaults(&SHADES[0])).is_none());
/// ```
#[macro_export]
macro_rules! implementations {
    (
        $(#[$listed:meta])* $list_vis:vis const $LIST:ident;
        $(#[$made:meta])* $made_vis:vis fn $by_name:ident -> dyn $Seam:path;
        $($description:expr => $make:expr),+ $(,)?
    ) => {
        $(#[$listed])*
        $list_vis const $LIST: &[$crate::catalogue::Implementation] = &[$($description),+];

        $(#[$made])*
        $made_vis fn $by_name(name: &str, settings: &$crate::catalogue::Settings) -> Option<Box<dyn $Seam>> {
            $(if name == $description.name {
                return Some(Box::new($make(settings)));
            })+
            None
        }
    };
}

/// Total number of parameters in several lists.
pub const fn total(lists: &[&[Parameter]]) -> usize {
    let (mut i, mut sum) = (0, 0);
    while i < lists.len() {
        sum += lists[i].len();
        i += 1;
    }
    sum
}

/// Several lists as one of `N` parameters: what [`parameters!`](crate::parameters) calls.
///
/// # Panics
/// At compile time, if there are not `N` of them.
pub const fn joined<const N: usize>(lists: &[&[Parameter]]) -> [Parameter; N] {
    let mut all = [Parameter::switch("", false, ""); N];
    let (mut i, mut at) = (0, 0);
    while i < lists.len() {
        let mut k = 0;
        while k < lists[i].len() {
            all[at] = lists[i][k];
            at += 1;
            k += 1;
        }
        i += 1;
    }
    assert!(at == N, "the lists have another number of parameters");
    all
}

/// The same parameters, each read only if another one has one of some values: what `if` in [`settings!`](crate::settings) calls.
///
/// # Panics
/// At compile time, if there are not `N` of them.
pub const fn read_if<const N: usize>(
    list: &[Parameter],
    key: &'static str,
    values: &'static [&'static str],
) -> [Parameter; N] {
    under::<N>(list, Condition { key, values, unless: false })
}

/// The same parameters, each not read if another one has one of some values: what `unless` in [`settings!`](crate::settings) calls.
///
/// # Panics
/// At compile time, if there are not `N` of them.
pub const fn read_unless<const N: usize>(
    list: &[Parameter],
    key: &'static str,
    values: &'static [&'static str],
) -> [Parameter; N] {
    under::<N>(list, Condition { key, values, unless: true })
}

/// The same parameters under a condition.
const fn under<const N: usize>(list: &[Parameter], condition: Condition) -> [Parameter; N] {
    let mut all = joined::<N>(&[list]);
    let mut i = 0;
    while i < N {
        all[i].condition = Some(condition);
        i += 1;
    }
    all
}

/// The parameters of these names, out of a list.
///
/// # Panics
/// At compile time, if one of the names is not there.
pub const fn chosen<const N: usize>(from: &[Parameter], names: [&str; N]) -> [Parameter; N] {
    let mut all = [Parameter::switch("", false, ""); N];
    let mut i = 0;
    while i < N {
        let mut k = 0;
        while !same(from[k].name, names[i]) {
            k += 1;
        }
        all[i] = from[k];
        i += 1;
    }
    all
}

/// Compares two names; can be evaluated at compile time.
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
