use super::parameters::Softened;
use super::{Pass, SoftStepParameters, SubStep};
use crate::moving::{Beside, HeldRows, MOST, MovingBody, MovingJoints, MovingRow, is_held};
use drystone_core::{GroupAnswer, GroupProblem};
use drystone_math::{Real, bounded};

/// Row that is not in a block, as solved in a sub-step.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Single {
    row: u32,
    /// The block of the rigid rows of its joint, and how it acts beside them.
    block: u32,
    beside: Beside,
    /// 1 / (response + mixing).
    mass: Real,
    /// Term added to the response.
    mixing: Real,
    /// Velocity that is asked for: J u = wanted, with and without errors; a spring has none without.
    wanted: [Real; 2],
    soft: Softened,
    bounds: [Real; 2],
    is_spring: bool,
}

/// The rows of a group's joints in a sub-step.
#[derive(Debug, Default)]
pub(super) struct SoftRows {
    moving: MovingJoints,
    blocks: Vec<HeldRows>,
    singles: Vec<Single>,
    held: Softened,
}

impl Clone for SoftRows {
    /// Buffers are each their own.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Default for Softened {
    fn default() -> Self {
        Self::RIGID
    }
}

impl SoftRows {
    /// As at the start of the step, with `scale` times the last multipliers.
    pub(super) fn start(&mut self, problem: &GroupProblem, scale: Real) {
        self.moving.start(problem, scale);
    }

    /// Notes at what rate limits that are run into are to be left.
    pub(super) fn note_rebounds(&mut self, bodies: &[MovingBody], h: Real) {
        self.moving.note_rebounds(bodies, h);
    }

    /// Responses and wanted rates at the present poses.
    pub(super) fn prepare(&mut self, bodies: &[MovingBody], parameters: &SoftStepParameters, step: SubStep) {
        let Self { moving, blocks, singles, held } = self;
        *held = parameters.joint_over(step.h);
        blocks.clear();
        singles.clear();
        for joint in &moving.joints {
            blocks.extend(HeldRows::of_joint(&moving.rows, joint, bodies));
            let block = blocks.len() as u32 - 1;
            for i in joint.clone().filter(|i| !is_held(&moving.rows[*i as usize].row)) {
                let beside = blocks[block as usize].beside(&moving.rows, i, bodies);
                singles.push(single(moving, i, (block, beside), *held, step));
            }
        }
    }

    pub(super) fn warm_start(&mut self, bodies: &mut [MovingBody]) {
        for single in &self.singles {
            let x = &mut self.moving.rows[single.row as usize].x;
            *x = bounded(*x, single.bounds[0], single.bounds[1]);
        }
        for r in &self.moving.rows {
            r.push(bodies, r.x);
        }
    }

    pub(super) fn follow(&mut self, problem: &GroupProblem, bodies: &[MovingBody]) {
        self.moving.follow(problem, bodies);
    }

    /// One sweep, joint by joint: the equality rows first, then limits and motors. In the other order the limit solve
    /// assumes a joint error that is about to change. Springs keep their impulses of the biased sweep.
    pub(super) fn sweep(&mut self, bodies: &mut [MovingBody], pass: Pass) {
        let held = if pass == Pass::Biased { self.held } else { Softened::RIGID };
        let Self { moving, blocks, singles, .. } = self;
        each_block(blocks, singles, |block, beside| {
            hold(block, &mut moving.rows, beside, bodies, held);
            for s in beside.iter().filter(|s| pass == Pass::Biased || !s.is_spring) {
                let soft = if pass == Pass::Biased { s.soft } else { Softened::RIGID };
                let r = &moving.rows[s.row as usize];
                let wanted = s.wanted[usize::from(pass == Pass::Relaxed)];
                let step = -soft.mass * s.mass * (r.rate(bodies) - wanted + s.mixing * r.x) - soft.decay * r.x;
                let change = bounded(r.x + step, s.bounds[0], s.bounds[1]) - r.x;
                block.push((&mut moving.rows, 1.0), s.row, bodies, &s.beside, change);
            }
        });
        if !singles.is_empty() {
            let held = Softened { decay: 0.0, ..held };
            each_block(blocks, singles, |block, beside| hold(block, &mut moving.rows, beside, bodies, held));
        }
    }

    /// Adds the multipliers of a sub-step to the answer.
    pub(super) fn add_to(&self, answer: &mut GroupAnswer) {
        self.moving.add_to(answer, 1.0);
    }
}

/// Visits blocks in their order, each with the rows beside it.
fn each_block(blocks: &[HeldRows], singles: &[Single], mut visit: impl FnMut(&HeldRows, &[Single])) {
    let mut others = singles;
    for (block, place) in blocks.iter().zip(0..) {
        let (beside, rest) = others.split_at(others.iter().take_while(|s| s.block == place).count());
        others = rest;
        visit(block, beside);
    }
}

/// Solves the rigid rows of a block. What comes with limits, motors and springs is as rigid as they are: what is the block's own yields.
fn hold(block: &HeldRows, rows: &mut [MovingRow], beside: &[Single], bodies: &mut [MovingBody], soft: Softened) {
    let mut step = [0.0; MOST];
    for (to, &i) in step.iter_mut().zip(block.rows()) {
        let r = &rows[i as usize];
        *to = -soft.mass * (r.rate(bodies) - r.row.target + soft.rate * r.row.error);
    }
    block.solve(&mut step);
    for (k, (change, &i)) in step.iter().zip(block.rows()).enumerate() {
        let with: Real = beside.iter().map(|s| s.beside.with[k] * rows[s.row as usize].x).sum();
        let r = &mut rows[i as usize];
        let change = change - soft.decay * (r.x - with);
        r.x += change;
        r.push(bodies, change);
    }
}

fn single(moving: &MovingJoints, i: u32, (block, beside): (u32, Beside), held: Softened, step: SubStep) -> Single {
    let SubStep { h, whole, resting } = step;
    let moving = &moving.rows[i as usize];
    let r = &moving.row;
    let mut s = Single {
        row: i,
        block,
        beside,
        mass: 0.0,
        mixing: 0.0,
        wanted: [r.target; 2],
        soft: Softened::RIGID,
        bounds: [r.limits.lo, r.limits.hi].map(|f| if f == 0.0 { 0.0 } else { f * h }),
        is_spring: false,
    };
    if moving.rebound > 0.0 {
        s.wanted = [moving.rebound; 2];
    } else if moving.is_limit() && r.error > 0.0 {
        s.wanted = [r.target - r.error / h; 2];
    } else if let Some(spring) = r.softness.as_spring(whole) {
        let (erp, cfm) = spring.over(h);
        s.mixing = cfm / (h * h);
        s.wanted[0] = r.target - erp * r.error / h;
        s.is_spring = true;
    } else if moving.is_limit() {
        s.soft = held;
        s.wanted[0] = r.target - held.rate * r.error;
    }
    if moving.is_limit() && r.restitution > 0.0 && moving.rebound == 0.0 && moving.approach > resting {
        // with what speed a limit that bounces is reached is for the sub-step to see in which it is
        s.wanted[1] = Real::MIN;
    }
    let total = beside.response + s.mixing;
    s.mass = if total > 0.0 { 1.0 / total } else { 0.0 };
    s
}
