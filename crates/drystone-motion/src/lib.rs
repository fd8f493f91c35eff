//! Motion solvers: integrators of position and orientation, external forces, scripted motion
