use crate::candidate::{Candidate, Candidates};
use crate::reference::Reference;
use crate::round_clip::{self, Outline};
use drystone_core::{PosedShape, Proximity};
use drystone_geometry::{Plane, RoundFace, Shape, SupportFeature};
use drystone_math::{Pose, Real, Vec3};
use smallvec::SmallVec;

/// Cosine of the angle up to which a normal belongs to a face.
const ALIGNED: Real = 0.995;

/// B's face is the reference only if it is better aligned by this difference in cosine.
const PREFERENCE: Real = 1e-6;

/// Sine of the angle up to which two segments count as parallel.
const BESIDE: Real = 0.05;

/// Below this sine of the angle, a face is seen edge-on along a normal: what lies over it then says nothing about where the shapes
/// meet.
const LEAST_RISE: Real = 0.3;

/// If the gap that can close within a step is below this fraction of the smaller shape's radius, looking at faces is not worthwhile: none
/// can penetrate by more.
const LITTLE: Real = 0.05;

/// In units of the noise: a corner no farther than this from the witness is the witness.
const WITNESSED: Real = 100.0;

/// The names of points of leaning faces begin with this.
const LEANING: u64 = 1 << 61;

/// The candidates of any convex pair, from the features that face each other along the normal; none if the features
/// meet in a point.
pub(crate) fn candidates(
    a: PosedShape<'_>,
    b: PosedShape<'_>,
    proximity: &Proximity,
    out: &mut Candidates,
) -> Option<Reference> {
    match (a.shape, b.shape) {
        (Shape::Plane(p), _) => Some(over_plane(p, a, b, false, out)),
        (_, Shape::Plane(p)) => Some(over_plane(p, b, a, true, out)),
        _ => between(a, b, proximity, out),
    }
}

/// The corners of a shape's face that faces a plane.
fn over_plane(
    plane: &Plane,
    ground: PosedShape<'_>,
    over: PosedShape<'_>,
    is_b: bool,
    out: &mut Candidates,
) -> Reference {
    let (shape, other) = (over.shape, over.pose.relative_to(&ground.pose));
    let n = plane.normal();
    let down = other.local_direction(-n);
    let feature = shape.support_feature(down);
    let mut add = |p: Vec3, name: u64| {
        let on_other = other.point(p) - n * feature.radius;
        let separation = n.dot(on_other) - plane.offset();
        let key = u64::from(feature.id) << 16 | name;
        out.push(Candidate { on_reference: on_other - n * separation, on_other, separation, key });
    };
    if let Some(face) = shape.round_face(down) {
        let guide = over.pose.local_direction(round_clip::guide(ground, over, ground.pose.direction(n)));
        for (i, p) in face.corners(guide, down).iter().enumerate() {
            add(*p, i as u64);
        }
    } else {
        for (i, p) in feature.points.iter().enumerate() {
            add(*p, i as u64);
        }
    }
    Reference::of(n, is_b, false, &other, 1e-6 * extent(&feature))
}

fn extent(f: &SupportFeature) -> Real {
    f.points.iter().fold(f.radius, |m, p| m.max(p.abs().max_element()))
}

/// The extent of a polygon, or its width if that is less (m).
fn width(f: &SupportFeature) -> Real {
    let extent = extent(f);
    let area = 0.5 * newell(&f.points).length();
    if area < extent * extent { area / extent } else { extent }
}

/// Twice the area of a polygon along its normal (m^2), by Newell's sums.
fn newell(points: &[Vec3]) -> Vec3 {
    let mut n = Vec3::ZERO;
    for (i, &p) in points.iter().enumerate() {
        n += (p - points[0]).cross(points[(i + 1) % points.len()] - points[0]);
    }
    n
}

/// The unit normal of a polygon.
fn polygon_normal(points: &[Vec3]) -> Option<Vec3> {
    if points.len() < 3 { None } else { newell(points).try_normalize() }
}

