use crate::support_change::FAR;
use drystone_core::{Closing, GroupProblem, GroupRow, Impact, ImpactWork, Level, RowLimits, Step, make_room};
use drystone_math::{Real, Twist, Vec3};

/// Limits of joints that are reached and bounce within a step.
///
/// For a contact it is known how external forces change its gap, because they act on its bodies. They change a joint's angle through the reactions of the joint,
/// so a first solve without these limits finds the rates at which the step would end. From these, [`Closing`] gives the same as for contacts: when the
/// limit is reached, how fast, and at which rate the step must end.
#[derive(Debug, Default)]
pub(crate) struct LimitBounce {
    limits: Vec<Limit>,
}

#[derive(Debug, Clone, Copy)]
struct Limit {
    row: u32,
    /// The row as it was before any change.
    error: Real,
    target: Real,
    restitution: Real,
    /// Impact at the limit, if there is one.
    hit: Option<Hit>,
}

/// A limit that is hit.
#[derive(Debug, Clone, Copy)]
struct Hit {
    /// When it is hit, as a fraction of the horizon.
    at: Real,
    /// The change of the rate by forces before and after the hit.
    force: [Real; 2],
    /// Rates at which the step must end, without restitution and with it.
    targets: [Real; 2],
    closing: Closing,
}

impl Hit {
    /// The hit of a limit at a given time of the step.
    fn of(l: &Limit, closing: Closing, at: Real) -> Self {
        let until = closing.force_until(at);
        let force = if closing.is_touching() { [0.0; 2] } else { [until, closing.after - closing.before - until] };
        let impact = Impact { at, approach: closing.before + force[0] };
        let targets = [0.0, l.restitution].map(|e| l.target + closing.velocity_for(&impact, -e * impact.approach));
        Self { at, force, targets, closing }
    }
}

/// For each body, the result of the step if no limit is reached.
#[derive(Debug, Clone, Copy)]
pub(crate) enum End<'a> {
    /// The velocities.
    Velocities(&'a [Twist]),
    /// The changes that external forces make in them, through the joints.
    Changes(&'a [Twist]),
}

/// Limits may be reached if their gap is at most this many times the way at the present rate: external forces at most double the rate of what does not rest.
const REACH: Real = 2.0;

/// A limit reached at the very end of the horizon counts as reached.
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

    /// Returns true if the list of limits is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.limits.is_empty()
    }

    /// Takes the limits out of the problem.
    pub(crate) fn hold_off(&self, problem: &mut GroupProblem) {
        for l in &self.limits {
            problem.rows[l.row as usize].row.error = FAR;
        }
    }

    /// Brings the limits back: those that would be reached without them ask for the rate after their impact. An approach slower than
    /// `resting_factor` times what forces add in the step is no impact.
    pub(crate) fn let_come(&mut self, problem: &mut GroupProblem, end: End<'_>, resting_factor: Real, horizon: Real) {
        for l in &mut self.limits {
            let r = &problem.rows[l.row as usize];
            let before = rate(r, |i| problem.bodies[i].velocity) - l.target;
            let after = match end {
                End::Velocities(free) => rate(r, |i| free[i]) - l.target,
                End::Changes(response) => before + rate(r, |i| response[i]),
            };
            let closing = Closing { gap: l.error, before, after, horizon };
            let row = &mut problem.rows[l.row as usize].row;
            row.error = l.error;
            if let Some(impact) = closing.impact(l.restitution, resting_factor * (after - before).abs()) {
                let hit = Hit::of(l, closing, impact.at);
                l.hit = Some(hit);
                row.error = 0.0;
                row.target = hit.targets[1];
            }
        }
    }

    /// The bodies of the limits that are hit, and when, as a fraction of the horizon.
    pub(crate) fn hits<'a>(&'a self, problem: &'a GroupProblem) -> impl Iterator<Item = ([u32; 2], Real)> + 'a {
        self.limits.iter().filter_map(|l| Some((problem.rows[l.row as usize].bodies, l.hit?.at)))
    }

    /// Makes limits be hit no later than their bodies turn; `turn` gives that time as a fraction of the horizon, for the bodies of a limit.
    pub(crate) fn hit_by(&mut self, problem: &mut GroupProblem, mut turn: impl FnMut(&GroupProblem, [u32; 2]) -> Real) {
        for l in &mut self.limits {
            let Some(hit) = l.hit else { continue };
            let at = turn(problem, problem.rows[l.row as usize].bodies);
            if at < hit.at {
                let hit = Hit::of(l, hit.closing, at);
                l.hit = Some(hit);
                problem.rows[l.row as usize].row.target = hit.targets[1];
            }
        }
    }

    /// Returns true if a limit is hit.
    pub(crate) fn is_hit(&self) -> bool {
        self.limits.iter().any(|l| l.hit.is_some())
    }

    /// Makes limits that are hit give back nothing or, if `full`, what they normally do.
    pub(crate) fn set_restitution(&self, problem: &mut GroupProblem, full: bool) {
        for (l, hit) in self.limits.iter().filter_map(|l| Some((l, l.hit?))) {
            problem.rows[l.row as usize].row.target = hit.targets[usize::from(full)];
        }
    }

    /// Makes limits that are hit within the step be hit at once, at the rate that their bodies have before it.
    pub(crate) fn hit_now(&mut self, problem: &mut GroupProblem) {
        for l in &mut self.limits {
            let Some(hit) = l.hit else { continue };
            let closing = Closing { gap: 0.0, ..hit.closing };
            let hit = Hit::of(l, closing, 0.0);
            l.hit = Some(hit);
            problem.rows[l.row as usize].row.target = hit.targets[1];
        }
    }

    /// Adds the work of limits on the way from the velocities and multipliers without restitution to those with it, to the entry of their pair of
    /// bodies. A limit that bears without being hit is pressed together by others that are, as a contact may be, and adds energy if it was parting.
    pub(crate) fn add_work(
        &self,
        problem: &GroupProblem,
        velocities: [&[Twist]; 2],
        multipliers: [&[Real]; 2],
        (work, mut of_pair): (&mut [ImpactWork], impl FnMut([u32; 2]) -> u32),
    ) {
        let mut hits = self.limits.iter().filter_map(|l| Some((l, l.hit?))).peekable();
        for (k, r) in problem.rows.iter().enumerate() {
            let hit = hits.next_if(|(l, _)| l.row as usize == k);
            if r.row.limits != RowLimits::UNILATERAL || r.row.softness.is_soft() {
                continue;
            }
            let (target, restitution) = hit.map_or((r.row.target, 0.0), |(l, _)| (l.target, l.restitution));
            let [past, future] = hit.map_or([0.0; 2], |(_, hit)| hit.force);
            let before = rate(r, |i| problem.bodies[i].velocity) - target + past;
            let after = velocities.map(|v| rate(r, |i| v[i]) - target - future);
            let along = |x: Real| Vec3::X * x;
            work[of_pair(r.bodies) as usize].add(
                multipliers.map(|x| along(x[k])),
                along(before),
                after.map(along),
                restitution,
            );
        }
    }
}

/// A row as a solver of forces takes it; `None` for a bouncing limit that is approached faster than `resting` (m/s or rad/s), because forces do not stop that. The
/// impact before the step in which the limit is reached at the present rate does: it leaves the rate given by the coefficient of restitution.
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

fn rate(r: &GroupRow, velocity: impl Fn(usize) -> Twist) -> Real {
    r.row.rate(r.bodies.map(|i| velocity(i as usize)))
}
