use super::TriangleMesh;
use super::parts::within_others;
use super::topology::Topology;
use drystone_math::{Real, Vec3};

/// The area-weighted normals of a closed surface add up to zero; if their sum is more than this fraction of the area, the surface is a sheet, not a
/// solid with holes.
const SHEET: Real = 0.1;

/// Corrections made to a mesh: nothing is changed silently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mended {
    /// Vertices merged into others at the same place.
    pub welded: usize,
    /// Triangles dropped because they have no area.
    pub degenerate: usize,
    /// Triangles dropped as duplicates.
    pub doubled: usize,
    /// Vertices dropped because no triangle uses them.
    pub unused: usize,
    /// Triangles turned round.
    pub flipped: usize,
    /// Triangles of hollows: closed parts within others, which face inwards.
    pub hollow: usize,
}

impl TriangleMesh {
    /// Welds vertices within `distance` (m) of each other; drops degenerate and duplicate triangles and unused vertices. It turns
    /// triangles so that neighbours agree, turns whole parts that are closed but for holes so that they enclose a positive volume, and
    /// turns closed parts inside an odd number of others so that they are hollows. A sheet, such as ground, keeps the side that most of
    /// it faces. Holes are not closed.
    pub fn mend(&mut self, distance: Real) -> Mended {
        let mut done = Mended { welded: self.weld(distance), ..Mended::default() };
        let before = self.triangles.len();
        let vertices = &self.vertices;
        self.triangles.retain(|&[a, b, c]| {
            let [p, q, r] = [a, b, c].map(|v| vertices[v as usize]);
            let longest = (q - p).length_squared().max((r - p).length_squared()).max((r - q).length_squared());
            a != b && b != c && c != a && (q - p).cross(r - p).length() > 1e-14 * longest
        });
        done.degenerate = before - self.triangles.len();
        done.doubled = self.drop_doubled();
        (done.flipped, done.hollow) = self.orient();
        done.unused = self.drop_unused();
        done
    }

    pub(super) fn weld(&mut self, distance: Real) -> usize {
        let n = self.vertices.len();
        let p = &self.vertices;
        // cells as wide as the distance; if that is zero, the coordinates themselves
        let cell = |v: u32| {
            p[v as usize].to_array().map(|x| {
                if distance > 0.0 {
                    (x / distance).floor() as i64
                } else {
                    // zeros of both signs are the same place
                    (x + 0.0).to_bits() as i64
                }
            })
        };
        let reach = i64::from(distance > 0.0);
        let mut cells: Vec<([i64; 3], u32)> = (0..n as u32).map(|v| (cell(v), v)).collect();
        cells.sort_unstable();
        let mut into: Vec<u32> = (0..n as u32).collect();
        let mut welded = 0;
        for a in 0..n as u32 {
            if into[a as usize] != a {
                continue;
            }
            let [i, j, k] = cell(a);
            let last = k.saturating_add(reach);
            for (x, y) in (-reach..=reach).flat_map(|x| (-reach..=reach).map(move |y| (x, y))) {
                let row = [i.saturating_add(x), j.saturating_add(y)];
                let from = cells.partition_point(|c| c.0 < [row[0], row[1], k.saturating_sub(reach)]);
                let beside = cells[from..].iter().take_while(|c| c.0[..2] == row && c.0[2] <= last);
                for &(_, b) in beside {
                    if b > a && into[b as usize] == b && (p[b as usize] - p[a as usize]).length() <= distance {
                        into[b as usize] = a;
                        welded += 1;
                    }
                }
            }
        }
        for t in &mut self.triangles {
            *t = t.map(|v| into[v as usize]);
        }
        welded
    }

    fn drop_doubled(&mut self) -> usize {
        let key = |t: &[u32; 3]| {
            let mut s = *t;
            s.sort_unstable();
            s
        };
        let mut order: Vec<usize> = (0..self.triangles.len()).collect();
        order.sort_by_key(|&i| (key(&self.triangles[i]), i));
        let mut drop = vec![false; self.triangles.len()];
        for pair in order.windows(2) {
            drop[pair[1]] = key(&self.triangles[pair[0]]) == key(&self.triangles[pair[1]]);
        }
        let before = self.triangles.len();
        let mut at = 0;
        self.triangles.retain(|_| {
            at += 1;
            !drop[at - 1]
        });
        before - self.triangles.len()
    }

