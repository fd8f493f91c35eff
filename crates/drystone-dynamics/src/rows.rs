use crate::contact_rows::ContactRows;
use crate::joint_basis::JointBasis;
pub(crate) use crate::row::Row;
use drystone_core::{GroupAnswer, GroupBody, GroupProblem, GroupRow};
use drystone_lcp::{FactoredOperator, LcpOperator, Matrix, NO_DEPENDENCY, NO_PARTNER, OperatorRef, ProblemView};
use drystone_math::{Real, Twist};

/// Largest number of bodies of a group whose start is scaled.
pub(crate) const MOST_BODIES: usize = 64;

/// The boxed complementarity problem of a group, `w = J W J^T x + b` (C-19), in columns that are kept and refilled.
///
/// Rows come in this order: one per row of [`GroupProblem::rows`], then for each contact the normal and, if there is
/// friction, the first and the second tangent, spinning, and rolling about either tangent. The rigid rows of a joint are
/// made orthogonal to each other if [`crate::RowParameters::orthogonal_joints`] is set; x then refers to the orthogonal rows too.
// F-40, G-24
#[derive(Debug, Default)]
pub struct ConstraintRows {
    /// J, W = M^-1 and the regularisation.
    pub operator: FactoredOperator,
    /// b.
    pub b: Vec<Real>,
    /// Lower bounds.
    pub lo: Vec<Real>,
    /// Upper bounds.
    pub hi: Vec<Real>,
    /// The normal row that bounds a tangent row, or [`NO_DEPENDENCY`].
    pub dependency: Vec<u32>,
    /// Coefficient of the dependent bounds.
    pub mu: Vec<Real>,
    /// The row that a row shares a disc with, or [`NO_PARTNER`].
    pub partner: Vec<u32>,
    /// Start value, then solution: impulses (N s) or, in a correction, the multipliers of displacements.
    pub x: Vec<Real>,
    /// The part of a row's b that comes from the curvature of its constraint during the step (m/s or rad/s); rows beyond the end have none.
    pub(crate) chords: Vec<Real>,
    /// For each row of a joint, the components of its b and chord.
    pub(crate) bends: Vec<Bend>,
    /// True if the rows of joints are rigid and in their original form, so that `bends` determines them completely.
    pub(crate) plain: bool,
    /// True if no row has a bound.
    pub(crate) unbounded: bool,
    /// The fraction of the chords that is left out.
    pub(crate) given_up: Real,
    /// Which rows each contact has.
    pub(crate) contacts: Vec<ContactRows>,
    /// Basis of the joints' rows.
    pub(crate) basis: JointBasis,
    /// True if these rows, and those that were here before them, were given to their solver.
    solved: [bool; 2],
}

/// The components of the right-hand side of a joint's row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bend {
    /// b without the chord (m/s or rad/s).
    pub(crate) bare: Real,
    /// The fraction of the chord that counts.
    pub(crate) trust: Real,
}

impl ConstraintRows {
    /// Empties the columns, keeps their memory, and takes in the bodies of a group.
    pub(crate) fn restart(&mut self, bodies: &[GroupBody]) {
        self.operator.clear();
        self.solved = [false, self.solved[0]];
        self.b.clear();
        self.lo.clear();
        self.hi.clear();
        self.dependency.clear();
        self.mu.clear();
        self.partner.clear();
        self.x.clear();
        self.chords.clear();
        self.bends.clear();
        self.plain = true;
        self.unbounded = true;
        self.contacts.clear();
        self.basis.clear();
        for body in bodies {
            let (d, o) = (body.inverse_inertia.diagonal, body.inverse_inertia.off_diagonal);
            self.operator.push_body(body.inverse_mass, [d.x, d.y, d.z, o.z, o.y, o.x]);
        }
    }

    /// Records that the rows go to the one solver that they are for; returns what it may assume about their matrix.
    pub(crate) fn note_solve(&mut self) -> Matrix {
        let [own, before] = self.solved;
        self.solved[0] = true;
        if own || (before && self.operator.is_as_before()) { Matrix::OfLastSolve } else { Matrix::Any }
    }

    /// Makes the next row of a joint orthogonal to the rigid rows that it has already.
    pub(crate) fn reduce(&mut self, problem: &GroupProblem, joint: u32, row: &mut Row, sides: [&mut Real; 2]) {
        let bodies = row.bodies.map(|i| &problem.bodies[i as usize]);
        self.basis.reduce(joint, self.b.len(), bodies, row, sides);
    }

    /// Appends a row with constant bounds; returns its number.
    pub(crate) fn push(&mut self, row: Row, b: Real, lo: Real, hi: Real, x: Real) -> u32 {
        self.push_dependent(row, b, (lo, hi), NO_DEPENDENCY, 0.0, x)
    }

    /// Appends a row whose bounds are `-+ mu` times another row's multiplier.
    pub(crate) fn push_dependent(
        &mut self,
        row: Row,
        b: Real,
        bounds: (Real, Real),
        dependency: u32,
        mu: Real,
        x: Real,
    ) -> u32 {
        // bodies of a group problem are in range by construction
        let pushed = self.operator.push_row(row.bodies, blocks(row.jacobian[0]), blocks(row.jacobian[1]), row.cfm);
        debug_assert!(pushed.is_ok(), "a row names a body outside of its group");
        self.b.push(b);
        self.unbounded &= bounds == (Real::NEG_INFINITY, Real::INFINITY) && dependency == NO_DEPENDENCY;
        self.lo.push(bounds.0);
        self.hi.push(bounds.1);
        self.dependency.push(dependency);
        self.mu.push(mu);
        self.partner.push(NO_PARTNER);
        self.x.push(x);
        self.b.len() as u32 - 1
    }

