//! The contact graph and its spatial-temporal coherence analysis: caching, groups, stack layers, sleeping
