use crate::{
    ContactSweeps, SWEEPS_DESCRIPTION, SweepParameters, VelocityComplementarity, VelocityParameters, parameters,
};
use drystone_core::ConstraintSolver;
use drystone_core::catalogue::{Implementation, Settings};
use drystone_lcp::LcpSolver;

/// The constraint solvers of this crate.
pub const IMPLEMENTATIONS: &[Implementation] = &[parameters::DESCRIPTION, SWEEPS_DESCRIPTION];

/// The complementarity solver behind a constraint solver: what stands in a scene's `lcp` table.
pub struct Complementarity {
    /// The solver.
    pub solver: Box<dyn LcpSolver>,
    /// Whether the multipliers of the last solve are its start value.
    pub warm_start: bool,
    /// Where the solver is plain projected Gauss-Seidel: its sweeps, and whether the residual is measured.
    pub plain_sweeps: Option<(usize, bool)>,
}

/// The constraint solver of that name, with checked settings of its description. Those that pose no complementarity problem leave `lcp` unused.
pub fn by_name(name: &str, settings: &Settings, lcp: Complementarity) -> Option<Box<dyn ConstraintSolver>> {
    match name {
        "velocity-complementarity" => {
            let parameters = VelocityParameters::from_settings(settings, lcp.warm_start);
            let made = VelocityComplementarity::new(parameters, lcp.solver);
            Some(Box::new(match lcp.plain_sweeps {
                Some((iterations, measure)) => made.with_plain_sweeps(iterations, measure),
                None => made,
            }))
        }
        "contact-sweeps" => {
            let parameters = SweepParameters::from_settings(settings, lcp.warm_start);
            Some(Box::new(ContactSweeps::new(parameters, lcp.solver)))
        }
        _ => None,
    }
}
