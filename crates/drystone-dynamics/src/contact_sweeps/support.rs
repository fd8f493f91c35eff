use super::body::Body;
use super::patch::{Patch, Upper};
use drystone_math::{Real, Twist, Vec3};

/// Who carries whom in a group, bottom up: the order of the patches and the velocities of rest.
#[derive(Debug, Default)]
pub(super) struct Support {
    /// By body: its layer, one above the highest of what carries it; immovable bodies have zero.
    layers: Vec<u32>,
    /// By body: where its list of patches begins that it carries others in.
    begin: Vec<u32>,
    carrying: Vec<u32>,
    /// By body: patches of what carries it that are still to come.
    waiting: Vec<u32>,
    queue: Vec<u32>,
    /// The patches, layer by layer.
    pub(super) order: Vec<u32>,
    /// Where each layer begins in `order`, and its end.
    pub(super) starts: Vec<u32>,
    /// Where each body's supports begin in `order`, each leaning patch by itself, and the end.
    pub(super) runs: Vec<u32>,
    sum: Vec<(Twist, Real)>,
}

/// The upward part of a normal below which two bodies lean on each other: neither carries.
const LEVEL: Real = 0.3;

impl Support {
    /// Finds upper bodies and layers; without an up direction all is one layer.
    pub(super) fn find(&mut self, patches: &mut [Patch], bodies: &[Body], up: Vec3) {
        for patch in patches.iter_mut() {
            let [a, b] = patch.bodies.map(|i| bodies[i as usize].moves);
            let rise = patch.frame.axes[0].dot(up);
            patch.upper = match (a, b) {
                (true, false) => Upper::Side(0),
                (false, true) => Upper::Side(1),
                _ if rise.abs() < LEVEL => Upper::Neither,
                _ => Upper::Side(u8::from(rise > 0.0)),
            };
        }
        self.find_layers(patches, bodies);
        self.sort(patches, bodies);
    }

    /// The longest way down of each body, from the bottom up; who carries each other in a circle keeps what is known of it.
    fn find_layers(&mut self, patches: &[Patch], bodies: &[Body]) {
        let n = bodies.len();
        self.layers.clear();
        self.layers.resize(n, 0);
        self.waiting.clear();
        self.waiting.resize(n, 0);
        self.begin.clear();
        self.begin.resize(n + 1, 0);
        for patch in patches {
            if let Some((high, low)) = sides(patch) {
                self.waiting[high] += 1;
                self.begin[low + 1] += 1;
            }
        }
        for i in 0..n {
            self.begin[i + 1] += self.begin[i];
        }
        self.carrying.clear();
        self.carrying.resize(self.begin[n] as usize, 0);
        // filled from the back of each list, which moves its begin to the front
        for (k, patch) in patches.iter().enumerate() {
            if let Some((_, low)) = sides(patch) {
                self.carrying[self.begin[low] as usize] = k as u32;
                self.begin[low] += 1;
            }
        }
        self.queue.clear();
        self.queue.extend((0..n as u32).filter(|&b| self.waiting[b as usize] == 0));
        let mut next = 0;
        while next < self.queue.len() {
            let low = self.queue[next] as usize;
            next += 1;
            let start = if low == 0 { 0 } else { self.begin[low - 1] };
            for at in start..self.begin[low] {
                let patch = &patches[self.carrying[at as usize] as usize];
                let Some((high, _)) = sides(patch) else { continue };
                if bodies[high].moves {
                    self.layers[high] = self.layers[high].max(self.layers[low] + 1);
                }
                self.waiting[high] -= 1;
                if self.waiting[high] == 0 {
                    self.queue.push(high as u32);
                }
            }
        }
    }

    /// Sorts the patches by the layer of their upper body, then by that body; those that lean on each other come last in their layer.
    fn sort(&mut self, patches: &mut [Patch], bodies: &[Body]) {
        let n = bodies.len();
        let upper = |patch: &Patch| sides(patch).map_or(n, |(high, _)| high);
        let mut highest = 0;
        for patch in patches.iter_mut() {
            let [a, b] = patch.bodies.map(|i| self.layers[i as usize]);
            patch.layer = match patch.upper {
                Upper::Side(0) => a,
                Upper::Side(_) => b,
                Upper::Neither => a.max(b),
            };
            highest = highest.max(patch.layer);
        }
        // by the upper body, then, keeping that order, by the layer
        let Self { begin, carrying, order, starts, .. } = self;
        let all = 0..patches.len() as u32;
        count_into(n + 1, all, |k| upper(&patches[k as usize]), begin, carrying);
        count_into(
            highest as usize + 1,
            carrying.iter().copied(),
            |k| patches[k as usize].layer as usize,
            starts,
            order,
        );
        self.runs.clear();
        for (at, &k) in self.order.iter().enumerate() {
            let here = (patches[k as usize].layer, upper(&patches[k as usize]));
            let same = at > 0 && here.1 < n && {
                let before = &patches[self.order[at - 1] as usize];
                (before.layer, upper(before)) == here
            };
            if !same {
                self.runs.push(at as u32);
            }
        }
        self.runs.push(self.order.len() as u32);
    }

    /// The velocities of rest, bottom up: the mean of what carries a body, as if rigidly joined to it. What nothing carries keeps its own.
    pub(super) fn carry_rest_up(&mut self, patches: &[Patch], bodies: &mut [Body]) {
        self.sum.clear();
        self.sum.resize(bodies.len(), (Twist::ZERO, 0.0));
        for layer in self.starts.windows(2) {
            let here = &self.order[layer[0] as usize..layer[1] as usize];
            for &k in here {
                if let Some((high, low)) = sides(&patches[k as usize]) {
                    let (rest, arm) = (bodies[low].rest, bodies[high].position - bodies[low].position);
                    self.sum[high].0 += Twist::new(rest.at(arm), rest.angular);
                    self.sum[high].1 += 1.0;
                }
            }
            for &k in here {
                if let Some((high, _)) = sides(&patches[k as usize])
                    && bodies[high].moves
                {
                    let (sum, count) = self.sum[high];
                    bodies[high].rest = sum * (1.0 / count);
                }
            }
        }
    }
}

/// Sorts by counting: items by a key below `keys` into `sorted`, stable, and where each key begins, and the end, into `starts`.
fn count_into(
    keys: usize,
    items: impl Iterator<Item = u32> + Clone,
    key: impl Fn(u32) -> usize,
    starts: &mut Vec<u32>,
    sorted: &mut Vec<u32>,
) {
    starts.clear();
    starts.resize(keys + 1, 0);
    let mut count = 0;
    for item in items.clone() {
        starts[key(item) + 1] += 1;
        count += 1;
    }
    for k in 0..keys {
        starts[k + 1] += starts[k];
    }
    sorted.clear();
    sorted.resize(count, 0);
    for item in items {
        let at = &mut starts[key(item)];
        sorted[*at as usize] = item;
        *at += 1;
    }
    // each start has moved to that of the next key
    for k in (0..keys).rev() {
        starts[k + 1] = starts[k];
    }
    starts[0] = 0;
}

/// The upper and the lower body of a patch.
fn sides(patch: &Patch) -> Option<(usize, usize)> {
    let [a, b] = patch.bodies.map(|i| i as usize);
    match patch.upper {
        Upper::Side(0) => Some((a, b)),
        Upper::Side(_) => Some((b, a)),
        Upper::Neither => None,
    }
}
