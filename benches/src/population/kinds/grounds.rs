//! Bodies that fall on a height field or into a bowl of triangles.

use super::super::draw::Draw;
use super::super::group::Group;
use super::super::scene::Form;
use super::piles::rain;
use super::solids::any;
use drystone::math::elementary::{cos, sin};
use drystone::math::{Real, Vec3};

/// Bodies that fall on hills with a raised rim.
pub(super) fn terrain(draw: &mut Draw, count: usize) -> Group {
    let size = draw.uniform(0.15, 0.4);
    let mut group = rain(draw, count, size, |draw| any(draw, size));
    let (low, high) = group.bounds();
    let step = draw.uniform(0.3, 0.8);
    let columns = ((0.5 * (high - low).max_element() + 3.0) / step).ceil() as usize * 2 + 1;
    let hills: Vec<(Vec3, Real, Real)> = (0..4)
        .map(|_| (draw.direction() * draw.uniform(0.5, 3.0), draw.uniform(0.0, 6.0), draw.uniform(0.02, 0.15)))
        .collect();
    let half = 0.5 * (columns - 1) as Real;
    let height = |k: usize| {
        let (x, z) = (((k % columns) as Real - half) * step, ((k / columns) as Real - half) * step);
        let rim = 0.4 * (x.abs().max(z.abs()) - half * step + 2.0).max(0.0);
        0.8 + rim + hills.iter().map(|(wave, phase, size)| size * sin(wave.x * x + wave.z * z + phase)).sum::<Real>()
    };
    group.shift(Vec3::Y * 1.5);
    group.fix(Form::HeightField { columns, heights: (0..columns * columns).map(height).collect(), step }, Vec3::ZERO);
    group
}

/// Bodies that fall into a bowl.
pub(super) fn bowl(draw: &mut Draw, count: usize) -> Group {
    let size = draw.uniform(0.15, 0.4);
    let mut group = rain(draw, count, size, |draw| any(draw, size));
    let (low, high) = group.bounds();
    let radius = (high - low).max_element() * draw.uniform(0.75, 1.2);
    let depth = radius * draw.uniform(0.15, 0.5);
    group.shift(Vec3::Y * depth);
    group.fix(bowl_mesh(radius, depth), Vec3::ZERO);
    group
}

/// A paraboloid open at the top, its bottom at y = 0.1, on a solid foot.
fn bowl_mesh(radius: Real, depth: Real) -> Form {
    const RINGS: u32 = 8;
    const SECTORS: u32 = 24;
    let ring = |r: Real, y: Real| {
        (0..SECTORS).map(move |s| {
            let angle = core::f64::consts::TAU * Real::from(s) / Real::from(SECTORS);
            Vec3::new(r * cos(angle), y, -r * sin(angle))
        })
    };
    let mut vertices = vec![Vec3::new(0.0, 0.1, 0.0)];
    for i in 1..=RINGS {
        let share = Real::from(i) / Real::from(RINGS);
        vertices.extend(ring(share * radius, 0.1 + depth * share * share));
    }
    vertices.extend(ring(radius, 0.0));
    let foot = vertices.len() as u32;
    vertices.push(Vec3::ZERO);
    // the foot is one more ring, and the middle of it closes the solid
    let at = |ring: u32, sector: u32| 1 + (ring - 1) * SECTORS + sector % SECTORS;
    let mut triangles = Vec::new();
    for s in 0..SECTORS {
        triangles.push([0, at(1, s), at(1, s + 1)]);
        for i in 1..=RINGS {
            triangles.push([at(i, s), at(i + 1, s), at(i + 1, s + 1)]);
            triangles.push([at(i, s), at(i + 1, s + 1), at(i, s + 1)]);
        }
        triangles.push([foot, at(RINGS + 1, s + 1), at(RINGS + 1, s)]);
    }
    Form::Mesh { vertices, triangles }
}
