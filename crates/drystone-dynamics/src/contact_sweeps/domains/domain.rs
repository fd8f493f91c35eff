use crate::contact_sweeps::body::Body;
use crate::contact_sweeps::clock::VisitClock;
use crate::contact_sweeps::order::Order;
use crate::contact_sweeps::overlap::Parting;
use crate::contact_sweeps::part::{Part, Solve, Stage};
use crate::contact_sweeps::seat::Seat;
use drystone_math::Real;

/// Marks a body that has no place in a domain.
const NOWHERE: u32 = u32::MAX;

/// The patches of a set, with its own copies of the bodies that they act on.
#[derive(Debug, Default)]
pub(super) struct Domain {
    pub(super) part: Part,
    order: Order,
    pub(super) bodies: Vec<Body>,
    /// Which bodies of the group these are.
    pub(super) members: Vec<u32>,
    /// For each body of the group: its place here.
    places: Vec<u32>,
    /// The set whose patches it has.
    set: u32,
    /// By how much patches were off at most in the last sweep (m/s).
    pub(super) off: Real,
}

impl Domain {
    /// Prepares for the patches of a set.
    pub(super) fn begin(&mut self, set: u32, clock: VisitClock) {
        self.set = set;
        self.part.clock = clock;
    }

    /// Takes the seats of its set, given the set of every seat, and copies their bodies.
    pub(super) fn take(&mut self, order: &Order, bodies: &[Body], sets: &[u32]) {
        for body in self.members.drain(..) {
            self.places[body as usize] = NOWHERE;
        }
        self.places.resize(bodies.len(), NOWHERE);
        self.bodies.clear();
        self.order.seats.clear();
        let own = self.set;
        for (seat, _) in order.seats.iter().zip(sets).filter(|(_, set)| **set == own) {
            let local = seat.bodies.map(|body| self.place_of(body, bodies));
            self.order.seats.push(Seat { bodies: local, ..*seat });
        }
        self.order.find_layers();
    }

    /// The place of a body of the group here; the body is copied if it was not here yet.
    pub(super) fn place_of(&mut self, body: u32, bodies: &[Body]) -> u32 {
        let place = &mut self.places[body as usize];
        if *place == NOWHERE {
            *place = self.bodies.len() as u32;
            self.bodies.push(bodies[body as usize]);
            self.members.push(body);
        }
        *place
    }

    /// Takes over gaps and velocities if they differ from those of the last solve.
    pub(super) fn renew(&mut self, parting: Parting<'_>) {
        if let Some((contacts, bodies)) = parting.renewed {
            self.part.read_gaps(contacts);
            for (body, member) in self.bodies.iter_mut().zip(&self.members) {
                body.velocity = bodies[*member as usize].velocity;
            }
        }
    }

    pub(super) fn run(&mut self, stage: Stage, solve: &Solve<'_>) {
        self.off = self.part.run(stage, &self.order, &mut self.bodies, solve);
    }
}
