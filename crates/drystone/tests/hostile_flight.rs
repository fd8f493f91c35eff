//! Free flight with hostile numbers, without bodies and with many: a throw keeps to its parabola, or the step says what is wrong.

use drystone::WorldError;
use drystone::prelude::*;
use drystone_core::{Configuration, ForceField, State};
use drystone_math::Wrench;

const G: f64 = 9.81;
const H: f64 = 1.0 / 60.0;

/// Presets of equal steps, whose solves see velocities half a step older than poses, and one with other steps.
const PRESETS: [Paradigm; 4] =
    [Paradigm::REAL_TIME, Paradigm::VELOCITY_LCP, Paradigm::LOAD_PROPAGATION, Paradigm::MECHANISM];

fn empty(paradigm: Paradigm) -> World {
    World::builder().paradigm(paradigm).gravity([0.0, -G, 0.0]).build().unwrap()
}

fn ball() -> Body {
    Body::dynamic(Shape::sphere(0.1).unwrap())
}

/// The position and velocity of a throw after a time `t` (s).
fn thrown([at, velocity]: [Vec3; 2], t: f64) -> [Vec3; 2] {
    let g = Vec3::new(0.0, -G, 0.0);
    [at + velocity * t + g * (0.5 * t * t), velocity + g * t]
}

/// Asserts that a body is where its throw should be, to rounding relative to the numbers involved.
fn assert_thrown(world: &World, body: BodyId, start: [Vec3; 2], t: f64, what: &str) {
    let [at, velocity] = thrown(start, t);
    let found = [world.position(body).unwrap(), world.velocity(body).unwrap().linear];
    let size =
        [1.0 + start[0].abs().max_element() + start[1].abs().max_element() * t, 1.0 + start[1].abs().max_element()];
    for (found, (want, size)) in found.into_iter().zip([at, velocity].into_iter().zip(size)) {
        let off = (found - want).abs().max_element();
        assert!(off <= 1e-12 * size, "{what}, {t} s: {found}, not {want}");
    }
}

fn is_finite(world: &World) -> bool {
    let state = world.state();
    (0..state.len()).all(|i| state.is_finite(drystone_core::BodyIndex::new(i)))
}

#[test]
fn a_world_without_bodies_steps() {
    for &paradigm in Paradigm::ALL {
        let mut world = World::builder().paradigm(paradigm).build().unwrap();
        for _ in 0..3 {
            world.advance(H).unwrap_or_else(|e| panic!("{}: {e}", paradigm.name));
        }
        assert!((world.time() - 3.0 * H).abs() < 1e-12, "{}: {}", paradigm.name, world.time());
        // and so does one whose only body was removed in mid-flight
        let flier = world.add(ball().at([0.0, 5.0, 0.0])).unwrap();
        world.advance(H).unwrap();
        world.remove(flier).unwrap();
        world.advance(H).unwrap_or_else(|e| panic!("{}: {e}", paradigm.name));
        assert!(world.bodies().is_empty() && world.state().is_empty());
    }
}

#[test]
fn fliers_keep_to_their_parabolas_as_others_come_and_go() {
    for paradigm in PRESETS {
        let mut world = empty(paradigm);
        let start = |k: u32| [Vec3::new(f64::from(k), 0.0, 0.0), Vec3::new(0.0, 3.0 + f64::from(k), 1.0)];
        let add = |world: &mut World, k: u32| world.add(ball().at(start(k)[0]).linear_velocity(start(k)[1])).unwrap();
        let early: Vec<_> = (0..3).map(|k| add(&mut world, k)).collect();
        for step in 0..40 {
            if step == 10 {
                // the columns of the bodies behind it move up
                world.remove(early[0]).unwrap();
            }
            if step == 20 {
                add(&mut world, 7);
            }
            world.advance(H).unwrap();
            let t = f64::from(step + 1) * H;
            for k in [1, 2] {
                assert_thrown(&world, early[k as usize], start(k), t, paradigm.name);
            }
        }
        let late = *world.bodies().last().unwrap();
        assert_thrown(&world, late, start(7), 20.0 * H, paradigm.name);
    }
}

