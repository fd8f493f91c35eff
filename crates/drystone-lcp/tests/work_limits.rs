//! Dense direct methods stop at their work limit, and report it.

use drystone_lcp::{
    BoxedProblem, DiscPasses, LcpSolver, LcpStatus, NO_DEPENDENCY, NO_PARTNER, ProblemKind, SOLVERS, Share, SplitMix64,
    solver_by_name, stack_problem,
};
use std::time::Instant;

const DENSE: [&str; 5] = ["lemke", "dantzig", "block-principal-pivoting", "murty-least-index", "path-search-newton"];

/// Two columns of five boxes with friction, pulled and pushed at random: no first guess is right.
fn tangle() -> BoxedProblem {
    let mut problem = stack_problem(2, 5, 0.3, 2.0, 1e-6);
    let mut random = SplitMix64::new(5);
    problem.b.iter_mut().for_each(|b| *b = random.range(-1.0, 1.0));
    problem
}

/// Every solver with a work limit keeps to it, in one solve and over all solves that share it.
#[test]
fn solves_that_share_their_work_take_no_more_than_one_may() {
    let problem = tangle();
    let limited = SOLVERS.iter().filter(|s| !s.kinds.contains(&ProblemKind::Friction));
    let mut names = 0;
    for info in limited.filter(|s| s.parameters.iter().any(|p| p.name == "work")) {
        names += 1;
        let mut solver = solver_by_name(info.name).unwrap();
        if info.parameters.iter().any(|p| p.name == "pivoting_work") {
            // without the separate limit on pivoting, which is not tested here
            solver.set("pivoting_work", 1e11).unwrap();
        }
        let solve = |solver: &mut Box<dyn LcpSolver>| {
            let mut x = vec![0.0; problem.b.len()];
            let outcome = solver.solve(&problem.view(), &mut x);
            assert!(x.iter().all(|v| v.is_finite()));
            (outcome.map_or(0, |r| r.iterations), solver.budget().unwrap().spent())
        };
        solver.set("work", 1e11).unwrap();
        let (first, whole) = solve(&mut solver);
        assert!(first > 0 && whole > 0.0 && !solver.budget().unwrap().is_spent(), "{}", info.name);
        let (again, same) = solve(&mut solver);
        assert_eq!((first, whole), (again, same), "{}: counted anew in each solve", info.name);
        // as much as two and a half solves need
        let work = 2.5 * whole;
        solver.set("work", work).unwrap();
        solver.budget().unwrap().share(Share::default());
        let solves: Vec<_> = (0..6).map(|_| solve(&mut solver)).collect();
        let spent = solver.budget().unwrap().spent();
        // the last step may overrun
        assert!(spent <= work + whole, "{}: {spent:e} of {work:e}", info.name);
        assert!(solver.budget().unwrap().is_spent(), "{}: {solves:?} of {work:e}", info.name);
        // except for a look at the start value
        assert!(solves[5].1 - solves[4].1 < 0.05 * whole, "{}: what is spent is spent", info.name);
        solver.budget().unwrap().part();
        assert_eq!(solve(&mut solver).1, whole, "{}", info.name);
    }
    assert!(names >= 10, "{names}");
}

/// The passes over discs are many solves of one problem.
#[test]
fn passes_over_discs_share_their_work() {
    let mut problem = tangle();
    let n = problem.b.len();
    let pairs: Vec<usize> = (0..n).filter(|&i| i + 1 < n && problem.dependency[i] != NO_DEPENDENCY).collect();
    problem.partner = vec![NO_PARTNER; n];
    for &i in &pairs {
        if problem.dependency[i] == problem.dependency[i + 1] && problem.partner[i] == NO_PARTNER {
            (problem.partner[i], problem.partner[i + 1]) = (i as u32 + 1, i as u32);
        }
    }
    let mut solver = solver_by_name("sparse-principal-pivoting").unwrap();
    let mut passes = DiscPasses::default();
    let mut solve = |work: f64| {
        solver.set("work", work).unwrap();
        let mut x = vec![0.0; n];
        let report = passes.solve(solver.as_mut(), &problem.view(), &mut x).unwrap();
        (report.iterations, solver.budget().unwrap().spent(), solver.budget().unwrap().is_shared())
    };
    let (free, whole, shared) = solve(1e9);
    assert!(!shared, "the passes' alone");
    let (cut, spent, _) = solve(0.3 * whole);
    assert!(cut < free && spent < 0.5 * whole, "{cut} of {free}, {spent:e} of {whole:e}");
}

// E-41
#[test]
fn a_solve_ends_where_its_work_is_spent() {
    let problem = tangle();
    let start = vec![0.0; problem.b.len()];
    for name in DENSE {
        let mut solver = solver_by_name(name).unwrap();
        if name == "dantzig" {
            // row by row: a whole block would count as one step
            solver.set("block_start", 0.0).unwrap();
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
        // one step more than the limit pays for, on a busy machine
        assert!(watch.elapsed().as_secs_f64() < 20.0, "{name}: {:?}", watch.elapsed());
    }
}
