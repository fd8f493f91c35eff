use crate::{Connected, GroupBody, make_room};
use drystone_math::{Real, Twist, Vec3};

/// The displacement of a body that turns within a step, at the surface that it meets, on top of the drift at its new velocity.
///
/// It flies on at the old velocity until it meets the surface, and at the new one from there: `u t + v (h - t)` instead of `v h`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Turn {
    /// The displacement, `(u - v) t` (m, rad).
    pub shift: Twist,
    /// The time t by which the whole displacement has been applied (s), counted from the solve.
    pub within: Real,
    /// The spin before the turn minus the one after it, if the body is not rotated by their difference (rad/s); see [`Turning::keep_momentum`].
    pub spin_lost: Vec3,
}

impl Turn {
    /// Returns true if no displacement is pending.
    pub fn is_none(&self) -> bool {
        self.shift == Twist::ZERO
    }

    /// Adds a turn at another time.
    pub fn add(&mut self, other: &Self) {
        self.shift += other.shift;
        self.within = self.within.max(other.within);
        self.spin_lost += other.spin_lost;
    }

    /// By how much the velocity before the turn exceeds the one after it; zero if nothing is left to come.
    pub fn speed_lost(&self) -> Twist {
        if self.is_none() || self.within <= 0.0 {
            return Twist::ZERO;
        }
        self.shift * (1.0 / self.within) + Twist::new(Vec3::ZERO, self.spin_lost)
    }

    /// Changes the spin before the turn relative to the one after it (rad/s).
    pub fn change_spin_lost(&mut self, by: Vec3) {
        if self.spin_lost == Vec3::ZERO { self.shift.angular += by * self.within } else { self.spin_lost += by }
    }

    /// Takes the part of it that falls into a drift of `h` seconds; the rest stays.
    pub fn take(&mut self, h: Real) -> Twist {
        // a remainder left by rounding has no speed of its own
        if h >= self.within * (1.0 - ROUNDING) {
            return core::mem::take(self).shift;
        }
        let now = self.shift * (h / self.within);
        self.shift = self.shift - now;
        self.within -= h;
        now
    }
}

/// The velocities of bodies in a step before they turn.
#[derive(Debug, Clone, Copy)]
pub enum Unturned<'a> {
    /// Those before the solve, without forces.
    Free,
    /// Those with the external forces of the step, for bodies that nothing holds up; else those before the solve.
    Forced,
    /// By body: those at the end of a step without impacts, if that has been solved too.
    Known(&'a [Twist]),
}

/// Finds the turns of a group whose impacts are all solved at once: bodies connected by impulses turn together, at the first of their impacts.
///
/// This prevents penetration, keeps positions independent of momentum, and moves supported bodies with their support.
///
/// Impulses act at the places that bodies have at the start of the step. Bodies that are not connected to anything fixed must keep their angular momentum: if
/// the displacement of a turn would change it (they pass one another as they meet), they take the step at their new velocities instead.
#[derive(Debug, Clone, Default)]
pub struct Turning {
    connected: Connected,
    time: Vec<Real>,
    leaning: Vec<bool>,
    grounded: Vec<bool>,
    /// Change of the angular momentum of connected bodies by the pending rotations (kg m^2/s), and the scale by which
    /// it is judged.
    momentum_change: Vec<(Vec3, Real)>,
}

/// A change of angular momentum that counts as rounding, relative to the momenta that make it.
const ROUNDING: Real = 1e-12;

impl Turning {
    /// Empties it, with memory for `bodies` bodies: [`Self::restart`] with as many allocates nothing.
    pub fn make_room(&mut self, bodies: usize) {
        let Self { connected, time, leaning, grounded, momentum_change } = self;
        connected.make_room(bodies);
        make_room(time, bodies);
        make_room(leaning, bodies);
        make_room(grounded, bodies);
        make_room(momentum_change, bodies);
    }

    /// Begins with a group of `bodies` bodies that nothing connects.
    pub fn restart(&mut self, bodies: usize) {
        self.connected.restart(bodies);
        self.time.clear();
        self.time.resize(bodies, Real::INFINITY);
        self.leaning.clear();
        self.leaning.resize(bodies, false);
        self.grounded.clear();
        self.grounded.resize(bodies, false);
    }

    /// Notes that an impulse acts between two bodies: of an impact at `time` (s), or, for `None`, a lasting one, of a contact at rest or of a joint.
    pub fn connect(&mut self, bodies: &[GroupBody], pair: [u32; 2], time: Option<Real>) {
        let moves = |b: u32| bodies[b as usize].is_movable();
        let movable = [moves(pair[0]), moves(pair[1])];
        let mut place = self.connected.root(if movable[0] { pair[0] } else { pair[1] });
        if movable == [true; 2] {
            let [low, high] = self.connected.join(pair);
            self.time[low as usize] = self.time[low as usize].min(self.time[high as usize]);
            self.leaning[low as usize] |= self.leaning[high as usize];
            self.grounded[low as usize] |= self.grounded[high as usize];
            place = low;
        } else {
            self.grounded[place as usize] = true;
        }
        match time {
            Some(t) => self.time[place as usize] = self.time[place as usize].min(t),
            None => self.leaning[place as usize] = true,
        }
    }

    /// When the bodies that are connected with the movable one of a pair have their first impact (s); infinite if they have none.
    pub fn time(&mut self, bodies: &[GroupBody], pair: [u32; 2]) -> Real {
        let root = self.connected.of_pair(bodies, pair);
        self.time[root as usize]
    }

