//! Doors, lifts, mixers, cars, beads and springs: hinges and sliders with limits, motors and springs.

use super::super::draw::Draw;
use super::super::group::Group;
use super::super::scene::{Form, Joint, JointKind, Motor, PointSpring, Spring};
use super::grid;
use super::piles::rain;
use drystone::math::elementary::rotation_about;
use drystone::math::{Pose, Quat, Real, Vec3};

/// Swing doors with limits and springs that balls are thrown at.
pub(super) fn doors(draw: &mut Draw, count: usize) -> Group {
    let mut group = Group::default();
    let doors = (count / 3).max(1);
    for d in 0..doors {
        let x = 1.2 * d as Real;
        let door = group.add(Form::Box(Vec3::new(0.4, 0.8, 0.05)), 300.0, Vec3::new(x, 0.9, 0.0), Quat::IDENTITY);
        let most = draw.uniform(0.5, 2.0);
        let stiffness = draw.log_uniform(5.0, 100.0);
        group.joints.push(Joint {
            limits: Some([-most, most]),
            spring: Some(Spring { stiffness, damping: 0.1 * stiffness }),
            ..Joint::new(JointKind::Hinge, [None, Some(door)], Vec3::new(x - 0.45, 0.9, 0.0), Vec3::Y)
        });
        for b in 0..2 {
            let (radius, density) = (draw.uniform(0.1, 0.3), draw.density(2.0, 3.7));
            let place = Vec3::new(x + draw.uniform(-0.2, 0.2), draw.uniform(0.4, 1.4), 2.0 + 0.8 * Real::from(b));
            let ball = group.add(Form::Ball(radius), density, place, Quat::IDENTITY);
            group.bodies[ball].velocity = Vec3::new(0.0, 1.0, -draw.uniform(2.0, 12.0));
        }
    }
    group
}

/// Platforms on sliders, lifted by motors that may be too weak for the boxes on them.
pub(super) fn lifts(draw: &mut Draw, count: usize) -> Group {
    let mut group = Group::default();
    let lifts = count.div_ceil(8);
    let (columns, _) = grid(lifts);
    for l in 0..lifts {
        let place = 3.0 * Vec3::new((l % columns) as Real, 0.0, (l / columns) as Real);
        let middle = place + Vec3::Y * draw.uniform(0.3, 1.0);
        let platform = group.add_box(Vec3::new(0.8, 0.1, 0.8), middle);
        let mut height = middle.y + 0.1;
        for _ in 1..count.div_ceil(lifts) {
            let half = draw.uniform(0.1, 0.25);
            let off = 0.3 * draw.cube();
            let at = Vec3::new(place.x + off.x, height + half, place.z + off.z);
            group.add(Form::Box(Vec3::splat(half)), draw.density(2.0, 3.3), at, Quat::IDENTITY);
            height += 2.0 * half;
        }
        let load: Real = group.bodies[platform..].iter().filter_map(|body| body.mass).sum();
        group.joints.push(Joint {
            limits: Some([-0.2, draw.uniform(0.5, 2.0)]),
            motor: Some(Motor { speed: draw.uniform(0.2, 2.0), max_force: 9.81 * load * draw.uniform(0.5, 3.0) }),
            ..Joint::new(JointKind::Slider, [None, Some(platform)], middle, Vec3::Y)
        });
    }
    group
}

/// A paddle that a motor turns, and bodies that fall onto it.
pub(super) fn mixer(draw: &mut Draw, count: usize) -> Group {
    let size = draw.uniform(0.1, 0.25);
    let arm = draw.uniform(0.5, 1.2);
    let mut group = rain(draw, count.saturating_sub(1).max(1), size, |draw| super::solids::any(draw, size));
    group.shift(Vec3::Y * 2.0 * arm);
    let upright = Pose::new(Vec3::ZERO, rotation_about(Vec3::Z, core::f64::consts::FRAC_PI_2));
    let blade = Form::Box(Vec3::new(arm, 0.08, 0.5));
    let form = Form::Compound(vec![(blade.clone(), Pose::IDENTITY), (blade, upright)]);
    let middle = Vec3::Y * (arm + 0.2);
    let paddle = group.add(form, 2000.0, middle, Quat::IDENTITY);
    let motor = Motor { speed: draw.uniform(-6.0, 6.0), max_force: draw.log_uniform(100.0, 10_000.0) };
    group
        .joints
        .push(Joint { motor: Some(motor), ..Joint::new(JointKind::Hinge, [None, Some(paddle)], middle, Vec3::Z) });
    group
}

/// Cars that drive into stacks of boxes.
pub(super) fn cars(draw: &mut Draw, count: usize) -> Group {
    let mut group = Group::default();
    let cars = (count / 10).max(1);
    for c in 0..cars {
        let z = 3.0 * c as Real;
        car(draw, Vec3::new(0.0, 0.0, z), &mut group);
        for k in 0..5 {
            group.add_box(Vec3::splat(0.2), Vec3::new(4.0, 0.2 + 0.4 * Real::from(k), z));
        }
    }
    group
}

