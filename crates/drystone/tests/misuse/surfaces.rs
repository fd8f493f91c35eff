//! Surface coefficients: checked wherever they come in, and finite for any combination of two surfaces.

use super::{ball, floor, steps, world};
use drystone::WorldError;
use drystone::prelude::*;
use drystone_core::{CombineRule, Grain, MaterialError, MaterialIndex, PairMaterial};

#[test]
fn coefficients_out_of_range_are_refused_wherever_they_come_in() {
    let bad = [f64::NAN, -1.0, f64::INFINITY, f64::NEG_INFINITY];
    let mut w = world();
    let m = w.add_material(Material::default()).unwrap();
    for x in bad {
        for material in [
            Material { friction: x, ..Material::default() },
            Material { restitution: x, ..Material::default() },
            Material { rolling: x, ..Material::default() },
            Material { spinning: x, ..Material::default() },
            Material { grain: Some(Grain { direction: Vec3::X, across: x }), ..Material::default() },
        ] {
            assert!(matches!(w.add_material(material), Err(WorldError::Material(_))), "{material:?}");
            assert!(w.materials_mut().push(material).is_err() && w.materials_mut().set(m, material).is_err());
        }
        for pair in [
            PairMaterial { friction: x, ..PairMaterial::default() },
            PairMaterial { restitution: x, ..PairMaterial::default() },
            PairMaterial { rolling: x, ..PairMaterial::default() },
        ] {
            assert!(w.materials_mut().set_pair(m, m, pair).is_err(), "{pair:?}");
        }
    }
    let lively = PairMaterial { restitution: 5.0, ..PairMaterial::default() };
    let said = w.materials_mut().set_pair(m, m, lively).unwrap_err().to_string();
    assert!(said.contains("restitution") && said.contains('5') && said.contains("0 to 1"), "{said}");
    let none = Grain { direction: Vec3::ZERO, across: 1.0 };
    assert!(w.add_material(Material { grain: Some(none), ..Material::default() }).is_err());
    // a material that was never added
    let unknown = MaterialIndex(7);
    assert_eq!(w.add(ball().material(unknown)), Err(MaterialError::Missing(7).into()));
    assert_eq!(w.materials_mut().set_pair(m, unknown, PairMaterial::default()), Err(MaterialError::Missing(7)));
}

/// Two finite frictions whose product is not finite: the bound of a multiplier became inf * 0, and the step panicked.
#[test]
fn frictions_whose_product_overflows_hold_like_glue() {
    let rules = CombineRule::NAMES.map(|(_, rule)| rule);
    for rule in rules {
        for (locked, rolling) in [(false, 0.0), (true, 1.1), (false, 1.1)] {
            let mut w = world();
            let a = Material { friction: 1.6, restitution: 0.0, rolling, friction_rule: rule, ..Material::default() };
            let b = Material { friction: 1.79e308, restitution: 0.0, ..a };
            let (a, b) = (w.add_material(a).unwrap(), w.add_material(b).unwrap());
            let cube = Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).material(a);
            let slides = cube.at([0.0, 0.5, 0.0]).linear_velocity([1.0, 0.0, 0.0]).locked(locked, locked);
            let cube = w.add(slides).unwrap();
            w.add(floor().material(b)).unwrap();
            steps(&mut w, 100);
            let slipped = w.position(cube).unwrap();
            assert!(slipped.is_finite(), "{rule:?}");
            // by the minimum rule friction is 1.6, at which the cube slides 32 mm by itself, or tips
            let held = rule != CombineRule::Minimum && rolling == 0.0;
            assert!(!held || w.velocity(cube).unwrap().linear.length() < 0.1, "{rule:?}: {:?}", w.velocity(cube));
        }
    }
}

/// A change to a pair's surface takes effect from the next step, even while the bodies touch.
#[test]
fn what_a_pair_does_can_be_changed_while_it_touches() {
    let mut w = world();
    let m = w.add_material(Material { friction: 0.5, ..Material::default() }).unwrap();
    w.add(floor().material(m)).unwrap();
    let cube = Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).material(m).at([0.0, 0.5, 0.0]);
    let cube = w.add(cube).unwrap();
    steps(&mut w, 20);
    w.materials_mut().set_pair(m, m, PairMaterial::default()).unwrap();
    w.set_velocity(cube, Twist::new(Vec3::X, Vec3::ZERO)).unwrap();
    steps(&mut w, 100);
    // without friction nothing slows it down
    assert!((w.velocity(cube).unwrap().linear.x - 1.0).abs() < 1e-9, "{:?}", w.velocity(cube));
}