#[test]
fn a_new_velocity_place_or_gravity_in_mid_flight_begins_a_new_parabola() {
    for paradigm in PRESETS {
        let mut world = empty(paradigm);
        let flier = world.add(ball().linear_velocity([1.0, 2.0, 0.0])).unwrap();
        let fly = |world: &mut World, start: [Vec3; 2], what: &str| {
            for n in 1..=10 {
                world.advance(H).unwrap();
                assert_thrown(world, flier, start, f64::from(n) * H, &format!("{}, {what}", paradigm.name));
            }
        };
        fly(&mut world, [Vec3::ZERO, Vec3::new(1.0, 2.0, 0.0)], "thrown");
        let start = [world.position(flier).unwrap(), Vec3::new(0.0, 5.0, -3.0)];
        world.set_velocity(flier, Twist::new(start[1], Vec3::ZERO)).unwrap();
        fly(&mut world, start, "a new velocity");
        let start = [Vec3::new(100.0, 100.0, 0.0), world.velocity(flier).unwrap().linear];
        world.set_pose(flier, start[0], Quat::IDENTITY).unwrap();
        fly(&mut world, start, "a new place");
        // weightless: straight on
        let [at, velocity] = [world.position(flier).unwrap(), world.velocity(flier).unwrap().linear];
        world.set_gravity([0.0; 3]).unwrap();
        for n in 1..=10 {
            world.advance(H).unwrap();
            let off = world.position(flier).unwrap() - (at + velocity * (f64::from(n) * H));
            assert!(off.length() < 1e-12 * 100.0, "{}, without gravity: {off}", paradigm.name);
            assert_eq!(world.velocity(flier).unwrap().linear, velocity, "{}, without gravity", paradigm.name);
        }
    }
}

#[test]
fn the_fastest_throws_are_parabolas_or_failures_in_words() {
    for paradigm in PRESETS {
        for speed in [1e3, 1e100, 1e150, 1e160, 1e200, 1e300, 1e308] {
            let mut world = empty(paradigm);
            let start = [Vec3::ZERO, Vec3::new(speed, -speed, 0.5 * speed)];
            let flier = world.add(ball().linear_velocity(start[1])).unwrap();
            let what = format!("{} at {speed:e} m/s", paradigm.name);
            let mut done = 0;
            for n in 1..=20 {
                match world.advance(H) {
                    Ok(_) => assert!(is_finite(&world), "{what}"),
                    Err(WorldError::Step(failure)) => {
                        assert!(!failure.to_string().is_empty());
                        break;
                    }
                    Err(other) => panic!("{what}: {other}"),
                }
                assert_thrown(&world, flier, start, f64::from(n) * H, &what);
                done = n;
            }
            // speeds whose squares are finite fly to the end
            assert!(done == 20 || speed > 1e150, "{what}: {done}");
        }
    }
}

#[test]
fn weights_from_a_hairs_to_a_galaxys_fly_and_rest_alike() {
    for paradigm in PRESETS {
        for mass in [1e-90, 1e-30, 1.0, 1e30, 1e90] {
            let what = format!("{} with {mass:e} kg", paradigm.name);
            let mut world = empty(paradigm);
            world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
            let start = [Vec3::new(0.0, 3.0, 0.0), Vec3::new(1.0, 4.0, 0.0)];
            let flier = world.add(ball().mass(mass).at(start[0]).linear_velocity(start[1])).unwrap();
            let cube = Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).mass(mass);
            let resting = world.add(cube.at([5.0, 0.5, 0.0])).unwrap();
            // two bars on a hinge: what holds them together does not hold them up
            let bars = [-0.3, 0.3].map(|x| {
                let bar = Body::dynamic(Shape::cuboid(0.25, 0.05, 0.05).unwrap()).mass(mass).at([x, 2.0, 5.0]);
                world.add(bar.linear_velocity([1.0, 6.0, 0.0]).angular_velocity([0.0, 0.0, 10.0 * x])).unwrap()
            });
            world.join(Joint::hinge(bars[0], bars[1]).anchor([0.0, 2.0, 5.0]).axis([0.0, 0.0, 1.0])).unwrap();
            for n in 1..=30 {
                world.advance(H).unwrap_or_else(|e| panic!("{what}: {e}"));
                let t = f64::from(n) * H;
                assert_thrown(&world, flier, start, t, &what);
                let speed = world.velocity(resting).unwrap().linear.length();
                assert!(speed < 0.05, "{what}, at rest: {speed} m/s");
                let both = bars.map(|b| world.velocity(b).unwrap().linear.y);
                let fall = 0.5 * (both[0] + both[1]) - 6.0 + G * t;
                assert!(fall.abs() < 1e-9, "{what}, on a hinge: off by {fall} m/s at {t} s");
            }
        }
    }
}

