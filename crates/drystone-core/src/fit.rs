use crate::{BodyIndex, BodyKind, BodyProperties, Configuration, FailureKind, Joint, MaterialError, State};
use drystone_math::{Pose, Quat, Real, SymmetricMat3, Twist, Vec3};
use thiserror::Error;

/// Largest departure of an orientation's length from one: a long run of normalized products stays far below it.
const UNIT_LENGTH: Real = 1e-6;

/// Why a configuration and a state cannot be simulated.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ConfigurationError {
    /// A column of the state does not have one entry per body.
    #[error("column '{column}' of the state has {found} entries; allowed: one for each of the {bodies} bodies")]
    Column {
        /// Which.
        column: &'static str,
        /// Its length.
        found: usize,
        /// Number of bodies of the configuration.
        bodies: usize,
    },
    /// A body that cannot be simulated.
    #[error("body {body}: {what}")]
    Body {
        /// Its column.
        body: usize,
        /// Description of the fault.
        what: &'static str,
    },
    /// A joint, script or ignored pair that names bodies it cannot have.
    #[error("{what} {number}: {why}")]
    Reference {
        /// Kind of object that refers to the bodies.
        what: &'static str,
        /// Its place in the list.
        number: usize,
        /// Reason.
        why: &'static str,
    },
    /// A number of the whole that is not finite.
    #[error("{0} must be finite")]
    NotFinite(&'static str),
    /// A list of broken joints that is not ascending, or names joints that do not exist.
    #[error("the list of broken joints must be ascending and name joints that exist")]
    BrokenJoints,
    /// A joint memory that does not fit the joints.
    #[error("the joints' memory must be empty or have as many values for each joint as the joint remembers")]
    JointMemory,
    /// A list of turns that is not ascending, or names bodies that do not exist.
    #[error("the list of turns must be ascending and name bodies that exist")]
    Turns,
    /// A surface with a coefficient out of its range.
    #[error(transparent)]
    Material(#[from] MaterialError),
}

impl Configuration {
    /// Checks that this and a state can be simulated together: columns as long as the list of bodies, masses and poses
    /// that are numbers, joints, scripts and ignored pairs of bodies that exist.
    ///
    /// # Errors
    /// The first fault found.
    pub fn check(&self, state: &State) -> Result<(), ConfigurationError> {
        self.check_columns(state)?;
        if !self.gravity.is_finite() {
            return Err(ConfigurationError::NotFinite("gravity"));
        }
        if !state.time.is_finite() {
            return Err(ConfigurationError::NotFinite("the time"));
        }
        self.materials.check()?;
        for (i, body) in self.bodies.iter().enumerate() {
            let fault = body.fault().or_else(|| state.fault(BodyIndex::new(i)));
            if let Some(what) = fault {
                return Err(ConfigurationError::Body { body: i, what });
            }
        }
        self.check_references(state)
    }

    fn check_columns(&self, state: &State) -> Result<(), ConfigurationError> {
        let bodies = self.bodies.len();
        let columns = [
            ("position", state.position.len()),
            ("orientation", state.orientation.len()),
            ("linear_velocity", state.linear_velocity.len()),
            ("angular_velocity", state.angular_velocity.len()),
            ("sleeping", state.sleeping.len()),
            ("sleepy", state.sleepy.len()),
            ("sleep_memory", state.sleep_memory.len()),
            ("flight", state.flight.len()),
        ];
        if !state.displacement.is_empty() && state.displacement.len() != bodies {
            let found = state.displacement.len();
            return Err(ConfigurationError::Column { column: "displacement", found, bodies });
        }
        match columns.into_iter().find(|(_, found)| *found != bodies) {
            Some((column, found)) => Err(ConfigurationError::Column { column, found, bodies }),
            None => Ok(()),
        }
    }

    fn check_references(&self, state: &State) -> Result<(), ConfigurationError> {
        let bodies = self.bodies.len();
        let refuse = |what, number, why| Err(ConfigurationError::Reference { what, number, why });
        for (k, joint) in self.joints.iter().enumerate() {
            if let Some(why) = joint.fault(bodies) {
                return refuse("joint", k, why);
            }
        }
        let mut scripted = vec![false; bodies];
        for (k, script) in self.scripts.iter().enumerate() {
            let Some(body) = self.bodies.get(script.body.at()) else {
                return refuse("script", k, "its body does not exist");
            };
            if body.kind != BodyKind::Scripted {
                return refuse("script", k, "its body is not scripted");
            }
            if core::mem::replace(&mut scripted[script.body.at()], true) {
                return refuse("script", k, "its body has a script already");
            }
        }
        if let Some(k) = self.ignored_pairs.iter().position(|p| p.b.at() >= bodies || p.a >= p.b) {
            return refuse("ignored pair", k, "it must name two bodies that exist, the lower one first");
        }
        let ascending = state.broken_joints.windows(2).all(|w| w[0] < w[1]);
        if !ascending || state.broken_joints.last().is_some_and(|j| *j as usize >= self.joints.len()) {
            return Err(ConfigurationError::BrokenJoints);
        }
        if !state.joint_memory.is_empty() && !state.joint_memory.fits(&self.joints) {
            return Err(ConfigurationError::JointMemory);
        }
        let ascending = state.turns.windows(2).all(|w| w[0].0 < w[1].0);
        if !ascending || state.turns.last().is_some_and(|(b, _)| b.at() >= bodies) {
            return Err(ConfigurationError::Turns);
        }
        Ok(())
    }
}

fn is_finite(matrix: &SymmetricMat3) -> bool {
    matrix.diagonal.is_finite() && matrix.off_diagonal.is_finite()
}

fn is_unit(orientation: Quat) -> bool {
    (orientation.length_squared() - 1.0).abs() <= 2.0 * UNIT_LENGTH
}

impl BodyProperties {
    /// First fault that prevents simulation, if any.
    pub fn fault(&self) -> Option<&'static str> {
        let finite = self.center.is_finite()
            && self.mass.is_finite()
            && self.inverse_mass.is_finite()
            && is_finite(&self.inertia)
            && is_finite(&self.inverse_inertia);
        if !finite {
            return Some("mass, inertia and centre of mass must be finite");
        }
        if self.mass < 0.0 || self.inverse_mass < 0.0 || self.inverse_inertia.diagonal.min_element() < 0.0 {
            return Some("mass and inertia must not be negative");
        }
        if !self.gravity_scale.is_finite() {
            return Some("its scale of gravity must be finite");
        }
        if !self.damping.iter().all(|d| d.is_finite() && *d >= 0.0) {
            return Some("its damping must be finite and not negative");
        }
        if !self.surface_velocity.is_finite() {
            return Some("the velocity of its surface must be finite");
        }
        if matches!(self.kind, BodyKind::Dynamic | BodyKind::Passive) {
            if self.mass == 0.0 {
                return Some("a dynamic body must have a mass above zero");
            }
            if !self.shape.bounding_radius().is_finite() {
                return Some("a shape without end can only be fixed or scripted");
            }
        }
        match self.spin_axis {
            Some(axis) if !axis.is_finite() || (axis.length() - 1.0).abs() > UNIT_LENGTH => {
                Some("its spin axis must be a unit vector")
            }
            _ => None,
        }
    }
}

