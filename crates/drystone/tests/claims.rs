//! What a world demands of a method, measured on worlds for which the answer is
//! known, and what presets say before a run about demands beyond their claims.

use drystone::Demand;
use drystone::prelude::*;
use drystone_core::BodyIndex;
use drystone_joints::JointDescription;
use drystone_motion::force::SpringDamper;

fn world(paradigm: Paradigm) -> World {
    World::builder().paradigm(paradigm).build().unwrap()
}

fn floor(world: &mut World) {
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
}

/// A cube of 1 m with its centre at height `y`.
fn cube(y: f64, mass: f64) -> Body {
    Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).mass(mass).at([0.0, y, 0.0])
}

/// A column of cubes of 2 kg, the top one of mass `top`.
fn column(paradigm: Paradigm, count: u32, top: f64) -> World {
    let mut world = world(paradigm);
    floor(&mut world);
    for i in 0..count {
        world.add(cube(0.5 + f64::from(i), if i + 1 == count { top } else { 2.0 })).unwrap();
    }
    world
}

/// Beads of 1 kg on ball joints, 1 m apart, the last one of mass `end`; `closed` adds a joint from the end to the world.
fn chain(paradigm: Paradigm, count: u32, end: f64, closed: bool) -> World {
    let mut world = world(paradigm);
    let bead = |i: u32| {
        let mass = if i + 1 == count { end } else { 1.0 };
        Body::dynamic(Shape::sphere(0.1).unwrap()).mass(mass).at([f64::from(i), 9.0, 0.0])
    };
    let joint = |world: &mut World, ends: [Option<BodyId>; 2], x: f64| {
        let pose = |end: Option<BodyId>| end.map_or(Pose::IDENTITY, |b| world.pose(b).unwrap());
        let description = JointDescription { anchor: Some(Vec3::new(x, 9.0, 0.0)), ..JointDescription::new("ball") };
        let source = drystone_joints::build(&description, &pose(ends[0]), &pose(ends[1])).unwrap();
        world.add_joint(ends, source).unwrap();
    };
    let mut last = None;
    for i in 0..count {
        let next = Some(world.add(bead(i)).unwrap());
        joint(&mut world, [last, next], f64::from(i) - 0.5);
        last = next;
    }
    if closed {
        joint(&mut world, [None, last], f64::from(count));
    }
    world
}

/// The demands that exceed a preset's claims.
fn beyond(world: &World) -> Vec<Demand> {
    world.beyond_claims().iter().map(|b| b.bound.demand).collect()
}

#[test]
fn a_column_has_its_cubes_as_levels_and_the_ratio_of_its_top() {
    let found = column(Paradigm::REAL_TIME, 7, 50.0).demands();
    let wanted = (7, 7, 25.0, 1.0, 0);
    assert_eq!((found.bodies, found.levels, found.mass_ratio, found.linked_mass_ratio, found.links), wanted);
    assert!(found.overlap.abs() < 1e-12, "{found:?}");
    // in the air no cube carries another
    let mut world = world(Paradigm::REAL_TIME);
    floor(&mut world);
    for y in [2.0, 4.0, 6.0] {
        world.add(cube(y, y)).unwrap();
    }
    let found = world.demands();
    assert_eq!((found.bodies, found.levels, found.mass_ratio), (3, 0, 1.0));
}

#[test]
fn what_does_not_meet_does_not_touch() {
    let mut world = world(Paradigm::REAL_TIME);
    floor(&mut world);
    world.add(cube(0.5, 1.0)).unwrap();
    world.add(cube(1.2, 90.0).layer(1)).unwrap();
    let found = world.demands();
    assert_eq!((found.levels, found.mass_ratio, found.overlap), (1, 1.0, 0.0));
}

#[test]
fn a_chain_has_its_beads_as_links_and_a_closed_one_a_loop() {
    let open = chain(Paradigm::MECHANISM, 6, 40.0, false).demands();
    assert_eq!((open.links, open.linked_mass_ratio, open.loops, open.levels, open.mass_ratio), (6, 40.0, 0, 0, 1.0));
    let closed = chain(Paradigm::MECHANISM, 6, 40.0, true).demands();
    // counted from both ends it is half as long
    assert_eq!((closed.links, closed.loops), (3, 1));
}