#[test]
fn masses_that_have_no_inverse_are_refused() {
    for mass in [5e-324, 1e-310, 0.0, -1.0, f64::NAN, f64::INFINITY] {
        let mut world = empty(Paradigm::REAL_TIME);
        let refused = world.add(ball().mass(mass));
        assert!(matches!(refused, Err(WorldError::Mass(_))), "{mass:e}: {refused:?}");
        let flier = world.add(ball()).unwrap();
        let refused = world.set_mass(flier, mass).unwrap_err();
        assert!(matches!(refused.cause(), WorldError::Mass(_)), "{mass:e}: {refused}");
        world.advance(H).unwrap();
        assert_thrown(&world, flier, [Vec3::ZERO; 2], H, "after a refusal");
    }
}

/// The same force on every body.
struct Everywhere(Vec3);

impl ForceField for Everywhere {
    fn accumulate(&self, _: &Configuration, _: &State, wrenches: &mut [Wrench]) {
        wrenches.fill(Wrench::new(self.0, Vec3::ZERO));
    }
}

#[test]
fn forces_that_are_no_numbers_are_refused_or_named() {
    for paradigm in PRESETS {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut world = empty(paradigm);
            let flier = world.add(ball().linear_velocity([1.0, 2.0, 0.0])).unwrap();
            world.advance(H).unwrap();
            let before = [world.position(flier).unwrap(), world.velocity(flier).unwrap().linear];
            let v = Vec3::new(0.0, bad, 0.0);
            assert!(world.apply_force(flier, v, Vec3::ZERO).is_err(), "{}: {bad}", paradigm.name);
            assert!(world.apply_impulse(flier, v, Vec3::ZERO).is_err(), "{}: {bad}", paradigm.name);
            assert!(world.set_velocity(flier, Twist::new(v, Vec3::ZERO)).is_err(), "{}: {bad}", paradigm.name);
            assert!(world.set_gravity(v).is_err(), "{}: {bad}", paradigm.name);
            assert_eq!([world.position(flier).unwrap(), world.velocity(flier).unwrap().linear], before);
            // a bad force that shows only when it acts: the step that it spoils names the body
            let force = world.add_force(Everywhere(v));
            let Err(WorldError::Step(failure)) = world.advance(H) else { panic!("{}: {bad}", paradigm.name) };
            assert_eq!(failure.body, Some(world.body_index(flier).unwrap()), "{}: {failure}", paradigm.name);
            // with the force removed and its state set back, the body flies as it did
            world.remove_force(force).unwrap();
            world.set_pose(flier, before[0], Quat::IDENTITY).unwrap();
            world.set_velocity(flier, Twist::new(before[1], Vec3::ZERO)).unwrap();
            for n in 1..=5 {
                world.advance(H).unwrap();
                assert_thrown(&world, flier, before, f64::from(n) * H, paradigm.name);
            }
        }
    }
}

#[test]
fn steps_that_are_none_are_refused_and_change_nothing() {
    for paradigm in PRESETS {
        let mut world = empty(paradigm);
        let start = [Vec3::ZERO, Vec3::new(1.0, 2.0, 0.0)];
        let flier = world.add(ball().linear_velocity(start[1])).unwrap();
        for bad in [f64::NAN, f64::INFINITY, -H, 0.0] {
            assert!(world.advance(bad).is_err(), "{}: {bad}", paradigm.name);
        }
        for n in 1..=5 {
            world.advance(H).unwrap();
            assert_thrown(&world, flier, start, f64::from(n) * H, paradigm.name);
        }
        // a step so long that nothing is left of the position
        if world.advance(1e300).is_ok() {
            assert!(is_finite(&world), "{}", paradigm.name);
        }
    }
}

#[test]
fn many_fly_as_one_does() {
    const SIDE: u32 = 40;
    for paradigm in [Paradigm::REAL_TIME, Paradigm::VELOCITY_LCP] {
        let mut world = empty(paradigm);
        let start = |k: u32| {
            let [x, z] = [k % SIDE, k / SIDE].map(f64::from);
            [Vec3::new(x, 0.0, z), Vec3::new(0.0, 1.0 + 0.01 * f64::from(k), 0.0)]
        };
        let add = |k: u32| world.add(ball().at(start(k)[0]).linear_velocity(start(k)[1])).unwrap();
        let fliers: Vec<_> = (0..SIDE * SIDE).map(add).collect();
        for n in 1..=20 {
            world.advance(H).unwrap();
            for (k, flier) in fliers.iter().enumerate() {
                assert_thrown(&world, *flier, start(k as u32), f64::from(n) * H, paradigm.name);
            }
        }
    }
}
