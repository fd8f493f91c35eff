use crate::material::{facets, grain, not_negative, restitution};
use crate::{Material, MaterialError, MaterialIndex};
use drystone_math::{Pose, Real, Vec3};

/// Contact properties of a pair of surfaces.
///
/// The data needed for every pair stands in front: the coefficients, and whether there is a grain.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[repr(C)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PairMaterial {
    /// Coulomb coefficient of friction; along the grain if there is one.
    pub friction: Real,
    /// Coefficient of restitution.
    pub restitution: Real,
    /// Lever arm of rolling friction (m).
    pub rolling: Real,
    /// Lever arm of spinning friction (m).
    pub spinning: Real,
    /// Sides of the friction pyramid, 0 for the constraint solver's own: see [`crate::Material::facets`].
    pub facets: u32,
    /// The direction in which friction differs.
    pub grain: Option<PairGrain>,
}

/// The grain of one of two surfaces.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PairGrain {
    /// True if it belongs to the second surface.
    pub on_second: bool,
    /// The direction, in that body's frame.
    pub direction: Vec3,
    /// Coulomb coefficient across it, with the other surface taken into account.
    pub across: Real,
}

/// Largest coefficient of friction, and largest lever arm (m), that a pair has: larger ones act as this one does. A cone with this
/// slope leaves out less of the half space than rounding does, and products with impulses stay finite.
const LARGEST_COEFFICIENT: Real = 1e12;

impl PairMaterial {
    /// Checks that the values are admissible.
    ///
    /// # Errors
    /// As of [`crate::Material::check`].
    pub fn check(&self) -> Result<(), MaterialError> {
        not_negative("friction of the pair", self.friction)?;
        not_negative("rolling friction of the pair", self.rolling)?;
        not_negative("spinning friction of the pair", self.spinning)?;
        facets(self.facets)?;
        self.grain.map_or(Ok(()), |g| grain(g.direction, g.across))?;
        restitution(self.restitution)
    }

    /// The same material with no coefficient above the largest one.
    fn within_reach(mut self) -> Self {
        self.friction = self.friction.min(LARGEST_COEFFICIENT);
        self.rolling = self.rolling.min(LARGEST_COEFFICIENT);
        self.spinning = self.spinning.min(LARGEST_COEFFICIENT);
        if let Some(grain) = &mut self.grain {
            grain.across = grain.across.min(LARGEST_COEFFICIENT);
        }
        self
    }

    /// Returns true if the friction is isotropic Coulomb friction and nothing else.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.rolling == 0.0 && self.spinning == 0.0 && self.grain.is_none()
    }

    /// The grain's direction in the tangent plane of a contact, world frame, and the coefficient across it; `None` without a grain, or if it stands along the
    /// normal.
    pub fn world_grain(&self, frame_a: &Pose, frame_b: &Pose, normal: Vec3) -> Option<(Vec3, Real)> {
        let grain = self.grain?;
        let d = if grain.on_second { frame_b } else { frame_a }.direction(grain.direction);
        let along = d - normal * d.dot(normal);
        // a direction closer to the normal than a thousandth of a radian has no part in the surface to speak of
        (along.length() > 1e-3 * d.length()).then(|| (along.normalize(), grain.across))
    }
}

/// All materials of a configuration, with overrides for pairs. The first, with the index that bodies have unless they are given another, is the default material.
///
/// Without an override, friction and restitution combine by the rule of the two materials that stands later in [`crate::CombineRule`]; for rolling and spinning
/// friction, and for facets, the larger value counts. The grain is that of the first surface that has one.
#[derive(Debug, Clone)]
pub struct Materials {
    list: Vec<Material>,
    pairs: Vec<((MaterialIndex, MaterialIndex), PairMaterial)>,
}

impl Default for Materials {
    /// The default material alone.
    fn default() -> Self {
        Self { list: vec![Material::default()], pairs: Vec::new() }
    }
}

impl Materials {
    /// Adds a material and returns its index.
    ///
    /// # Errors
    /// As [`Material::check`].
    pub fn push(&mut self, material: Material) -> Result<MaterialIndex, MaterialError> {
        material.check()?;
        self.list.push(material);
        Ok(MaterialIndex(self.list.len() as u32 - 1))
    }

    /// Replaces a material by another.
    ///
    /// # Errors
    /// As [`Material::check`], and [`MaterialError::Missing`].
    pub fn set(&mut self, index: MaterialIndex, material: Material) -> Result<(), MaterialError> {
        material.check()?;
        let place = self.list.get_mut(index.0 as usize).ok_or(MaterialError::Missing(index.0))?;
        *place = material;
        Ok(())
    }

    /// Sets the properties of a pair of materials, in either order; a grain is the first one's unless it says otherwise.
    ///
    /// # Errors
    /// As [`PairMaterial::check`], and [`MaterialError::Missing`].
    pub fn set_pair(&mut self, a: MaterialIndex, b: MaterialIndex, pair: PairMaterial) -> Result<(), MaterialError> {
        pair.check()?;
        if let Some(m) = [a, b].into_iter().find(|m| !self.contains(*m)) {
            return Err(MaterialError::Missing(m.0));
        }
        let (key, pair) = ordered(a, b, pair);
        match self.pairs.binary_search_by_key(&key, |(k, _)| *k) {
            Ok(i) => self.pairs[i].1 = pair,
            Err(i) => self.pairs.insert(i, (key, pair)),
        }
        Ok(())
    }

