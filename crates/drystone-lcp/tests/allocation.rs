//! A warm solve of the splitting and first-order methods allocates nothing.
use drystone_lcp::{solver_by_name, stack_problem};

#[test]
fn warm_solves_allocate_nothing() {
    let problem = stack_problem(2, 5, 0.5, 1.0, 1e-6);
    let view = problem.view();
    for name in [
        "projected-gauss-seidel",
        "projected-sor",
        "backward-gauss-seidel",
        "symmetric-gauss-seidel",
        "random-order-gauss-seidel",
        "error-order-gauss-seidel",
        "projected-jacobi",
        "nonsmooth-conjugate-gradient",
        "mprgp",
        "projected-gradient",
        "accelerated-projected-gradient",
        "sparse-principal-pivoting",
    ] {
        let mut solver = solver_by_name(name).unwrap();
        let mut x = vec![0.0; problem.b.len()];
        solver.solve(&view, &mut x).unwrap();
        let info = allocation_counter::measure(|| {
            x.fill(0.0);
            solver.solve(&view, &mut x).unwrap();
        });
        assert_eq!(info.count_total, 0, "{name}");
    }
}
