//! Heaps, towers and walls.

use super::super::draw::Draw;
use super::super::group::Group;
use super::super::scene::Form;
use super::grid;
use drystone::math::elementary::rotation_about;
use drystone::math::{Quat, Real, Vec3};

/// Bodies of a form that fall from a loose grid; `reach` (m) is the radius of a sphere around the largest. Three in ten
/// are violent: every body begins with a velocity of its own. In two of ten one body weighs up to 300 times more.
pub(super) fn rain(draw: &mut Draw, count: usize, reach: Real, mut form: impl FnMut(&mut Draw) -> Form) -> Group {
    let mut group = Group::default();
    let layers = draw.whole(3, 8).min(count);
    let (columns, rows) = grid(count.div_ceil(layers));
    let pitch = 2.2 * reach;
    let violent = draw.chance(0.3);
    for i in 0..count {
        let (layer, place) = (i / (columns * rows), i % (columns * rows));
        let x = (place % columns) as Real - 0.5 * (columns - 1) as Real;
        let z = (place / columns) as Real - 0.5 * (rows - 1) as Real;
        let position = Vec3::new(pitch * x, 1.0 + reach + pitch * layer as Real, pitch * z);
        let (form, density, turn) = (form(draw), draw.density(2.0, 3.5), draw.rotation());
        let body = group.add(form, density, position, turn);
        if violent {
            group.bodies[body].velocity = draw.uniform(0.0, 12.0) * draw.direction();
            group.bodies[body].spin = draw.uniform(0.0, 10.0) * draw.direction();
        }
    }
    if draw.chance(0.2) {
        let heavy = draw.whole(0, count - 1);
        let factor = draw.log_uniform(10.0, 300.0);
        group.bodies[heavy].mass = group.bodies[heavy].mass.map(|mass| mass * factor);
    }
    group
}

/// Boxes and balls that fall onto one another.
pub(super) fn heap(draw: &mut Draw, count: usize) -> Group {
    let (largest, balls) = (draw.uniform(0.1, 0.5), draw.uniform(0.0, 1.0));
    rain(draw, count, 3.0_f64.sqrt() * largest, |draw| {
        if draw.chance(balls) {
            Form::Ball(largest * draw.uniform(0.5, 1.0))
        } else {
            let [x, y, z] = [(); 3].map(|()| largest * draw.uniform(0.3, 1.0));
            Form::Box(Vec3::new(x, y, z))
        }
    })
}

/// Boxes on one another, each turned and off its place a little. One in four bears a top of up to 1000 times the mass.
pub(super) fn tower(draw: &mut Draw, count: usize) -> Group {
    let mut group = Group::default();
    let towers = count.div_ceil(15);
    let (columns, _) = grid(towers);
    for t in 0..towers {
        let center = 2.0 * Vec3::new((t % columns) as Real, 0.0, (t / columns) as Real);
        let mut y = 0.0;
        let height = count.div_ceil(towers);
        for _ in 0..height {
            let (half, width) = (draw.uniform(0.1, 0.4), draw.uniform(0.3, 0.6));
            let off = 0.05 * draw.cube();
            let turn = rotation_about(Vec3::Y, draw.uniform(-0.3, 0.3));
            let density = draw.density(2.5, 3.5);
            let position = center + Vec3::new(off.x, y + half, off.z);
            group.add(Form::Box(Vec3::new(width, half, width)), density, position, turn);
            y += 2.0 * half;
        }
        if draw.chance(0.25) {
            let lightest = group.bodies.iter().filter_map(|b| b.mass).fold(Real::INFINITY, Real::min);
            let ratio = draw.log_uniform(10.0, 1000.0);
            if let Some(top) = group.bodies.last_mut() {
                top.mass = Some(lightest * ratio);
            }
        }
    }
    group
}

/// A tower that a ball is thrown at.
pub(super) fn throw(draw: &mut Draw, count: usize) -> Group {
    let mut group = tower(draw, count.saturating_sub(1).max(1));
    let (radius, height) = (draw.uniform(0.2, 0.6), draw.uniform(0.6, 2.5));
    let density = draw.density(2.5, 4.0);
    let ball = group.add(Form::Ball(radius), density, Vec3::new(-6.0, height, 0.0), Quat::IDENTITY);
    group.bodies[ball].velocity = Vec3::new(draw.uniform(5.0, 25.0), 1.0, 0.0);
    group
}

/// A wall of bricks.
pub(super) fn wall(draw: &mut Draw, count: usize) -> Group {
    let mut group = Group::default();
    let rows = draw.whole(3, 12).min(count);
    let columns = count.div_ceil(rows);
    for row in 0..rows {
        for column in 0..columns {
            let x = 0.61 * column as Real + if row % 2 == 0 { 0.0 } else { 0.3 };
            group.add_box(Vec3::new(0.3, 0.15, 0.15), Vec3::new(x, 0.15 + 0.3 * row as Real, 0.0));
        }
    }
    group
}
