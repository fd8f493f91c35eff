use super::TriangleMesh;
use super::topology::Topology;
use drystone_math::{Real, Vec3};

/// What was mended: nothing is changed in silence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mended {
    /// Vertices merged into others at the same place.
    pub welded: usize,
    /// Triangles dropped for having no area.
    pub degenerate: usize,
    /// Triangles dropped for being there already.
    pub doubled: usize,
    /// Vertices dropped because no triangle uses them.
    pub unused: usize,
    /// Triangles turned round.
    pub flipped: usize,
}

impl TriangleMesh {
    /// Welds vertices within `distance` (m) of each other, drops triangles without area and doubled ones and vertices
    /// without use, turns triangles so that neighbours agree, and closed parts so that they enclose a positive
    /// volume. It closes no holes.
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
        done.flipped = self.orient();
        done.unused = self.drop_unused();
        done
    }

    fn weld(&mut self, distance: Real) -> usize {
        let n = self.vertices.len();
        let mut order: Vec<u32> = (0..n as u32).collect();
        let p = &self.vertices;
        let key = |v: u32| p[v as usize].x;
        order.sort_by(|&a, &b| key(a).total_cmp(&key(b)).then(a.cmp(&b)));
        let mut into: Vec<u32> = (0..n as u32).collect();
        let mut welded = 0;
        for (i, &a) in order.iter().enumerate() {
            if into[a as usize] != a {
                continue;
            }
            for &b in &order[i + 1..] {
                if key(b) - key(a) > distance {
                    break;
                }
                if into[b as usize] == b && (p[b as usize] - p[a as usize]).length() <= distance {
                    into[b as usize] = a;
                    welded += 1;
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

    /// Turns triangles so that neighbours agree; whole parts by the sign of their volume.
    fn orient(&mut self) -> usize {
        let topology = Topology::of(self);
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
                        // neighbours agree where they run along the edge in opposite directions
                        let same = (0..3).any(|f| self.triangles[u][f] == a && self.triangles[u][(f + 1) % 3] == b);
                        turn[u] = Some(turn[t] == Some(!same));
                        part.push(u);
                    }
                }
            }
            let origin = self.vertices[self.triangles[seed][0] as usize];
            let volume: Real = part
                .iter()
                .map(|&t| {
                    let [a, b, c] = self.corners(t).map(|p| p - origin);
                    let v = a.dot(b.cross(c));
                    if turn[t] == Some(true) { -v } else { v }
                })
                .sum();
            if volume < 0.0 {
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
        flipped
    }

    fn drop_unused(&mut self) -> usize {
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
