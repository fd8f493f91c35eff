//! Dantzig's method in all its forms against Lemke's and enumeration (E-13).
use drystone_lcp::{
    BoxedProblem, DenseOperator, LcpSolver, LcpStatus, MatrixFamily, NO_DEPENDENCY, ProblemGenerator, SplitMix64,
    solver_by_name, stack_problem,
};

/// With a block start, in blocks, and row by row as published.
const FORMS: [(&str, [(&str, f64); 2]); 3] = [
    ("block start", [("block_start", 1.0), ("block", 64.0)]),
    ("blocks", [("block_start", 0.0), ("block", 64.0)]),
    ("row by row", [("block_start", 0.0), ("block", 1.0)]),
];

fn form(settings: [(&str, f64); 2]) -> Box<dyn LcpSolver> {
    let mut solver = solver_by_name("dantzig").unwrap();
    for (name, value) in settings {
        solver.set(name, value).unwrap();
    }
    solver
}

fn velocities(problem: &BoxedProblem, solver: &mut dyn LcpSolver) -> (Vec<f64>, f64, LcpStatus) {
    let mut x = vec![0.0; problem.b.len()];
    let report = solver.solve(&problem.view(), &mut x).unwrap();
    let operator = problem.operator.view();
    let mut w = vec![0.0; x.len()];
    operator.apply(&x, &mut vec![0.0; operator.accumulator_len()], &mut w);
    (w.iter().zip(&problem.b).map(|(w, b)| w + b).collect(), report.residual.unwrap(), report.status)
}

// F-02, F-30, F-31
#[test]
fn every_form_agrees_with_lemke_and_enumeration_on_semidefinite_problems() {
    let mut random = SplitMix64::new(6);
    for seed in 0..60 {
        let rows = 1 + random.below(8);
        let rank = 1 + random.below(rows);
        let family =
            if seed % 2 == 0 { MatrixFamily::PositiveSemidefinite { rank } } else { MatrixFamily::PositiveDefinite };
        let (problem, _) = ProblemGenerator { rows, family, active: 0.5, seed }.lcp();
        let (known, residual, _) = velocities(&problem, solver_by_name("lemke").unwrap().as_mut());
        assert!(residual < 1e-10, "{seed}: {residual:e}");
        let enumerated = velocities(&problem, solver_by_name("enumeration").unwrap().as_mut());
        let forms = FORMS.map(|(name, settings)| (name, velocities(&problem, form(settings).as_mut())));
        for (name, (w, residual, status)) in forms.into_iter().chain([("enumeration", enumerated)]) {
            assert!(residual < 1e-9 && status == LcpStatus::Converged, "{name} {seed}: {residual:e} {status:?}");
            let distance = w.iter().zip(&known).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(distance < 1e-7, "{name} {seed}: {distance:e}");
        }
    }
}

#[test]
fn blocks_end_where_rows_one_by_one_do() {
    // Definite problems with boxes, larger than a block; and stacks, where each added row presses on all rows before it.
    let boxed = |seed| {
        let generator = ProblemGenerator { rows: 150, family: MatrixFamily::PositiveDefinite, active: 0.6, seed };
        generator.boxed().0
    };
    for problem in [boxed(1), boxed(2), stack_problem(2, 20, 0.0, 1.0, 1e-3), stack_problem(1, 8, 0.4, 1.0, 1e-3)] {
        let solve = |settings| {
            let mut x = vec![0.0; problem.b.len()];
            let report = form(settings).solve(&problem.view(), &mut x).unwrap();
            assert!(report.residual.unwrap() < 1e-10, "{report:?}");
            x
        };
        let one_by_one = solve(FORMS[2].1);
        for (name, settings) in &FORMS[..2] {
            let x = solve(*settings);
            assert!(x.iter().zip(&one_by_one).all(|(a, b)| (a - b).abs() < 1e-8), "{name}");
        }
    }
}

#[test]
fn a_tangent_that_depends_on_its_normal_sticks_slides_and_lets_go() {
    // F-31: a normal and a tangent with coupling c, mu = 1/2, solved by hand: sticking A x = -b;
    // sliding x_t = -s mu x_n with x_n = -b_n / (1 - s mu c); parted x = 0
    let (c, mu) = (0.3, 0.5);
    let slides = |b: [f64; 2], s: f64| {
        let normal = -b[0] / (1.0 - s * mu * c);
        [normal, -s * mu * normal]
    };
    let sticks = |b: [f64; 2]| [(c * b[1] - b[0]) / (1.0 - c * c), (c * b[0] - b[1]) / (1.0 - c * c)];
    for (b, want) in [
        ([-1.0, 2.0], slides([-1.0, 2.0], 1.0)),
        ([-1.0, -2.0], slides([-1.0, -2.0], -1.0)),
        ([-1.0, 0.1], sticks([-1.0, 0.1])),
        ([1.0, 2.0], [0.0, 0.0]),
    ] {
        let problem = BoxedProblem {
            operator: DenseOperator::from_rows([[1.0, c], [c, 1.0]]).into(),
            b: b.to_vec(),
            lo: vec![0.0; 2],
            hi: vec![f64::INFINITY; 2],
            dependency: vec![NO_DEPENDENCY, 0],
            mu: vec![0.0, mu],
            partner: Vec::new(),
        };
        for (name, settings) in FORMS {
            let mut x = vec![0.0; 2];
            let report = form(settings).solve(&problem.view(), &mut x).unwrap();
            assert_eq!(report.status, LcpStatus::Converged, "{name}");
            assert!(x.iter().zip(want).all(|(x, want)| (x - want).abs() < 1e-9), "{name} {b:?}: {x:?} {want:?}");
        }
    }
}
