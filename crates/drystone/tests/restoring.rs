//! Returning to an instant: what a snapshot must hold, and when it no longer fits.

use drystone::prelude::*;
use drystone::{Limits, ModuleChoice, ModuleKind, SnapshotError};
use drystone_core::catalogue::Value;
use drystone_core::{JointStrength, MaterialIndex, PairMaterial};
use drystone_geometry::MassProperties;
use drystone_motion::force::{Anchor, Damping, SpringDamper, Targets};
use drystone_motion::script::Sinusoid;
use drystone_testkit::Random;

fn floor() -> Body {
    Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())
}

fn ball(radius: f64) -> Body {
    Body::dynamic(Shape::sphere(radius).unwrap())
}

fn cube(half: f64) -> Body {
    Body::dynamic(Shape::cuboid(half, half, half).unwrap())
}

/// Normalising a quaternion again changes its last bits in a third of all cases.
#[test]
fn bodies_at_rest_keep_all_bits_of_their_orientation() {
    for paradigm in Paradigm::ALL {
        let mut world = World::builder().paradigm(*paradigm).gravity(Vec3::ZERO).build().unwrap();
        let mut random = Random::new(1);
        for k in 0..24 {
            let shape = Shape::cuboid(0.1, 0.2, 0.3).unwrap();
            let body = if k % 2 == 0 { Body::scripted(shape) } else { Body::dynamic(shape) };
            world.add(body.at([2.0 * f64::from(k), 0.0, 0.0]).oriented(random.rotation())).unwrap();
        }
        let before = world.state().orientation.clone();
        for _ in 0..3 {
            world.advance(0.01).unwrap();
        }
        let turned = before.iter().zip(&world.state().orientation).filter(|(then, now)| then != now).count();
        assert_eq!(turned, 0, "{} of 24 under {}", turned, paradigm.name);
    }
}

/// Bodies at rest that touch without load: nothing holds them, though nothing moves them either. Frames that leave them alone say the same of them as frames that solve their
/// contacts anew, as they do after each return.
#[test]
fn what_rests_without_load_is_the_same_after_a_return() {
    let (mut random, mut touching) = (Random::new(3), 0);
    for _ in 0..20 {
        let build = |random: &mut Random| {
            let mut world = World::builder().gravity(Vec3::ZERO).build().unwrap();
            let (mut x, turned) = (0.0, random.rotation());
            for k in 0..3 {
                let half = random.range(0.1, 0.4);
                x += half;
                let shape = Shape::cuboid(half, 0.3, 0.3).unwrap();
                let body = if k == 0 { Body::fixed(shape) } else { Body::dynamic(shape) };
                world.add(body.at((turned * Vec3::X * x).to_array()).oriented(turned)).unwrap();
                x += half + random.range(-1e-4, 1e-4);
            }
            world
        };
        let seed = random.bits();
        let [mut plain, mut returning] = [0, 1].map(|_| build(&mut Random::new(seed)));
        for step in 0..40 {
            let then = returning.snapshot();
            returning.advance(0.01).unwrap();
            returning.restore(&then).unwrap();
            for world in [&mut plain, &mut returning] {
                world.advance(0.01).unwrap();
            }
            let same = plain.snapshot().to_bytes() == returning.snapshot().to_bytes();
            assert!(same, "step {step}: {:?} and {:?}", plain.state().flight, returning.state().flight);
        }
        touching += usize::from(plain.contacts().count() > 0);
    }
    assert!(touching > 10, "{touching} of 20 worlds have contacts");
}

/// Groups that stand still sleep through frames of one or more steps while others move beside them and strike them at last. A run that is saved and restored in each frame has not yet
/// seen that they stand.
#[test]
fn groups_that_stand_still_beside_others_are_the_same_after_a_return() {
    let (mut random, mut still) = (Random::new(11), 0);
    for case in 0..24 {
        let steps = 1 + case % 4;
        let build = |random: &mut Random| {
            let settings = vec![("sub_steps".to_owned(), Value::Integer(steps))];
            let control = ModuleChoice { kind: ModuleKind::TimeControl, name: None, settings };
            let mut world = World::builder().choose(control).build().unwrap();
            world.add(floor()).unwrap();
            for k in 0..=random.below(6) {
                let half = random.range(0.05, 0.2);
                let count = 1 + random.below(3);
                for level in 0..count {
                    let y = half * (1.0 + 2.0 * level as f64) - random.range(0.0, 1e-5);
                    world.add(cube(half).at([k as f64, y, 0.0])).unwrap();
                }
            }
            let velocity = [random.range(2.0, 8.0), 0.0, 0.0];
            world.add(ball(0.1).at([-3.0, 0.1, 0.0]).linear_velocity(velocity)).unwrap();
            world.add(ball(0.1).at([0.0, random.range(1.0, 3.0), 3.0])).unwrap();
            world
        };
        let seed = random.bits();
        let [mut plain, mut returning] = [0, 1].map(|_| build(&mut Random::new(seed)));
        for step in 0..80 {
            let then = returning.read_snapshot(&returning.snapshot().to_bytes()).unwrap();
            returning.restore(&then).unwrap();
            let before = plain.state().position[1];
            for world in [&mut plain, &mut returning] {
                world.advance(0.01).unwrap();
            }
            still += usize::from(plain.state().position[1] == before);
            let same = plain.snapshot().to_bytes() == returning.snapshot().to_bytes();
            assert!(same, "case {case}, step {step}");
        }
    }
    assert!(still > 100, "{still} frames leave the first cube where it is");
}

