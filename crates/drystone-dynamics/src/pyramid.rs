use crate::assemble::{ContactTarget, normal_target, push_joint_row};
use crate::contact_rows::ContactFriction;
use crate::rows::Row;
use crate::{ConstraintRows, RowParameters};
use drystone_core::GroupProblem;
use drystone_lcp::{BoxedProblem, DenseOperator, LcpOperator};
use drystone_math::elementary::{cos, sin};
use drystone_math::{Real, Vec3};

/// The unsymmetric problem of a group with the full friction pyramid.
///
/// Unknowns: one per joint row, then per contact the normal impulse, the impulses along the `facets` directions of the
/// pyramid, and the auxiliary variable that is the slip speed of a sliding contact.
#[derive(Debug)]
pub struct PyramidProblem {
    /// Joint rows, and per contact the normal row and one row a direction: `w = J W J^T x + b`.
    pub rows: ConstraintRows,
    /// The whole problem, dense.
    pub problem: BoxedProblem,
    /// Directions, contact by contact.
    pub facets: Vec<usize>,
    /// Number of joint rows.
    pub joint_rows: usize,
    /// Place in the whole problem of each physical row.
    pub places: Vec<usize>,
}

/// Vectors that span the tangent plane positively (E-20), the first along the first tangent, and the coefficient of
/// friction along them. Unit vectors, unless the surface has a grain: then they reach as far as friction does.
pub(crate) fn directions(friction: &ContactFriction, facets: usize) -> (impl Iterator<Item = Vec3> + use<>, Real) {
    let ([t1, t2], mu) = (friction.tangents, friction.mu);
    let largest = mu[0].max(mu[1]);
    let reach = if mu[0] == mu[1] { [1.0; 2] } else { mu.map(|m| m / largest) };
    let rays = (0..facets).map(move |h| {
        let angle = 2.0 * core::f64::consts::PI * h as Real / facets as Real;
        t1 * (reach[0] * cos(angle)) + t2 * (reach[1] * sin(angle))
    });
    (rays, largest)
}

/// Builds the friction-pyramid problem of a group; with this many directions, even and at least four, at each contact that has no number of its own
/// ([`GroupProblem::contact_facets`]); other arguments as [`crate::assemble`].
///
/// # Cost
/// Quadratic memory in the rows: for small groups, and as a reference.
///
/// # Source
/// E-20, E-21, E-22, E-23, E-24, E-42, F-40; thesis (4.46)-(4.64); with a grain the pyramid is inscribed in an ellipse; the auxiliary row bounds the *sum* of the direction impulses.
pub fn assemble_pyramid(
    problem: &GroupProblem,
    parameters: &RowParameters,
    facets: usize,
    h: Real,
    horizon: Real,
) -> PyramidProblem {
    let mut rows = ConstraintRows::default();
    rows.restart(&problem.bodies);
    for row in &problem.rows {
        push_joint_row(problem, row, parameters, [h, horizon], &mut rows);
    }
    let joint_rows = rows.len();
    let facets: Vec<usize> = (0..problem.contacts.len())
        .map(|k| problem.contact_facets.get(k).map_or(facets, |own| if *own == 0 { facets } else { *own as usize }))
        .collect();
    let cfm = if h > 0.0 { parameters.cfm / (h * h) } else { 0.0 };
    for (k, c) in problem.contacts.iter().enumerate() {
        let free = c.bodies.map(|i| problem.bodies[i as usize].velocity + problem.bodies[i as usize].external);
        let normal = Row::contact(problem, k, c.normal, cfm);
        let free_rate = normal.rate(free);
        let rates = ContactTarget::of(problem, k, &normal, free_rate);
        let target = normal_target(problem, c, rates, parameters, h, horizon);
        rows.push(normal, free_rate - target, 0.0, Real::INFINITY, 0.0);
        for d in directions(&ContactFriction::of(problem, c), facets[k]).0 {
            let row = Row::contact(problem, k, d, cfm);
            rows.push(row, row.rate(free), 0.0, Real::INFINITY, 0.0);
        }
    }

    // behind the physical rows of each contact there is room for its auxiliary variable
    let mut places: Vec<usize> = (0..joint_rows).collect();
    let mut n = joint_rows;
    for eta in &facets {
        places.extend(n..=n + eta);
        n += eta + 2;
    }
    let physical = rows.operator.to_dense();
    let mut a = DenseOperator::zeros(n);
    let (mut b, mut lo, mut hi) = (vec![0.0; n], vec![0.0; n], vec![Real::INFINITY; n]);
    for (i, &p) in places.iter().enumerate() {
        (b[p], lo[p], hi[p]) = (rows.b[i], rows.lo[i], rows.hi[i]);
        for (j, &q) in places.iter().enumerate() {
            a.set(p, q, physical.get(i, j));
        }
    }
    let mut normal = joint_rows;
    for (c, eta) in problem.contacts.iter().zip(&facets) {
        let auxiliary = normal + eta + 1;
        a.set(auxiliary, normal, directions(&ContactFriction::of(problem, c), *eta).1);
        for direction in normal + 1..auxiliary {
            a.set(direction, auxiliary, 1.0);
            a.set(auxiliary, direction, -1.0);
        }
        normal = auxiliary + 1;
    }
    PyramidProblem { rows, problem: BoxedProblem::boxed(a, b, lo, hi), facets, joint_rows, places }
}
