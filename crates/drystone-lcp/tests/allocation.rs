//! A warm solve (the second one of the same problem) allocates nothing, with any solver.
use drystone_lcp::{
    BoxedProblem, LcpError, LcpSolver, LinearProgram, MatrixFamily, ProblemGenerator, ProblemKind, ProgramReport,
    ProgramStatus, Relation, ResidualWorkspace, SOLVERS, Simplex, SimplexWorkspace, SplitMix64, cone_problem,
    cone_solver_by_name, natural_residual, solver_by_name, stack_problem,
};

/// Problems that together exercise what the solvers do: friction with dependent bounds, redundant contacts,
/// boxes, singular and unsymmetric matrices, and few enough rows for an enumeration.
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

/// The number of allocations in the second solve of a problem, and the factor by which that solve reduced the residual.
fn allocations(solver: &mut dyn LcpSolver, problem: &BoxedProblem) -> (u64, Result<f64, LcpError>) {
    let view = problem.view();
    let mut x = vec![0.0; problem.b.len()];
    let mut solve = |x: &mut [f64]| {
        x.fill(0.0);
        solver.solve(&view, x)
    };
    let first = solve(&mut x);
    let mut second = first.clone();
    let count = allocation_counter::measure(|| second = solve(&mut x)).count_total;
    assert_eq!(first, second, "a warm solve ends as a cold one");
    let residual = |x: &[f64]| natural_residual(&view, x, &mut ResidualWorkspace::default());
    let (start, end) = (residual(&vec![0.0; x.len()]), residual(&x));
    (count, second.map(|_| end / start))
}

/// Whether a solver takes a problem: all take every one, except enumeration, which needs
/// few rows, and Dantzig's method, which needs boxes that contain zero.
fn takes(name: &str, problem: &BoxedProblem) -> bool {
    let holds_zero = || problem.lo.iter().zip(&problem.hi).all(|(lo, hi)| *lo <= 0.0 && *hi >= 0.0);
    match name {
        "enumeration" => problem.b.len() <= 16,
        "dantzig" => holds_zero(),
        _ => true,
    }
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
                let (count, outcome) = allocations(solver.as_mut(), problem);
                if count > 0 {
                    faults.push(format!("{}, {what}: {count}", info.name));
                }
                // a problem that it takes is improved, as far as its limits allow; one that it
                // does not take is refused, and that allocates nothing either
                let solves = outcome.as_ref().is_ok_and(|left| *left < 1.0);
                if solves != takes(info.name, problem) {
                    faults.push(format!("{}, {what}: {outcome:?}", info.name));
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

/// A program over boxes and half lines with constraints of all kinds; every third row
/// is the sum of the two before it, so that bases are degenerate.
fn program(variables: usize, constraints: usize, seed: u64) -> LinearProgram {
    let mut random = SplitMix64::new(seed);
    let mut numbers = |n: usize| -> Vec<f64> { (0..n).map(|_| random.range(-1.0, 1.0)).collect() };
    let mut program = LinearProgram::new(numbers(variables));
    for j in 0..variables {
        program.lo[j] = if j % 3 == 0 { f64::NEG_INFINITY } else { 0.0 };
        program.hi[j] = if j % 2 == 0 { 3.0 } else { f64::INFINITY };
    }
    for k in 0..constraints {
        let row = match program.rows.as_slice() {
            [.., a, b] if k % 3 == 2 => a.iter().zip(b).map(|(a, b)| a + b).collect(),
            _ => numbers(variables),
        };
        let relation = [Relation::AtMost, Relation::AtLeast, Relation::Equal][k % 3];
        let right = numbers(1)[0];
        program = program.with(row, relation, right);
    }
    program
}

#[test]
fn nor_do_linear_programs_in_a_workspace_whose_reports_are_those_without() {
    let (mut workspace, mut report) = (SimplexWorkspace::default(), ProgramReport::default());
    let mut ends = Vec::new();
    let programs: Vec<LinearProgram> = (0..40).map(|k| program(1 + k % 7, (3 * k) % 8, k as u64)).collect();
    let mut round = |check: bool| {
        for program in &programs {
            Simplex::default().solve_with(program, &mut workspace, &mut report).unwrap();
            if check {
                assert_eq!(report, Simplex::default().solve(program).unwrap());
                ends.push(report.status);
            }
        }
    };
    round(true);
    let count = allocation_counter::measure(|| round(false)).count_total;
    assert_eq!(count, 0);
    for end in [ProgramStatus::Optimal, ProgramStatus::Infeasible, ProgramStatus::Unbounded] {
        assert!(ends.contains(&end), "none was {end:?}");
    }
}
