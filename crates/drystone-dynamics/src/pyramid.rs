use crate::assemble::{ContactTarget, normal_target, push_joint_row};
use crate::contact_rows::ContactFriction;
use crate::rows::Row;
use crate::{ConstraintRows, RowParameters};
use drystone_core::GroupProblem;
use drystone_lcp::{BoxedProblem, DenseOperator, LcpOperator, Operator};
use drystone_math::elementary::{cos, sin};
use drystone_math::{Real, Vec3};

/// The unsymmetric problem of a group with the full friction pyramid.
///
/// Unknowns: one per joint row, then per contact the normal impulse, the impulses along the `facets` directions of the
/// pyramid, and the auxiliary variable that is the slip speed of a sliding contact.
#[derive(Debug)]
pub struct PyramidProblem {
    /// Joint rows, and for each contact the normal row and one row per direction: `w = J W J^T x + b`.
    pub rows: ConstraintRows,
    /// The whole problem, dense.
    pub problem: BoxedProblem,
    /// Directions, contact by contact.
    pub facets: Vec<usize>,
    /// Number of joint rows.
    pub joint_rows: usize,
    /// Index in the whole problem of each physical row.
    pub places: Vec<usize>,
    /// The matrix of the physical rows alone.
    physical: DenseOperator,
}

impl Default for PyramidProblem {
    /// The problem of a group without rows.
    fn default() -> Self {
        let [facets, places] = Default::default();
        let [b, lo, hi] = Default::default();
        Self {
            rows: ConstraintRows::default(),
            problem: BoxedProblem::boxed(DenseOperator::default(), b, lo, hi),
            facets,
            joint_rows: 0,
            places,
            physical: DenseOperator::default(),
        }
    }
}

/// Vectors that span the tangent plane positively (E-20), the first of them along the first tangent, and the coefficient of
/// friction along them. They are unit vectors unless the surface has a grain: then their lengths follow the friction.
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

/// Builds the friction-pyramid problem of a group, with `facets` directions, an even number of at least four, at each contact that has no number of its own
/// ([`GroupProblem::contact_facets`]); other arguments as for [`crate::assemble`].
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
    let mut whole = PyramidProblem::default();
    whole.assemble(problem, parameters, facets, [h, horizon]);
    whole
}

impl PyramidProblem {
    /// [`assemble_pyramid`] in the memory of the last problem; takes the step and the horizon (s).
    pub(crate) fn assemble(
        &mut self,
        problem: &GroupProblem,
        parameters: &RowParameters,
        facets: usize,
        [h, horizon]: [Real; 2],
    ) {
        self.push_rows(problem, parameters, facets, [h, horizon]);
        let mut a = match core::mem::replace(&mut self.problem.operator, DenseOperator::default().into()) {
            Operator::Dense(a) => a,
            _ => DenseOperator::default(),
        };
        self.place(&mut a);
        self.couple(problem, &mut a);
        self.problem.operator = a.into();
    }

    /// Appends the physical rows.
    fn push_rows(
        &mut self,
        problem: &GroupProblem,
        parameters: &RowParameters,
        facets: usize,
        [h, horizon]: [Real; 2],
    ) {
        let Self { rows, facets: of_contact, joint_rows, .. } = self;
        rows.restart(&problem.bodies);
        for row in &problem.rows {
            push_joint_row(problem, row, parameters, [h, horizon], rows);
        }
        *joint_rows = rows.len();
        let own = |k| problem.contact_facets.get(k).copied().filter(|own| *own > 0).map_or(facets, |own| own as usize);
        of_contact.clear();
        of_contact.extend((0..problem.contacts.len()).map(own));
        let cfm = if h > 0.0 { parameters.cfm / (h * h) } else { 0.0 };
        for (k, c) in problem.contacts.iter().enumerate() {
            let free = c.bodies.map(|i| problem.bodies[i as usize].velocity + problem.bodies[i as usize].external);
            let normal = Row::contact(problem, k, c.normal, cfm);
            let free_rate = normal.rate(free);
            let rates = ContactTarget::of(problem, k, &normal, free_rate);
            let target = normal_target(problem, c, rates, parameters, h, horizon);
            rows.push(normal, free_rate - target, 0.0, Real::INFINITY, 0.0);
            for d in directions(&ContactFriction::of(problem, c), of_contact[k]).0 {
                let row = Row::contact(problem, k, d, cfm);
                rows.push(row, row.rate(free), 0.0, Real::INFINITY, 0.0);
            }
        }
    }

    /// Finds their indices in the whole problem: after those of each contact there is room for its auxiliary variable.
    fn place(&mut self, a: &mut DenseOperator) {
        let Self { rows, problem, facets, joint_rows, places, physical } = self;
        places.clear();
        places.extend(0..*joint_rows);
        let mut n = *joint_rows;
        for eta in &*facets {
            places.extend(n..=n + eta);
            n += eta + 2;
        }
        rows.operator.write_dense(physical);
        let BoxedProblem { b, lo, hi, .. } = problem;
        a.reset(n);
        for (column, value) in [(&mut *b, 0.0), (&mut *lo, 0.0), (&mut *hi, Real::INFINITY)] {
            column.clear();
            column.resize(n, value);
        }
        for (i, &p) in places.iter().enumerate() {
            (b[p], lo[p], hi[p]) = (rows.b[i], rows.lo[i], rows.hi[i]);
            let target = a.row_mut(p);
            for (&q, entry) in places.iter().zip(physical.row(i)) {
                target[q] = *entry;
            }
        }
    }

    /// Couples the auxiliary variables.
    fn couple(&self, problem: &GroupProblem, a: &mut DenseOperator) {
        let mut normal = self.joint_rows;
        for (c, eta) in problem.contacts.iter().zip(&self.facets) {
            let auxiliary = normal + eta + 1;
            a.set(auxiliary, normal, directions(&ContactFriction::of(problem, c), *eta).1);
            for direction in normal + 1..auxiliary {
                a.set(direction, auxiliary, 1.0);
                a.set(auxiliary, direction, -1.0);
            }
            normal = auxiliary + 1;
        }
    }
}
