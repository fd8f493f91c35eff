use crate::minkowski::{Corner, Difference};
use drystone_math::{Real, Vec3};
use smallvec::SmallVec;

/// Iterations after which the bound reached so far is taken: corners are found in a dozen, smooth shapes in thirty.
const MOST_ITERATIONS: u32 = 128;

/// The bounds on the distance agree to this part of it.
const RELATIVE: Real = 1e-13;

/// Cores closer than this part of the size overlap.
const TOUCHING: Real = 1e-10;

/// Cores closer than this part of the size touch where the search has not settled on a direction.
const BLURRED: Real = 1e-7;

/// Up to four corners of the difference, and the weights of the point of their hull nearest to the origin.
#[derive(Debug, Clone, Default)]
pub(crate) struct Simplex {
    /// The corners.
    pub corners: SmallVec<[Corner; 4]>,
    /// Weights, in step.
    pub weights: SmallVec<[Real; 4]>,
}

/// What the search ends with.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    /// Distance of the cores (m), zero where they overlap.
    pub distance: Real,
    /// From A to B (A's frame), unit; nothing where they overlap.
    pub normal: Vec3,
    /// Nearest point of A's core (A's frame, m).
    pub on_a: Vec3,
    /// Nearest point of B's core (A's frame, m).
    pub on_b: Vec3,
    /// The last simplex: it holds the origin where the cores overlap.
    pub simplex: Simplex,
    /// Iterations.
    pub iterations: u32,
}

impl Simplex {
    fn blend(&self, f: impl Fn(&Corner) -> Vec3) -> Vec3 {
        self.corners.iter().zip(&self.weights).fold(Vec3::ZERO, |s, (c, &w)| s + f(c) * w)
    }

    /// Keeps the corners chosen, with their weights.
    fn keep(&mut self, kept: &[(usize, Real)]) {
        let corners: SmallVec<[Corner; 4]> = kept.iter().map(|&(i, _)| self.corners[i]).collect();
        self.weights = kept.iter().map(|&(_, w)| w).collect();
        self.corners = corners;
    }

    /// Reduces to the smallest part whose hull has the point nearest to the origin.
    fn reduce(&mut self) {
        let p: SmallVec<[Vec3; 4]> = self.corners.iter().map(|c| c.at).collect();
        match p.len() {
            0 => {}
            1 => self.keep(&[(0, 1.0)]),
            2 => {
                let kept = segment(&p, [0, 1]);
                self.keep(&kept);
            }
            3 => {
                let kept = triangle(&p, [0, 1, 2]);
                self.keep(&kept);
            }
            _ => {
                let kept = tetrahedron(&p);
                self.keep(&kept);
            }
        }
    }
}

type Kept = SmallVec<[(usize, Real); 4]>;

fn kept(items: &[(usize, Real)]) -> Kept {
    SmallVec::from_slice(items)
}

fn nearest_of(p: &[Vec3], k: &Kept) -> Vec3 {
    k.iter().fold(Vec3::ZERO, |s, &(i, w)| s + p[i] * w)
}

fn segment(p: &[Vec3], [i, j]: [usize; 2]) -> Kept {
    let (a, b) = (p[i], p[j]);
    let d = b - a;
    let l = d.length_squared();
    let t = -a.dot(d);
    if t <= 0.0 || l <= Real::MIN_POSITIVE {
        kept(&[(i, 1.0)])
    } else if t >= l {
        kept(&[(j, 1.0)])
    } else {
        kept(&[(i, 1.0 - t / l), (j, t / l)])
    }
}

fn triangle(p: &[Vec3], [i, j, k]: [usize; 3]) -> Kept {
    let (a, b, c) = (p[i], p[j], p[k]);
    let n = (b - a).cross(c - a);
    let area = n.length_squared();
    // the foot of the origin, by the parts of the area it cuts off
    let (u, v, w) = (n.dot(b.cross(c)), n.dot(c.cross(a)), n.dot(a.cross(b)));
    let longest = (b - a).length_squared().max((c - a).length_squared()).max((c - b).length_squared());
    if area > 1e-28 * longest * longest && u > 0.0 && v > 0.0 && w > 0.0 {
        let sum = u + v + w;
        return kept(&[(i, u / sum), (j, v / sum), (k, w / sum)]);
    }
    // else the nearest is on an edge
    nearest(p, [segment(p, [i, j]), segment(p, [j, k]), segment(p, [k, i])])
}

