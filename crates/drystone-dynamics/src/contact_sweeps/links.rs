use super::body::Body;
use super::clock::VisitClock;
use crate::assemble::assemble_joints;
use crate::chord_limit::ChordWork;
use crate::correction::assemble_joint_errors;
use crate::formulation::write_multipliers;
use crate::row_solver::twist;
use crate::{ConstraintRows, CorrectionParameters, RowParameters};
use drystone_core::{GroupAnswer, GroupBody, GroupProblem, LcpSummary, SolveReport, Step};
use drystone_lcp::{LcpOperator, Share, SweepsInTurn};
use drystone_math::{Real, Twist};

/// The joints of a group whose contacts are swept by patches.
///
/// One visit takes the velocities that patches have given the bodies, sweeps over limits and motors, and solves for the rows without bounds: afterwards joints hold, whatever
/// contacts do.
#[derive(Debug, Default)]
pub(super) struct Links {
    rows: ConstraintRows,
    sweeps: SweepsInTurn,
    /// The multipliers that the solve starts from.
    start: Vec<Real>,
    /// The bodies that joints act on, and their velocities without any impulses.
    members: Vec<(u32, Twist)>,
    /// By how much all impulses change velocities, six numbers per body.
    changes: Vec<Real>,
    /// Compliance of rows without bounds, as a fraction of their diagonal entries; 0: only where they are redundant.
    compliance: Real,
}

impl Links {
    /// With joints that yield by this fraction of the diagonal entries of their rows.
    pub(super) fn with_compliance(compliance: Real) -> Self {
        Self { compliance, ..Self::default() }
    }

    /// Counts the work of its solves from here on against this share.
    pub(super) fn share(&mut self, share: Share) {
        self.sweeps.share(share);
    }

    /// Takes in the joints of a problem, without the fraction `given_up` of their chords. False if they cannot be factorised.
    pub(super) fn take(
        &mut self,
        problem: &GroupProblem,
        parameters: &RowParameters,
        step: Step,
        given_up: Real,
    ) -> bool {
        self.rows.given_up = given_up;
        assemble_joints(problem, &parameters.started(step), step.h, step.horizon, &mut self.rows);
        self.begin(problem, self.compliance, |body| body.velocity + body.external)
    }

    /// Takes in the errors of joints that yield by this fraction of their diagonal entries, to be removed by displacements, which then stand for velocities. False if
    /// they cannot be factorised.
    pub(super) fn take_errors(
        &mut self,
        problem: &GroupProblem,
        parameters: &CorrectionParameters,
        compliance: Real,
    ) -> bool {
        assemble_joint_errors(problem, parameters, 0.0, &mut self.rows);
        self.begin(problem, compliance, |_| Twist::ZERO)
    }

    fn begin(&mut self, problem: &GroupProblem, compliance: Real, free: impl Fn(&GroupBody) -> Twist) -> bool {
        let Self { rows, sweeps, start, members, changes, .. } = self;
        members.clear();
        let mut last = [u32::MAX; 2];
        for r in &problem.rows {
            if r.bodies != last {
                last = r.bodies;
                members.extend(last.iter().map(|&i| (i, free(&problem.bodies[i as usize]))));
            }
        }
        members.sort_unstable_by_key(|(body, _)| *body);
        members.dedup_by_key(|(body, _)| *body);
        changes.clear();
        changes.resize(6 * problem.bodies.len(), 0.0);
        let (view, x) = rows.split();
        let begun = if compliance == 0.0 { sweeps.begin(&view, x) } else { sweeps.begin_damped(&view, x, compliance) };
        start.clone_from(&rows.x);
        begun
    }

    /// Applies the multipliers of the last step to the bodies.
    pub(super) fn start(&mut self, bodies: &mut [Body]) {
        let Self { rows, start, members, changes, .. } = self;
        rows.x.copy_from_slice(start);
        rows.operator.start(&rows.x, changes);
        for (i, _) in &*members {
            bodies[*i as usize].velocity += twist(change_of(changes, *i));
        }
    }

    /// One visit; returns by how much bodies were off (m/s).
    pub(super) fn visit(&mut self, bodies: &mut [Body], clock: &mut VisitClock) -> Real {
        self.read(bodies);
        let Self { rows, sweeps, changes, .. } = self;
        let (view, x) = rows.split();
        sweeps.sweep(&view, x, changes);
        self.write_velocities(bodies, clock)
    }

    /// Solves the rows without bounds down to rounding.
    pub(super) fn settle(&mut self, bodies: &mut [Body], clock: &mut VisitClock) {
        self.read(bodies);
        let Self { rows, sweeps, changes, .. } = self;
        let (view, x) = rows.split();
        sweeps.settle(&view, x, changes);
        self.write_velocities(bodies, clock);
    }

