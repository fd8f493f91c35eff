use super::*;
use crate::RowParameters;
use crate::contact_sweeps::part::Way;
use crate::contact_sweeps::relax::Visit;
use crate::contact_sweeps::support::Support;
use drystone_core::{GroupProblem, OneThread, Step};
use drystone_math::{Twist, Vec3};
use drystone_testkit::Random;
use drystone_testkit::problem::{contact, cube};
use pulp::{Arch, Scalar, Scalar128b, Scalar256b, Scalar512b, WithSimd};

const H: Real = 0.01;

/// A random heap of touching bodies above a floor: contacts of one to four points, with impulses of the last step.
fn heap(count: u32, random: &mut Random) -> GroupProblem {
    let mut p = GroupProblem { gravity: 9.81, up: Vec3::Y, ..GroupProblem::default() };
    p.bodies.push(cube(0, 0.0, Vec3::NEG_Y));
    for i in 1..=count {
        let mut body = cube(i, random.range(0.5, 3.0), random.vector(4.0) + Vec3::Y * 5.0);
        body.velocity = Twist::new(random.vector(0.3), random.vector(0.5));
        body.external = Twist::new(Vec3::NEG_Y * (9.81 * H), Vec3::ZERO);
        p.bodies.push(body);
    }
    for edge in 0..3 * count {
        let (a, b) = (random.below(count as usize + 1) as u32, 1 + random.below(count as usize) as u32);
        if a == b {
            continue;
        }
        let (normal, points) = (random.direction(), 1 + random.below(4) as u32);
        let across = normal.any_orthonormal_pair();
        let middle = (p.bodies[a as usize].pose.position + p.bodies[b as usize].pose.position) * 0.5;
        for k in 0..points {
            let aside = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]][k as usize];
            let at = middle + across.0 * (0.3 * aside[0]) + across.1 * (0.2 * aside[1] + random.range(0.0, 0.05));
            let mut c = contact([a, b], at, normal, edge, k);
            c.separation = random.range(-0.002, 0.001);
            c.friction = random.range(0.0, 0.8);
            c.impulse.normal = random.range(0.0, 0.05);
            c.impulse.friction = across.0 * random.range(-0.02, 0.02);
            p.contacts.push(c);
        }
        let friction = p.contacts[p.contacts.len() - points as usize].friction;
        p.contacts.iter_mut().rev().take(points as usize).for_each(|c| c.friction = friction);
    }
    p
}

fn bodies_of(p: &GroupProblem) -> Vec<Body> {
    p.bodies.iter().map(|b| Body::of(b, b.velocity + b.external)).collect()
}

/// Builds the patches of a heap, passes its loads down, sweeps twice and pushes bodies apart, all in lanes of the given registers.
struct Pass<'a> {
    problem: &'a GroupProblem,
    order: &'a Order,
}

/// Velocities, displacements, and impulses.
type Outcome = (Vec<Twist>, Vec<Twist>, Vec<Vec3>);

impl WithSimd for Pass<'_> {
    type Output = Outcome;

    fn with_simd<S: Simd>(self, simd: S) -> Outcome {
        let Pass { problem, order } = self;
        let (mut all, mut bodies) = (SideBySide::default(), bodies_of(problem));
        for (i, body) in bodies.iter_mut().enumerate() {
            body.quiet = i % 3 != 0;
            body.rest = body.velocity * 0.5;
        }
        let (rows, mut clock) = (RowParameters::default(), VisitClock::from(0.0, Real::INFINITY));
        let solve =
            Solve { problem, rows: &rows, times: Step::new(H, H), visit: Visit::ALL_THE_WAY, way: Way::SideBySide };
        all.make(simd, order, &mut bodies, &solve);
        let once = Budget::plain(1, 0.0);
        all.pass_loads_down(simd, once, &mut bodies, &mut clock);
        for visited in [Visited::All, Visited::Stirred] {
            all.sweep(simd, visited, &mut bodies, &mut clock);
        }
        let mut ways = vec![Twist::ZERO; bodies.len()];
        all.part(simd, &bodies, &mut ways, Parting { h: H, slop: 1e-6, renewed: None });
        let mut answer = GroupAnswer::default();
        answer.start(problem);
        all.write(&mut answer);
        let impulses = answer.contacts.iter().zip(&problem.contacts).map(|(c, p)| c.total(p.normal)).collect();
        (bodies.iter().map(|b| b.velocity).collect(), ways, impulses)
    }
}

