use super::body::Body;
use super::relax::{Relaxed, Visit, bearing};
use super::stand::{Stand, stand};
use super::surfaces::{Item, Surfaces};
use drystone_math::Real;

/// Counts the visits of patches, and records which bodies they stir.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct VisitClock {
    pub(super) now: u32,
    /// Visits so far.
    pub(super) visits: u64,
    /// A body counts as stirred if it changes by more than this (m/s).
    pub(super) stirring: Real,
    /// Patches visited together are visited again, whatever others do, if one of them changes by more than this (m/s).
    pub(super) unfinished: Real,
}

/// Returns true if a body of the patch has changed since its last visit.
#[inline(always)]
pub(super) fn is_stirred(item: &Item, bodies: &[Body]) -> bool {
    let [a, b] = item.bodies.map(|i| bodies[i as usize].stirred);
    a.max(b) > item.visited
}

impl VisitClock {
    /// Starts counting. Bodies are stirred by changes above `stirring`, patches are not finished after changes above `unfinished` (m/s).
    pub(super) fn from(stirring: Real, unfinished: Real) -> Self {
        Self { now: 0, visits: 0, stirring, unfinished }
    }

    #[inline(always)]
    fn note(&mut self, item: &mut Item, bodies: &mut [Body], off: Real) {
        item.visited = self.now;
        if off > self.stirring {
            for b in item.bodies {
                let body = &mut bodies[b as usize];
                if body.moves {
                    body.stirred = self.now;
                }
            }
        }
    }

    /// Records a visit of several patches at once, and by how much each was off (m/s). Returns the time of the visit, or the time just before it if it has to be repeated.
    #[inline(always)]
    pub(super) fn note_all<const N: usize>(&mut self, who: &[[u32; N]; 2], off: &[Real], bodies: &mut [Body]) -> u32 {
        self.now += 1;
        self.visits += off.len() as u64;
        let mut unfinished = false;
        for (lane, off) in off.iter().enumerate() {
            unfinished |= *off > self.unfinished;
            if *off > self.stirring {
                for side in 0..2 {
                    let body = &mut bodies[who[side][lane] as usize];
                    if body.moves {
                        body.stirred = self.now;
                    }
                }
            }
        }
        self.now - u32::from(unfinished)
    }

    #[inline(always)]
    pub(super) fn visit(
        &mut self,
        item: &mut Item,
        surfaces: &mut Surfaces,
        bodies: &mut [Body],
        visit: Visit,
    ) -> Real {
        self.now += 1;
        self.visits += 1;
        let Relaxed { off, agrees } = surfaces.relax(item, bodies, visit);
        self.note(item, bodies, off);
        // it then counts as stirred by its own visit, if that has changed anything
        item.visited -= u32::from(!agrees);
        off
    }

    /// Brings a body to rest on its supports, all at once or one after the other; returns by how much it was off (m/s).
    #[inline(always)]
    pub(super) fn carry(
        &mut self,
        supports: &mut [Item],
        surfaces: &mut Surfaces,
        bodies: &mut [Body],
        backwards: bool,
        visit: Visit,
    ) -> Real {
        let quiet = |item: &Item, bodies: &[Body]| item.bodies.iter().all(|b| bodies[*b as usize].quiet);
        if supports.len() > 1
            && visit.rough
            && supports.iter().all(|item| quiet(item, bodies))
            && let Stand::Stands(off) = stand(supports, surfaces, bodies, visit.still)
        {
            self.now += supports.len() as u32;
            self.visits += supports.len() as u64;
            for item in supports {
                self.note(item, bodies, off);
            }
            return off;
        }
        let mut off: Real = 0.0;
        for i in 0..supports.len() {
            let item = &mut supports[if backwards { supports.len() - 1 - i } else { i }];
            let gives = bearing(item.bodies, item.upper, bodies);
            off = off.max(self.visit(item, surfaces, bodies, Visit { gives, ..visit }));
        }
        off
    }
}
