use super::{Cursor, Fields, MaterialTable, Reading, read_shape};
use crate::document::{Value, quote};
use crate::fault::{FaultKind, Location};
use drystone_core::{BodyKind, BodyProperties, MassError, MaterialIndex};
use drystone_geometry::{MassProperties, Shape};
use drystone_math::elementary::rotation_about;
use drystone_math::{Pose, Quat, Real, SymmetricMat3, Twist, Vec3};

/// Most bodies of a scene, copies counted.
const MOST_BODIES: usize = 1_000_000;

/// Copies of a body on a grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Repeat {
    /// Copies along x, y and z.
    pub count: [usize; 3],
    /// Distance between neighbours along each axis (m).
    pub step: Vec3,
    /// Added to the position in every odd y-row (m).
    pub stagger: Vec3,
}

impl Repeat {
    /// Where copy `i` stands from the first one (m): x fastest, then y, then z.
    pub fn offset(&self, i: usize) -> Vec3 {
        let [nx, ny, _] = self.count;
        let (x, y, z) = (i % nx, (i / nx) % ny, i / (nx * ny));
        let base = self.step * Vec3::new(x as Real, y as Real, z as Real);
        if y % 2 == 1 { base + self.stagger } else { base }
    }
}

/// An entry of `[[bodies]]`.
#[derive(Debug, Clone)]
pub struct BodyEntry {
    /// Its name; the copies of a repeated one are `name[0]`, `name[1]` ...
    pub name: String,
    /// What does not change about it.
    pub properties: BodyProperties,
    /// The first copy's body frame in the world.
    pub pose: Pose,
    /// Velocity of the centre of mass and angular velocity, world frame.
    pub velocity: Twist,
    /// How it is repeated.
    pub repeat: Option<Repeat>,
    /// Number of copies, one where it is not repeated.
    pub copies: usize,
    /// Column of the first copy.
    pub first: usize,
    /// Where it stands in the scene.
    pub location: Location,
}

impl BodyEntry {
    /// The name of a copy.
    pub fn copy_name(&self, i: usize) -> String {
        if self.repeat.is_some() { format!("{}[{i}]", self.name) } else { self.name.clone() }
    }

    /// Initial pose of the body frame of a copy.
    pub fn frame(&self, i: usize) -> Pose {
        let offset = self.repeat.map(|q| q.offset(i)).unwrap_or_default();
        Pose::new(self.pose.position + offset, self.pose.orientation)
    }

    /// Initial pose of the centre of mass of a copy.
    pub fn center_pose(&self, i: usize) -> Pose {
        let frame = self.frame(i);
        Pose::new(frame.point(self.properties.center), frame.orientation)
    }

    /// The name as a message shows it: with the range of its copies.
    pub(crate) fn display_name(&self) -> String {
        if self.repeat.is_some() { format!("{}[0..{}]", self.name, self.copies - 1) } else { self.name.clone() }
    }
}

