use super::domain::Domain;
use crate::contact_sweeps::bisection::{Bisection, FIXED};
use crate::contact_sweeps::body::Body;
use crate::contact_sweeps::overlap::Parting;
use crate::contact_sweeps::part::{Solve, Stage};

/// Patches between domains.
#[derive(Debug, Default)]
pub(super) struct Border {
    pub(super) domain: Domain,
    /// Those of its bodies that move; the domains have all of them too.
    ties: Vec<Tie>,
}

/// A body that is both in a domain and in a border.
#[derive(Debug, Clone, Copy)]
struct Tie {
    domain: u32,
    there: u32,
    here: u32,
}

impl Border {
    /// Finds its bodies in the domains on both sides of it, the first of which has the set `first`. A body that is in no other patch of its domain gets a place there.
    pub(super) fn tie(&mut self, cut: &Bisection, bodies: &[Body], within: &mut [&mut Domain], first: u32) {
        let Self { domain, ties } = self;
        ties.clear();
        for (&body, here) in domain.members.iter().zip(0..) {
            let home = cut.home(body);
            if home != FIXED {
                let domain = home - first;
                ties.push(Tie { domain, there: within[domain as usize].place_of(body, bodies), here });
            }
        }
    }

    /// Runs a stage, with the bodies as the domains have left them.
    pub(super) fn run(&mut self, stage: Stage, within: &mut [&mut Domain], solve: &Solve<'_>) {
        let Self { domain, ties } = self;
        let latest = within.iter().map(|domain| domain.part.clock.now).fold(domain.part.clock.now, u32::max);
        domain.part.clock.now = latest;
        for tie in &*ties {
            let there = &within[tie.domain as usize].bodies[tie.there as usize];
            domain.bodies[tie.here as usize].follow(there);
        }
        domain.run(stage, solve);
        for tie in &*ties {
            within[tie.domain as usize].bodies[tie.there as usize].follow(&domain.bodies[tie.here as usize]);
        }
        for other in within {
            other.part.clock.now = domain.part.clock.now;
        }
    }

    /// Displaces bodies, in addition to the displacements by the domains.
    pub(super) fn part(&mut self, within: &mut [&mut Domain], parting: Parting<'_>) {
        let Self { domain, ties } = self;
        domain.renew(parting);
        domain.part.stay(domain.bodies.len());
        for tie in &*ties {
            domain.part.ways[tie.here as usize] = within[tie.domain as usize].part.ways[tie.there as usize];
        }
        domain.off = domain.part.part_on(&domain.bodies, parting);
        for tie in &*ties {
            within[tie.domain as usize].part.ways[tie.there as usize] = domain.part.ways[tie.here as usize];
        }
    }
}
