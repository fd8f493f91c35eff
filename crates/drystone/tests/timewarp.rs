//! Groups on clocks of their own: which bodies are rolled back, and which are not (A-28, B-13, B-31).

use drystone::prelude::*;
use drystone_testkit::Random;

fn lively(world: &mut World) -> drystone_core::MaterialIndex {
    world.add_material(Material { restitution: 1.0, friction: 0.0, ..Material::default() }).unwrap()
}

/// Two resting balls a millimetre apart, and a fast one on its way to them, in a row near `at`. Returns their ids.
fn row(world: &mut World, at: Vec3) -> Vec<BodyId> {
    let m = lively(world);
    (0..3)
        .map(|i| {
            let x = if i == 0 { -1.0 } else { 1.001 * f64::from(i) };
            let ball = Body::dynamic(Shape::sphere(0.5).unwrap()).at(at + Vec3::X * x).material(m);
            world.add(if i == 0 { ball.linear_velocity([2.0, 0.0, 0.0]) } else { ball }).unwrap()
        })
        .collect()
}

/// A column of two boxes on a distant floor.
fn column(world: &mut World) -> Vec<BodyId> {
    world.add(Body::fixed(Shape::cuboid(2.0, 0.5, 2.0).unwrap()).at([50.0, -0.5, 0.0])).unwrap();
    (0..2)
        .map(|i| {
            let place = [50.0, 0.5 + f64::from(i), 0.0];
            world.add(Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at(place)).unwrap()
        })
        .collect()
}

fn new_world(paradigm: Paradigm) -> World {
    World::builder().paradigm(paradigm).gravity([0.0; 3]).build().unwrap()
}

fn run(world: &mut World, frames: u32) -> u64 {
    (0..frames).map(|_| world.advance(1.0 / 240.0).unwrap().calls.rollbacks).sum()
}

#[test]
fn distant_groups_go_as_if_alone_and_only_those_that_collide_are_taken_back() {
    // H-16
    let mut alone = new_world(Paradigm::TIMEWARP);
    let ids = row(&mut alone, Vec3::ZERO);
    let taken_back = run(&mut alone, 200);
    assert!(taken_back > 0);

    let mut resting = new_world(Paradigm::TIMEWARP);
    let quiet = column(&mut resting);
    assert_eq!(run(&mut resting, 200), 0, "what rests is never taken back");

    let mut both = new_world(Paradigm::TIMEWARP);
    let (moving, still) = (row(&mut both, Vec3::ZERO), column(&mut both));
    assert_eq!(run(&mut both, 200), taken_back, "the column was taken back too");
    for (a, b) in ids.iter().zip(&moving) {
        assert_eq!(alone.pose(*a).unwrap(), both.pose(*b).unwrap());
        assert_eq!(alone.velocity(*a).unwrap(), both.velocity(*b).unwrap());
    }
    for (a, b) in quiet.iter().zip(&still) {
        assert_eq!(resting.pose(*a).unwrap(), both.pose(*b).unwrap());
    }
}

#[test]
fn one_clock_takes_all_back() {
    // the negative control: with one clock for all, the column takes the steps of the collisions
    let steps = |paradigm: Paradigm| {
        let mut world = new_world(paradigm);
        row(&mut world, Vec3::ZERO);
        column(&mut world);
        (0..200).map(|_| world.advance(1.0 / 240.0).unwrap().calls.sub_steps).max().unwrap()
    };
    assert!(steps(Paradigm::RETROACTIVE) > 2);
}

#[test]
fn a_blow_that_leaves_its_domain_is_passed_on() {
    // the third ball is too far away to be looked ahead for in the frame of the first impact
    let mut world = new_world(Paradigm::TIMEWARP);
    let m = lively(&mut world);
    let ids: Vec<_> = [-0.6, 0.5, 1.52]
        .into_iter()
        .enumerate()
        .map(|(i, x)| {
            let ball = Body::dynamic(Shape::sphere(0.5).unwrap()).at([x, 0.0, 0.0]).material(m);
            world.add(if i == 0 { ball.linear_velocity([20.0, 0.0, 0.0]) } else { ball }).unwrap()
        })
        .collect();
    let taken_back = run(&mut world, 20);
    let speeds: Vec<f64> = ids.iter().map(|id| world.velocity(*id).unwrap().linear.x).collect();
    assert!((speeds[2] - 20.0).abs() < 1e-6 && speeds[0].abs() < 1e-6 && speeds[1].abs() < 1e-6, "{speeds:?}");
    assert!(taken_back >= 3, "{taken_back}: two collisions and a meeting that nobody expected");
    assert!((world.momentum().linear.x / world.configuration().bodies[0].mass - 20.0).abs() < 1e-9);
}

/// Where random rows of balls end after one frame in which the first of them hits the second, and that one reaches a third and perhaps a fourth.
fn row_after_one_frame(paradigm: Paradigm, seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed);
    let (radius, speed, frame) = (random.range(0.05, 0.3), random.range(5.0, 100.0), random.range(0.005, 0.02));
    let mut world = new_world(paradigm);
    let material = lively(&mut world);
    let count = 3 + random.below(2);
    let mut x = 0.0;
    let mut balls = Vec::new();
    for i in 0..count {
        let ball = Body::dynamic(Shape::sphere(radius).unwrap()).mass(random.range(0.5, 2.0)).material(material);
        let ball = ball.at([x, 0.0, 0.0]);
        balls.push(world.add(if i == 0 { ball.linear_velocity([speed, 0.0, 0.0]) } else { ball }).unwrap());
        // all of it within the frame
        x += 2.0 * radius + random.range(0.05, 0.4) * speed * frame;
    }
    world.advance(frame).unwrap();
    balls.iter().map(|ball| world.position(*ball).unwrap().x).collect()
}

/// A body that a blow throws at a third one in the same frame is not stopped in front of it: that one joins the domain, which goes through the frame again.
#[test]
fn a_blow_is_passed_on_within_a_frame_as_with_one_clock() {
    let mut passed_on = 0;
    for seed in 0..60 {
        let [own, one] = [Paradigm::TIMEWARP, Paradigm::RETROACTIVE].map(|p| row_after_one_frame(p, seed));
        let apart = own.iter().zip(&one).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-3, "{seed}: {own:?} with clocks of their own, {one:?} with one");
        let rest = row_after_one_frame(Paradigm::VELOCITY_LCP, seed);
        passed_on += usize::from(rest.iter().zip(&one).any(|(a, b)| (a - b).abs() > 1e-2));
    }
    // the control: steps that see each collision once come to something else
    assert!(passed_on > 20, "{passed_on}");
}
