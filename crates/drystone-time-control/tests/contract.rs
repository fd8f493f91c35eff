//! Every time control keeps the contract of its seam, over a kernel that records what it is asked to do.

use drystone_core::TimeControl;
use drystone_core::catalogue::Settings;
use drystone_testkit::{FakeKernel, Verb, check_time_control};
use drystone_time_control::{Evaluation, FixedStep, IMPLEMENTATIONS, by_name};

#[test]
fn each_advances_the_clock_exactly() {
    for d in IMPLEMENTATIONS {
        check_time_control(&mut || by_name(d.name, &Settings::defaults(d)).unwrap());
    }
}

///
#[test]
fn each_evaluation_detects_and_solves_as_often_as_it_says() {
    // lazily: with what arrives, and without
    for (evaluation, detections, solves, repeats) in
        [(Evaluation::Eager, 5, 5, 0), (Evaluation::Moderate, 1, 5, 0), (Evaluation::Lazy, 1, 2, 4)]
    {
        let mut control = FixedStep { sub_steps: 5, evaluation, ..FixedStep::default() };
        check_time_control(&mut || Box::new(control));
        let mut kernel = FakeKernel::new(0.0);
        control.advance(&mut kernel, 0.1).unwrap();
        let count = |f: fn(&Verb) -> bool| kernel.verbs.iter().filter(|v| f(v)).count();
        assert_eq!(count(|v| matches!(v, Verb::Detect(..))), detections, "{evaluation:?}");
        assert_eq!(count(|v| matches!(v, Verb::Solve(..))), solves, "{evaluation:?}");
        assert_eq!(count(|v| matches!(v, Verb::Repeat(_))), repeats, "{evaluation:?}");
    }
}
