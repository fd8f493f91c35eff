use drystone_core::{GroupAnswer, GroupProblem, PositionCorrector, SolveReport};
use drystone_math::Real;

/// A corrector whose ways are paid for: what they lift comes out of the motion along them, what they lower goes into it.
///
/// It only says so ([`PositionCorrector::keeps_energy`]); the kernel, which knows the weights, does it.
///
/// # Source
/// P-08, thesis sections 4.12 and 4.12.1, which leave open how projection could keep the energy of a system.
pub struct EnergyKeeping(Box<dyn PositionCorrector>);

impl EnergyKeeping {
    /// Around any corrector.
    pub fn new(corrector: Box<dyn PositionCorrector>) -> Self {
        Self(corrector)
    }
}

impl PositionCorrector for EnergyKeeping {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn correct(&mut self, problem: &GroupProblem, answer: &mut GroupAnswer) -> SolveReport {
        self.0.correct(problem, answer)
    }

    fn slop(&self) -> Real {
        self.0.slop()
    }

    fn keeps_energy(&self) -> bool {
        true
    }

    fn fork(&self) -> Box<dyn PositionCorrector> {
        Box::new(Self(self.0.fork()))
    }
}
