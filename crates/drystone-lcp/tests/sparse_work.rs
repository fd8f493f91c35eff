//! The sparse direct solver stays within its limit of work.
use drystone_lcp::{BoxedProblem, LcpSolver, SparsePrincipalPivoting, SplitMix64, stack_problem};

fn solve(problem: &BoxedProblem, iterations: usize, work: f64) -> (usize, f64) {
    let mut solver = SparsePrincipalPivoting { iterations, work, ..Default::default() };
    let mut x = vec![0.0; problem.b.len()];
    let report = solver.solve(&problem.view(), &mut x).unwrap();
    (report.iterations, solver.budget().unwrap().spent())
}

/// Stacks pushed about at random, so that exchanges continue: the next iteration begins only if what the last one cost is still available.
#[test]
fn an_iteration_that_is_not_paid_for_is_not_begun() {
    let mut random = SplitMix64::new(3);
    let mut long = 0;
    for _ in 0..20 {
        let mut problem = stack_problem(4, 6, 0.4, 1.0, 1e-3);
        for b in &mut problem.b {
            *b += random.range(-1.0, 1.0);
        }
        let (iterations, all) = solve(&problem, 1000, 1e10);
        if iterations < 6 {
            continue;
        }
        long += 1;
        for part in [0.3, 0.5, 0.8] {
            let (some, spent) = solve(&problem, 1000, part * all);
            // iterations differ in cost; if they began whenever anything is left, some would overrun by nearly a whole one
            let beyond = (spent - part * all) * iterations as f64 / all;
            assert!(beyond < 0.5, "{some} of {iterations} iterations: {beyond} beyond {part} of the work");
        }
    }
    assert!(long > 0);
}
