//! The certificates of the example `fuzz_pairs` over some thousand pairs; the example judges as many as you like.

#[path = "../examples/fuzz_pairs/certificates.rs"]
mod certificates;
#[path = "../examples/fuzz_pairs/draw.rs"]
mod draw;
#[path = "../examples/fuzz_pairs/flush.rs"]
mod flush;

#[test]
fn pairs_of_all_kinds_hold_their_certificates() {
    let scenery = draw::Scenery::new();
    for k in 0..6000 {
        if let Err(fault) = certificates::check(1, k, &scenery) {
            panic!("pair {k}: {}: {}", fault.kind, fault.told);
        }
    }
}
