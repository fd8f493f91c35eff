//! Steps that detect at their middle also look ahead for bodies that were placed or
//! given a velocity from outside: the first half of the first step runs into nothing.

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};
use drystone_core::catalogue::Value;
use drystone_joints::JointDescription;

const H: f64 = 1.0 / 60.0;
const RADIUS: f64 = 0.1;

/// A world whose steps are symmetric because of a hinge between two boxes off to the side.
/// A ball rests on the ground, and another one of radius `large` (m) is 2 cm above it.
fn pinch(paradigm: Paradigm, predictive: bool, large: f64) -> (World, BodyId) {
    let settings = vec![("predictive".to_owned(), Value::Bool(predictive))];
    let choice = ModuleChoice { kind: ModuleKind::TimeControl, name: None, settings };
    let mut w = World::builder().paradigm(paradigm).choose(choice).build().unwrap();
    let plastic = w.add_material(Material { friction: 0.5, restitution: 0.0, ..Material::default() }).unwrap();
    w.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(plastic)).unwrap();
    let linked = [5.0, 5.2].map(|x| {
        let cube = Body::dynamic(Shape::cuboid(0.1, 0.1, 0.1).unwrap()).material(plastic);
        w.add(cube.at([x, 0.1, 0.0])).unwrap()
    });
    let hinge = JointDescription {
        anchor: Some(Vec3::new(5.1, 0.1, 0.0)),
        axis: Some(Vec3::Z),
        ..JointDescription::new("hinge")
    };
    let poses = linked.map(|b| w.pose(b).unwrap());
    w.add_joint(linked.map(Some), drystone_joints::build(&hinge, &poses[0], &poses[1]).unwrap()).unwrap();
    w.add(Body::dynamic(Shape::sphere(RADIUS).unwrap()).material(plastic).at([0.0, RADIUS, 0.0])).unwrap();
    let heavy = Body::dynamic(Shape::sphere(large).unwrap()).material(plastic);
    let heavy = w.add(heavy.at([0.0, 2.0 * RADIUS + large + 0.02, 0.0])).unwrap();
    (w, heavy)
}

/// The deepest overlap (m) of some steps, and how many steps were taken back.
fn run(w: &mut World, steps: usize) -> (f64, u64) {
    (0..steps).fold((0.0, 0), |(deepest, back): (f64, u64), _| {
        let report = w.advance(H).unwrap();
        (deepest.max(report.penetration).max(w.penetration().unwrap()), back + report.calls.rollbacks)
    })
}

const DOWN: Twist = Twist::new(Vec3::new(0.0, -10.0, 0.0), Vec3::ZERO);

/// 10 m/s are 8 cm in half a step: less than the ball's diameter, and four times the gap.
#[test]
fn what_is_about_to_strike_in_the_first_half_step_is_foreseen() {
    for large in [RADIUS, 0.3] {
        let [(seen, back), (unseen, none)] = [true, false].map(|predictive| {
            let (mut w, heavy) = pinch(Paradigm::MECHANISM, predictive, large);
            w.set_velocity(heavy, DOWN).unwrap();
            run(&mut w, 1)
        });
        assert!(seen < 1e-3, "{seen} m deep");
        assert!(unseen > 0.05, "without a look ahead {unseen} m deep");
        assert_eq!((back, none), (1, 0));
    }
}

/// The same holds for any later step before which a velocity is set.
#[test]
fn so_is_what_is_thrown_later() {
    let (mut w, heavy) = pinch(Paradigm::MECHANISM, true, RADIUS);
    w.set_gravity([0.0; 3]).unwrap();
    let (deepest, back) = run(&mut w, 5);
    assert!(deepest < 1e-9 && back == 0, "nothing moves");
    w.set_velocity(heavy, DOWN).unwrap();
    let (deepest, back) = run(&mut w, 2);
    assert!(deepest < 1e-3 && back == 1, "{deepest} m deep, {back} taken back");
}

/// The steps of a body that moves but strikes nothing in the first half step are left as they are.
#[test]
fn nothing_is_taken_back_where_nothing_strikes() {
    for paradigm in [Paradigm::REAL_TIME, Paradigm::MECHANISM] {
        let (mut w, heavy) = pinch(paradigm, true, RADIUS);
        w.set_velocity(heavy, Twist::new(Vec3::Y, Vec3::new(3.0, 0.0, 4.0))).unwrap();
        let (_, back) = run(&mut w, 1);
        assert_eq!(back, 0, "{}", paradigm.name);
    }
}
