use drystone_core::{GroupAnswer, GroupProblem, PositionCorrector, SolveReport};
use drystone_math::Real;

/// A corrector whose displacements are paid for: energy gained by lifting is taken from the motion along them, energy from lowering goes into it.
///
/// It only declares this ([`PositionCorrector::keeps_energy`]); the kernel, which knows the weights, carries it out.
///
/// # Source
/// P-08, thesis sections 4.12 and 4.12.1, which leave open how projection could keep the energy of a system. In general it is impossible both to keep it and to
/// end the overlap: a body at rest in the floor gains its weight times its depth by any way out. One of the two has to be given up, and `in_full` says which.
pub struct EnergyKeeping {
    corrector: Box<dyn PositionCorrector>,
    in_full: bool,
}

impl EnergyKeeping {
    /// Around any corrector; with `in_full`, displacements that the motion cannot pay for are shortened.
    pub fn new(corrector: Box<dyn PositionCorrector>, in_full: bool) -> Self {
        Self { corrector, in_full }
    }
}

impl PositionCorrector for EnergyKeeping {
    fn name(&self) -> &'static str {
        self.corrector.name()
    }

    fn correct(&mut self, problem: &GroupProblem, answer: &mut GroupAnswer) -> SolveReport {
        self.corrector.correct(problem, answer)
    }

    fn slop(&self) -> Real {
        self.corrector.slop()
    }

    fn keeps_energy(&self) -> bool {
        true
    }

    fn pays_in_full(&self) -> bool {
        self.in_full
    }

    fn fork(&self) -> Box<dyn PositionCorrector> {
        Box::new(Self { corrector: self.corrector.fork(), in_full: self.in_full })
    }
}
