//! A step's report is the sum of its groups' reports.

use drystone::prelude::*;

/// Each group of contacts is a problem of its own: there are as many solves as groups, with all of their variables, on one thread or two.
#[test]
fn each_group_is_a_problem_that_is_counted() {
    for threads in [1, 2] {
        let mut world = World::builder().paradigm(Paradigm::VELOCITY_LCP).threads(threads).build().unwrap();
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
        for k in 0..5 {
            let place = [3.0 * f64::from(k), 0.5, 0.0];
            world.add(Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).at(place)).unwrap();
        }
        let report = world.advance(0.01).unwrap();
        assert_eq!((report.groups, report.contacts), (5, 20), "{report:?}");
        // a normal and two tangents at each of a cube's four corners
        assert_eq!((report.lcp.solves, report.lcp.variables_max), (5, 12), "{report:?}");
        assert!(report.lcp.iterations >= 5, "{report:?}");
    }
}
