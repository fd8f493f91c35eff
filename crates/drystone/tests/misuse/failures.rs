//! A failure that was reported persists until it is mended.

use super::{ball, floor, steps, world};
use drystone::WorldError;
use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};
use drystone_motion::force::SpringDamper;

/// An impulse far from a body that cannot move once made inf * 0, and `penetration` made the world forget the failure.
#[test]
fn an_impulse_is_refused_where_it_means_nothing() {
    let mut w = world();
    let f = w.add(floor()).unwrap();
    let b = w.add(ball().at([0.0, 50.0, 0.0])).unwrap();
    let (impulse, far) = (Vec3::splat(1e200), Vec3::new(1e200, -1e200, 3e199));
    assert_eq!(w.apply_impulse(f, impulse, far).unwrap_err().cause(), &WorldError::NotDynamic);
    assert!(matches!(w.apply_impulse(b, impulse, far).unwrap_err().cause(), WorldError::NotFinite { .. }));
    w.advance(0.01).unwrap();
    assert_eq!(w.penetration(), Ok(0.0));
}

/// A spring whose force is not a number makes the step fail. What it left behind is checked again by every call that needs a state.
#[test]
fn a_failure_is_not_forgotten() {
    let mut w = world();
    let b = w.add(ball()).unwrap();
    let before = w.snapshot();
    let fast = Twist::new(Vec3::X * 1e308, Vec3::ZERO);
    w.set_velocity(b, fast).unwrap();
    let far = Vec3::X * 1.7e308;
    w.set_pose(b, far, Quat::IDENTITY).unwrap();
    // 1.7e308 m, and 1e307 m more per step, exceed the largest number
    let failed = (0..40).any(|_| w.advance(0.1).is_err());
    assert!(failed && !w.state().is_finite(w.body_index(b).unwrap()));
    for _ in 0..2 {
        // calling `penetration` once made the world forget the failure
        assert!(matches!(w.penetration(), Err(WorldError::Step(_))));
        assert!(matches!(w.advance(0.01), Err(WorldError::Step(_))));
    }
    w.restore(&before).unwrap();
    steps(&mut w, 3);
    let column = w.body_index(b).unwrap();
    let force = w.add_force(SpringDamper::mouse(column, Vec3::ZERO, Vec3::Y, f64::NAN, 0.0, f64::INFINITY));
    assert!(matches!(w.advance(0.01), Err(WorldError::Step(_))));
    w.remove_force(force).unwrap();
    w.restore(&before).unwrap();
    steps(&mut w, 3);
}

#[test]
fn hostile_times_and_numbers_of_threads_are_refused() {
    let mut w = world();
    w.add(ball()).unwrap();
    for dt in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(w.advance(dt), Err(WorldError::OutOfRange { what: "dt", .. })), "{dt}");
    }
    assert_eq!(w.time(), 0.0);
    for threads in [0, 257, usize::MAX] {
        let built = World::builder().threads(threads).build().map(|_| ());
        assert!(matches!(built, Err(WorldError::OutOfRange { what: "threads", .. })), "{threads}");
    }
}

/// With overflow checks on, a contact with spinning friction whose lone normal row had index 0 once underflowed under every solver.
#[test]
fn a_contact_that_spins_without_friction_is_solved() {
    for solver in ["projected-gauss-seidel", "dantzig", "lemke", "interior-point", "sparse-principal-pivoting"] {
        let choice = ModuleChoice { kind: ModuleKind::Lcp, name: Some(solver.to_owned()), settings: vec![] };
        let mut w = World::builder().paradigm(Paradigm::FIRST_ORDER).choose(choice).build().unwrap();
        let m = w.add_material(Material { spinning: 0.1, ..Material::default() }).unwrap();
        w.add(floor().material(m)).unwrap();
        w.add(ball().material(m).at([0.0, 0.49, 0.0])).unwrap();
        w.advance(0.01).unwrap();
    }
}
