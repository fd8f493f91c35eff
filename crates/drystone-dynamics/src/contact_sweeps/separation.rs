use super::body::Body;
use super::overlap::wanted;
use super::patch::Patch;
use super::support::Support;
use drystone_core::{GroupAnswer, GroupContact, GroupProblem, LcpSummary, OneThread, SolveReport};
use drystone_math::{Real, Registers, Twist};
use pulp::{Simd, WithSimd};

/// Displacements that remove penetration, by sweeps over the normals of patches from the bottom up.
#[derive(Debug, Default)]
pub(super) struct Separation {
    pub(super) bodies: Vec<Body>,
    support: Support,
    /// Patches of several points that something pushes and that are visited again.
    patches: Vec<Patch>,
    /// A patch that is visited only once.
    passing: Patch,
    /// For each contact: the impulse of a single point; below, for the first contact of a patch, the index of that patch. Impulses stand for displacements.
    pushed: Vec<Real>,
    seated: Vec<u32>,
    arch: Registers,
}

/// A sweep, to be compiled for whatever registers the processor has. Nothing is reordered or fused: the bits are the same on all of them.
struct Sweep<'a> {
    group: &'a mut Separation,
    problem: &'a GroupProblem,
    slop: Real,
    /// Number of sweeps left, this one included.
    left: usize,
}

impl WithSimd for Sweep<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        self.group.run(self.problem, self.slop, self.left);
    }
}

/// Marks a patch that has not been made.
const NOBODY: u32 = u32::MAX;

impl Separation {
    pub(super) fn correct(
        &mut self,
        problem: &GroupProblem,
        slop: Real,
        sweeps: usize,
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        self.begin(problem);
        self.seat(problem);
        for left in (1..=sweeps).rev() {
            self.sweep(problem, slop, left);
        }
        self.write(answer);
        SolveReport {
            lcp: LcpSummary { solves: 1, iterations: sweeps as u64, ..LcpSummary::default() },
            ..SolveReport::default()
        }
    }

    /// Takes in a group, whose bodies stay where they are.
    pub(super) fn begin(&mut self, problem: &GroupProblem) {
        self.bodies.clear();
        self.bodies.extend(problem.bodies.iter().map(Body::displaced));
    }

    /// Takes in its contacts, for sweeps.
    pub(super) fn seat(&mut self, problem: &GroupProblem) {
        self.support.find(&problem.contacts, &self.bodies, problem.up, &OneThread);
        self.patches.clear();
        self.seated.clear();
        self.seated.resize(problem.contacts.len(), NOBODY);
        self.pushed.clear();
        self.pushed.resize(problem.contacts.len(), 0.0);
    }

    /// One sweep; `left` are still to be made, this one included.
    pub(super) fn sweep(&mut self, problem: &GroupProblem, slop: Real, left: usize) {
        let arch = self.arch;
        arch.dispatch(Sweep { group: self, problem, slop, left });
    }

    /// Writes the displacements of the bodies.
    pub(super) fn write(&self, answer: &mut GroupAnswer) {
        for (out, body) in answer.correction.iter_mut().zip(&self.bodies) {
            *out = body.velocity;
        }
    }

    #[inline(always)]
    fn run(&mut self, problem: &GroupProblem, slop: Real, left: usize) {
        let Self { patches, passing, bodies, support, seated, pushed, .. } = self;
        for seat in &support.order().seats {
            let first = seat.first as usize;
            let points = &problem.contacts[first..first + seat.count as usize];
            if let [point] = points {
                push_apart(point, bodies, slop, &mut pushed[first]);
                continue;
            }
            let at = &mut seated[first];
            if *at != NOBODY {
                patches[*at as usize].push_apart(bodies);
                continue;
            }
            // what lies still and is not deep is left out, and not even made
            let displaced = seat.bodies.iter().any(|b| bodies[*b as usize].velocity != Twist::ZERO);
            if !displaced && points.iter().all(|c| c.separation >= -slop) {
                continue;
            }
            let patch = if left == 1 {
                passing.clear();
                &mut *passing
            } else {
                *at = patches.len() as u32;
                patches.push(Patch::BLANK);
                &mut patches[*at as usize]
            };
            patch.set_normals(points, seat, bodies);
            for (target, c) in patch.target.iter_mut().zip(points) {
                *target = wanted(c.separation, slop);
            }
            patch.push_apart(bodies);
        }
    }
}

/// Parts two bodies at a single point; `pushed` is its impulse so far.
#[inline(always)]
fn push_apart(c: &GroupContact, bodies: &mut [Body], slop: Real, pushed: &mut Real) {
    let [a, b] = c.bodies.map(|i| i as usize);
    let n = c.normal;
    let arms = [a, b].map(|i| c.position - bodies[i].position);
    let rate = n.dot(bodies[b].velocity.at(arms[1]) - bodies[a].velocity.at(arms[0]));
    let missing = wanted(c.separation, slop) - rate;
    if *pushed == 0.0 && missing <= 0.0 {
        return;
    }
    let levers = arms.map(|arm| arm.cross(n));
    let turned = [bodies[a].inverse_inertia.mul_vec(levers[0]), bodies[b].inverse_inertia.mul_vec(levers[1])];
    let gives = |i: usize, s: usize| bodies[i].inverse_mass + levers[s].dot(turned[s]);
    let response = gives(a, 0) + gives(b, 1);
    if response <= 0.0 {
        return;
    }
    let push = (*pushed + missing / response).max(0.0);
    let change = push - *pushed;
    *pushed = push;
    for (s, (i, x)) in [(a, -change), (b, change)].into_iter().enumerate() {
        let body = &mut bodies[i];
        if body.moves {
            body.velocity.linear += n * (x * body.inverse_mass);
            body.velocity.angular += turned[s] * x;
        }
    }
}