    /// Solves a group of joints alone, and writes velocities.
    pub(super) fn solve_alone(&mut self, problem: &GroupProblem, answer: &mut GroupAnswer) -> SolveReport {
        let Self { rows, start, sweeps, members, changes, .. } = self;
        rows.x.copy_from_slice(start);
        rows.operator.start(&rows.x, changes);
        let (view, x) = rows.split();
        let visits = if sweeps.bounded() == 0 { 1 } else { 4 };
        for _ in 0..visits {
            sweeps.sweep(&view, x, changes);
        }
        for (i, free) in &*members {
            if problem.bodies[*i as usize].is_movable() {
                answer.velocity[*i as usize] = *free + twist(change_of(changes, *i));
            }
        }
        SolveReport {
            lcp: LcpSummary { solves: 1, iterations: visits, ..LcpSummary::default() },
            ..SolveReport::default()
        }
    }

    /// Changes of velocity (by body) that take out rates of the rows without bounds, with the factors of the last problem; `x` becomes the multipliers. Returns
    /// the kinetic energy of the changes (J).
    pub(super) fn close(&mut self, rates: &[Real], ways: &mut Vec<Twist>, x: &mut Vec<Real>) -> Real {
        self.respond(rates, x);
        ways.clear();
        ways.extend(self.changes.as_chunks::<6>().0.iter().map(twist));
        self.energy(x)
    }

    /// The kinetic energy that the joints take if nothing else acts and their rows are straight (J).
    pub(super) fn energy_taken(&mut self, x: &mut Vec<Real>) -> Real {
        let rates = core::mem::take(&mut self.rows.b);
        self.respond(&rates, x);
        self.rows.b = rates;
        self.energy(x)
    }

    /// The kinetic energy that the joints add along their chords (J).
    pub(super) fn energy_along_chords(&mut self, x: &mut Vec<Real>) -> Real {
        let rates = core::mem::take(&mut self.rows.chords);
        self.respond(&rates, x);
        self.rows.chords = rates;
        self.energy(x)
    }

    fn respond(&mut self, rates: &[Real], x: &mut Vec<Real>) {
        let Self { rows, sweeps, changes, .. } = self;
        changes.fill(0.0);
        x.clear();
        x.resize(rates.len(), 0.0);
        sweeps.close(&rows.operator, rates, changes, x);
    }

    /// `x . J M^-1 J^T x / 2` of the multipliers that `changes` belongs to (J).
    fn energy(&self, x: &[Real]) -> Real {
        let own = |(i, x_i): (usize, &Real)| x_i * self.rows.operator.row_dot(i, x, &self.changes);
        0.5 * x.iter().enumerate().map(own).sum::<Real>()
    }

    /// Asks for a share of the chords.
    pub(super) fn bend(&mut self, share: Real) {
        let ConstraintRows { b, chords, .. } = &mut self.rows;
        b.iter_mut().zip(chords).for_each(|(b, chord)| *b += *chord * share);
    }

    /// The chord of a row, of which a share is asked for (m/s).
    pub(super) fn chord(&self, row: usize) -> Real {
        self.rows.chords[row]
    }

    fn read(&mut self, bodies: &[Body]) {
        let Self { members, changes, .. } = self;
        for (i, free) in &*members {
            let Twist { linear: v, angular: w } = bodies[*i as usize].velocity - *free;
            changes.as_chunks_mut::<6>().0[*i as usize] = [v.x, v.y, v.z, w.x, w.y, w.z];
        }
    }

    fn write_velocities(&self, bodies: &mut [Body], clock: &mut VisitClock) -> Real {
        let mut off: Real = 0.0;
        clock.now += 1;
        for (i, free) in &self.members {
            let body = &mut bodies[*i as usize];
            let velocity = *free + twist(change_of(&self.changes, *i));
            let moved = body.speed(velocity - body.velocity);
            off = off.max(moved);
            body.velocity = velocity;
            if body.moves && moved > clock.stirring {
                body.stirred = clock.now;
            }
        }
        off
    }

    /// Hands the multipliers back to the joints; returns the work of their chords.
    pub(super) fn write(&mut self, problem: &GroupProblem, answer: &mut GroupAnswer) -> ChordWork {
        let work = ChordWork::of(&self.rows, &self.changes);
        write_multipliers(problem, &mut self.rows, answer);
        work
    }

    /// Multiplications that its solves have taken.
    pub(super) fn spent(&self) -> Real {
        self.sweeps.spent()
    }

    /// Number of multipliers.
    pub(super) fn variables(&self) -> u64 {
        self.rows.len() as u64
    }
}

fn change_of(changes: &[Real], body: u32) -> &[Real; 6] {
    &changes.as_chunks::<6>().0[body as usize]
}
