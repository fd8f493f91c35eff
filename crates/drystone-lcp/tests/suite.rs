//! The tests of this crate: one binary, a module per file.

mod allocation;
mod blocked_sweeps;
mod complementarity_levels;
mod contract;
mod dantzig;
mod decomposition;
mod discs;
mod eliminated;
mod growth;
mod known_solutions;
mod lemke;
mod no_solution;
mod one_contact;
mod orders_together;
mod polyhedral_cone;
mod programs;
mod redundant_rows;
mod robustness;
mod sparse_direct;
mod sparse_work;
mod splitting_theory;
mod stopping;
mod sweep_orders;
mod sweep_work;
mod warm_start;
mod work_limits;
