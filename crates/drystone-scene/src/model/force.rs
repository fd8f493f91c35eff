use super::declare::{Chosen, InContext, Key, Kind, Range, Table, texts};
use super::names::read_pair;
use super::outside::{is_kind, keys_of, read_settings};
use super::{BodyEntry, BodyNames, BodyRef, Cursor, Fields, Reading};
use crate::fault::{FaultKind, Location};
use drystone_core::catalogue::Settings;
use drystone_core::{BodyIndex, BodyKind, ForceField};
use drystone_math::{Real, Vec3};
use drystone_motion::force::{
    Anchor, Axes, Damping, Drag, ForceMaker, PointGravity, PointWrench, SpringDamper, Targets,
};

/// An entry of `[[forces]]`.
#[derive(Debug, Clone, PartialEq)]
pub struct ForceEntry {
    /// Kind of force.
    pub kind: ForceKind,
    /// Its place in the scene.
    pub location: Location,
}

/// A force other than uniform gravity.
#[derive(Debug, Clone, PartialEq)]
pub enum ForceKind {
    /// `spring`, and `mouse-spring` between a body and a point of the world.
    Spring(SpringDamper),
    /// `damping`: velocities decay at rates.
    Damping(Damping),
    /// `drag`: resistance of a medium.
    Drag(Drag),
    /// `point-gravity`: attraction to a point.
    PointGravity(PointGravity),
    /// `wrench`: a constant force at a point of a body, and a torque.
    Wrench(PointWrench),
    /// A kind from outside, with its settings and the bodies that it acts on.
    Outside(ForceMaker, Settings, Targets),
}

impl ForceKind {
    /// The force field.
    pub fn field(self) -> Box<dyn ForceField> {
        match self {
            Self::Spring(f) => Box::new(f),
            Self::Damping(f) => Box::new(f),
            Self::Drag(f) => Box::new(f),
            Self::PointGravity(f) => Box::new(f),
            Self::Wrench(f) => Box::new(f),
            Self::Outside(maker, settings, targets) => (maker.make)(&settings, targets),
        }
    }
}

impl ForceEntry {
    /// The force field.
    pub fn field(&self) -> Box<dyn ForceField> {
        self.kind.clone().field()
    }
}

/// The kinds of force that the format has: names and what each is.
pub fn force_kinds() -> Vec<(&'static str, &'static str)> {
    let Kind::Tagged(_, tables) = &KINDS else { return Vec::new() };
    tables.iter().map(|(name, table)| (*name, table.doc)).collect()
}

/// Reads `[[forces]]`.
pub(crate) fn read_forces(
    at: Option<&Cursor<'_>>,
    bodies: &[BodyEntry],
    outside: &[ForceMaker],
    r: &mut Reading,
) -> Vec<ForceEntry> {
    let bodies = Bodies { names: BodyNames::new(bodies), entries: bodies };
    let items = at.and_then(|c| c.items(r)).unwrap_or_default();
    let force = |c: &Cursor<'_>| match outside.iter().find(|m| is_kind(c, m.described.name)) {
        Some(maker) => read_outside(c, maker, &bodies, r),
        None => read_force(c, &bodies, outside, r),
    };
    items.iter().filter_map(force).collect()
}

struct Bodies<'a> {
    names: BodyNames<'a>,
    entries: &'a [BodyEntry],
}

impl Bodies<'_> {
    /// The column of the dynamic body that a text names, or a fault.
    fn dynamic(&self, c: &Cursor<'_>, r: &mut Reading) -> Option<BodyIndex> {
        let found = self.names.resolve(c, r)?;
        let BodyRef::Body { entry, .. } = found else { return None };
        if !matches!(self.entries[entry].properties.kind, BodyKind::Dynamic | BodyKind::Passive) {
            let found = "a body that no force moves".to_owned();
            r.fault(c, FaultKind::Value { found, allowed: "a dynamic body".to_owned() });
            return None;
        }
        found.column(self.entries).map(BodyIndex::new)
    }

    /// The bodies of a list, or all where there is no list.
    fn targets(&self, f: &Fields<'_>, r: &mut Reading) -> Option<Targets> {
        let Some(c) = f.find(&BODIES, r) else { return Some(Targets::All) };
        let list: Vec<_> = c.items(r)?.iter().map(|c| self.dynamic(c, r)).collect();
        Some(Targets::These(list.into_iter().collect::<Option<_>>()?))
    }
}