#[test]
fn the_same_bits_in_registers_of_any_width() {
    let mut random = Random::new(3);
    for _ in 0..5 {
        let problem = heap(60, &mut random);
        let mut support = Support::default();
        support.find(&problem.contacts, &bodies_of(&problem), problem.up, &OneThread);
        let pass = || Pass { problem: &problem, order: support.order() };
        let alone = pass().with_simd(Scalar);
        assert_eq!(alone, pass().with_simd(Scalar128b));
        assert_eq!(alone, pass().with_simd(Scalar256b));
        assert_eq!(alone, pass().with_simd(Scalar512b));
        assert_eq!(alone, Arch::new().dispatch(pass()));
        // and the pass changed something
        assert!(alone.1.iter().any(|way| *way != Twist::ZERO) && alone.2.iter().any(|x| x.length() > 0.1));
    }
}

/// Velocities after sweeps over the patches in this order, and the number of bundles.
fn swept(problem: &GroupProblem, order: &Order, sweeps: usize) -> (usize, Vec<Twist>, GroupAnswer) {
    let (mut all, mut bodies) = (SideBySide::default(), bodies_of(problem));
    let (rows, mut clock) = (RowParameters::default(), VisitClock::from(0.0, Real::INFINITY));
    let (times, way) = (Step::new(H, H), Way::SideBySide);
    let solve = Solve { problem, rows: &rows, times, visit: Visit::ALL_THE_WAY, way };
    all.make(Scalar256b, order, &mut bodies, &solve);
    for _ in 0..sweeps {
        all.sweep(Scalar256b, Visited::All, &mut bodies, &mut clock);
    }
    let mut answer = GroupAnswer::default();
    answer.start(problem);
    all.write(&mut answer);
    (all.bundles.len(), bodies.iter().map(|b| b.velocity).collect(), answer)
}

/// Visiting a bundle gives the same as visiting its patches one after the other.
#[test]
fn who_stands_beside_a_patch_does_not_matter() {
    let mut random = Random::new(4);
    let mut problem = heap(60, &mut random);
    // no start impulses: they would be applied to the bodies bundle by bundle, in another order than patch by patch
    problem.contacts.iter_mut().for_each(|c| c.impulse = drystone_core::ContactImpulse::ZERO);
    let mut support = Support::default();
    support.find(&problem.contacts, &bodies_of(&problem), problem.up, &OneThread);
    let mut alone = Order::default();
    // one layer for each patch
    alone.seats.extend(support.order().seats.iter().zip(0..).map(|(seat, layer)| Seat { layer, ..*seat }));
    alone.find_layers();
    let ((few, bundled, _), (many, single, _)) = (swept(&problem, support.order(), 3), swept(&problem, &alone, 3));
    assert!(many == alone.seats.len() && 2 * few < many, "{few} bundles of {many} patches");
    assert_eq!(bundled, single);
    // the control: the order of the patches does matter
    alone.seats.reverse();
    alone.seats.iter_mut().zip(0..).for_each(|(seat, layer)| seat.layer = layer);
    alone.find_layers();
    assert_ne!(bundled, swept(&problem, &alone, 3).1);
}

/// Sixteen separate pairs of cubes that touch in one to four points.
fn pairs(random: &mut Random) -> GroupProblem {
    let mut p = GroupProblem { gravity: 9.81, up: Vec3::Y, ..GroupProblem::default() };
    for pair in 0..16 {
        let (normal, at) = (random.direction(), Vec3::X * (5.0 * f64::from(pair)));
        let (along, across) = normal.any_orthonormal_pair();
        let bodies = [2 * pair, 2 * pair + 1];
        for (body, side) in bodies.into_iter().zip([-0.5, 0.5]) {
            let mut body = cube(body, random.range(0.5, 3.0), at + normal * side + random.vector(0.2));
            body.velocity = Twist::new(random.vector(0.3), random.vector(0.5));
            p.bodies.push(body);
        }
        let friction = random.range(0.0, 0.5);
        for k in 0..=random.below(4) as u32 {
            let [x, y] = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]][k as usize];
            let place = at + along * (0.3 * x) + across * (0.2 * y + random.range(0.0, 0.05));
            p.contacts.push(GroupContact { friction, ..contact(bodies, place, normal, pair, k) });
        }
    }
    p
}