fn nearest<const N: usize>(p: &[Vec3], choices: [Kept; N]) -> Kept {
    let mut best: (Real, Kept) = (Real::INFINITY, Kept::new());
    for k in choices {
        let d = nearest_of(p, &k).length_squared();
        if d < best.0 {
            best = (d, k);
        }
    }
    best.1
}

fn tetrahedron(p: &[Vec3]) -> Kept {
    let (a, b, c, d) = (p[0], p[1], p[2], p[3]);
    let volume = (b - a).dot((c - a).cross(d - a));
    let size = (b - a).length_squared().max((c - a).length_squared()).max((d - a).length_squared());
    if volume * volume > 1e-28 * size * size * size {
        // weights of the origin: the parts of the volume
        let w = [
            b.dot(c.cross(d)) / volume,
            -a.dot(c.cross(d)) / volume,
            a.dot(b.cross(d)) / volume,
            -a.dot(b.cross(c)) / volume,
        ];
        if w.iter().all(|&w| w >= 0.0) {
            return kept(&[(0, w[0]), (1, w[1]), (2, w[2]), (3, w[3])]);
        }
    }
    nearest(p, [triangle(p, [0, 1, 2]), triangle(p, [0, 1, 3]), triangle(p, [0, 2, 3]), triangle(p, [1, 2, 3])])
}

/// The distance of two convex cores by the algorithm of Gilbert, Johnson and Keerthi, from the first direction
/// `start` (A's frame, from A to B). Stops early once it is certain that the cores are farther apart than `beyond` (m).
///
/// # Source
/// Named by thesis 5.4 and J-22. The nearest point of a simplex is found from signed areas and volumes, all faces
/// compared by the distance they give: no case is decided by a rounded sign alone.
pub(crate) fn distance(shape: &Difference<'_>, start: Vec3, beyond: Real) -> Answer {
    let start = if start.length_squared() > Real::MIN_POSITIVE { start } else { Vec3::X };
    let mut simplex = Simplex::default();
    simplex.corners.push(shape.support(-start));
    simplex.weights.push(1.0);
    let mut v = simplex.corners[0].at;
    let mut iterations = 0;
    let (mut lower, mut direction) = (0.0, v);
    loop {
        let length = v.length();
        if length <= TOUCHING * shape.size || simplex.corners.len() == 4 {
            let (on_a, on_b) = (simplex.blend(|c| c.on_a), simplex.blend(|c| c.on_b));
            return Answer { distance: 0.0, normal: Vec3::ZERO, on_a, on_b, simplex, iterations };
        }
        iterations += 1;
        let w = shape.support(-v);
        let bound = v.dot(w.at) / length;
        if bound > lower {
            (lower, direction) = (bound, v / length);
        }
        let done = length - lower <= RELATIVE * length || lower > beyond || iterations >= MOST_ITERATIONS;
        if !done && !simplex.corners.iter().any(|c| c.at == w.at) {
            let mut grown = Simplex { corners: simplex.corners.clone(), weights: SmallVec::new() };
            grown.corners.push(w);
            grown.reduce();
            let next = grown.blend(|c| c.at);
            if next.length_squared() < v.length_squared() {
                simplex = grown;
                v = next;
                continue;
            }
            // no progress is left in these digits: the last simplex stands
        }
        let (on_a, on_b) = (simplex.blend(|c| c.on_a), simplex.blend(|c| c.on_b));
        if length <= BLURRED * shape.size && length - lower > 1e-6 * length {
            // so close that the direction is lost in rounding: as good as touching
            return Answer { distance: 0.0, normal: Vec3::ZERO, on_a, on_b, simplex, iterations };
        }
        if lower > beyond {
            return Answer { distance: lower, normal: direction, on_a, on_b, simplex, iterations };
        }
        return Answer { distance: length, normal: v / length, on_a, on_b, simplex, iterations };
    }
}