fn car(draw: &mut Draw, place: Vec3, group: &mut Group) {
    let radius = draw.uniform(0.25, 0.45);
    let body = Form::Box(Vec3::new(0.9, 0.2, 0.45));
    let chassis = group.add(body, draw.density(2.3, 3.0), place + Vec3::Y * (radius + 0.25), Quat::IDENTITY);
    let axle = rotation_about(Vec3::X, core::f64::consts::FRAC_PI_2);
    let motor = Motor { speed: -draw.uniform(4.0, 20.0), max_force: draw.log_uniform(20.0, 300.0) };
    for (x, z) in [(-0.7, -0.6), (-0.7, 0.6), (0.7, -0.6), (0.7, 0.6)] {
        let middle = place + Vec3::new(x, radius, z);
        let wheel = group.add(Form::Cylinder { radius, half_height: 0.1 }, 600.0, middle, axle);
        let hinge = Joint::new(JointKind::Hinge, [Some(chassis), Some(wheel)], middle, Vec3::Z);
        group.joints.push(Joint { motor: (x < 0.0).then_some(motor), ..hinge });
    }
}

/// Beads on rods: sliders with limits, shoved against one another.
pub(super) fn beads(draw: &mut Draw, count: usize) -> Group {
    let mut group = Group::default();
    let (columns, rows) = grid(count);
    for k in 0..columns * rows {
        let (i, j) = ((k % columns) as Real, (k / columns) as Real);
        let place = Vec3::new(0.4 * i, 0.5, 0.6 * j);
        let bead = group.add(Form::Box(Vec3::new(0.1, 0.2, 0.2)), draw.density(2.0, 4.0), place, Quat::IDENTITY);
        group.bodies[bead].velocity = Vec3::X * draw.uniform(-4.0, 4.0);
        group.joints.push(Joint {
            limits: Some([-0.4 * i - 0.5, 0.4 * (columns as Real - i) + 0.5]),
            ..Joint::new(JointKind::Slider, [None, Some(bead)], place, Vec3::X)
        });
    }
    group
}

/// A block of balls held together by springs that falls, or boxes that hang on springs.
pub(super) fn springs(draw: &mut Draw, count: usize) -> Group {
    if draw.chance(0.5) { block_of_springs(draw, count) } else { hung_on_springs(draw, count) }
}

/// Springs of at most this natural frequency (rad/s): a step of 1/60 s is a third of a radian.
const FREQUENCY: [Real; 2] = [4.0, 20.0];

fn block_of_springs(draw: &mut Draw, count: usize) -> Group {
    let mut group = Group::default();
    let n = [1, 2, 3, 4, 5, 6, 7].into_iter().rev().find(|n| n * n * n <= count.max(8)).unwrap_or(2);
    let frequency = draw.uniform(FREQUENCY[0], FREQUENCY[1]);
    let lift = draw.uniform(0.3, 2.0);
    let at = |i: usize, j: usize, k: usize| 0.35 * Vec3::new(i as Real, j as Real, k as Real) + Vec3::Y * (0.1 + lift);
    let index = |i: usize, j: usize, k: usize| (i * n + j) * n + k;
    let cells = (0..n * n * n).map(|c| (c / (n * n), c / n % n, c % n));
    for (i, j, k) in cells.clone() {
        group.add(Form::Ball(0.1), 500.0, at(i, j, k), Quat::IDENTITY);
    }
    // along the edges of the cells and across their faces
    let ways = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1)];
    let mass = group.bodies[0].mass.unwrap_or(1.0);
    let stiffness = mass * frequency * frequency;
    for (i, j, k) in cells {
        for (x, y, z) in ways.into_iter().filter(|(x, y, z)| i + x < n && j + y < n && k + z < n) {
            let ends = [index(i, j, k), index(i + x, j + y, k + z)];
            group.springs.push(PointSpring {
                bodies: ends.map(Some),
                points: ends.map(|end| group.bodies[end].pose.position),
                spring: Spring { stiffness, damping: 0.1 * mass * frequency },
            });
        }
    }
    group
}

fn hung_on_springs(draw: &mut Draw, count: usize) -> Group {
    let mut group = Group::default();
    for b in 0..count {
        let half = draw.uniform(0.1, 0.3);
        let place = Vec3::new(0.8 * (b % 10) as Real, 2.0, 0.8 * (b / 10) as Real);
        let hung = group.add(Form::Box(Vec3::splat(half)), draw.density(2.0, 3.5), place, Quat::IDENTITY);
        let mass = group.bodies[hung].mass.unwrap_or(1.0);
        let frequency = draw.uniform(FREQUENCY[0], FREQUENCY[1]);
        let top = place + Vec3::Y * half;
        group.springs.push(PointSpring {
            bodies: [None, Some(hung)],
            points: [top + Vec3::new(draw.uniform(-0.3, 0.3), 1.0, 0.0), top],
            spring: Spring { stiffness: mass * frequency * frequency, damping: 0.1 * mass * frequency },
        });
    }
    group
}
