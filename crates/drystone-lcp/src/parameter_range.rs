use std::fmt;

/// Range of allowed values of a parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ParameterRange {
    /// Whole numbers, both ends included.
    Whole {
        /// The least.
        least: u64,
        /// The largest.
        most: u64,
    },
    /// Finite numbers, zero or more.
    NotNegative,
    /// Finite numbers above zero.
    Positive,
    /// Numbers above zero, up to one.
    Fraction,
    /// Zero for no, one for yes.
    Switch,
    /// One of several, by its index among these names, counted from zero.
    Choice(&'static [&'static str]),
}

impl ParameterRange {
    /// A count.
    pub const COUNT: Self = Self::at_least(0);

    /// A count with a lower limit.
    pub const fn at_least(least: u64) -> Self {
        Self::Whole { least, most: 1_000_000_000 }
    }

    /// Returns true if a value is allowed.
    pub fn holds(self, value: f64) -> bool {
        let whole = |least: u64, most: u64| (least as f64..=most as f64).contains(&value) && value.fract() == 0.0;
        match self {
            Self::Whole { least, most } => whole(least, most),
            Self::Switch => whole(0, 1),
            Self::Choice(names) => !names.is_empty() && whole(0, names.len() as u64 - 1),
            Self::NotNegative => value >= 0.0 && value.is_finite(),
            Self::Positive => value > 0.0 && value.is_finite(),
            Self::Fraction => value > 0.0 && value <= 1.0,
        }
    }
}

impl fmt::Display for ParameterRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Switch => f.write_str("0 or 1"),
            Self::Choice(names) => {
                for (place, name) in names.iter().enumerate() {
                    write!(f, "{}{place} ({name})", if place == 0 { "one of " } else { ", " })?;
                }
                Ok(())
            }
            Self::Whole { least, most } => write!(f, "a whole number from {least} to {most}"),
            Self::NotNegative => f.write_str(">= 0 and finite"),
            Self::Positive => f.write_str("> 0 and finite"),
            Self::Fraction => f.write_str("within (0, 1]"),
        }
    }
}
