//! Places of the marks in a column.

/// Number of entries that are passed over at once if none of them is marked.
const BLOCK: usize = 64;

/// The places that are marked, ascending.
///
/// # Cost
/// One visit per mark, and the reading of the column, which takes a byte per entry and no branch.
pub fn marked(column: &[bool]) -> impl Iterator<Item = usize> + Clone {
    // not `any`: it stops at the first mark, and so takes a branch per entry
    let has_mark = |block: &[bool]| block.iter().fold(false, |has, mark| has | mark);
    let blocks = column.chunks(BLOCK).enumerate().filter(move |(_, block)| has_mark(block));
    blocks.flat_map(|(k, block)| {
        let marks = block.iter().enumerate().filter(|(_, mark)| **mark);
        marks.map(move |(i, _)| k * BLOCK + i)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_wherever_they_stand() {
        for (count, step) in [(0, 1), (1, 1), (64, 63), (65, 64), (1000, 1), (1000, 7), (1000, 333), (1000, 2000)] {
            let column: Vec<bool> = (0..count).map(|i| i % step == step - 1).collect();
            let expected: Vec<usize> = (0..count).filter(|i| column[*i]).collect();
            assert_eq!(marked(&column).collect::<Vec<_>>(), expected, "{count} {step}");
        }
    }
}