static PAIR: Key<InContext> = Key {
    name: "bodies",
    kind: Kind::List(&Kind::Name("a body, or \"world\""), 2, Some(2)),
    unit: "",
    doc: "the bodies at its two ends; one may be `world`",
    default: None,
};
static ANCHORS: Key<Vec<Vec3>> = Key::or(
    "anchors",
    Kind::List(&Kind::Vector(3, Range::Any), 2, Some(2)),
    Vec::new(),
    "m",
    "attachment points, in the frame of each body (world frame for `world`); the origins if left out",
);
static STIFFNESS: Key<Real> =
    Key::required("stiffness", Kind::Number(Range::NotNegative), "N/m", "force per metre of stretch");
static DAMPING: Key<Real> =
    Key::or("damping", Kind::Number(Range::NotNegative), 0.0, "N s/m", "force per stretching speed");
static MAX_FORCE: Key<Option<Real>> =
    Key::optional("max_force", Kind::Number(Range::Positive), "N", "maximum force; unlimited if left out");
static REST_LENGTH: Key<Real> =
    Key::or("rest_length", Kind::Number(Range::NotNegative), 0.0, "m", "length at which it exerts no force");
static BODY: Key<InContext> =
    Key { name: "body", kind: Kind::Name("a dynamic body"), unit: "", doc: "the body it acts on", default: None };
static ANCHOR: Key<Vec3> =
    Key::or("anchor", Kind::Vector(3, Range::Any), Vec3::ZERO, "m", "point that it pulls, body frame");
static TARGET: Key<Vec3> =
    Key::required("target", Kind::Vector(3, Range::Any), "m", "point that it pulls towards, world frame");
static BODIES: Key<InContext> = Key::section(
    "bodies",
    Kind::List(&Kind::Name("a dynamic body"), 0, None),
    "the bodies it acts on; all if left out",
);
static LINEAR: Key<Real> = Key::or("linear", Kind::Number(Range::NotNegative), 0.0, "s^-1", "decay rate of velocities");
static ANGULAR_RATE: Key<Real> =
    Key::or("angular", Kind::Number(Range::NotNegative), 0.0, "s^-1", "decay rate of angular velocities");
static VISCOUS: Key<Real> = Key::or("viscous", Kind::Number(Range::NotNegative), 0.0, "N s/m", "force per speed");
static QUADRATIC: Key<Real> =
    Key::or("quadratic", Kind::Number(Range::NotNegative), 0.0, "N s^2/m^2", "force per square of the speed");
static ANGULAR_DRAG: Key<Real> =
    Key::or("angular", Kind::Number(Range::NotNegative), 0.0, "N m s", "torque per angular velocity");
static WIND: Key<Vec3> = Key::or("wind", Kind::Vector(3, Range::Any), Vec3::ZERO, "m/s", "velocity of the medium");
static CENTER: Key<Vec3> = Key::or("center", Kind::Vector(3, Range::Any), Vec3::ZERO, "m", "the attracting point");
static STRENGTH: Key<Real> = Key::required(
    "strength",
    Kind::Number(Range::Any),
    "m^3/s^2",
    "acceleration times the square of the distance; negative repels",
);
static SOFTENING: Key<Real> = Key::or(
    "softening",
    Kind::Number(Range::NotNegative),
    0.0,
    "m",
    "softening length s: the distance r is taken as sqrt(r^2 + s^2), so that the force stays finite",
);
static POINT: Key<Vec3> =
    Key::or("point", Kind::Vector(3, Range::Any), Vec3::ZERO, "m", "point where the force acts, body frame");
static FORCE: Key<Vec3> = Key::or("force", Kind::Vector(3, Range::Any), Vec3::ZERO, "N", "the force");
static TORQUE: Key<Vec3> =
    Key::or("torque", Kind::Vector(3, Range::Any), Vec3::ZERO, "N m", "torque in addition to that of the force");