/// Pairs that sleep in a planar world, beside bodies that move. A run that is saved and restored in each frame looks at them again in each; one that goes on leaves them out.
#[test]
fn sleeping_pairs_of_planar_worlds_are_the_same_after_a_return() {
    let (mut random, mut leaning) = (Random::new(900_238), 0);
    for case in 0..12 {
        let paradigm = [Paradigm::default(), Paradigm::IMPULSE][case % 2];
        let build = |random: &mut Random| {
            let mut world =
                World::builder().paradigm(paradigm).gravity(Vec3::ZERO).plane(random.direction()).build().unwrap();
            for k in 0..4 {
                let half = random.range(0.1, 0.3);
                let [lower, upper] = [0, 1].map(|_| cube(half).oriented(random.rotation()));
                let at = Vec3::X * (3.0 * f64::from(k));
                let beside = random.direction() * (0.8 * half);
                for (body, at) in [(lower, at), (upper, at + beside)] {
                    let id = world.add(body.at(at.to_array())).unwrap();
                    world.sleep(id).unwrap();
                }
            }
            world.add(ball(0.1).at([0.0, 30.0, 0.0]).linear_velocity([1.0, 0.0, 0.0])).unwrap();
            world
        };
        let seed = random.bits();
        let [mut plain, mut returning] = [0, 1].map(|_| build(&mut Random::new(seed)));
        for step in 0..12 {
            let then = returning.snapshot();
            returning.restore(&then).unwrap();
            for world in [&mut plain, &mut returning] {
                world.advance(0.01).unwrap();
            }
            let same = plain.snapshot().to_bytes() == returning.snapshot().to_bytes();
            assert!(same, "case {case}, step {step}");
        }
        assert!(plain.state().sleeping[..8].iter().all(|sleeps| *sleeps), "case {case}");
        leaning += plain.contacts().count();
    }
    assert!(leaning > 50, "{leaning} contacts of sleeping pairs");
}

/// What springs store counts once in the energy that limits compare, whatever sleeps.
#[test]
fn the_energy_of_springs_is_the_same_after_a_return() {
    let mut random = Random::new(29);
    for case in 0..20 {
        let build = |random: &mut Random| {
            let mut world = World::builder().build().unwrap();
            world.add(floor()).unwrap();
            for k in 0..2 + random.below(4) {
                let body = world.add(ball(0.1).at([k as f64, random.range(0.1, 3.0), 0.0])).unwrap();
                let anchors = [
                    Anchor::Body { body: world.body_index(body).unwrap(), point: Vec3::ZERO },
                    Anchor::World(random.vector(2.0)),
                ];
                let stiffness = random.range(1.0, 100.0);
                world.add_force(SpringDamper {
                    anchors,
                    rest_length: random.range(0.0, 1.0),
                    stiffness,
                    damping: 0.0,
                    max_force: f64::INFINITY,
                });
            }
            world.add(cube(0.1).at([-3.0, 0.1, 0.0])).unwrap();
            world
        };
        let seed = random.bits();
        let [mut plain, mut returning] = [0, 1].map(|_| build(&mut Random::new(seed)));
        for step in 0..20 {
            let then = returning.snapshot();
            returning.advance(0.01).unwrap();
            returning.restore(&then).unwrap();
            for world in [&mut plain, &mut returning] {
                world.advance(0.01).unwrap();
            }
            assert!(plain.snapshot().to_bytes() == returning.snapshot().to_bytes(), "case {case}, step {step}");
        }
    }
}

