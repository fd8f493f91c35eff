//! Motion of bodies carried over a step by bodies with prescribed motion or by running surfaces.
//!
//! A twist has the velocity of an instant: what follows it for `h` seconds leaves a body that turns along the tangent. A solver needs the velocity of the chord.
//! That depends on where the carried body is: its centre must get where the turning body brings it. A body that turns therefore occurs in a problem once for each
//! body that it touches, with the other's centre as its origin: the twist there takes the two along as one, exactly. Runs of a surface are part of the same twist.

use super::data::WorldData;
use drystone_core::{BodyIndex, BodyKind, BodyPair, Configuration, GroupBody};
use drystone_math::elementary::{rotation_by, rotation_vector};
use drystone_math::{Pose, Quat, Real, Twist, Vec3};
use std::f64::consts::TAU;

/// A rigid motion from one instant to another.
#[derive(Debug, Clone, Copy)]
struct Displacement {
    /// Of the centre of mass (m).
    by: Vec3,
    turn: Quat,
    /// The mean angular velocity (rad/s).
    spin: Vec3,
    /// The time that it takes (s); below zero if it ends where the body is.
    h: Real,
}

impl Displacement {
    /// Between two poses that are `h` seconds apart, of which the body has the first; `spin` is the angular velocity there, which tells how often a fast body goes round.
    fn between(from: &Pose, to: &Pose, spin: Vec3, h: Real) -> Self {
        let turn = to.orientation * from.orientation.conjugate();
        let mut angle = if to.orientation == from.orientation { Vec3::ZERO } else { rotation_vector(turn) };
        let axis = if angle == Vec3::ZERO { spin.normalize_or_zero() } else { angle.normalize_or_zero() };
        angle += axis * (TAU * ((spin.dot(axis) * h - angle.dot(axis)) / TAU).round());
        Self { by: to.position - from.position, turn, spin: angle * (1.0 / h), h }
    }

    /// At a constant velocity.
    fn at(velocity: Twist, h: Real) -> Self {
        Self { by: velocity.linear * h, turn: rotation_by(velocity.angular * h), spin: velocity.angular, h }
    }

    /// The velocity of the chord along which a point goes that moves with the body, at `arm` from its centre; and that of the body about this point.
    fn chord(&self, arm: Vec3) -> Twist {
        Twist::new((self.turn * arm - arm + self.by) * (1.0 / self.h), self.spin)
    }
}

/// The motion of a body over the drift that follows a solve.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ride {
    /// Its centre of mass at the start.
    from: Vec3,
    whole: Displacement,
    /// The first half, for a solver that moves bodies in this many parts: they are to speed up from one part to the next.
    half: Displacement,
    parts: u32,
    /// The displacement that brought it here in as long a time, if it turns.
    back: Option<Displacement>,
}

/// A body that turns by more than this in a step (rad) is not followed along an arc.
const FOLLOWED: Real = 1.0;

impl Ride {
    /// The velocity at the start of a point that is now at `p`, and its change over the drift.
    fn at(&self, p: Vec3) -> [Twist; 2] {
        let arm = p - self.from;
        let chord = self.whole.chord(arm);
        if self.parts < 2 {
            return [chord, Twist::ZERO];
        }
        // the second half goes on from where the first ends
        let change = (chord - self.half.chord(arm)) * 4.0;
        let n = Real::from(self.parts);
        // each part has the velocity after its share of the change
        [chord - change * (0.5 * (n + 1.0) / n), change]
    }

    /// By how much the velocity of its surface under a body that is now at `p` with this velocity differs from that of the chord: in the middle of the drift a body
    /// that is not carried along is at another place of the surface. Zero for one that has been carried along. Solvers that move bodies in parts see it move.
    fn elsewhere(&self, p: Vec3, velocity: Vec3) -> Vec3 {
        let Some(back) = self.back.filter(|_| self.parts < 2) else { return Vec3::ZERO };
        self.whole.spin.cross(velocity - back.chord(p - self.from).linear) * (0.5 * self.whole.h)
    }
}

/// The bodies of a world that carry others along, and how.
#[derive(Default)]
pub(crate) struct Carriers {
    rides: Vec<Ride>,
    /// By column: the place in `rides`; empty if there are none.
    ride: Vec<u32>,
    /// True for each body whose surface runs.
    belts: bool,
    /// True if the rides end where the bodies are.
    ended: bool,
}

/// Marks a body without a ride.
const NONE: u32 = u32::MAX;

impl Carriers {
    /// To be called after an edit.
    pub(super) fn measure(&mut self, configuration: &Configuration) {
        self.belts = configuration.bodies.iter().any(|b| b.surface_velocity != Twist::ZERO);
        self.forget();
    }

    /// Forgets where bodies go: they have the velocities of an instant.
    pub(super) fn forget(&mut self) {
        self.rides.clear();
        self.ride.clear();
        self.ended = false;
    }

