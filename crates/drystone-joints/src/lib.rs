//! Joints, limits and motors behind the unified constraint interface