impl State {
    /// Checks that a step can start from a body's columns: pose and velocity are finite, and the orientation is a unit
    /// quaternion.
    ///
    /// # Errors
    /// The failure with which a step that cannot ends.
    #[inline]
    pub fn check_body(&self, body: BodyIndex) -> Result<(), FailureKind> {
        if !self.is_finite(body) {
            return Err(FailureKind::NonFinite);
        }
        if is_unit(self.orientation[body.at()]) { Ok(()) } else { Err(FailureKind::Orientation) }
    }

    /// Returns true if a step can start from the columns of all bodies: one answer for whole columns.
    pub fn is_sound(&self) -> bool {
        // zero times a number that is not finite is NaN
        let none = |column: &[Vec3]| column.iter().fold(Vec3::ZERO, |sum, v| sum + *v * 0.0);
        let none = none(&self.position) + none(&self.linear_velocity) + none(&self.angular_velocity);
        // and a NaN orientation does not have length one
        none == Vec3::ZERO && self.orientation.iter().all(|q| is_unit(*q))
    }

    /// Fault of a body's columns, if any.
    fn fault(&self, body: BodyIndex) -> Option<&'static str> {
        Self::fault_of(&self.pose(body), &self.velocity(body))
    }

    /// Fault of a pose and a velocity that a body is to be given, if any.
    pub fn fault_of(pose: &Pose, velocity: &Twist) -> Option<&'static str> {
        if !(pose.position.is_finite() && pose.orientation.is_finite() && velocity.is_finite()) {
            return Some("pose and velocity must be finite");
        }
        (!is_unit(pose.orientation)).then_some("its orientation must be a unit quaternion")
    }
}

