use drystone_math::Real;

/// A material's place in [`Materials`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct MaterialIndex(pub u32);

/// Surface properties of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    /// Coulomb coefficient of friction, zero or more.
    pub friction: Real,
    /// Coefficient of restitution, in `[0, 1]`.
    pub restitution: Real,
}

impl Default for Material {
    /// 0.25 and 0.25, the values the thesis uses "to mimic real-world values" (D-21).
    fn default() -> Self {
        Self { friction: 0.25, restitution: 0.25 }
    }
}

/// What two surfaces do to each other.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PairMaterial {
    /// Coulomb coefficient of friction.
    pub friction: Real,
    /// Coefficient of restitution.
    pub restitution: Real,
}

/// All materials of a configuration, with overrides for pairs.
///
/// Without an override friction is the geometric mean and restitution the maximum of the two.
#[derive(Debug, Clone, Default)]
pub struct Materials {
    list: Vec<Material>,
    pairs: Vec<((MaterialIndex, MaterialIndex), PairMaterial)>,
}

impl Materials {
    /// Adds a material and says where it stands.
    pub fn push(&mut self, material: Material) -> MaterialIndex {
        self.list.push(material);
        MaterialIndex(self.list.len() as u32 - 1)
    }

    /// Sets what a pair of materials does, in either order.
    pub fn set_pair(&mut self, a: MaterialIndex, b: MaterialIndex, pair: PairMaterial) {
        let key = (a.min(b), a.max(b));
        match self.pairs.binary_search_by_key(&key, |(k, _)| *k) {
            Ok(i) => self.pairs[i].1 = pair,
            Err(i) => self.pairs.insert(i, (key, pair)),
        }
    }

    /// A material; the default one where the index is unknown.
    pub fn get(&self, index: MaterialIndex) -> Material {
        self.list.get(index.0 as usize).copied().unwrap_or_default()
    }

    /// What two materials do to each other.
    pub fn pair(&self, a: MaterialIndex, b: MaterialIndex) -> PairMaterial {
        if let Ok(i) = self.pairs.binary_search_by_key(&(a.min(b), a.max(b)), |(k, _)| *k) {
            return self.pairs[i].1;
        }
        let (m, n) = (self.get(a), self.get(b));
        PairMaterial {
            friction: if m.friction == n.friction { m.friction } else { (m.friction * n.friction).sqrt() },
            restitution: m.restitution.max(n.restitution),
        }
    }
}
