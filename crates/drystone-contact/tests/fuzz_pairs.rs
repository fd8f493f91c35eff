//! The certificates of the example `fuzz_pairs` over some thousand pairs; the example judges as many as you like.

#[path = "../examples/fuzz_pairs/certificates.rs"]
mod certificates;
#[path = "../examples/fuzz_pairs/draw.rs"]
mod draw;
#[path = "../examples/fuzz_pairs/flush.rs"]
mod flush;

/// Judges the pairs of a range whose kinds are of interest.
fn judge(range: core::ops::Range<u64>, of_interest: impl Fn([usize; 2]) -> bool) {
    let scenery = draw::Scenery::new();
    for k in range.filter(|k| of_interest(certificates::kinds(*k))) {
        if let Err(fault) = certificates::check(1, k, &scenery) {
            panic!("pair {k}: {}: {}", fault.kind, fault.told);
        }
    }
}

#[test]
fn pairs_of_all_kinds_hold_their_certificates() {
    judge(0..6000, |_| true);
}

/// Cylinders, cones and hulls on meshes, most of them at touch.
#[test]
fn edges_and_corners_of_meshes_touch_as_far_as_they_reach() {
    let is_solid = |kind: usize| (3..=6).contains(&kind);
    let is_mesh = |kind: usize| kind == 7 || kind == 8;
    judge(28_000..34_000, |[a, b]| is_solid(a) && is_mesh(b) || is_mesh(a) && is_solid(b));
}

/// Boxes that touch along edges, and whose nearest corners lie beside the face that they lean to.
#[test]
fn boxes_hold_their_certificates() {
    judge(0..100_000, |kinds| kinds == [1, 1]);
}
