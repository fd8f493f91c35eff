use drystone_core::{BodyIndex, Configuration, ContactGraph, Energy, State};
use drystone_math::Vec3;
use schemars::JsonSchema;
use serde::Serialize;

/// Contact point with the impulses of the last solve.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ContactLine {
    /// The bodies, as places in [`FrameLine::bodies`].
    pub bodies: [u32; 2],
    /// The point midway between the surfaces (m).
    pub position: [f64; 3],
    /// Unit normal from the first body to the second.
    pub normal: [f64; 3],
    /// Impulse on the second body, friction included (N s): its mean force times the duration of the solve, which is the step, or the sub-step of presets that divide it.
    pub impulse: [f64; 3],
}

impl ContactLine {
    /// The contacts of a state at which bodies pressed on each other in the last solve, by pair.
    pub fn of_state(configuration: &Configuration, state: &State, graph: &ContactGraph) -> Vec<Self> {
        let frame = |b: BodyIndex| configuration.body(b).frame(&state.pose(b));
        let mut lines = Vec::new();
        for edge in graph.iter().filter(|e| e.overlapping) {
            let [a, b] = [edge.pair.a, edge.pair.b].map(frame);
            for p in edge.manifold.points.iter().filter(|p| p.impulse.normal > 0.0) {
                let (normal, position, _) = p.world(&a, &b);
                let [position, normal, impulse] =
                    [position, normal, p.impulse.total(normal)].map(|v: Vec3| v.to_array());
                lines.push(Self { bodies: [edge.pair.a.0, edge.pair.b.0], position, normal, impulse });
            }
        }
        lines
    }
}

/// One line of a frames file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct FrameLine {
    /// Simulated time (s).
    pub time: f64,
    /// For each body in file order: position of the body frame, orientation, velocity of the centre of mass and
    /// angular velocity.
    pub bodies: Vec<[f64; 13]>,
    /// Kinetic energy (J).
    pub kinetic: f64,
    /// Potential energy (J).
    pub potential: f64,
    /// Contact points that the last step found, or foresaw.
    pub contacts: u64,
    /// Depth of the deepest contact where bodies are in this frame (m).
    pub penetration: f64,
    /// Largest gap of a joint (m).
    pub joint_error: f64,
    /// For each joint in file order: mean force and torque (about its anchor) of the last step on its second body (N, N m). Left out
    /// where there is no joint.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reactions: Vec<[f64; 6]>,
    /// The contacts that pressed; only if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact_impulses: Option<Vec<ContactLine>>,
    /// Residual of the last step's solve, as a fraction of what gravity adds per step; `None` where none was measured. For curves, not for
    /// the file.
    #[serde(skip)]
    pub residual: Option<f64>,
}

impl FrameLine {
    /// Takes a state in, in place of the last one, with what the last solve found, the contact points that the last step found, and the depth of the deepest contact in
    /// this state (m).
    pub fn record(
        &mut self,
        configuration: &Configuration,
        state: &State,
        graph: &ContactGraph,
        contacts: u64,
        penetration: f64,
    ) {
        self.time = state.time;
        self.bodies.clear();
        self.bodies.extend(configuration.bodies.iter().enumerate().map(|(i, body)| {
            let frame = body.frame(&state.pose(BodyIndex::new(i)));
            let (p, q) = (frame.position, frame.orientation);
            let (v, w) = (state.linear_velocity[i], state.angular_velocity[i]);
            [p.x, p.y, p.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, w.x, w.y, w.z]
        }));
        let energy = Energy::of(configuration, state);
        self.kinetic = energy.kinetic;
        self.potential = energy.potential;
        self.contacts = contacts;
        self.penetration = penetration;
        self.joint_error = configuration.largest_joint_error(state).linear;
        self.reactions.clear();
        self.reactions.extend((0..configuration.joints.len()).map(|j| {
            let r = graph.joint_reactions.get(j).copied().unwrap_or_default();
            [r.force.x, r.force.y, r.force.z, r.torque.x, r.torque.y, r.torque.z]
        }));
    }
}
