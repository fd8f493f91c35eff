use crate::ConstraintRows;
use crate::row::{Row, is_rigid};
use drystone_core::{GroupProblem, GroupRow, RowLimits};
use drystone_math::{Real, Registers, Vec3};
use pulp::{Simd, WithSimd};

/// Which errors are removed from positions, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of its own in scene files")]
pub struct CorrectionParameters {
    /// Penetration that is left alone (m).
    pub slop: Real,
    /// True if a correction holds contacts from both sides: it then removes every smaller depth too, and closes gaps up
    /// to [`WARNING`] times the slop.
    pub bilateral: bool,
    /// True if joints are corrected; if not, only contacts are.
    pub joints: bool,
    /// True if the rigid rows of each joint are made orthogonal first, so that a row-by-row solver solves a joint at
    /// once.
    pub orthogonal_joints: bool,
    /// True if the joints of a group are first solved among themselves, exactly, as the start of an iterative solver.
    pub joint_start: bool,
    /// Most further Newton steps in groups of joints alone: errors are evaluated again at the new placements of the bodies, and removed by means of the
    /// existing matrix, until none is above a hundred times its slop (1e-8 of its arm); the next step corrects these with its own matrix.
    pub refinements: usize,
}

impl Default for CorrectionParameters {
    fn default() -> Self {
        Self { slop: 1e-6, bilateral: false, joints: true, orthogonal_joints: true, joint_start: true, refinements: 0 }
    }
}

/// The tolerance of contact as a multiple of the slop, which is the warning threshold of Baraff 1995: three quarters of it.
pub const WARNING: Real = 4.0 / 3.0;

impl CorrectionParameters {
    /// Returns true if a contact of this separation is held from both sides.
    fn holds(&self, separation: Real) -> bool {
        self.bilateral && separation <= WARNING * self.slop
    }
}

/// Returns true if a group has an error to be removed: penetration above the slop, or a joint's error above rounding.
pub fn needs_correction(problem: &GroupProblem, parameters: &CorrectionParameters) -> bool {
    let deep = problem.contacts.iter().any(|c| c.separation < -parameters.slop);
    deep || problem.rows.iter().filter(|r| is_corrected(r, parameters)).any(|r| {
        let one_sided = r.row.limits == RowLimits::UNILATERAL;
        let slop = joint_slop(problem, r);
        if one_sided { r.row.error < -slop } else { r.row.error.abs() > slop }
    })
}

/// Builds the correction problem of a group: find the smallest displacement (in the kinetic-energy norm) after which
/// no contact penetrates and no joint is off, `w = J W J^T x + error`. The diagonal entries of joints' rows are increased by the fraction `damping`.
///
/// Contacts with a gap take part, so that correcting one does not drive another into penetration.
///
/// # Source
/// L-04, L-05, L-07, L-09, L-10, thesis (4.270)-(4.283), (6.78). With [`CorrectionParameters::bilateral`] the tolerance correction of Baraff
/// 1995 (L-06): a linear system, in which an error small enough to be left alone is removed too if the same group has one that is not.
pub fn assemble_correction(
    problem: &GroupProblem,
    parameters: &CorrectionParameters,
    damping: Real,
    rows: &mut ConstraintRows,
) {
    assemble_joint_errors(problem, parameters, damping, rows);
    for (k, c) in problem.contacts.iter().enumerate() {
        let least = if parameters.holds(c.separation) { Real::NEG_INFINITY } else { 0.0 };
        rows.push(Row::contact(problem, k, c.normal, 0.0), c.separation, least, Real::INFINITY, 0.0);
    }
}

/// The rows of joints alone, as in [`assemble_correction`].
pub(crate) fn assemble_joint_errors(
    problem: &GroupProblem,
    parameters: &CorrectionParameters,
    damping: Real,
    rows: &mut ConstraintRows,
) {
    rows.restart(&problem.bodies);
    Registers::new().dispatch(JointErrors { problem, parameters, damping, rows });
    rows.level();
}