/// Signorini's and Coulomb's conditions hold at each point after enough visits.
#[test]
fn visits_end_at_coulombs_law() {
    let mut random = Random::new(11);
    let (mut stuck, mut slid, mut parted) = (0, 0, 0);
    for _ in 0..40 {
        let problem = pairs(&mut random);
        let mut support = Support::default();
        support.find(&problem.contacts, &bodies_of(&problem), problem.up, &OneThread);
        let (_, velocity, answer) = swept(&problem, support.order(), 5000);
        for seat in &support.order().seats {
            let own = seat.first as usize..(seat.first + seat.count) as usize;
            let contacts = &problem.contacts[own.clone()];
            let n = contacts[0].normal;
            let at = |place: Vec3| {
                let of = |i: u32| velocity[i as usize].at(place - problem.bodies[i as usize].pose.position);
                of(seat.bodies[1]) - of(seat.bodies[0])
            };
            for (c, x) in contacts.iter().zip(&answer.contacts[own]) {
                let relative = at(c.position);
                let rate = n.dot(relative);
                assert!(x.normal >= 0.0 && rate > -1e-6 && (x.normal * rate).abs() < 1e-6, "{x:?} at {rate} m/s");
                let (slip, rub) = (relative - n * rate, x.friction);
                let limit = c.friction * x.normal;
                assert!(rub.length() <= limit * (1.0 + 1e-9) + 1e-15, "{rub} beyond {limit}");
                if x.normal == 0.0 {
                    parted += 1;
                } else if slip.length() < 1e-6 {
                    stuck += 1;
                } else {
                    slid += 1;
                    let along = rub.dot(slip) / (rub.length() * slip.length());
                    assert!(along < -1.0 + 1e-5 && rub.length() > limit * (1.0 - 1e-6), "{rub} at {slip}");
                }
            }
        }
    }
    assert!(stuck > 10 && slid > 20 && parted > 5, "{stuck} stuck, {slid} slid, {parted} parted");
}

/// Columns of balls at rest on each other: one pass from the top down finds what each ball bears; a body that is not quiet gives no support.
#[test]
fn loads_are_handed_down() {
    const HIGH: u32 = 6;
    let mut p = GroupProblem { gravity: 9.81, up: Vec3::Y, ..GroupProblem::default() };
    p.bodies.push(cube(0, 0.0, Vec3::NEG_Y));
    for column in 0..5 {
        for row in 0..HIGH {
            let own = 1 + column * HIGH + row;
            let at = Vec3::new(2.0 * f64::from(column), f64::from(row), 0.0);
            let mut ball = cube(own, f64::from(row + 1), at + Vec3::Y * 0.5);
            ball.external = Twist::new(Vec3::NEG_Y * (9.81 * H), Vec3::ZERO);
            p.bodies.push(ball);
            p.contacts.push(contact([if row == 0 { 0 } else { own - 1 }, own], at, Vec3::Y, own, 0));
        }
    }
    let mut support = Support::default();
    support.find(&p.contacts, &bodies_of(&p), p.up, &OneThread);
    let passed = |quiet: bool| {
        let (mut all, mut bodies) = (SideBySide::default(), bodies_of(&p));
        for body in &mut bodies {
            (body.quiet, body.rest) = (quiet, Twist::ZERO);
        }
        let (rows, mut clock) = (RowParameters::default(), VisitClock::from(0.0, Real::INFINITY));
        let (times, way) = (Step::new(H, H), Way::SideBySide);
        let solve = Solve { problem: &p, rows: &rows, times, visit: Visit::ALL_THE_WAY, way };
        all.make(Scalar256b, support.order(), &mut bodies, &solve);
        let once = Budget::plain(1, 0.0);
        all.pass_loads_down(Scalar256b, once, &mut bodies, &mut clock);
        bodies.iter().map(|b| b.velocity.linear.length()).fold(0.0, Real::max)
    };
    assert!(passed(true) < 1e-15, "{}", passed(true));
    assert!(passed(false) > 0.01, "one visit each is not enough where all give way: {}", passed(false));
}
