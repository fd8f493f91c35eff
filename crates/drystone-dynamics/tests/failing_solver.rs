//! A group never goes without contact forces: if the chosen solver returns nothing usable, Gauss-Seidel takes over.

use drystone_dynamics::{RowParameters, VelocityLevel};
use drystone_lcp::{LcpError, LcpReport, LcpSolver, LcpStatus, ProblemView};
use drystone_testkit::problem::{Group, block_on_floor};

/// Ends with the given status and impulses.
#[derive(Debug, Clone)]
struct Broken {
    status: LcpStatus,
    x: f64,
    residual: f64,
}

impl LcpSolver for Broken {
    fn name(&self) -> &'static str {
        "broken"
    }
    fn solve(&mut self, _problem: &ProblemView<'_>, x: &mut [f64]) -> Result<LcpReport, LcpError> {
        x.fill(self.x);
        Ok(LcpReport { status: self.status, iterations: 1, residual: Some(self.residual), change: 0.0 })
    }
    fn accumulator(&self) -> &[f64] {
        &[]
    }
    fn set(&mut self, parameter: &str, _value: f64) -> Result<(), LcpError> {
        Err(LcpError::UnknownParameter { solver: "broken", parameter: parameter.to_owned() })
    }
    fn fork(&self) -> Box<dyn LcpSolver> {
        Box::new(self.clone())
    }
}

#[test]
fn the_block_is_carried_whatever_the_solver_does() {
    for broken in [
        Broken { status: LcpStatus::Ray, x: 0.0, residual: 0.0981 },
        Broken { status: LcpStatus::Failed, x: 0.0, residual: 0.0981 },
        Broken { status: LcpStatus::IterationLimit, x: 1e6, residual: 1e6 },
        Broken { status: LcpStatus::Stagnated, x: f64::NAN, residual: 0.0 },
    ] {
        let mut problem = Group::from(block_on_floor(10.0, 0.01));
        let mut solver = VelocityLevel::boxed(RowParameters::default(), Box::new(broken.clone()), None);
        let report = problem.solve(&mut solver, 0.01, 0.01);
        assert_eq!(report.fallbacks, 1, "{broken:?}");
        let carried: f64 = problem.answer.contacts.iter().map(|c| c.normal).sum();
        assert!((carried - 10.0 * 9.81 * 0.01).abs() < 1e-6, "{broken:?}: carries {carried} N s");
        assert!(problem.answer.velocity[1].linear.length() < 1e-6, "{broken:?}");
    }
}
