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

    /// Sorts the patches by the layer of their upper body, those of a layer in the order they have.
    fn sort(&mut self, patches: &mut [Patch], bodies: &[Body]) {
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
        debug_assert!(bodies.len() >= self.layers.len());
        self.starts.clear();
        self.starts.resize(highest as usize + 2, 0);
        for patch in patches.iter() {
            self.starts[patch.layer as usize + 1] += 1;
        }
        for i in 1..self.starts.len() {
            self.starts[i] += self.starts[i - 1];
        }
        self.order.clear();
        self.order.resize(patches.len(), 0);
        for (k, patch) in patches.iter().enumerate() {
            let at = &mut self.starts[patch.layer as usize];
            self.order[*at as usize] = k as u32;
            *at += 1;
        }
        // each start is now that of the next layer
        for i in (1..self.starts.len()).rev() {
            self.starts[i] = self.starts[i - 1];
        }
        self.starts[0] = 0;
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

/// The upper and the lower body of a patch.
fn sides(patch: &Patch) -> Option<(usize, usize)> {
    let [a, b] = patch.bodies.map(|i| i as usize);
    match patch.upper {
        Upper::Side(0) => Some((a, b)),
        Upper::Side(_) => Some((b, a)),
        Upper::Neither => None,
    }
}
