use crate::block_direct::{FreeRows, Numbers, SIDE_BY_SIDE, add};
use crate::operator::factored_row::six_dot;
use crate::vectors::{Work, vectorised};
use crate::{DenseOperator, FactoredOperator, LcpOperator, NO_BODY};

/// The Schur complement of the free rows of a problem, `A_BB - A_BF A_FF^-1 A_FB`: the effect of an impulse at each bounded row on the others while all free rows
/// hold.
///
/// It is formed column by column, several side by side: the velocities caused by an impulse, the impulses of the free rows that cancel its effect on them, and the
/// velocities after those. Only velocities of bodies that bounded rows touch are considered.
///
/// # Cost
/// A solution of the free rows' equations per column.
#[derive(Debug, Default)]
pub(super) struct Complement {
    /// Place of each body among those that bounded rows touch, or [`NO_BODY`].
    place: Vec<u32>,
    /// The free rows on such bodies, in the order of elimination.
    touching: Vec<Touching>,
    /// The places of the bodies of each bounded row.
    bounded: Vec<[u32; 2]>,
    velocities: Vec<[Numbers; 6]>,
    answers: Vec<Numbers>,
}

/// A free row on bodies that bounded rows touch.
#[derive(Debug, Clone, Copy)]
struct Touching {
    row: usize,
    /// Its place in the order of elimination.
    answer: usize,
    /// The places of its bodies.
    bodies: [u32; 2],
}

impl Complement {
    /// Writes the matrix for these bounded rows; all others are free and factorised.
    pub(super) fn form(&mut self, op: &FactoredOperator, free: &FreeRows, rows: &[usize], matrix: &mut DenseOperator) {
        self.take_bodies(op, free, rows);
        matrix.reset(rows.len());
        vectorised(Columns { complement: self, op, free, rows, matrix });
        for (place, &row) in rows.iter().enumerate() {
            matrix.set(place, place, matrix.get(place, place) + op.compliance(row));
        }
    }

    /// Finds the bodies that the bounded rows touch, and the free rows that touch those.
    fn take_bodies(&mut self, op: &FactoredOperator, free: &FreeRows, rows: &[usize]) {
        let Self { place, touching, bounded, velocities, answers } = self;
        let of = op.factored_rows();
        place.clear();
        place.resize(op.bodies(), NO_BODY);
        let mut count = 0;
        for &body in rows.iter().flat_map(|&row| &of[row].bodies) {
            if let Some(place) = place.get_mut(body as usize).filter(|place| **place == NO_BODY) {
                *place = count;
                count += 1;
            }
        }
        let places = |row: usize| of[row].bodies.map(|body| place.get(body as usize).copied().unwrap_or(NO_BODY));
        bounded.clear();
        bounded.extend(rows.iter().map(|&row| places(row)));
        let order = free.order();
        touching.clear();
        touching.extend(order.iter().enumerate().filter_map(|(answer, &row)| {
            let bodies = places(row);
            (bodies != [NO_BODY; 2]).then_some(Touching { row, answer, bodies })
        }));
        velocities.resize(count as usize, [[0.0; SIDE_BY_SIDE]; 6]);
        answers.resize(order.len(), [0.0; SIDE_BY_SIDE]);
    }

    /// The velocities caused by a unit impulse at each of the bounded rows from this place on.
    #[inline(always)]
    fn push(&mut self, op: &FactoredOperator, columns: &[usize], first: usize) {
        self.velocities.fill([[0.0; SIDE_BY_SIDE]; 6]);
        for (k, (&row, bodies)) in columns.iter().zip(&self.bounded[first..]).enumerate() {
            for (body, weighted) in bodies.iter().zip(&op.factored_rows()[row].weighted) {
                if let Some(velocity) = self.velocities.get_mut(*body as usize) {
                    for (to, weighted) in velocity.iter_mut().zip(weighted) {
                        to[k] += weighted;
                    }
                }
            }
        }
    }

    /// Lets the free rows respond.
    #[inline(always)]
    fn answer(&mut self, op: &FactoredOperator, free: &FreeRows) {
        let Self { touching, velocities, answers, .. } = self;
        answers.fill([-0.0; SIDE_BY_SIDE]);
        for free in &*touching {
            let rate = rates(&op.factored_rows()[free.row].jacobian, free.bodies, velocities);
            for (to, rate) in answers[free.answer].iter_mut().zip(rate) {
                *to = -rate;
            }
        }
        free.solve_side_by_side(answers);
        for free in &*touching {
            let impulse = &answers[free.answer];
            for (body, weighted) in free.bodies.iter().zip(&op.factored_rows()[free.row].weighted) {
                if let Some(velocity) = velocities.get_mut(*body as usize) {
                    for (to, weighted) in velocity.iter_mut().zip(weighted) {
                        add(to, *weighted, impulse);
                    }
                }
            }
        }
    }
}