impl Chosen for Axes {
    const CHOICES: &'static [(&'static str, Self)] = &[("world", Self::World), ("body", Self::Body)];
}
static AXES: Key<Axes> =
    Key::or("axes", Kind::Choice(&texts::<Axes, 2>()), Axes::World, "", "axes in which force and torque are given");

static SPRING: Table = Table {
    name: "force_spring",
    doc: "A spring and damper between two bodies, or between a body and a point of the world.",
    keys: &[&PAIR, &ANCHORS, &STIFFNESS, &DAMPING, &MAX_FORCE, &REST_LENGTH],
    one: false,
    example: r#"[[forces]]
kind      = "spring"
bodies    = ["ball", "world"]
anchors   = [[0, 0, 0], [0, 3, 0]]
stiffness = 100.0
damping   = 1.0"#,
};
static MOUSE: Table = Table {
    name: "force_mouse_spring",
    doc: "Pulls a point of a body to a point of the world.",
    keys: &[&BODY, &ANCHOR, &TARGET, &STIFFNESS, &DAMPING, &MAX_FORCE],
    one: false,
    example: r#"[[forces]]
kind      = "mouse-spring"
body      = "ball"
target    = [1, 2, 0]
stiffness = 50.0"#,
};
static DECAY: Table = Table {
    name: "force_damping",
    doc: "Exponential decay of velocities.",
    keys: &[&LINEAR, &ANGULAR_RATE, &BODIES],
    one: false,
    example: r#"[[forces]]
kind   = "damping"
linear = 0.1"#,
};
static DRAG: Table = Table {
    name: "force_drag",
    doc: "Resistance of a medium.",
    keys: &[&VISCOUS, &QUADRATIC, &ANGULAR_DRAG, &WIND, &BODIES],
    one: false,
    example: r#"[[forces]]
kind      = "drag"
quadratic = 0.3
wind      = [2, 0, 0]"#,
};
static POINT_GRAVITY: Table = Table {
    name: "force_point_gravity",
    doc: "Attraction to a point.",
    keys: &[&CENTER, &STRENGTH, &SOFTENING],
    one: false,
    example: r#"[[forces]]
kind     = "point-gravity"
strength = 10.0"#,
};
static WRENCH: Table = Table {
    name: "force_wrench",
    doc: "A constant force at a point of a body, and a torque.",
    keys: &[&BODY, &POINT, &FORCE, &TORQUE, &AXES],
    one: false,
    example: r#"[[forces]]
kind  = "wrench"
body  = "ball"
force = [0, 5, 0]"#,
};

/// A force of a kind from outside: these keys beside its own.
pub(crate) static OUTSIDE_FORCE: Table = Table {
    name: "force_outside",
    doc: "A force of a kind that was added to the format's own.",
    keys: &[&BODIES],
    one: false,
    example: "",
};

/// The kinds of force the format has.
pub(crate) static KINDS: Kind = Kind::Tagged(
    "kind",
    &[
        ("spring", &SPRING),
        ("mouse-spring", &MOUSE),
        ("damping", &DECAY),
        ("drag", &DRAG),
        ("point-gravity", &POINT_GRAVITY),
        ("wrench", &WRENCH),
    ],
);

/// `[[forces]]`.
pub(crate) static FORCES: Key<InContext> =
    Key::section("forces", Kind::List(&KINDS, 0, None), "springs, dampers and other forces besides uniform gravity");

fn read_outside(c: &Cursor<'_>, maker: &ForceMaker, bodies: &Bodies<'_>, r: &mut Reading) -> Option<ForceEntry> {
    let f = c.fields(&OUTSIDE_FORCE, r)?.with(core::iter::once("kind").chain(keys_of(&maker.described)));
    let targets = bodies.targets(&f, r);
    let settings = read_settings(&f, &maker.described, r);
    f.finish(r);
    Some(ForceEntry { kind: ForceKind::Outside(maker.clone(), settings, targets?), location: r.location(c) })
}

fn read_force(c: &Cursor<'_>, bodies: &Bodies<'_>, outside: &[ForceMaker], r: &mut Reading) -> Option<ForceEntry> {
    let others: Vec<&str> = outside.iter().map(|m| m.described.name).collect();
    let (kind, f) = c.tagged(&KINDS, &others, r)?;
    let read = match kind {
        "spring" => spring,
        "mouse-spring" => mouse_spring,
        "damping" => damping,
        "drag" => drag,
        "point-gravity" => point_gravity,
        "wrench" => wrench,
        // the list of tables is the list of kinds; a test reads one of each
        _ => return None,
    };
    let kind = read(&f, bodies, r);
    f.finish(r);
    Some(ForceEntry { kind: kind?, location: r.location(c) })
}