    /// Appends the blocks of rows without bounds, all between the same two bodies, to the operator alone; `b` and `x` have them already. [`Self::level`] must be called before
    /// any other row, and at the end.
    #[inline(always)]
    pub(crate) fn push_rigid_blocks(&mut self, own: &[GroupRow]) {
        let rows = own.iter().map(|r| (r.row.jacobian.map(blocks), 0.0));
        let pushed = self.operator.push_rows(own[0].bodies, rows);
        debug_assert!(pushed.is_ok(), "a row names a body outside of its group");
    }

    /// Brings all columns to the same length after [`Self::push_rigid_blocks`].
    pub(crate) fn level(&mut self) {
        let n = self.b.len();
        self.lo.resize(n, Real::NEG_INFINITY);
        self.hi.resize(n, Real::INFINITY);
        self.dependency.resize(n, NO_DEPENDENCY);
        self.mu.resize(n, 0.0);
        self.partner.resize(n, NO_PARTNER);
    }

    /// Makes the last two rows share a disc.
    pub(crate) fn share_disc(&mut self) {
        let n = self.partner.len();
        if let [first, second] = &mut self.partner[n.saturating_sub(2)..] {
            (*first, *second) = (n as u32 - 1, n as u32 - 2);
        }
    }

    /// Scales the start value down if it is worse than zero, so that no solve begins with more energy than it found.
    ///
    /// `x^T A x / 2 + b^T x` is the kinetic energy that impulses add (with b the velocities without them). Multipliers of the
    /// last step that no longer fit, for instance of a joint that has turned far meanwhile, make it positive, and a few sweeps do not remove
    /// it again: the next start is even worse. Along the ray of the start the sum is zero again at the factor `-2 b^T x / x^T A x`, which is one
    /// if the start adds nothing: a start that is a little too large is made a little smaller. (The energy is least at half of
    /// that; with that factor, a column whose forces sweeps had not found still lost half of its support whenever it moved up.)
    /// Bounds contain zero, so a scaled start satisfies them.
    ///
    /// Groups of more than 64 bodies are left alone: with one factor for all, a landing in one place would take support from what rests elsewhere.
    /// `changes` is a buffer.
    pub fn limit_start(&mut self, changes: &mut Vec<Real>) {
        if self.operator.bodies() > MOST_BODIES {
            return;
        }
        changes.clear();
        changes.resize(6 * self.operator.bodies(), 0.0);
        self.operator.start(&self.x, changes);
        let (mut square, mut linear) = (0.0, 0.0);
        for (i, (x, b)) in self.x.iter().zip(&self.b).enumerate() {
            square += x * self.operator.row_dot(i, &self.x, changes);
            linear += x * b;
        }
        if 0.5 * square + linear > 0.0 {
            let scale = scale_without_gain(square, linear);
            for x in &mut self.x {
                *x *= scale;
            }
        }
    }

    /// Displacement of bodies by a correction in the kinetic-energy norm, relative to the displacement that each row
    /// would cause alone.
    /// `changes` are the displacements, six numbers each, or `None` if the rows are equations that hold: `A x = -b`.
    pub(crate) fn displacement_ratio(&self, changes: Option<&[Real]>) -> Real {
        let (mut square, mut alone) = (0.0, 0.0);
        for (i, (x, b)) in self.x.iter().zip(&self.b).enumerate() {
            square += x * changes.map_or(-b, |changes| self.operator.row_dot(i, &self.x, changes));
            if self.lo[i] < 0.0 || *b < 0.0 {
                alone += b * b / self.operator.diagonal(i).max(Real::MIN_POSITIVE);
            }
        }
        if square > 0.0 { (square / alone).sqrt() } else { 0.0 }
    }

    /// The problem in the form that solvers take, and the start value.
    pub fn split(&mut self) -> (ProblemView<'_>, &mut [Real]) {
        let view = ProblemView {
            operator: OperatorRef::Factored(&self.operator),
            b: &self.b,
            lo: &self.lo,
            hi: &self.hi,
            dependency: &self.dependency,
            mu: &self.mu,
            partner: &self.partner,
        };
        (view, &mut self.x)
    }

    /// The multipliers of a solver's answer to `problem`, in the order of these rows, which must be those of the problem.
    pub fn multipliers_of(&self, problem: &GroupProblem, answer: &GroupAnswer) -> Vec<Real> {
        let mut x = answer.rows.clone();
        x.resize(self.len(), 0.0);
        self.basis.enter(&mut x);
        for ((rows, c), impulse) in self.contacts.iter().zip(&problem.contacts).zip(&answer.contacts) {
            rows.read(impulse, answer.torques.get(c.surface as usize), &mut x);
        }
        x
    }

    /// Returns true if any rows share a disc.
    pub(crate) fn has_discs(&self) -> bool {
        self.partner.iter().any(|&k| k != NO_PARTNER)
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.b.len()
    }

    /// Returns true if there is no row.
    pub fn is_empty(&self) -> bool {
        self.b.is_empty()
    }
}

/// The fraction of a start with `x^T A x` = `square` and `b^T x` = `linear` that adds no energy.
pub(crate) fn scale_without_gain(square: Real, linear: Real) -> Real {
    if square > 0.0 { (-2.0 * linear / square).clamp(0.0, 1.0) } else { 0.0 }
}

/// A block of J in the form that the operator takes.
#[inline]
fn blocks(t: Twist) -> [Real; 6] {
    [t.linear.x, t.linear.y, t.linear.z, t.angular.x, t.angular.y, t.angular.z]
}
