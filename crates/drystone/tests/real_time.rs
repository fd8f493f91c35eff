//! The preset `real-time` without sleep: columns, heavy loads, walls and slopes at 1/60 s, for any direction of gravity. As a control, a step
//! without the load pass, or another preset, must fail to hold the same scene.

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};
use drystone_core::MaterialIndex;
use drystone_core::catalogue::Value;
use drystone_joints::JointDescription;

const G: f64 = 9.81;
const H: f64 = 1.0 / 60.0;

fn choice(kind: ModuleKind, name: Option<&str>, settings: &[(&str, Value)]) -> ModuleChoice {
    let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
    ModuleChoice { kind, name: name.map(str::to_owned), settings }
}

/// A world that never sleeps, with a floor across `up` and friction 0.5.
fn world(paradigm: Paradigm, up: Vec3, more: &[ModuleChoice]) -> World {
    rough_world(paradigm, up, 0.5, more)
}

fn rough_world(paradigm: Paradigm, up: Vec3, friction: f64, more: &[ModuleChoice]) -> World {
    let builder = World::builder().paradigm(paradigm).gravity(up * -G);
    let builder = builder.choose(choice(ModuleKind::SleepPolicy, Some("never"), &[]));
    let mut world = more.iter().cloned().fold(builder, drystone::WorldBuilder::choose).build().unwrap();
    // of all bodies that name none
    let material = Material { friction, restitution: 0.0, ..Material::default() };
    world.materials_mut().set(MaterialIndex(0), material).unwrap();
    world.add(Body::fixed(Shape::plane(up, 0.0).unwrap())).unwrap();
    world
}

/// The same number of sweeps, but without loads passed down.
fn no_loads() -> ModuleChoice {
    let none = [("load_sweeps", Value::Integer(0)), ("moving_load_sweeps", Value::Integer(0))];
    choice(ModuleKind::ConstraintSolver, None, &none)
}

fn unit_cube() -> Body {
    Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).mass(1000.0)
}

/// Twenty cubes along `up`, turned and off-centre, the top one `ratio` times as heavy. Returns the largest displacement in five seconds (m).
fn column(paradigm: Paradigm, up: Vec3, ratio: f64, more: &[ModuleChoice]) -> f64 {
    let mut world = world(paradigm, up, more);
    let turned = Quat::from_rotation_arc(Vec3::Y, up);
    let place = |i: i32| {
        let t = f64::from(i);
        turned * Vec3::new(0.03 * (2.3 * t).sin(), 0.5 + t, 0.03 * (1.7 * t).cos())
    };
    let bodies: Vec<_> = (0..20)
        .map(|i| {
            let mass = if i == 19 { 1000.0 * ratio } else { 1000.0 };
            let askew = turned * Quat::from_rotation_y(0.7 * (3.1 * f64::from(i)).sin());
            world.add(unit_cube().mass(mass).at(place(i)).oriented(askew)).unwrap()
        })
        .collect();
    for _ in 0..300 {
        if world.advance(H).is_err() {
            return f64::INFINITY;
        }
    }
    let moved = |i: usize| (world.position(bodies[i]).unwrap() - place(i as i32)).length();
    (0..20).map(moved).fold(0.0, f64::max)
}

#[test]
fn columns_stand_at_any_ratio_of_masses_and_any_direction_of_gravity() {
    for up in [Vec3::Y, Vec3::Z, Vec3::new(0.6, 0.0, -0.8)] {
        for ratio in [1.0, 1000.0] {
            let moved = column(Paradigm::REAL_TIME, up, ratio, &[]);
            assert!(moved < 5e-4, "up {up}, {ratio}: moved {moved} m");
        }
    }
    // Newton's method carries it even without loads passed down
    let moved = column(Paradigm::REAL_TIME, Vec3::Y, 1000.0, &[no_loads()]);
    assert!(moved < 5e-4, "without loads passed down: {moved} m");
    // the control: relaxation alone does not carry a load a thousand times as heavy
    let moved = column(Paradigm::VELOCITY_LCP, Vec3::Y, 1000.0, &[]);
    assert!(moved > 0.1, "velocity-lcp: {moved} m");
}

#[test]
fn a_column_takes_two_visits_of_a_contact() {
    let mut world = world(Paradigm::REAL_TIME, Vec3::Y, &[]);
    for i in 0..30 {
        world.add(unit_cube().at([0.0, 0.5 + f64::from(i), 0.0])).unwrap();
    }
    let first = world.advance(H).unwrap();
    assert_eq!(first.lcp.iterations, 2, "{:?}", first.lcp);
    // from then on the loads are those of the step before
    for _ in 0..60 {
        let report = world.advance(H).unwrap();
        assert_eq!(report.lcp.iterations, 1, "{:?}", report.lcp);
    }
}

