use super::body_entry::{BodyEntry, Repeat};
use super::declare::{Chosen, InContext, Key, Kind, Range, Readable, Table, texts};
use super::names::{WORLD, report_duplicates};
use super::orientation::TURNED;
use super::shape::SHAPE;
use super::{Cursor, Fields, MaterialTable, Reading};
use crate::document::quote;
use crate::fault::FaultKind;
use drystone_core::{BodyKind, BodyProperties, CollisionGroups, MassError, MaterialIndex};
use drystone_geometry::{MassProperties, Shape};
use drystone_math::{Pose, Quat, Real, SymmetricMat3, Twist, Vec3};

/// Most bodies of a scene, copies counted.
const MOST_BODIES: usize = 1_000_000;

/// Reads `[[bodies]]`.
pub(crate) fn read_bodies(at: Option<&Cursor<'_>>, materials: &MaterialTable, r: &mut Reading) -> Vec<BodyEntry> {
    let items = at.and_then(|c| c.items(r));
    r.faulty_bodies.nameless |= items.is_none();
    let items = items.unwrap_or_default();
    let mut bodies: Vec<BodyEntry> = Vec::with_capacity(items.len());
    let mut names: Vec<(String, Cursor<'_>)> = Vec::with_capacity(items.len());
    let mut total = 0;
    for c in &items {
        let Some(f) = c.fields(&BODY, r) else {
            r.faulty_bodies.nameless = true;
            continue;
        };
        let named = names.len();
        let body = read_body(&f, materials, &mut names, r);
        f.finish(r);
        r.subject = None;
        let Some(mut body) = body else {
            match names.get(named) {
                Some((name, _)) => _ = r.faulty_bodies.names.insert(name.clone()),
                None => r.faulty_bodies.nameless = true,
            }
            continue;
        };
        if body.copies > MOST_BODIES - total {
            let found = format!("{} bodies with this one", total as u128 + body.copies as u128);
            r.fault(c, FaultKind::Value { found, allowed: format!("at most {MOST_BODIES}, copies by repeat counted") });
            r.faulty_bodies.names.insert(body.name);
            continue;
        }
        body.first = total;
        total += body.copies;
        bodies.push(body);
    }
    report_duplicates(&mut names, &bodies, r);
    bodies
}

static NAME: Key<String> =
    Key::required("name", Kind::Text, "", "unique name; copies made by `repeat` are `name[0]`, `name[1]` ...");
impl Chosen for BodyKind {
    const CHOICES: &'static [(&'static str, Self)] =
        &[("dynamic", Self::Dynamic), ("fixed", Self::Fixed), ("scripted", Self::Scripted), ("passive", Self::Passive)];
}
static KIND: Key<BodyKind> = Key::or(
    "kind",
    Kind::Choice(&texts::<BodyKind, 4>()),
    BodyKind::Dynamic,
    "",
    "moved by forces, never moved, moved by a script (without one, at its velocity), or `passive`: with a mass, but not in the world until a program brings it in",
);
static SHAPE_KEY: Key<Shape> = Key::required("shape", Kind::Table(&SHAPE), "", "collision shape");
static POSITION: Key<Vec3> =
    Key::or("position", Kind::Vector(3, Range::Any), Vec3::ZERO, "m", "initial position of the body frame's origin");
static ORIENTATION: Key<Quat> = Key::or(
    "orientation",
    TURNED,
    Quat::IDENTITY,
    "",
    "initial orientation of the body frame: a quaternion `[x, y, z, w]`, or an axis and an angle",
);
static LINEAR_VELOCITY: Key<Vec3> = Key::or(
    "linear_velocity",
    Kind::Vector(3, Range::Any),
    Vec3::ZERO,
    "m/s",
    "initial velocity of the centre of mass",
);
static ANGULAR_VELOCITY: Key<Vec3> = Key::or(
    "angular_velocity",
    Kind::Vector(3, Range::Any),
    Vec3::ZERO,
    "rad/s",
    "initial angular velocity, world frame",
);
static MATERIAL: Key<Option<String>> =
    Key::optional("material", Kind::Name("a material"), "", "surface and density; `default` if left out");
