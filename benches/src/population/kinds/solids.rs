//! Heaps of hulls, cylinders, capsules and compounds.

use super::super::draw::Draw;
use super::super::group::Group;
use super::super::scene::Form;
use super::piles::rain;
use drystone::math::elementary::rotation_about;
use drystone::math::{Pose, Quat, Real, Vec3};

/// Bodies of all convex forms and of several parts that fall onto one another.
pub(super) fn rubble(draw: &mut Draw, count: usize) -> Group {
    let size = draw.uniform(0.15, 0.6);
    rain(draw, count, size, |draw| any(draw, size))
}

/// Bodies of one form, in different sizes.
pub(super) fn gravel(draw: &mut Draw, count: usize) -> Group {
    let size = draw.uniform(0.1, 0.4);
    let form = draw.pick(&[hull, cylinder, capsule, compound]);
    rain(draw, count, size, |draw| {
        let own = size * draw.uniform(0.4, 1.0);
        form(draw, own)
    })
}

/// A form within a sphere of radius `size` (m).
pub(super) fn any(draw: &mut Draw, size: Real) -> Form {
    let form = draw.pick(&[hull, hull, cylinder, capsule, compound, cuboid, ball]);
    form(draw, size)
}

fn cuboid(draw: &mut Draw, size: Real) -> Form {
    let [x, y, z] = [(); 3].map(|()| size * draw.uniform(0.2, 0.57));
    Form::Box(Vec3::new(x, y, z))
}

fn ball(draw: &mut Draw, size: Real) -> Form {
    Form::Ball(size * draw.uniform(0.4, 1.0))
}

fn hull(draw: &mut Draw, size: Real) -> Form {
    let [x, y, z] = [(); 3].map(|()| size * draw.uniform(0.4, 1.0));
    let corners = draw.whole(8, 16);
    Form::Hull((0..corners).map(|_| draw.direction() * Vec3::new(x, y, z)).collect())
}

fn cylinder(draw: &mut Draw, size: Real) -> Form {
    Form::Cylinder { radius: size * draw.uniform(0.2, 0.7), half_height: size * draw.uniform(0.1, 0.7) }
}

fn capsule(draw: &mut Draw, size: Real) -> Form {
    Form::Capsule { radius: size * draw.uniform(0.15, 0.45), half_height: size * draw.uniform(0.1, 0.55) }
}

/// An angle of two boxes, a dumb-bell, or a cross of capsules.
fn compound(draw: &mut Draw, size: Real) -> Form {
    let at = |x: Real, y: Real| Pose::new(size * Vec3::new(x, y, 0.0), Quat::IDENTITY);
    let thin = size * draw.uniform(0.1, 0.2);
    let parts = match draw.whole(0, 2) {
        0 => {
            let (long, short) = (Vec3::new(0.5 * size, thin, thin), Vec3::new(thin, 0.25 * size, thin));
            let up = Pose::new(Vec3::new(0.5 * size - thin, thin + 0.25 * size, 0.0), Quat::IDENTITY);
            vec![(Form::Box(long), at(0.0, 0.0)), (Form::Box(short), up)]
        }
        1 => {
            let rod = Form::Cylinder { radius: 0.5 * thin, half_height: 0.6 * size };
            let weight = Form::Ball(0.3 * size);
            vec![(rod, at(0.0, 0.0)), (weight.clone(), at(0.0, 0.65)), (weight, at(0.0, -0.65))]
        }
        _ => {
            let arm = Form::Capsule { radius: thin, half_height: 0.7 * size };
            let lying = rotation_about(Vec3::Z, core::f64::consts::FRAC_PI_2);
            vec![(arm.clone(), at(0.0, 0.0)), (arm, Pose::new(Vec3::ZERO, lying))]
        }
    };
    Form::Compound(parts)
}