/// Three stacked blocks thrown together slide as one, and stop after `v^2 / (2 mu g)` less half a step's way, however few sweeps come before Newton's
/// method.
#[test]
fn a_small_stack_slides_as_one() {
    let slide = |paradigm: Paradigm, choices: &[ModuleChoice]| {
        let mut world = rough_world(paradigm, Vec3::Y, 0.3, choices);
        let block = Body::dynamic(Shape::cuboid(0.5, 0.2, 0.5).unwrap()).mass(500.0);
        let blocks: Vec<_> = (0..3)
            .map(|i| {
                let at = Vec3::Y * (0.2 + 0.4 * f64::from(i));
                world.add(block.clone().at(at).linear_velocity(Vec3::X * 2.0)).unwrap()
            })
            .collect();
        for _ in 0..60 {
            world.advance(H).unwrap();
        }
        [0, 2].map(|i| world.position(blocks[i]).unwrap().x)
    };
    let wanted = 2.0 / (0.3 * G) - 0.5 * 2.0 * H;
    let few = [("sweeps", Value::Integer(4)), ("moving_sweeps", Value::Integer(4))];
    for choices in [&[][..], &[choice(ModuleKind::ConstraintSolver, None, &few)]] {
        let [low, high] = slide(Paradigm::REAL_TIME, choices);
        assert!((low - wanted).abs() < 2e-3 && (high - low).abs() < 1e-3, "{low} and {high} for {wanted} m");
    }
    // the control: four sweeps alone
    let few = [("iterations", Value::Integer(4))];
    let [low, high] = slide(Paradigm::VELOCITY_LCP, &[choice(ModuleKind::Lcp, None, &few)]);
    assert!((high - low).abs() > 0.01, "four sweeps: {low} and {high}");
}

/// Impulses from a step at rest are reused only as long as they hold.
#[test]
fn what_stands_feels_what_changes() {
    let moved = |change: &dyn Fn(&mut World, BodyId)| {
        let mut world = world(Paradigm::REAL_TIME, Vec3::Y, &[]);
        world.set_gravity(Vec3::new(0.2 * G, -G, 0.0)).unwrap();
        let body = world.add(unit_cube().at([0.0, 0.5, 0.0])).unwrap();
        for _ in 0..60 {
            world.advance(H).unwrap();
        }
        let rested = world.position(body).unwrap();
        change(&mut world, body);
        for _ in 0..60 {
            world.advance(H).unwrap();
        }
        world.position(body).unwrap() - rested
    };
    assert!(moved(&|_, _| {}).length() < 1e-6);
    let slides = |way: Vec3, rate: f64| (way.x - 0.5 * rate * G).abs() < 0.05 * rate * G && way.y.abs() < 1e-4;
    // no friction on a slope of 0.2, on which the friction of both surfaces held before
    let smooth = moved(&|w, b| {
        let smooth = w.add_material(Material { friction: 0.0, restitution: 0.0, ..Material::default() }).unwrap();
        w.set_material(b, smooth).unwrap();
    });
    assert!(slides(smooth, 0.2), "{smooth}");
    let steeper = moved(&|w, _| w.set_gravity(Vec3::new(0.7 * G, -G, 0.0)).unwrap());
    assert!(slides(steeper, 0.2), "{steeper}");
    let lifted = moved(&|w, _| w.set_gravity(Vec3::Y * G).unwrap());
    assert!((lifted.y - 0.5 * G).abs() < 0.1, "{lifted}");
}

#[test]
fn a_wall_stands() {
    let mut world = world(Paradigm::REAL_TIME, Vec3::Y, &[]);
    let brick = Shape::cuboid(0.5, 0.2, 0.25).unwrap();
    let mut bricks = Vec::new();
    for row in 0..10 {
        for i in 0..10 {
            let place = Vec3::new(f64::from(i) + 0.4 * f64::from(row % 2), 0.2 + 0.4 * f64::from(row), 0.0);
            bricks.push((place, world.add(Body::dynamic(brick.clone()).mass(200.0).at(place)).unwrap()));
        }
    }
    for _ in 0..300 {
        world.advance(H).unwrap();
    }
    for (place, brick) in bricks {
        let moved = (world.position(brick).unwrap() - place).length();
        assert!(moved < 5e-3, "moved {moved} m");
    }
}

