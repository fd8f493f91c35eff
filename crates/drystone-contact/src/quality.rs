use drystone_math::elementary::atan2;
use drystone_math::{Real, Vec3};

/// Classes of the histogram: ten degrees each.
pub const ANGLE_CLASSES: usize = 18;

/// A pivot below this fraction of the largest counts as zero.
const RANK: Real = 1e-9;

/// Quality of the contacts of a pair: their number, the angles of their normals to the correct one, and the number of
/// redundant ones.
///
/// # Source
/// Thesis 6.2.1 and 6.2.4 (K-06, K-12): normals of distance maps twist where edges cross, and over-sampled edges give a
/// "widely over-determined" system.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactQuality {
    /// Contacts.
    pub count: usize,
    /// Contacts by the angle between their normal and the reference, ten degrees per class.
    pub deviations: [usize; ANGLE_CLASSES],
    /// Largest angle (rad).
    pub worst: Real,
    /// Mean of the angles (rad).
    pub mean: Real,
    /// Independent motions that the contacts stop, at most six.
    pub rank: usize,
}

impl ContactQuality {
    /// The quality of contacts, each a point (m) and a unit normal, all in one frame, compared with `reference`, the
    /// normal that a flat contact would have.
    pub fn of(contacts: impl IntoIterator<Item = (Vec3, Vec3)>, reference: Vec3) -> Self {
        let mut quality = Self { count: 0, deviations: [0; ANGLE_CLASSES], worst: 0.0, mean: 0.0, rank: 0 };
        let mut origin = None;
        let mut gram = [[0.0; 6]; 6];
        for (at, n) in contacts {
            let angle = atan2(n.cross(reference).length(), n.dot(reference));
            let class = (angle * (ANGLE_CLASSES as Real / core::f64::consts::PI)) as usize;
            quality.deviations[class.min(ANGLE_CLASSES - 1)] += 1;
            quality.worst = quality.worst.max(angle);
            quality.mean += angle;
            quality.count += 1;
            let arm = (at - *origin.get_or_insert(at)).cross(n);
            let row = [n.x, n.y, n.z, arm.x, arm.y, arm.z];
            for (i, line) in gram.iter_mut().enumerate() {
                for (j, x) in line.iter_mut().enumerate() {
                    *x += row[i] * row[j];
                }
            }
        }
        quality.mean /= quality.count.max(1) as Real;
        quality.rank = rank(gram);
        quality
    }

    /// Number of contacts that are not needed to stop the motion that all of them stop together.
    pub fn over_determined(&self) -> usize {
        self.count - self.rank
    }

    /// The fraction of contacts whose normals lean by more than `degrees`, a multiple of ten.
    pub fn twisted(&self, degrees: usize) -> Real {
        let beyond: usize = self.deviations.iter().skip(degrees / 10).sum();
        beyond as Real / self.count.max(1) as Real
    }
}

/// The rank of a symmetric matrix without negative eigenvalues, by Cholesky's steps with the largest pivot first; lengths
/// are brought to one scale.
fn rank(mut m: [[Real; 6]; 6]) -> usize {
    // torques are scaled by their own largest value, so that small bodies get the same rank as large ones
    let torque = (3..6).fold(0.0, |s: Real, i| s.max(m[i][i]));
    let force = (0..3).fold(0.0, |s: Real, i| s.max(m[i][i]));
    let scale = if torque > 0.0 { (force / torque).sqrt() } else { 1.0 };
    for (i, line) in m.iter_mut().enumerate() {
        for (j, x) in line.iter_mut().enumerate() {
            *x *= if i > 2 { scale } else { 1.0 } * if j > 2 { scale } else { 1.0 };
        }
    }
    let mut left = [true; 6];
    for rank in 0..6 {
        let largest = |k: &usize, l: &usize| m[*k][*k].total_cmp(&m[*l][*l]);
        let Some(k) = (0..6).filter(|&k| left[k]).max_by(largest).filter(|&k| m[k][k] > RANK * force) else {
            return rank;
        };
        left[k] = false;
        let row = m[k];
        for i in (0..6).filter(|&i| left[i]) {
            let f = row[i] / row[k];
            for j in 0..6 {
                m[i][j] -= f * row[j];
            }
        }
    }
    6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_face_stops_three_motions_however_many_points_it_has() {
        let grid =
            |n: i32| (0..n * n).map(move |i| (Vec3::new(f64::from(i % n), 7.0, f64::from(i / n)) * 1e-3, Vec3::Y));
        for n in [2, 5, 20] {
            let q = ContactQuality::of(grid(n), Vec3::Y);
            assert_eq!((q.count, q.rank, q.over_determined()), ((n * n) as usize, 3, (n * n) as usize - 3));
            assert!(q.worst == 0.0 && q.deviations[0] == q.count);
        }
        assert_eq!(ContactQuality::of(grid(1), Vec3::Y).rank, 1);
        assert_eq!(ContactQuality::of(core::iter::empty(), Vec3::Y).rank, 0);
        // a corner of a room: three faces stop everything
        let corner = grid(3)
            .chain(grid(3).map(|(p, _)| (p + Vec3::Y, Vec3::X)))
            .chain(grid(3).map(|(p, _)| (Vec3::new(p.z, p.x, p.y), Vec3::Z)));
        let q = ContactQuality::of(corner, Vec3::Y);
        assert_eq!((q.rank, q.deviations[0], q.deviations[9]), (6, 9, 18));
        assert!((q.twisted(80) - 2.0 / 3.0).abs() < 1e-15 && (q.mean - core::f64::consts::PI / 3.0).abs() < 1e-12);
    }
}
