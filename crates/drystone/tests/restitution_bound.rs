//! What bounces gives back no more than it took, whatever else its bodies touch or hang on.

use drystone::core::Material;
use drystone::prelude::*;

const PRESETS: [Paradigm; 4] =
    [Paradigm::REAL_TIME, Paradigm::VELOCITY_LCP, Paradigm::SHOCK_PROPAGATION, Paradigm::MECHANISM];

fn bouncing(paradigm: Paradigm, gravity: Vec3) -> (World, Body) {
    let mut world = World::builder().paradigm(paradigm).gravity(gravity.to_array()).build().unwrap();
    let elastic = Material { friction: 0.0, restitution: 1.0, ..Material::default() };
    let elastic = world.add_material(elastic).unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(elastic)).unwrap();
    let ball = Body::dynamic(Shape::sphere(0.1).unwrap()).material(elastic);
    (world, ball)
}

/// A ball that leaves the floor at 1 m/s is struck from above by one of ten times its mass at 10 m/s. Newton's law for both contacts at once stops the lower one, which
/// was leaving, at the floor, and lets the upper one rise at the 11 m/s of their approach: 605 J out of 500.5 J, without friction and with one coefficient for all.
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
        // it is still a bounce: ten sweeps leave more than half of it in the solver
        let up = world.velocity(balls[1]).unwrap().linear.y;
        assert!(up > 3.0, "{}: {up}", paradigm.name);
    }
}

/// A bead on a frictionless rail bounces on a floor below: gravity speeds it up by what the rail lets it, `g sin` of its slope, until they meet and not by `g`, and on
/// along the rail at that speed. Taken for a ball in free fall, and moved on at the speed before the step, it gained up to 2 % in a few bounces.
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
            // a frame that ends between the solve of a bounce and the bounce has velocities of after it
            let most = energies.iter().copied().fold(start, f64::max);
            let least = energies.windows(2).map(|pair| pair[0].max(pair[1])).fold(start, f64::min);
            let [gain, loss] = [most / start - 1.0, 1.0 - least / start];
            assert!(bounces >= 4, "{}, {degrees} degrees: {bounces}", paradigm.name);
            // a frame may end with a tenth of a millimetre of overlap, which is taken out upwards
            assert!(gain < 2e-3 && loss < 1e-9, "{}, {degrees} degrees: {gain:e} {loss:e}", paradigm.name);
        }
    }
}