static MASS: Key<Option<Real>> = Key::optional(
    "mass",
    Kind::Number(Range::Positive),
    "kg",
    "density times volume if left out; the inertia scales with it",
);
static INERTIA: Key<Option<Vec3>> = Key::optional(
    "inertia",
    Kind::Vector(3, Range::Positive),
    "kg m^2",
    "moments of inertia about the centre of mass, along the body's axes; the homogeneous solid's if left out",
);
static PRODUCTS_OF_INERTIA: Key<Option<[Real; 3]>> = Key::optional(
    "products_of_inertia",
    Kind::Vector(3, Range::Any),
    "kg m^2",
    "off-diagonal entries (xy, xz, yz) of the tensor with diagonal `inertia`",
);
static INVERSE_INERTIA: Key<Option<[Real; 6]>> = Key::optional(
    "inverse_inertia",
    Kind::Vector(6, Range::Any),
    "1/(kg m^2)",
    "inverse of the inertia as (xx, yy, zz, yz, xz, xy), where it is none, as of a body in a 2D world; saved worlds have it",
);
static CENTER_OF_MASS: Key<Option<Vec3>> = Key::optional(
    "center_of_mass",
    Kind::Vector(3, Range::Any),
    "m",
    "in the body frame; the homogeneous solid's if left out",
);
static LAYER: Key<i64> = Key::or(
    "layer",
    Kind::Integer { least: i64::MIN, most: i64::MAX },
    0,
    "",
    "collision layer: bodies on different layers do not collide",
);
static LOCK_TRANSLATION: Key<bool> = Key::or("lock_translation", Kind::Flag, false, "", "prevents translation");
static LOCK_ROTATION: Key<bool> = Key::or("lock_rotation", Kind::Flag, false, "", "prevents rotation");
static SPIN_AXIS: Key<Option<Vec3>> = Key::optional(
    "spin_axis",
    Kind::Direction,
    "",
    "body-frame axis about which the orientation update is exact, such as a wheel's axle",
);
static CAN_SLEEP: Key<bool> = Key::or("can_sleep", Kind::Flag, true, "", "whether it may fall asleep");
const BITS: Kind = Kind::Integer { least: 0, most: 0xffff_ffff };
static MEMBERSHIP: Key<i64> =
    Key::or("membership", BITS, 1, "", "the collision groups it is in, as a bit mask: 5 is the first and the third");
static MASK: Key<i64> = Key::or(
    "mask",
    BITS,
    0xffff_ffff,
    "",
    "the groups it collides with, likewise: two bodies collide if each is in a group of the other's mask",
);
static GRAVITY_SCALE: Key<Real> =
    Key::or("gravity_scale", Kind::Number(Range::Any), 1.0, "", "factor on uniform gravity");
static LINEAR_DAMPING: Key<Real> =
    Key::or("linear_damping", Kind::Number(Range::NotNegative), 0.0, "1/s", "decay rate of its velocity");
static ANGULAR_DAMPING: Key<Real> =
    Key::or("angular_damping", Kind::Number(Range::NotNegative), 0.0, "1/s", "decay rate of its angular velocity");
static CONTINUOUS: Key<bool> = Key::or(
    "continuous",
    Kind::Flag,
    false,
    "",
    "whether its motion is swept, so that it stops at bodies it would pass through",
);
static SURFACE_VELOCITY: Key<Vec3> = Key::or(
    "surface_velocity",
    Kind::Vector(3, Range::Any),
    Vec3::ZERO,
    "m/s",
    "velocity at which its surface runs along itself, in the body frame, if it is fixed or scripted: a conveyor belt",
);
static SURFACE_SPIN: Key<Vec3> = Key::or(
    "surface_spin",
    Kind::Vector(3, Range::Any),
    Vec3::ZERO,
    "rad/s",
    "angular velocity of its surface about the origin of the body frame, likewise: a driven roller",
);
static SENSOR: Key<bool> = Key::or(
    "sensor",
    Kind::Flag,
    false,
    "",
    "whether other bodies pass through it and are reported as they enter and leave",
);
static REPEAT: Key<Option<Repeat>> = Key::optional("repeat", Kind::Table(&REPEAT_TABLE), "", "copies of it on a grid");
pub(super) static USER_DATA: Key<Option<String>> =
    Key::optional("user_data", Kind::Text, "", "128 bits that a program attached, as up to 32 hexadecimal digits");

const COUNT: Kind = Kind::Integer { least: 1, most: MOST_BODIES as i64 };
static REPEAT_COUNT: Key<Vec<i64>> =
    Key::required("count", Kind::List(&COUNT, 3, Some(3)), "", "copies along x, y and z; x varies fastest, then y");
