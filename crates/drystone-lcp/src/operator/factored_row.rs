/// Stands for a body that cannot be moved, in [`FactoredRow::bodies`].
pub const NO_BODY: u32 = u32::MAX;

/// One row of J and what the inner loop needs of W J^T.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FactoredRow {
    /// The bodies a and b that the row touches; [`NO_BODY`] where there is none or it cannot be moved.
    pub bodies: [u32; 2],
    /// The row's blocks of J for a and b: three linear, then three angular entries; zero for [`NO_BODY`].
    pub jacobian: [[f64; 6]; 2],
    /// The row's blocks of J W.
    pub weighted: [[f64; 6]; 2],
    /// A_ii, `cfm` included.
    pub diagonal: f64,
    /// What is added to A_ii (constraint force mixing), >= 0.
    pub cfm: f64,
}

impl FactoredRow {
    /// (A x)_i of its own x_i, from the accumulator.
    #[inline(always)]
    pub(super) fn dot(&self, x: f64, acc: &[f64]) -> f64 {
        let velocities = acc.as_chunks::<6>().0;
        let mut sum = self.cfm * x;
        for (jacobian, body) in self.jacobian.iter().zip(self.bodies) {
            if let Some(v) = velocities.get(body as usize) {
                sum += six_dot(jacobian, v);
            }
        }
        sum
    }

    /// Tells the accumulator that x_i has grown by dx.
    #[inline(always)]
    pub(super) fn bump(&self, dx: f64, acc: &mut [f64]) {
        let velocities = acc.as_chunks_mut::<6>().0;
        for (weighted, body) in self.weighted.iter().zip(self.bodies) {
            if let Some(v) = velocities.get_mut(body as usize) {
                // all are read before any is written: nothing tells the compiler that rows and accumulator are apart
                let mut changed = *v;
                for k in 0..6 {
                    changed[k] += weighted[k] * dx;
                }
                *v = changed;
            }
        }
    }
}

/// Three pairs of products, added pairwise: short chains, and two lanes at a time on any x86-64.
#[inline(always)]
pub(crate) fn six_dot(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    let even = (a[0] * b[0] + a[2] * b[2]) + a[4] * b[4];
    let odd = (a[1] * b[1] + a[3] * b[3]) + a[5] * b[5];
    even + odd
}
