//! Constraint drift of joints, as values.

use super::data::WorldData;
use crate::Stages;
use drystone_core::{BodyIndex, Configuration, ConstraintRow, Departure, RowLimits, State};
use drystone_math::{Pose, Real, Twist};
use smallvec::SmallVec;

/// A body that turns by more than this on its way (rad) says little about where its joints lead.
const LARGEST_TURN: Real = 0.5;

/// Measurements since the last solve, and their use by solves.
#[derive(Default)]
pub(super) struct Departures {
    measured: Vec<RowValues>,
    used: usize,
    /// The corrections that the rows of joints receive from the end of the step.
    pub(super) corrections: CurvatureCorrections,
    /// The predicted state.
    ahead: State,
    rows: [Vec<ConstraintRow>; 2],
    /// The multipliers of all joints before the first solve of the step.
    first: Vec<SmallVec<[Real; 6]>>,
    /// True if the solves repeat those of the same step.
    again: bool,
    /// By joint: whether its group is not to be solved again in this step.
    once: Vec<bool>,
}

/// A number for each row of each joint.
#[derive(Debug, Default)]
struct RowValues {
    /// First index of each joint's rows in `values`.
    first: Vec<u32>,
    values: Vec<Real>,
}

/// Rates at which joints will leave their constraints, as corrections of their rows' curvature; empty if nothing is
/// corrected.
///
/// To first order, a row's curvature tells how a velocity that is tangent to the constraint now ceases to be so. The true effect of the drift is known after a first solve.
#[derive(Debug, Default)]
pub(super) struct CurvatureCorrections(RowValues);

impl RowValues {
    fn clear(&mut self) {
        self.first.clear();
        self.values.clear();
    }

    /// The values of a joint's rows.
    fn of(&self, joint: usize) -> &[Real] {
        let Some(&first) = self.first.get(joint) else { return &[] };
        let end = self.first.get(joint + 1).map_or(self.values.len(), |e| *e as usize);
        self.values.get(first as usize..end).unwrap_or_default()
    }
}

impl CurvatureCorrections {
    /// The corrections of the curvature of a joint's rows; there may be fewer of them than rows.
    pub(super) fn of_joint(&self, joint: usize) -> &[Real] {
        self.0.of(joint)
    }

    /// Adds a multiple of what was measured.
    fn add(&mut self, measured: &RowValues, weight: Real) {
        if self.0.first.is_empty() {
            self.0.first.clone_from(&measured.first);
            self.0.values.resize(measured.values.len(), 0.0);
        }
        for (value, rate) in self.0.values.iter_mut().zip(&measured.values) {
            *value += weight * rate;
        }
    }
}

impl Departures {
    /// To be called when a solve begins that knows of no departures; `multipliers` are the joints' initial ones, empty if the solve will not be repeated as a whole.
    pub(super) fn begin(&mut self, multipliers: &[SmallVec<[Real; 6]>]) {
        self.used = 0;
        self.corrections.0.clear();
        self.again = false;
        self.first.truncate(multipliers.len());
        let known = self.first.len();
        self.first.iter_mut().zip(multipliers).for_each(|(to, from)| to.clone_from(from));
        self.first.extend_from_slice(&multipliers[known..]);
    }

    /// Notes the joints of groups that are not to be solved again.
    pub(super) fn note_solved_once(&mut self, joints: usize, once: impl Iterator<Item = u32>) {
        if !self.again {
            self.once.clear();
        }
        self.once.resize(joints, false);
        for joint in once {
            if let Some(known) = self.once.get_mut(joint as usize) {
                *known = true;
            }
        }
    }

    /// Returns true if the solves repeat those of the same step.
    pub(super) fn are_repeated(&self) -> bool {
        self.again
    }

    /// Returns true if a link belongs to a group that is not to be solved again; true also for a force that links
    /// bodies.
    pub(super) fn is_solved_once(&self, joint: u32) -> bool {
        self.once.get(joint as usize).copied().unwrap_or(true)
    }

    /// To be called when the step is solved again.
    pub(super) fn repeat(&mut self) {
        self.again = true;
    }

    /// The joints' multipliers before the step, if it is solved again; otherwise empty.
    pub(super) fn beginnings(&self) -> &[SmallVec<[Real; 6]>] {
        if self.again { &self.first } else { &[] }
    }

    /// Makes the next solve take a multiple of a departure into account.
    pub(super) fn correct(&mut self, departure: Departure, weight: Real) {
        if let Some(measured) = self.measured[..self.used].get(departure.name as usize) {
            self.corrections.add(measured, weight);
        }
    }

