use crate::{GroupBody, make_room};

/// Which bodies of a group are connected by what acts between them (union-find). Immovable bodies connect nothing.
#[derive(Debug, Clone, Default)]
pub struct Connected {
    parent: Vec<u32>,
}

impl Connected {
    /// Empties it, with memory for `bodies` bodies: [`Self::restart`] with that many then allocates nothing.
    pub fn make_room(&mut self, bodies: usize) {
        make_room(&mut self.parent, bodies);
    }

    /// Begins anew with `bodies` bodies, none of them connected.
    pub fn restart(&mut self, bodies: usize) {
        self.parent.clear();
        self.parent.extend(0..bodies as u32);
    }

    /// The body that represents all bodies connected with this one: the first of them.
    pub fn root(&mut self, mut body: u32) -> u32 {
        while self.parent[body as usize] != body {
            let above = self.parent[body as usize];
            self.parent[body as usize] = self.parent[above as usize];
            body = above;
        }
        body
    }

    /// Connects the bodies represented by a pair of movable ones. Returns the new representative of all, and the former one of the others (the same body if
    /// they were already connected).
    pub fn join(&mut self, pair: [u32; 2]) -> [u32; 2] {
        let [a, b] = pair.map(|body| self.root(body));
        let (low, high) = (a.min(b), a.max(b));
        self.parent[high as usize] = low;
        [low, high]
    }

    /// Connects the bodies of a pair, if both are movable.
    pub fn connect(&mut self, bodies: &[GroupBody], pair: [u32; 2]) {
        if pair.iter().all(|b| bodies[*b as usize].is_movable()) {
            self.join(pair);
        }
    }

    /// The representative of the movable body of a pair, or of the first if both are movable.
    pub fn of_pair(&mut self, bodies: &[GroupBody], pair: [u32; 2]) -> u32 {
        self.root(if bodies[pair[0] as usize].is_movable() { pair[0] } else { pair[1] })
    }
}