static REPEAT_STEP: Key<Vec3> =
    Key::required("step", Kind::Vector(3, Range::Any), "m", "distance between neighbours along each axis");
static STAGGER: Key<Vec3> =
    Key::or("stagger", Kind::Vector(3, Range::Any), Vec3::ZERO, "m", "offset of odd rows along y, counted from 0");

static REPEAT_TABLE: Table = Table {
    name: "repeat",
    doc: "Copies on a grid.",
    keys: &[&REPEAT_COUNT, &REPEAT_STEP, &STAGGER],
    one: false,
    example: "",
};

/// An entry of `[[bodies]]`.
static BODY: Table = Table {
    name: "body",
    doc: "A rigid body.",
    keys: &[
        &NAME,
        &KIND,
        &SHAPE_KEY,
        &POSITION,
        &ORIENTATION,
        &LINEAR_VELOCITY,
        &ANGULAR_VELOCITY,
        &MATERIAL,
        &MASS,
        &INERTIA,
        &PRODUCTS_OF_INERTIA,
        &INVERSE_INERTIA,
        &CENTER_OF_MASS,
        &LAYER,
        &MEMBERSHIP,
        &MASK,
        &LOCK_TRANSLATION,
        &LOCK_ROTATION,
        &SPIN_AXIS,
        &CAN_SLEEP,
        &SENSOR,
        &CONTINUOUS,
        &SURFACE_VELOCITY,
        &SURFACE_SPIN,
        &GRAVITY_SCALE,
        &LINEAR_DAMPING,
        &ANGULAR_DAMPING,
        &USER_DATA,
        &REPEAT,
    ],
    one: false,
    example: r#"[[bodies]]
name        = "brick"
shape       = { box = { half_extents = [0.5, 0.25, 0.25] } }
position    = [0.0, 0.25, 0.0]
orientation = { axis = [0, 1, 0], degrees = 30 }
mass        = 12.0
repeat      = { count = [4, 3, 1], step = [1.0, 0.5, 0.0], stagger = [0.5, 0, 0] }"#,
};

/// `[[bodies]]`.
pub(crate) static BODIES: Key<InContext> =
    Key { name: "bodies", kind: Kind::List(&Kind::Table(&BODY), 0, None), unit: "", doc: "the bodies", default: None };

fn read_body<'a>(
    f: &Fields<'a>,
    materials: &MaterialTable,
    names: &mut Vec<(String, Cursor<'a>)>,
    r: &mut Reading,
) -> Option<BodyEntry> {
    let name = read_name(f, names, r);
    let kind = f.read(&KIND, r);
    let shape = f.read(&SHAPE_KEY, r);
    let (position, orientation) = (f.read(&POSITION, r), f.read(&ORIENTATION, r));
    let linear = velocity(f, &LINEAR_VELOCITY, kind, r);
    let angular = velocity(f, &ANGULAR_VELOCITY, kind, r);
    let material = f.find(&MATERIAL, r).map_or(Some(0), |c| materials.resolve(&c, r));
    let (mass, inertia, layer) = (f.read(&MASS, r), read_tensor(f, r), f.read(&LAYER, r));
    let (center, inverse_inertia) = (f.read(&CENTER_OF_MASS, r), f.read(&INVERSE_INERTIA, r));
    let user_data = read_user_data(f, r);
    let traits = Traits::read(f, r);
    let repeat = f.read(&REPEAT, r);
    let (material, position) = (material?, position?);
    let (kind, given) = (kind?, Given { mass: mass?, inertia: inertia.ok()?, center: center? });

    let mut properties = match kind {
        BodyKind::Fixed => BodyProperties::fixed(shape?),
        BodyKind::Scripted => BodyProperties::scripted(shape?),
        BodyKind::Dynamic | BodyKind::Passive => {
            let made = dynamic(shape?, &given, materials.list[material].density, f.cursor(), r)?;
            BodyProperties { kind, ..made }
        }
    };
    if let Some([xx, yy, zz, yz, xz, xy]) = inverse_inertia? {
        properties.inverse_inertia =
            SymmetricMat3 { diagonal: Vec3::new(xx, yy, zz), off_diagonal: Vec3::new(yz, xz, xy) };
    }
    if let (BodyKind::Fixed | BodyKind::Scripted, Some(center)) = (kind, given.center) {
        properties.center = center;
    }
    properties.material = MaterialIndex(material as u32);
    properties.layer = layer?;
    traits?.apply(&mut properties);
    let repeat = repeat?;
    let copies = repeat.map_or(1, |q| q.count.iter().product());
    if repeat.is_some_and(|q| !(q.offset(copies - 1) + position).is_finite()) {
        let kind =
            FaultKind::Value { found: "positions that overflow".to_owned(), allowed: "finite positions".to_owned() };
        r.fault(&f.named(REPEAT.name)?, kind);
        return None;
    }
    Some(BodyEntry {
        name: name?,
        properties,
        pose: Pose::new(position, orientation?),
        velocity: Twist::new(linear?, angular?),
        user_data: user_data?,
        repeat,
        copies,
        first: 0,
        location: r.location(f.cursor()),
    })
}

