//! Linear and quadratic programs: an optimum, a proof that there is none, and contact forces.
use drystone_lcp::{DenseOperator, LcpError, LinearProgram, QuadraticProgram, Relation, Simplex};

fn main() -> Result<(), LcpError> {
    // Maximise 5 x + 4 y + 3 z: Chvatal's first example.
    let program = LinearProgram::new(vec![-5.0, -4.0, -3.0])
        .with([2.0, 3.0, 1.0], Relation::AtMost, 5.0)
        .with([4.0, 1.0, 2.0], Relation::AtMost, 11.0)
        .with([3.0, 4.0, 2.0], Relation::AtMost, 8.0);
    let report = Simplex::default().solve(&program)?;
    println!("{:?}: {:?}, objective {}", report.status, report.x, report.objective);

    // One constraint too many; the multipliers prove it.
    let report = Simplex::default().solve(&program.with([1.0, 1.0, 1.0], Relation::AtLeast, 9.0))?;
    println!("{:?}: y = {:?}", report.status, report.multipliers);

    // Two contacts under one body: the forces of least energy that keep it up.
    let a = DenseOperator::from_rows([[2.0, 1.0], [1.0, 2.0]]);
    let linear = LinearProgram::new(vec![-9.81, -9.81]);
    let report = QuadraticProgram { quadratic: a, linear }.solve()?;
    println!("{:?}: f = {:?}", report.status, report.x);
    Ok(())
}

#[test]
fn it_runs() {
    main().unwrap();
}
