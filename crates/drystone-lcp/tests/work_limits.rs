//! Dense direct methods end at their limit of work, and say so.

use drystone_lcp::{LcpStatus, SplitMix64, solver_by_name, stack_problem};
use std::time::Instant;

const DENSE: [&str; 5] = ["lemke", "dantzig", "block-principal-pivoting", "murty-least-index", "path-search-newton"];

#[test]
fn a_solve_ends_where_its_work_is_spent() {
    // two columns of five boxes with friction, pulled and pushed to and fro: no first guess is right
    let mut problem = stack_problem(2, 5, 0.3, 2.0, 1e-6);
    let mut random = SplitMix64::new(5);
    problem.b.iter_mut().for_each(|b| *b = random.range(-1.0, 1.0));
    let start = vec![0.0; problem.b.len()];
    for name in DENSE {
        let mut solver = solver_by_name(name).unwrap();
        if name == "dantzig" {
            // row by row: a block is one step
            solver.set("block-start", 0.0).unwrap();
            solver.set("block", 1.0).unwrap();
        }
        let free = solver.solve(&problem.view(), &mut start.clone()).unwrap();
        assert!(free.iterations > 1, "{name} needs more than one step: {free:?}");
        solver.set("work", 1.0).unwrap();
        let mut x = start.clone();
        let report = solver.solve(&problem.view(), &mut x).unwrap();
        assert_eq!(report.status, LcpStatus::IterationLimit, "{name}: {report:?}");
        assert!(report.iterations < free.iterations && x.iter().all(|v| v.is_finite()), "{name}: {report:?}");
        assert!(solver.is_direct() && solver.set("work", 0.0).is_err());
    }
}

#[test]
fn a_hundredth_of_a_second_is_not_minutes() {
    let problem = stack_problem(3, 10, 0.3, 10.0, 0.0);
    for name in DENSE {
        let mut solver = solver_by_name(name).unwrap();
        solver.set("work", 1e7).unwrap();
        let watch = Instant::now();
        solver.solve(&problem.view(), &mut vec![0.0; problem.b.len()]).unwrap();
        // a step more than it pays for, on a machine that is busy
        assert!(watch.elapsed().as_secs_f64() < 20.0, "{name}: {:?}", watch.elapsed());
    }
}
