use super::seat::Seat;

/// Seats in the order of their visits: bottom up, with those of the same upper body next to each other.
#[derive(Debug, Default)]
pub(super) struct Order {
    pub(super) seats: Vec<Seat>,
    /// First index of each layer, and the end of the last one.
    layers: Vec<u32>,
    /// First index of each body's supports (each leaning patch by itself), and the end of the last ones.
    runs: Vec<u32>,
}

impl Order {
    /// Begins anew, with no seats.
    pub(super) fn clear(&mut self) {
        self.seats.clear();
        self.layers.clear();
        self.runs.clear();
    }

    /// Seats added from here on belong to the next layer; a layer without seats is dropped.
    #[inline]
    pub(super) fn begin_layer(&mut self) {
        let here = self.seats.len() as u32;
        if self.layers.last() != Some(&here) {
            self.layers.push(here);
        }
    }

    /// Adds the supports of a body, or a patch that leans.
    #[inline]
    pub(super) fn add_run(&mut self, seats: impl Iterator<Item = Seat>) {
        self.runs.push(self.seats.len() as u32);
        self.seats.extend(seats);
    }

    /// Ends the adding of seats.
    pub(super) fn end(&mut self) {
        self.begin_layer();
        self.runs.push(self.seats.len() as u32);
    }

    /// Finds the layers of the seats.
    pub(super) fn find_layers(&mut self) {
        self.layers.clear();
        self.runs.clear();
        let mut before = None;
        for (at, seat) in self.seats.iter().enumerate() {
            let here = (seat.layer, seat.carried());
            if before.is_none_or(|(layer, _)| layer != seat.layer) {
                self.layers.push(at as u32);
            }
            if before.is_none_or(|b| b != here) || here.1.is_none() {
                self.runs.push(at as u32);
            }
            before = Some(here);
        }
        self.layers.push(self.seats.len() as u32);
        self.runs.push(self.seats.len() as u32);
    }

    /// For each layer, from the top down: where the supports of its bodies begin, and the end of the last ones.
    #[inline(always)]
    pub(super) fn top_down(&self) -> impl Iterator<Item = &[u32]> {
        let mut end = self.runs.len() - 1;
        self.layers.windows(2).rev().map(move |layer| {
            let begin = self.runs[..end].partition_point(|at| *at < layer[0]);
            let runs = &self.runs[begin..=end];
            end = begin;
            runs
        })
    }
}