fn between(a: PosedShape<'_>, b: PosedShape<'_>, proximity: &Proximity, out: &mut Candidates) -> Option<Reference> {
    let n_a = a.pose.local_direction(proximity.normal);
    let n_b = b.pose.local_direction(-proximity.normal);
    let (fa, fb) = (a.shape.support_feature(n_a), b.shape.support_feature(n_b));
    let cosine = |f: &SupportFeature, n: Vec3| polygon_normal(&f.points).map_or(0.0, |m| m.dot(n));
    let (ca, cb) = (cosine(&fa, n_a), cosine(&fb, n_b));
    let is_b = cb > ca + PREFERENCE;
    let (reference, incident, n, other) =
        if is_b { (&fb, &fa, n_b, a.pose.relative_to(&b.pose)) } else { (&fa, &fb, n_a, b.pose.relative_to(&a.pose)) };
    let key = u64::from(is_b) << 60 | u64::from(reference.id & 0xffff) << 44 | u64::from(incident.id & 0xffff) << 28;
    if ca.max(cb) >= ALIGNED {
        let m = polygon_normal(&reference.points)?;
        let pair = if is_b { [(b, n_b), (a, n_a)] } else { [(a, n_a), (b, n_b)] };
        if of_circles(pair, [reference, incident], (m, key, &other), out) {
            return Some(Reference::of(m, is_b, false, &other, 1e-6 * extent(reference)));
        }
        let incident_corners = incident.points.iter().map(|&p| other.point(p));
        clip(reference, m, incident_corners, incident.radius, key, out);
        return Some(Reference::of(m, is_b, false, &other, 1e-6 * extent(reference)));
    }
    if reference.points.len() == 2 && incident.points.len() == 2 {
        return beside(reference, incident, n, other, key, out)
            .then(|| Reference::of(n, is_b, true, &other, 1e-6 * extent(reference)));
    }
    None
}