    /// Returns true for the index of an existing material: the default one, or one that was added.
    pub fn contains(&self, index: MaterialIndex) -> bool {
        (index.0 as usize) < self.list.len()
    }

    /// The materials, in the order of their indices.
    pub fn iter(&self) -> impl Iterator<Item = &Material> {
        self.list.iter()
    }

    /// The pairs whose properties were set by [`Self::set_pair`], ascending.
    pub fn set_pairs(&self) -> impl Iterator<Item = (&(MaterialIndex, MaterialIndex), &PairMaterial)> {
        self.pairs.iter().map(|(pair, set)| (pair, set))
    }

    /// Checks all materials.
    ///
    /// # Errors
    /// As [`Material::check`] and [`PairMaterial::check`].
    pub fn check(&self) -> Result<(), MaterialError> {
        self.list.iter().try_for_each(Material::check)?;
        self.pairs.iter().try_for_each(|(_, pair)| pair.check())
    }

    /// A material; the default one if the index is unknown.
    pub fn get(&self, index: MaterialIndex) -> Material {
        self.list.get(index.0 as usize).copied().unwrap_or_default()
    }

    /// The combined properties of two materials, the first belonging to the first body. Coefficients above 1e12 act as 1e12 does.
    pub fn pair(&self, a: MaterialIndex, b: MaterialIndex) -> PairMaterial {
        self.combined(a, b).within_reach()
    }

    fn combined(&self, a: MaterialIndex, b: MaterialIndex) -> PairMaterial {
        if let Ok(i) = self.pairs.binary_search_by_key(&(a.min(b), a.max(b)), |(k, _)| *k) {
            return ordered(a, b, self.pairs[i].1).1;
        }
        let (m, n) = (self.get(a), self.get(b));
        let rule = m.friction_rule.max(n.friction_rule);
        let grain = |own: &Material, other: &Material, on_second| {
            own.grain.map(|g| PairGrain {
                on_second,
                direction: g.direction,
                across: rule.combine(g.across, other.friction),
            })
        };
        PairMaterial {
            friction: rule.combine(m.friction, n.friction),
            restitution: m.restitution_rule.max(n.restitution_rule).combine(m.restitution, n.restitution),
            rolling: m.rolling.max(n.rolling),
            spinning: m.spinning.max(n.spinning),
            facets: m.facets.max(n.facets),
            grain: grain(&m, &n, false).or_else(|| grain(&n, &m, true)),
        }
    }
}

/// A pair in ascending order of its materials.
fn ordered(
    a: MaterialIndex,
    b: MaterialIndex,
    mut pair: PairMaterial,
) -> ((MaterialIndex, MaterialIndex), PairMaterial) {
    if a > b
        && let Some(grain) = &mut pair.grain
    {
        grain.on_second = !grain.on_second;
    }
    ((a.min(b), a.max(b)), pair)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CombineRule, Grain};

    #[test]
    fn the_later_rule_counts_and_the_grain_follows_its_body() {
        let mut materials = Materials::default();
        let wood = materials
            .push(Material {
                friction: 0.8,
                rolling: 0.01,
                grain: Some(Grain { direction: Vec3::X, across: 0.2 }),
                friction_rule: CombineRule::Minimum,
                ..Material::default()
            })
            .unwrap();
        let ice = materials.push(Material { friction: 0.5, restitution: 0.1, ..Material::default() }).unwrap();
        let pair = materials.pair(ice, wood);
        assert_eq!((pair.friction, pair.restitution, pair.rolling), (0.5, 0.25, 0.01));
        let grain = pair.grain.unwrap();
        assert_eq!((grain.on_second, grain.across), (true, 0.2));
        assert!(!materials.pair(wood, ice).grain.unwrap().on_second && !pair.is_plain());
        materials.set_pair(wood, ice, PairMaterial { friction: 0.1, ..pair }).unwrap();
        assert!(
            materials.pair(wood, ice).grain.unwrap().on_second && !materials.pair(ice, wood).grain.unwrap().on_second
        );
        assert_eq!(materials.pair(ice, wood).friction, 0.1);
    }

    #[test]
    fn the_first_material_is_the_default_one_from_the_start() {
        let mut materials = Materials::default();
        let ice = materials.push(Material { friction: 0.0, ..Material::default() }).unwrap();
        assert_eq!(materials.get(MaterialIndex::default()), Material::default());
        assert_eq!((ice, materials.get(ice).friction), (MaterialIndex(1), 0.0));
        assert!(materials.contains(ice) && !materials.contains(MaterialIndex(2)));
    }

    #[test]
    fn rules_are_what_they_say() {
        let values: Vec<Real> = CombineRule::NAMES.iter().map(|(_, r)| r.combine(0.5, 2.0)).collect();
        assert_eq!(values, [1.25, 1.0, 0.5, 1.0, 2.0]);
    }
}
