use drystone_math::{Real, Vec3};

/// A material's place in [`crate::Materials`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct MaterialIndex(pub u32);

/// Surface properties of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    /// Coulomb coefficient of friction, zero or more.
    pub friction: Real,
    /// Coefficient of restitution, in `[0, 1]`.
    pub restitution: Real,
    /// Coefficient of rolling friction: the lever arm of the resisting torque (m), zero or more.
    pub rolling: Real,
    /// Coefficient of spinning friction, about the normal: a lever arm (m) too, zero or more.
    pub spinning: Real,
    /// The direction in which the surface has another friction, where it has one.
    pub grain: Option<Grain>,
    /// How its friction meets that of another surface.
    pub friction_rule: CombineRule,
    /// How its restitution does.
    pub restitution_rule: CombineRule,
}

/// A direction in a surface, as of brushed metal or a tyre's tread: friction along it is [`Material::friction`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grain {
    /// The direction in the body frame, not zero; its part in the tangent plane counts.
    pub direction: Vec3,
    /// Coulomb coefficient across it, zero or more.
    pub across: Real,
}

/// How a property of two surfaces becomes one of the pair. Where they differ, the later rule of this list counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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

    /// The pair's value.
    pub fn combine(self, a: Real, b: Real) -> Real {
        match self {
            Self::Average => 0.5 * (a + b),
            // exact where the two are the same
            Self::GeometricMean if a == b => a,
            Self::GeometricMean => (a * b).sqrt(),
            Self::Minimum => a.min(b),
            Self::Multiply => a * b,
            Self::Maximum => a.max(b),
        }
    }
}

impl Default for Material {
    /// 0.25 and 0.25, the values the thesis uses "to mimic real-world values" (D-21); the geometric mean of two
    /// frictions, the larger of two restitutions; no rolling or spinning friction, no grain.
    fn default() -> Self {
        Self {
            friction: 0.25,
            restitution: 0.25,
            rolling: 0.0,
            spinning: 0.0,
            grain: None,
            friction_rule: CombineRule::GeometricMean,
            restitution_rule: CombineRule::Maximum,
        }
    }
}