/// Motion and collision properties of a body, for any shape and mass.
struct Traits {
    /// True for each of translation and rotation that is locked.
    locks: [bool; 2],
    spin_axis: Option<Vec3>,
    can_sleep: bool,
    sensor: bool,
    continuous: bool,
    surface_velocity: Twist,
    gravity_scale: Real,
    groups: CollisionGroups,
    /// Of the velocity and of the angular velocity (1/s).
    damping: [Real; 2],
}

impl Traits {
    /// Each key is read, so that each fault is found.
    fn read(f: &Fields<'_>, r: &mut Reading) -> Option<Self> {
        let (lock_translation, lock_rotation) = (f.read(&LOCK_TRANSLATION, r), f.read(&LOCK_ROTATION, r));
        let (spin_axis, can_sleep) = (f.read(&SPIN_AXIS, r), f.read(&CAN_SLEEP, r));
        let (sensor, continuous) = (f.read(&SENSOR, r), f.read(&CONTINUOUS, r));
        let (run, spin) = (f.read(&SURFACE_VELOCITY, r), f.read(&SURFACE_SPIN, r));
        let gravity_scale = f.read(&GRAVITY_SCALE, r);
        let (membership, mask) = (f.read(&MEMBERSHIP, r), f.read(&MASK, r));
        let (linear_damping, angular_damping) = (f.read(&LINEAR_DAMPING, r), f.read(&ANGULAR_DAMPING, r));
        Some(Self {
            locks: [lock_translation?, lock_rotation?],
            spin_axis: spin_axis?,
            can_sleep: can_sleep?,
            sensor: sensor?,
            continuous: continuous?,
            surface_velocity: Twist::new(run?, spin?),
            gravity_scale: gravity_scale?,
            // their range says that they fit
            groups: CollisionGroups { membership: membership? as u32, mask: mask? as u32 },
            damping: [linear_damping?, angular_damping?],
        })
    }

    fn apply(&self, properties: &mut BodyProperties) {
        properties.spin_axis = self.spin_axis;
        properties.can_sleep = self.can_sleep;
        properties.sensor = self.sensor;
        properties.continuous = self.continuous;
        properties.surface_velocity = self.surface_velocity;
        properties.gravity_scale = self.gravity_scale;
        properties.groups = self.groups;
        properties.damping = self.damping;
        let [lock_translation, lock_rotation] = self.locks;
        if lock_translation {
            properties.inverse_mass = 0.0;
        }
        if lock_rotation {
            properties.inverse_inertia = SymmetricMat3::ZERO;
        }
    }
}

/// Data attached to a body or a joint, zero where there is none.
pub(super) fn read_user_data(f: &Fields<'_>, r: &mut Reading) -> Option<u128> {
    let Some(digits) = f.read(&USER_DATA, r)? else { return Some(0) };
    let data = u128::from_str_radix(&digits, 16).ok();
    if data.is_none() {
        r.wrong(&f.named(USER_DATA.name)?, "a text of up to 32 hexadecimal digits");
    }
    data
}

fn read_name<'a>(f: &Fields<'a>, names: &mut Vec<(String, Cursor<'a>)>, r: &mut Reading) -> Option<String> {
    let c = f.find(&NAME, r)?;
    let name = c.text(r)?;
    if name.is_empty() || name == WORLD {
        r.wrong(&c, "a name that is not empty and not \"world\"");
        return None;
    }
    names.push((name.to_owned(), c));
    r.subject = Some(format!("body {}", quote(name)).into());
    Some(name.to_owned())
}

