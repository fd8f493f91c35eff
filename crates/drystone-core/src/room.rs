/// Empties a list, with memory for `n` entries: filling it later with no more than that allocates nothing.
pub fn make_room<T>(list: &mut Vec<T>, n: usize) {
    list.clear();
    list.reserve(n);
}
