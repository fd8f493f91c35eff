use std::io::Write;

/// Writes to standard output. A reader that went away (`drystone list | head`) is no fault of anybody.
pub(crate) fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
