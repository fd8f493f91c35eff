use super::cone_cost::{BoundedRow, EllipticCone, MOST, Zone};
use super::envelope::{Envelope, six_dot};
use crate::ConstraintRows;
use drystone_core::GroupBody;
use drystone_lcp::NO_BODY;
use drystone_math::{Real, SymmetricMat3, Twist, Vec3};

/// Find u at which `|u|^2 / 2 + sum s_i(b + G u)` is least, with one cost s per contact and per row of a joint.
///
/// u is the change of velocity in coordinates in which the mass of each body is the identity: `dv = L u`, `L L^T = M^-1`, and `G = J L`. A body that can only turn, or
/// cannot turn about some axis, has zero columns in L, so that no inertia is ever inverted.
#[derive(Debug, Default)]
pub(super) struct Program {
    /// The place of each body of the group in u, or [`NO_BODY`].
    slot: Vec<u32>,
    roots: Vec<Root>,
    pub(super) rows: Vec<ScaledRow>,
    pub(super) terms: Vec<Term>,
    /// For each contact: added to its normal row, so that sliding does not open it.
    pub(super) shift: Vec<Real>,
}

/// The factor L of a body's inverse mass and inverse inertia.
#[derive(Debug, Clone, Copy)]
struct Root {
    linear: Real,
    /// The lower triangle, row by row.
    angular: [[Real; 3]; 3],
}

impl Root {
    fn of(body: &GroupBody) -> Self {
        Self { linear: body.inverse_mass.sqrt(), angular: lower_factor(&body.inverse_inertia) }
    }

    /// `L^T j`.
    fn row(&self, j: &[Real; 6]) -> [Real; 6] {
        let l = &self.angular;
        let turn = |c: usize| (c..3).map(|r| j[3 + r] * l[r][c]).sum();
        [self.linear * j[0], self.linear * j[1], self.linear * j[2], turn(0), turn(1), turn(2)]
    }

    /// `L u`.
    fn velocity(&self, u: &[Real; 6]) -> Twist {
        let turn = |r: usize| (0..=r).map(|c| self.angular[r][c] * u[3 + c]).sum();
        Twist::new(Vec3::new(u[0], u[1], u[2]) * self.linear, Vec3::new(turn(0), turn(1), turn(2)))
    }
}

/// The Cholesky factor of a matrix that may be singular: the column of a vanishing pivot is zero.
fn lower_factor(m: &SymmetricMat3) -> [[Real; 3]; 3] {
    let (d, o) = (m.diagonal.to_array(), m.off_diagonal);
    // x, y, z of the off-diagonal: yz, xz, xy
    let entry = |r: usize, c: usize| if r == c { d[r] } else { [o.x, o.y, o.z][3 - r - c] };
    let mut l = [[0.0_f64; 3]; 3];
    let least = 1e-14 * d[0].max(d[1]).max(d[2]);
    for c in 0..3 {
        let pivot = entry(c, c) - (0..c).map(|k| l[c][k] * l[c][k]).sum::<Real>();
        if pivot <= least {
            continue;
        }
        l[c][c] = pivot.sqrt();
        for r in c + 1..3 {
            l[r][c] = (entry(r, c) - (0..c).map(|k| l[r][k] * l[c][k]).sum::<Real>()) / l[c][c];
        }
    }
    l
}

/// A row of G and its entry of b.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScaledRow {
    /// Places in u; [`NO_BODY`] if there is none.
    pub(super) bodies: [u32; 2],
    pub(super) g: [[Real; 6]; 2],
    pub(super) b: Real,
}

/// A cost and the rows that it applies to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Term {
    pub(super) first: usize,
    pub(super) cost: Cost,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Cost {
    Row(BoundedRow),
    /// With the index of the contact in [`Program::shift`].
    Cone(EllipticCone, usize),
    /// For rows that move nothing.
    None,
}

