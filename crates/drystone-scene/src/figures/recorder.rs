use super::open_joints::OpenJoints;
use super::{
    ContactFigures, EnergyFigures, EventFigures, Figures, FinalBody, FinalJoint, GroupFigures, GuessFigures,
    JointErrorFigures, LcpFigures, MomentumFigures, PenetrationFigures, PhaseTimes, RollbackFigures, RunEnd, Spread,
    state_hash,
};
use drystone_core::{
    BodyIndex, Configuration, ContactGraph, Energy, EventCounts, Guesses, LcpSummary, Momentum, State, TimeReport,
};

/// Data of a run that are known before it starts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunInfo {
    /// The scene's name.
    pub scene: String,
    /// The preset.
    pub paradigm: String,
    /// Seed of whatever is random.
    pub seed: u64,
    /// Threads used.
    pub threads: usize,
    /// Version of the engine.
    pub version: String,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// Record of one step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepRecord {
    /// Wall time (s).
    pub seconds: f64,
    /// Report of the time control.
    pub report: TimeReport,
    /// Contact events of the step.
    pub events: EventCounts,
    /// The largest residual relative to what gravity makes of a speed in the step, if one was measured.
    pub residual: Option<f64>,
    /// True if that counts as converged.
    pub converged: Option<bool>,
}

/// Gathers the figures of a run.
#[derive(Debug, Clone)]
pub struct FigureRecorder {
    info: RunInfo,
    milliseconds: Vec<f64>,
    /// The same of steps that began with some body awake.
    awake: Vec<f64>,
    /// True if the next step begins with all bodies asleep.
    is_asleep: bool,
    contacts: [u64; 3],
    groups: [u64; 2],
    penetration: f64,
    joint_error: JointErrorFigures,
    open_joints: OpenJoints,
    energy: EnergyFigures,
    momentum: MomentumFigures,
    lcp: LcpSummary,
    fallbacks: u64,
    unsettled: u64,
    inconsistent: u64,
    jammed: u64,
    guesses: Guesses,
    residual: Option<f64>,
    /// Sum of the relative residuals of the steps in which one was measured.
    residual_sum: f64,
    /// Steps that did not converge, and that did.
    converged: [u64; 2],
    events: EventFigures,
    tunnelled: u64,
    rollbacks: RollbackFigures,
}

impl FigureRecorder {
    /// Starts from the initial state; `steps` is how many are expected, so that recording them allocates nothing.
    pub fn new(info: RunInfo, configuration: &Configuration, state: &State, steps: usize) -> Self {
        /// Room for steps that is made at once.
        const MOST_ROOM: usize = 1 << 20;
        let initial = Energy::of(configuration, state).total();
        let momentum = Momentum::of(configuration, state);
        let error = configuration.largest_joint_error(state);
        Self {
            info,
            milliseconds: Vec::with_capacity(steps.min(MOST_ROOM)),
            awake: Vec::with_capacity(steps.min(MOST_ROOM)),
            is_asleep: is_asleep(configuration, state),
            contacts: [u64::MAX, 0, 0],
            groups: [0, 0],
            penetration: 0.0,
            joint_error: JointErrorFigures { max_linear: error.linear, max_angular: error.angular },
            open_joints: OpenJoints::new(configuration, state),
            energy: EnergyFigures { initial, max: initial, ..EnergyFigures::default() },
            momentum: MomentumFigures {
                linear_initial: momentum.linear.to_array(),
                angular_initial: momentum.angular.to_array(),
                ..MomentumFigures::default()
            },
            lcp: LcpSummary::default(),
            fallbacks: 0,
            unsettled: 0,
            inconsistent: 0,
            jammed: 0,
            guesses: Guesses::default(),
            residual: None,
            residual_sum: 0.0,
            converged: [0; 2],
            events: EventFigures::default(),
            tunnelled: 0,
            rollbacks: RollbackFigures::default(),
        }
    }

    /// Takes in a step, the state after it, and the contacts of the step.
    pub fn step(&mut self, step: &StepRecord, configuration: &Configuration, state: &State, graph: &ContactGraph) {
        let report = &step.report;
        self.milliseconds.push(step.seconds * 1e3);
        if !self.is_asleep {
            self.awake.push(step.seconds * 1e3);
        }
        self.is_asleep = is_asleep(configuration, state);
        let [least, sum, most] = &mut self.contacts;
        *least = report.contacts.min(*least);
        *sum += report.contacts;
        *most = report.contacts.max(*most);
        self.groups[0] += report.groups;
        self.groups[1] = self.groups[1].max(report.groups);
        self.penetration = self.penetration.max(report.penetration);
        self.lcp.merge(&report.solve.lcp);
        self.lcp.merge(&report.correction.lcp);
        self.fallbacks += report.solve.fallbacks + report.correction.fallbacks;
        self.unsettled += report.unsettled;
        self.inconsistent += report.solve.inconsistent;
        self.jammed += report.solve.jammed + report.correction.jammed;
        self.guesses.merge(&report.solve.guesses);
        if let (Some(residual), Some(converged)) = (step.residual, step.converged) {
            self.residual = Some(self.residual.map_or(residual, |r| r.max(residual)));
            self.residual_sum += residual;
            self.converged[usize::from(converged)] += 1;
        }
        self.tunnelled += report.tunnelled;
        self.rollbacks.count += report.rollbacks;
        self.rollbacks.max = self.rollbacks.max.max(report.rollbacks);
        self.rollbacks.concave += report.concave;
        self.events.new_touching += step.events.new_touching;
        self.events.vanishing_touching += step.events.vanishing_touching;
        let error = configuration.largest_joint_error(state);
        self.joint_error.max_linear = self.joint_error.max_linear.max(error.linear);
        self.joint_error.max_angular = self.joint_error.max_angular.max(error.angular);
        self.open_joints.step(configuration, state, graph);
        self.energy.projected += report.correction.lifted - report.correction.paid;
        self.energy.max = self.energy.max.max(Energy::of(configuration, state).total());
    }