/// Stiffness (N/m), damping (N s/m) and the largest force (N).
fn elastic(f: &Fields<'_>, r: &mut Reading) -> Option<[Real; 3]> {
    let (stiffness, damping, max_force) = (f.read(&STIFFNESS, r), f.read(&DAMPING, r), f.read(&MAX_FORCE, r));
    Some([stiffness?, damping?, max_force?.unwrap_or(Real::INFINITY)])
}

fn spring(f: &Fields<'_>, bodies: &Bodies<'_>, r: &mut Reading) -> Option<ForceKind> {
    let pair = f.find(&PAIR, r).and_then(|c| read_pair(&c, &bodies.names, bodies.entries, r));
    let points = f.read(&ANCHORS, r);
    let (elastic, rest_length) = (elastic(f, r), f.read(&REST_LENGTH, r));
    let (pair, points, [stiffness, damping, max_force]) = (pair?, points?, elastic?);
    let anchor = |i: usize| {
        let point = points.get(i).copied().unwrap_or_default();
        match pair[i] {
            None => Anchor::World(point),
            Some(column) => Anchor::Body { body: BodyIndex::new(column), point },
        }
    };
    let anchors = [anchor(0), anchor(1)];
    Some(ForceKind::Spring(SpringDamper { anchors, rest_length: rest_length?, stiffness, damping, max_force }))
}

/// The dynamic body under `body`.
fn target(f: &Fields<'_>, bodies: &Bodies<'_>, r: &mut Reading) -> Option<BodyIndex> {
    f.find(&BODY, r).and_then(|c| bodies.dynamic(&c, r))
}

fn mouse_spring(f: &Fields<'_>, bodies: &Bodies<'_>, r: &mut Reading) -> Option<ForceKind> {
    let body = target(f, bodies, r);
    let (point, goal) = (f.read(&ANCHOR, r), f.read(&TARGET, r));
    let [stiffness, damping, max_force] = elastic(f, r)?;
    Some(ForceKind::Spring(SpringDamper::mouse(body?, point?, goal?, stiffness, damping, max_force)))
}

fn damping(f: &Fields<'_>, bodies: &Bodies<'_>, r: &mut Reading) -> Option<ForceKind> {
    let (linear, angular) = (f.read(&LINEAR, r), f.read(&ANGULAR_RATE, r));
    let targets = bodies.targets(f, r);
    Some(ForceKind::Damping(Damping { linear: linear?, angular: angular?, targets: targets? }))
}

fn drag(f: &Fields<'_>, bodies: &Bodies<'_>, r: &mut Reading) -> Option<ForceKind> {
    let (viscous, quadratic) = (f.read(&VISCOUS, r), f.read(&QUADRATIC, r));
    let (angular, wind) = (f.read(&ANGULAR_DRAG, r), f.read(&WIND, r));
    let targets = bodies.targets(f, r)?;
    Some(ForceKind::Drag(Drag { viscous: viscous?, quadratic: quadratic?, angular: angular?, wind: wind?, targets }))
}

fn point_gravity(f: &Fields<'_>, _: &Bodies<'_>, r: &mut Reading) -> Option<ForceKind> {
    let (center, strength, softening) = (f.read(&CENTER, r), f.read(&STRENGTH, r), f.read(&SOFTENING, r));
    Some(ForceKind::PointGravity(PointGravity { center: center?, strength: strength?, softening: softening? }))
}

fn wrench(f: &Fields<'_>, bodies: &Bodies<'_>, r: &mut Reading) -> Option<ForceKind> {
    let body = target(f, bodies, r);
    let (point, force, torque) = (f.read(&POINT, r), f.read(&FORCE, r), f.read(&TORQUE, r));
    let axes = f.read(&AXES, r);
    Some(ForceKind::Wrench(PointWrench { body: body?, point: point?, force: force?, torque: torque?, axes: axes? }))
}
