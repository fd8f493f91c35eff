//! The growing polytope inside a difference.

use crate::minkowski::Corner;
use drystone_math::{Real, Vec3};

/// A triangle with the distance of its plane from the origin; `across[k]` lies over the edge from corner k to the next.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facet {
    /// Numbers of corners, counter-clockwise seen from outside.
    pub corner: [u16; 3],
    across: [u16; 3],
    /// Unit vector, outwards; zero for a sliver.
    pub normal: Vec3,
    /// Distance of its plane from the origin (m); infinite if it bounds nothing.
    pub distance: Real,
    alive: bool,
}

/// An edge between facets that see a new corner and facets that do not.
#[derive(Debug, Clone, Copy)]
struct Border {
    from: u16,
    to: u16,
    /// The facet that stays, and which of its edges this is.
    beyond: u16,
    edge: usize,
}

/// Corners, facets, and a heap of the facets with the nearest on top; reusing one allocates nothing.
#[derive(Debug, Default)]
pub(crate) struct Polytope {
    /// Corners; the first four are the caller's.
    pub corners: Vec<Corner>,
    facets: Vec<Facet>,
    heap: Vec<(Real, u16)>,
    seen: Vec<u16>,
    border: Vec<Border>,
}

fn facet(corners: &[Corner], corner: [u16; 3]) -> Facet {
    let [a, b, c] = corner.map(|i| corners[usize::from(i)].at);
    let n = (b - a).cross(c - a);
    let longest = (b - a).length_squared().max((c - a).length_squared()).max((c - b).length_squared());
    let length = n.length();
    let across = [0; 3];
    if length <= 1e-14 * longest {
        // a sliver bounds nothing
        return Facet { corner, across, normal: Vec3::ZERO, distance: Real::INFINITY, alive: true };
    }
    let normal = n / length;
    let distance = normal.dot(a).max(normal.dot(b)).max(normal.dot(c));
    Facet { corner, across, normal, distance, alive: true }
}

impl Polytope {
    /// Clears corners and facets, keeping their memory.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.corners.clear();
        self.facets.clear();
        self.heap.clear();
    }

    /// Makes the hull of the four corners its facets.
    pub(crate) fn start(&mut self) {
        let corners = &self.corners;
        let [a, b, c, d] = [corners[0].at, corners[1].at, corners[2].at, corners[3].at];
        let inward = (b - a).cross(c - a).dot(d - a) > 0.0;
        // [0, 1, 2] faces away from the fourth corner if the second and third are in the right order
        let [one, two] = if inward { [2, 1] } else { [1, 2] };
        let across = [[1, 2, 3], [3, 2, 0], [1, 3, 0], [2, 1, 0]];
        for (t, x) in [[0, one, two], [0, 3, one], [one, 3, two], [two, 3, 0]].into_iter().zip(across) {
            push(&mut self.facets, &mut self.heap, Facet { across: x, ..facet(&self.corners, t) });
        }
    }

    fn pop(&mut self) {
        let Some(last) = self.heap.pop() else { return };
        if self.heap.is_empty() {
            return;
        }
        self.heap[0] = last;
        let (mut i, n) = (0, self.heap.len());
        loop {
            let mut least = i;
            for child in [2 * i + 1, 2 * i + 2] {
                if child < n && self.heap[child].0 < self.heap[least].0 {
                    least = child;
                }
            }
            if least == i {
                return;
            }
            self.heap.swap(i, least);
            i = least;
        }
    }

    /// The facet nearest to the origin, with its number.
    pub(crate) fn nearest(&mut self) -> Option<(usize, Facet)> {
        loop {
            let &(_, at) = self.heap.first()?;
            let f = self.facets[usize::from(at)];
            if f.alive {
                return Some((usize::from(at), f));
            }
            self.pop();
        }
    }

    /// Leaves the nearest facet in place, but no longer considers it.
    pub(crate) fn drop_facet(&mut self, at: usize) {
        if self.heap.first().is_some_and(|h| usize::from(h.1) == at) {
            self.pop();
        }
    }

    /// Replaces the facets that see `w`, from facet `from` on, by a fan; `false` if rounding leaves no clean border.
    pub(crate) fn grow(&mut self, from: usize, w: Corner, noise: Real) -> bool {
        let Self { corners, facets, heap, seen, border } = self;
        let apex = corners.len() as u16;
        find_border((facets, corners), from, (w, noise), seen, border);
        let clean = is_loop(border);
        if clean {
            corners.push(w);
            let first = facets.len();
            for &Border { from: p, to: q, beyond, edge } in &*border {
                let number = facets.len() as u16;
                let (next, last) = (border.iter().position(|b| b.from == q), border.iter().position(|b| b.to == p));
                let over = |place: Option<usize>| (first + place.unwrap_or(0)) as u16;
                let across = [beyond, over(next), over(last)];
                facets[usize::from(beyond)].across[edge] = number;
                push(facets, heap, Facet { across, ..facet(corners, [p, q, apex]) });
            }
        } else {
            for f in &*seen {
                facets[usize::from(*f)].alive = true;
            }
        }
        clean
    }
}

/// Adds a facet, and enters it into the heap if it bounds something.
fn push(facets: &mut Vec<Facet>, heap: &mut Vec<(Real, u16)>, f: Facet) {
    let number = facets.len() as u16;
    facets.push(f);
    if f.distance == Real::INFINITY {
        return;
    }
    // up the heap
    let mut i = heap.len();
    heap.push((f.distance, number));
    while i > 0 && heap[i].0 < heap[(i - 1) / 2].0 {
        heap.swap(i, (i - 1) / 2);
        i = (i - 1) / 2;
    }
}

/// Removes the facets that see `w` by more than `noise`, found from facet `from` on, and lists the edges around them.
fn find_border(
    (facets, corners): (&mut [Facet], &[Corner]),
    from: usize,
    (w, noise): (Corner, Real),
    seen: &mut Vec<u16>,
    border: &mut Vec<Border>,
) {
    seen.clear();
    border.clear();
    seen.push(from as u16);
    facets[from].alive = false;
    let mut next = 0;
    while let Some(&number) = seen.get(next) {
        next += 1;
        let f = facets[usize::from(number)];
        for e in 0..3 {
            let beyond = f.across[e];
            let g = &mut facets[usize::from(beyond)];
            if !g.alive {
                continue;
            }
            // a corner in a facet's plane does not see it; slivers have no sides at all
            if g.normal.dot(w.at - corners[usize::from(g.corner[0])].at) > noise {
                g.alive = false;
                seen.push(beyond);
            } else {
                let q = f.corner[(e + 1) % 3];
                let edge = (0..3).position(|k| g.corner[k] == q).unwrap_or(0);
                border.push(Border { from: f.corner[e], to: q, beyond, edge });
            }
        }
    }
}

/// Returns true if the edges form at least one loop, and no loop touches another.
fn is_loop(border: &[Border]) -> bool {
    let once = |b: &Border| {
        border.iter().filter(|c| c.from == b.from).count() == 1 && border.iter().filter(|c| c.to == b.to).count() == 1
    };
    border.len() >= 3 && border.iter().all(once)
}
