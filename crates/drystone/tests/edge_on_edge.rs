//! Boxes that land with an edge or a corner on an edge of another box and turn onto its face within that step.

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};
use drystone_testkit::Random;

const BLOWS: u64 = 100;

/// The deepest overlaps (mm), in ascending order, of boxes that fall at 5 m/s onto a fixed box, both in random orientations.
fn deepest(paradigm: Paradigm, choices: &[ModuleChoice], as_hulls: bool) -> Vec<Real> {
    let mut found: Vec<Real> = (0..BLOWS)
        .map(|seed| {
            let mut random = Random::new(seed + 1);
            let builder = World::builder().paradigm(paradigm).gravity([0.0, -9.81, 0.0]);
            let builder = choices.iter().fold(builder, |builder, choice| builder.choose(choice.clone()));
            let mut world = builder.build().unwrap();
            let mut shape = || {
                let half = Vec3::new(random.range(0.1, 0.25), random.range(0.1, 0.25), random.range(0.1, 0.25));
                if !as_hulls {
                    return Shape::cuboid(half.x, half.y, half.z).unwrap();
                }
                let sign = |bit: u32| if bit & 1 == 0 { -1.0 } else { 1.0 };
                let corners: Vec<Vec3> =
                    (0..8).map(|i| half * Vec3::new(sign(i), sign(i >> 1), sign(i >> 2))).collect();
                Shape::convex(&corners).unwrap()
            };
            let (fixed, falling) = (shape(), shape());
            world.add(Body::fixed(fixed).oriented(random.rotation())).unwrap();
            let aside = random.vector(0.15);
            let body = Body::dynamic(falling).at([aside.x, random.range(0.6, 0.75), aside.z]);
            world.add(body.oriented(random.rotation()).linear_velocity([0.0, -5.0, 0.0])).unwrap();
            let mut deepest: Real = 0.0;
            for _ in 0..20 {
                world.advance(1.0 / 60.0).unwrap();
                deepest = deepest.max(world.penetration().unwrap());
            }
            1e3 * deepest
        })
        .collect();
    found.sort_by(Real::total_cmp);
    found
}

#[test]
fn what_lands_on_an_edge_does_not_turn_into_the_face_beside_it() {
    let point_alone = ModuleChoice {
        kind: ModuleKind::ContactDetermination,
        name: Some("closest-point".to_owned()),
        settings: Vec::new(),
    };
    for paradigm in [Paradigm::REAL_TIME, Paradigm::MECHANISM, Paradigm::VELOCITY_LCP] {
        let name = paradigm.name;
        for as_hulls in [false, true] {
            let found = deepest(paradigm, &[], as_hulls);
            let [often, most] = [9, 10].map(|tenths| found[found.len() * tenths / 10 - 1]);
            assert!(often < 3.0 && most < 25.0, "{name}, hulls {as_hulls}: {often} mm, {most} mm");
        }
        // the control: if only the closest points are known
        let found = deepest(paradigm, core::slice::from_ref(&point_alone), false);
        let most = found.last().copied().unwrap_or_default();
        assert!(most > 50.0, "{name}: {most} mm");
    }
}
