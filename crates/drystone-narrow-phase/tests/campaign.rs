//! A seeded campaign over random pairs with every narrow phase that takes them; each answer is certified.
//!
//! In any correct answer the gap between the support planes along the normal is the distance. For overlapping shapes this shows that the normal
//! separates them, and for separated ones, with witnesses on the shapes, that the distance is exact. Depths of boxes and hulls equal those
//! of brute force, neither deeper nor shallower. The example `campaign` does the same for as long as you like.

use crate::brute_force;
#[path = "../examples/campaign/mixed_pairs.rs"]
mod mixed_pairs;
#[path = "../examples/campaign/random_pairs.rs"]
mod random_pairs;

use mixed_pairs::{Meshes, check_mixed};
use random_pairs::{Random, check};

#[test]
fn the_support_planes_certify_every_answer() {
    let mut random = Random(7);
    for k in 0..20_000 {
        if let Err(e) = check(&mut random) {
            panic!("pair {k}: {e}");
        }
    }
}

#[test]
fn meshes_and_compounds_are_as_far_away_as_what_they_stand_for() {
    let (mut random, meshes) = (Random(8), Meshes::new().unwrap());
    for k in 0..3_000 {
        if let Err(e) = check_mixed(&mut random, &meshes) {
            panic!("pair {k}: {e}");
        }
    }
}