/// The step at which a run fails, if it is saved and restored before step `at`.
fn fails_at(limits: Limits, at: Option<usize>) -> Option<usize> {
    let mut world = World::builder().paradigm(Paradigm::ODE).limits(limits).build().unwrap();
    world.add(floor()).unwrap();
    for k in 0..3 {
        world.add(cube(0.2).at([f64::from(k), 1.0 + 2.0 * f64::from(k), 0.0])).unwrap();
    }
    (0..90).find(|step| {
        if at == Some(*step) {
            let read = world.read_snapshot(&world.snapshot().to_bytes()).unwrap();
            world.restore(&read).unwrap();
        }
        world.advance(0.01).is_err()
    })
}

#[test]
fn a_restored_run_fails_at_the_same_step() {
    let mut outcomes = [0; 2];
    for k in 0..12 {
        let limits = Limits { length: 1e-4 * 2.0_f64.powi(k), energy: 1e-3 * 2.0_f64.powi(k) };
        let plain = fails_at(limits, None);
        outcomes[usize::from(plain.is_some())] += 1;
        for at in [0, 1, 30, 43, 60] {
            assert_eq!(fails_at(limits, Some(at)), plain, "saved before step {at}, {limits:?}");
        }
    }
    // the control: some of these runs fail, and some do not
    assert!(outcomes.iter().all(|n| *n > 0), "{outcomes:?}");
}

#[test]
fn contacts_have_the_present_surfaces_after_a_restore() {
    let mut world = World::builder().build().unwrap();
    let ice = world.add_material(Material { friction: 0.0, ..Material::default() }).unwrap();
    world.add(floor().material(ice)).unwrap();
    let sledge = world.add(cube(0.2).at([0.0, 0.2, 0.0]).material(ice).linear_velocity([8.4, 0.0, 0.0])).unwrap();
    for _ in 0..5 {
        world.advance(0.01).unwrap();
    }
    let rough = PairMaterial { friction: 1.0, ..PairMaterial::default() };
    world.materials_mut().set_pair(ice, ice, rough).unwrap();
    let snapshot = world.snapshot();
    let mut speeds = [0.0; 2];
    for speed in &mut speeds {
        world.restore(&snapshot).unwrap();
        for _ in 0..200 {
            world.advance(0.01).unwrap();
        }
        *speed = world.velocity(sledge).unwrap().linear.x;
    }
    assert_eq!(speeds[0], speeds[1]);
    assert!(speeds[0].abs() < 1e-6, "it brakes: {speeds:?}");
    // a surface that is changed after the snapshot counts as well
    world.restore(&snapshot).unwrap();
    world.materials_mut().set_pair(ice, ice, PairMaterial::default()).unwrap();
    world.restore(&snapshot).unwrap();
    for _ in 0..200 {
        world.advance(0.01).unwrap();
    }
    assert!(world.velocity(sledge).unwrap().linear.x > 8.0);
}

#[test]
fn the_first_material_that_is_added_is_not_that_of_earlier_bodies() {
    let mut world = World::builder().build().unwrap();
    world.add(floor()).unwrap();
    let sledge = world.add(cube(0.2).at([0.0, 0.2, 0.0]).linear_velocity([3.0, 0.0, 0.0])).unwrap();
    let ice = world.add_material(Material { friction: 0.0, ..Material::default() }).unwrap();
    assert_ne!(world.properties(sledge).unwrap().material, ice);
    for _ in 0..300 {
        world.advance(0.01).unwrap();
    }
    assert!(world.velocity(sledge).unwrap().linear.x.abs() < 1e-6, "the default material brakes it");
    // the default material can be changed like any other
    let default = MaterialIndex::default();
    assert_eq!(world.materials_mut().set(default, Material { friction: 0.0, ..Material::default() }), Ok(()));
}

#[test]
fn a_moved_centre_of_mass_makes_a_snapshot_stale() {
    let body = || Body::dynamic(Shape::cuboid(0.2, 0.2, 0.2).unwrap()).at([0.0, 5.0, 0.0]);
    let wedge = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let mut world = World::builder().build().unwrap();
    let id = world.add(body()).unwrap();
    let held = world.properties(id).unwrap();
    let mass = MassProperties { mass: 5.0, center: Vec3::X * 0.1, inertia: held.inertia };
    let change = |world: &mut World, k: usize| match k {
        0 => world.set_mass_properties(id, &mass).unwrap(),
        _ => world.set_shape(id, Shape::convex(&wedge).unwrap()).unwrap(),
    };
    for k in 0..2 {
        let snapshot = world.snapshot();
        let bytes = snapshot.to_bytes();
        change(&mut world, k);
        let place = world.position(id).unwrap();
        assert!(matches!(world.restore(&snapshot), Err(WorldError::Missing(_))));
        assert_eq!(world.position(id), Some(place));
        assert_eq!(world.read_snapshot(&bytes).map(drop), Err(SnapshotError::OtherWorld));
    }
}

