use super::declare::{Chosen, InContext, Key, Kind, Range, Table, texts};
use super::{Cursor, Reading, some_of};
use crate::document::{Value, quote};
use crate::fault::FaultKind;
use drystone_core::{CombineRule, Grain, Material, PairGrain};
use drystone_math::{Real, Vec3};

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
    /// Sides of the friction pyramid, where the pair has a number of its own.
    pub facets: Option<u32>,
    /// The grain, where the pair has one of its own, or none.
    pub grain: Option<Option<PairGrain>>,
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

static FRICTION: Key<Option<Real>> = Key::optional(
    "friction",
    Kind::Number(Range::NotNegative),
    "",
    "Coulomb coefficient, along the grain if there is one. If left out: that of `default` (0.25 if unset); for a pair, the combined one",
);
static RESTITUTION: Key<Option<Real>> = Key::optional(
    "restitution",
    Kind::Number(Range::Fraction),
    "",
    "fraction of the approach speed returned by an impact. If left out: that of `default` (0.25 if unset); for a pair, the combined one",
);
static ROLLING: Key<Option<Real>> = Key::optional(
    "rolling_friction",
    Kind::Number(Range::NotNegative),
    "m",
    "lever arm: the torque about a tangent is at most this times the normal force. If left out: that of `default` (0 if unset); for a pair, the combined one",
);
static SPINNING: Key<Option<Real>> = Key::optional(
    "spinning_friction",
    Kind::Number(Range::NotNegative),
    "m",
    "lever arm: the torque about the normal is at most this times the normal force. If left out: that of `default` (0 if unset); for a pair, the combined one",
);
static FACETS: Key<Option<i64>> = Key::optional(
    "friction_facets",
    Kind::Integer { least: 0, most: 64 },
    "",
    "sides of the friction pyramid at its contacts, even and at least 4, for the constraint solver `pyramid`; 0: as many as the solver has. The larger of two materials' numbers counts. If left out: that of `default` (0 if unset)",
);
static DENSITY: Key<Option<Real>> = Key::optional(
    "density",
    Kind::Number(Range::Positive),
    "kg/m^3",
    "for bodies without a mass. If left out: that of `default` (1000 if unset)",
);
impl Chosen for CombineRule {
    const CHOICES: &'static [(&'static str, Self)] = &Self::NAMES;
}
const RULES: Kind = Kind::Choice(&texts::<CombineRule, { CombineRule::NAMES.len() }>());
static FRICTION_RULE: Key<Option<CombineRule>> = Key::optional(
    "friction_rule",
    RULES,
    "",
    "how two friction coefficients combine; if the rules differ, the later in the list counts. If left out: that of `default` (geometric-mean if unset)",
);
static RESTITUTION_RULE: Key<Option<CombineRule>> = Key::optional(
    "restitution_rule",
    RULES,
    "",
    "how two restitution coefficients combine. If left out: that of `default` (maximum if unset)",
);
const NO_GRAIN: &str = "none";
static GRAIN: Key<InContext> = Key::section(
    "grain",
    Kind::Either(&[Kind::Table(&GRAIN_TABLE), Kind::Choice(&[NO_GRAIN])]),
    "friction that depends on the direction of sliding; `none` for a surface without that of `default`",
);
static PAIR_GRAIN: Key<InContext> = Key::section(
    "grain",
    Kind::Either(&[Kind::Table(&PAIR_GRAIN_TABLE), Kind::Choice(&[NO_GRAIN])]),
    "friction that depends on the direction of sliding; if left out, the combined one, and none if `friction` is given",
);

/// A table of `[materials]`.
static MATERIAL: Table = Table {
    name: "material",
    doc: "A surface and a density. Keys left out are taken from the material named `default`.",
    keys: &[&FRICTION, &RESTITUTION, &DENSITY, &ROLLING, &SPINNING, &GRAIN, &FACETS, &FRICTION_RULE, &RESTITUTION_RULE],
    one: false,
    example: r"[materials.default]
friction    = 0.25
restitution = 0.25
density     = 10.0

[materials.wood]
friction = 0.4
grain    = { direction = [1, 0, 0], across = 0.6 }",
};

/// `[materials]`: tables by name.
pub(crate) static MATERIALS: Key<InContext> =
    Key::section("materials", Kind::Named(&MATERIAL), "materials by name; `default` is used by bodies that name none");

static DIRECTION: Key<Vec3> =
    Key::required("direction", Kind::Direction, "", "direction of the grain, body frame; its length does not matter");
static ACROSS: Key<Real> =
    Key::required("across", Kind::Number(Range::NotNegative), "", "coefficient of friction across the grain");

static GRAIN_TABLE: Table = Table {
    name: "grain",
    doc: "A grain: `friction` applies along it, `across` across it.",
    keys: &[&DIRECTION, &ACROSS],
    one: false,
    example: "",
};

