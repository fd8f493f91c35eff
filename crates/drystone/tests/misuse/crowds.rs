//! More pairs than there is memory for give an error, not the end of the process.

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind, WorldError, registry};
use drystone_core::{FailureKind, MOST_PAIRS};

/// Just enough balls in one place, each of which meets all others, to have too many pairs.
#[test]
fn a_crowd_in_one_place_is_refused_under_every_broad_phase() {
    let crowd = (1..100_000).find(|n| n * (n - 1) / 2 > MOST_PAIRS).unwrap();
    let shape = Shape::sphere(0.5).unwrap();
    for implementation in registry::implementations(ModuleKind::BroadPhase) {
        let name = Some(implementation.name.to_owned());
        let choice = ModuleChoice { kind: ModuleKind::BroadPhase, name, settings: vec![] };
        let mut w = World::builder().choose(choice).build().unwrap();
        let ids: Vec<_> = (0..crowd).map(|_| w.add(Body::dynamic(shape.clone())).unwrap()).collect();
        let Err(WorldError::Step(failure)) = w.advance(0.01) else { panic!("{}: taken", implementation.name) };
        assert!(matches!(failure.kind, FailureKind::TooManyPairs { .. }), "{}: {failure}", implementation.name);
        // scattered, they are bodies like any others: nothing of the failed search is left
        for (i, id) in ids.iter().enumerate() {
            w.set_pose(*id, Vec3::new(2.0 * (i % 80) as f64, 0.0, 2.0 * (i / 80) as f64), Quat::IDENTITY).unwrap();
        }
        w.set_pose(ids[1], Vec3::X * 0.9, Quat::IDENTITY).unwrap();
        let report = w.advance(1e-3).unwrap();
        assert_eq!(report.contacts, 1, "{}", implementation.name);
    }
}