    /// Takes in how deep bodies are in each other in a frame that is recorded (m).
    pub fn frame(&mut self, penetration: f64) {
        self.penetration = self.penetration.max(penetration);
    }

    /// The complementarity problems so far.
    fn lcp_figures(&self) -> LcpFigures {
        let Guesses { none_vanish, predicted, wrong, undecided, energy: gained } = self.guesses;
        LcpFigures {
            solves: self.lcp.solves,
            iterations_mean: self.lcp.iterations as f64 / self.lcp.solves.max(1) as f64,
            residual_mean: self.lcp.mean_residual(),
            residual_max: self.lcp.largest_residual(),
            relative_residual_mean: self
                .residual
                .map(|_| self.residual_sum / self.converged.iter().sum::<u64>() as f64),
            relative_residual_max: self.residual,
            steps_converged: self.converged[1],
            steps_not_converged: self.converged[0],
            variables_max: self.lcp.variables_max,
            fallbacks: self.fallbacks,
            unsettled: self.unsettled,
            inconsistent: self.inconsistent,
            jammed: self.jammed,
            guesses: GuessFigures { none_vanish, predicted, wrong, undecided, energy: gained },
        }
    }

    /// The figures. `penetration` is what one more detection at the end found (m), `phases` the wall time of each
    /// module over all steps (s).
    pub fn finish(mut self, end: &RunEnd<'_>, penetration: f64, phases: &PhaseTimes) -> Figures {
        let RunEnd { configuration, state, .. } = *end;
        let steps = self.milliseconds.len();
        let mean = |sum: f64| if steps == 0 { 0.0 } else { sum / steps as f64 };
        // an empty sum is minus zero
        let wall = self.milliseconds.iter().sum::<f64>() / 1e3 + 0.0;
        let energy = Energy::of(configuration, state);
        let momentum = Momentum::of(configuration, state);
        self.energy.kinetic_final = energy.kinetic;
        self.energy.final_total = energy.total();
        self.momentum.linear_final = momentum.linear.to_array();
        self.momentum.angular_final = momentum.angular.to_array();
        let lcp = self.lcp_figures();
        let [least, sum, most] = self.contacts;
        let open = self.open_joints.said(end);
        self.info.warnings.extend(open.map(|said| format!("warning: {}: {said}", self.info.scene)));
        Figures {
            scene: self.info.scene,
            paradigm: self.info.paradigm,
            steps: steps as u64,
            time: state.time,
            bodies: configuration.bodies.len(),
            seed: self.info.seed,
            threads: self.info.threads,
            version: self.info.version,
            warnings: self.info.warnings,
            wall_seconds: wall,
            phase_ms: phases.map(|seconds| mean(seconds * 1e3)),
            gather_scatter_ms: mean(phases.gather_scatter * 1e3),
            contacts: ContactFigures { min: if steps == 0 { 0 } else { least }, mean: mean(sum as f64), max: most },
            groups: GroupFigures { mean: mean(self.groups[0] as f64), max: self.groups[1] },
            penetration: PenetrationFigures { max: self.penetration.max(penetration), final_depth: penetration },
            joint_error: self.joint_error,
            energy: self.energy,
            momentum: self.momentum,
            lcp,
            sleeping_final: state.sleepy.iter().filter(|s| **s).count(),
            events: self.events,
            tunnelled: self.tunnelled,
            rollbacks: self.rollbacks,
            budget: None,
            state_hash: state_hash(state),
            final_states: final_states(end),
            joints: final_joints(end),
            asleep_share: mean((steps - self.awake.len()) as f64),
            step_ms: Spread::of(&mut self.milliseconds),
            awake_ms: Spread::of(&mut self.awake),
        }
    }
}

/// Returns true if there are dynamic bodies, all of them asleep.
fn is_asleep(configuration: &Configuration, state: &State) -> bool {
    let dynamic = || configuration.bodies.iter().zip(&state.sleepy).filter(|(body, _)| body.is_dynamic());
    dynamic().next().is_some() && dynamic().all(|(_, sleeps)| *sleeps)
}

fn final_states(end: &RunEnd<'_>) -> Vec<FinalBody> {
    let RunEnd { configuration, state, names, .. } = *end;
    let of = |(i, name): (usize, &String)| {
        let frame = configuration.bodies[i].frame(&state.pose(BodyIndex::new(i)));
        FinalBody {
            name: name.clone(),
            position: frame.position.to_array(),
            orientation: frame.orientation.to_array(),
            linear_velocity: state.linear_velocity[i].to_array(),
            angular_velocity: state.angular_velocity[i].to_array(),
            sleeping: state.sleepy[i],
        }
    };
    names.iter().enumerate().take(state.len()).map(of).collect()
}

fn final_joints(end: &RunEnd<'_>) -> Vec<FinalJoint> {
    let of = |(j, name): (usize, &String)| {
        let reaction = end.graph.joint_reactions.get(j).copied().unwrap_or_default();
        FinalJoint {
            name: name.clone(),
            force: reaction.force.to_array(),
            torque: reaction.torque.to_array(),
            point: reaction.point.to_array(),
            broken: end.state.is_broken(j),
        }
    };
    end.joint_names.iter().enumerate().map(of).collect()
}
