//! A sleeping body wakes when a body that supports it, or that it hangs on, is moved, set in motion or removed.

use super::{floor, steps};
use drystone::prelude::*;
use drystone_core::ScriptedState;
use drystone_motion::script::FunctionOfTime;

fn cube() -> Body {
    Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap())
}

fn sleepy_world() -> World {
    World::builder().paradigm(Paradigm::LOAD_PROPAGATION).build().unwrap()
}

/// Steps until `body` sleeps, and fails if it does not, since the test would then show nothing.
fn until_asleep(w: &mut World, body: BodyId) {
    steps(w, 200);
    assert!(w.state().sleeping[w.body_index(body).unwrap().at()], "it never fell asleep");
}

#[test]
fn a_column_falls_when_its_lowest_cube_is_put_elsewhere() {
    let mut w = sleepy_world();
    w.add(floor()).unwrap();
    let ids: Vec<_> = (0..4).map(|i| w.add(cube().at([0.0, 0.5 + f64::from(i), 0.0])).unwrap()).collect();
    until_asleep(&mut w, ids[3]);
    w.set_pose(ids[0], Vec3::new(50.0, 0.5, 0.0), Quat::IDENTITY).unwrap();
    steps(&mut w, 300);
    let second = w.position(ids[1]).unwrap().y;
    assert!((second - 0.5).abs() < 0.02, "{second}");
}

type Change = fn(&mut World, BodyId);

/// The floor goes away: a fixed one by a new pose or removal, a scripted one by its velocity, and one by a script that it is given.
#[test]
fn a_cube_falls_when_its_floor_goes() {
    let slab = || Shape::cuboid(5.0, 0.5, 5.0).unwrap();
    let away: [(Body, Change); 4] = [
        (Body::fixed(slab()), |w, f| w.set_pose(f, Vec3::new(0.0, -100.0, 0.0), Quat::IDENTITY).unwrap()),
        (Body::fixed(slab()), |w, f| drop(w.remove(f).unwrap())),
        (Body::scripted(slab()), |w, f| w.set_velocity(f, Twist::new(Vec3::Y * -50.0, Vec3::ZERO)).unwrap()),
        (Body::scripted(slab()), |w, f| {
            let fall = |t: f64| ScriptedState {
                pose: Pose::from_position(Vec3::Y * (-0.5 - 50.0 * (t - 2.0).max(0.0))),
                velocity: Twist::new(Vec3::Y * -50.0, Vec3::ZERO),
                acceleration: Twist::ZERO,
            };
            w.add_script(f, FunctionOfTime(fall)).unwrap();
        }),
    ];
    for (k, (slab, go)) in away.into_iter().enumerate() {
        let mut w = sleepy_world();
        let f = w.add(slab.at([0.0, -0.5, 0.0])).unwrap();
        let b = w.add(cube().at([0.0, 0.5, 0.0])).unwrap();
        until_asleep(&mut w, b);
        go(&mut w, f);
        steps(&mut w, 100);
        // the cube starts at 0.5 m, and falls freely by 4.9 m in 1 s
        let y = w.position(b).unwrap().y;
        assert!((-4.8..-4.0).contains(&y), "way {k}: {y}");
    }
}

/// A paradigm without sleep has no sleepers left over from one with sleep.
#[test]
fn a_paradigm_without_sleep_has_no_sleepers() {
    let mut w = sleepy_world();
    let f = w.add(floor()).unwrap();
    let b = w.add(cube().at([0.0, 0.5, 0.0])).unwrap();
    until_asleep(&mut w, b);
    w.set_paradigm(Paradigm::VELOCITY_LCP, &[]).unwrap();
    assert_eq!(w.advance(0.01).unwrap().sleeping, 0);
    w.remove(f).unwrap();
    steps(&mut w, 100);
    assert!(w.position(b).unwrap().y < -4.0);
}
