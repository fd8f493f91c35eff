//! A hand that grabs a body hangs it from a spring, and releases what it cannot hold.

use drystone::World;
use drystone_math::Vec3;
use drystone_scene::Document;
use drystone_session::{Hand, Overrides, prepare};

const SCENE: &str = "
[scene]
name = 'held'
duration = 1.0
[simulation]
time_step = 0.001
[simulation.sleep_policy]
kind = 'never'
[[bodies]]
name = 'floor'
kind = 'fixed'
shape = { box = { half_extents = [5, 0.5, 5] } }
position = [0, -10, 0]
[[bodies]]
name = 'ball'
shape = { sphere = { radius = 0.1 } }
mass = 2.0
";

fn world() -> World {
    prepare(Document::from_toml_str(SCENE).unwrap(), &Overrides::default()).unwrap().finish().unwrap().world
}

/// The body sags by `g / omega^2` below the hand, at three oscillations per second, and has come to rest there after two seconds.
#[test]
fn a_held_body_hangs_below_the_hand() {
    let (mut world, mut hand) = (world(), Hand::default());
    assert!(hand.grab(&mut world, 1, Vec3::ZERO));
    for _ in 0..2000 {
        world.advance(0.001).unwrap();
    }
    let sag = 9.81 / (std::f64::consts::TAU * 3.0).powi(2);
    let [held, target] = hand.held(&world).unwrap();
    assert_eq!(target, Vec3::ZERO);
    assert!((held + Vec3::Y * sag).length() < 1e-6, "{held}, {sag}");

    // dragged elsewhere it follows, and released it falls freely
    hand.drag(&mut world, Vec3::X);
    for _ in 0..2000 {
        world.advance(0.001).unwrap();
    }
    assert!((hand.held(&world).unwrap()[0] - Vec3::new(1.0, -sag, 0.0)).length() < 1e-6);
    hand.release(&mut world);
    assert!(hand.held(&world).is_none());
    let from = world.state().pose(drystone_core::BodyIndex::new(1)).position.y;
    for _ in 0..500 {
        world.advance(0.001).unwrap();
    }
    let fallen = from - world.state().pose(drystone_core::BodyIndex::new(1)).position.y;
    assert!((fallen - 0.5 * 9.81 * 0.25).abs() < 3e-3, "{fallen}");
}

/// A fixed body, a missing one, or a point that is not finite cannot be grabbed; and then a body held before is released.
#[test]
fn what_does_not_move_is_not_held() {
    let (mut world, mut hand) = (world(), Hand::default());
    for (body, at) in [(0, Vec3::ZERO), (2, Vec3::ZERO), (usize::MAX, Vec3::ZERO), (1, Vec3::NAN)] {
        assert!(hand.grab(&mut world, 1, Vec3::ZERO));
        assert!(!hand.grab(&mut world, body, at), "{body} {at}");
        assert!(hand.held(&world).is_none());
    }
    // a target that is not finite is ignored
    assert!(hand.grab(&mut world, 1, Vec3::ZERO));
    hand.drag(&mut world, Vec3::new(f64::INFINITY, 0.0, 0.0));
    assert_eq!(hand.held(&world).unwrap()[1], Vec3::ZERO);
}
