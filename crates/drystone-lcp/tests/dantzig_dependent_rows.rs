//! Dantzig's method where rows depend on each other: a cube on its four corners, three of which bear it.
use drystone_lcp::{BoxedProblem, FactoredOperator, NO_BODY, solver_by_name};

/// The corners of a cube of 1 m and 1000 kg on the floor, held along the normals of all but the last, with friction left in both directions: in all as an engine
/// had it in an impact, the right-hand sides being rounding but for the slip.
fn cube_on_its_corners() -> BoxedProblem {
    let mut a = FactoredOperator::new();
    let cube = a.push_body(1e-3, [6e-3, 6e-3, 6e-3, 0.0, 0.0, 0.0]);
    let (slip, heading) = (3.76456, 53.0_f64.to_radians());
    let along = [heading.cos(), 0.0, heading.sin()];
    let across = [heading.sin(), 0.0, -heading.cos()];
    let infinity = f64::INFINITY;
    let (mut b, mut lo, mut hi) = (Vec::new(), Vec::new(), Vec::new());
    let corners = [(0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5)];
    let bears = [58.1322, 6.1786, 14.1692, 0.0];
    let rounding = [-5.6492e-18, -4.2036e-18, 4.4701e-18, 3.0245e-18];
    for (k, (x, z)) in corners.into_iter().enumerate() {
        let arm = [x, -0.5, z];
        let mut row = |e: [f64; 3], rate: f64, bounds: (f64, f64)| {
            let [u, v] = [arm, e];
            let moment = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
            a.push_row([NO_BODY, cube], [0.0; 6], [e[0], e[1], e[2], moment[0], moment[1], moment[2]], 0.0).unwrap();
            b.push(rate);
            lo.push(bounds.0);
            hi.push(bounds.1);
        };
        let held = bears[k] > 0.0;
        row([0.0, 1.0, 0.0], rounding[k], (if held { -infinity } else { 0.0 }, infinity));
        if held {
            row(along, slip, (0.0, 2.0 * bears[k]));
            row(across, 2.24e-16, (-bears[k], bears[k]));
        }
    }
    BoxedProblem::boxed(a, b, lo, hi)
}

#[test]
fn rows_that_depend_on_others_are_not_driven_to_the_end_of_the_world() {
    for settings in [[1.0, 64.0], [0.0, 64.0], [0.0, 1.0]] {
        let mut solver = solver_by_name("dantzig").unwrap();
        for (name, value) in ["block-start", "block"].into_iter().zip(settings) {
            solver.set(name, value).unwrap();
        }
        let problem = cube_on_its_corners();
        let mut x = vec![0.0; problem.b.len()];
        let report = solver.solve(&problem.view(), &mut x).unwrap();
        let largest = x.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        // where it was, x was 9e17 along what the rows say nothing about
        assert!(largest < 1e3 && report.residual.unwrap() < 1e-12, "{settings:?}: {largest:e}, {report:?}");
    }
}
