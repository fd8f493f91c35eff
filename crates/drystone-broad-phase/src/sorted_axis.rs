use crate::Axes;
use drystone_core::{BodyPair, BroadPhaseInput, MOST_PAIRS};
use drystone_geometry::Aabb;
use drystone_math::Real;

/// Bodies in ascending order of where their boxes begin on one axis, kept from call to call.
#[derive(Debug, Clone, Default)]
pub(crate) struct SortedAxis {
    axis: usize,
    order: Vec<(Real, u32)>,
    rows: Vec<Row>,
}

/// A box in sorted order: the swept axis first, so that the sweep reads memory in sequence.
#[derive(Debug, Clone, Copy)]
struct Row {
    lo: [Real; 3],
    hi: [Real; 3],
    body: u32,
}

impl SortedAxis {
    /// Sorts the bodies, by insertion from the last order as long as that takes at most `limit` exchanges. Returns the
    /// number of exchanges, or `None` if it sorted from scratch.
    pub(crate) fn sort(&mut self, boxes: &[Aabb], axes: Axes, limit: u64) -> Option<u64> {
        let axis = self.choose_axis(boxes, axes);
        let fresh = core::mem::replace(&mut self.axis, axis) != axis;
        // bodies were added or removed
        if self.order.len() > boxes.len() {
            self.order.retain(|(_, i)| (*i as usize) < boxes.len());
        }
        for i in self.order.len()..boxes.len() {
            self.order.push((0.0, i as u32));
        }
        for (key, i) in &mut self.order {
            *key = boxes[*i as usize].min[axis];
        }
        if !fresh && let Some(exchanges) = insertion_sort(&mut self.order, limit) {
            return Some(exchanges);
        }
        self.order.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
        None
    }

    /// The axis on which the boxes are spread the most; it keeps the last one if the gain would be small.
    fn choose_axis(&self, boxes: &[Aabb], axes: Axes) -> usize {
        let (mut sum, mut square, mut count) = ([0.0; 3], [0.0; 3], 0.0);
        for b in boxes {
            let c = b.min + b.max;
            if c.is_finite() {
                count += 1.0;
                for k in 0..3 {
                    sum[k] += c[k];
                    square[k] += c[k] * c[k];
                }
            }
        }
        let variance = |k: usize| if axes.has(k) { square[k] * count - sum[k] * sum[k] } else { Real::NEG_INFINITY };
        let mut best = axes.iter().next().unwrap_or(0);
        for k in axes.iter() {
            if variance(k) > variance(best) {
                best = k;
            }
        }
        if axes.has(self.axis) && variance(best) < 1.5 * variance(self.axis) { self.axis } else { best }
    }

    /// Appends the admitted pairs of bodies whose boxes overlap on the given axes, in no particular order.
    pub(crate) fn sweep(&mut self, input: BroadPhaseInput<'_>, axes: Axes, pairs: &mut Vec<BodyPair>) {
        let (u, v) = ((self.axis + 1) % 3, (self.axis + 2) % 3);
        self.rows.clear();
        self.rows.extend(self.order.iter().map(|(_, i)| {
            let b = &input.boxes[*i as usize];
            let pick = |k: usize| if axes.has(k) { (b.min[k], b.max[k]) } else { (Real::NEG_INFINITY, Real::INFINITY) };
            let ((l0, h0), (l1, h1), (l2, h2)) = (pick(self.axis), pick(u), pick(v));
            Row { lo: [l0, l1, l2], hi: [h0, h1, h2], body: *i }
        }));
        for (i, a) in self.rows.iter().enumerate() {
            let filter = &input.filters[a.body as usize];
            for b in &self.rows[i + 1..] {
                if b.lo[0] > a.hi[0] {
                    break;
                }
                let apart = a.lo[1] > b.hi[1] || b.lo[1] > a.hi[1] || a.lo[2] > b.hi[2] || b.lo[2] > a.hi[2];
                if !apart
                    && filter.admits(&input.filters[b.body as usize])
                    && axes.overlap(&input.boxes[a.body as usize], &input.boxes[b.body as usize])
                {
                    pairs.push(BodyPair::ordered(a.body.min(b.body), a.body.max(b.body)));
                    if pairs.len() > MOST_PAIRS {
                        return;
                    }
                }
            }
        }
    }
}

/// Sorts a nearly sorted list; returns the number of exchanges, or `None` if it gave up.
fn insertion_sort(list: &mut [(Real, u32)], limit: u64) -> Option<u64> {
    let mut exchanges = 0;
    for i in 1..list.len() {
        let moving = list[i];
        let mut j = i;
        while j > 0 && moving.0.total_cmp(&list[j - 1].0).is_lt() {
            list[j] = list[j - 1];
            j -= 1;
        }
        list[j] = moving;
        exchanges += (i - j) as u64;
        if exchanges > limit {
            return None;
        }
    }
    Some(exchanges)
}