    /// Writes the turns of bodies whose velocities after the solve are `solved`. Returns whether some were taken back because they would change an angular
    /// momentum.
    pub fn write(&mut self, bodies: &[GroupBody], solved: &[Twist], before: Unturned<'_>, turns: &mut [Turn]) -> bool {
        for i in 0..bodies.len() as u32 {
            let root = self.connected.root(i) as usize;
            let body = &bodies[i as usize];
            let old = match before {
                Unturned::Known(velocities) => velocities[i as usize],
                Unturned::Forced if !self.leaning[root] => body.velocity + body.external,
                Unturned::Forced | Unturned::Free => body.velocity,
            };
            let time = self.time[root];
            if time.is_finite() && time > 0.0 && body.is_movable() {
                turns[i as usize] = Turn { shift: (old - solved[i as usize]) * time, within: time, ..Turn::default() };
            }
        }
        self.keep_momentum(bodies, solved, turns)
    }

    /// For connected bodies that nothing grounds, takes back turns, written here or elsewhere, by which they would gain or lose angular momentum at the
    /// velocities `solved`; of other such turns, only the rotations. Returns whether any turns were taken back whole.
    pub fn keep_momentum(&mut self, bodies: &[GroupBody], solved: &[Twist], turns: &mut [Turn]) -> bool {
        let mut any = false;
        self.momentum_change.clear();
        self.momentum_change.resize(bodies.len(), (Vec3::ZERO, 0.0));
        for (i, body) in bodies.iter().enumerate() {
            if body.inverse_mass > 0.0 && !turns[i].is_none() {
                let root = self.connected.root(i as u32) as usize;
                let (shift, velocity) = (turns[i].shift.linear, solved[i].linear);
                let (momentum_change, scale) = &mut self.momentum_change[root];
                *momentum_change += shift.cross(velocity) / body.inverse_mass;
                *scale += shift.length() * velocity.length() / body.inverse_mass;
            }
        }
        for (i, turn) in turns.iter_mut().enumerate() {
            let root = self.connected.root(i as u32) as usize;
            let (momentum_change, scale) = self.momentum_change[root];
            if self.grounded[root] {
                continue;
            }
            if momentum_change.length() > ROUNDING * scale {
                any |= !turn.is_none();
                *turn = Turn::default();
            } else {
                // an orientation has no part in momentum, but turns the inertia that a spin is momentum by
                if turn.within > 0.0 {
                    turn.spin_lost += turn.shift.angular * (1.0 / turn.within);
                }
                turn.shift.angular = Vec3::ZERO;
            }
        }
        any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BodyIndex;
    use drystone_math::{Pose, SymmetricMat3};

    fn body(inverse_mass: Real, before: Real) -> GroupBody {
        GroupBody {
            index: BodyIndex(0),
            inverse_mass,
            inverse_inertia: SymmetricMat3::ZERO,
            pose: Pose::IDENTITY,
            velocity: Twist::new(Vec3::Y * before, Vec3::ZERO),
            external: Twist::ZERO,
        }
    }

    fn upwards(speed: Real) -> Twist {
        Twist::new(Vec3::Y * speed, Vec3::ZERO)
    }

    #[test]
    fn what_rests_on_a_body_turns_with_it() {
        // 0 is the floor; 1 lands on it with 2 on its back; 3 is far away
        let bodies = [body(0.0, 0.0), body(1.0, -2.0), body(0.5, -2.0), body(1.0, 5.0)];
        let mut turns = [Turn::default(); 4];
        let mut turning = Turning::default();
        turning.restart(4);
        turning.connect(&bodies, [1, 2], None);
        turning.connect(&bodies, [0, 1], Some(0.1));
        turning.connect(&bodies, [0, 3], None);
        turning.write(&bodies, &[0.0, 1.0, 1.0, 4.0].map(upwards), Unturned::Forced, &mut turns);
        for turn in &turns[1..3] {
            assert!((turn.shift.linear.y + 0.3).abs() < 1e-15 && turn.within == 0.1);
        }
        assert!(turns[0].is_none() && turns[3].is_none());
    }

    #[test]
    fn bodies_that_pass_as_they_meet_keep_their_angular_momentum() {
        let meeting = |aside: Real| {
            let mut bodies = [body(1.0, -2.0), body(1.0, 1.0)];
            let (mut solved, mut turns) = ([1.0, -2.0].map(upwards), [Turn::default(); 2]);
            bodies[1].velocity.linear.x = aside;
            solved[1].linear.x = aside;
            let mut turning = Turning::default();
            turning.restart(2);
            turning.connect(&bodies, [0, 1], Some(0.1));
            turning.write(&bodies, &solved, Unturned::Free, &mut turns);
            turns
        };
        // head on, they reverse where they meet; moving sideways, the shift would add -0.3 x 2 to the angular momentum about any point
        assert!(meeting(0.0).iter().all(|t| (t.shift.linear.y.abs() - 0.3).abs() < 1e-15));
        assert!(meeting(2.0).iter().all(Turn::is_none));
    }

    #[test]
    fn what_is_to_come_says_the_speed_before_it() {
        let shift = Twist::new(Vec3::Y * -0.6, Vec3::ZERO);
        let mut turn = Turn { shift, within: 0.3, spin_lost: Vec3::X };
        turn.take(0.1);
        assert!((turn.speed_lost().linear.y + 2.0).abs() < 1e-14 && turn.speed_lost().angular == Vec3::X);
        turn.take(0.2 - 1e-17);
        assert!(turn.is_none() && turn.speed_lost() == Twist::ZERO);
    }

    #[test]
    fn a_turn_comes_in_parts() {
        let mut turn = Turn { shift: Twist::new(Vec3::Y, Vec3::ZERO), within: 0.3, ..Turn::default() };
        let first = turn.take(0.1).linear.y;
        let rest = turn.take(0.5).linear.y;
        assert!((first - 1.0 / 3.0).abs() < 1e-15 && (first + rest - 1.0).abs() < 1e-15 && turn.is_none());
    }
}
