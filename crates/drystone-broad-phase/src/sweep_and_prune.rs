use crate::sorted_axis::SortedAxis;
use crate::{Axes, EndpointList, PairSort};
use drystone_core::catalogue::{Implementation, Settings};
use drystone_core::{BodyPair, BroadPhase, BroadPhaseInput, MOST_PAIRS, ProxyFilter, choice, settings};

choice! {
    /// Method by which [`SweepAndPrune`] makes use of the last call.
    #[derive(Default)]
    pub enum SweepMethod {
        /// Keeps one sorted list of endpoints per axis, and the pairs; looks only at boxes whose endpoints were exchanged.
        #[default]
        Exchange = "exchange",
        /// Keeps the order along the axis of greatest spread and sweeps it again.
        Sweep = "sweep",
    }
}

settings! {
    /// Axes and method of a [`SweepAndPrune`].
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct SweepSettings {
        /// axes on which boxes are compared; fewer give more pairs
        axes: Axes = choice(ALL),
        /// exchange: updates pairs only where endpoints swap places; sweep: keeps the order along one axis and sweeps it again
        method: SweepMethod = choice(Exchange),
        /// swaps per box after which endpoints are sorted from scratch
        exchange_limit: u32 = integer(8, 0, 1_000_000) if method is ["exchange"],
    }
}

/// After giving up, `exchange` sweeps for this many calls before it sorts its lists again, so a scene whose boxes all
/// jump in every call costs little more than sweeping.
const PAUSE: u32 = 8;

/// Sort and sweep: boxes that do not overlap on one axis cannot overlap.
///
/// Both methods give the same pairs. `sweep` costs the overlaps along one axis, whatever moves; `exchange` costs the
/// exchanges on three axes and wins by far if many boxes move little. Either gives up after `exchange_limit` exchanges
/// per box and sorts from scratch, so a teleport or a change of the bodies never costs O(n^2) exchanges.
///
/// # Source
/// I-03, I-04, I-05, I-10; Baraff 1995, "Bounding boxes" to "The two-dimensional case". Differs in: the
/// table of overlaps is a sorted list, into which new pairs are merged, and a pair leaves it when its boxes, looked at
/// again, are apart.
#[derive(Debug, Clone)]
pub struct SweepAndPrune {
    axes: Axes,
    method: SweepMethod,
    exchange_limit: u64,
    exchanges: u64,
    pause: u32,
    sorted: SortedAxis,
    pair_sort: PairSort,
    lists: [EndpointList; 3],
    filters: Vec<ProxyFilter>,
    table: Vec<BodyPair>,
    added: Vec<BodyPair>,
}

impl Default for SweepAndPrune {
    fn default() -> Self {
        Self::with_settings(SweepSettings::default())
    }
}

impl SweepAndPrune {
    /// Its entry in the catalogue.
    pub const DESCRIPTION: Implementation = Implementation {
        name: "sweep-and-prune",
        summary: "sorts box endpoints along the axes, by insertion sort from the last order",
        source: "Baraff 1995, Figures 3 and 4; Erleben 2005, section 2.3.1",
        parameters: SweepSettings::PARAMETERS,
    };

    /// On the given axes; sorts from scratch after `exchange_limit` exchanges per box.
    pub fn new(axes: Axes, method: SweepMethod, exchange_limit: u32) -> Self {
        Self {
            axes,
            method,
            exchange_limit: u64::from(exchange_limit),
            exchanges: 0,
            pause: 0,
            sorted: SortedAxis::default(),
            pair_sort: PairSort::default(),
            lists: Default::default(),
            filters: Vec::new(),
            table: Vec::new(),
            added: Vec::new(),
        }
    }

    fn with_settings(SweepSettings { axes, method, exchange_limit }: SweepSettings) -> Self {
        Self::new(axes, method, exchange_limit)
    }