#[test]
fn limbs_are_counted_from_end_to_end_of_what_nothing_holds() {
    let held = chain(Paradigm::XPBD, 6, 1.0, false);
    assert_eq!((held.demands().limbs, beyond(&held)), (0, vec![]));
    // a torso with arms of two limbs each: the count goes from hand to hand
    let figure = |arms: u32| {
        let mut world = world(Paradigm::XPBD);
        let torso = world.add(cube(9.0, 1.0)).unwrap();
        for arm in 0..arms {
            let mut last = torso;
            for joint in 1..=2 {
                let x = (1.0 - 2.0 * f64::from(arm)) * f64::from(joint);
                let next = world.add(cube(9.0, 1.0).at([x, 9.0, 0.0])).unwrap();
                let description =
                    JointDescription { anchor: Some(Vec3::new(x, 9.0, 0.0)), ..JointDescription::new("ball") };
                let poses = [last, next].map(|b| world.pose(b).unwrap());
                let source = drystone_joints::build(&description, &poses[0], &poses[1]).unwrap();
                world.add_joint([Some(last), Some(next)], source).unwrap();
                last = next;
            }
        }
        world
    };
    assert_eq!((figure(1).demands().limbs, beyond(&figure(1))), (2, vec![]));
    assert_eq!((figure(2).demands().limbs, beyond(&figure(2))), (4, vec![Demand::Limbs]));
}

#[test]
fn some_claims_are_of_the_step() {
    let mut world = world(Paradigm::PENALTY);
    floor(&mut world);
    world.add(cube(0.5, 1.0)).unwrap();
    let beyond = |h: f64| world.beyond_claims_in_steps(h).iter().map(|b| b.bound.demand).collect::<Vec<_>>();
    assert_eq!((beyond(0.0), beyond(1.0 / 60.0), beyond(1.0 / 30.0)), (vec![], vec![], vec![Demand::Fall]));
    assert!((world.demands_in_steps(0.1).fall - 0.0981).abs() < 1e-12);
}

#[test]
fn motors_and_springs_drive_and_plain_joints_do_not() {
    let mut chain = chain(Paradigm::ACCELERATION_LP, 3, 1.0, false);
    assert_eq!((chain.demands().driven, beyond(&chain)), (0, vec![]));
    chain.add_force(SpringDamper::mouse(BodyIndex(2), Vec3::ZERO, Vec3::ZERO, 10.0, 1.0, 5.0));
    assert_eq!((chain.demands().driven, beyond(&chain)), (1, vec![Demand::Driven]));
    let ends = [None, Some(chain.bodies()[1])];
    let motor = Some(Motor::Velocity { velocity: 2.0, max_force: 3.0 });
    let description = JointDescription { axis: Some(Vec3::X), motor, ..JointDescription::new("slider") };
    let source = drystone_joints::build(&description, &Pose::IDENTITY, &chain.pose(ends[1].unwrap()).unwrap()).unwrap();
    chain.add_joint(ends, source).unwrap();
    assert_eq!(chain.demands().driven, 2);
}

#[test]
fn overlap_and_gap_are_measured_in_radii() {
    let mut world = world(Paradigm::REAL_TIME);
    floor(&mut world);
    let ball = world.add(Body::dynamic(Shape::sphere(0.5).unwrap()).at([0.0, 0.35, 0.0])).unwrap();
    assert!((world.demands().overlap - 0.3).abs() < 1e-12, "{:?}", world.demands());
    let pose = world.pose(ball).unwrap();
    let description = JointDescription { anchor: Some(Vec3::new(0.0, 0.35, 0.0)), ..JointDescription::new("ball") };
    let source = drystone_joints::build(&description, &Pose::IDENTITY, &pose).unwrap();
    world.add_joint([None, Some(ball)], source).unwrap();
    assert!(world.demands().gap < 1e-12);
    world.set_pose(ball, Vec3::new(0.0, 5.35, 0.0), Quat::IDENTITY).unwrap();
    let found = world.demands();
    assert!((found.gap - 10.0).abs() < 1e-12, "{found:?}");
    assert_eq!(found.overlap, 0.0);
}

#[test]
fn asking_changes_nothing() {
    let [mut asked, mut other] = [(); 2].map(|()| column(Paradigm::VELOCITY_LCP, 12, 300.0));
    for _ in 0..20 {
        assert!(!asked.beyond_claims().is_empty());
        for world in [&mut asked, &mut other] {
            world.advance(0.01).unwrap();
        }
    }
    let bits = |world: &World| -> Vec<[u64; 3]> {
        world.bodies().iter().map(|b| world.position(*b).unwrap().to_array().map(f64::to_bits)).collect()
    };
    assert_eq!(bits(&asked), bits(&other));
}

