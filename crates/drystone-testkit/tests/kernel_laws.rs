//! The laws of the kernel port, on the fake kernel.

use drystone_core::Kernel;
use drystone_testkit::{FakeKernel, check_kernel};

#[test]
fn the_fake_kernel_keeps_the_laws() {
    for impact in [None, Some(0.35), Some(2.0)] {
        let mut kernel = FakeKernel::new(0.0);
        kernel.impact_at = impact;
        for _ in 0..20 {
            check_kernel(&mut kernel, 0.1, 1e-12).unwrap();
        }
        assert!((kernel.poses()[0] - 2.0).abs() < 1e-9 && kernel.time() == 0.0);
    }
}
