use drystone_core::{BodyIndex, Configuration, State};
use drystone_math::{Vec3, Wrench};

/// A point that is fixed in a body or in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Anchor {
    /// A place in the world (m).
    World(Vec3),
    /// A point of a body.
    Body {
        /// The body.
        body: BodyIndex,
        /// The point in the body frame (m).
        point: Vec3,
    },
}

/// A point at the end of an arm from its body's centre of mass (world frame, m, m/s, rad/s).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Attachment {
    pub(crate) point: Vec3,
    pub(crate) velocity: Vec3,
    pub(crate) arm: Vec3,
    pub(crate) spin: Vec3,
}

impl Attachment {
    /// Acceleration of the point under a steady motion of the body.
    pub(crate) fn acceleration(&self) -> Vec3 {
        self.spin.cross(self.spin.cross(self.arm))
    }
}

impl Anchor {
    /// Position and velocity of the point (world frame, m and m/s); `None` if there is no such body.
    pub fn motion(&self, configuration: &Configuration, state: &State) -> Option<(Vec3, Vec3)> {
        match *self {
            Self::World(p) => Some((p, Vec3::ZERO)),
            Self::Body { body, point } => {
                let properties = configuration.bodies.get(body.at())?;
                let center = state.pose(body);
                let arm = center.direction(point - properties.center);
                Some((center.position + arm, state.velocity(body).at(arm)))
            }
        }
    }

    /// The body that the point belongs to; `None` for a point of the world.
    pub(crate) fn body(&self) -> Option<BodyIndex> {
        match *self {
            Self::World(_) => None,
            Self::Body { body, .. } => Some(body),
        }
    }

    /// The point with its arm and how its body moves; `None` if there is no such body.
    pub(crate) fn arm(&self, configuration: &Configuration, state: &State) -> Option<Attachment> {
        let (point, velocity) = self.motion(configuration, state)?;
        Some(match self.body() {
            None => Attachment { point, velocity, arm: Vec3::ZERO, spin: Vec3::ZERO },
            Some(b) => Attachment {
                point,
                velocity,
                arm: point - state.position[b.at()],
                spin: state.angular_velocity[b.at()],
            },
        })
    }

    /// Follows its body when one is taken out of the columns; returns whether the point is still there.
    pub(crate) fn remove_body(&mut self, removed: BodyIndex) -> bool {
        match self {
            Self::World(_) => true,
            Self::Body { body, .. } => body.without(removed).inspect(|b| *body = *b).is_some(),
        }
    }

    /// Adds a force (N, world frame) at the point to the body's wrench.
    pub(crate) fn push(&self, configuration: &Configuration, state: &State, force: Vec3, wrenches: &mut [Wrench]) {
        if let Self::Body { body, point } = *self
            && let (Some(properties), Some(wrench)) = (configuration.bodies.get(body.at()), wrenches.get_mut(body.at()))
        {
            let arm = state.orientation[body.at()] * (point - properties.center);
            *wrench += Wrench::at(force, arm);
        }
    }
}
