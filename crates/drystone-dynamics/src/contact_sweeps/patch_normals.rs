use super::normals::{MOST, NormalRows, solve_normals, solve_two};
use super::patch::Patch;
use super::response::Response;
use drystone_math::Real;

/// The rows that normal impulses act in: along the normal, about the second and the first tangent.
const PLACES: [usize; 3] = [0, 4, 5];

impl Patch {
    /// The matrix of the normal impulses of K points.
    #[inline(always)]
    fn normal_rows<const K: usize>(&self, response: &Response) -> NormalRows {
        // as constants: `map` over the places would be a call each
        let [n, m2, m1] = PLACES;
        let block = [
            [response.get(n, n), response.get(n, m2), response.get(n, m1)],
            [response.get(m2, n), response.get(m2, m2), response.get(m2, m1)],
            [response.get(m1, n), response.get(m1, m2), response.get(m1, m1)],
        ];
        let mut a = [[0.0; MOST]; MOST];
        for i in 0..K {
            let [pa, pb] = self.place[i];
            let mut row = [0.0; 3];
            for j in 0..3 {
                row[j] = block[0][j] - pa * block[1][j] + pb * block[2][j];
            }
            for j in 0..K {
                a[i][j] = self.rate(j, row);
            }
        }
        a
    }

    /// Solves for the normal impulses; their change as a wrench goes to `change`. The matrix of the normals is taken from the given response unless it has been made already.
    #[inline(always)]
    pub(super) fn solve_normal_rows(&mut self, response: &Response, e: &[Real; 6], change: &mut [Real; 6]) -> Real {
        match self.count {
            2 => self.solve_normal_rows_of::<2>(response, e, change),
            3 => self.solve_normal_rows_of::<3>(response, e, change),
            _ => self.solve_normal_rows_of::<MOST>(response, e, change),
        }
    }

    /// The same for K points.
    #[inline(always)]
    fn solve_normal_rows_of<const K: usize>(
        &mut self,
        response: &Response,
        e: &[Real; 6],
        change: &mut [Real; 6],
    ) -> Real {
        if !self.block.made {
            let a = self.normal_rows::<K>(response);
            self.block.set(a);
        }
        let before = self.normal;
        let mut w = [0.0; MOST];
        for i in 0..K {
            w[i] = self.rate(i, [e[0], e[4], e[5]]) - self.target[i];
        }
        if K == 2 {
            solve_two(&self.block.a, &w, &mut self.normal);
        } else {
            solve_normals::<K>(&mut self.block, w, &mut self.normal);
        }
        let mut off: Real = 0.0;
        let mut moved = [0.0; MOST];
        for i in 0..K {
            moved[i] = self.normal[i] - before[i];
            off = off.max((moved[i] * self.block.a[i][i]).abs());
        }
        let [n, m2, m1] = self.sum(&moved);
        (change[0], change[4], change[5]) = (n, m2, m1);
        off
    }
}

#[cfg(test)]
mod tests {
    use super::super::body::Body;
    use super::super::seat::{Seat, Upper};
    use super::*;
    use drystone_math::{Twist, Vec3};
    use drystone_testkit::problem::{contact, cube};

    /// Impulses that keep all points at rest are the answer, and a visit leaves them unchanged. If the term that makes
    /// the matrix definite acted on impulses and not on their change, each visit would remove a billionth of them (1.7e-9
    /// m/s here), which other patches would restore in the next sweep, without end.
    #[test]
    fn impulses_that_hold_are_left_as_they_are() {
        let bodies = [cube(0, 0.0, Vec3::NEG_Y * 0.5), cube(1, 2.0, Vec3::Y * 0.5)];
        let bodies = bodies.map(|b| Body::of(&b, Twist::ZERO));
        let corners = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]];
        let contacts = corners.map(|[x, z]| contact([0, 1], Vec3::new(x, 0.0, z), Vec3::Y, 0, 0));
        for points in 2..=MOST {
            let mut patch = Patch::default();
            let seat = Seat { bodies: [0, 1], upper: Upper::Side(1), first: 0, count: points as u32, ..Seat::NONE };
            patch.set(&contacts[..points], &seat, &bodies);
            let held = [0.9, 0.4, 0.7, 0.2];
            patch.normal[..points].copy_from_slice(&held[..points]);
            patch.prepare(&bodies);
            let (response, mut change) = (patch.response, [0.0; 6]);
            let off = patch.solve_normal_rows(&response, &[0.0; 6], &mut change);
            assert!(off == 0.0 && change == [0.0; 6], "{points} points: {off:e}, {change:?}");
        }
    }
}
