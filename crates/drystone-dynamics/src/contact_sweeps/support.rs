use super::body::Body;
use super::order::Order;
use super::patch::patch_length;
use super::seat::{Seat, Upper, sides};
use drystone_core::GroupContact;
use drystone_math::{Real, Twist, Vec3};

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
    /// Places of the seats, layer by layer, and where each layer begins.
    sorted: Vec<u32>,
    starts: Vec<u32>,
    order: Order,
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
        let mut known = !self.seats.is_empty() && bodies.iter().map(|b| b.moves).eq(self.moves.iter().copied());
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

    /// The patches that are to be made.
    pub(super) fn order(&self) -> &Order {
        &self.order
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
        let Self { seats, begin, carrying, sorted, starts, .. } = self;
        let all = 0..seats.len() as u32;
        count_into(n + 1, all, |k| upper(&seats[k as usize]), begin, carrying);
        let layer = |k: u32| seats[k as usize].layer as usize;
        count_into(highest as usize + 1, carrying.iter().copied(), layer, starts, sorted);
        self.order.seats.clear();
        self.order.seats.extend(self.sorted.iter().map(|&k| self.seats[k as usize]));
        self.order.find_layers();
    }

    /// The velocities of rest, bottom up: the mean of what carries a body, as if rigidly joined to it. What nothing carries keeps its own.
    pub(super) fn carry_rest_up(&mut self, bodies: &mut [Body]) {
        self.sum.clear();
        self.sum.resize(bodies.len(), (Twist::ZERO, 0.0));
        for here in self.order.seats.chunk_by(|a, b| a.layer == b.layer) {
            for seat in here {
                if let Some((high, low)) = sides(seat.bodies, seat.upper) {
                    let (rest, arm) = (bodies[low].rest, bodies[high].position - bodies[low].position);
                    self.sum[high].0 += Twist::new(rest.at(arm), rest.angular);
                    self.sum[high].1 += 1.0;
                }
            }
            for seat in here {
                if let Some((high, _)) = sides(seat.bodies, seat.upper)
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
pub(super) fn count_into(
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
