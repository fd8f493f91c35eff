//! Impacts give back no more energy than they took, whatever else the bodies touch or hang on.

use drystone::core::Material;
use drystone::core::catalogue::Value;
use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};

const PRESETS: [Paradigm; 4] =
    [Paradigm::REAL_TIME, Paradigm::VELOCITY_LCP, Paradigm::LOAD_PROPAGATION, Paradigm::MECHANISM];

fn bouncing(paradigm: Paradigm, gravity: Vec3) -> (World, Body) {
    let mut world = World::builder().paradigm(paradigm).gravity(gravity.to_array()).build().unwrap();
    let elastic = Material { friction: 0.0, restitution: 1.0, ..Material::default() };
    let elastic = world.add_material(elastic).unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(elastic)).unwrap();
    let ball = Body::dynamic(Shape::sphere(0.1).unwrap()).material(elastic);
    (world, ball)
}

/// A ball that leaves the floor at 1 m/s is struck from above by one of ten times its mass at 10 m/s. With Newton's law at both contacts at once,
/// the lower ball stops at the floor, which it was leaving, and the upper one rises at their approach speed of 11 m/s: 605 J out of 500.5 J,
/// without friction and with one coefficient for all.
#[test]
fn what_was_leaving_a_surface_and_is_pressed_back_gives_nothing() {
    for paradigm in PRESETS {
        let (mut world, ball) = bouncing(paradigm, Vec3::ZERO);
        let below = ball.clone().mass(1.0).at([0.0, 0.1, 0.0]).linear_velocity([0.0, 1.0, 0.0]);
        let above = ball.mass(10.0).at([0.0, 0.3, 0.0]).linear_velocity([0.0, -10.0, 0.0]);
        let balls = [below, above].map(|b| world.add(b).unwrap());
        let start = world.energy().total();
        assert!((start - 500.5).abs() < 1e-9);
        for _ in 0..30 {
            world.advance(1.0 / 60.0).unwrap();
            let gain = world.energy().total() / start - 1.0;
            assert!(gain < 1e-6, "{}: {gain:e}", paradigm.name);
        }
        // it still bounces, although ten sweeps leave more than half of the bounce unsolved
        let up = world.velocity(balls[1]).unwrap().linear.y;
        assert!(up > 3.0, "{}: {up}", paradigm.name);
    }
}

/// A bead on a frictionless rail bounces on a floor below. Until they meet, gravity accelerates the bead only as far as the rail lets it, by `g
/// sin` of the slope, and it moves on along the rail at that speed. Treated as in free fall, and moved on at the speed before the step, it gained
/// up to 2 % in a few bounces.
#[test]
fn a_bead_on_a_rail_rises_to_where_it_came_from() {
    let h = 1.0 / 30.0;
    for paradigm in [Paradigm::REAL_TIME, Paradigm::MECHANISM] {
        for degrees in [20.0_f64, 30.0, 45.0, 70.0] {
            let (mut world, ball) = bouncing(paradigm, Vec3::Y * -9.81);
            let (sin, cos) = degrees.to_radians().sin_cos();
            let bead = world.add(ball.mass(2.0).at([0.0, 1.3, 0.0])).unwrap();
            let rail = Joint::new(JointKind::Slider, bead, None).anchor([0.0, 1.3, 0.0]);
            world.join(rail.axis(Vec3::new(cos, sin, 0.0))).unwrap();
            let start = world.energy().total();
            let (mut energies, mut bounces, mut falls) = (vec![start], 0, false);
            for _ in 0..360 {
                world.advance(h).unwrap();
                energies.push(world.energy().total());
                let down = world.velocity(bead).unwrap().linear.y < 0.0;
                bounces += u32::from(falls && !down);
                falls = down;
            }
            // a frame that ends between the solve of a bounce and the bounce itself already has the velocities after it
            let most = energies.iter().copied().fold(start, f64::max);
            let least = energies.windows(2).map(|pair| pair[0].max(pair[1])).fold(start, f64::min);
            let [gain, loss] = [most / start - 1.0, 1.0 - least / start];
            assert!(bounces >= 4, "{}, {degrees} degrees: {bounces}", paradigm.name);
            // a frame may end with a tenth of a millimetre of overlap, which is then pushed out upwards
            assert!(gain < 2e-3 && loss < 1e-5, "{}, {degrees} degrees: {gain:e} {loss:e}", paradigm.name);
        }
    }
}

