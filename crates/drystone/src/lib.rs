//! Modular rigid-body dynamics: eight swappable modules behind one facade