impl Program {
    /// Takes in the bodies and rows of a group; `terms` are to follow.
    pub(super) fn restart(&mut self, bodies: &[GroupBody], rows: &ConstraintRows) {
        let Self { slot, roots, rows: scaled, terms, shift } = self;
        slot.clear();
        roots.clear();
        for body in bodies {
            if body.is_movable() {
                slot.push(roots.len() as u32);
                roots.push(Root::of(body));
            } else {
                slot.push(NO_BODY);
            }
        }
        scaled.clear();
        scaled.extend(rows.operator.factored_rows().iter().zip(&rows.b).map(|(row, &b)| {
            let bodies = row.bodies.map(|i| if i == NO_BODY { NO_BODY } else { slot[i as usize] });
            let side = |s: usize| match bodies[s] {
                NO_BODY => [0.0; 6],
                place => roots[place as usize].row(&row.jacobian[s]),
            };
            ScaledRow { bodies, g: [side(0), side(1)], b }
        }));
        terms.clear();
        shift.clear();
        shift.resize(rows.contacts.len(), 0.0);
    }

    /// Multiplies the regularisation of all terms by a factor.
    pub(super) fn soften(&mut self, factor: Real) {
        for term in &mut self.terms {
            match &mut term.cost {
                Cost::Row(row) => row.softness *= factor,
                Cost::Cone(cone, _) => cone.softness *= factor,
                Cost::None => {}
            }
        }
    }

    /// Number of bodies in u.
    pub(super) fn bodies(&self) -> usize {
        self.roots.len()
    }

    /// The change of velocity that u stands for, at a place.
    pub(super) fn velocity(&self, place: usize, u: &[Real; 6]) -> Twist {
        self.roots[place].velocity(u)
    }

    /// Which bodies are coupled.
    pub(super) fn pairs(&self) -> impl Iterator<Item = [u32; 2]> {
        self.rows.iter().map(|r| r.bodies).filter(|b| !b.contains(&NO_BODY))
    }

    /// `q = G u`.
    pub(super) fn rates(&self, u: &[[Real; 6]], q: &mut Vec<Real>) {
        q.clear();
        q.extend(self.rows.iter().map(|row| {
            let part =
                |s: usize| if row.bodies[s] == NO_BODY { 0.0 } else { six_dot(&row.g[s], &u[row.bodies[s] as usize]) };
            part(0) + part(1)
        }));
    }

    /// `u := u + factor G^T f`.
    pub(super) fn add_impulses(&self, factor: Real, f: &[Real], u: &mut [[Real; 6]]) {
        for (row, f) in self.rows.iter().zip(f) {
            for s in (0..2).filter(|&s| row.bodies[s] != NO_BODY) {
                for (u, g) in u[row.bodies[s] as usize].iter_mut().zip(&row.g[s]) {
                    *u += factor * f * g;
                }
            }
        }
    }

    /// Records how fast sliding opens each contact at u, with the right-hand side `b` of its rows; returns the largest change since the last record (m/s).
    pub(super) fn note_sliding(&mut self, u: &[[Real; 6]], b: &[Real], rates: &mut Vec<Real>) -> Real {
        self.rates(u, rates);
        let mut most: Real = 0.0;
        let mut y = [0.0; MOST];
        for term in &self.terms {
            let Term { first, cost: Cost::Cone(cone, contact) } = *term else { continue };
            for (k, y) in y[..cone.rows].iter_mut().enumerate() {
                *y = rates[first + k] + b[first + k];
            }
            let opens = cone.dilation(&y);
            most = most.max((opens - self.shift[contact]).abs());
            self.shift[contact] = opens;
        }
        most
    }

    /// The residuals that the cost of a term depends on.
    fn residuals(&self, term: &Term, rates: &[Real], y: &mut [Real; MOST]) {
        let rows = match term.cost {
            Cost::Cone(cone, _) => cone.rows,
            Cost::Row(_) | Cost::None => 1,
        };
        for (k, y) in y[..rows].iter_mut().enumerate() {
            *y = rates[term.first + k] + self.rows[term.first + k].b;
        }
        if let Cost::Cone(_, contact) = term.cost {
            y[0] += self.shift[contact];
        }
    }