/// A spinning pair on a slider with elastic stops, in free flight. Returns its largest gain of energy over that after the first step, and the
/// fraction left at the end.
fn energies_of_sliding_pair(paradigm: Paradigm, number: u32, h: f64) -> [f64; 2] {
    let mut world = World::builder().paradigm(paradigm).gravity([0.0; 3]).build().unwrap();
    let t = f64::from(number);
    let random = Vec3::new((3.3 * t).sin(), (1.1 * t).cos(), (0.9 * t).sin());
    let (axis, spin) = (random.normalize(), random * 4.0);
    let ball = Body::dynamic(Shape::sphere(0.2).unwrap()).mass(6.0).linear_velocity(axis * 4.0);
    let cuboid = Body::dynamic(Shape::cuboid(0.15, 0.13, 0.2).unwrap()).mass(3.0).at([1.0, 0.2, 0.0]);
    let pair = [ball, cuboid.linear_velocity(axis * -4.0)].map(|b| world.add(b.angular_velocity(spin)).unwrap());
    let slider = Joint::new(JointKind::Slider, pair[0], pair[1]).anchor([0.5, 0.1, 0.0]).axis(axis);
    world.join(slider.limits(-0.3, 0.3).limit_restitution(1.0)).unwrap();
    world.advance(h).unwrap();
    let start = world.energy().total();
    let energies = (0..(3.0 / h) as usize).map(|_| {
        world.advance(h).unwrap();
        world.energy().total()
    });
    let (mut most, mut last) = (start, start);
    for energy in energies {
        (most, last) = (most.max(energy), energy);
    }
    [most / start - 1.0, last / start]
}

/// Nothing fixed takes part: the pair turns back at once, not where it meets the stop, and so at the velocity of that time. What the stop demands
/// of the rail is no stiffness of the rail, and says nothing of how the pair came. With all three the other way 38 of these 40 pairs gained, half
/// as much again on average, until the world reported divergence.
#[test]
fn pairs_on_a_slider_with_elastic_stops_gain_nothing() {
    for paradigm in [Paradigm::REAL_TIME, Paradigm::MECHANISM] {
        let mean_left = [60.0, 240.0].map(|rate| {
            let pairs: Vec<[f64; 2]> = (0..40).map(|n| energies_of_sliding_pair(paradigm, n, 1.0 / rate)).collect();
            let most = pairs.iter().map(|p| p[0]).fold(0.0, f64::max);
            assert!(most < 1e-2, "{} at 1/{rate}: {most}", paradigm.name);
            pairs.iter().map(|p| p[1]).sum::<f64>() / 40.0
        });
        // the loss is of first order in the step
        assert!(mean_left[0] > 0.75 && mean_left[1] > 0.88, "{}: {mean_left:?}", paradigm.name);
    }
}

