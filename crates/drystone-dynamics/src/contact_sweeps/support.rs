use super::body::Body;
use super::lists::{Lists, count_into};
use super::order::Order;
use super::patch::patch_length;
use super::seat::{Seat, Upper, sides};
use drystone_core::{Executor, GroupContact, make_room, piece_length, run_each};
use drystone_math::{Real, Twist, Vec3};

/// Which bodies carry which in a group, from the bottom up: the order of the patches and the velocities of rest.
#[derive(Debug, Default)]
pub(super) struct Support {
    /// In the order of their contacts.
    seats: Vec<Seat>,
    /// For each body: its layer, one above the highest of its supports; immovable bodies have zero.
    layers: Vec<u32>,
    /// For each body: the bodies that it carries, once for each patch.
    carrying: Lists,
    /// For each body: the patches that carry it.
    supports: Lists,
    /// For each body: the number of its supporting patches that are still to come.
    waiting: Vec<u32>,
    queue: Vec<u32>,
    /// For each layer: bodies that are carried, and patches that lean.
    by_layer: [Lists; 2],
    order: Order,
    /// The velocities of rest of a layer's bodies.
    carried: Vec<(u32, Twist)>,
    /// For each body: whether it moves, as of the last call.
    moves: Vec<bool>,
    /// Results of several threads for pieces of the contacts.
    found: Vec<Vec<Seat>>,
}

/// Two bodies lean on each other, so that neither carries, if the upward component of their normal is below this.
const LEVEL: Real = 0.3;
/// Number of contacts below which a second thread does not pay: some 50 µs.
const FEW: usize = 2048;

impl Support {
    /// Finds the patches, their upper bodies and layers; without an up direction everything is one layer. If the patches and their upper bodies are those
    /// of the last call, so are layers and order.
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
            // only the last piece is shorter than that
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

    /// The patches to be made.
    pub(super) fn order(&self) -> &Order {
        &self.order
    }

    /// The longest way down of each body, found from the bottom up; bodies that carry each other in a circle keep what is known so far.
    fn find_layers(&mut self) {
        let n = self.moves.len();
        let Self { seats, layers, carrying, supports, waiting, queue, .. } = self;
        layers.clear();
        layers.resize(n, 0);
        for lists in [&mut *carrying, &mut *supports] {
            lists.make_room(n, seats.len());
            lists.begin(n);
        }
        for (high, low) in seats.iter().filter_map(|seat| sides(seat.bodies, seat.upper)) {
            carrying.count(low);
            supports.count(high);
        }
        carrying.end_counting();
        supports.end_counting();
        for (seat, k) in seats.iter().zip(0..) {
            if let Some((high, low)) = sides(seat.bodies, seat.upper) {
                carrying.add(low, high as u32);
                supports.add(high, k);
            }
        }
        waiting.clear();
        waiting.extend((0..n).map(|body| supports.of(body).len() as u32));
        queue.clear();
        queue.extend((0..n as u32).filter(|&b| waiting[b as usize] == 0));
        let mut next = 0;
        while next < queue.len() {
            let low = queue[next] as usize;
            next += 1;
            for &high in carrying.of(low) {
                let waiting = &mut waiting[high as usize];
                *waiting -= 1;
                if *waiting == 0 {
                    queue.push(high);
                }
                let high = high as usize;
                layers[high] = if self.moves[high] { layers[high].max(layers[low] + 1) } else { layers[high] };
            }
        }
    }

    /// Sorts the patches by the layer of their upper body, then by that body; those that lean on each other come last in their layer.
    fn sort(&mut self) {
        let Self { seats, layers, supports, order, by_layer, .. } = self;
        let of_leaning = |seat: &Seat| seat.bodies.map(|i| layers[i as usize]).into_iter().max().unwrap_or(0) as usize;
        let leans = |seat: &Seat| seat.upper == Upper::Neither;
        let carried = |body: &u32| !supports.of(*body as usize).is_empty();
        let [bodies, leaning] = by_layer;
        bodies.make_room(layers.len() + 1, layers.len());
        leaning.make_room(layers.len() + 1, seats.len());
        let count = layers.iter().max().map_or(0, |highest| *highest as usize + 1);
        count_into(count, (0..layers.len() as u32).filter(carried), |b| layers[b as usize] as usize, bodies);
        let all = seats.iter().zip(0..);
        count_into(
            count,
            all.filter(|(seat, _)| leans(seat)).map(|(_, k)| k),
            |k| of_leaning(&seats[k as usize]),
            leaning,
        );
        order.clear();
        make_room(&mut order.seats, seats.len());
        for layer in 0..count {
            let seat = |k: &u32| Seat { layer: layer as u32, ..seats[*k as usize] };
            order.begin_layer();
            for body in bodies.of(layer) {
                order.add_run(supports.of(*body as usize).iter().map(seat));
            }
            for k in leaning.of(layer) {
                order.add_run(core::iter::once(seat(k)));
            }
        }
        order.end();
    }

    /// The velocities of rest, from the bottom up: a body gets the mean of its supports, as if rigidly joined to them. A body without supports keeps its own velocity.
    pub(super) fn carry_rest_up(&mut self, bodies: &mut [Body]) {
        // as many as a layer can have
        make_room(&mut self.carried, bodies.len());
        for here in self.order.seats.chunk_by(|a, b| a.layer == b.layer) {
            // the supports of a body are next to each other
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

/// Data that decide the support side of a patch.
#[derive(Clone, Copy)]
struct Sitting<'a> {
    /// For each body, whether it moves.
    moves: &'a [bool],
    up: Vec3,
}

impl<'a> Sitting<'a> {
    /// The patches of some contacts, the first of which has the index `first` in the group.
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

/// Contacts in pieces of about the same length, each with the index of its first one. The contacts of an edge stay together, and so do those of a patch.
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

/// Replaces a list of seats; returns whether it was the same except for layers, which are then kept.
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

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_core::OneThread;
    use drystone_testkit::problem::{contact, cube};
    use drystone_testkit::{Backwards, Random, Threads};

    /// Edges of one to six contacts whose normals change direction now and then, so that
    /// pieces of equal length would cut through edges and patches.
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