    /// `|u|^2 / 2 + sum s` at u with `rates = G u`.
    pub(super) fn cost(&self, u: &[[Real; 6]], rates: &[Real]) -> Real {
        let mut y = [0.0; MOST];
        let mut sum = 0.5 * u.iter().map(|u| six_dot(u, u)).sum::<Real>();
        for term in &self.terms {
            self.residuals(term, rates, &mut y);
            sum += match term.cost {
                Cost::Row(row) => row.cost(y[0]),
                Cost::Cone(cone, _) => cone.cost(&y),
                Cost::None => 0.0,
            };
        }
        sum
    }

    /// The impulses `f = -s'` of all rows.
    pub(super) fn impulses(&self, rates: &[Real], f: &mut Vec<Real>) {
        f.clear();
        f.resize(self.rows.len(), 0.0);
        let mut y = [0.0; MOST];
        for term in &self.terms {
            self.residuals(term, rates, &mut y);
            match term.cost {
                Cost::Row(row) => f[term.first] = row.impulse(y[0]).0,
                Cost::Cone(cone, _) => {
                    cone.impulses(&y, &mut f[term.first..term.first + cone.rows]);
                }
                Cost::None => {}
            }
        }
    }

    /// First and second derivative of the sum of costs along `q`, at the rates `rates + step q`.
    pub(super) fn slope(&self, rates: &[Real], q: &[Real], step: Real) -> [Real; 2] {
        let (mut y, mut f, mut h) = ([0.0; MOST], [0.0; MOST], [[0.0; MOST]; MOST]);
        let mut sum = [0.0; 2];
        for term in &self.terms {
            self.residuals(term, rates, &mut y);
            match term.cost {
                Cost::Row(row) => {
                    let q = q[term.first];
                    let (f, inside) = row.impulse(y[0] + step * q);
                    sum[0] -= f * q;
                    sum[1] += if inside { q * q / row.softness } else { 0.0 };
                }
                Cost::Cone(cone, _) => {
                    let q = &q[term.first..term.first + cone.rows];
                    for (y, q) in y.iter_mut().zip(q) {
                        *y += step * q;
                    }
                    if cone.impulses(&y, &mut f) == Zone::Top || !cone.curvature(&y, &mut h) {
                        continue;
                    }
                    sum[0] -= q.iter().zip(&f).map(|(q, f)| q * f).sum::<Real>();
                    for (line, p) in h.iter().zip(q) {
                        sum[1] += p * line.iter().zip(q).map(|(h, q)| h * q).sum::<Real>();
                    }
                }
                Cost::None => {}
            }
        }
        sum
    }

    /// The matrix of second derivatives, `1 + G^T s'' G`.
    pub(super) fn curvature(&self, rates: &[Real], matrix: &mut Envelope) {
        matrix.reset();
        let (mut y, mut h) = ([0.0; MOST], [[0.0; MOST]; MOST]);
        for term in &self.terms {
            self.residuals(term, rates, &mut y);
            let rows = match term.cost {
                Cost::Row(row) if row.impulse(y[0]).1 => {
                    h[0][0] = 1.0 / row.softness;
                    1
                }
                Cost::Cone(cone, _) if cone.curvature(&y, &mut h) => cone.rows,
                _ => continue,
            };
            self.add_curvature(term.first, &h, rows, matrix);
        }
    }

    fn add_curvature(&self, first: usize, h: &[[Real; MOST]; MOST], rows: usize, matrix: &mut Envelope) {
        let own = &self.rows[first..first + rows];
        let bodies = own[0].bodies;
        let (mut g, mut weighted) = ([[[0.0; 6]; MOST]; 2], [[[0.0; 6]; MOST]; 2]);
        for side in 0..2 {
            for (i, row) in own.iter().enumerate() {
                g[side][i] = row.g[side];
                for (h, other) in h[i].iter().zip(own) {
                    for (w, g) in weighted[side][i].iter_mut().zip(&other.g[side]) {
                        *w += h * g;
                    }
                }
            }
        }
        for (s, t) in [(0, 0), (1, 1), (0, 1)] {
            if bodies[s] != NO_BODY && bodies[t] != NO_BODY {
                matrix.add([bodies[s], bodies[t]], &g[s][..rows], &weighted[t][..rows]);
            }
        }
    }
}