/// A box hangs on a joint to the world between elastic stops. Returns its largest gain of energy relative to that of the first step, both measured
/// from the lowest potential energy.
fn gain_between_stops(kind: JointKind, number: u32, h: f64) -> f64 {
    let mut world = World::builder().build().unwrap();
    let t = f64::from(number);
    let random = |k: f64| Vec3::new((3.3 * t + k).sin(), (1.1 * t + k).cos(), (0.9 * t + 2.0 * k).sin());
    let axis = random(0.3).normalize();
    let cuboid = Body::dynamic(Shape::cuboid(0.15, 0.13, 0.2).unwrap()).mass(3.0).at([0.8, 2.2, 0.0]);
    let cuboid = cuboid.linear_velocity(random(1.0) * 2.0).angular_velocity(random(2.0) * 3.0);
    let cuboid = world.add(cuboid).unwrap();
    let joint = Joint::new(kind, None, cuboid).anchor([0.4, 2.1, 0.0]).axis(axis).limits(-0.3, 0.3);
    let joint = match kind {
        JointKind::Universal => joint.second_axis(axis.any_orthonormal_vector()).second_limits(-0.3, 0.4),
        JointKind::Cylindrical => joint.second_limits(-0.3, 0.4),
        _ => joint,
    };
    world.join(joint.limit_restitution(1.0)).unwrap();
    world.advance(h).unwrap();
    let energies: Vec<_> = (0..(3.0 / h) as usize)
        .map(|_| {
            world.advance(h).unwrap();
            world.energy()
        })
        .collect();
    let lowest = energies.iter().map(|e| e.potential).fold(f64::INFINITY, f64::min);
    let start = energies[0].total() - lowest;
    energies.iter().map(|e| e.total() - lowest).fold(start, f64::max) / start - 1.0
}

/// Of several stops in a step, the first turns the body back. An impact is weighed by what forces do, not by how constraints bend the motion on the
/// way. Before this, a universal joint gained up to 180 %, a cylindrical one 9 %.
#[test]
fn what_hangs_between_elastic_stops_gains_next_to_nothing() {
    for kind in [JointKind::Hinge, JointKind::Slider, JointKind::Cylindrical, JointKind::Universal] {
        for (rate, most) in [(60.0, 0.1), (240.0, 0.01)] {
            let gains: Vec<f64> = (0..25).map(|n| gain_between_stops(kind, n, 1.0 / rate)).collect();
            let worst = gains.iter().copied().fold(0.0, f64::max);
            let above = gains.iter().filter(|gain| **gain > 0.02).count();
            // rotations of a third of a radian or more per step are not resolved
            assert!(worst < most && above <= 3, "{kind:?} at 1/{rate}: {worst}, {above} above a fiftieth");
        }
    }
}

/// A spinning box falls on a floor. Returns its largest relative gain of energy, and the largest speed at which it rises again (m/s).
fn bouncing_box(paradigm: Paradigm, restitution: f64, number: u32) -> [f64; 2] {
    let mut world = World::builder().paradigm(paradigm).gravity([0.0, -9.81, 0.0]).build().unwrap();
    let elastic = Material { friction: 0.6, restitution, ..Material::default() };
    let elastic = world.add_material(elastic).unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(elastic)).unwrap();
    let t = f64::from(number);
    let random = Vec3::new((3.3 * t).sin(), (1.1 * t).cos(), (0.9 * t).sin());
    let turned = Quat::from_axis_angle(random.normalize(), 2.0 * t);
    let cuboid = Body::dynamic(Shape::cuboid(0.15, 0.3, 0.2).unwrap()).material(elastic).mass(20.0);
    let cuboid = world.add(cuboid.at([0.0, 1.0, 0.0]).oriented(turned).angular_velocity(random * 5.0)).unwrap();
    let start = world.energy().total();
    let (mut most, mut fastest) = (start, 0.0);
    for _ in 0..120 {
        world.advance(1.0 / 60.0).unwrap();
        most = world.energy().total().max(most);
        fastest = world.velocity(cuboid).unwrap().linear.y.max(fastest);
    }
    [most / start - 1.0, fastest]
}