/// A cube on a slope, with friction just too small or just large enough to hold it.
#[test]
fn friction_on_a_slope_is_coulombs() {
    let angle: f64 = 0.4;
    for (mu, slides) in [(0.95 * angle.tan(), true), (1.05 * angle.tan(), false)] {
        let gravity = Vec3::new(G * angle.sin(), -G * angle.cos(), 0.0);
        let mut world = World::builder().paradigm(Paradigm::REAL_TIME).gravity(gravity).build().unwrap();
        let surface = world.add_material(Material { friction: mu, restitution: 0.0, ..Material::default() }).unwrap();
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(surface)).unwrap();
        let cube = world.add(unit_cube().at([0.0, 0.5, 0.0]).material(surface)).unwrap();
        let mut speeds = Vec::new();
        for _ in 0..120 {
            world.advance(H).unwrap();
            speeds.push(world.velocity(cube).unwrap().linear.x);
        }
        let way = world.position(cube).unwrap().x;
        let a = G * (angle.sin() - mu * angle.cos());
        if slides {
            // Coulomb's law holds from the first step on, which starts from multipliers of zero
            for (speed, n) in speeds.iter().zip(1..) {
                let wanted = a * H * f64::from(n);
                assert!((speed - wanted).abs() < 1e-5, "{speed} m/s after {n} steps, {wanted} by Coulomb's law");
            }
            // the displacement per step uses the mean velocity of the step or that at its end
            let (free, last) = (0.5 * a * 4.0, 0.5 * a * 2.0 * H);
            assert!((way - free).abs() < last + 1e-4, "slid {way} m, closed form {free} m");
        } else {
            assert!(way.abs() < 1e-9, "crept {way} m");
        }
    }
}

/// A thrown block stops after `v^2 / (2 mu g)`, at any heading.
#[test]
fn a_thrown_block_stops_where_it_should_at_any_heading() {
    for heading in [0.0, 0.3, 0.785, 1.2] {
        let mut world = world(Paradigm::REAL_TIME, Vec3::Y, &[]);
        let surface = world.add_material(Material { friction: 0.5, restitution: 0.0, ..Material::default() }).unwrap();
        let (s, c) = f64::sin_cos(heading);
        let block = Body::dynamic(Shape::cuboid(0.5, 0.1, 0.5).unwrap()).at([0.0, 0.1, 0.0]).material(surface);
        let block = world.add(block.linear_velocity([3.0 * c, 0.0, 3.0 * s])).unwrap();
        for _ in 0..240 {
            world.advance(1.0 / 240.0).unwrap();
        }
        let way = world.position(block).unwrap() - Vec3::Y * 0.1;
        let wanted = 9.0 / (2.0 * 0.5 * G);
        assert!((way.length() - wanted).abs() < 0.02 * wanted, "heading {heading}: {} of {wanted} m", way.length());
        assert!((way.z * c - way.x * s).abs() < 1e-6 * wanted, "heading {heading}: off its line by {way}");
    }
}

/// The same preset handles moving platforms.
#[test]
fn a_column_rides_on_a_lift_and_a_belt() {
    // the belt starts suddenly: the column slides and rocks until friction has brought it up to speed; v^2 / (2 mu g) = 1 mm
    for (velocity, lag) in [(Vec3::new(0.0, 0.5, 0.0), 1e-3), (Vec3::new(0.1, 0.0, 0.0), 0.02)] {
        let mut world = world(Paradigm::REAL_TIME, Vec3::Y, &[]);
        let lift = Body::scripted(Shape::cuboid(2.0, 0.5, 2.0).unwrap()).at([0.0, 1.0, 0.0]).linear_velocity(velocity);
        let lift = world.add(lift).unwrap();
        let cubes: Vec<_> =
            (0..5).map(|i| world.add(unit_cube().at([0.0, 2.0 + f64::from(i), 0.0])).unwrap()).collect();
        for _ in 0..120 {
            world.advance(H).unwrap();
        }
        let way = world.position(lift).unwrap() - Vec3::Y;
        for (i, cube) in cubes.into_iter().enumerate() {
            let moved = world.position(cube).unwrap() - Vec3::Y * (2.0 + i as f64) - way;
            assert!(moved.length() < lag, "cube {i} is off by {moved}");
        }
    }
}

