use drystone_lcp::{
    LcpError, LcpReport, LcpSolver, LcpStatus, ParameterInfo, ParameterRange, ProblemKind, ProblemView,
    ResidualWorkspace, SolverInfo, check_start, natural_residual, quarantine,
};

/// Projected Jacobi with under-relaxation: every row from the same old values, by a fraction of its step.
#[derive(Debug, Clone)]
pub struct DampedJacobi {
    /// Sweeps at most.
    pub iterations: usize,
    /// Fraction of the step.
    pub damping: f64,
    w: Vec<f64>,
    accumulator: Vec<f64>,
}

impl Default for DampedJacobi {
    fn default() -> Self {
        Self { iterations: 20_000, damping: 0.2, w: Vec::new(), accumulator: Vec::new() }
    }
}

impl DampedJacobi {
    /// How it is listed.
    pub const INFO: SolverInfo = SolverInfo {
        name: "damped-jacobi",
        kinds: &[ProblemKind::Lcp, ProblemKind::Boxed],
        parameters: &[
            ParameterInfo {
                name: "iterations",
                default: 20_000.0,
                range: ParameterRange::COUNT,
                meaning: "sweeps at most",
            },
            ParameterInfo {
                name: "damping",
                default: 0.2,
                range: ParameterRange::Fraction,
                meaning: "fraction of the step",
            },
        ],
        method: "x_i <- clamp(x_i - damping w_i / A_ii), old values",
        source: "this example",
        cost: "one product a sweep",
        fails: "diverges where the damping is large for the coupling",
    };
}

impl LcpSolver for DampedJacobi {
    fn name(&self) -> &'static str {
        Self::INFO.name
    }

    fn solve(&mut self, problem: &ProblemView<'_>, x: &mut [f64]) -> Result<LcpReport, LcpError> {
        check_start(problem, x)?;
        let operator = problem.operator;
        self.w.resize(x.len(), 0.0);
        self.accumulator.resize(operator.accumulator_len(), 0.0);
        let mut change = f64::INFINITY;
        let mut iterations = 0;
        while iterations < self.iterations && change > 1e-15 {
            operator.apply(x, &mut self.accumulator, &mut self.w);
            change = 0.0;
            let old = x.to_vec();
            for i in 0..x.len() {
                let diagonal = operator.diagonal(i);
                if diagonal > 0.0 {
                    let (lo, hi) = problem.bounds(i, &old);
                    let next = (old[i] - self.damping * (self.w[i] + problem.b[i]) / diagonal).clamp(lo, hi);
                    change = f64::max(change, (next - old[i]).abs());
                    x[i] = next;
                }
            }
            iterations += 1;
        }
        let broken = quarantine(problem, x);
        // the accumulator is that of the answer
        operator.apply(x, &mut self.accumulator, &mut self.w);
        let residual = natural_residual(problem, x, &mut ResidualWorkspace::default());
        let status = match (broken, residual <= 1e-8) {
            (true, _) => LcpStatus::Failed,
            (false, true) => LcpStatus::Converged,
            (false, false) => LcpStatus::IterationLimit,
        };
        Ok(LcpReport { status, iterations, residual: Some(residual), change })
    }

    fn accumulator(&self) -> &[f64] {
        &self.accumulator
    }

    fn set(&mut self, parameter: &str, value: f64) -> Result<(), LcpError> {
        match parameter {
            "iterations" => self.iterations = value as usize,
            "damping" => self.damping = value,
            _ => {
                return Err(LcpError::UnknownParameter { solver: self.name(), parameter: parameter.to_owned() });
            }
        }
        Ok(())
    }

    fn fork(&self) -> Box<dyn LcpSolver> {
        Box::new(Self { w: Vec::new(), accumulator: Vec::new(), ..self.clone() })
    }
}
