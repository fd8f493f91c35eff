//! Descriptions of module implementations: their names, parameters, defaults, ranges and sources, as data.
//!
//! Each crate describes its implementations next to their code; `drystone list`, the scene reader and the
//! facade's registry all read the same descriptions, so a parameter cannot be settable without being listed.

mod declare;

pub use declare::{chosen, joined, read_if, read_unless, total};

use crate::did_you_mean;
use drystone_math::Real;
use thiserror::Error;

/// A value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A number.
    Real(Real),
    /// A name or text.
    Text(String),
}

impl core::fmt::Display for Value {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Bool(v) => write!(f, "{v}"),
            Self::Integer(v) => write!(f, "{v}"),
            Self::Real(v) => write!(f, "{v}"),
            Self::Text(v) => write!(f, "\"{v}\""),
        }
    }
}

/// The allowed values of a parameter, with its default.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ParameterKind {
    /// A switch.
    Bool {
        /// Default.
        default: bool,
    },
    /// A whole number in a closed range.
    Integer {
        /// Default.
        default: i64,
        /// Least.
        min: i64,
        /// Largest.
        max: i64,
    },
    /// A finite number in a closed range.
    Real {
        /// Default.
        default: Real,
        /// Least.
        min: Real,
        /// Largest.
        max: Real,
    },
    /// One of several names.
    Choice {
        /// Default.
        default: &'static str,
        /// All of them.
        options: &'static [&'static str],
    },
}

/// The condition on another parameter under which a parameter is read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Condition {
    /// The other parameter.
    pub key: &'static str,
    /// The values of it that fulfil the condition, as they are written: `true`, `0`, or a name.
    pub values: &'static [&'static str],
    /// True if all other values fulfil it instead.
    pub unless: bool,
}

impl Condition {
    /// True if this value of the other parameter fulfils it.
    pub fn holds(&self, value: &Value) -> bool {
        self.values.contains(&value.to_string().trim_matches('"')) != self.unless
    }
}

impl core::fmt::Display for Condition {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let is = if self.unless { "is not" } else { "is" };
        write!(f, "{} {is} {}", self.key, self.values.join(" or "))
    }
}

/// One parameter of an implementation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameter {
    /// Its key in scene files.
    pub name: &'static str,
    /// Its allowed values.
    pub kind: ParameterKind,
    /// Effect of the setting, with its unit.
    pub summary: &'static str,
    /// The condition on another parameter without which this one is not read.
    pub condition: Option<Condition>,
    /// True if a switch may also be given as 0 or 1, and a choice as the position of its name among the options,
    /// counted from 0: the former spelling of values that have names now.
    pub numbered: bool,
}

impl Parameter {
    /// A switch.
    pub const fn switch(name: &'static str, default: bool, summary: &'static str) -> Self {
        Self { name, kind: ParameterKind::Bool { default }, summary, condition: None, numbered: false }
    }

    /// A whole number in `[min, max]`.
    pub const fn integer(name: &'static str, default: i64, min: i64, max: i64, summary: &'static str) -> Self {
        Self { name, kind: ParameterKind::Integer { default, min, max }, summary, condition: None, numbered: false }
    }

    /// A number in `[min, max]`.
    pub const fn real(name: &'static str, default: Real, min: Real, max: Real, summary: &'static str) -> Self {
        Self { name, kind: ParameterKind::Real { default, min, max }, summary, condition: None, numbered: false }
    }