/// The rows of joints, to be assembled with whatever registers the processor has. Nothing is reordered or fused: the bits are the same on all of them.
struct JointErrors<'a> {
    problem: &'a GroupProblem,
    parameters: &'a CorrectionParameters,
    damping: Real,
    rows: &'a mut ConstraintRows,
}

impl WithSimd for JointErrors<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let Self { problem, parameters, damping, rows } = self;
        let is_plain = |r: &GroupRow| is_corrected(r, parameters) && is_rigid(&r.row);
        for own in problem.rows.chunk_by(|r, next| r.bodies == next.bodies) {
            if damping == 0.0 && !parameters.orthogonal_joints && own.iter().all(is_plain) {
                rows.b.extend(own.iter().map(|r| r.row.error));
                rows.x.resize(rows.b.len(), 0.0);
                rows.push_rigid_blocks(own);
                continue;
            }
            rows.level();
            for r in own.iter().filter(|r| is_corrected(r, parameters)) {
                push_joint_row(problem, parameters, damping, r, rows);
            }
        }
    }
}

/// Appends the row of a joint.
fn push_joint_row(
    problem: &GroupProblem,
    parameters: &CorrectionParameters,
    damping: Real,
    r: &GroupRow,
    rows: &mut ConstraintRows,
) {
    let mut row = Row { bodies: r.bodies, jacobian: r.row.jacobian, cfm: 0.0 };
    if damping > 0.0 {
        row.cfm = damping * row.response(&problem.bodies);
    }
    let mut error = r.row.error;
    if parameters.orthogonal_joints && is_rigid(&r.row) {
        rows.reduce(problem, r.joint, &mut row, [&mut error, &mut 0.0]);
    }
    // bounded forces have no meaning in a world without forces: what they push is pushed all the way
    let bound = |f: Real| if f == 0.0 { 0.0 } else { f.signum() * Real::INFINITY };
    rows.push(row, error, bound(r.row.limits.lo), bound(r.row.limits.hi), 0.0);
}

/// Errors of a joint up to this, relative to the arms of its row, are left alone.
const JOINT_SLOP: Real = 1e-10;
/// The fraction of its bodies' distance from the origin that counts as an arm: the rounding error of a position that far out must not exceed the slop. Also the
/// shortest arm (m).
const FAR: Real = 1e-3;

/// The error of a joint's row (m or rad) that is left alone.
pub(crate) fn joint_slop(problem: &GroupProblem, r: &GroupRow) -> Real {
    slop_at(r, r.bodies.map(|i| far_arm(problem, i)))
}

/// The same for rows between the same bodies.
pub(crate) fn joint_slops<'a>(
    problem: &GroupProblem,
    own: &'a [GroupRow],
) -> impl Iterator<Item = (&'a GroupRow, Real)> {
    let far = own[0].bodies.map(|i| far_arm(problem, i));
    own.iter().map(move |r| (r, slop_at(r, far)))
}

/// The arm (m) that counts because a body is far from the origin.
fn far_arm(problem: &GroupProblem, body: u32) -> Real {
    FAR * problem.bodies[body as usize].pose.position.length()
}

#[inline(always)]
fn slop_at(r: &GroupRow, far: [Real; 2]) -> Real {
    let [a, b] = r.row.jacobian;
    let squares = [a.linear, b.linear, a.angular, b.angular].map(Vec3::length_squared);
    let [linear_a, linear_b, angular_a, angular_b] = squares.map(Real::sqrt);
    let size = |linear: Real, angular: Real, far: Real| if linear > 0.0 { angular / linear + far } else { 1.0 };
    JOINT_SLOP * size(linear_a, angular_a, far[0]).max(size(linear_b, angular_b, far[1])).max(FAR)
}

/// An error of a joint's row in units of the error that is left alone; a row that only pushes has none if it is open.
pub(crate) fn error_size(problem: &GroupProblem, r: &GroupRow, error: Real) -> Real {
    let off = if r.row.limits == RowLimits::UNILATERAL { (-error).max(0.0) } else { error.abs() };
    off / joint_slop(problem, r)
}

pub(crate) fn is_corrected(r: &GroupRow, parameters: &CorrectionParameters) -> bool {
    r.row.correctable && !r.row.softness.is_soft() && parameters.joints
}
