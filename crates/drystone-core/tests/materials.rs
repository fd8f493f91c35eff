//! What two materials give together, by the closed form of each rule.

use drystone_core::{CombineRule, Material, MaterialError, Materials, PairGrain, PairMaterial};
use drystone_math::{Pose, Quat, Real, Vec3};

#[test]
fn each_rule_is_its_closed_form() {
    use CombineRule::{Average, GeometricMean, Maximum, Minimum, Multiply};
    for (rule, value) in [(Average, 6.5), (GeometricMean, 6.0), (Minimum, 4.0), (Multiply, 36.0), (Maximum, 9.0)] {
        assert_eq!((rule.combine(4.0, 9.0), rule.combine(9.0, 4.0)), (value, value), "{rule:?}");
    }
    for rule in [Average, GeometricMean, Minimum, Maximum] {
        assert_eq!(rule.combine(0.3, 0.3), 0.3, "{rule:?}");
    }
    // where the product overflows, and where it is too small to keep all its digits
    assert_eq!(Multiply.combine(1e200, 1e200), Real::MAX);
    for size in [1e200, 1e-200] {
        assert!((GeometricMean.combine(4.0 * size, 9.0 * size) / size - 6.0).abs() < 1e-12);
    }
}

#[test]
fn coefficients_are_finite_and_not_below_zero() {
    for bad in [-0.1, Real::INFINITY, Real::NAN] {
        for spoil in [
            |m: &mut Material, x| m.friction = x,
            |m: &mut Material, x| m.rolling = x,
            |m: &mut Material, x| m.spinning = x,
            |m: &mut Material, x| m.restitution = x,
        ] {
            let mut material = Material::default();
            spoil(&mut material, bad);
            let refused = Materials::default().push(material);
            assert!(matches!(refused, Err(MaterialError::Coefficient { .. })), "{material:?}: {refused:?}");
        }
    }
    assert!(Materials::default().push(Material { friction: 0.0, ..Material::default() }).is_ok());
}

/// The grain turns with its body and lies in the surface; a grain along the normal counts as none.
#[test]
fn a_grain_is_what_of_its_direction_lies_in_the_surface() {
    let pair = |direction, on_second| {
        let material = Material { friction: 0.5, ..Material::default() };
        let mut materials = Materials::default();
        let index = materials.push(material).unwrap();
        let grain = Some(PairGrain { on_second, direction, across: 0.2 });
        PairMaterial { grain, ..materials.pair(index, index) }
    };
    let (still, turned) = (Pose::IDENTITY, Pose::new(Vec3::X, Quat::from_rotation_y(0.3)));
    // 30 degrees out of the surface, and rotated about the normal with the second body
    let up = Vec3::new(0.75_f64.sqrt(), 0.5, 0.0);
    for (on_second, angle) in [(false, 0.0), (true, 0.3)] {
        let (along, across) = pair(up, on_second).world_grain(&still, &turned, Vec3::Y).unwrap();
        assert!((along - Quat::from_rotation_y(angle) * Vec3::X).length() < 1e-15 && across == 0.2, "{along}");
    }
    for (lean, is_there) in [(2e-3, true), (5e-4, false), (0.0, false)] {
        let found = pair(Vec3::new(lean, 1.0, 0.0), false).world_grain(&still, &turned, Vec3::Y);
        assert_eq!(found.is_some(), is_there, "{lean} rad off the normal");
    }
}