/// [`Complement::form`], without the bounded rows' own regularisation.
struct Columns<'a> {
    complement: &'a mut Complement,
    op: &'a FactoredOperator,
    free: &'a FreeRows,
    rows: &'a [usize],
    matrix: &'a mut DenseOperator,
}

impl Work for Columns<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { complement, op, free, rows, matrix } = self;
        for (k, columns) in rows.chunks(SIDE_BY_SIDE).enumerate() {
            let first = k * SIDE_BY_SIDE;
            complement.push(op, columns, first);
            complement.answer(op, free);
            for (place, (&row, bodies)) in rows.iter().zip(&complement.bounded).enumerate() {
                let rate = rates(&op.factored_rows()[row].jacobian, *bodies, &complement.velocities);
                matrix.row_mut(place)[first..][..columns.len()].copy_from_slice(&rate[..columns.len()]);
            }
        }
    }
}

/// Rates of a row, from the bodies in these places.
#[inline(always)]
fn rates(jacobian: &[[f64; 6]; 2], bodies: [u32; 2], velocities: &[[Numbers; 6]]) -> Numbers {
    let mut sum = [0.0; SIDE_BY_SIDE];
    for (jacobian, body) in jacobian.iter().zip(bodies) {
        if let Some(velocity) = velocities.get(body as usize) {
            for k in 0..SIDE_BY_SIDE {
                let one =
                    [velocity[0][k], velocity[1][k], velocity[2][k], velocity[3][k], velocity[4][k], velocity[5][k]];
                sum[k] += six_dot(jacobian, &one);
            }
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block_direct::Redundancy;
    use crate::pivoting::principal::Side;
    use crate::{Budget, SplitMix64};

    /// Joints of one to six rows that close loops, and bounded rows on some of the bodies.
    fn problem(random: &mut SplitMix64) -> (FactoredOperator, Vec<Side>) {
        let mut op = FactoredOperator::new();
        let mut sides = Vec::new();
        for _ in 0..14 {
            op.push_body(random.range(0.1, 2.0), [3.0, 4.0, 5.0, 0.2, 0.0, 0.1]);
        }
        let mut push = |bodies: [u32; 2], rows: u32, side: Side| {
            for _ in 0..rows {
                let blocks = [(); 2].map(|()| [0; 6].map(|_| random.range(-1.0, 1.0)));
                op.push_row(bodies, blocks[0], blocks[1], random.range(0.0, 0.1)).unwrap();
                sides.push(side);
            }
        };
        for k in 0..14 {
            push([if k == 0 { NO_BODY } else { k - 1 }, k], 1 + k % 6, Side::Free);
        }
        push([3, 11], 2, Side::Free);
        for bodies in [[0, NO_BODY], [5, 6], [2, 9], [9, 13]] {
            push(bodies, 3, Side::Lower);
        }
        (op, sides)
    }

    #[test]
    fn columns_side_by_side_have_the_bits_of_one_after_the_other() {
        let (op, sides) = problem(&mut SplitMix64::new(5));
        let (mut free, mut budget) = (FreeRows::default(), Budget::default());
        budget.begin(crate::budget::WORK);
        assert!(free.factorise(&op, &sides, Redundancy::Refused, &mut budget));
        let rows: Vec<usize> = (0..sides.len()).filter(|&i| sides[i] == Side::Lower).collect();
        assert!(rows.len() > SIDE_BY_SIDE && !rows.len().is_multiple_of(SIDE_BY_SIDE));
        let mut matrix = DenseOperator::default();
        Complement::default().form(&op, &free, &rows, &mut matrix);
        let zeros = vec![0.0; sides.len()];
        for (place, &row) in rows.iter().enumerate() {
            let mut acc = vec![0.0; op.accumulator_len()];
            op.bump(row, 1.0, &mut acc);
            let rates: Vec<f64> = (0..sides.len()).map(|i| op.row_dot(i, &zeros, &acc)).collect();
            for (row, change) in free.changes(&rates, &mut Vec::new()) {
                op.bump(row, change, &mut acc);
            }
            for (other, &i) in rows.iter().enumerate() {
                let own = if i == row { op.compliance(i) } else { 0.0 };
                assert_eq!(matrix.get(other, place).to_bits(), (op.row_dot(i, &zeros, &acc) + own).to_bits());
            }
        }
    }
}
