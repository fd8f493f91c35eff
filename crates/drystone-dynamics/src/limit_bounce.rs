use drystone_core::{
    Closing, GroupAnswer, GroupProblem, GroupRow, Impact, ImpactWork, Level, RowLimits, Step, make_room,
};
use drystone_math::{Real, Twist, Vec3};

/// Limits of joints that are reached within a step and bounce.
///
/// A contact knows what external forces do to its gap: they act on its bodies. What they do to a joint's angle comes through the reactions of the joint,
/// so a first solve without these limits finds the rates that the step would end with, and [`Closing`] says of them what it says of contacts: when the
/// limit is reached, how fast, and which rate the step must end with.
#[derive(Debug, Default)]
pub(crate) struct LimitBounce {
    limits: Vec<Limit>,
}

#[derive(Debug, Clone, Copy)]
struct Limit {
    row: u32,
    /// The row as it was found.
    error: Real,
    target: Real,
    restitution: Real,
    /// How it is hit, if it is.
    hit: Option<Hit>,
}

/// A limit that is hit.
#[derive(Debug, Clone, Copy)]
struct Hit {
    /// When, as a fraction of the horizon.
    at: Real,
    /// What forces do to the rate before and after the hit.
    force: [Real; 2],
    /// Rates that the step must end with, without restitution and with it.
    targets: [Real; 2],
}

/// So far away that nothing arrives (m or rad).
const FAR: Real = 1e12;

/// Gaps that may close, in parts of the way at the present rate: external forces at most double the rate of what does not rest.
const REACH: Real = 2.0;

/// What is reached in the very end of the horizon is reached.
const ROUNDING: Real = 1e-9;

impl LimitBounce {
    /// Lists the limits that may be reached.
    pub(crate) fn find(&mut self, problem: &GroupProblem, horizon: Real) {
        make_room(&mut self.limits, problem.rows.len());
        for (k, r) in problem.rows.iter().enumerate() {
            let row = &r.row;
            if row.limits == RowLimits::UNILATERAL
                && row.restitution > 0.0
                && row.error <= -REACH * horizon * rate(r, |i| problem.bodies[i].velocity)
            {
                let (error, target, restitution) = (row.error, row.target, row.restitution);
                self.limits.push(Limit { row: k as u32, error, target, restitution, hit: None });
            }
        }
    }

    /// Whether no limit may be reached.
    pub(crate) fn is_empty(&self) -> bool {
        self.limits.is_empty()
    }

    /// Takes them out of the problem.
    pub(crate) fn hold_off(&self, problem: &mut GroupProblem) {
        for l in &self.limits {
            problem.rows[l.row as usize].row.error = FAR;
        }
    }

    /// Brings them back: those that the answer `free` without them reaches ask for the rate after their impact. Slower approach than
    /// `resting_factor` times what forces add in the step is no impact.
    pub(crate) fn let_come(
        &mut self,
        problem: &mut GroupProblem,
        free: &GroupAnswer,
        resting_factor: Real,
        horizon: Real,
    ) {
        for l in &mut self.limits {
            let r = &problem.rows[l.row as usize];
            let before = rate(r, |i| problem.bodies[i].velocity) - l.target;
            let after = rate(r, |i| free.velocity[i]) - l.target;
            let closing = Closing { gap: l.error, before, after, horizon };
            let row = &mut problem.rows[l.row as usize].row;
            row.error = l.error;
            if let Some(impact) = closing.impact(l.restitution, resting_factor * (after - before).abs()) {
                let force = closing.force_until(impact.at);
                let force = if closing.is_touching() { [0.0; 2] } else { [force, after - before - force] };
                let targets = [0.0, l.restitution].map(|e| l.target + leaving(&closing, &impact, e));
                l.hit = Some(Hit { at: impact.at, force, targets });
                row.error = 0.0;
                row.target = targets[1];
            }
        }
    }

    /// The bodies of the limits that are hit, and when, as a fraction of the horizon.
    pub(crate) fn hits<'a>(&'a self, problem: &'a GroupProblem) -> impl Iterator<Item = ([u32; 2], Real)> + 'a {
        self.limits.iter().filter_map(|l| Some((problem.rows[l.row as usize].bodies, l.hit?.at)))
    }

    /// Whether a limit is hit.
    pub(crate) fn is_hit(&self) -> bool {
        self.limits.iter().any(|l| l.hit.is_some())
    }

    /// Lets limits that are hit give back nothing, or what they do.
    pub(crate) fn set_restitution(&self, problem: &mut GroupProblem, full: bool) {
        for (l, hit) in self.limits.iter().filter_map(|l| Some((l, l.hit?))) {
            problem.rows[l.row as usize].row.target = hit.targets[usize::from(full)];
        }
    }

    /// Hits at once what is hit within the step, at the rate that bodies have before it.
    pub(crate) fn hit_now(&mut self, problem: &mut GroupProblem) {
        for l in &mut self.limits {
            let Some(hit) = &mut l.hit else { continue };
            let r = &mut problem.rows[l.row as usize];
            let before = rate(r, |i| problem.bodies[i].velocity) - l.target;
            let targets = [l.target, l.target - l.restitution * before.min(0.0)];
            *hit = Hit { at: 0.0, force: [0.0; 2], targets };
            r.row.target = targets[1];
        }
    }

    /// Adds the work of limits that are hit, along the way from the velocities and multipliers without restitution to those with it.
    pub(crate) fn add_work(
        &self,
        problem: &GroupProblem,
        velocities: [&[Twist]; 2],
        multipliers: [&[Real]; 2],
        work: &mut ImpactWork,
    ) {
        for (l, hit) in self.limits.iter().filter_map(|l| Some((l, l.hit?))) {
            let k = l.row as usize;
            let r = &problem.rows[k];
            let [past, future] = hit.force;
            let before = rate(r, |i| problem.bodies[i].velocity) - l.target + past;
            let after = velocities.map(|v| rate(r, |i| v[i]) - l.target - future);
            let along = |x: Real| Vec3::X * x;
            work.add(multipliers.map(|x| along(x[k])), along(before), after.map(along), l.restitution);
        }
    }
}

/// A row as a solver of forces takes it. Forces do not stop what comes to a limit that bounces, faster than `resting` (m/s or rad/s): `None`. The
/// impact does, before the step in which the limit is reached at the present rate: it leaves what the coefficient of restitution gives.
pub(crate) fn at_instant(problem: &GroupProblem, r: &GroupRow, resting: Real, step: Step) -> Option<GroupRow> {
    let mut r = *r;
    let before = rate(&r, |i| problem.bodies[i].velocity) - r.row.target;
    if r.row.limits != RowLimits::UNILATERAL || r.row.restitution == 0.0 || before >= -resting {
        return Some(r);
    }
    if step.level != Level::Impact {
        return None;
    }
    if r.row.error + before * step.horizon <= ROUNDING * r.row.error {
        r.row.target -= r.row.restitution * before;
        r.row.error = 0.0;
    }
    Some(r)
}

/// The rate that the step must end with.
fn leaving(closing: &Closing, impact: &Impact, restitution: Real) -> Real {
    closing.velocity_for(impact, -restitution * impact.approach)
}

fn rate(r: &GroupRow, velocity: impl Fn(usize) -> Twist) -> Real {
    r.row.rate(r.bodies.map(|i| velocity(i as usize)))
}