    /// Turns triangles so that neighbours agree, and whole parts that are the wrong way round. Counts what was turned,
    /// and what is in hollows.
    fn orient(&mut self) -> (usize, usize) {
        let topology = Topology::of(self);
        let closed = topology.is_closed();
        let within = if closed { within_others(self, &topology) } else { vec![false; self.triangles.len()] };
        let mut turn: Vec<Option<bool>> = vec![None; self.triangles.len()];
        for seed in 0..self.triangles.len() {
            if turn[seed].is_some() {
                continue;
            }
            turn[seed] = Some(false);
            let mut part = vec![seed];
            let mut k = 0;
            while k < part.len() {
                let t = part[k];
                k += 1;
                for e in 0..3 {
                    let (a, b) = (self.triangles[t][e], self.triangles[t][(e + 1) % 3]);
                    let Some(u) = topology.across(t, e) else { continue };
                    if turn[u].is_none() {
                        // neighbours agree if they run along the edge in opposite directions
                        let same = (0..3).any(|f| self.triangles[u][f] == a && self.triangles[u][(f + 1) % 3] == b);
                        turn[u] = Some(turn[t] == Some(!same));
                        part.push(u);
                    }
                }
            }
            if self.is_wrong_way(&part, &turn, within[seed]) {
                for &t in &part {
                    turn[t] = turn[t].map(|f| !f);
                }
            }
        }
        let mut flipped = 0;
        for (t, turn) in self.triangles.iter_mut().zip(turn) {
            if turn == Some(true) {
                t.swap(1, 2);
                flipped += 1;
            }
        }
        (flipped, within.iter().filter(|w| **w).count())
    }

    /// Returns true if a part whose triangles agree must be turned as a whole. A part that encloses a volume, up to
    /// holes, must face outwards, or inwards if it is a hollow. A sheet encloses none: most of it stays as it is.
    fn is_wrong_way(&self, part: &[usize], turn: &[Option<bool>], is_hollow: bool) -> bool {
        let origin = self.vertices[self.triangles[part[0]][0] as usize];
        let (mut volume, mut outward, mut area, mut turned) = (0.0, Vec3::ZERO, 0.0, 0.0);
        for &t in part {
            let [a, b, c] = self.corners(t).map(|p| p - origin);
            let (normal, is_turned) = ((b - a).cross(c - a), turn[t] == Some(true));
            let side = if is_turned { -1.0 } else { 1.0 };
            volume += side * a.dot(b.cross(c));
            outward += normal * side;
            area += normal.length();
            turned += if is_turned { normal.length() } else { 0.0 };
        }
        let is_sheet = outward.length() > SHEET * area;
        if is_sheet { turned > 0.5 * area } else { (volume < 0.0) != is_hollow }
    }

    pub(super) fn drop_unused(&mut self) -> usize {
        let mut number = vec![u32::MAX; self.vertices.len()];
        for &v in self.triangles.iter().flatten() {
            number[v as usize] = 0;
        }
        let mut kept: Vec<Vec3> = Vec::new();
        for (n, &p) in number.iter_mut().zip(&self.vertices) {
            if *n == 0 {
                *n = kept.len() as u32;
                kept.push(p);
            }
        }
        for t in &mut self.triangles {
            *t = t.map(|v| number[v as usize]);
        }
        let unused = self.vertices.len() - kept.len();
        self.vertices = kept;
        unused
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::elementary::{cos, sin};

    /// A sheet of hills whose signed volume is below zero, normals up.
    fn hills(count: u32) -> TriangleMesh {
        let place = |i: u32, j: u32| {
            let (x, z) = (0.5 * (f64::from(i) - 4.0), 0.5 * (f64::from(j) - 4.0));
            Vec3::new(x, 0.6 * sin(0.9 * x) * cos(0.8 * z) + 0.1 * (x * x + z * z), z)
        };
        let at = |i: u32, j: u32| i * (count + 1) + j;
        let places = (0..=count).flat_map(|i| (0..=count).map(move |j| place(i, j))).collect();
        let cells = (0..count).flat_map(|i| (0..count).map(move |j| (i, j)));
        let triangles = cells.flat_map(|(i, j)| {
            let [a, b, c, d] = [at(i, j), at(i, j + 1), at(i + 1, j), at(i + 1, j + 1)];
            [[a, b, c], [b, d, c]]
        });
        TriangleMesh::new(places, triangles.collect()).unwrap()
    }

    fn looks_up(mesh: &TriangleMesh) -> bool {
        (0..mesh.triangles().len()).all(|t| {
            let [a, b, c] = mesh.corners(t);
            (b - a).cross(c - a).y > 0.0
        })
    }

    #[test]
    fn ground_keeps_its_side() {
        let mut ground = hills(8);
        assert!(Topology::of(&ground).report(&ground).volume < 0.0, "a volume that says nothing");
        assert_eq!(ground.mend(0.0).flipped, 0);
        assert!(looks_up(&ground));
        // those that disagree with the majority, even the first one, are turned
        for t in [0, 5, 77] {
            ground.triangles[t].swap(1, 2);
        }
        assert_eq!(ground.mend(0.0).flipped, 3);
        assert!(looks_up(&ground));
    }

    #[test]
    fn what_is_closed_but_for_a_hole_is_turned_outwards() {
        let mut m = TriangleMesh::cuboid(Vec3::ONE, 4);
        m.triangles.pop();
        let volume = Topology::of(&m).report(&m).volume;
        m.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        assert_eq!(m.mend(0.0).flipped, m.triangles.len());
        assert!((Topology::of(&m).report(&m).volume - volume).abs() < 1e-12 && volume > 0.0);
    }
}
