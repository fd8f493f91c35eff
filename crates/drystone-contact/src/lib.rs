//! Contact determination: from proximity to manifolds