#[test]
fn presets_say_what_lies_beyond_their_claims_and_nothing_else() {
    // a preset that sweeps: high columns and heavy tops
    assert_eq!(beyond(&column(Paradigm::VELOCITY_LCP, 9, 2.0)), []);
    assert_eq!(beyond(&column(Paradigm::VELOCITY_LCP, 25, 2.0)), [Demand::Levels]);
    assert_eq!(beyond(&column(Paradigm::VELOCITY_LCP, 3, 2000.0)), [Demand::MassRatio]);
    // these are made for both
    for paradigm in [Paradigm::REAL_TIME, Paradigm::LOAD_PROPAGATION, Paradigm::AVBD] {
        assert_eq!(beyond(&column(paradigm, 25, 2000.0)), [], "{}", paradigm.name);
    }
    // joints that give way: heavy ends
    assert_eq!(beyond(&chain(Paradigm::SUBSTEP_SOFT, 10, 10.0, false)), []);
    assert_eq!(beyond(&chain(Paradigm::SUBSTEP_SOFT, 10, 100.0, false)), [Demand::LinkedMassRatio]);
    assert_eq!(beyond(&chain(Paradigm::AVBD, 30, 5e4, false)), []);
    // chains that are solved joint by joint: long ones
    assert_eq!(beyond(&chain(Paradigm::XPBD, 30, 10.0, false)), []);
    assert_eq!(beyond(&chain(Paradigm::XPBD, 31, 10.0, false)), [Demand::Links]);
    // bodies that may become a heap: many of them
    let mut heap = world(Paradigm::PENALTY);
    for i in 0..100 {
        heap.add(cube(3.0 * f64::from(i), 1.0)).unwrap();
    }
    assert_eq!(beyond(&heap), []);
    heap.add(cube(-3.0, 1.0)).unwrap();
    assert_eq!(beyond(&heap), [Demand::Bodies]);
    // presets that turn corrections of position into velocities: overlap
    for (paradigm, y) in [(Paradigm::XPBD, 0.45), (Paradigm::ODE, 0.45), (Paradigm::PENALTY, 0.45)] {
        let mut world = world(paradigm);
        floor(&mut world);
        let body = world.add(cube(y, 1.0)).unwrap();
        assert_eq!(beyond(&world), [Demand::Overlap], "{}", paradigm.name);
        world.set_pose(body, Vec3::new(0.0, 0.5, 0.0), Quat::IDENTITY).unwrap();
        assert_eq!(beyond(&world), [], "{}", paradigm.name);
    }
}

#[test]
fn what_is_said_names_figure_bound_reason_and_source() {
    let said: Vec<String> = column(Paradigm::XPBD, 3, 50.0).beyond_claims().iter().map(ToString::to_string).collect();
    let [said] = &said[..] else { panic!("{said:?}") };
    assert!(said.contains("25, claimed up to 10:"), "{said}");
    for paradigm in Paradigm::ALL {
        for (i, bound) in paradigm.claims.iter().enumerate() {
            assert!(bound.most >= 0.0 && !bound.reason.is_empty() && !bound.source.is_empty(), "{}", paradigm.name);
            let twice = paradigm.claims[..i].iter().any(|b| b.demand == bound.demand);
            assert!(!twice, "{}: two bounds on {}", paradigm.name, bound.demand.name());
        }
    }
}

#[test]
fn another_solver_in_a_preset_is_not_held_to_its_claims() {
    let own = column(Paradigm::VELOCITY_LCP, 25, 2.0);
    assert_eq!(beyond(&own), [Demand::Levels]);
    let mut exact = own;
    let choice = drystone::ModuleChoice {
        kind: drystone::ModuleKind::Lcp,
        name: Some("sparse-principal-pivoting".to_owned()),
        settings: Vec::new(),
    };
    exact.set_paradigm(Paradigm::VELOCITY_LCP, std::slice::from_ref(&choice)).unwrap();
    assert_eq!(beyond(&exact), []);
    // a solver that the preset does not use makes no difference
    exact.set_paradigm(Paradigm::XPBD, &[choice]).unwrap();
    assert_eq!(beyond(&exact), [Demand::Levels]);
}

#[test]
fn an_empty_world_asks_for_nothing() {
    let demands = world(Paradigm::XPBD).demands();
    for demand in Demand::ALL {
        let nothing = f64::from(matches!(demand, Demand::MassRatio | Demand::LinkedMassRatio));
        assert_eq!(demand.of(&demands), nothing, "{}", demand.name());
    }
    for paradigm in Paradigm::ALL {
        assert_eq!(beyond(&world(*paradigm)), [], "{}", paradigm.name);
    }
}

