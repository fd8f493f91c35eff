use std::fmt;

/// What values a parameter may have.
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
}

impl ParameterRange {
    /// Zero for no, one for yes.
    pub const SWITCH: Self = Self::Whole { least: 0, most: 1 };
    /// How many.
    pub const COUNT: Self = Self::at_least(0);

    /// How many, at least so many.
    pub const fn at_least(least: u64) -> Self {
        Self::Whole { least, most: 1_000_000_000 }
    }

    /// Whether a value is among them.
    pub fn holds(self, value: f64) -> bool {
        match self {
            Self::Whole { least, most } => (least as f64..=most as f64).contains(&value) && value.fract() == 0.0,
            Self::NotNegative => value >= 0.0 && value.is_finite(),
            Self::Positive => value > 0.0 && value.is_finite(),
            Self::Fraction => value > 0.0 && value <= 1.0,
        }
    }
}

impl fmt::Display for ParameterRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::SWITCH => f.write_str("0 or 1"),
            Self::Whole { least, most } => write!(f, "a whole number from {least} to {most}"),
            Self::NotNegative => f.write_str(">= 0 and finite"),
            Self::Positive => f.write_str("> 0 and finite"),
            Self::Fraction => f.write_str("within (0, 1]"),
        }
    }
}
