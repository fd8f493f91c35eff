use super::joint::read_pair;
use super::{BodyEntry, BodyNames, BodyRef, Cursor, Fields, Reading};
use crate::fault::{FaultKind, Location};
use drystone_core::{BodyIndex, ForceField};
use drystone_math::{Real, Vec3};
use drystone_motion::force::{Anchor, Axes, Damping, Drag, PointGravity, PointWrench, SpringDamper, Targets};

/// The kinds of force the format has.
const KINDS: [&str; 6] = ["spring", "mouse-spring", "damping", "drag", "point-gravity", "wrench"];

/// An entry of `[[forces]]`.
#[derive(Debug, Clone, PartialEq)]
pub struct ForceEntry {
    /// What it is.
    pub kind: ForceKind,
    /// Where it stands in the scene.
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
}

impl ForceEntry {
    /// The force field.
    pub fn field(&self) -> Box<dyn ForceField> {
        match self.kind.clone() {
            ForceKind::Spring(f) => Box::new(f),
            ForceKind::Damping(f) => Box::new(f),
            ForceKind::Drag(f) => Box::new(f),
            ForceKind::PointGravity(f) => Box::new(f),
            ForceKind::Wrench(f) => Box::new(f),
        }
    }
}

/// Reads `[[forces]]`.
pub(crate) fn read_forces(at: Option<&Cursor<'_>>, bodies: &[BodyEntry], r: &mut Reading) -> Vec<ForceEntry> {
    let bodies = Bodies { names: BodyNames::new(bodies), entries: bodies };
    let items = at.and_then(|c| c.items(r)).unwrap_or_default();
    items.iter().filter_map(|c| read_force(c, &bodies, r)).collect()
}

struct Bodies<'a> {
    names: BodyNames<'a>,
    entries: &'a [BodyEntry],
}

impl Bodies<'_> {
    /// The column of the dynamic body that a text names, or a fault.
    fn dynamic(&self, c: &Cursor<'_>, r: &mut Reading) -> Option<BodyIndex> {
        let found = self.names.resolve(c, false, r)?;
        let BodyRef::Body { entry, .. } = found else { return None };
        if !self.entries[entry].properties.is_dynamic() {
            let found = "a body that no force moves".to_owned();
            r.fault(c, FaultKind::Value { found, allowed: "a dynamic body".to_owned() });
            return None;
        }
        found.column(self.entries).map(BodyIndex::new)
    }

    /// The bodies of a list, or all where there is no list.
    fn targets(&self, f: &mut Fields<'_>, r: &mut Reading) -> Option<Targets> {
        let Some(c) = f.get("bodies") else { return Some(Targets::All) };
        let list: Vec<_> = c.items(r)?.iter().map(|c| self.dynamic(c, r)).collect();
        Some(Targets::These(list.into_iter().collect::<Option<_>>()?))
    }
}

fn read_force(c: &Cursor<'_>, bodies: &Bodies<'_>, r: &mut Reading) -> Option<ForceEntry> {
    let mut f = c.fields(r)?;
    let kind = f.require("kind", &format!("one of {}", KINDS.join(", ")), r)?.choice(&KINDS, r)?;
    let kind = match kind {
        "spring" => spring(&mut f, bodies, r),
        "mouse-spring" => mouse_spring(&mut f, bodies, r),
        "damping" => damping(&mut f, bodies, r),
        "drag" => drag(&mut f, bodies, r),
        "point-gravity" => point_gravity(&mut f, r),
        _ => wrench(&mut f, bodies, r),
    };
    f.finish(r);
    Some(ForceEntry { kind: kind?, location: r.location(c) })
}

/// A number, zero or more, that is zero where it is left out.
fn amount(f: &mut Fields<'_>, key: &'static str, r: &mut Reading) -> Option<Real> {
    f.get(key).map_or(Some(0.0), |c| c.not_negative(r))
}

fn vector(f: &mut Fields<'_>, key: &'static str, r: &mut Reading) -> Option<Vec3> {
    f.get(key).map_or(Some(Vec3::ZERO), |c| c.vec3(r))
}

