//! Ctrl-C and SIGTERM: the first asks a run to stop after its present step, the second ends the program at once.

use crate::Failure;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// True once a signal of either kind has come.
static CAME: AtomicBool = AtomicBool::new(false);
/// Its number; zero before.
static SIGNAL: AtomicUsize = AtomicUsize::new(0);

/// Takes the signals from now on. Before this call they end the program: there is nothing to save then.
///
/// # Errors
/// [`Failure::Input`] if the system does not allow it.
pub(crate) fn listen() -> Result<(), Failure> {
    let register = |signal: i32| {
        // in this order: the first signal finds the flag down and raises it
        flag::register_conditional_shutdown(signal, 128 + signal, &CAME)?;
        flag::register(signal, &CAME)?;
        flag::register_usize(signal, &SIGNAL, signal as usize)
    };
    for signal in [SIGINT, SIGTERM] {
        register(signal).map_err(|e| Failure::Input(format!("signals cannot be taken: {e}")))?;
    }
    Ok(())
}

/// The signal that asked the run to stop, if one did.
pub(crate) fn asked() -> Option<i32> {
    match SIGNAL.load(Ordering::Relaxed) {
        0 => None,
        signal => Some(signal as i32),
    }
}
