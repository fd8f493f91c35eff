//! Lists that are sorted and change in few places.

/// Removes from a sorted list those entries of `old` that are not in `new`, and inserts those of `new` that are not in `old`. Both are sorted, and all of `old`
/// are in the list. What lies between them is moved as a whole.
pub(crate) fn exchange<T: Copy + Ord>(list: &mut Vec<T>, old: &[T], new: &[T]) {
    if old == new {
        return;
    }
    // what goes: `kept` entries are in place, those before `from` are dealt with
    let (mut kept, mut from) = (0, 0);
    for gone in old.iter().filter(|entry| new.binary_search(entry).is_err()) {
        let at = from + list[from..].partition_point(|entry| entry < gone);
        debug_assert!(list[at] == *gone);
        list.copy_within(from..at, kept);
        kept += at - from;
        from = at + 1;
    }
    if from > kept {
        list.copy_within(from.., kept);
        list.truncate(list.len() - (from - kept));
    }
    // what comes, from behind
    let comes = |entry: &&T| old.binary_search(entry).is_err();
    let mut end = list.len();
    list.extend(new.iter().filter(comes));
    let mut to = list.len();
    for come in new.iter().filter(comes).rev() {
        let at = list[..end].partition_point(|entry| entry < come);
        list.copy_within(at..end, to - (end - at));
        to -= end - at + 1;
        list[to] = *come;
        end = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_list_is_what_it_would_be_if_it_were_made_anew() {
        // 7919 is prime: any pattern of coming, going and staying
        for seed in 0..200_u32 {
            let draw = |i: u32, salt: u32| (i + 1) * 7919 * (seed + salt + 1) % 101 < 20;
            let pick = |salt: u32| (0..100).filter(|i| draw(*i, salt)).collect::<BTreeSet<u32>>();
            let (others, old, new) = (pick(3), pick(1), pick(2));
            let others: BTreeSet<u32> =
                others.iter().copied().filter(|i| !old.contains(i) && !new.contains(i)).collect();
            let mut list: Vec<u32> = others.union(&old).copied().collect();
            let [old, new] = [&old, &new].map(|set| set.iter().copied().collect::<Vec<_>>());
            exchange(&mut list, &old, &new);
            assert!(list.iter().copied().eq(others.iter().chain(&new).copied().collect::<BTreeSet<_>>()), "{seed}");
        }
    }
}