    /// With the given settings.
    pub fn from_settings(settings: &Settings) -> Self {
        Self::with_settings(SweepSettings::from_settings(settings))
    }

    /// Exchanges of the last call, on all axes; zero if it sorted from scratch.
    pub fn exchanges(&self) -> u64 {
        self.exchanges
    }

    fn sort_and_sweep(&mut self, input: BroadPhaseInput<'_>, pairs: &mut Vec<BodyPair>) {
        let limit = self.exchange_limit * input.boxes.len() as u64;
        self.exchanges = self.sorted.sort(input.boxes, self.axes, limit).unwrap_or(0);
        self.sorted.sweep(input, self.axes, pairs);
        self.pair_sort.sort(pairs, input.boxes.len());
    }

    /// Brings the endpoint lists up to date and collects pairs that may have begun to overlap; false if that took too
    /// many exchanges.
    fn exchange(&mut self, input: BroadPhaseInput<'_>) -> bool {
        let (axes, added) = (self.axes, &mut self.added);
        let limit = self.exchange_limit * input.boxes.len() as u64;
        added.clear();
        self.exchanges = 0;
        for k in axes.iter() {
            let interval = |i: u32| (input.boxes[i as usize].min[k], input.boxes[i as usize].max[k]);
            let exchanges = self.lists[k].update(interval, limit, |down, up| {
                if down.is_end() || !up.is_end() || down.interval() == up.interval() {
                    return;
                }
                let (i, j) = (down.interval(), up.interval());
                if added.len() <= MOST_PAIRS
                    && axes.overlap(&input.boxes[i as usize], &input.boxes[j as usize])
                    && input.filters[i as usize].admits(&input.filters[j as usize])
                {
                    added.push(BodyPair::ordered(i.min(j), i.max(j)));
                }
            });
            match exchanges {
                Some(e) => self.exchanges += e,
                None => return false,
            }
        }
        true
    }

    fn rebuild(&mut self, input: BroadPhaseInput<'_>, pairs: &mut Vec<BodyPair>) {
        self.sort_and_sweep(input, pairs);
        self.exchanges = 0;
        for k in self.axes.iter() {
            self.lists[k].rebuild(input.boxes.iter().map(|b| (b.min[k], b.max[k])));
        }
        self.filters.clear();
        self.filters.extend_from_slice(input.filters);
    }

    /// Merges the pairs that still overlap with the new ones.
    fn merge(&mut self, input: BroadPhaseInput<'_>, pairs: &mut Vec<BodyPair>) {
        self.added.sort_unstable();
        self.added.dedup();
        let mut added = self.added.iter().copied().peekable();
        for old in &self.table {
            while let Some(new) = added.next_if(|new| new < old) {
                pairs.push(new);
            }
            added.next_if_eq(old);
            if self.axes.overlap(&input.boxes[old.a.at()], &input.boxes[old.b.at()]) {
                pairs.push(*old);
            }
        }
        pairs.extend(added);
    }
}

impl BroadPhase for SweepAndPrune {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn find_pairs(&mut self, input: BroadPhaseInput<'_>, pairs: &mut Vec<BodyPair>) {
        pairs.clear();
        if self.method == SweepMethod::Sweep {
            self.sort_and_sweep(input, pairs);
            return;
        }
        if self.pause > 0 {
            // the lists and the table are out of date: a pause ends with a rebuild
            self.pause -= 1;
            self.filters.clear();
            self.sort_and_sweep(input, pairs);
            return;
        }
        if self.filters != input.filters || input.filters.is_empty() {
            self.rebuild(input, pairs);
        } else if self.exchange(input) {
            self.merge(input, pairs);
        } else {
            self.pause = PAUSE;
            self.filters.clear();
            self.sort_and_sweep(input, pairs);
            return;
        }
        self.table.clone_from(pairs);
        if pairs.len() > MOST_PAIRS {
            // the table is incomplete: the next call begins anew
            self.filters.clear();
        }
    }
}
