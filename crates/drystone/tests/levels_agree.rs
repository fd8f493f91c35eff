//! Resting bodies are borne by the same forces whether contacts are held at the level of accelerations, velocities or positions: all presets, on
//! random configurations (A-22: impulses of velocities are forces times the step).

use drystone::prelude::*;

const G: f64 = 9.81;

/// Presets outside these levels: single impulses are not forces over a step, a world without inertia has other forces, and layers on bodies that are held pass none on.
const OTHERS: [&str; 3] = ["impulse", "first-order", "shock-propagation"];

/// A random number from zero to one.
fn uniform(seed: &mut u64) -> f64 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    (*seed >> 11) as f64 / (1_u64 << 53) as f64
}

/// One box on another on a slope, within the friction cone and without tipping. Compares with statics the forces on both boxes from below, and the
/// torque on the upper one about its centre. Returns the largest error relative to the weight borne.
fn borne(paradigm: Paradigm, configuration: u64, h: f64) -> f64 {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(configuration + 1);
    let mut between = |lo: f64, hi: f64| lo + (hi - lo) * uniform(&mut seed);
    // without friction nothing stays on a slope
    let smooth = paradigm.name == "acceleration-lp";
    let (heading, tangent) = (between(0.0, 6.3), if smooth { 0.0 } else { between(0.0, 0.25) });
    let gravity = Vec3::new(tangent * heading.cos(), -1.0, tangent * heading.sin()).normalize() * G;
    let mut world = World::builder().paradigm(paradigm).gravity(gravity).build().unwrap();
    let friction = if smooth { 0.0 } else { 0.8 };
    let m = world.add_material(Material { friction, restitution: 0.0, ..Material::default() }).unwrap();
    let floor = world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(m)).unwrap();
    let (turn, masses) = (between(0.0, 1.5), [between(1.0, 5.0), between(1.0, 5.0)]);
    let halves = [between(0.3, 0.6), between(0.15, 0.25)];
    let offset = [between(-0.1, 0.1), between(-0.1, 0.1)];
    let lower = Body::dynamic(Shape::cuboid(halves[0], 0.2, halves[0]).unwrap()).mass(masses[0]);
    let lower = world.add(lower.material(m).at([0.0, 0.2, 0.0]).oriented(Quat::from_rotation_y(turn))).unwrap();
    let upper = Body::dynamic(Shape::cuboid(halves[1], 0.1, halves[1]).unwrap()).mass(masses[1]);
    let upper = world.add(upper.material(m).at([offset[0], 0.5, offset[1]])).unwrap();
    let mut steps = 1;
    for _ in 0..(2.0 / h).round() as usize {
        steps = world.advance(h).unwrap().calls.sub_steps.max(1);
    }
    // impulses are those of the last sub-step's solve
    let h = h / steps as f64;
    // the contact force on each box from the one below
    let mut worst = 0.0_f64;
    for (pair, carried) in [([floor, lower], masses[0] + masses[1]), ([lower, upper], masses[1])] {
        let (mut force, mut torque) = (Vec3::ZERO, Vec3::ZERO);
        let about = world.position(upper).unwrap();
        for c in world.contacts().filter(|c| pair.iter().all(|b| c.bodies.contains(b))) {
            let on_upper = if c.bodies[1] == pair[1] { 1.0 } else { -1.0 };
            let f = c.impulse.total(c.normal) * (on_upper / h);
            force += f;
            torque += (c.position - about).cross(f);
        }
        let weight = carried * G;
        worst = worst.max((force + gravity * carried).length() / weight);
        if pair == [lower, upper] {
            worst = worst.max(torque.length() / weight);
        }
    }
    worst
}

/// All presets give the forces of statics, up to an error proportional to the step.
#[test]
fn all_presets_bear_what_rests_by_the_same_forces() {
    let mut wrong = Vec::new();
    for paradigm in Paradigm::ALL.iter().filter(|p| !OTHERS.contains(&p.name)) {
        let mut means = [0.0_f64; 2];
        let mut most = [0.0_f64; 2];
        for configuration in 0..20 {
            for (k, h) in [0.01, 0.005].into_iter().enumerate() {
                let error = borne(*paradigm, configuration, h);
                means[k] += error / 20.0;
                most[k] = most[k].max(error);
            }
        }
        println!("{:26} mean {:.2e} {:.2e} most {:.2e} {:.2e}", paradigm.name, means[0], means[1], most[0], most[1]);
        // at most proportional to the step, as G h of speed is; penalty springs still sway after two seconds
        let slack = if paradigm.name == "penalty" { 5.0 } else { 2.0 };
        if most[0] > 0.01 * slack || most[1] > 0.005 * slack {
            wrong.push(paradigm.name);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
    // the control: a train of impulses is not a force over a step
    let trains = (0..5).map(|c| borne(Paradigm::IMPULSE, c, 0.01)).fold(0.0, f64::max);
    assert!(trains > 0.05, "{trains}");
}