/// How a world differs from the first one.
type Variation = (&'static str, fn(&mut World, [BodyId; 3], JointId));

/// One thing that no step changes, each time another one.
const VARIATIONS: &[Variation] = &[
    ("an anchor", |w, [a, b, _], j| {
        w.remove_joint(j).unwrap();
        w.join(Joint::hinge(a, b).anchor([0.5, 1.0, 0.1]).axis(Vec3::Z)).unwrap();
    }),
    ("an axis", |w, [a, b, _], j| {
        w.remove_joint(j).unwrap();
        w.join(Joint::hinge(a, b).anchor([0.5, 1.0, 0.0]).axis(Vec3::Y)).unwrap();
    }),
    ("limits", |w, _, j| w.set_limits_of(j, Some([-1.0, 1.0])).unwrap()),
    ("a motor", |w, _, j| w.set_motor(j, Some(Motor::Velocity { velocity: 1.0, max_force: 5.0 })).unwrap()),
    ("a strength", |w, _, j| w.set_strength(j, JointStrength { force: 5.0, torque: 5.0 }).unwrap()),
    ("a script", |w, [_, _, c], _| {
        let (middle, travel, turn) = (Pose::from_position(Vec3::Y * 4.0), Vec3::X, Vec3::ZERO);
        w.add_script(c, Sinusoid { middle, travel, turn, frequency: 1.5, phase: 0.0 }).unwrap();
    }),
    ("gravity", |w, _, _| w.set_gravity([0.0, -1.0, 0.0]).unwrap()),
    ("a material", |w, _, _| {
        w.materials_mut().set(MaterialIndex::default(), Material { friction: 0.9, ..Material::default() }).unwrap();
    }),
    ("a pair of materials", |w, _, _| {
        let pair = PairMaterial { friction: 0.9, ..PairMaterial::default() };
        w.materials_mut().set_pair(MaterialIndex::default(), MaterialIndex::default(), pair).unwrap();
    }),
    ("inertia", |w, [a, ..], _| {
        let held = w.properties(a).unwrap();
        let mut mass = MassProperties { mass: held.mass, center: held.center, inertia: held.inertia };
        mass.inertia.diagonal.y *= 1.1;
        w.set_mass_properties(a, &mass).unwrap();
    }),
    ("a centre", |w, [a, ..], _| {
        let held = w.properties(a).unwrap();
        let mass = MassProperties { mass: held.mass, center: Vec3::Y * 0.01, inertia: held.inertia };
        w.set_mass_properties(a, &mass).unwrap();
    }),
    ("a shape of the same radius", |w, [.., c], _| {
        w.set_shape(c, Shape::cuboid(0.3, 0.1, 0.2).unwrap()).unwrap();
    }),
    ("damping", |w, [a, ..], _| w.set_damping(a, 0.1, 0.0).unwrap()),
    ("a scale of gravity", |w, [a, ..], _| w.set_gravity_scale(a, 0.5).unwrap()),
    ("a layer", |w, [a, ..], _| w.set_layer(a, 1).unwrap()),
    ("a force", |w, _, _| {
        w.add_force(Damping { linear: 1.0, angular: 0.0, targets: Targets::All });
    }),
    ("a pair that never meets", |w, [a, _, c], _| w.ignore_pair(a, c).unwrap()),
];

#[test]
fn worlds_that_differ_in_anything_fixed_do_not_take_each_others_snapshots() {
    let none: Variation = ("nothing", |_, _, _| {});
    let build = |vary: &Variation| {
        let mut world = World::builder().build().unwrap();
        let a = world.add(cube(0.2).at([0.0, 1.0, 0.0])).unwrap();
        let b = world.add(cube(0.2).at([1.0, 1.0, 0.0])).unwrap();
        let c = world.add(Body::scripted(Shape::cuboid(0.1, 0.2, 0.3).unwrap()).at([0.0, 4.0, 0.0])).unwrap();
        let (middle, travel, turn) = (Pose::from_position(Vec3::Y * 4.0), Vec3::X, Vec3::ZERO);
        world.add_script(c, Sinusoid { middle, travel, turn, frequency: 1.0, phase: 0.0 }).unwrap();
        let joint = world.join(Joint::hinge(a, b).anchor([0.5, 1.0, 0.0]).axis(Vec3::Z)).unwrap();
        vary.1(&mut world, [a, b, c], joint);
        world
    };
    let bytes = build(&none).snapshot().to_bytes();
    assert!(build(&none).read_snapshot(&bytes).is_ok(), "the control");
    let taken: Vec<_> = VARIATIONS.iter().filter(|v| build(v).read_snapshot(&bytes).is_ok()).map(|v| v.0).collect();
    assert!(taken.is_empty(), "taken for the same: {taken:?}");
}

/// A body that is put to sleep as it flies stands where it is, not where it was, or was expected, in the step before.
#[test]
fn nothing_falls_through_a_body_that_was_put_to_sleep() {
    for paradigm in Paradigm::ALL {
        for speed in [0.0, 20.0, 60.0, 100.0, 200.0] {
            let mut world = World::builder().paradigm(*paradigm).build().unwrap();
            let flying = world.add(ball(0.3).at([-0.04 * speed, 0.0, 0.0]).linear_velocity([speed, 0.0, 0.0])).unwrap();
            let above = world.add(ball(0.3).at([0.0, 1.0, 0.0])).unwrap();
            for _ in 0..4 {
                world.advance(0.01).unwrap();
            }
            world.sleep(flying).unwrap();
            let nearest = (0..60).fold(f64::INFINITY, |nearest: f64, _| {
                world.advance(0.01).unwrap();
                nearest.min(world.position(above).unwrap().distance(world.position(flying).unwrap()))
            });
            assert!(nearest > 0.4, "{} at {speed} m/s: {nearest} m between centres", paradigm.name);
        }
    }
}

#[test]
fn what_is_written_can_be_read() {
    for far in [1e60, 1e120, 1e200, 1e300] {
        let mut world = World::builder().gravity(Vec3::ZERO).build().unwrap();
        world.add(ball(0.5).at([far, 0.0, 0.0])).unwrap();
        world.add(ball(0.5).linear_velocity([0.0, far, 0.0])).unwrap();
        if world.advance(0.01).is_err() {
            continue;
        }
        let bytes = world.snapshot().to_bytes();
        assert_eq!(world.read_snapshot(&bytes).map(|s| s.to_bytes()), Ok(bytes), "{far}");
    }
}

/// A step that succeeds leaves numbers: also among the multipliers, which the next step starts from.
#[test]
fn a_step_that_succeeds_leaves_finite_multipliers() {
    for paradigm in Paradigm::ALL {
        for far in [1e100, 1e155, 1e200, 1e308] {
            let mut world = World::builder().paradigm(*paradigm).build().unwrap();
            let body = world.add(cube(0.5)).unwrap();
            let joint = world.join(Joint::ball(Joint::WORLD, body).anchor([far, 0.0, 0.0]));
            let Ok(joint) = joint else { continue };
            for _ in 0..3 {
                if world.advance(0.01).is_err() {
                    break;
                }
                let multipliers = world.joint_impulses(joint).unwrap_or_default();
                assert!(multipliers.iter().all(|m| m.is_finite()), "{} {far}: {multipliers:?}", paradigm.name);
                let bytes = world.snapshot().to_bytes();
                assert!(world.read_snapshot(&bytes).is_ok(), "{} {far}", paradigm.name);
            }
        }
    }
}

/// What was computed for a body while it was dynamic does not act on it when it is moved by a script, or on the body that has its column after a removal.
#[test]
fn a_body_that_has_become_another_kind_acts_as_if_it_had_always_been_of_that_kind() {
    for paradigm in Paradigm::ALL {
        let build = |falls: usize| {
            let mut world = World::builder().paradigm(*paradigm).build().unwrap();
            let gone = world.add(ball(0.1).at([9.0, 0.0, 0.0])).unwrap();
            let plate = Body::dynamic(Shape::cuboid(0.5, 0.1, 0.5).unwrap());
            let plate = world.add(plate.at([0.0, 0.0, 0.0])).unwrap();
            world.add(cube(0.2).at([0.05, 0.31, 0.0])).unwrap();
            for _ in 0..falls {
                world.advance(0.01).unwrap();
            }
            world.set_kind(plate, BodyKind::Scripted).unwrap();
            world.remove(gone).unwrap();
            world
        };
        let (mut first, mut second) = (build(4), build(0));
        let read = second.read_snapshot(&first.snapshot().to_bytes()).unwrap();
        second.restore(&read).unwrap();
        for step in 0..40 {
            first.advance(0.01).unwrap();
            second.advance(0.01).unwrap();
            assert_eq!(first.state(), second.state(), "{} at step {step}", paradigm.name);
        }
    }
}
