//! What a simulation is used with and for: the contact graph as its user sees it, sleep under settings, budgets, displays, worlds without inertia.

mod graph;
mod without_inertia;
