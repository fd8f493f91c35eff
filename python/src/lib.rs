//! The native part of drystone's Python package: plain calls on worlds and problems, which `drystone/*.py` gives their shape.
//!
//! Nothing here holds the interpreter's lock while it computes, and nothing panics through the border: a panic becomes an exception.

mod arrays;
mod bodies;
mod choices;
mod control;
mod error;
mod events;
mod fragment;
mod joints;
mod lcp;
mod many;
mod queries;
mod replay;
mod report;
mod run;
mod snapshot;
mod world;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::lcp::{lcp_solve, lcp_solvers};
    #[pymodule_export]
    use super::many::advance_all;
    #[pymodule_export]
    use super::report::StepReport;
    #[pymodule_export]
    use super::run::{catalogue, check_scene, query, scene_json};
    #[pymodule_export]
    use super::snapshot::NativeSnapshot;
    #[pymodule_export]
    use super::world::NativeWorld;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
