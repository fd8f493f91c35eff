//! The analysis keeps the contract of its seam.

use drystone_contact_graph::{GraphAnalysis, GraphSettings, StackHeight};
use drystone_testkit::{Heights, check_coherence_analysis};

#[test]
fn graph_analysis_keeps_the_contract() {
    check_coherence_analysis(&mut || Box::new(GraphAnalysis::default()), Heights::Shortest);
    let carried = GraphSettings { stack_height: StackHeight::Gravity, ..GraphSettings::default() };
    check_coherence_analysis(&mut || Box::new(GraphAnalysis::new(&carried)), Heights::Carried);
}

#[test]
fn heights_of_one_rule_are_not_those_of_the_other() {
    let shortest = || check_coherence_analysis(&mut || Box::new(GraphAnalysis::default()), Heights::Carried);
    assert!(std::panic::catch_unwind(shortest).is_err());
}
