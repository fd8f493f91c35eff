use crate::outward_box::OutwardBox;
use crate::radix;
use drystone_geometry::Aabb;
use drystone_math::Real;

/// Reaches into the next row on y.
const OVER_Y: u32 = 1;
/// Reaches into the next row on z.
const OVER_Z: u32 = 2;

/// A box as the sweep reads it, in 32 bytes.
#[derive(Debug, Clone, Copy)]
struct Member {
    bounds: OutwardBox,
    body: u32,
    /// On which axes it reaches beyond its row: [`OVER_Y`], [`OVER_Z`].
    over: u32,
}

/// A row that has members.
#[derive(Debug, Clone, Copy)]
struct Row {
    /// The number on z in the high bits, that on y in the low ones, each modulo 2^16.
    id: u32,
    first: u32,
    end: u32,
    /// The axes on which any of its members reaches beyond it.
    over: u32,
}

/// Boxes in the rows of a grid: sorted by row and along x. A box reaches into the next row on each axis at most.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    keys: Vec<(u64, u32)>,
    other: Vec<(u64, u32)>,
    members: Vec<Member>,
    filled: Vec<Row>,
}

impl Rows {
    /// Replaces the contents by the boxes that `belongs` picks, in rows of width 1 / `scale` (m).
    pub(super) fn fill(&mut self, boxes: &[Aabb], scale: Real, belongs: impl Fn(usize) -> bool) {
        self.keys.clear();
        for (i, b) in boxes.iter().enumerate().filter(|(i, _)| belongs(*i)) {
            let id = u64::from(row_id(floor(b.min.y * scale), floor(b.min.z * scale)));
            self.keys.push((id << 32 | u64::from(ascending(OutwardBox::round_down(b.min.x))), i as u32));
        }
        radix::sort(&mut self.keys, &mut self.other, |(key, _)| *key);
        self.members.clear();
        self.filled.clear();
        for &(key, body) in &self.keys {
            let b = &boxes[body as usize];
            let over = |min: Real, max: Real, bit: u32| if floor(max * scale) > floor(min * scale) { bit } else { 0 };
            let over = over(b.min.y, b.max.y, OVER_Y) | over(b.min.z, b.max.z, OVER_Z);
            let (id, at) = ((key >> 32) as u32, self.members.len() as u32);
            self.members.push(Member { bounds: OutwardBox::around(b), body, over });
            match self.filled.last_mut() {
                Some(row) if row.id == id => {
                    row.end = at + 1;
                    row.over |= over;
                }
                _ => self.filled.push(Row { id, first: at, end: at + 1, over }),
            }
        }
    }

    fn members(&self, row: &Row) -> &[Member] {
        &self.members[row.first as usize..row.end as usize]
    }

    /// Calls back with the pairs of members that overlap, each once.
    pub(super) fn sweep(&self, report: &mut impl FnMut(u32, u32)) {
        // of the eight rows around a row, the four behind it: the other four find it from their side
        let mut ahead = [(1, 0), (-1, 1), (0, 1), (1, 1)].map(|(y, z)| (y, z, Cursor::default()));
        for row in &self.filled {
            let members = self.members(row);
            for (k, a) in members.iter().enumerate() {
                for b in members[k + 1..].iter().take_while(|b| b.bounds.lo[0] <= a.bounds.hi[0]) {
                    if overlap_yz(a, b) {
                        report(a.body, b.body);
                    }
                }
            }
            for (y, z, cursor) in &mut ahead {
                let (own, other) = (needed(*y, *z), needed(-*y, -*z));
                if row.over & own == own
                    && let Some(r) = cursor.find(&self.filled, shifted(row.id, *y, *z))
                    && self.filled[r].over & other == other
                {
                    between(members, own, self.members(&self.filled[r]), other, report);
                }
            }
        }
    }

