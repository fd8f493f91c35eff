//! The analysis keeps the contract of its seam.

use drystone_contact_graph::GraphAnalysis;
use drystone_testkit::check_coherence_analysis;

#[test]
fn graph_analysis_keeps_the_contract() {
    check_coherence_analysis(&mut || Box::new(GraphAnalysis::default()));
}
