//! The laws of the kernel port, checked on the fake kernel.

use drystone_core::Kernel;
use drystone_testkit::{BrokenKernel, FakeKernel, Fault, check_kernel};
use std::panic::{AssertUnwindSafe, catch_unwind};

#[test]
fn the_fake_kernel_keeps_the_laws() {
    for impact in [None, Some(0.35), Some(2.0)] {
        let mut kernel = FakeKernel::new(0.0);
        kernel.impact_at = impact;
        (kernel.joints, kernel.departs) = (true, 0.1);
        for _ in 0..20 {
            check_kernel(&mut kernel, 0.1, 1e-12).unwrap();
        }
        assert!((kernel.poses()[0] - 2.0).abs() < 1e-9 && kernel.time() == 0.0);
    }
}

/// Faults that do not show in a world without pushing contacts, motion by velocities and weight; the tests of the real kernel find them all.
const UNSEEN: [Fault; 8] = [
    Fault::ForgetsContacts,
    Fault::DropsContacts,
    Fault::KeepsVelocities,
    Fault::RewindsOneWay,
    Fault::RefreshesHere,
    Fault::RenewsNothing,
    Fault::RefreshesToRenew,
    Fault::LeavesItsRoom,
];

#[test]
fn whoever_breaks_a_law_is_told() {
    let breaks = |fault: Fault| {
        let mut kernel = FakeKernel::new(0.0);
        (kernel.joints, kernel.departs) = (true, 0.1);
        let mut broken = BrokenKernel { kernel: &mut kernel, fault };
        catch_unwind(AssertUnwindSafe(|| check_kernel(&mut broken, 0.1, 1e-12))).is_err()
    };
    let unseen: Vec<Fault> = Fault::ALL.into_iter().filter(|fault| !breaks(*fault)).collect();
    assert_eq!(unseen, UNSEEN);
}
