use crate::sorted_tail::merge_tail;
use crate::{BodyFrame, BodyIndex, Flight, Gone, Joint, JointMemory, SleepMemory, Turn};
use drystone_math::{Pose, Quat, Real, Twist, Vec3};

/// Variables that a step changes, in columns: entry `i` of each belongs to body `i` of [`crate::Configuration`].
///
/// A saved state is a copy of the columns; restoring it gives the same bits.
#[derive(Debug, Default, PartialEq)]
pub struct State {
    /// Simulated time (s).
    pub time: Real,
    /// Centres of mass, world frame (m).
    pub position: Vec<Vec3>,
    /// Orientations of the body axes, unit quaternions.
    pub orientation: Vec<Quat>,
    /// Velocities of the centres of mass (m/s).
    pub linear_velocity: Vec<Vec3>,
    /// Angular velocities, world frame (rad/s).
    pub angular_velocity: Vec<Vec3>,
    /// True if the body's group is asleep and not simulated.
    pub sleeping: Vec<bool>,
    /// True if the body is calm enough to sleep; its group sleeps when all of its bodies are.
    pub sleepy: Vec<bool>,
    /// Memory of the sleep policy for each body.
    pub sleep_memory: Vec<SleepMemory>,
    /// Free flight of each body at the last solve of equal steps; such a body has the velocity of its pose's instant.
    pub flight: Vec<Flight>,
    /// Joints that have broken, ascending; places in [`crate::Configuration::joints`].
    pub broken_joints: Vec<u32>,
    /// Memory of joints; if empty, the initial state of all joints.
    pub joint_memory: JointMemory,
    /// Bodies that met a surface since the last solve and whose displacement for that is still to come, ascending.
    pub turns: Vec<(BodyIndex, Turn)>,
    /// By body, or empty: what is left of the displacement that the solver itself found for the time since the last solve. A body that has one is moved by it,
    /// not by its velocity.
    pub displacement: Vec<Turn>,
}

impl Clone for State {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    /// Copies the columns into the existing ones: no allocation if they are long enough.
    fn clone_from(&mut self, source: &Self) {
        self.time = source.time;
        self.position.clone_from(&source.position);
        self.orientation.clone_from(&source.orientation);
        self.linear_velocity.clone_from(&source.linear_velocity);
        self.angular_velocity.clone_from(&source.angular_velocity);
        self.sleeping.clone_from(&source.sleeping);
        self.sleepy.clone_from(&source.sleepy);
        self.sleep_memory.clone_from(&source.sleep_memory);
        self.flight.clone_from(&source.flight);
        self.broken_joints.clone_from(&source.broken_joints);
        self.joint_memory.clone_from(&source.joint_memory);
        self.turns.clone_from(&source.turns);
        self.displacement.clone_from(&source.displacement);
    }
}

