/// Empties a list, with memory for `n` entries: what fills it later, with no more, allocates nothing.
pub fn make_room<T>(list: &mut Vec<T>, n: usize) {
    list.clear();
    list.reserve(n);
}
