use super::body::Body;
use super::patch::{Upper, patch_length};
use super::surfaces::Item;
use drystone_core::GroupContact;
use drystone_math::{Real, Twist, Vec3};

/// What is known of a patch before it is made: which contacts are its points, and where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seat {
    pub(super) bodies: [u32; 2],
    /// Where its points stand in the problem.
    pub(super) first: u32,
    /// Number of points.
    pub(super) count: u32,
    pub(super) upper: Upper,
    layer: u32,
}

impl Seat {
    /// Whether it is the same but for the layer.
    fn is_like(&self, other: &Self) -> bool {
        let Self { bodies, first, count, upper, layer: _ } = *self;
        bodies == other.bodies && first == other.first && count == other.count && upper == other.upper
    }
}

/// Who carries whom in a group, bottom up: the order of the patches and the velocities of rest.
#[derive(Debug, Default)]
pub(super) struct Support {
    seats: Vec<Seat>,
    /// By body: its layer, one above the highest of what carries it; immovable bodies have zero.
    layers: Vec<u32>,
    /// By body: where its list of patches begins that it carries others in.
    begin: Vec<u32>,
    carrying: Vec<u32>,
    /// By body: patches of what carries it that are still to come.
    waiting: Vec<u32>,
    queue: Vec<u32>,
    /// The seats, layer by layer.
    order: Vec<u32>,
    /// Where each layer begins in that order, and its end.
    pub(super) starts: Vec<u32>,
    /// Where each body's supports begin in that order, each leaning patch by itself, and the end.
    pub(super) runs: Vec<u32>,
    sum: Vec<(Twist, Real)>,
    /// By body: whether it moves, as of the last call.
    moves: Vec<bool>,
}

/// The upward part of a normal below which two bodies lean on each other: neither carries.
const LEVEL: Real = 0.3;

impl Support {
    /// Finds the patches, their upper bodies and layers; without an up direction all is one layer. Where the patches and who carries whom are those
    /// of the call before, so are layers and order.
    pub(super) fn find(&mut self, contacts: &[GroupContact], bodies: &[Body], up: Vec3) {
        let mut known = !self.starts.is_empty() && bodies.iter().map(|b| b.moves).eq(self.moves.iter().copied());
        if !known {
            self.moves.clear();
            self.moves.extend(bodies.iter().map(|b| b.moves));
        }
        let (mut first, mut place) = (0, 0);
        while first < contacts.len() {
            let count = patch_length(&contacts[first..]);
            let GroupContact { bodies: pair, normal, .. } = contacts[first];
            let [a, b] = pair.map(|i| bodies[i as usize].moves);
            let rise = normal.dot(up);
            let upper = match (a, b) {
                (true, false) => Upper::Side(0),
                (false, true) => Upper::Side(1),
                _ if rise.abs() < LEVEL => Upper::Neither,
                _ => Upper::Side(u8::from(rise > 0.0)),
            };
            let seat = Seat { bodies: pair, first: first as u32, count: count as u32, upper, layer: 0 };
            match self.seats.get_mut(place) {
                Some(before) if before.is_like(&seat) => {}
                Some(before) => (*before, known) = (seat, false),
                None => {
                    self.seats.push(seat);
                    known = false;
                }
            }
            first += count;
            place += 1;
        }
        if known && place == self.seats.len() {
            return;
        }
        self.seats.truncate(place);
        self.find_layers(bodies);
        self.sort(bodies);
    }

    /// The patches that are to be made, bottom up, those of one upper body beside each other.
    pub(super) fn seats(&self) -> impl Iterator<Item = &Seat> {
        self.order.iter().map(|k| &self.seats[*k as usize])
    }

    /// The longest way down of each body, from the bottom up; who carries each other in a circle keeps what is known of it.
    fn find_layers(&mut self, bodies: &[Body]) {
        let n = bodies.len();
        self.layers.clear();
        self.layers.resize(n, 0);
        self.waiting.clear();
        self.waiting.resize(n, 0);
        self.begin.clear();
        self.begin.resize(n + 1, 0);
        for seat in &self.seats {
            if let Some((high, low)) = sides(seat.bodies, seat.upper) {
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
        for (k, seat) in self.seats.iter().enumerate() {
            if let Some((_, low)) = sides(seat.bodies, seat.upper) {
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
                let seat = &self.seats[self.carrying[at as usize] as usize];
                let Some((high, _)) = sides(seat.bodies, seat.upper) else { continue };
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
    fn sort(&mut self, bodies: &[Body]) {
        let n = bodies.len();
        let upper = |seat: &Seat| sides(seat.bodies, seat.upper).map_or(n, |(high, _)| high);
        let mut highest = 0;
        for seat in &mut self.seats {
            let [a, b] = seat.bodies.map(|i| self.layers[i as usize]);
            seat.layer = match seat.upper {
                Upper::Side(0) => a,
                Upper::Side(_) => b,
                Upper::Neither => a.max(b),
            };
            highest = highest.max(seat.layer);
        }
        // by the upper body, then, keeping that order, by the layer
        let Self { seats, begin, carrying, order, starts, .. } = self;
        let all = 0..seats.len() as u32;
        count_into(n + 1, all, |k| upper(&seats[k as usize]), begin, carrying);
        let layer = |k: u32| seats[k as usize].layer as usize;
        count_into(highest as usize + 1, carrying.iter().copied(), layer, starts, order);
        self.runs.clear();
        let mut before = (u32::MAX, n);
        for (at, &k) in self.order.iter().enumerate() {
            let seat = &self.seats[k as usize];
            let here = (seat.layer, upper(seat));
            if here.1 == n || here != before {
                self.runs.push(at as u32);
            }
            before = here;
        }
        self.runs.push(self.order.len() as u32);
    }

    /// The velocities of rest, bottom up: the mean of what carries a body, as if rigidly joined to it. What nothing carries keeps its own.
    /// The patches stand in the order of the seats.
    pub(super) fn carry_rest_up(&mut self, items: &[Item], bodies: &mut [Body]) {
        self.sum.clear();
        self.sum.resize(bodies.len(), (Twist::ZERO, 0.0));
        for layer in self.starts.windows(2) {
            let here = &items[layer[0] as usize..layer[1] as usize];
            for item in here {
                if let Some((high, low)) = sides(item.bodies, item.upper) {
                    let (rest, arm) = (bodies[low].rest, bodies[high].position - bodies[low].position);
                    self.sum[high].0 += Twist::new(rest.at(arm), rest.angular);
                    self.sum[high].1 += 1.0;
                }
            }
            for item in here {
                if let Some((high, _)) = sides(item.bodies, item.upper)
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

/// The upper and the lower one of a pair of bodies.
fn sides(pair: [u32; 2], upper: Upper) -> Option<(usize, usize)> {
    let [a, b] = pair.map(|i| i as usize);
    match upper {
        Upper::Side(0) => Some((a, b)),
        Upper::Side(_) => Some((b, a)),
        Upper::Neither => None,
    }
}
