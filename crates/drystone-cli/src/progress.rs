use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;

/// A progress bar on a terminal, and nothing at all in a pipe.
pub(crate) fn bar(steps: u64, what: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(steps);
    if let Ok(style) = ProgressStyle::with_template("{msg} {bar:40} {pos}/{len} steps, {eta} left") {
        bar.set_style(style);
    }
    bar.set_message(what.to_owned());
    bar
}
