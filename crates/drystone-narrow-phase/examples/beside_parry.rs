//! Distances and depths of random convex pairs beside parry, in double precision: `beside_parry [pairs] [seed]`. Where the two differ,
//! the support planes tell who is right: the gap between them is a lower bound along any direction, so the larger of the two gaps is the best
//! that is known, and who tells what is nearer to it is right.

use drystone_core::{NarrowPhase, PosedShape};
use drystone_geometry::Shape;
use drystone_math::{Pose, Real, Vec3};
use drystone_narrow_phase::Combined;
use drystone_testkit::Random;
use parry3d_f64::math::{Pose as TheirPose, Rotation, Vector};
use parry3d_f64::query;
use parry3d_f64::shape::{Ball, Capsule, Cone, ConvexPolyhedron, Cuboid, Cylinder, Shape as TheirShape};

/// Answers that differ by less agree (m).
const AGREE: Real = 1e-6;

fn vector(v: Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

/// The same random shape for both.
fn shape(random: &mut Random) -> Option<(Shape, Box<dyn TheirShape>)> {
    let [x, y, z] = [0.0; 3].map(|_: Real| random.range(0.1, 1.0));
    let points: Vec<Vec3> = (0..12).map(|_| random.vector(0.7)).collect();
    let theirs: Vec<Vector> = points.iter().map(|p| vector(*p)).collect();
    let (own, theirs): (_, Box<dyn TheirShape>) = match random.below(6) {
        0 => (Shape::sphere(x), Box::new(Ball::new(x))),
        1 => (Shape::cuboid(x, y, z), Box::new(Cuboid::new(vector(Vec3::new(x, y, z))))),
        2 => (Shape::capsule(x, y), Box::new(Capsule::new_y(y, x))),
        3 => (Shape::cylinder(x, y), Box::new(Cylinder::new(y, x))),
        4 => (Shape::cone(x, y), Box::new(Cone::new(y, x))),
        _ => (Shape::convex(&points), Box::new(ConvexPolyhedron::from_convex_hull(&theirs)?)),
    };
    Some((own.ok()?, theirs))
}

fn their_pose(p: &Pose) -> TheirPose {
    let mut q = TheirPose::identity();
    q.translation = vector(p.position);
    let (axis, angle) = p.orientation.to_axis_angle();
    q.rotation = Rotation::from_scaled_axis(vector(axis * angle));
    q
}

/// The gap between the support planes along a direction (m): negative where the shapes overlap along it.
fn gap(a: PosedShape<'_>, b: PosedShape<'_>, n: Vec3) -> Option<Real> {
    let reach = |s: PosedShape<'_>, n: Vec3| Some(n.dot(s.pose.point(s.shape.support(s.pose.local_direction(n))?)));
    Some(-reach(b, -n)? - reach(a, n)?)
}

#[derive(Default)]
struct Tally {
    pairs: u32,
    worst: Real,
    differ: u32,
    ours_right: u32,
    theirs_right: u32,
    /// How far answers here are off where parry's are better (m).
    worst_here: Real,
}

fn compare(random: &mut Random, tally: &mut Tally) -> Option<()> {
    let ((x, their_x), (y, their_y)) = (shape(random)?, shape(random)?);
    let pa = Pose::new(Vec3::ZERO, random.rotation());
    let pb = Pose::new(random.direction() * random.range(0.0, 2.5), random.rotation());
    let (a, b) = (PosedShape { shape: &x, pose: pa }, PosedShape { shape: &y, pose: pb });
    let ours = Combined.query(a, b, Real::INFINITY, &mut [0; 4], &mut Vec::new()).ok()?;
    let theirs = query::contact(&their_pose(&pa), &*their_x, &their_pose(&pb), &*their_y, 100.0).ok()?;
    tally.pairs += 1;
    let (their_distance, n) = match theirs {
        Some(c) => (c.dist, Vec3::new(c.normal1.x, c.normal1.y, c.normal1.z)),
        None => (Real::INFINITY, Vec3::ZERO),
    };
    let off = (ours.distance - their_distance).abs();
    if off <= AGREE {
        tally.worst = tally.worst.max(off);
        return Some(());
    }
    tally.differ += 1;
    let proven = gap(a, b, ours.normal)?.max(gap(a, b, n).filter(|g| g.is_finite()).unwrap_or(Real::NEG_INFINITY));
    if (ours.distance - proven).abs() <= (their_distance - proven).abs() {
        tally.ours_right += 1;
    } else {
        tally.theirs_right += 1;
        tally.worst_here = tally.worst_here.max((ours.distance - proven).abs());
    }
    Some(())
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse::<u64>().ok());
    let pairs = arguments.next().flatten().unwrap_or(6000);
    let mut random = Random::new(arguments.next().flatten().unwrap_or(1));
    let mut tally = Tally::default();
    for _ in 0..pairs {
        // hulls of points in a plane are passed over
        let _ = compare(&mut random, &mut tally);
    }
    let Tally { pairs, worst, differ, ours_right, theirs_right, worst_here } = tally;
    println!("{pairs} pairs: {} agree, to {worst:.1e} m", pairs - differ);
    println!(
        "{differ} differ: {ours_right} told better here, {theirs_right} by parry, where those here are off by {worst_here:.1e} m"
    );
}