    /// To be called before a solve that is followed by a drift of `h` seconds, in which the solver moves bodies in `parts`: scripted bodies, which are where their
    /// scripts have them at `at`, get the velocities of their chords. With `h` below zero, those of the drift that ends there: they stay until bodies are put in
    /// place again.
    pub(super) fn look_ahead(
        &mut self,
        data: &mut WorldData,
        unscripted: &[BodyIndex],
        at: Real,
        (h, parts): (Real, u32),
    ) {
        if self.ended {
            return;
        }
        self.forget();
        self.ended = h < 0.0;
        let WorldData { configuration, state, .. } = data;
        for script in &configuration.scripts {
            let (from, spin) = (state.pose(script.body), state.angular_velocity[script.body.at()]);
            let centre = configuration.body(script.body).center;
            let to = |h: Real| {
                let pose = script.motion.evaluate(at + h).pose;
                Displacement::between(&from, &Pose::new(pose.point(centre), pose.orientation), spin, h)
            };
            let whole = to(h);
            let half = if parts > 1 { to(0.5 * h) } else { whole };
            let turns = whole.spin != Vec3::ZERO && whole.spin.length() * h < FOLLOWED;
            let back = (h > 0.0 && turns).then(|| to(-h)).filter(|back| back.chord(Vec3::ZERO).is_finite());
            let velocity = whole.chord(Vec3::ZERO);
            // what a script says there is judged when the body gets there
            if velocity.is_finite() && half.chord(Vec3::ZERO).is_finite() {
                state.set_velocity(script.body, velocity);
                self.note(script.body, &Ride { from: from.position, whole, half, parts, back }, state.len());
            }
        }
        for &body in unscripted {
            let (from, velocity) = (state.position[body.at()], state.velocity(body));
            let [whole, half, back] = [h, 0.5 * h, -h].map(|h| Displacement::at(velocity, h));
            let back = (h > 0.0 && velocity.angular.length() * h < FOLLOWED).then_some(back);
            self.note(body, &Ride { from, whole, half, parts, back }, state.len());
        }
    }

    /// Notes the motion of a body. One that does not turn has the same chord everywhere.
    fn note(&mut self, body: BodyIndex, ride: &Ride, bodies: usize) {
        if ride.whole.spin != Vec3::ZERO || ride.half.by * 2.0 != ride.whole.by && ride.parts > 1 {
            self.ride.resize(bodies, NONE);
            self.ride[body.at()] = self.rides.len() as u32;
            self.rides.push(*ride);
        }
    }

    pub(super) fn ride_of(&self, body: BodyIndex) -> Option<&Ride> {
        self.rides.get(*self.ride.get(body.at())? as usize)
    }

    /// The velocity of a body at the start of the drift, and its change, if they are not those that it has: its solver speeds it up.
    #[inline(always)]
    pub(super) fn sped_up(&self, body: BodyIndex) -> Option<[Twist; 2]> {
        if self.rides.is_empty() { None } else { self.ride_of(body).filter(|r| r.parts > 1).map(|r| r.at(r.from)) }
    }

    /// Returns true if one of two bodies moves differently for the other than its own velocity says.
    #[inline(always)]
    pub(super) fn carry(&self, configuration: &Configuration, pair: BodyPair) -> bool {
        (self.belts || !self.rides.is_empty())
            && [pair.a, pair.b]
                .into_iter()
                .any(|body| self.ride_of(body).is_some() || self.belts && runs(configuration, body))
    }

    /// A body as it moves for another one that touches it with this normal.
    pub(super) fn seen_from(
        &self,
        configuration: &Configuration,
        body: &GroupBody,
        by: &GroupBody,
        normal: Vec3,
    ) -> GroupBody {
        let p = by.pose.position;
        let spin = body.velocity.angular;
        let instant = Twist::new(body.velocity.at(p - body.pose.position), spin);
        let [carried, external] = self.ride_of(body.index).map_or([instant, body.external], |ride| {
            let [start, change] = ride.at(p);
            [Twist::new(start.linear + ride.elsewhere(p, by.velocity.linear), start.angular), change]
        });
        let q = body.pose.orientation;
        let properties = configuration.body(body.index);
        let run = properties.surface_velocity;
        let (linear, angular) = (q * run.linear, q * run.angular);
        // a surface runs along itself
        let along = linear - normal * normal.dot(linear);
        let origin = body.pose.point(-properties.center);
        let run = Twist::new(along + angular.cross(p - origin), angular);
        GroupBody { pose: Pose::new(p, q), velocity: carried + run, external, ..*body }
    }
}

/// Returns true if the surface of a static body runs.
pub(super) fn runs(configuration: &Configuration, body: BodyIndex) -> bool {
    let properties = configuration.body(body);
    properties.kind != BodyKind::Dynamic && properties.surface_velocity != Twist::ZERO
}