/// A card house of five storeys, awake for six seconds, the cards cut to touch exactly. `jitter` bounds each card's rotation (rad) and displacement
/// (m; ten times as far along its edge). Returns the largest displacement of a card over all, and in the second half (m).
fn card_house(paradigm: Paradigm, seed: f64, jitter: [f64; 2], h: f64) -> [f64; 2] {
    let (half, tilt) = (Vec3::new(0.02, 0.5, 0.35), 20_f64.to_radians());
    let (s, c) = tilt.sin_cos();
    let (foot, high) = (half.y * s + half.x * c, half.y * c + half.x * s);
    let (pitch, storey) = (2.0 * (2.0 * foot + half.x), 2.0 * (high + half.x));
    let mut world = rough_world(paradigm, Vec3::Y, 0.8, &[]);
    let surface = world.add_material(Material { friction: 0.8, restitution: 0.0, ..Material::default() }).unwrap();
    let noise = |k: usize, n: f64| (k as f64 * 12.9898 * n + seed * 78.233).sin();
    let mut places = Vec::new();
    for floor in 0..5_u8 {
        let frames = 5 - floor;
        let x = |i: u8| pitch * (f64::from(i) - 0.5 * f64::from(frames - 1));
        let y = storey * f64::from(floor);
        for i in 0..frames {
            for side in [-1.0, 1.0] {
                places.push((Vec3::new(x(i) + side * foot, y + high, 0.0), side * tilt, half));
            }
        }
        for i in 0..frames - 1 {
            let roof = Vec3::new(pitch * 0.5 - half.x, half.x, half.z);
            places.push((Vec3::new(x(i) + 0.5 * pitch, y + 2.0 * high + half.x, 0.0), 0.0, roof));
        }
    }
    let cards: Vec<_> = places
        .iter()
        .enumerate()
        .map(|(k, (place, tilt, half))| {
            let at = *place + Vec3::new(noise(k, 1.0), 0.0, 10.0 * noise(k, 1.7)) * jitter[1];
            let turned = Quat::from_rotation_y(jitter[0] * noise(k, 2.3)) * Quat::from_rotation_z(*tilt);
            let card = Body::dynamic(Shape::cuboid(half.x, half.y, half.z).unwrap()).density(100.0).material(surface);
            (at, world.add(card.at(at).oriented(turned)).unwrap())
        })
        .collect();
    let steps = (6.0 / h) as usize;
    let mut halfway = Vec::new();
    for i in 0..steps {
        if i == steps / 2 {
            halfway = cards.iter().map(|(_, card)| world.position(*card).unwrap()).collect();
        }
        world.advance(h).unwrap();
    }
    let (mut moved, mut crept) = (0.0_f64, 0.0_f64);
    for ((place, card), then) in cards.iter().zip(halfway) {
        let now = world.position(*card).unwrap();
        moved = moved.max((now - *place).length());
        crept = crept.max((now - then).length());
    }
    [moved, crept]
}

/// Cards that lean on each other are the hardest case for sweeps: the thrust between them depends on all storeys together.
#[test]
fn a_card_house_stands_at_large_steps_and_off_its_symmetry() {
    for h in [1.0 / 60.0, 1.0 / 30.0] {
        for (seed, jitter) in [(0.0, [0.0, 0.0]), (1.0, [0.002, 1e-4]), (2.0, [0.01, 3e-4]), (3.0, [0.01, 3e-4])] {
            let [moved, crept] = card_house(Paradigm::REAL_TIME, seed, jitter, h);
            assert!(moved < 4e-3, "{h} s, jitter {jitter:?}: moved by {moved} m");
            assert!(crept < 1e-3, "{h} s, jitter {jitter:?}: crept by {crept} m");
        }
    }
    // the control: a few sweeps alone do not hold it
    let [moved, _] = card_house(Paradigm::VELOCITY_LCP, 1.0, [0.002, 1e-4], H);
    assert!(moved > 0.1, "with ten sweeps alone: moved by {moved} m");
}

