//! The length of a direction does not matter; a unit vector is kept to the last bit.

use drystone_math::Vec3;
use drystone_scene::{ModuleCatalogue, Scene};

/// The spin axis of a body that is given `v` in the scene.
fn read(v: Vec3) -> Vec3 {
    let shape = "shape = { sphere = { radius = 0.5 } }";
    let text = format!("[[bodies]]\nname = \"top\"\n{shape}\nspin_axis = [{:?}, {:?}, {:?}]\n", v.x, v.y, v.z);
    let built = Scene::from_toml_str(&text, &ModuleCatalogue::default()).unwrap().build().unwrap();
    built.configuration.bodies[0].spin_axis.unwrap()
}

#[test]
fn directions_are_of_length_one_and_those_that_are_stay_as_they_are() {
    let mut moved = 0;
    for k in 0..60 {
        let angle = 0.1 * f64::from(k);
        let v = Vec3::new(0.6 * angle.cos(), 0.8, 0.6 * angle.sin());
        for size in [1e-200, 1e-9, 3.0, 1e200] {
            let found = read(v * size);
            assert!((found - v).length() < 1e-15, "{v} times {size:e}: {found}");
        }
        if (v.length_squared() - 1.0).abs() < 1e-15 {
            assert_eq!(read(v), v);
            moved += usize::from((v / v.abs().max_element()).normalize() != v);
        }
    }
    assert!(moved > 5, "normalizing would have moved {moved} of them");
}
