//! [`LcpSolver`](crate::LcpSolver) for iterative methods, which leave sweeps that alternate ([`crate::splitting::probe`]).

/// For a solver with a `tolerance`, a `measure`, a `memory`, and `run(op, problem, x)` that begins with
/// [`SolverMemory::begin_best`](crate::SolverMemory::begin_best); and the check of its operator, if it makes a dense matrix.
macro_rules! best_methods {
    ($solver:ty $(, $check:path)?) => {
        $crate::methods::run_methods!($solver, finish_residual, false, |memory, x| x.copy_from_slice(&memory.best.x) $(, $check)?);
    };
}
pub(crate) use best_methods;

/// The same for sweeps, which begin with [`SolverMemory::begin`](crate::SolverMemory::begin) and support discs.
macro_rules! sweep_methods {
    ($solver:ty) => {
        $crate::methods::run_methods!($solver, finish_sweeps, true, |memory, x| {});
    };
}
pub(crate) use sweep_methods;

/// Body shared by [`best_methods`] and [`sweep_methods`]: `finish` ends a run, `discs` says if rows may share a disc, and the closure takes the answer of a run.
macro_rules! run_methods {
    ($solver:ty, $finish:ident, $discs:literal, |$memory:ident, $x:ident| $take:expr $(, $check:path)?) => {
        impl $crate::LcpSolver for $solver {
            fn solve(
                &mut self,
                problem: &$crate::ProblemView<'_>,
                $x: &mut [f64],
            ) -> Result<$crate::LcpReport, $crate::LcpError> {
                $crate::solver::check_start(problem, $x)?;
                $($check(&problem.operator)?;)?
                let report = $crate::operator::with_operator!(problem.operator, op => self.run(op, problem, $x));
                let $memory = &mut self.memory;
                $take;
                $crate::splitting::probe::leave_alternation($memory, problem, $x, report);
                Ok($memory.$finish(problem, $x, self.measure, self.tolerance, report))
            }

            fn takes_discs(&self) -> bool {
                $discs
            }

            $crate::solver::memory_methods!(NAME);
        }
    };
}
pub(crate) use run_methods;
