//! A second solve at the midpoint of a step, knowing what the first one showed of its end.

use super::data::WorldData;
use super::forces::Forces;
use crate::Stages;
use drystone_core::{BodyFrame, BodyIndex, Configuration, ConstraintRow, RowLimits, State};
use drystone_math::{Pose, Real, Twist, Wrench};

/// What is known of the end of a step that goes on from its midpoint.
#[derive(Default)]
pub(crate) struct Midpoint {
    /// What the rows of joints should know of it.
    pub(super) corrections: CurvatureCorrections,
    /// The wrenches of the first solve.
    wrenches: Vec<Wrench>,
    /// Velocities after it, of the bodies that it was for.
    after: Vec<Twist>,
    /// The state at the end.
    end: State,
}

/// How fast joints leave their constraints at the end of a step that goes on from its midpoint, as corrections of their rows' curvature.
///
/// A row's curvature says to first order how the velocity that is tangent to the constraint now stops being so in half a step. What the
/// drift really makes of it is known after a first solve: the rate of the row's error at the end, `2 / h` times which was missing.
#[derive(Default)]
pub(super) struct CurvatureCorrections {
    /// Where the rows of each joint begin in `values`; empty where nothing is corrected.
    first: Vec<u32>,
    values: Vec<Real>,
    rows: [Vec<ConstraintRow>; 2],
}

/// Rates at the end below this (m/s or rad/s) are left to the next step.
const NEGLIGIBLE: Real = 1e-9;

impl CurvatureCorrections {
    /// Forgets all corrections.
    pub(super) fn clear(&mut self) {
        self.first.clear();
        self.values.clear();
    }

    /// The correction of a row's curvature.
    pub(super) fn of(&self, joint: usize, place: usize) -> Real {
        let Some(&first) = self.first.get(joint) else { return 0.0 };
        let end = self.first.get(joint + 1).map_or(self.values.len(), |e| *e as usize);
        self.values.get(first as usize..end).and_then(|own| own.get(place)).copied().unwrap_or(0.0)
    }

    /// Adds what is missing now; `state` is at the midpoint, `end` half a step later. Says whether it is worth a solve.
    fn measure(&mut self, configuration: &Configuration, state: &State, end: &State, h: Real) -> bool {
        let fresh = self.first.is_empty();
        let mut next = 0;
        let mut worth = false;
        for (joint, held) in configuration.joints.iter().enumerate() {
            let Self { first, values, rows } = self;
            let awake = |b: &Option<BodyIndex>| b.is_some_and(|b| !state.sleeping[b.at()]);
            for (rows, state) in rows.iter_mut().zip([state, end]) {
                rows.clear();
                if !state.is_broken(joint) && held.bodies.iter().any(awake) {
                    let frames = held.bodies.map(|b| BodyFrame::of(state, b));
                    held.source.rows([&frames[0], &frames[1]], state.joint_memory.of(joint), rows);
                }
            }
            let [middle, last] = &*rows;
            if fresh {
                first.push(values.len() as u32);
                values.resize(values.len() + middle.len(), 0.0);
            }
            let count = middle.len();
            let own = values.get_mut(next..next + count).unwrap_or_default();
            next += count;
            // where a limit opens or closes on the way the rows do not correspond
            let alike = last.len() == count && last.iter().zip(middle).all(|(a, b)| a.limits == b.limits);
            if !alike {
                continue;
            }
            let velocities = held.bodies.map(|b| b.map_or(Twist::ZERO, |b| end.velocity(b)));
            // further than that the end says little about the midpoint
            if velocities.iter().any(|u| 0.5 * h * u.angular.length() > 0.5) {
                continue;
            }
            for (value, row) in own.iter_mut().zip(last) {
                if row.correctable && !row.softness.is_soft() && row.limits == RowLimits::BILATERAL {
                    let rate = row.rate(velocities);
                    worth |= rate.abs() > NEGLIGIBLE;
                    *value += 2.0 / h * rate;
                }
            }
        }
        worth
    }
}

impl Midpoint {
    /// After a solve at the midpoint of a step of `h` seconds, which changed the velocities of `bodies` by `changes`: what a second one should know
    /// better. That is external forces at the mean velocity, and how fast joints leave their constraints at the end. `false` where neither says
    /// anything new; else velocities are again those before the solve.
    pub(super) fn prepare(
        &mut self,
        data: &mut WorldData,
        forces: &mut Forces,
        stages: &Stages,
        given: Given<'_>,
        (bodies, changes): (&[BodyIndex], &[Twist]),
        h: Real,
    ) -> bool {
        let solver = stages.motion_solver.as_ref();
        self.after.clear();
        self.after.extend(bodies.iter().map(|b| data.state.velocity(*b)));
        let mut other_forces = false;
        if !data.configuration.forces.is_empty() {
            for (&body, after) in bodies.iter().zip(&self.after) {
                data.state.set_velocity(body, *after - changes[body.at()] * 0.5);
            }
            self.wrenches.clone_from(&forces.wrenches);
            forces.gather(data, solver);
            other_forces = self.wrenches != forces.wrenches;
            for (&body, after) in bodies.iter().zip(&self.after) {
                data.state.set_velocity(body, *after);
            }
        }
        if data.configuration.joints.is_empty() && !other_forces {
            return false;
        }
        self.look_ahead(data, stages, given, bodies, 0.5 * h);
        let joints = self.corrections.measure(&data.configuration, &data.state, &self.end, h);
        if other_forces || joints {
            // the solve that is taken back has its turns taken back too
            data.state.turns.clear();
            data.state.displacement.clear();
            for (&body, after) in bodies.iter().zip(&self.after) {
                data.state.set_velocity(body, *after - changes[body.at()]);
            }
        }
        other_forces || joints
    }

    /// Where the bodies will be in `h` seconds.
    fn look_ahead(&mut self, data: &WorldData, stages: &Stages, given: Given<'_>, bodies: &[BodyIndex], h: Real) {
        let WorldData { configuration, state, .. } = data;
        let end = &mut self.end;
        end.clone_from(state);
        stages.motion_solver.drift(configuration, end, bodies, h);
        stages.motion_solver.drift(configuration, end, given.unscripted, h);
        for script in &configuration.scripts {
            let s = script.motion.evaluate(given.scripted_at + h);
            let center = configuration.body(script.body).center;
            end.set_pose(script.body, Pose::new(s.pose.point(center), s.pose.orientation));
            end.set_velocity(script.body, Twist::new(s.velocity.at(s.pose.direction(center)), s.velocity.angular));
        }
    }
}

/// What moves as it is told.
#[derive(Clone, Copy)]
pub(super) struct Given<'a> {
    /// Bodies that move at the velocity they were given.
    pub(super) unscripted: &'a [BodyIndex],
    /// The time at which scripted ones were last put in place (s).
    pub(super) scripted_at: Real,
}
