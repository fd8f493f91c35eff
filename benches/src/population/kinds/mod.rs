//! Kinds of groups. Each makes about as many bodies as it is asked for, with no overlap at the start.

mod articulated;
mod grounds;
mod machines;
mod piles;
mod solids;

use super::draw::Draw;
use super::group::Group;

/// Makes a group of about `count` bodies.
pub(in crate::population) type Make = fn(&mut Draw, usize) -> Group;

/// A kind of group.
#[derive(Clone, Copy)]
pub(in crate::population) struct Kind {
    /// Its name in tables.
    pub(in crate::population) name: &'static str,
    /// Makes a group.
    pub(in crate::population) make: Make,
    /// Fewest bodies of a group.
    pub(in crate::population) fewest: usize,
}

/// All kinds.
pub(in crate::population) const KINDS: &[Kind] = &[
    Kind { name: "heap", make: piles::heap, fewest: 9 },
    Kind { name: "tower", make: piles::tower, fewest: 3 },
    Kind { name: "throw", make: piles::throw, fewest: 4 },
    Kind { name: "wall", make: piles::wall, fewest: 9 },
    Kind { name: "chain", make: articulated::chain, fewest: 4 },
    Kind { name: "bridge", make: articulated::bridge, fewest: 6 },
    Kind { name: "net", make: articulated::net, fewest: 9 },
    Kind { name: "rag doll", make: articulated::rag_dolls, fewest: 10 },
    Kind { name: "rubble", make: solids::rubble, fewest: 3 },
    Kind { name: "gravel", make: solids::gravel, fewest: 3 },
    Kind { name: "terrain", make: grounds::terrain, fewest: 3 },
    Kind { name: "bowl", make: grounds::bowl, fewest: 3 },
    Kind { name: "doors", make: machines::doors, fewest: 3 },
    Kind { name: "lifts", make: machines::lifts, fewest: 3 },
    Kind { name: "mixer", make: machines::mixer, fewest: 4 },
    Kind { name: "cars", make: machines::cars, fewest: 10 },
    Kind { name: "beads", make: machines::beads, fewest: 4 },
    Kind { name: "springs", make: machines::springs, fewest: 8 },
];

/// Columns and rows of the squarest grid with about `count` places.
fn grid(count: usize) -> (usize, usize) {
    let columns = ((count as f64).sqrt().round() as usize).max(1);
    (columns, count.div_ceil(columns).max(1))
}
