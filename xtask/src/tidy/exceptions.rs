//! What may break a rule of [`super::functions`] and [`super::modules`], and why. What needs it no longer is a fault too.

/// Functions of more than a screen: path, name, reason.
#[rustfmt::skip]
pub(crate) const LONG_FUNCTIONS: &[(&str, &str, &str)] = &[
    ("crates/drystone-cli/tests/schema.rs", "rule", "one arm for each keyword of JSON Schema that the schema uses"),
    ("crates/drystone-lcp/tests/robustness.rs", "cases", "the list of hostile problems"),
    ("crates/drystone-narrow-phase/examples/campaign/random_pairs.rs", "check", "every check of a pair, in the order in which the next one needs the last"),
    ("crates/drystone-scene/tests/bad_joints.rs", "every_kind_refuses_every_fault_by_the_name_of_the_joint", "the table of faults"),
    ("crates/drystone-scene/tests/faults_are_named.rs", "attachments", "the table of faults"),
    ("crates/drystone-scene/tests/reads_and_builds.rs", "every_section", "a scene with every section"),
];

/// Functions that branch on a switch among their parameters: path, name, reason.
#[rustfmt::skip]
pub(crate) const SWITCHED_FUNCTIONS: &[(&str, &str, &str)] = &[
    // what is the case, and no choice of what to do
    ("crates/drystone-core/src/motion_bound.rs", "of", "a joint leads out of the linkage: one of three reasons why it is held"),
    ("crates/drystone-dynamics/src/step_phases.rs", "solve_in_phases", "a collision solver has resolved impacts before"),
    ("crates/drystone/examples/character.rs", "walk", "a key is pressed"),
    ("crates/drystone/src/limits.rs", "of", "the motion solver knows inertia: one of two conditions of a bound of energy"),
    ("crates/drystone/src/snapshot/archive.rs", "hold", "the condition holds"),
    // to be mended: these files are being rewritten
    ("crates/drystone-dynamics/src/avbd/contacts.rs", "add_to", "which of two stored forces"),
    ("crates/drystone-dynamics/src/contact_sweeps/clock.rs", "carry", "the direction of the pass"),
    ("crates/drystone-dynamics/src/contact_sweeps/group.rs", "part", "whether the step was plain"),
    ("crates/drystone-lcp/src/solver.rs", "finish", "whether the accumulator is of the answer"),
];

/// Modules of a crate that import each other: the crate's folder, the modules sorted, reason.
#[rustfmt::skip]
pub(crate) const MODULE_CYCLES: &[(&str, &[&str], &str)] = &[
];
