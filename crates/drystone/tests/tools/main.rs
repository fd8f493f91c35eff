//! Tools around a simulation: the contact graph as its user sees it, and worlds without inertia.

mod graph;
mod without_inertia;
