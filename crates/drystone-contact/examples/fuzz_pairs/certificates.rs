//! Certificates that any correct answer satisfies.

use super::draw::{KINDS, Scenery, brought, turn};
use super::flush;
use drystone_contact::ClippingManifold;
use drystone_core::catalogue::Settings;
use drystone_core::{ContactDetermination, Manifold, NarrowPhase, PosedShape, Proximity, Relation};
use drystone_geometry::Shape;
use drystone_math::{Pose, Real, Vec3};
use drystone_narrow_phase::{Combined, IMPLEMENTATIONS, PrimitivesImproved, PrimitivesOld, by_name};
use drystone_testkit::{Random, from_surface};

/// Pairs up to this distance touch (m).
pub(crate) const ENVELOPE: Real = 0.02;

/// Distances of shapes up to a metre are exact to this (m).
const EXACT: Real = 2e-6;

/// Witnesses of overlapping cylinders and cones lie on the chords of a polytope (m).
const CHORD: Real = 1e-3;

/// A move (m) for the test of continuity, and what a distance may change by beside it.
const MOVE: Real = 1e-6;
const ROUNDING: Real = 2e-6;

/// More points than this are not few: the corners of a circle.
const MOST_POINTS: usize = 16;

/// A certificate that fails: its kind, and the pair.
pub(crate) struct Fault {
    pub kind: String,
    pub told: String,
}

/// The kinds of the shapes of pair `k`, unless it is one of faces that lie flush.
pub(crate) fn kinds(k: u64) -> [usize; 2] {
    [k as usize / 4 % KINDS, k as usize / 4 / KINDS % KINDS]
}

/// Draws pair `k` and judges it.
///
/// # Errors
/// The first certificate that fails.
pub(crate) fn check(seed: u64, k: u64, scenery: &Scenery) -> Result<(), Fault> {
    let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ k);
    random.bits();
    if k % 4 == 3 {
        return flush::check(&mut random);
    }
    let shapes = kinds(k).map(|kind| scenery.shape(&mut random, kind));
    let a = PosedShape { shape: &shapes[0], pose: Pose::new(random.vector(1.0), turn(&mut random)) };
    let away = random.direction() * random.range(0.0, 2.5);
    let b = PosedShape { shape: &shapes[1], pose: Pose::new(a.pose.position + away, turn(&mut random)) };
    let b = if Combined.supports(a.shape, b.shape) { brought(&mut random, a, b) } else { b };
    for one in IMPLEMENTATIONS {
        let Some(narrow) = by_name(one.name, &Settings::defaults(one)) else { continue };
        if narrow.supports(a.shape, b.shape) {
            Judge { narrow: &*narrow, a, b }.judge(&mut random)?;
        }
    }
    Ok(())
}

struct Judge<'a> {
    narrow: &'a dyn NarrowPhase,
    a: PosedShape<'a>,
    b: PosedShape<'a>,
}

fn is_mesh(s: &Shape) -> bool {
    matches!(s, Shape::Mesh(_))
}

/// True for shapes that their support maps bound.
fn is_supported(s: &Shape) -> bool {
    s.is_convex() || matches!(s, Shape::Plane(_))
}

fn is_round(s: &Shape) -> bool {
    matches!(s, Shape::Cylinder(_) | Shape::Cone(_) | Shape::Compound(_))
}

/// Reach of a shape along a direction (m).
fn reach(s: PosedShape<'_>, n: Vec3) -> Real {
    if let Shape::Plane(p) = s.shape {
        let (normal, offset) = p.placed(&s.pose);
        // a half space seen along its own normal
        return if normal.dot(n) > 1.0 - 1e-12 { offset } else { Real::INFINITY };
    }
    s.shape.support(s.pose.local_direction(n)).map_or(Real::INFINITY, |p| n.dot(s.pose.point(p)))
}