impl State {
    /// Number of bodies.
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// Returns true if there is no body.
    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }

    /// Adds a body at rest or in motion, awake.
    pub fn push(&mut self, center: Pose, velocity: Twist) {
        self.position.push(center.position);
        self.orientation.push(center.orientation);
        self.linear_velocity.push(velocity.linear);
        self.angular_velocity.push(velocity.angular);
        self.sleeping.push(false);
        self.sleepy.push(false);
        self.sleep_memory.push(SleepMemory::default());
        self.flight.push(Flight::Unknown);
        // each may turn, and is merged into those that do: the first after a long rest finds room
        self.turns.reserve((2 * self.position.len()).saturating_sub(self.turns.len()));
        if !self.displacement.is_empty() {
            self.displacement.push(Turn::default());
        }
    }

    /// Takes bodies out; the bodies after them move up.
    pub fn remove(&mut self, gone: &Gone) {
        gone.close_up(&mut self.position);
        gone.close_up(&mut self.orientation);
        gone.close_up(&mut self.linear_velocity);
        gone.close_up(&mut self.angular_velocity);
        gone.close_up(&mut self.sleeping);
        gone.close_up(&mut self.sleepy);
        gone.close_up(&mut self.sleep_memory);
        gone.close_up(&mut self.flight);
        gone.close_up(&mut self.displacement);
        self.turns.retain_mut(|(body, _)| gone.without_body(*body).inspect(|b| *body = *b).is_some());
    }

    /// Adds to the turn of a body.
    pub fn add_turn(&mut self, body: BodyIndex, turn: &Turn) {
        match self.turns.binary_search_by_key(&body, |(b, _)| *b) {
            Ok(i) => self.turns[i].1.add(turn),
            Err(i) => self.turns.insert(i, (body, *turn)),
        }
    }

    /// Adds to the turns of bodies, each of which comes once, in any order.
    ///
    /// # Cost
    /// O(m log m) for m bodies, and one move for each turn that is known already.
    pub fn add_turns(&mut self, turns: impl Iterator<Item = (BodyIndex, Turn)>) {
        let known = self.turns.len();
        for (body, turn) in turns {
            match self.turns[..known].binary_search_by_key(&body, |(b, _)| *b) {
                Ok(i) => self.turns[i].1.add(&turn),
                Err(_) => self.turns.push((body, turn)),
            }
        }
        merge_tail(&mut self.turns, known, |(b, _)| *b);
    }

    /// Takes the part of a body's turn that falls into the next `h` seconds (m, rad).
    pub fn take_turn(&mut self, body: BodyIndex, h: Real) -> Option<Twist> {
        let i = self.turns.binary_search_by_key(&body, |(b, _)| *b).ok()?;
        Some(self.turns[i].1.take(h))
    }

    /// Changes the spin that a body has after its turn (rad/s); the one before it stays.
    pub fn change_spin_after_turn(&mut self, body: BodyIndex, by: Vec3) {
        self.angular_velocity[body.at()] += by;
        if let Ok(i) = self.turns.binary_search_by_key(&body, |(b, _)| *b) {
            self.turns[i].1.change_spin_lost(-by);
        }
    }

    /// The spin of a body before its turn, if that is still to come (rad/s).
    pub fn approach_spin(&self, body: BodyIndex) -> Option<Vec3> {
        let i = self.turns.binary_search_by_key(&body, |(b, _)| *b).ok()?;
        let turn = &self.turns[i].1;
        let comes = !turn.is_none() && turn.within > 0.0;
        comes.then(|| self.angular_velocity[body.at()] + turn.speed_lost().angular)
    }

    /// Returns true if a rotation of the body is still pending.
    pub fn turns_later(&self, body: BodyIndex) -> bool {
        self.approach_spin(body).is_some()
    }

    /// Changes the spin before a turn that is still to come (rad/s); the one after it stays.
    pub fn set_approach_spin(&mut self, body: BodyIndex, spin: Vec3) {
        let after = self.angular_velocity[body.at()];
        if let Ok(i) = self.turns.binary_search_by_key(&body, |(b, _)| *b) {
            let turn = &mut self.turns[i].1;
            turn.change_spin_lost(spin - after - turn.speed_lost().angular);
        }
    }

    /// For display: gives bodies whose turn is still to come the velocity before it, which is theirs at this instant.
    pub fn show_approach(&mut self) {
        self.swap_approach(1.0);
    }

    /// Takes back [`Self::show_approach`]: a step goes on from the velocity after the turn.
    pub fn hide_approach(&mut self) {
        self.swap_approach(-1.0);
    }

    fn swap_approach(&mut self, sign: Real) {
        for k in 0..self.turns.len() {
            let (body, turn) = self.turns[k];
            self.set_velocity(body, self.velocity(body) + turn.speed_lost() * sign);
        }
    }

    /// Sets the displacement of a body over the next `within` seconds, whatever its velocity is (m, and a rotation vector in world axes, rad).
    pub fn set_displacement(&mut self, body: BodyIndex, shift: Twist, within: Real) {
        self.displacement.resize(self.len(), Turn::default());
        self.displacement[body.at()] = Turn { shift, within, ..Turn::default() };
    }

    /// Takes the part of a body's displacement that falls into the next `h` seconds; `None` if it moves by its velocity.
    pub fn take_displacement(&mut self, body: BodyIndex, h: Real) -> Option<Twist> {
        let way = self.displacement.get_mut(body.at()).filter(|d| d.within > 0.0)?;
        Some(way.take(h))
    }

    /// Brings back the displacement that a body had in a saved state.
    pub fn restore_displacement(&mut self, body: BodyIndex, saved: &Self) {
        if let Some(way) = self.displacement.get_mut(body.at()) {
            *way = saved.displacement.get(body.at()).copied().unwrap_or_default();
        } else if let Some(way) = saved.displacement.get(body.at()) {
            self.set_displacement(body, way.shift, way.within);
        }
    }

    /// Brings back the turns that some bodies had in a saved state.
    pub fn restore_turns(&mut self, covers: impl Fn(BodyIndex) -> bool, saved: &Self) {
        self.turns.retain(|(b, _)| !covers(*b));
        self.add_turns(saved.turns.iter().copied().filter(|(b, _)| covers(*b)));
    }

    /// Drops the turn and the displacement of a body that was put somewhere else.
    pub fn forget_turn(&mut self, body: BodyIndex) {
        if let Some(way) = self.displacement.get_mut(body.at()) {
            *way = Turn::default();
        }
        if let Ok(i) = self.turns.binary_search_by_key(&body, |(b, _)| *b) {
            self.turns.remove(i);
        }
    }

    /// Forgets how a body moves: it was put somewhere else, or is to rest.
    pub fn forget_way(&mut self, body: BodyIndex) {
        self.forget_turn(body);
        self.flight[body.at()] = Flight::Unknown;
    }

    /// Pose of a body's centre of mass and axes.
    #[inline]
    pub fn pose(&self, body: BodyIndex) -> Pose {
        Pose::new(self.position[body.at()], self.orientation[body.at()])
    }

    /// Sets the pose of a body's centre of mass and axes.
    #[inline]
    pub fn set_pose(&mut self, body: BodyIndex, pose: Pose) {
        self.position[body.at()] = pose.position;
        self.orientation[body.at()] = pose.orientation;
    }

    /// A body's velocity.
    #[inline]
    pub fn velocity(&self, body: BodyIndex) -> Twist {
        Twist::new(self.linear_velocity[body.at()], self.angular_velocity[body.at()])
    }

    /// State of a body as a constraint sees it; for `None`, of the world frame.
    #[inline]
    pub fn body_frame(&self, body: Option<BodyIndex>) -> BodyFrame {
        body.map_or(BodyFrame::WORLD, |b| BodyFrame { pose: self.pose(b), velocity: self.velocity(b) })
    }

    /// The same for the bodies of a joint.
    #[inline]
    pub fn body_frames(&self, bodies: [Option<BodyIndex>; 2]) -> [BodyFrame; 2] {
        // read where they stand and written once: a frame that is made elsewhere and copied waits for what was just written
        let of = |body: Option<BodyIndex>| {
            let (position, orientation, linear, angular) = match body.map(BodyIndex::at) {
                Some(i) => {
                    (&self.position[i], &self.orientation[i], &self.linear_velocity[i], &self.angular_velocity[i])
                }
                None => (&Vec3::ZERO, &Quat::IDENTITY, &Vec3::ZERO, &Vec3::ZERO),
            };
            BodyFrame { pose: Pose::new(*position, *orientation), velocity: Twist::new(*linear, *angular) }
        };
        [of(bodies[0]), of(bodies[1])]
    }

    /// Sets a body's velocity.
    #[inline]
    pub fn set_velocity(&mut self, body: BodyIndex, velocity: Twist) {
        self.linear_velocity[body.at()] = velocity.linear;
        self.angular_velocity[body.at()] = velocity.angular;
    }

    /// Returns true if a joint has broken.
    #[inline]
    pub fn is_broken(&self, joint: usize) -> bool {
        !self.broken_joints.is_empty() && self.broken_joints.binary_search(&(joint as u32)).is_ok()
    }

    /// Breaks a joint: from the next detection on it holds nothing.
    pub fn break_joint(&mut self, joint: usize) {
        if let Err(i) = self.broken_joints.binary_search(&(joint as u32)) {
            self.broken_joints.insert(i, joint as u32);
        }
    }

    /// Mends a joint: from the next detection on it holds again. Returns whether it was broken.
    pub fn mend_joint(&mut self, joint: usize) -> bool {
        let found = self.broken_joints.binary_search(&(joint as u32));
        found.map(|i| self.broken_joints.remove(i)).is_ok()
    }

    /// Notes that joints were taken out of the configuration; those after them move up.
    pub fn remove_joints(&mut self, gone: &Gone) {
        self.joint_memory.remove(gone);
        gone.renumber(&mut self.broken_joints);
    }

    /// Lets joints remember the poses that their bodies have now: to be called after each drift.
    pub fn remember_joints(&mut self, joints: &[Joint]) {
        if self.joint_memory.is_blank() {
            return;
        }
        for (k, joint) in joints.iter().enumerate() {
            let [a, b] = self.body_frames(joint.bodies);
            let own = self.joint_memory.of_mut(k);
            if !own.is_empty() {
                joint.source.remember([&a, &b], own);
            }
        }
    }

    /// Returns true if every number that belongs to the body is finite.
    #[inline]
    pub fn is_finite(&self, body: BodyIndex) -> bool {
        let i = body.at();
        let (p, v, w, q) = (self.position[i], self.linear_velocity[i], self.angular_velocity[i], self.orientation[i]);
        // zero times a number that is not finite is NaN: one comparison for all
        let none = p * 0.0 + v * 0.0 + w * 0.0;
        let turn = q * 0.0;
        (none.x + none.y + none.z) + (turn.x + turn.y + turn.z + turn.w) == 0.0
    }
}