/// Stiffness (N/m), damping (N s/m) and the largest force (N).
fn elastic(f: &mut Fields<'_>, r: &mut Reading) -> Option<[Real; 3]> {
    let stiffness = f.require("stiffness", "a finite number, zero or more", r).and_then(|c| c.not_negative(r));
    let damping = amount(f, "damping", r);
    let max_force = f.get("max_force").map_or(Some(Real::INFINITY), |c| c.positive(r));
    Some([stiffness?, damping?, max_force?])
}

fn spring(f: &mut Fields<'_>, bodies: &Bodies<'_>, r: &mut Reading) -> Option<ForceKind> {
    let pair = f
        .require("bodies", "a list of two names of bodies, one of which may be \"world\"", r)
        .and_then(|c| read_pair(&c, &bodies.names, bodies.entries, r));
    let points = f.get("anchors").map_or(Some([Vec3::ZERO; 2]), |c| {
        let two = <[Vec3; 2]>::try_from(c.points(r)?).ok();
        if two.is_none() {
            r.wrong(&c, "a list of two points");
        }
        two
    });
    let elastic = elastic(f, r);
    let rest_length = amount(f, "rest_length", r);
    let (pair, points, [stiffness, damping, max_force]) = (pair?, points?, elastic?);
    let anchor = |i: usize| match pair[i] {
        None => Anchor::World(points[i]),
        Some(column) => Anchor::Body { body: BodyIndex::new(column), point: points[i] },
    };
    let anchors = [anchor(0), anchor(1)];
    Some(ForceKind::Spring(SpringDamper { anchors, rest_length: rest_length?, stiffness, damping, max_force }))
}

fn mouse_spring(f: &mut Fields<'_>, bodies: &Bodies<'_>, r: &mut Reading) -> Option<ForceKind> {
    let body = f.require("body", "the name of a dynamic body", r).and_then(|c| bodies.dynamic(&c, r));
    let point = vector(f, "anchor", r);
    let target = f.require("target", "a list of 3 finite numbers", r).and_then(|c| c.vec3(r));
    let [stiffness, damping, max_force] = elastic(f, r)?;
    Some(ForceKind::Spring(SpringDamper::mouse(body?, point?, target?, stiffness, damping, max_force)))
}

fn damping(f: &mut Fields<'_>, bodies: &Bodies<'_>, r: &mut Reading) -> Option<ForceKind> {
    let (linear, angular) = (amount(f, "linear", r), amount(f, "angular", r));
    let targets = bodies.targets(f, r);
    Some(ForceKind::Damping(Damping { linear: linear?, angular: angular?, targets: targets? }))
}

fn drag(f: &mut Fields<'_>, bodies: &Bodies<'_>, r: &mut Reading) -> Option<ForceKind> {
    let (viscous, quadratic) = (amount(f, "viscous", r), amount(f, "quadratic", r));
    let (angular, wind) = (amount(f, "angular", r), vector(f, "wind", r));
    let targets = bodies.targets(f, r)?;
    Some(ForceKind::Drag(Drag { viscous: viscous?, quadratic: quadratic?, angular: angular?, wind: wind?, targets }))
}

fn point_gravity(f: &mut Fields<'_>, r: &mut Reading) -> Option<ForceKind> {
    let center = vector(f, "center", r);
    let strength = f.require("strength", "a finite number", r).and_then(|c| c.real(r));
    let softening = amount(f, "softening", r);
    Some(ForceKind::PointGravity(PointGravity { center: center?, strength: strength?, softening: softening? }))
}

fn wrench(f: &mut Fields<'_>, bodies: &Bodies<'_>, r: &mut Reading) -> Option<ForceKind> {
    let body = f.require("body", "the name of a dynamic body", r).and_then(|c| bodies.dynamic(&c, r));
    let (point, force, torque) = (vector(f, "point", r), vector(f, "force", r), vector(f, "torque", r));
    let axes = f.get("axes").map_or(Some("world"), |c| c.choice(&["world", "body"], r))?;
    let axes = if axes == "body" { Axes::Body } else { Axes::World };
    Some(ForceKind::Wrench(PointWrench { body: body?, point: point?, force: force?, torque: torque?, axes }))
}