/// Twelve hinged planks from one bank, tied to the other by a rope; a crate of ten times a plank's mass falls on the middle. Returns the widest gap
/// of a joint (m), the most iterations per solve of any step, and the mean over all solves.
fn bridge(more: &[ModuleChoice]) -> (f64, f64, f64) {
    let mut world = world(Paradigm::REAL_TIME, Vec3::Y, more);
    let mut joints = Vec::new();
    let mut last = None;
    for i in 0..12 {
        let x = -2.75 + 0.5 * f64::from(i);
        let plank = Body::dynamic(Shape::cuboid(0.24, 0.04, 0.5).unwrap()).mass(10.0).at([x, 6.0, 0.0]);
        let plank = world.add(plank).unwrap();
        let hinge = JointDescription {
            anchor: Some(Vec3::new(x - 0.25, 6.0, 0.0)),
            axis: Some(Vec3::Z),
            friction: 2.0,
            ..JointDescription::new("hinge")
        };
        let pose = |b: Option<BodyId>| b.map_or(Pose::IDENTITY, |b| world.pose(b).unwrap());
        let source = drystone_joints::build(&hinge, &pose(last), &pose(Some(plank))).unwrap();
        joints.push(world.add_joint([last, Some(plank)], source).unwrap());
        last = Some(plank);
    }
    let rope = JointDescription {
        anchor: Some(Vec3::new(3.0, 6.0, 0.0)),
        anchor2: Some(Vec3::new(3.6, 6.6, 0.0)),
        length: Some(0.9),
        ..JointDescription::new("rope")
    };
    let source = drystone_joints::build(&rope, &world.pose(last.unwrap()).unwrap(), &Pose::IDENTITY).unwrap();
    joints.push(world.add_joint([last, None], source).unwrap());
    world.add(Body::dynamic(Shape::cuboid(0.4, 0.4, 0.4).unwrap()).mass(100.0).at([0.25, 6.5, 0.0])).unwrap();
    let (mut gap, mut most, mut iterations, mut solves) = (0.0_f64, 0.0_f64, 0.0, 0.0);
    for _ in 0..180 {
        let report = world.advance(H).unwrap();
        for &joint in &joints {
            gap = gap.max(world.joint_error(joint).unwrap().linear);
        }
        most = most.max(report.lcp.iterations as f64 / report.lcp.solves.max(1) as f64);
        iterations += report.lcp.iterations as f64;
        solves += report.lcp.solves as f64;
    }
    (gap, most, iterations / solves)
}

/// On a swinging bridge the set of bearing and slipping contacts changes from step to step; an exact solver that follows it may exchange rows for
/// hundreds of steps.
#[test]
fn joints_and_contacts_together_take_bounded_work() {
    let (gap, most, mean) = bridge(&[]);
    assert!(gap < 2e-3, "a joint is {gap} m apart");
    // at most sixteen steps of the exact solver, or two hundred sweeps
    assert!(most <= 200.0 && mean < 100.0, "{most} iterations of a solve, {mean} on average");
}

/// A disc on the end of its axis, spinning at 100 rad/s, precesses at `m g r / (I w)` and stays level, since the torque of gravity only turns its
/// angular momentum.
#[test]
fn a_top_goes_round_and_stays_up() {
    let (radius, arm, spin) = (0.3, 0.5, 100.0);
    let rate = G * arm / (0.5 * radius * radius * spin);
    let falls = |builder: drystone::WorldBuilder, choices: &[ModuleChoice]| {
        let mut world = choices.iter().cloned().fold(builder, drystone::WorldBuilder::choose).build().unwrap();
        let turned = Quat::from_rotation_z(-core::f64::consts::FRAC_PI_2);
        let disc = Body::dynamic(Shape::cylinder(radius, 0.05).unwrap()).mass(1.0);
        let disc = world.add(disc.at([arm, 0.0, 0.0]).oriented(turned)).unwrap();
        world.join(Joint::ball(Joint::WORLD, disc).anchor([0.0, 0.0, 0.0])).unwrap();
        let motion = Twist::new(Vec3::Z * (-rate * arm), Vec3::new(spin, rate, 0.0));
        world.set_velocity(disc, motion).unwrap();
        for _ in 0..400 {
            world.advance(0.0025).unwrap();
        }
        let at = world.position(disc).unwrap();
        (at.y.abs(), f64::atan2(-at.z, at.x) / rate)
    };
    let (fallen, round) = falls(World::builder(), &[]);
    assert!(fallen < 0.015 && (round - 1.0).abs() < 0.02, "{fallen} m, {round}");
    let explicit = [("gyroscopic_rule", Value::Text("explicit".to_owned()))];
    let builder = World::builder().paradigm(Paradigm::VELOCITY_LCP);
    let (fallen, _) = falls(builder, &[choice(ModuleKind::MotionSolver, Some("semi-implicit-euler"), &explicit)]);
    assert!(fallen > 0.03, "semi-implicit Euler, explicit: {fallen} m");
}
