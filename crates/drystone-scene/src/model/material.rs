use super::{Cursor, Reading, some_of};
use crate::document::quote;
use crate::fault::FaultKind;
use drystone_core::{CombineRule, Grain, Material};
use drystone_math::Real;

/// A table of `[materials]`.
#[derive(Debug, Clone, PartialEq)]
pub struct MaterialEntry {
    /// Its name.
    pub name: String,
    /// The surface.
    pub surface: Material,
    /// Density (kg/m^3).
    pub density: Real,
}

/// An entry of `[[material_pairs]]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MaterialPairEntry {
    /// Places in the list of materials.
    pub between: [usize; 2],
    /// Coulomb coefficient of friction, where the pair has one of its own.
    pub friction: Option<Real>,
    /// Coefficient of restitution, where the pair has one of its own.
    pub restitution: Option<Real>,
    /// Lever arm of rolling friction (m), where the pair has one of its own.
    pub rolling: Option<Real>,
    /// Lever arm of spinning friction (m), where the pair has one of its own.
    pub spinning: Option<Real>,
}

/// All materials, the default one first.
pub(crate) struct MaterialTable {
    pub(crate) list: Vec<MaterialEntry>,
    pub(crate) pairs: Vec<MaterialPairEntry>,
}

impl MaterialTable {
    /// The place of the material that a text of the scene names, or a fault.
    pub(crate) fn resolve(&self, at: &Cursor<'_>, r: &mut Reading) -> Option<usize> {
        let name = at.text(r)?;
        let found = self.list.iter().position(|m| m.name == name);
        if found.is_none() {
            let names: Vec<&str> = self.list.iter().map(|m| m.name.as_str()).collect();
            r.fault(at, FaultKind::Reference { what: "material", found: quote(name), allowed: some_of(name, &names) });
        }
        found
    }
}

/// Reads `[materials]` and `[[material_pairs]]`. What a material leaves out it has from `default`; that one's own
/// defaults are the thesis' friction and restitution and the density of water.
pub(crate) fn read_materials(
    materials: Option<&Cursor<'_>>,
    pairs: Option<&Cursor<'_>>,
    r: &mut Reading,
) -> MaterialTable {
    let mut default = MaterialEntry { name: "default".to_owned(), surface: Material::default(), density: 1000.0 };
    let entries = materials.and_then(|c| c.entries(r)).unwrap_or_default();
    if let Some((_, c)) = entries.iter().find(|(name, _)| *name == "default") {
        default = read_material(c, "default", &default, r);
    }
    let mut list = vec![default];
    for (name, c) in entries.iter().filter(|(name, _)| *name != "default") {
        let entry = read_material(c, name, &list[0], r);
        list.push(entry);
    }
    let mut table = MaterialTable { list, pairs: Vec::new() };
    for c in pairs.and_then(|c| c.items(r)).unwrap_or_default() {
        if let Some(pair) = read_pair(&c, &table, r) {
            table.pairs.push(pair);
        }
    }
    table
}

fn restitution(c: &Cursor<'_>, r: &mut Reading) -> Option<Real> {
    c.real_where(|v| (0.0..=1.0).contains(&v), "a number from 0 to 1", r)
}

fn combine_rule(c: &Cursor<'_>, r: &mut Reading) -> Option<CombineRule> {
    let name = c.choice(&CombineRule::NAMES.map(|(name, _)| name), r)?;
    CombineRule::NAMES.iter().find(|(n, _)| *n == name).map(|(_, rule)| *rule)
}

/// `grain = { direction, across }`.
fn read_grain(c: &Cursor<'_>, r: &mut Reading) -> Option<Grain> {
    let mut f = c.fields(r)?;
    let direction = f.require("direction", "a direction in the body frame, not zero", r).and_then(|c| c.direction(r));
    let across = f.require("across", "a coefficient of friction, zero or more", r).and_then(|c| c.not_negative(r));
    f.finish(r);
    Some(Grain { direction: direction?, across: across? })
}

fn read_material(c: &Cursor<'_>, name: &str, base: &MaterialEntry, r: &mut Reading) -> MaterialEntry {
    let mut m = MaterialEntry { name: name.to_owned(), ..base.clone() };
    let Some(mut f) = c.fields(r) else { return m };
    let s = &mut m.surface;
    let numbers =
        [("friction", &mut s.friction), ("rolling_friction", &mut s.rolling), ("spinning_friction", &mut s.spinning)];
    for (key, place) in numbers {
        if let Some(v) = f.get(key).and_then(|c| c.not_negative(r)) {
            *place = v;
        }
    }
    if let Some(v) = f.get("restitution").and_then(|c| restitution(&c, r)) {
        s.restitution = v;
    }
    if let Some(v) = f.get("grain").and_then(|c| read_grain(&c, r)) {
        s.grain = Some(v);
    }
    for (key, place) in [("friction_rule", &mut s.friction_rule), ("restitution_rule", &mut s.restitution_rule)] {
        if let Some(v) = f.get(key).and_then(|c| combine_rule(&c, r)) {
            *place = v;
        }
    }
    if let Some(v) = f.get("density").and_then(|c| c.positive(r)) {
        m.density = v;
    }
    f.finish(r);
    m
}

fn read_pair(c: &Cursor<'_>, table: &MaterialTable, r: &mut Reading) -> Option<MaterialPairEntry> {
    let mut f = c.fields(r)?;
    let allowed = "a list of two names of materials";
    let between = f.require("between", allowed, r).and_then(|c| {
        let items = c.items(r)?;
        if items.len() != 2 {
            r.wrong(&c, allowed);
            return None;
        }
        let (a, b) = (table.resolve(&items[0], r), table.resolve(&items[1], r));
        Some([a?, b?])
    });
    let [friction, rolling, spinning] =
        ["friction", "rolling_friction", "spinning_friction"].map(|key| f.get(key).and_then(|c| c.not_negative(r)));
    let restitution = f.get("restitution").and_then(|c| restitution(&c, r));
    f.finish(r);
    Some(MaterialPairEntry { between: between?, friction, restitution, rolling, spinning })
}