/// A chain of links of 0.25 m, let go 30 degrees above level, with beads of a kilogram and a heavy
/// one at the end. The heavy one falls while the links bear nothing, and then pulls them taut.
fn folding(paradigm: Paradigm, beads: u32, end: f64) -> World {
    let mut world = world(paradigm);
    let along = Vec3::new(30f64.to_radians().cos(), 30f64.to_radians().sin(), 0.0) * 0.25;
    let mut last = None;
    for i in 0..=beads {
        let mass = if i == beads { end } else { 1.0 };
        let anchor = along * f64::from(i);
        let bead = Body::dynamic(Shape::sphere(0.1).unwrap()).mass(mass).at((anchor + along).to_array());
        let next = Some(world.add(bead.layer(i64::from(i))).unwrap());
        let pose = |end: Option<BodyId>| end.map_or(Pose::IDENTITY, |b| world.pose(b).unwrap());
        let description = JointDescription { anchor: Some(anchor), ..JointDescription::new("ball") };
        let source = drystone_joints::build(&description, &pose(last), &pose(next)).unwrap();
        world.add_joint([last, next], source).unwrap();
        last = next;
    }
    world
}

/// The widest gap (m) of a joint within 3 s; infinite if a step fails.
fn widest_gap(mut world: World) -> f64 {
    let mut widest = 0.0_f64;
    for _ in 0..180 {
        if world.advance(1.0 / 60.0).is_err() {
            return f64::INFINITY;
        }
        widest = world.joints().iter().map(|j| world.joint_error(*j).unwrap().linear).fold(widest, f64::max);
    }
    widest
}

/// How far (m) the top of a column of ten has moved after 3 s, if it is `ratio` times as heavy as the others; infinite if a step fails.
fn way_of_top(paradigm: Paradigm, ratio: f64) -> f64 {
    let mut world = column(paradigm, 10, 2.0 * ratio);
    let top = *world.bodies().last().unwrap();
    let start = world.position(top).unwrap();
    for _ in 0..180 {
        if world.advance(1.0 / 60.0).is_err() {
            return f64::INFINITY;
        }
    }
    (world.position(top).unwrap() - start).length()
}

/// Exact solves hold a heavy body on a column up to their claim, and lose it at [`BEYOND`] times that.
#[test]
fn a_heavy_body_stands_on_light_ones_up_to_the_claim_of_exact_solves() {
    let bound = Paradigm::MECHANISM.claims.iter().find(|b| b.demand == Demand::MassRatio).unwrap();
    let held = way_of_top(Paradigm::MECHANISM, bound.most);
    assert!(held < 1e-4, "{held} m at {}", bound.most);
    let lost = way_of_top(Paradigm::MECHANISM, BEYOND * bound.most);
    assert!(lost > 0.5, "{lost} m at {BEYOND} times the claim");
    // the masses alone do not decide that
    let other = way_of_top(Paradigm::REAL_TIME, BEYOND * bound.most);
    assert!(other < 1e-4, "{other} m under real-time");
}

/// At this multiple of its claim no preset holds the links any more; at three times the claim some still do.
const BEYOND: f64 = 30.0;

/// Up to its claim each of these presets holds a chain that folds and is pulled taut, and far beyond it none does: the warning is no idle one.
#[test]
fn light_links_under_a_heavy_end_hold_up_to_the_claim_and_tear_beyond() {
    for paradigm in [
        Paradigm::REAL_TIME,
        Paradigm::VELOCITY_LCP,
        Paradigm::LOAD_PROPAGATION,
        Paradigm::MECHANISM,
        Paradigm::RETROACTIVE,
        Paradigm::HYBRID,
        Paradigm::IMPULSE_SPLIT,
        Paradigm::NONLINEAR_GAUSS_SEIDEL,
        Paradigm::COLLISION_SYNCHRONIZATION,
    ] {
        let bound = paradigm.claims.iter().find(|b| b.demand == Demand::LinkedMassRatio).unwrap();
        let widest =
            |end: f64| [1, 2, 3].map(|beads| widest_gap(folding(paradigm, beads, end))).into_iter().fold(0.0, f64::max);
        let claimed = folding(paradigm, 1, bound.most);
        assert_eq!(beyond(&claimed), [], "{}", paradigm.name);
        let held = widest(bound.most);
        assert!(held < 0.03, "{}: {held} m at {}", paradigm.name, bound.most);
        let warned = folding(paradigm, 1, 1.01 * bound.most);
        assert_eq!(beyond(&warned), [Demand::LinkedMassRatio], "{}", paradigm.name);
        // beyond the claim it depends on the ratio which chains tear
        let torn =
            [0.1, 1.0 / 3.0, 1.0, 3.0].map(|part| widest(part * BEYOND * bound.most)).into_iter().fold(0.0, f64::max);
        assert!(torn > 0.25, "{}: {torn} m at {BEYOND} times the claim", paradigm.name);
    }
}
