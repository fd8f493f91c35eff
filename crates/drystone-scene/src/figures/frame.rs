use drystone_core::{BodyIndex, Configuration, ContactGraph, Energy, State};
use schemars::JsonSchema;
use serde::Serialize;

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
