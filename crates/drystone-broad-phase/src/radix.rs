/// Lists shorter than this are sorted by comparing.
const SHORT: usize = 512;

/// Sorts a list by keys in linear time; entries with equal keys must already ascend, and `other` is scratch. A short
/// list is sorted by comparing the entries themselves, whose order must therefore agree with that of their keys.
pub(crate) fn sort<T: Copy + Ord + Default>(list: &mut Vec<T>, other: &mut Vec<T>, key: impl Fn(&T) -> u64) {
    if list.len() < SHORT {
        list.sort_unstable();
        return;
    }
    let mut counts = [[0_u32; 256]; 8];
    for entry in &*list {
        let key = key(entry);
        for (d, count) in counts.iter_mut().enumerate() {
            count[(key >> (8 * d)) as usize & 255] += 1;
        }
    }
    other.clear();
    other.resize(list.len(), T::default());
    for (d, count) in counts.iter_mut().enumerate() {
        // a digit that all keys share sorts nothing
        if count.iter().any(|c| *c as usize == list.len()) {
            continue;
        }
        let mut sum = 0;
        for c in &mut *count {
            sum += core::mem::replace(c, sum);
        }
        for &entry in &*list {
            let at = &mut count[(key(&entry) >> (8 * d)) as usize & 255];
            other[*at as usize] = entry;
            *at += 1;
        }
        core::mem::swap(list, other);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn sorts_like_the_standard_library() {
        for n in [0, 1, 100, 5000] {
            let mut list: Vec<(u64, u32)> =
                (0..n).map(|i| (((u64::from(i).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20) % 3000) << 17, i)).collect();
            let mut expected = list.clone();
            expected.sort_unstable();
            super::sort(&mut list, &mut Vec::new(), |e| e.0);
            assert_eq!(list, expected);
        }
    }
}
