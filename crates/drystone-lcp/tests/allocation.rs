//! A warm solve allocates nothing: the second one of a problem, by any solver.
use drystone_lcp::{
    BoxedProblem, LcpSolver, MatrixFamily, ProblemGenerator, ProblemKind, SOLVERS, cone_problem, cone_solver_by_name,
    solver_by_name, stack_problem,
};

/// Problems that between them take the solvers through what they do: friction with dependent bounds, redundant contacts, boxes, matrices that are singular or
/// unsymmetric, and few enough rows for an enumeration.
fn problems() -> Vec<(&'static str, BoxedProblem)> {
    let generator = |rows, family| ProblemGenerator { rows, family, active: 0.5, seed: 3 };
    let singular = MatrixFamily::PositiveSemidefinite { rank: 20 };
    vec![
        ("a box with friction", stack_problem(1, 1, 0.5, 1.0, 1e-6)),
        ("stacks with friction", stack_problem(2, 5, 0.5, 1.0, 1e-6)),
        ("a stack without friction", stack_problem(1, 10, 0.0, 1.0, 0.0)),
        ("a definite problem", generator(40, MatrixFamily::PositiveDefinite).lcp().0),
        ("a singular problem", generator(40, singular).lcp().0),
        ("boxes around an unsymmetric problem", generator(40, MatrixFamily::UnsymmetricP).boxed().0),
    ]
}

/// Allocations of the second solve of a problem.
fn allocations(solver: &mut dyn LcpSolver, problem: &BoxedProblem) -> u64 {
    let view = problem.view();
    let mut x = vec![0.0; problem.b.len()];
    let mut solve = || {
        x.fill(0.0);
        // what a solver does not take it refuses, and that allocates nothing either
        let _ = solver.solve(&view, &mut x);
    };
    solve();
    allocation_counter::measure(solve).count_total
}

#[test]
fn warm_solves_allocate_nothing() {
    let problems = problems();
    let mut faults = Vec::new();
    for info in SOLVERS.iter().filter(|info| info.kinds.contains(&ProblemKind::Boxed)) {
        for (what, problem) in &problems {
            for krylov in [false, true] {
                let mut solver = solver_by_name(info.name).unwrap();
                if krylov && solver.set("inner", 1.0).is_err() {
                    continue;
                }
                let count = allocations(solver.as_mut(), problem);
                if count > 0 {
                    faults.push(format!("{}, {what}: {count}", info.name));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn nor_do_those_of_cones() {
    let mut faults = Vec::new();
    for info in SOLVERS.iter().filter(|info| info.kinds.contains(&ProblemKind::Friction)) {
        for (contacts, mu, seed) in [(1, 0.5, 1), (12, 0.5, 2), (20, 0.9, 3)] {
            let mut solver = cone_solver_by_name(info.name).unwrap();
            let (problem, _) = cone_problem(contacts, mu, seed);
            let mut r = vec![0.0; problem.rows()];
            let mut solve = || {
                r.fill(0.0);
                solver.solve(&problem, &mut r).unwrap();
            };
            solve();
            let count = allocation_counter::measure(solve).count_total;
            if count > 0 {
                faults.push(format!("{}, {contacts} contacts: {count}", info.name));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
