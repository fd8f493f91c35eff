use super::body::Body;
use super::order::Order;
use super::patch::patch_length;
use super::seat::{Seat, Upper, sides};
use drystone_core::{Executor, GroupContact, make_room, piece_length, run_each};
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
    /// The velocities of rest of a layer's bodies.
    carried: Vec<(u32, Twist)>,
    /// By body: whether it moves, as of the last call.
    moves: Vec<bool>,
    /// What several threads found in pieces of the contacts.
    found: Vec<Vec<Seat>>,
}

/// The upward part of a normal below which two bodies lean on each other: neither carries.
const LEVEL: Real = 0.3;
/// Contacts that are not worth a second thread: some 50 µs.
const FEW: usize = 2048;

impl Support {
    /// Finds the patches, their upper bodies and layers; without an up direction all is one layer. Where the patches and who carries whom are those
    /// of the call before, so are layers and order.
    pub(super) fn find(&mut self, contacts: &[GroupContact], bodies: &[Body], up: Vec3, executor: &dyn Executor) {
        let mut known = !self.seats.is_empty() && bodies.iter().map(|b| b.moves).eq(self.moves.iter().copied());
        if !known {
            self.moves.clear();
            self.moves.extend(bodies.iter().map(|b| b.moves));
        }
        let length = piece_length(executor, contacts.len(), FEW);
        let sitting = Sitting { moves: &self.moves, up };
        if length < contacts.len() {
            let pieces = Pieces { contacts, length, first: 0 };
            // none is shorter than that but the last
            self.found.resize_with(self.found.len().max(contacts.len().div_ceil(length)), Vec::new);
            self.found.iter_mut().for_each(Vec::clear);
            run_each(executor, self.found.iter_mut().zip(pieces), |(seats, (contacts, first))| {
                make_room(seats, contacts.len());
                seats.extend(sitting.seats(contacts, first));
            });
            known &= renew(&mut self.seats, self.found.iter().flatten().copied());
        } else {
            known &= renew(&mut self.seats, sitting.seats(contacts, 0));
        }
        if !known {
            self.find_layers();
            self.sort();
        }
    }

    /// The patches that are to be made.
    pub(super) fn order(&self) -> &Order {
        &self.order
    }

    /// The longest way down of each body, from the bottom up; who carries each other in a circle keeps what is known of it.
    fn find_layers(&mut self) {
        let n = self.moves.len();
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
                if self.moves[high] {
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
    fn sort(&mut self) {
        let n = self.moves.len();
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
        // as many as a layer can have
        make_room(&mut self.carried, bodies.len());
        for here in self.order.seats.chunk_by(|a, b| a.layer == b.layer) {
            // the supports of a body stand beside each other
            self.carried.clear();
            for run in here.chunk_by(|a, b| a.carried() == b.carried()) {
                let Some(high) = run[0].carried().filter(|high| bodies[*high as usize].moves) else { continue };
                let mut sum = Twist::ZERO;
                for (_, low) in run.iter().filter_map(|seat| sides(seat.bodies, seat.upper)) {
                    let (rest, arm) = (bodies[low].rest, bodies[high as usize].position - bodies[low].position);
                    sum += Twist::new(rest.at(arm), rest.angular);
                }
                self.carried.push((high, sum * (1.0 / run.len() as Real)));
            }
            for (high, rest) in &self.carried {
                bodies[*high as usize].rest = *rest;
            }
        }
    }
}

/// What says where a patch stands.
#[derive(Clone, Copy)]
struct Sitting<'a> {
    /// By body.
    moves: &'a [bool],
    up: Vec3,
}

impl<'a> Sitting<'a> {
    /// The patches of some contacts, which stand in the group from `first` on.
    #[inline]
    fn seats(self, contacts: &'a [GroupContact], first: usize) -> impl Iterator<Item = Seat> + 'a {
        let mut at = 0;
        core::iter::from_fn(move || {
            let GroupContact { bodies: pair, normal, .. } = contacts.get(at)?;
            let count = patch_length(&contacts[at..]);
            let [a, b] = pair.map(|i| self.moves[i as usize]);
            let rise = normal.dot(self.up);
            let upper = match (a, b) {
                (true, false) => Upper::Side(0),
                (false, true) => Upper::Side(1),
                _ if rise.abs() < LEVEL => Upper::Neither,
                _ => Upper::Side(u8::from(rise > 0.0)),
            };
            let seat = Seat { bodies: *pair, first: (first + at) as u32, count: count as u32, upper, layer: 0 };
            at += count;
            Some(seat)
        })
    }
}

/// Contacts in pieces of about a length, each with the place of its first one: those of an edge stay together, and with them those of a patch.
struct Pieces<'a> {
    contacts: &'a [GroupContact],
    length: usize,
    first: usize,
}

impl<'a> Iterator for Pieces<'a> {
    type Item = (&'a [GroupContact], usize);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = &self.contacts[self.first..];
        let (piece, others) = rest.split_at(self.length.min(rest.len()));
        let last = piece.last()?;
        let more = others.iter().take_while(|contact| contact.edge == last.edge).count();
        let piece = &rest[..piece.len() + more];
        let first = self.first;
        self.first += piece.len();
        Some((piece, first))
    }
}

/// Replaces a list of seats; whether it was the same but for layers, which then stay.
#[inline]
fn renew(list: &mut Vec<Seat>, seats: impl Iterator<Item = Seat>) -> bool {
    let (mut place, mut known) = (0, true);
    for seat in seats {
        match list.get_mut(place) {
            Some(before) if before.is_like(&seat) => {}
            Some(before) => (*before, known) = (seat, false),
            None => {
                list.push(seat);
                known = false;
            }
        }
        place += 1;
    }
    known &= place == list.len();
    list.truncate(place);
    known
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

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_core::OneThread;
    use drystone_testkit::problem::{contact, cube};
    use drystone_testkit::{Backwards, Random, Threads};

    /// Edges of one to six contacts whose normals bend now and then, so that pieces of even length would cut through edges and patches.
    #[test]
    fn seats_are_the_same_in_however_many_pieces() {
        let mut random = Random::new(5);
        let mass = |i| if i == 0 { 0.0 } else { 1.0 };
        let bodies: Vec<Body> =
            (0..500).map(|i| Body::of(&cube(i, mass(i), random.vector(5.0)), Twist::ZERO)).collect();
        let mut contacts = Vec::new();
        for edge in 0..2000 {
            let (a, b) = (random.below(499) as u32, random.below(499) as u32);
            let pair = [a, if b < a { b } else { b + 1 }];
            let mut normal = random.direction();
            for point in 0..=random.below(6) as u32 {
                if random.below(4) == 0 {
                    normal = random.direction();
                }
                contacts.push(contact(pair, random.vector(5.0), normal, edge, point));
            }
        }
        let found = |executor: &dyn Executor| {
            let mut support = Support::default();
            support.find(&contacts, &bodies, Vec3::Y, executor);
            let Order { seats, .. } = support.order();
            seats.iter().map(|s| (s.bodies, s.first, s.count, s.carried(), s.layer)).collect::<Vec<_>>()
        };
        let alone = found(&OneThread);
        assert!(contacts.len() > 3 * FEW && alone.len() > 2000 && alone.len() < contacts.len());
        assert!(alone.iter().map(|seat| seat.2 as usize).sum::<usize>() == contacts.len());
        for executor in [&Backwards as &dyn Executor, &Threads(2), &Threads(3)] {
            assert!(found(executor) == alone, "{} threads", executor.threads());
        }
    }
}
