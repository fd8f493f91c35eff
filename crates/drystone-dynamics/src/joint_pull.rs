//! The effect of a joint's multipliers on its bodies: arm and impulse.

use drystone_core::GroupRow;
use drystone_math::{Mat3, Vec3};

/// Arm (m) and impulse (N s) of a joint on each of its bodies; `None` if its rows do not determine the arm.
///
/// Each row pushes along e with the moment `c = b x e`. `sum e x c = sum (1 - e e^T) b` has a unique solution b as soon as two of the
/// directions differ.
#[inline(always)]
pub(crate) fn pulls(rows: &[GroupRow]) -> [Option<(Vec3, Vec3)>; 2] {
    let first = across(rows, 0);
    // whatever pushes one body pulls the other along the same directions
    let opposite = rows.iter().all(|r| r.row.jacobian[0].linear == -r.row.jacobian[1].linear);
    [pull(rows, 0, first), pull(rows, 1, if opposite { first } else { across(rows, 1) })]
}

/// The inverse of `sum (1 - e e^T)` on one side. These are functions because closures called twice are left out of what is compiled for wide registers.
#[inline(always)]
fn across(rows: &[GroupRow], side: usize) -> Option<Mat3> {
    let (mut normal, mut any) = (Mat3::ZERO, false);
    for r in rows {
        let e = r.row.jacobian[side].linear;
        let square = e.length_squared();
        if square != 0.0 {
            normal += Mat3::from_diagonal(Vec3::splat(square)) - outer(e, e);
            any = true;
        }
    }
    // two unit directions at right angles have the determinant 2
    (any && normal.determinant() >= 1e-3).then(|| normal.inverse())
}

/// Arm (m) and impulse (N s) on one side.
#[inline(always)]
fn pull(rows: &[GroupRow], side: usize, across: Option<Mat3>) -> Option<(Vec3, Vec3)> {
    let (mut moment, mut impulse) = (Vec3::ZERO, Vec3::ZERO);
    for r in rows {
        let (e, c) = (r.row.jacobian[side].linear, r.row.jacobian[side].angular);
        moment += e.cross(c);
        impulse += e * r.impulse;
    }
    across.filter(|_| impulse != Vec3::ZERO).map(|across| (across * moment, impulse))
}

/// `a b^T`.
#[inline(always)]
pub(crate) fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
}