impl Judge<'_> {
    fn fault<T>(&self, what: &str, told: &impl core::fmt::Debug) -> Result<T, Fault> {
        let kind = format!("{}: {} - {}: {what}", self.narrow.name(), self.a.shape.kind(), self.b.shape.kind());
        Err(Fault { kind, told: format!("{told:?}; at {:?} and {:?}", self.a.pose, self.b.pose) })
    }

    fn ask(&self, a: PosedShape<'_>, b: PosedShape<'_>, envelope: Real) -> Result<Proximity, Fault> {
        match self.narrow.query(a, b, envelope, &mut [0; 4], &mut Vec::new()) {
            Ok(p) => Ok(p),
            Err(e) => self.fault("refused", &e.to_string()),
        }
    }

    fn judge(&self, random: &mut Random) -> Result<(), Fault> {
        let (a, b) = (self.a, self.b);
        let p = self.ask(a, b, ENVELOPE)?;
        let finite = p.distance.is_finite() && p.witness_a.is_finite() && p.witness_b.is_finite();
        if !finite || (p.normal.length() - 1.0).abs() > 1e-9 {
            return self.fault("not finite", &p);
        }
        let both_meshes = is_mesh(a.shape) && is_mesh(b.shape);
        // the rules for boxes that the thesis criticises, and sampled surfaces, keep weaker contracts
        let is_of_text = [PrimitivesOld.name(), PrimitivesImproved.name()].contains(&self.narrow.name());
        if both_meshes || is_of_text && p.distance < EXACT {
            return Ok(());
        }
        self.in_any_frame(random, &p)?;
        if p.relation != Relation::Separated {
            self.attained(&p)?;
            self.on_surfaces(&p)?;
            self.is_continuous(random, &p)?;
        }
        if self.narrow.name() == Combined.name() { self.has_good_points(&p) } else { Ok(()) }
    }

    /// Swapped, and moved as a whole, the two are as far apart.
    fn in_any_frame(&self, random: &mut Random, p: &Proximity) -> Result<(), Fault> {
        let (a, b) = (self.a, self.b);
        let off = |q: &Proximity| {
            let beyond = p.relation == Relation::Separated && q.relation == Relation::Separated;
            if beyond { 0.0 } else { (q.distance - p.distance).abs() }
        };
        let swapped = self.ask(b, a, ENVELOPE)?;
        if off(&swapped) > self.tolerance(p) {
            return self.fault("swapped", &(p, swapped));
        }
        let moved = Pose::new(random.vector(2.0), random.rotation());
        let [x, y] = [a, b].map(|s| PosedShape { pose: moved * s.pose, ..s });
        let elsewhere = self.ask(x, y, ENVELOPE)?;
        if off(&elsewhere) > self.tolerance(p) {
            return self.fault("moved as a whole", &(p, elsewhere));
        }
        Ok(())
    }

    /// Deep in a mesh the depth is that of one of many ways out.
    fn tolerance(&self, p: &Proximity) -> Real {
        let mesh = is_mesh(self.a.shape) || is_mesh(self.b.shape);
        if mesh && p.distance < -ENVELOPE { Real::INFINITY } else { EXACT }
    }

    /// The support planes along the normal are the distance apart.
    fn attained(&self, p: &Proximity) -> Result<(), Fault> {
        if !is_supported(self.a.shape) || !is_supported(self.b.shape) {
            return Ok(());
        }
        let gap = -reach(self.b, -p.normal) - reach(self.a, p.normal);
        if (gap - p.distance).abs() > EXACT {
            return self.fault("support planes", &(gap, p));
        }
        Ok(())
    }

    /// The witnesses lie on the surfaces, the distance apart.
    fn on_surfaces(&self, p: &Proximity) -> Result<(), Fault> {
        let overlaps = p.distance < 0.0;
        let round = is_round(self.a.shape) || is_round(self.b.shape);
        let mesh = is_mesh(self.a.shape) || is_mesh(self.b.shape);
        let allowed = if overlaps && (round || mesh) { CHORD.max(-0.5 * p.distance) } else { 5e-6 };
        for (s, w) in [(self.a, p.witness_a), (self.b, p.witness_b)] {
            let off = from_surface(s.shape, s.pose.local_point(w));
            if off > allowed {
                return self.fault("witness off its surface", &(off, p));
            }
        }
        let between = p.witness_b - p.witness_a;
        let beside = if overlaps && (round || mesh) {
            (between.dot(p.normal) - p.distance).abs()
        } else {
            (between - p.normal * p.distance).length()
        };
        if beside > 5e-6 {
            return self.fault("witnesses not the distance apart", &(beside, p));
        }
        Ok(())
    }

    /// A slight move changes the distance slightly.
    fn is_continuous(&self, random: &mut Random, p: &Proximity) -> Result<(), Fault> {
        if self.tolerance(p) > EXACT {
            return Ok(());
        }
        let mut b = self.b;
        b.pose.position += random.direction() * MOVE;
        let q = self.ask(self.a, b, ENVELOPE)?;
        if (q.distance - p.distance).abs() > MOVE + ROUNDING {
            return self.fault("jumps", &(p, q));
        }
        Ok(())
    }

    /// Few points, as deep as the pair.
    fn has_good_points(&self, p: &Proximity) -> Result<(), Fault> {
        let m = manifold(self.a, self.b, true);
        if p.relation == Relation::Separated {
            return if m.points.is_empty() { Ok(()) } else { self.fault("points of a pair apart", &m.points.len()) };
        }
        let convex = is_supported(self.a.shape) && is_supported(self.b.shape);
        if convex && m.points.len() > MOST_POINTS {
            return self.fault("many points", &m.points.len());
        }
        let deepest = m.least_separation();
        if deepest - p.distance > 0.02 * p.distance.abs() + 1e-4 {
            return self.fault("no point as deep as the pair", &(deepest, p));
        }
        if convex && p.distance - deepest > 0.02 * p.distance.abs() + 1e-4 {
            return self.fault("a point deeper than the pair", &(deepest, p));
        }
        let mut keys: Vec<u64> = m.points.iter().map(|p| p.key.0).collect();
        keys.sort_unstable();
        keys.dedup();
        if keys.len() < m.points.len() {
            return self.fault("two points of one name", &m.points.len());
        }
        Ok(())
    }
}

/// The points of a pair by the default modules.
pub(crate) fn manifold(a: PosedShape<'_>, b: PosedShape<'_>, reduce: bool) -> Manifold {
    let (mut seeds, mut m) = (Vec::new(), Manifold::default());
    if let Ok(p) = Combined.query(a, b, ENVELOPE, &mut [0; 4], &mut seeds) {
        let clipping = ClippingManifold { reduce, ..ClippingManifold::default() };
        clipping.determine(a, b, &p, &seeds, ENVELOPE, &mut m);
    }
    m
}
