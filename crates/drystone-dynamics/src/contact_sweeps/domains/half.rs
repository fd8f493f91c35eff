use super::MOST;
use super::border::Border;
use super::domain::Domain;
use drystone_core::Executor;
use smallvec::SmallVec;
use std::sync::{Mutex, PoisonError};

/// One half of the domains while they are worked on, and the border within it, which waits for all of them.
struct Half<'a> {
    /// The domains that are done.
    done: SmallVec<[Option<&'a mut Domain>; MOST / 2]>,
    border: &'a mut Border,
    /// Index of its first domain among those of both halves.
    first: u32,
}

impl<'a> Half<'a> {
    fn of(domains: usize, first: usize, border: &'a mut Border) -> Mutex<Self> {
        Mutex::new(Self { done: (0..domains).map(|_| None).collect(), border, first: first as u32 })
    }

    /// Records that one more domain is done; works on the border if it was the last.
    fn arrive(&mut self, place: usize, domain: &'a mut Domain, join: impl Fn(&mut [&mut Domain], &mut Border, u32)) {
        self.done[place] = Some(domain);
        if self.done.iter().all(Option::is_some) {
            let mut within: SmallVec<[&mut Domain; MOST / 2]> = self.done.iter_mut().filter_map(Option::take).collect();
            join(&mut within, self.border, self.first);
        }
    }
}

/// Works on all domains, in parallel if there are threads, and on the border within each half once that half is done: whichever thread finished its last domain
/// goes on with it, without waiting for the other half. With only two domains these borders are empty. `join` is given the index of the first domain of its half.
pub(super) fn half_by_half(
    within: &mut [Domain],
    [first, second]: [&mut Border; 2],
    executor: &dyn Executor,
    work: impl Fn(&mut Domain) + Sync,
    join: impl Fn(&mut [&mut Domain], &mut Border, u32) + Sync,
) {
    let middle = within.len() / 2;
    let halves = [Half::of(middle, 0, first), Half::of(within.len() - middle, middle, second)];
    let (halves, work, join) = (&halves, &work, &join);
    let mut pieces: SmallVec<[_; MOST]> = (0..)
        .zip(within)
        .map(|(i, domain)| {
            let mut domain = Some(domain);
            move || {
                if let Some(domain) = domain.take() {
                    work(domain);
                    let (half, place) = if i < middle { (0, i) } else { (1, i - middle) };
                    halves[half].lock().unwrap_or_else(PoisonError::into_inner).arrive(place, domain, join);
                }
            }
        })
        .collect();
    let mut pieces: SmallVec<[&mut (dyn FnMut() + Send); MOST]> =
        pieces.iter_mut().map(|piece| piece as &mut (dyn FnMut() + Send)).collect();
    executor.run(&mut pieces);
}
