use super::{Spread, phases};
use drystone_core::PhaseTimes;
use schemars::JsonSchema;
use serde::Serialize;

/// The figures of a run, in the order they are printed.
///
/// Times are in milliseconds where their key says so, else in seconds; lengths in metres, energies in joules.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Figures {
    /// The scene's name.
    pub scene: String,
    /// The preset.
    pub paradigm: String,
    /// Steps taken.
    pub steps: u64,
    /// Simulated time (s).
    pub time: f64,
    /// Number of bodies, fixed ones included.
    pub bodies: usize,
    /// Seed of whatever is random.
    pub seed: u64,
    /// Threads used.
    pub threads: usize,
    /// Version of the engine.
    pub version: String,
    /// Warnings: oddities of the scene, and features that were left out.
    pub warnings: Vec<String>,
    /// Wall time of all steps (s).
    pub wall_seconds: f64,
    /// Wall time per step (ms).
    pub step_ms: Spread,
    /// Wall time per step in which some dynamic body was awake at the beginning (ms); all zero where there was no such step.
    pub awake_ms: Spread,
    /// Fraction of the steps in which all dynamic bodies were asleep at the beginning.
    pub asleep_share: f64,
    /// Mean wall time of each module per step (ms).
    #[serde(serialize_with = "phases::serialize")]
    #[schemars(schema_with = "phases::schema")]
    pub phase_ms: PhaseTimes,
    /// Mean time per step that goes into copying groups out of the world and results back into it (ms); part of the two solvers' times.
    pub gather_scatter_ms: f64,
    /// Contact points.
    pub contacts: ContactFigures,
    /// Contact groups.
    pub groups: GroupFigures,
    /// Depth of the deepest contact (m).
    pub penetration: PenetrationFigures,
    /// Largest errors of joints over all steps.
    pub joint_error: JointErrorFigures,
    /// Energies (J).
    pub energy: EnergyFigures,
    /// Momenta of the dynamic bodies about the world's origin.
    pub momentum: MomentumFigures,
    /// Complementarity problems.
    pub lcp: LcpFigures,
    /// Bodies asleep at the end.
    pub sleeping_final: usize,
    /// Contact events.
    pub events: EventFigures,
    /// Pairs of which one went through the other unseen.
    pub tunnelled: u64,
    /// Rollbacks by the time control.
    pub rollbacks: RollbackFigures,
    /// Use of the budget, if the scene has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<BudgetFigures>,
    /// Sixteen hexadecimal digits over the final states.
    pub state_hash: String,
    /// The final states, in file order.
    #[serde(rename = "final")]
    pub final_states: Vec<FinalBody>,
    /// The joints, in file order.
    pub joints: Vec<FinalJoint>,
}

/// Use of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, JsonSchema)]
pub struct BudgetFigures {
    /// Time steps of the scene.
    pub frames: u64,
    /// Those that cost more than they might.
    pub over: u64,
    /// Fewest steps that one was cut into.
    pub fewest_steps: u32,
    /// Most steps that one was cut into.
    pub most_steps: u32,
    /// Fewest iterations that solves were left; `None` where all had those of their settings.
    pub fewest_iterations: Option<u32>,
}

impl BudgetFigures {
    /// Notes a time step: how many it was cut into, the iterations that solves were left, and whether it was within the budget.
    pub fn note(&mut self, steps: u32, iterations: Option<u32>, within: bool) {
        self.fewest_steps = if self.frames == 0 { steps } else { self.fewest_steps.min(steps) };
        self.most_steps = self.most_steps.max(steps);
        self.fewest_iterations = iterations.into_iter().chain(self.fewest_iterations).min();
        self.over += u64::from(!within);
        self.frames += 1;
    }
}

/// Rollbacks by the time control.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, JsonSchema)]
pub struct RollbackFigures {
    /// Times that a state, of all bodies or of a group, was taken back.
    pub count: u64,
    /// Most in a step.
    pub max: u64,
    /// Violations that no smaller step cures: motion along a concave boundary.
    pub concave: u64,
}

/// Contact points after each step.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, JsonSchema)]
pub struct ContactFigures {
    /// Least.
    pub min: u64,
    /// Mean.
    pub mean: f64,
    /// Most.
    pub max: u64,
}

/// Contact groups after each step.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, JsonSchema)]
pub struct GroupFigures {
    /// Mean.
    pub mean: f64,
    /// Most.
    pub max: u64,
}

/// Depth of the deepest contact (m).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, JsonSchema)]
pub struct PenetrationFigures {
    /// Over all detections of steps, recorded frames, and that at the end.
    pub max: f64,
    /// After one more detection at the end.
    #[serde(rename = "final")]
    pub final_depth: f64,
}

