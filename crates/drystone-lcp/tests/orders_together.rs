//! Settings for the order of a sweep: each has its effect together with any other one
//! that is accepted, and settings that exclude each other are refused.
use drystone_lcp::{BoxedProblem, DenseOperator, LcpError, LcpOperator, LcpSolver, Operator, solver_by_name};
use std::sync::{Arc, Mutex};

const ROWS: usize = 12;
const SWEEPS: usize = 6;

/// A chain, with each row coupled to its neighbours, that records which rows are visited.
#[derive(Debug)]
struct Watched {
    a: DenseOperator,
    visits: Arc<Mutex<Vec<usize>>>,
}

impl LcpOperator for Watched {
    fn rows(&self) -> usize {
        ROWS
    }

    fn diagonal(&self, i: usize) -> f64 {
        self.a.get(i, i)
    }

    fn row_dot(&self, i: usize, x: &[f64], _acc: &[f64]) -> f64 {
        self.visits.lock().unwrap().push(i);
        self.a.row(i).iter().zip(x).map(|(a, x)| a * x).sum()
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        self.a.get(i, j)
    }
}

fn solver(name: &str, settings: &[(&str, f64)]) -> Box<dyn LcpSolver> {
    let mut solver = solver_by_name(name).unwrap();
    solver.set("iterations", SWEEPS as f64).unwrap();
    // no measuring: it would visit rows as well
    solver.set("measure", 0.0).unwrap();
    for (key, value) in settings {
        solver.set(key, *value).unwrap();
    }
    solver
}

/// The rows in the order in which the sweeps visit them.
fn visits(name: &str, settings: &[(&str, f64)]) -> Result<Vec<usize>, LcpError> {
    let mut a = DenseOperator::zeros(ROWS);
    for i in 0..ROWS {
        a.set(i, i, 2.0);
        if i > 0 {
            a.set(i, i - 1, -1.0);
            a.set(i - 1, i, -1.0);
        }
    }
    let visits = Arc::new(Mutex::new(Vec::new()));
    let operator = Operator::Custom(Box::new(Watched { a, visits: visits.clone() }));
    let problem = BoxedProblem::lcp(operator, (0..ROWS).map(|i| (i as f64).sin() - 0.5).collect());
    let solved = solver(name, settings).solve(&problem.view(), &mut [0.0; ROWS]);
    solved.map(|_| visits.lock().unwrap().clone())
}

/// The number of runs of mutually uncoupled rows in a sweep.
fn runs(sweep: &[usize]) -> usize {
    let mut runs: Vec<Vec<usize>> = vec![Vec::new()];
    for &row in sweep {
        if runs[runs.len() - 1].iter().any(|other| other.abs_diff(row) == 1) {
            runs.push(Vec::new());
        }
        runs.last_mut().unwrap().push(row);
    }
    runs.len()
}

#[test]
fn random_orders_and_colours_both_act() {
    let every = ("permute_every", 3.0);
    let [stand, random] = [&[][..], &[every]].map(|set| visits("projected-gauss-seidel", set).unwrap());
    let [coloured, both] = [&[][..], &[every]].map(|set| visits("coloured-gauss-seidel", set).unwrap());
    let all = [&stand, &random, &coloured, &both];
    for (i, one) in all.iter().enumerate() {
        assert_eq!(one.len(), SWEEPS * ROWS);
        assert!(all[..i].iter().all(|other| other != one), "{i} is visited as another: {one:?}");
    }
    // colours: a chain coloured from its end has two, from anywhere else at most three
    let most = |visits: &[usize]| visits.chunks(ROWS).map(runs).max().unwrap();
    assert_eq!((most(&stand), most(&coloured)), (ROWS, 2));
    assert!(most(&both) <= 3 && most(&random) > 3, "{both:?}, {random:?}");
    // random orders: three sweeps share an order, the fourth has a new one
    for visits in [&random, &both] {
        let sweeps: Vec<&[usize]> = visits.chunks(ROWS).collect();
        assert!(sweeps[0] == sweeps[1] && sweeps[1] == sweeps[2] && sweeps[2] != sweeps[3], "{sweeps:?}");
    }
    // a solver of another name, with settings of the same effect, does the same
    assert_eq!(visits("projected-gauss-seidel", &[("order_by_colour", 1.0), every]).unwrap(), both);
}

#[test]
fn a_seed_is_that_of_the_random_orders() {
    let by = |set: &[(&str, f64)]| visits("projected-gauss-seidel", set).unwrap();
    let (every, seed) = (("permute_every", 3.0), ("seed", 5.0));
    assert_ne!(by(&[every, seed]), by(&[every]));
    assert_eq!(by(&[seed, every]), by(&[every, seed]));
    assert_eq!(by(&[seed]), by(&[]));
}

/// Order by error acts in each direction; from the last row to the first, what changed least comes
/// first. (Once, backward sweeps recorded no errors, and the order never changed.)
#[test]
fn an_order_by_error_acts_in_each_direction() {
    for sweep in [0.0, 1.0, 2.0].map(|direction| ("sweep", direction)) {
        let [alone, by_error] =
            [&[sweep][..], &[sweep, ("order_by_error", 1.0)]].map(|set| visits("projected-gauss-seidel", set).unwrap());
        let first = alone.len() / SWEEPS;
        assert_eq!(alone[..first], by_error[..first], "the first sweep has no errors to go by");
        assert_ne!(alone, by_error, "{sweep:?}");
    }
}

#[test]
fn orders_that_exclude_each_other_are_refused_by_name() {
    let (every, by_error, by_colour) = ("permute_every", "order_by_error", "order_by_colour");
    let refused = [
        ("projected-gauss-seidel", &[(every, 3.0), (by_error, 1.0)][..], every),
        ("projected-gauss-seidel", &[(by_error, 1.0), (every, 3.0)], every),
        ("projected-sor", &[(by_error, 1.0), (by_colour, 1.0)], by_colour),
        ("random-order-gauss-seidel", &[(by_error, 1.0)], every),
        ("error-order-gauss-seidel", &[(every, 3.0)], every),
        ("coloured-gauss-seidel", &[(by_error, 1.0)], by_colour),
    ];
    for (name, settings, other) in refused {
        let found = solver(name, settings).check_parameters().unwrap_err();
        assert!(matches!(found, LcpError::Exclusive { parameters, .. } if parameters == [by_error, other]), "{found}");
        assert!(found.to_string().contains(by_error) && found.to_string().contains(other), "{found}");
        assert_eq!(visits(name, settings).unwrap_err(), found);
    }
    // if one of the two is switched off, the other acts as it does alone
    let by = |name: &str, set: &[(&str, f64)]| visits(name, set).unwrap();
    let random = by("projected-gauss-seidel", &[(every, 7.0)]);
    assert_eq!(by("random-order-gauss-seidel", &[(by_error, 0.0)]), random);
    assert_eq!(by("error-order-gauss-seidel", &[(every, 7.0), (by_error, 0.0)]), random);
    let errors = by("error-order-gauss-seidel", &[]);
    assert_eq!(by("random-order-gauss-seidel", &[(by_error, 1.0), (every, 0.0)]), errors);
    assert_eq!(by("coloured-gauss-seidel", &[(by_error, 1.0), (by_colour, 0.0)]), errors);
    assert!(errors != random && errors != by("projected-gauss-seidel", &[]));
}