/// Friction stops slip that the impact itself makes, and several corners meet at once: rebound speeds by Newton's law gave spinning boxes up to
/// half their energy. Solvers that move their bodies themselves give back what the contacts took, and no more.
#[test]
fn spinning_boxes_gain_nothing_under_solvers_that_move_them() {
    for paradigm in ["substep-soft", "avbd", "xpbd"].map(|name| Paradigm::by_name(name).unwrap()) {
        let [elastic, plastic] = [1.0, 0.0].map(|e| {
            let runs = (0..20).map(|number| bouncing_box(paradigm, e, number));
            runs.fold([0.0_f64; 2], |[most, up], [gain, rise]| [most.max(gain), up + rise / 20.0])
        });
        assert!(elastic[0] < 5e-3, "{}: {elastic:?}", paradigm.name);
        assert!(elastic[1] > 1.5 * plastic[1], "{}: {elastic:?}, without {plastic:?}", paradigm.name);
    }
}

/// The largest relative gain of energy of a world in some steps of a sixtieth of a second.
fn most_gain(world: &mut World, steps: u32) -> f64 {
    let start = world.energy().total();
    (0..steps).fold(0.0_f64, |most, _| {
        world.advance(1.0 / 60.0).unwrap();
        most.max(world.energy().total() / start - 1.0)
    })
}

/// A flat cone that turns by 0.7 rad per step lands on its rim. The far side of the rim leaves the floor at 9 m/s until then, comes down at 4 m/s
/// afterwards, and does not arrive within the step. Given the gap and the whole step that it had at the start, it pressed on the floor from 8 cm
/// above, and the cone had 1 % more energy than before, and then 2 % less.
#[test]
fn a_disc_that_lands_on_its_edge_is_not_held_by_its_other_side() {
    let mut world = World::builder().build().unwrap();
    let elastic = world.add_material(Material { friction: 0.0, restitution: 1.0, ..Material::default() }).unwrap();
    let floor = Shape::cuboid(20.0, 1.0, 20.0).unwrap();
    world.add(Body::fixed(floor).material(elastic).at([0.0, -1.0, 0.0])).unwrap();
    let turned = Quat::from_xyzw(0.0925, 0.0911, 0.0079, -0.9915);
    let cone = Body::dynamic(Shape::cone(0.2552, 0.0527).unwrap()).material(elastic);
    let cone = cone.at([-0.0455, 0.1754, 0.7715]).oriented(turned.normalize());
    let cone = cone.linear_velocity([-0.2019, -1.4022, 1.6404]);
    world.add(cone.angular_velocity([42.2098, 0.0, 7.5473])).unwrap();
    let start = world.energy().total();
    assert!(most_gain(&mut world, 2) < 1e-6);
    let left = world.energy().total() / start;
    assert!((left - 1.0).abs() < 1e-6, "{left}");
    // it did bounce
    let up = world.velocity(world.bodies()[1]).unwrap().linear.y;
    assert!(up > 1.0, "{up}");
}

/// Friction of a face acts at one height, but the points of a tilted face stand at several: the rotation that this causes counts as work of the
/// contacts. Before it did, these boxes gained 3 and 1.5 % in one bounce.
#[test]
fn friction_of_a_tilted_face_gives_nothing() {
    for (axis, degrees, velocity, spin) in [
        ([-0.5, -0.8, 0.3], 150.0_f64, [1.0, -4.8, 0.1], [1.5, 0.9, 4.1]),
        ([0.4, -0.6, -0.8], 230.0, [-1.6, -4.9, -1.3], [-23.7, -0.3, 23.4]),
    ] {
        let mut world = World::builder().build().unwrap();
        let rough = Material { friction: 1.2, restitution: 1.0, ..Material::default() };
        let rough = world.add_material(rough).unwrap();
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(rough)).unwrap();
        let turned = Quat::from_axis_angle(Vec3::from(axis).normalize(), degrees.to_radians());
        let cuboid = Body::dynamic(Shape::cuboid(0.1, 0.2, 0.15).unwrap()).material(rough).at([0.0, 0.4, 0.0]);
        world.add(cuboid.oriented(turned).linear_velocity(velocity).angular_velocity(spin)).unwrap();
        let gain = most_gain(&mut world, 6);
        assert!(gain < 1e-6, "{gain:e}");
    }
}