/// Largest errors of joints over all steps.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, JsonSchema)]
pub struct JointErrorFigures {
    /// Gap (m).
    pub max_linear: f64,
    /// Misalignment (rad).
    pub max_angular: f64,
}

/// Kinetic and potential energy together (J).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, JsonSchema)]
pub struct EnergyFigures {
    /// At the start.
    pub initial: f64,
    /// At the end.
    #[serde(rename = "final")]
    pub final_total: f64,
    /// The largest of all steps.
    pub max: f64,
    /// The kinetic part at the end.
    pub kinetic_final: f64,
    /// Potential energy that projections of positions put in, over all steps, less what motion paid for; below zero where they took some.
    pub projected: f64,
}

/// Momenta of the dynamic bodies about the world's origin.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, JsonSchema)]
pub struct MomentumFigures {
    /// Linear, at the start (kg m/s).
    pub linear_initial: [f64; 3],
    /// Linear, at the end (kg m/s).
    pub linear_final: [f64; 3],
    /// Angular, at the start (kg m^2/s).
    pub angular_initial: [f64; 3],
    /// Angular, at the end (kg m^2/s).
    pub angular_final: [f64; 3],
}

/// The complementarity problems of a run.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, JsonSchema)]
pub struct LcpFigures {
    /// Problems solved.
    pub solves: u64,
    /// Mean iterations per problem.
    pub iterations_mean: f64,
    /// Mean residual over the problems where one was measured; none where that was turned off.
    pub residual_mean: Option<f64>,
    /// Largest residual that was measured.
    pub residual_max: Option<f64>,
    /// Mean over the steps of the largest residual of each, relative to what gravity makes of a speed in it; none where none was measured.
    pub relative_residual_mean: Option<f64>,
    /// Largest residual of a step relative to what gravity makes of a speed in it; none where none was measured.
    pub relative_residual_max: Option<f64>,
    /// Steps whose relative residual was at most 0.01.
    pub steps_converged: u64,
    /// Steps whose relative residual was above that.
    pub steps_not_converged: u64,
    /// Most variables of one problem.
    pub variables_max: u64,
    /// Problems for which the chosen solver gave nothing usable (a ray, a breakdown, too large for it) and Gauss-Seidel stood in.
    pub fallbacks: u64,
    /// Sub-steps whose problem, posed again and again until its answer no longer changes, still changed at the limit of iterations: the last answer was taken.
    pub unsettled: u64,
    /// Problems of accelerations without a solution (Painlevé): impulses held the bodies, without a collision.
    pub inconsistent: u64,
    /// Bodies between scripted bodies and walls whose velocities were bounded, summed over steps: the scripts asked for the impossible, and yielded.
    pub jammed: u64,
    /// Guesses of the contacts that vanish, under solvers that guess.
    pub guesses: GuessFigures,
}

/// Success of guesses of the contacts that vanish (Baraff 1989).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, JsonSchema)]
pub struct GuessFigures {
    /// Problems in which none vanished.
    pub none_vanish: u64,
    /// Problems in which those vanished that the least sum of forces predicted.
    pub predicted: u64,
    /// Problems in which neither was right.
    pub wrong: u64,
    /// Problems of which a limit, or rounding, left open whether a guess was right.
    pub undecided: u64,
    /// Energy that forces put into the bodies where both were wrong, over the steps of all solves (J).
    pub energy: f64,
}

/// Contact events.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, JsonSchema)]
pub struct EventFigures {
    /// Pairs that came to touch.
    pub new_touching: u64,
    /// Pairs that ceased to touch.
    pub vanishing_touching: u64,
}

/// A joint at the end of a run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FinalJoint {
    /// Its name; empty where it has none.
    pub name: String,
    /// Mean force of the last step on its second body, world frame (N).
    pub force: [f64; 3],
    /// Torque of the last step on its second body about `point` (N m).
    pub torque: [f64; 3],
    /// The joint's anchor (m).
    pub point: [f64; 3],
    /// True if it has broken; force and torque are then those that broke it.
    pub broken: bool,
}

/// A body at the end of a run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FinalBody {
    /// Its name.
    pub name: String,
    /// Origin of the body frame (m).
    pub position: [f64; 3],
    /// Orientation `(x, y, z, w)`.
    pub orientation: [f64; 4],
    /// Velocity of the centre of mass (m/s).
    pub linear_velocity: [f64; 3],
    /// Angular velocity, world frame (rad/s).
    pub angular_velocity: [f64; 3],
    /// True if it is asleep.
    pub sleeping: bool,
}