    /// Calls back with the overlapping pairs of a member of these rows and a member of `others`, whose rows have the
    /// same width.
    pub(super) fn sweep_against(&self, others: &Self, report: &mut impl FnMut(u32, u32)) {
        let mut cursors: [Cursor; 9] = Default::default();
        for row in &self.filled {
            for (k, cursor) in cursors.iter_mut().enumerate() {
                let (y, z) = (k as i32 % 3 - 1, k as i32 / 3 - 1);
                let (own, other) = (needed(y, z), needed(-y, -z));
                if row.over & own == own
                    && let Some(r) = cursor.find(&others.filled, shifted(row.id, y, z))
                    && others.filled[r].over & other == other
                {
                    between(self.members(row), own, others.members(&others.filled[r]), other, report);
                }
            }
        }
    }
}

/// The largest whole number that is not above `x`.
#[inline]
fn floor(x: Real) -> i64 {
    let towards_zero = x as i64;
    towards_zero - i64::from((towards_zero as Real) > x)
}

fn row_id(y: i64, z: i64) -> u32 {
    u32::from(z as u16) << 16 | u32::from(y as u16)
}

/// The row next to a row.
fn shifted(id: u32, y: i32, z: i32) -> u32 {
    row_id(i64::from(id as u16) + i64::from(y), i64::from(id >> 16) + i64::from(z))
}

/// On which axes a box must reach beyond its row to meet one in the row at this offset.
fn needed(y: i32, z: i32) -> u32 {
    (if y > 0 { OVER_Y } else { 0 }) | (if z > 0 { OVER_Z } else { 0 })
}

/// Bits in the same order as the numbers.
fn ascending(x: f32) -> u32 {
    let bits = x.to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}

#[inline]
fn overlap_yz(a: &Member, b: &Member) -> bool {
    let (a, b) = (&a.bounds, &b.bounds);
    a.lo[1] <= b.hi[1] && b.lo[1] <= a.hi[1] && a.lo[2] <= b.hi[2] && b.lo[2] <= a.hi[2]
}

/// Sweeps two rows along each other; only members that reach beyond their row on all the given axes take part.
fn between(p: &[Member], over_p: u32, q: &[Member], over_q: u32, report: &mut impl FnMut(u32, u32)) {
    let (mut i, mut j) = (0, 0);
    while let (Some(a), Some(b)) = (p.get(i), q.get(j)) {
        let (first, others, over_first, over_others) = if a.bounds.lo[0] <= b.bounds.lo[0] {
            i += 1;
            (a, &q[j..], over_p, over_q)
        } else {
            j += 1;
            (b, &p[i..], over_q, over_p)
        };
        if first.over & over_first != over_first {
            continue;
        }
        for c in others.iter().take_while(|c| c.bounds.lo[0] <= first.bounds.hi[0]) {
            if c.over & over_others == over_others && overlap_yz(first, c) {
                report(first.body, c.body);
            }
        }
    }
}

/// Position of the last row searched for: the next one is near it.
#[derive(Debug, Clone, Copy, Default)]
struct Cursor {
    at: usize,
}

/// Number of rows that a cursor passes one by one.
const STEPS: usize = 8;

impl Cursor {
    /// The row with that number, if there is one.
    fn find(&mut self, rows: &[Row], id: u32) -> Option<usize> {
        let before = |r: &Row| r.id < id;
        if self.at > 0 && rows.get(self.at - 1).is_none_or(|r| !before(r)) {
            self.at = rows[..self.at.min(rows.len())].partition_point(before);
        }
        for _ in 0..STEPS {
            match rows.get(self.at) {
                Some(r) if before(r) => self.at += 1,
                _ => break,
            }
        }
        if rows.get(self.at).is_some_and(before) {
            self.at += rows[self.at..].partition_point(before);
        }
        rows.get(self.at).is_some_and(|r| r.id == id).then_some(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_below() {
        for (x, below) in
            [(0.0, 0), (-0.0, 0), (2.9, 2), (3.0, 3), (-0.1, -1), (-3.0, -3), (-3.5, -4), (1e9 + 0.5, 1_000_000_000)]
        {
            assert_eq!(floor(x), below, "{x}");
        }
    }
}