/// Reads `[[bodies]]`.
pub(crate) fn read_bodies(at: Option<&Cursor<'_>>, materials: &MaterialTable, r: &mut Reading) -> Vec<BodyEntry> {
    let items = at.and_then(|c| c.items(r)).unwrap_or_default();
    let mut bodies: Vec<BodyEntry> = Vec::with_capacity(items.len());
    let mut names: Vec<(String, Cursor<'_>)> = Vec::with_capacity(items.len());
    let mut total = 0;
    for c in &items {
        let Some(mut f) = c.fields(r) else { continue };
        let body = read_body(&mut f, materials, &mut names, r);
        f.finish(r);
        r.subject = None;
        let Some(mut body) = body else { continue };
        if body.copies > MOST_BODIES - total {
            let found = format!("{} bodies with this one", total as u128 + body.copies as u128);
            r.fault(c, FaultKind::Value { found, allowed: format!("at most {MOST_BODIES}, copies by repeat counted") });
            continue;
        }
        body.first = total;
        total += body.copies;
        bodies.push(body);
    }
    report_duplicates(&mut names, &bodies, r);
    bodies
}

fn report_duplicates(names: &mut [(String, Cursor<'_>)], bodies: &[BodyEntry], r: &mut Reading) {
    names.sort_by(|a, b| a.0.cmp(&b.0));
    for pair in names.windows(2) {
        if pair[0].0 == pair[1].0 {
            let allowed = "a name that no other body has".to_owned();
            r.fault(&pair[1].1, FaultKind::Value { found: format!("{} again", quote(&pair[1].0)), allowed });
        }
    }
    // a name like box[3] may be that of another body's copy
    let repeated = super::BodyNames::new(bodies);
    for (name, c) in names.iter().filter(|(n, _)| n.ends_with(']')) {
        if let Some(super::BodyRef::Body { entry, .. }) = repeated.find_copy(name) {
            let allowed = format!("a name that no copy of {} has", quote(&bodies[entry].name));
            r.fault(c, FaultKind::Value { found: quote(name), allowed });
        }
    }
}

fn read_body<'a>(
    f: &mut Fields<'a>,
    materials: &MaterialTable,
    names: &mut Vec<(String, Cursor<'a>)>,
    r: &mut Reading,
) -> Option<BodyEntry> {
    let name = read_name(f, names, r);
    let kind = f.get("kind").map_or(Some(BodyKind::Dynamic), |c| {
        Some(match c.choice(&["dynamic", "fixed", "scripted"], r)? {
            "dynamic" => BodyKind::Dynamic,
            "fixed" => BodyKind::Fixed,
            _ => BodyKind::Scripted,
        })
    });
    let shape = f.require("shape", "a table with one key, the kind of shape", r).and_then(|c| read_shape(&c, r));
    let position = f.get("position").map_or(Some(Vec3::ZERO), |c| c.vec3(r));
    let orientation = f.get("orientation").map_or(Some(Quat::IDENTITY), |c| read_orientation(&c, r));
    let linear = f.get("linear_velocity").map_or(Some(Vec3::ZERO), |c| velocity(&c, kind, r));
    let angular = f.get("angular_velocity").map_or(Some(Vec3::ZERO), |c| velocity(&c, kind, r));
    let material = f.get("material").map_or(Some(0), |c| materials.resolve(&c, r));
    let mass = f.get("mass").map_or(Some(None), |c| c.positive(r).map(Some));
    let inertia = read_tensor(f, r);
    let center = f.get("center_of_mass").map_or(Some(None), |c| c.vec3(r).map(Some));
    let layer = f.get("layer").map_or(Some(0), |c| c.integer(i64::MIN, i64::MAX, r));
    let lock_translation = f.get("lock_translation").map_or(Some(false), |c| c.boolean(r));
    let lock_rotation = f.get("lock_rotation").map_or(Some(false), |c| c.boolean(r));
    let spin_axis = f.get("spin_axis").map_or(Some(None), |c| c.direction(r).map(Some));
    let can_sleep = f.get("can_sleep").map_or(Some(true), |c| c.boolean(r));
    let repeat = f.get("repeat").map_or(Some(None), |c| read_repeat(&c, r).map(Some));
    let (material, position) = (material?, position?);
    let (kind, given) = (kind?, Given { mass: mass?, inertia: inertia.ok()?, center: center? });

    let mut properties = match kind {
        BodyKind::Fixed | BodyKind::Passive => BodyProperties::fixed(shape?),
        BodyKind::Scripted => BodyProperties::scripted(shape?),
        BodyKind::Dynamic => dynamic(shape?, &given, materials.list[material].density, f.cursor(), r)?,
    };
    properties.material = MaterialIndex(material as u32);
    properties.layer = layer?;
    properties.spin_axis = spin_axis?;
    properties.can_sleep = can_sleep?;
    if lock_translation? {
        properties.inverse_mass = 0.0;
    }
    if lock_rotation? {
        properties.inverse_inertia = SymmetricMat3::ZERO;
    }
    let repeat = repeat?;
    let copies = repeat.map_or(1, |q| q.count.iter().product());
    if let Some(q) = &repeat
        && !(q.offset(copies - 1) + position).is_finite()
    {
        let kind =
            FaultKind::Value { found: "positions that overflow".to_owned(), allowed: "finite positions".to_owned() };
        r.fault(&f.get("repeat")?, kind);
        return None;
    }
    Some(BodyEntry {
        name: name?,
        properties,
        pose: Pose::new(position, orientation?),
        velocity: Twist::new(linear?, angular?),
        repeat,
        copies,
        first: 0,
        location: r.location(f.cursor()),
    })
}

fn read_name<'a>(f: &mut Fields<'a>, names: &mut Vec<(String, Cursor<'a>)>, r: &mut Reading) -> Option<String> {
    let c = f.require("name", "a name that no other body has", r)?;
    let name = c.text(r)?;
    if name.is_empty() || name == "world" {
        r.wrong(&c, "a name that is not empty and not \"world\"");
        return None;
    }
    names.push((name.to_owned(), c));
    r.subject = Some(format!("body {}", quote(name)).into());
    Some(name.to_owned())
}

/// What the scene says of a body's mass in the place of the homogeneous solid's.
struct Given {
    mass: Option<Real>,
    inertia: Option<SymmetricMat3>,
    center: Option<Vec3>,
}

fn dynamic(shape: Shape, given: &Given, density: Real, at: &Cursor<'_>, r: &mut Reading) -> Option<BodyProperties> {
    let Given { mass, inertia, center } = *given;
    // a given mass scales the homogeneous solid's inertia
    let homogeneous = shape.mass_properties(if mass.is_some() { 1.0 } else { density });
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

fn velocity(c: &Cursor<'_>, kind: Option<BodyKind>, r: &mut Reading) -> Option<Vec3> {
    let v = c.vec3(r)?;
    if kind == Some(BodyKind::Fixed) && v != Vec3::ZERO {
        let found = format!("{:?}", v.to_array());
        r.fault(c, FaultKind::Value { found, allowed: "[0, 0, 0] for a fixed body".to_owned() });
        return None;
    }
    Some(v)
}

/// A value had a fault, which is reported.
struct Faulty;

/// `inertia`, the diagonal, and `products_of_inertia`, the entries (xy, xz, yz); none where the scene says nothing.
fn read_tensor(f: &mut Fields<'_>, r: &mut Reading) -> Result<Option<SymmetricMat3>, Faulty> {
    let diagonal = f.get("inertia").map(|c| read_inertia(&c, r).ok_or(Faulty)).transpose();
    let products = f.get("products_of_inertia").map(|c| c.reals::<3>(r).map(|p| (c, p)).ok_or(Faulty)).transpose();
    match (diagonal?, products?) {
        (None, None) => Ok(None),
        (Some(diagonal), None) => Ok(Some(SymmetricMat3::from_diagonal(diagonal))),
        (Some(diagonal), Some((_, [xy, xz, yz]))) => {
            Ok(Some(SymmetricMat3 { diagonal, off_diagonal: Vec3::new(yz, xz, xy) }))
        }
        (None, Some((c, _))) => {
            let allowed = "together with inertia, the diagonal".to_owned();
            r.fault(&c, FaultKind::Value { found: "products of inertia alone".to_owned(), allowed });
            Err(Faulty)
        }
    }
}

fn read_inertia(c: &Cursor<'_>, r: &mut Reading) -> Option<Vec3> {
    let d = c.vec3(r)?;
    if d.cmple(Vec3::ZERO).any() {
        let found = format!("{:?}", d.to_array());
        r.fault(c, FaultKind::Value { found, allowed: "3 finite moments of inertia above zero".to_owned() });
        return None;
    }
    Some(d)
}

/// A quaternion `[x, y, z, w]` of any length above zero, or an axis and an angle.
pub(crate) fn read_orientation(c: &Cursor<'_>, r: &mut Reading) -> Option<Quat> {
    if matches!(c.node().value, Value::Table(_)) {
        let mut f = c.fields(r)?;
        let axis = f.require("axis", "a vector of a length above zero", r).and_then(|c| c.direction(r));
        let degrees = f.require("degrees", "a finite number", r).and_then(|c| c.real(r));
        f.finish(r);
        return Some(rotation_about(axis?, degrees?.to_radians()));
    }
    if !matches!(c.node().value, Value::List(_)) {
        r.wrong(c, "a quaternion [x, y, z, w], or { axis = [x, y, z], degrees = d }");
        return None;
    }
    let q = c.reals::<4>(r)?;
    let scale = q.iter().fold(0.0, |m: Real, x| m.max(x.abs()));
    if scale == 0.0 {
        let allowed = "a quaternion of a length above zero".to_owned();
        r.fault(c, FaultKind::Value { found: "[0, 0, 0, 0]".to_owned(), allowed });
        return None;
    }
    let raw = Quat::from_array(q);
    let unit = (raw.length_squared() - 1.0).abs() < 1e-15;
    Some(if unit { raw } else { Quat::from_array(q.map(|x| x / scale)).normalize() })
}

fn read_repeat(c: &Cursor<'_>, r: &mut Reading) -> Option<Repeat> {
    let mut f = c.fields(r)?;
    let count = f.require("count", "a list of 3 whole numbers from 1", r).and_then(|c| {
        let items = c.items(r)?;
        if items.len() != 3 {
            r.wrong(&c, "a list of 3 whole numbers from 1");
            return None;
        }
        let n: Vec<_> = items.iter().map(|i| i.integer(1, MOST_BODIES as i64, r)).collect();
        let n = [n[0]? as usize, n[1]? as usize, n[2]? as usize];
        let all = n.iter().map(|k| *k as u128).product::<u128>();
        if all > MOST_BODIES as u128 {
            let allowed = format!("at most {MOST_BODIES} bodies by repeat");
            r.fault(&c, FaultKind::Value { found: format!("{all} copies"), allowed });
            return None;
        }
        Some(n)
    });
    let step = f.require("step", "a list of 3 finite numbers", r).and_then(|c| c.vec3(r));
    let stagger = f.get("stagger").map_or(Some(Vec3::ZERO), |c| c.vec3(r));
    f.finish(r);
    Some(Repeat { count: count?, step: step?, stagger: stagger? })
}
