//! The drystone command line.

fn main() {}
