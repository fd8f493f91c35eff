//! The work for a pyramid's matrix is deducted from the budget before the matrix is built.

use drystone_dynamics::{RowParameters, VelocityLevel};
use drystone_lcp::{Budget, Lemke};
use drystone_testkit::problem::{Group, block_on_floor};

const H: f64 = 0.01;
/// Number of directions of the pyramid.
const FACETS: usize = 8;

/// With only this much of a frame's budget left, no more than that is spent: the box replaces the pyramid, and the block is still carried.
#[test]
fn what_the_frame_has_left_is_all_that_a_pyramid_takes() {
    let matrix = 40.0 * (4.0 * (FACETS as f64 + 2.0)).powi(2);
    for (left, stands_in) in
        [(0.0, true), (0.2 * matrix, true), (0.9 * matrix, true), (0.5 * Budget::USUAL, false), (Budget::USUAL, false)]
    {
        let mut p = block_on_floor(2.0, H);
        p.contacts.iter_mut().for_each(|c| c.friction = 0.5);
        p.spent = Budget::USUAL - left;
        let mut solver = VelocityLevel::pyramid(RowParameters::default(), FACETS, Box::new(Lemke::default()));
        let mut group = Group::from(p);
        let report = group.solve(&mut solver, H, H);
        assert!(report.work <= left, "{left} left, {} taken", report.work);
        assert_eq!(report.fallbacks > 0, stands_in, "{left}: {report:?}");
        assert!(stands_in || report.work > matrix, "{report:?}");
        let carried: f64 = group.answer.contacts.iter().map(|c| c.normal).sum();
        assert!((carried - 2.0 * 9.81 * H).abs() < 1e-6, "{left}: carries {carried} N s");
    }
}
