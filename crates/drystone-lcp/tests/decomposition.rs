//! Solving group by group gives the same as solving all at once (F-37).
use drystone_lcp::{
    BoxedProblem, Decomposition, DenseOperator, LcpError, LcpStatus, NO_DEPENDENCY, ProblemKind, ResidualWorkspace,
    SOLVERS, SparseOperator, natural_residual, solver_by_name, stack_problem,
};

/// Three columns of three boxes with friction, with shuffled rows, so that the groups are interleaved.
fn shuffled(cfm: f64) -> (BoxedProblem, Vec<usize>) {
    let problem = stack_problem(3, 3, 0.3, 1.5, cfm);
    let n = problem.b.len();
    // The contacts in another order: 7 has no common divisor with 36.
    let order: Vec<usize> = (0..n).map(|i| 3 * ((i / 3 * 7) % (n / 3)) + i % 3).collect();
    let mut place = vec![0; n];
    order.iter().enumerate().for_each(|(k, &i)| place[i] = k);
    let dense = problem.operator.view().to_dense();
    let mut a = DenseOperator::zeros(n);
    for (k, &i) in order.iter().enumerate() {
        for (l, &j) in order.iter().enumerate() {
            a.set(k, l, dense.get(i, j));
        }
    }
    let pick = |v: &[f64]| order.iter().map(|&i| v[i]).collect::<Vec<_>>();
    let dependency = order
        .iter()
        .map(|&i| match problem.dependency[i] {
            NO_DEPENDENCY => NO_DEPENDENCY,
            j => place[j as usize] as u32,
        })
        .collect();
    let turned = BoxedProblem {
        b: pick(&problem.b),
        lo: pick(&problem.lo),
        hi: pick(&problem.hi),
        mu: pick(&problem.mu),
        operator: a.into(),
        partner: Vec::new(),
        dependency,
    };
    (turned, order)
}

#[test]
fn groups_are_found_in_every_kind_of_operator() {
    let (dense, _) = shuffled(1e-3);
    let sparse = BoxedProblem {
        operator: SparseOperator::from_dense(&dense.operator.view().to_dense()).into(),
        b: dense.b.clone(),
        lo: dense.lo.clone(),
        hi: dense.hi.clone(),
        dependency: dense.dependency.clone(),
        mu: dense.mu.clone(),
        partner: Vec::new(),
    };
    let factored = stack_problem(3, 3, 0.3, 1.5, 1e-3);
    for problem in [&dense, &sparse, &factored] {
        let parts = Decomposition::new(&problem.view()).unwrap();
        assert_eq!(parts.groups().iter().map(|(rows, _)| rows.len()).collect::<Vec<_>>(), [36, 36, 36]);
        for (rows, part) in parts.groups() {
            part.view().validate().unwrap();
            for (k, &i) in rows.iter().enumerate() {
                for (l, &j) in rows.iter().enumerate() {
                    let whole = problem.operator.view().entry(i as usize, j as usize);
                    assert!((part.operator.view().entry(k, l) - whole).abs() < 1e-14);
                }
            }
        }
    }
}

#[test]
fn every_solver_finds_the_same_group_by_group() {
    let (problem, _) = shuffled(0.3);
    problem.view().validate().unwrap();
    let parts = Decomposition::new(&problem.view()).unwrap();
    let mut compared = 0;
    // Jacobi is too slow; enumeration takes only sixteen rows.
    let boxed = SOLVERS.iter().filter(|s| s.kinds.contains(&ProblemKind::Boxed));
    for info in boxed.filter(|s| !["projected-jacobi", "enumeration"].contains(&s.name)) {
        let mut solver = solver_by_name(info.name).unwrap();
        for (name, value) in [("iterations", 3000.0), ("tolerance", 1e-12), ("measure", 2.0)] {
            if info.parameters.iter().any(|p| p.name == name) {
                solver.set(name, value).unwrap();
            }
        }
        let (mut x, mut y) = (vec![0.0; problem.b.len()], vec![0.0; problem.b.len()]);
        let whole = solver.solve(&problem.view(), &mut x).unwrap();
        let grouped = parts.solve(solver.as_mut(), &mut y).unwrap();
        let residual = natural_residual(&problem.view(), &y, &mut ResidualWorkspace::default());
        assert!((grouped.residual.unwrap() - residual).abs() < 1e-13, "{}", info.name);
        // A regular problem has one solution; the answers may differ by as much as their residuals allow.
        let slack = 1e4 * (whole.residual.unwrap() + residual) + 1e-10;
        let distance = x.iter().zip(&y).fold(0.0_f64, |m, (x, y)| m.max((x - y).abs()));
        assert!(distance < slack, "{}: {distance:e} {whole:?} {grouped:?}", info.name);
        if residual < 1e-9 {
            compared += 1;
        }
    }
    assert!(compared >= 25, "{compared}");
}

#[test]
fn an_accurate_group_costs_nothing_more_and_lengths_are_checked() {
    // One easy group and one hard one: iterations add up, and the worst status is reported.
    let mut a = DenseOperator::zeros(3);
    a.set(0, 0, 1.0);
    for (i, j, v) in [(1, 1, 1.0), (1, 2, -1.0), (2, 1, -1.0), (2, 2, 1.000_125)] {
        a.set(i, j, v);
    }
    let problem = BoxedProblem::lcp(a, vec![-1.0, 9.81, -14.7]);
    let parts = Decomposition::new(&problem.view()).unwrap();
    assert_eq!(parts.groups().len(), 2);
    let mut solver = solver_by_name("projected-gauss-seidel").unwrap();
    for (name, value) in [("iterations", 50.0), ("tolerance", 1e-9), ("measure", 2.0)] {
        solver.set(name, value).unwrap();
    }
    let mut x = vec![0.0; 3];
    let report = parts.solve(solver.as_mut(), &mut x).unwrap();
    assert_eq!((report.iterations, report.status), (51, LcpStatus::IterationLimit));
    assert!(matches!(parts.solve(solver.as_mut(), &mut [0.0]), Err(LcpError::Size { what: "x", .. })));
    let empty = BoxedProblem::lcp(DenseOperator::zeros(0), Vec::new());
    assert!(Decomposition::new(&empty.view()).unwrap().groups().is_empty());
}
