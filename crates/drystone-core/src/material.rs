use drystone_math::{Real, Vec3};
use thiserror::Error;

/// A material's place in [`crate::Materials`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MaterialIndex(pub u32);

/// Surface properties of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Material {
    /// Coulomb coefficient of friction, zero or more.
    pub friction: Real,
    /// Coefficient of restitution, in `[0, 1]`.
    pub restitution: Real,
    /// Coefficient of rolling friction: the lever arm of the resisting torque (m), zero or more.
    pub rolling: Real,
    /// Coefficient of spinning friction, about the normal: a lever arm (m) too, zero or more.
    pub spinning: Real,
    /// The grain of a surface whose friction depends on the direction.
    pub grain: Option<Grain>,
    /// Sides of the friction pyramid at its contacts, for the constraint solver `pyramid`: even, from 4 to 64, or 0 for the solver's own number. Fewer sides
    /// cost less and brake less, at worst by `1 - cos(pi / facets)`: use few for what is far away or out of sight (Erleben 2005, section 4.6).
    pub facets: u32,
    /// Rule that combines its friction with that of another surface.
    pub friction_rule: CombineRule,
    /// Rule that combines its restitution.
    pub restitution_rule: CombineRule,
}

/// Why a surface cannot be used.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum MaterialError {
    /// A coefficient that is out of its range.
    #[error("{what}: found {found}, allowed: {allowed}")]
    Coefficient {
        /// Which.
        what: &'static str,
        /// Its value.
        found: Real,
        /// The allowed values.
        allowed: &'static str,
    },
    /// A number of sides that no friction pyramid can have.
    #[error(
        "facets of the friction pyramid: found {0}, allowed: an even number from 4 to 64, or 0 for the constraint solver's own"
    )]
    Facets(u32),
    /// A grain without a direction.
    #[error("the grain's direction must be finite and not zero")]
    Grain,
    /// A material that does not exist.
    #[error("material {0} does not exist")]
    Missing(u32),
}

/// A coefficient that must be finite and zero or more.
pub(crate) fn not_negative(what: &'static str, found: Real) -> Result<(), MaterialError> {
    if found.is_finite() && found >= 0.0 {
        return Ok(());
    }
    Err(MaterialError::Coefficient { what, found, allowed: "a finite number, zero or more" })
}

/// A coefficient of restitution.
pub(crate) fn restitution(found: Real) -> Result<(), MaterialError> {
    if (0.0..=1.0).contains(&found) {
        return Ok(());
    }
    Err(MaterialError::Coefficient { what: "restitution", found, allowed: "a number from 0 to 1" })
}

/// A grain's direction and the coefficient across it.
pub(crate) fn grain(direction: Vec3, across: Real) -> Result<(), MaterialError> {
    not_negative("friction across the grain", across)?;
    let usable = direction.is_finite() && direction != Vec3::ZERO;
    if usable { Ok(()) } else { Err(MaterialError::Grain) }
}

/// The number of sides of a friction pyramid; 0 for none of its own.
pub(crate) fn facets(found: u32) -> Result<(), MaterialError> {
    let usable = found == 0 || ((4..=64).contains(&found) && found.is_multiple_of(2));
    if usable { Ok(()) } else { Err(MaterialError::Facets(found)) }
}

impl Material {
    /// Checks that the values are admissible.
    ///
    /// # Errors
    /// [`MaterialError`] for a coefficient that is negative or not finite, a restitution above one, a grain without a direction, or facets that no pyramid has.
    pub fn check(&self) -> Result<(), MaterialError> {
        not_negative("friction", self.friction)?;
        not_negative("rolling friction", self.rolling)?;
        not_negative("spinning friction", self.spinning)?;
        facets(self.facets)?;
        self.grain.map_or(Ok(()), |g| grain(g.direction, g.across))?;
        restitution(self.restitution)
    }
}

/// A direction in a surface, as of brushed metal or a tyre's tread: friction along it is [`Material::friction`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Grain {
    /// The direction in the body frame, not zero; only its component in the tangent plane counts.
    pub direction: Vec3,
    /// Coulomb coefficient across it, zero or more.
    pub across: Real,
}

/// Rule that combines a property of two surfaces into one of the pair. If the rules of the two differ, the later one in
/// this list counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum CombineRule {
    /// `(a + b) / 2`.
    Average,
    /// `sqrt(a b)`.
    GeometricMean,
    /// The smaller one.
    Minimum,
    /// `a b`.
    Multiply,
    /// The larger one.
    Maximum,
}

impl CombineRule {
    /// All rules, by their names in scene files.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("average", Self::Average),
        ("geometric-mean", Self::GeometricMean),
        ("minimum", Self::Minimum),
        ("multiply", Self::Multiply),
        ("maximum", Self::Maximum),
    ];

    /// The pair's value, from two values that are finite and zero or more; it is finite itself.
    pub fn combine(self, a: Real, b: Real) -> Real {
        match self {
            Self::Average => 0.5 * a + 0.5 * b,
            // exact if the two are the same
            Self::GeometricMean if a == b => a,
            // the square of a number in reach, or a root at a time where their product overflows or underflows
            Self::GeometricMean if (a * b).is_normal() => (a * b).sqrt(),
            Self::GeometricMean => a.sqrt() * b.sqrt(),
            Self::Minimum => a.min(b),
            Self::Multiply => (a * b).min(Real::MAX),
            Self::Maximum => a.max(b),
        }
    }
}

impl Default for Material {
    /// 0.25 and 0.25, the values the thesis uses "to mimic real-world values" (D-21); the geometric mean of two
    /// frictions, the larger of two restitutions; no rolling or spinning friction, no grain, no facets of its own.
    fn default() -> Self {
        Self {
            friction: 0.25,
            restitution: 0.25,
            rolling: 0.0,
            spinning: 0.0,
            grain: None,
            facets: 0,
            friction_rule: CombineRule::GeometricMean,
            restitution_rule: CombineRule::Maximum,
        }
    }
}