    /// One of several names.
    pub const fn choice(
        name: &'static str,
        default: &'static str,
        options: &'static [&'static str],
        summary: &'static str,
    ) -> Self {
        Self { name, kind: ParameterKind::Choice { default, options }, summary, condition: None, numbered: false }
    }

    /// The same parameter, read only if another parameter of the implementation has one of some values.
    #[must_use]
    pub const fn read_if(mut self, key: &'static str, values: &'static [&'static str]) -> Self {
        self.condition = Some(Condition { key, values, unless: false });
        self
    }

    /// The same parameter, which also accepts the numbers that once stood for its names.
    #[must_use]
    pub const fn or_numbered(mut self) -> Self {
        self.numbered = true;
        self
    }

    /// Description of the setting: effect, and the condition under which it is read.
    pub fn description(&self) -> String {
        self.condition.map_or_else(|| self.summary.to_owned(), |c| format!("{} (read only if {c})", self.summary))
    }

    /// The default, as a value.
    pub fn default_value(&self) -> Value {
        match self.kind {
            ParameterKind::Bool { default } => Value::Bool(default),
            ParameterKind::Integer { default, .. } => Value::Integer(default),
            ParameterKind::Real { default, .. } => Value::Real(default),
            ParameterKind::Choice { default, .. } => Value::Text(default.to_owned()),
        }
    }

    /// Allowed values, in words.
    pub fn allowed(&self) -> String {
        match self.kind {
            ParameterKind::Bool { .. } => "true or false".to_owned(),
            ParameterKind::Integer { min, max, .. } => format!("a whole number from {min} to {max}"),
            ParameterKind::Real { min, max, .. } => format!("a number from {min} to {max}"),
            ParameterKind::Choice { options, .. } => format!("one of {}", options.join(", ")),
        }
    }

    /// Checks a value and takes it in; a whole number is accepted for a real one.
    ///
    /// # Errors
    /// [`SettingError::Value`].
    pub fn check(&self, value: &Value) -> Result<Value, SettingError> {
        let checked = match (self.kind, value) {
            (ParameterKind::Bool { .. }, Value::Bool(_)) => Some(value.clone()),
            (ParameterKind::Integer { min, max, .. }, Value::Integer(v)) if (min..=max).contains(v) => {
                Some(value.clone())
            }
            (ParameterKind::Real { min, max, .. }, Value::Real(v)) if (min..=max).contains(v) => Some(value.clone()),
            (ParameterKind::Real { min, max, .. }, Value::Integer(v)) if (min..=max).contains(&(*v as Real)) => {
                Some(Value::Real(*v as Real))
            }
            (ParameterKind::Choice { options, .. }, Value::Text(v)) if options.contains(&v.as_str()) => {
                Some(value.clone())
            }
            (ParameterKind::Bool { .. }, Value::Integer(v @ 0..=1)) if self.numbered => Some(Value::Bool(*v == 1)),
            (ParameterKind::Choice { options, .. }, Value::Integer(v)) if self.numbered => {
                let named = usize::try_from(*v).ok().and_then(|place| options.get(place));
                named.map(|name| Value::Text((*name).to_owned()))
            }
            _ => None,
        };
        checked.ok_or_else(|| SettingError::Value {
            key: self.name.to_owned(),
            found: value.to_string(),
            allowed: self.allowed(),
        })
    }
}

/// One implementation of a module.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Implementation {
    /// Its name in scene files.
    pub name: &'static str,
    /// One-sentence summary.
    pub summary: &'static str,
    /// Source: paper or origin of the method.
    pub source: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
}

/// A setting that an implementation does not take.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SettingError {
    /// No such parameter.
    #[error("unknown key '{key}'{}; allowed: {allowed}", did_you_mean(key, allowed))]
    Key {
        /// The key that was given.
        key: String,
        /// The parameters there are.
        allowed: String,
    },
    /// Not a value the parameter may have.
    #[error("{key}: found {found}{}; allowed: {allowed}", did_you_mean(found.trim_matches('"'), allowed))]
    Value {
        /// The parameter.
        key: String,
        /// Value that was given.
        found: String,
        /// The allowed values.
        allowed: String,
    },
}

/// Checked values for the parameters of one implementation; a parameter that is not set has its default.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    parameters: &'static [Parameter],
    values: Vec<Value>,
}

impl Settings {
    /// All defaults of an implementation.
    pub fn defaults(implementation: &Implementation) -> Self {
        Self::of(implementation.parameters)
    }

    /// All defaults of some parameters.
    pub fn of(parameters: &'static [Parameter]) -> Self {
        Self { parameters, values: parameters.iter().map(Parameter::default_value).collect() }
    }

    /// Sets one parameter.
    ///
    /// # Errors
    /// [`SettingError`] if there is no such parameter or it may not have the value.
    pub fn set(&mut self, key: &str, value: &Value) -> Result<(), SettingError> {
        let Some(i) = self.parameters.iter().position(|p| p.name == key) else {
            let allowed = self.parameters.iter().map(|p| p.name).collect::<Vec<_>>().join(", ");
            let allowed = if allowed.is_empty() { "no keys".to_owned() } else { allowed };
            return Err(SettingError::Key { key: key.to_owned(), allowed });
        };
        self.values[i] = self.parameters[i].check(value)?;
        Ok(())
    }

    fn value(&self, key: &str) -> Option<&Value> {
        self.parameters.iter().position(|p| p.name == key).map(|i| &self.values[i])
    }

    /// Returns true if there is a parameter of that name.
    pub fn has(&self, key: &str) -> bool {
        self.value(key).is_some()
    }

    /// A switch; `false` if the implementation has no such parameter.
    pub fn switch(&self, key: &str) -> bool {
        matches!(self.value(key), Some(Value::Bool(true)))
    }