impl Joint {
    /// Fault of the bodies it names, given that there are `bodies`, or of its strength.
    fn fault(&self, bodies: usize) -> Option<&'static str> {
        if self.bodies.iter().flatten().any(|b| b.at() >= bodies) {
            return Some("one of its bodies does not exist");
        }
        if self.bodies[0] == self.bodies[1] {
            return Some("it must hold two different bodies, or a body and the world");
        }
        let bad = |bound: Real| bound.is_nan() || bound < 0.0;
        (bad(self.strength.force) || bad(self.strength.torque)).then_some("its strength must be zero or more")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BodyFrame, BodyPair, ConstraintRow, ConstraintSource, JointError};
    use drystone_geometry::Shape;
    use drystone_math::{Pose, Quat, Twist};

    /// A joint that holds nothing.
    struct Loose;

    impl ConstraintSource for Loose {
        fn kind(&self) -> &'static str {
            "loose"
        }

        fn rows(&self, _: [&BodyFrame; 2], _: &[Real], _: &mut Vec<ConstraintRow>) {}

        fn error(&self, _: [&BodyFrame; 2], _: &[Real]) -> JointError {
            JointError::default()
        }
    }

    fn two_balls() -> (Configuration, State) {
        let (mut configuration, mut state) = (Configuration::default(), State::default());
        for x in [0.0, 2.0] {
            let shape = Shape::sphere(0.5).unwrap();
            let mass = shape.mass_properties(1.0).unwrap();
            configuration.bodies.push(BodyProperties::dynamic(shape, &mass).unwrap());
            state.push(Pose::from_position(Vec3::X * x), Twist::ZERO);
        }
        configuration.ignore(BodyPair::new(BodyIndex(0), BodyIndex(1)).unwrap());
        configuration.joints.push(Joint::new([Some(BodyIndex(0)), None], Box::new(Loose)));
        (configuration, state)
    }

    type Spoil = fn(&mut Configuration, &mut State);

    /// One fault at a time, each found by its words; without a fault nothing is reported.
    #[test]
    fn each_fault_is_found() {
        let (configuration, state) = two_balls();
        assert_eq!(configuration.check(&state), Ok(()));
        let faults: [(Spoil, &str); 15] = [
            (|c, _| c.joints[0].bodies[1] = Some(BodyIndex(2)), "does not exist"),
            (|c, _| c.joints[0].bodies[1] = Some(BodyIndex(0)), "two different bodies"),
            (|c, _| c.joints[0].strength.torque = -1.0, "strength"),
            (|_, s| s.sleepy.clear(), "column 'sleepy'"),
            (|c, _| drop(c.bodies.pop()), "column 'position'"),
            (|c, _| c.bodies[1].mass = Real::NAN, "body 1"),
            (|c, _| c.bodies[1].inverse_mass = -1.0, "body 1"),
            (|c, _| c.bodies[0].shape = Shape::plane(Vec3::Y, 0.0).unwrap(), "body 0"),
            (|_, s| s.position[0].x = Real::NAN, "body 0"),
            (|_, s| s.orientation[1] = Quat::from_xyzw(0.0, 0.0, 0.0, 5.0), "unit quaternion"),
            (|c, _| c.gravity.y = Real::INFINITY, "gravity"),
            (|_, s| s.time = Real::NAN, "time"),
            (|c, _| c.ignore(BodyPair { a: BodyIndex(1), b: BodyIndex(2) }), "ignored pair 1"),
            (|_, s| s.broken_joints.push(1), "broken joints"),
            (|_, s| s.joint_memory.push(1), "the joints' memory"),
        ];
        for (spoil, words) in faults {
            let (mut c, mut s) = two_balls();
            spoil(&mut c, &mut s);
            let said = c.check(&s).unwrap_err().to_string();
            assert!(said.contains(words), "{words}: {said}");
        }
    }
}
