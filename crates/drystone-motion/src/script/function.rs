use drystone_core::{ScriptedMotion, ScriptedState};
use drystone_math::Real;

/// Any function of time as a script: polynomials, recorded data, a hand that is followed (M-02).
pub struct FunctionOfTime<F>(pub F);

impl<F: Fn(Real) -> ScriptedState + Send + Sync> ScriptedMotion for FunctionOfTime<F> {
    fn evaluate(&self, t: Real) -> ScriptedState {
        (self.0)(t)
    }
}
