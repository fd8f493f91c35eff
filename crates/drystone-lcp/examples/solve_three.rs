//! A 3 x 3 LCP, solved by a sweep method and by Lemke's.
use drystone_lcp::{BoxedProblem, DenseOperator, LcpError, LcpSolver, Lemke, ProjectedGaussSeidel};

fn main() -> Result<(), LcpError> {
    let a = DenseOperator::from_rows([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]]);
    let problem = BoxedProblem::lcp(a, vec![-1.0, 2.0, -1.0]);
    problem.view().validate()?;

    let solvers: [Box<dyn LcpSolver>; 2] =
        [Box::new(ProjectedGaussSeidel { iterations: 50, ..Default::default() }), Box::new(Lemke::default())];
    for mut solver in solvers {
        let mut x = [0.0; 3];
        let report = solver.solve(&problem.view(), &mut x)?;
        println!("{:24} x = {x:?}", solver.name());
        println!("{:24} {:?}", "", report);
    }
    Ok(())
}

#[test]
fn it_runs() {
    main().unwrap();
}