    /// Rates at which joints will leave their constraints `h` seconds ahead, at the present velocities of the bodies.
    pub(super) fn measure(
        &mut self,
        data: &WorldData,
        stages: &Stages,
        given: Given<'_>,
        bodies: &[BodyIndex],
        h: Real,
    ) -> Departure {
        let WorldData { configuration, state, .. } = data;
        let Self { measured, used, ahead, rows, once, .. } = self;
        look_ahead(ahead, data, stages, given, bodies, h);
        if *used == measured.len() {
            measured.push(RowValues::default());
        }
        let into = &mut measured[*used];
        *used += 1;
        into.clear();
        let mut largest: Real = 0.0;
        for joint in 0..configuration.joints.len() {
            into.first.push(into.values.len() as u32);
            let held = &configuration.joints[joint];
            let once = once.get(joint).copied().unwrap_or(false);
            if !once && let Some(off) = measure_locks(data, ahead, joint, h, &mut into.values) {
                largest = largest.max(off);
                continue;
            }
            let awake = held.bodies.iter().any(|b| b.is_some_and(|b| !state.sleeping[b.at()]));
            let [now, then] = &mut *rows;
            then.clear();
            if awake && !state.is_broken(joint) {
                ask(configuration, ahead, joint, then);
            }
            let mut alike = true;
            let mut count = then.len();
            if !held.source.has_steady_rows() && awake && !state.is_broken(joint) {
                // if a limit opens or closes on the way, the rows do not correspond
                now.clear();
                ask(configuration, state, joint, now);
                count = now.len();
                alike = then.len() == count && then.iter().zip(now).all(|(a, b)| a.limits == b.limits);
            }
            let from = into.values.len();
            into.values.resize(from + count, 0.0);
            let velocities = held.bodies.map(|b| b.map_or(Twist::ZERO, |b| ahead.velocity(b)));
            if !alike
                || once
                || held.bodies.iter().flatten().any(|b| goes_own_way(state, *b))
                || velocities.iter().any(|u| h * u.angular.length() > LARGEST_TURN)
            {
                continue;
            }
            for (value, row) in into.values[from..].iter_mut().zip(then) {
                if row.correctable && !row.softness.is_soft() && row.limits == RowLimits::BILATERAL {
                    *value = row.rate(velocities);
                    largest = largest.max(value.abs());
                }
            }
        }
        Departure { name: *used as u32 - 1, largest }
    }
}

/// The rates of a joint's rows at the predicted state, if all of them are locks and the joint is awake and turns little; returns the largest. Otherwise returns
/// `None` and writes nothing.
fn measure_locks(data: &WorldData, ahead: &State, joint: usize, h: Real, values: &mut Vec<Real>) -> Option<Real> {
    let WorldData { configuration, state, .. } = data;
    let held = &configuration.joints[joint];
    let bodies = held.bodies.into_iter().flatten();
    let awake = bodies.clone().any(|b| !state.sleeping[b.at()]);
    let astray = |b: BodyIndex| goes_own_way(state, b) || h * ahead.angular_velocity[b.at()].length() > LARGEST_TURN;
    if !awake || state.is_broken(joint) || bodies.clone().any(astray) {
        return None;
    }
    let first = values.len();
    let frames = ahead.body_frames(held.bodies);
    let told = held.source.rates([&frames[0], &frames[1]], values);
    told.then(|| values[first..].iter().fold(0.0, |m: Real, rate| m.max(rate.abs())))
}

/// Returns true if the solver has moved a body itself: its joints' predicted state then says nothing about its
/// velocity.
fn goes_own_way(state: &State, body: BodyIndex) -> bool {
    state.displacement.get(body.at()).is_some_and(|way| !way.is_none())
}

/// Evaluates the rows of a joint in a state.
fn ask(configuration: &Configuration, state: &State, joint: usize, rows: &mut Vec<ConstraintRow>) {
    let held = &configuration.joints[joint];
    let frames = state.body_frames(held.bodies);
    held.source.rows([&frames[0], &frames[1]], state.joint_memory.of(joint), rows);
}

/// Computes into `ahead` where the bodies will be in `h` seconds.
fn look_ahead(ahead: &mut State, data: &WorldData, stages: &Stages, given: Given<'_>, bodies: &[BodyIndex], h: Real) {
    let WorldData { configuration, state, .. } = data;
    ahead.clone_from(state);
    stages.motion_solver.drift(configuration, ahead, bodies, h);
    stages.motion_solver.drift(configuration, ahead, given.unscripted, h);
    for script in &configuration.scripts {
        let s = script.motion.evaluate(given.scripted_at + h);
        let center = configuration.body(script.body).center;
        ahead.set_pose(script.body, Pose::new(s.pose.point(center), s.pose.orientation));
        ahead.set_velocity(script.body, Twist::new(s.velocity.at(s.pose.direction(center)), s.velocity.angular));
    }
}

/// Bodies with prescribed motion.
#[derive(Clone, Copy)]
pub(super) struct Given<'a> {
    /// Bodies that keep the velocity that they were given.
    pub(super) unscripted: &'a [BodyIndex],
    /// The time at which scripted bodies were last put in place (s).
    pub(super) scripted_at: Real,
}
