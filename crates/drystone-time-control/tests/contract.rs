//! Every time control keeps the contract of its seam over a kernel that writes down what it is told.

use drystone_core::catalogue::Settings;
use drystone_testkit::check_time_control;
use drystone_time_control::{IMPLEMENTATIONS, by_name};

#[test]
fn each_advances_the_clock_exactly() {
    for d in IMPLEMENTATIONS {
        check_time_control(&mut || by_name(d.name, &Settings::defaults(d)).unwrap());
    }
}