static ON: Key<i64> = Key::or(
    "on",
    Kind::Integer { least: 0, most: 1 },
    0,
    "",
    "in whose body frame the direction is: that of the first (0) or the second material (1)",
);
static PAIR_GRAIN_TABLE: Table = Table {
    name: "pair_grain",
    doc: "A grain of a pair: `friction` applies along it, `across` across it, whatever the other surface is.",
    keys: &[&DIRECTION, &ACROSS, &ON],
    one: false,
    example: "",
};

static BETWEEN: Key<InContext> = Key {
    name: "between",
    kind: Kind::List(&Kind::Name("a material"), 2, Some(2)),
    unit: "",
    doc: "the two materials",
    default: None,
};

/// An entry of `[[material_pairs]]`.
static MATERIAL_PAIR: Table = Table {
    name: "material_pair",
    doc: "Values for a pair of materials, instead of those combined from the two.",
    keys: &[&BETWEEN, &FRICTION, &RESTITUTION, &ROLLING, &SPINNING, &FACETS, &PAIR_GRAIN],
    one: false,
    example: r#"[[material_pairs]]
between     = ["ice", "steel"]
friction    = 0.03
restitution = 0.5"#,
};

/// `[[material_pairs]]`.
pub(crate) static MATERIAL_PAIRS: Key<InContext> = Key::section(
    "material_pairs",
    Kind::List(&Kind::Table(&MATERIAL_PAIR), 0, None),
    "overrides for pairs of materials",
);

/// Returns true if the text stands for no grain.
fn is_no_grain(c: &Cursor<'_>) -> bool {
    matches!(&c.node().value, Value::Text(text) if text == NO_GRAIN)
}

/// The grain of a pair.
fn read_pair_grain(c: &Cursor<'_>, r: &mut Reading) -> Option<PairGrain> {
    let f = c.fields(&PAIR_GRAIN_TABLE, r)?;
    let (direction, across, on) = (f.read(&DIRECTION, r), f.read(&ACROSS, r), f.read(&ON, r));
    f.finish(r);
    Some(PairGrain { on_second: on? == 1, direction: direction?, across: across? })
}

/// `grain = { direction, across }`.
fn read_grain(c: &Cursor<'_>, r: &mut Reading) -> Option<Grain> {
    let f = c.fields(&GRAIN_TABLE, r)?;
    let (direction, across) = (f.read(&DIRECTION, r), f.read(&ACROSS, r));
    f.finish(r);
    Some(Grain { direction: direction?, across: across? })
}

fn read_material(c: &Cursor<'_>, name: &str, base: &MaterialEntry, r: &mut Reading) -> MaterialEntry {
    let mut m = MaterialEntry { name: name.to_owned(), ..base.clone() };
    let Some(f) = c.fields(&MATERIAL, r) else { return m };
    let s = &mut m.surface;
    let numbers = [
        (&FRICTION, &mut s.friction),
        (&RESTITUTION, &mut s.restitution),
        (&ROLLING, &mut s.rolling),
        (&SPINNING, &mut s.spinning),
        (&DENSITY, &mut m.density),
    ];
    for (key, place) in numbers {
        if let Some(Some(v)) = f.read(key, r) {
            *place = v;
        }
    }
    if let Some(c) = f.find(&GRAIN, r) {
        s.grain = if is_no_grain(&c) { None } else { read_grain(&c, r) };
    }
    if let Some(Some(v)) = f.read(&FACETS, r) {
        s.facets = u32::try_from(v).unwrap_or_default();
    }
    for (key, place) in [(&FRICTION_RULE, &mut s.friction_rule), (&RESTITUTION_RULE, &mut s.restitution_rule)] {
        if let Some(Some(rule)) = f.read(key, r) {
            *place = rule;
        }
    }
    f.finish(r);
    m
}

fn read_pair(c: &Cursor<'_>, table: &MaterialTable, r: &mut Reading) -> Option<MaterialPairEntry> {
    let f = c.fields(&MATERIAL_PAIR, r)?;
    let between = f.find(&BETWEEN, r).and_then(|c| {
        let items = c.items(r)?;
        let [a, b] = items.as_slice() else {
            r.wrong(&c, &BETWEEN.kind.allowed());
            return None;
        };
        let (a, b) = (table.resolve(a, r), table.resolve(b, r));
        Some([a?, b?])
    });
    let [friction, restitution, rolling, spinning] =
        [&FRICTION, &RESTITUTION, &ROLLING, &SPINNING].map(|key| f.read(key, r).flatten());
    let facets = f.read(&FACETS, r).flatten().map(|n| n as u32);
    let grain = match f.find(&PAIR_GRAIN, r) {
        None => None,
        Some(c) if is_no_grain(&c) => Some(None),
        Some(c) => read_pair_grain(&c, r).map(Some),
    };
    f.finish(r);
    Some(MaterialPairEntry { between: between?, friction, restitution, rolling, spinning, facets, grain })
}