/// A capsule and a ball, one of which slides along a line of the other, fall on a floor, the capsule turning by a third of a radian per step. Their
/// motion until the impact is known even if the step does not resolve how the joint turns. With the velocity before the step, and without gravity's
/// effect during it, 100 of 300 such pairs had 1 to 8 % too much energy at the end of a frame, this one 7 %.
#[test]
fn fast_joints_on_their_way_to_a_blow_have_the_velocity_of_that_time() {
    let (mut world, _) = bouncing(Paradigm::REAL_TIME, Vec3::Y * -9.81);
    let elastic = Material { friction: 0.0, restitution: 1.0, ..Material::default() };
    let elastic = world.add_material(elastic).unwrap();
    let capsule = Body::dynamic(Shape::capsule(0.1, 0.1).unwrap()).material(elastic).at([0.0, 0.6, 0.0]);
    let capsule = capsule.linear_velocity([0.0, -2.0, 0.0]).angular_velocity([19.6, 1.4, -9.6]);
    let ball = Body::dynamic(Shape::sphere(0.3).unwrap())
        .material(elastic)
        .at([1.8, 0.6, 0.0])
        .linear_velocity([0.0, -2.0, 0.0]);
    let [capsule, ball] = [capsule, ball].map(|b| world.add(b).unwrap());
    let joint = Joint::new(JointKind::PointOnLine, capsule, ball).anchor([0.9, 0.6, 0.0]);
    world.join(joint.axis(Vec3::new(0.0, -0.6, 1.0))).unwrap();
    let gain = most_gain(&mut world, 30);
    assert!(gain < 1e-6, "{gain:e}");
}

/// Rods that strike the ground at the same time, far from each other, bounce as each does alone, even if solved as one group: if part of one rod's
/// bounce is taken back for what friction gave it, that does not affect the others. One fraction for all was off by up to 0.7 m/s or rad/s.
#[test]
fn the_bound_is_that_of_bodies_that_meet() {
    let run = |degrees: f64, together: bool| {
        let choice =
            |kind, key: &str, value| ModuleChoice { kind, name: None, settings: vec![(key.to_owned(), value)] };
        let mut world = World::builder()
            .paradigm(Paradigm::VELOCITY_LCP)
            .choose(choice(ModuleKind::CoherenceAnalysis, "one_group", Value::Bool(together)))
            .choose(choice(ModuleKind::Lcp, "iterations", Value::Integer(1000)))
            .build()
            .unwrap();
        let surface = world.add_material(Material { friction: 0.8, restitution: 1.0, ..Material::default() }).unwrap();
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(surface)).unwrap();
        let mut rods = Vec::new();
        for i in 0..8 {
            let rod = Body::dynamic(Shape::cuboid(0.6, 0.05, 0.05).unwrap()).at([4.0 * f64::from(i), 0.8, 0.0]);
            let rod = rod.oriented(Quat::from_rotation_z(degrees.to_radians())).material(surface);
            rods.push(world.add(rod.linear_velocity([2.0 * f64::from(i) - 7.0, -3.0, 0.5])).unwrap());
        }
        while world.velocity(rods[0]).unwrap().linear.y < -2.0 {
            world.advance(1.0 / 240.0).unwrap();
        }
        rods.iter().map(|rod| world.velocity(*rod).unwrap()).collect::<Vec<_>>()
    };
    for degrees in [25.0, 35.0, 45.0, 55.0, 65.0] {
        for (together, alone) in run(degrees, true).iter().zip(&run(degrees, false)) {
            let off = (together.linear - alone.linear).length().max((together.angular - alone.angular).length());
            assert!(off < 1e-3, "{degrees}: {together:?}, alone {alone:?}");
        }
    }
}