/// Adds the corners of what two features that lie flat on each other both cover, if one of them is a circle; returns whether it is. Given are the reference shape and the other, each
/// with the normal in its frame, their features, and, in the reference shape's frame, its face's normal, the beginning of all names, and the other's frame.
fn of_circles(
    [own, its]: [(PosedShape<'_>, Vec3); 2],
    [reference, incident]: [&SupportFeature; 2],
    (m, key, other): (Vec3, u64, &Pose),
    out: &mut Candidates,
) -> bool {
    let round = [own, its].map(|(s, n)| s.shape.round_face(n));
    if round == [None, None] {
        return false;
    }
    let along = round_clip::guide(own.0, its.0, own.0.pose.direction(m));
    // in the frame of their own shape
    let corners = |(s, n): (PosedShape<'_>, Vec3), face: Option<RoundFace>, feature: &SupportFeature| {
        face.map_or_else(|| feature.points.iter().copied().collect(), |f| f.corners(s.pose.local_direction(along), n))
    };
    let (on_own, mut on_its) = (corners(own, round[0], reference), corners(its, round[1], incident));
    for p in &mut on_its {
        *p = other.point(*p);
    }
    let place = |f: RoundFace| RoundFace { center: other.point(f.center), axis: other.direction(f.axis), ..f };
    let its_normal = polygon_normal(&incident.points).map(|n| other.direction(n));
    let reference_outline = Outline { corners: &on_own, round: round[0], normal: Some(m) };
    let incident_outline = Outline { corners: &on_its, round: round[1].map(place), normal: its_normal };
    round_clip::clip(&reference_outline, &incident_outline, m, 1e-5 * width(reference), |p, name| {
        let separation = m.dot(p - reference.points[0]) - incident.radius - reference.radius;
        let on_other = p - m * incident.radius;
        out.push(Candidate { on_reference: on_other - m * separation, on_other, separation, key: key | name });
    });
    true
}

/// The overlap, along a normal that is not the face's, of one shape's face with the face or edge that the other turns to it, where the two are at most `reach` (m) apart along the
/// normal and do not penetrate: what meets within a step when a shape that arrives with an edge or a corner turns. Empty if neither turns a face to the other, or if the gap can
/// close only a little.
pub(crate) fn leaning(
    a: PosedShape<'_>,
    b: PosedShape<'_>,
    proximity: &Proximity,
    reach: Real,
    out: &mut Candidates,
) -> Option<Reference> {
    let size = a.shape.bounding_radius().min(b.shape.bounding_radius());
    if reach - proximity.distance.max(0.0) < LITTLE * size {
        return None;
    }
    let n_a = a.pose.local_direction(proximity.normal);
    let n_b = b.pose.local_direction(-proximity.normal);
    let (fa, fb) = (a.shape.support_feature(n_a), b.shape.support_feature(n_b));
    let [ma, mb] = [&fa, &fb].map(|f| polygon_normal(&f.points).unwrap_or(Vec3::ZERO));
    let is_b = mb.dot(n_b) > ma.dot(n_a) + PREFERENCE;
    let (reference, incident, n, m, frame, other) = if is_b {
        (&fb, &fa, n_b, mb, b.pose, a.pose.relative_to(&b.pose))
    } else {
        (&fa, &fb, n_a, ma, a.pose, b.pose.relative_to(&a.pose))
    };
    let rise = m.dot(n);
    if rise < LEAST_RISE || incident.points.len() < 2 {
        return None;
    }
    let noise = 1e-6 * extent(reference);
    let key = LEANING
        | u64::from(is_b) << 60
        | u64::from(reference.id & 0xffff) << 44
        | u64::from(incident.id & 0xffff) << 28;
    let met = frame.local_point(if is_b { proximity.witness_a } else { proximity.witness_b });
    // a column that leaves the face by a hair leaves a tilted one by more
    cut(reference, (n, 0.0), incident.points.iter().map(|&p| other.point(p)), |c| {
        let separation = m.dot(c.at - reference.points[0]) / rise - incident.radius - reference.radius;
        let on_other = c.at - n * incident.radius;
        // the witnesses are already included, and with them the pair's depth
        if (0.0..=reach).contains(&separation)
            && (on_other - met).length_squared() > WITNESSED * WITNESSED * noise * noise
        {
            out.push(Candidate { on_reference: on_other - n * separation, on_other, separation, key: key | c.key });
        }
    });
    Some(Reference::of(n, is_b, true, &other, noise))
}

/// A corner of the polygon being clipped: its place, its name, and the name of the edge that leaves it.
#[derive(Clone, Copy)]
struct Corner {
    at: Vec3,
    key: u64,
    edge: u64,
}

/// The incident polygon or segment over the reference polygon.
fn clip(
    reference: &SupportFeature,
    m: Vec3,
    incident: impl Iterator<Item = Vec3>,
    incident_radius: Real,
    key: u64,
    out: &mut Candidates,
) {
    // a point is kept if it lies on the inner side, allowing for noise
    cut(reference, (m, 1e-5 * width(reference)), incident, |c| {
        let separation = m.dot(c.at - reference.points[0]) - incident_radius - reference.radius;
        let on_other = c.at - m * incident_radius;
        let on_reference = on_other - m * separation;
        out.push(Candidate { on_reference, on_other, separation, key: key | c.key });
    });
}

/// Clips the incident polygon or segment by walls that stand on the reference polygon along `up`, with a `tolerance` (m) outwards (Sutherland and Hodgman), and calls back with
/// the resulting corners.
fn cut(
    reference: &SupportFeature,
    (up, tolerance): (Vec3, Real),
    incident: impl Iterator<Item = Vec3>,
    mut found: impl FnMut(&Corner),
) {
    let mut polygon: SmallVec<[Corner; 16]> =
        incident.enumerate().map(|(i, at)| Corner { at, key: i as u64, edge: i as u64 }).collect();
    let segment = polygon.len() == 2;
    let mut cut: SmallVec<[Corner; 16]> = SmallVec::new();
    let corners = &reference.points;
    for (w, &p) in corners.iter().enumerate() {
        let wall = up.cross(corners[(w + 1) % corners.len()] - p).normalize_or_zero();
        let side = |q: Vec3| wall.dot(q - p) + tolerance;
        cut.clear();
        let count = polygon.len();
        for i in 0..count {
            let (x, y) = (polygon[i], polygon[(i + 1) % count]);
            let (dx, dy) = (side(x.at), side(y.at));
            if dx >= 0.0 {
                cut.push(x);
            }
            // a segment has one edge, not two
            if dx * dy < 0.0 && !(segment && i == 1) {
                let at = x.at.lerp(y.at, dx / (dx - dy));
                let name = 1 << 24 | x.edge << 12 | w as u64;
                // on leaving, the next edge runs along the wall
                let edge = if dx > 0.0 { 1 << 11 | w as u64 } else { x.edge };
                cut.push(Corner { at, key: name, edge });
            }
        }
        core::mem::swap(&mut polygon, &mut cut);
    }
    polygon.iter().for_each(&mut found);
}

/// Two parallel segments: the ends of the stretch they share.
fn beside(
    reference: &SupportFeature,
    incident: &SupportFeature,
    n: Vec3,
    other: Pose,
    key: u64,
    out: &mut Candidates,
) -> bool {
    let (p0, p1) = (reference.points[0], reference.points[1]);
    let (q0, q1) = (other.point(incident.points[0]), other.point(incident.points[1]));
    let (u, v) = (p1 - p0, q1 - q0);
    let (uu, vv) = (u.length_squared(), v.length_squared());
    if u.cross(v).length_squared() > BESIDE * BESIDE * uu * vv {
        return false;
    }
    // the stretch, in the reference segment's parameter; each end is cut off at an end of one of the two
    let (s0, s1) = ((q0 - p0).dot(u) / uu, (q1 - p0).dot(u) / uu);
    let (near, far) = (s0.min(s1), s0.max(s1));
    if near > 1.0 || far < 0.0 {
        return false;
    }
    for (s, name) in [(near.max(0.0), 0), (far.min(1.0), 1)] {
        let on = p0 + u * s;
        let t = ((on - q0).dot(v) / vv).clamp(0.0, 1.0);
        let q = q0 + v * t;
        let separation = n.dot(q - on) - reference.radius - incident.radius;
        let on_reference = on + n * reference.radius;
        out.push(Candidate { on_reference, on_other: on_reference + n * separation, separation, key: key | name });
    }
    true
}
