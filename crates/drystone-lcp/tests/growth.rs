//! How iterations grow with the number of bodies in a chain (Erleben 2005, Table 6.2).

use drystone_lcp::{BoxedProblem, DenseOperator, LcpSolver, power_law_exponent, solver_by_name};

/// A chain of balls, each pressed against the next one: every contact pushes, and the matrix is that of a stretched string.
fn chain(n: usize) -> BoxedProblem {
    let mut a = DenseOperator::zeros(n);
    for i in 0..n {
        a.set(i, i, 2.0);
        if i + 1 < n {
            a.set(i, i + 1, -1.0);
            a.set(i + 1, i, -1.0);
        }
    }
    BoxedProblem::lcp(a, vec![-1.0; n])
}

/// Iterations until the residual is a millionth, for chains of growing length; returns the exponent of their growth.
fn growth(name: &str, prepare: impl Fn(&mut dyn LcpSolver, usize)) -> f64 {
    let points: Vec<(f64, f64)> = [8, 16, 32, 64]
        .map(|n| {
            let mut solver = solver_by_name(name).unwrap();
            solver.set("iterations", 100_000.0).unwrap();
            solver.set("tolerance", 1e-6).unwrap();
            prepare(solver.as_mut(), n);
            let mut x = vec![0.0; n];
            let report = solver.solve(&chain(n).view(), &mut x).unwrap();
            assert!(report.residual.is_none_or(|r| r <= 1e-6), "{name}: {report:?}");
            // the exact solution, i (n + 1 - i) / 2
            let off = (0..n).map(|i| (x[i] - 0.5 * ((i + 1) * (n - i)) as f64).abs()).fold(0.0, f64::max);
            assert!(off < 1e-6 * (n * n) as f64, "{name}, {n}: {off}");
            (n as f64, report.iterations as f64)
        })
        .to_vec();
    println!("{name}: {points:?}");
    power_law_exponent(&points).unwrap()
}

/// F-29, F-41: the iterations of Gauss-Seidel and Jacobi grow with the square of the number of contacts. For over-relaxation at its best factor
/// and for conjugate gradients the table gives the power 3/2 as a bound; in a chain they grow with the number of contacts.
#[test]
fn iterations_grow_as_the_table_says() {
    let each = |solver: &mut dyn LcpSolver, _: usize| solver.set("measure", 2.0).unwrap();
    let sweeps = growth("projected-gauss-seidel", each);
    assert!((sweeps - 2.0).abs() < 0.25, "Gauss-Seidel: {sweeps}");
    let jacobi = growth("projected-jacobi", each);
    assert!((jacobi - 2.0).abs() < 0.25, "Jacobi: {jacobi}");
    let relaxed = growth("projected-sor", |solver, n| {
        solver.set("measure", 2.0).unwrap();
        solver.set("omega", 2.0 / (1.0 + (core::f64::consts::PI / (n + 1) as f64).sin())).unwrap();
    });
    assert!(relaxed < 1.5, "over-relaxation at its best: {relaxed}");
    let gradients = growth("mprgp", |_, _| {});
    assert!(gradients < 1.5, "conjugate gradients: {gradients}");
}