    /// A whole number; zero if there is no such parameter.
    pub fn integer(&self, key: &str) -> i64 {
        match self.value(key) {
            Some(Value::Integer(v)) => *v,
            _ => 0,
        }
    }

    /// A number; zero if there is no such parameter.
    pub fn real(&self, key: &str) -> Real {
        match self.value(key) {
            Some(Value::Real(v)) => *v,
            _ => 0.0,
        }
    }

    /// A name; empty if there is no such parameter.
    pub fn text(&self, key: &str) -> &str {
        match self.value(key) {
            Some(Value::Text(v)) => v,
            _ => "",
        }
    }

    /// The condition of a parameter if it does not hold, so that the parameter's value is not read; or else that of the parameter that decides about it, and so on.
    pub fn unread(&self, key: &str) -> Option<Condition> {
        let condition = self.parameters.iter().find(|p| p.name == key)?.condition?;
        let fails = self.value(condition.key).is_some_and(|v| !condition.holds(v));
        if fails { Some(condition) } else { self.unread(condition.key) }
    }

    /// The parameters and their values, in the order of the description.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Parameter, &Value)> {
        self.parameters.iter().zip(&self.values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DESCRIPTION: Implementation = Implementation {
        name: "x",
        summary: "",
        source: "",
        parameters: &[
            Parameter::integer("iterations", 10, 1, 100, ""),
            Parameter::real("omega", 1.0, 0.0, 2.0, ""),
            Parameter::choice("order", "forward", &["forward", "backward"], ""),
            Parameter::choice("sweep", "forward", &["forward", "backward"], "").or_numbered(),
            Parameter::switch("cache", false, "").or_numbered(),
        ],
    };

    #[test]
    fn what_is_not_read_is_known() {
        const LISTED: Implementation = Implementation {
            name: "y",
            summary: "",
            source: "",
            parameters: &[
                Parameter::choice("order", "forward", &["forward", "backward", "random"], ""),
                Parameter::integer("seed", 0, 0, 100, "start of the numbers").read_if("order", &["random"]),
                Parameter::real("rest", 0.0, 0.0, 1.0, "").read_if("elsewhere", &["true"]),
                Parameter::choice("again", "never", &["never", "always"], "").read_if("order", &["random"]),
                Parameter::integer("times", 0, 0, 9, "").read_if("again", &["never"]),
            ],
        };
        let mut s = Settings::defaults(&LISTED);
        assert_eq!(s.unread("seed").unwrap().to_string(), "order is random");
        assert_eq!(LISTED.parameters[1].description(), "start of the numbers (read only if order is random)");
        // what decides about a setting is not read itself
        assert_eq!(s.unread("times").unwrap().to_string(), "order is random");
        s.set("order", &Value::Text("random".into())).unwrap();
        assert_eq!(s.unread("times"), None);
        s.set("again", &Value::Text("always".into())).unwrap();
        assert_eq!(s.unread("times").unwrap().to_string(), "again is never");
        // a condition on a parameter of another list cannot be checked
        assert_eq!((s.unread("seed"), s.unread("rest"), s.unread("order")), (None, None, None));
    }

    #[test]
    fn settings_are_checked() {
        let mut s = Settings::defaults(&DESCRIPTION);
        s.set("omega", &Value::Integer(1)).unwrap();
        s.set("order", &Value::Text("backward".into())).unwrap();
        assert_eq!((s.integer("iterations"), s.real("omega"), s.text("order")), (10, 1.0, "backward"));
        assert!(matches!(s.set("omega", &Value::Real(Real::NAN)), Err(SettingError::Value { .. })));
        assert!(matches!(s.set("iterations", &Value::Real(3.0)), Err(SettingError::Value { .. })));
        assert!(s.set("omga", &Value::Real(1.0)).unwrap_err().to_string().contains("omega"));
    }

    /// A setting that used to be a number may still be given as one; it is kept by its name.
    #[test]
    fn numbers_that_stood_for_names_are_taken_where_they_did() {
        let mut s = Settings::defaults(&DESCRIPTION);
        s.set("sweep", &Value::Integer(1)).unwrap();
        s.set("cache", &Value::Integer(1)).unwrap();
        assert_eq!((s.text("sweep"), s.switch("cache")), ("backward", true));
        for (key, place) in [("sweep", 2), ("sweep", -1), ("cache", 2), ("order", 1)] {
            let refused = s.set(key, &Value::Integer(place));
            assert!(matches!(refused, Err(SettingError::Value { .. })), "{key} = {place}: {refused:?}");
        }
    }
}
