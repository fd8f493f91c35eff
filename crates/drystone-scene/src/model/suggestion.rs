use drystone_core::near_name;

/// A few of many names, for a message about one that is not among them; the one that may have been meant is.
pub(crate) fn some_of<S: AsRef<str>>(found: &str, names: &[S]) -> String {
    const SHOWN: usize = 12;
    // among more the search takes too long for a file that is full of faults
    const SEARCHED: usize = 1000;
    if names.is_empty() {
        return "none".to_owned();
    }
    let shown: Vec<&str> = names.iter().take(SHOWN).map(AsRef::as_ref).collect();
    let meant = near_name(found, names.iter().take(SEARCHED).map(AsRef::as_ref)).filter(|n| !shown.contains(n));
    let list = meant.into_iter().chain(shown).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN { format!("{list}, ... ({} in all)", names.len()) } else { list }
}