/// Mass properties given by the scene instead of those of the homogeneous solid.
struct Given {
    mass: Option<Real>,
    inertia: Option<SymmetricMat3>,
    center: Option<Vec3>,
}

fn dynamic(shape: Shape, given: &Given, density: Real, at: &Cursor<'_>, r: &mut Reading) -> Option<BodyProperties> {
    let Given { mass, inertia, center } = *given;
    // a given mass scales the homogeneous solid's inertia
    let homogeneous = match (mass, inertia, center) {
        (Some(mass), Some(inertia), Some(center)) => Some(MassProperties { mass, center, inertia }),
        _ => shape.mass_properties(if mass.is_some() { 1.0 } else { density }),
    };
    let Some(mut properties) = homogeneous else {
        let found = format!("a dynamic {}, which encloses no volume and so has no mass", shape.kind());
        r.fault(at, FaultKind::Value { found, allowed: "kind = \"fixed\" or \"scripted\" for this shape".to_owned() });
        return None;
    };
    if let Some(mass) = mass {
        let scale = mass / properties.mass;
        properties = MassProperties {
            mass,
            center: properties.center,
            inertia: SymmetricMat3 {
                diagonal: properties.inertia.diagonal * scale,
                off_diagonal: properties.inertia.off_diagonal * scale,
            },
        };
    }
    if let Some(inertia) = inertia {
        properties.inertia = inertia;
    }
    if let Some(center) = center {
        properties.center = center;
    }
    let said = |e: &MassError| match e {
        MassError::Inertia(_) if inertia.is_some() => "inertia",
        _ if mass.is_some() => "mass",
        _ => "density times volume",
    };
    BodyProperties::dynamic(shape, &properties)
        .map_err(|e| r.fault(at, FaultKind::Other(format!("{}: {e}", said(&e)))))
        .ok()
}

fn velocity(f: &Fields<'_>, key: &Key<Vec3>, kind: Option<BodyKind>, r: &mut Reading) -> Option<Vec3> {
    let v = f.read(key, r)?;
    if kind == Some(BodyKind::Fixed) && v != Vec3::ZERO {
        let found = format!("{:?}", v.to_array());
        r.fault(&f.named(key.name)?, FaultKind::Value { found, allowed: "[0, 0, 0] for a fixed body".to_owned() });
        return None;
    }
    Some(v)
}

/// A value had a fault, which is reported.
struct Faulty;

/// `inertia`, the diagonal, and `products_of_inertia`, the entries (xy, xz, yz); none where the scene says nothing.
fn read_tensor(f: &Fields<'_>, r: &mut Reading) -> Result<Option<SymmetricMat3>, Faulty> {
    let (diagonal, products) = (f.read(&INERTIA, r), f.read(&PRODUCTS_OF_INERTIA, r));
    match (diagonal.ok_or(Faulty)?, products.ok_or(Faulty)?) {
        (None, None) => Ok(None),
        (Some(diagonal), None) => Ok(Some(SymmetricMat3::from_diagonal(diagonal))),
        (Some(diagonal), Some([xy, xz, yz])) => {
            Ok(Some(SymmetricMat3 { diagonal, off_diagonal: Vec3::new(yz, xz, xy) }))
        }
        (None, Some(_)) => {
            let allowed = "together with inertia, the diagonal".to_owned();
            let found = "products of inertia alone".to_owned();
            let at = f.named(PRODUCTS_OF_INERTIA.name).unwrap_or_else(|| f.cursor().clone());
            r.fault(&at, FaultKind::Value { found, allowed });
            Err(Faulty)
        }
    }
}

impl Readable for Repeat {
    fn read(_: &Kind, c: &Cursor<'_>, r: &mut Reading) -> Option<Self> {
        let f = c.fields(&REPEAT_TABLE, r)?;
        let count = f.read(&REPEAT_COUNT, r).and_then(|n| {
            let all = n.iter().map(|k| *k as u128).product::<u128>();
            if all > MOST_BODIES as u128 {
                let allowed = format!("at most {MOST_BODIES} bodies by repeat");
                r.fault(&f.named(REPEAT_COUNT.name)?, FaultKind::Value { found: format!("{all} copies"), allowed });
                return None;
            }
            Some([n[0] as usize, n[1] as usize, n[2] as usize])
        });
        let (step, stagger) = (f.read(&REPEAT_STEP, r), f.read(&STAGGER, r));
        f.finish(r);
        Some(Self { count: count?, step: step?, stagger: stagger? })
    }
}
