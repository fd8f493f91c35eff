//! Joints, limits, motors and springs. One binary, a module per file.

mod avbd_joints;
mod bad_joints;
mod beside_joints;
mod dead_centre;
mod joint_builder;
mod joint_catalogue;
mod joint_chains;
mod joint_references;
mod joints;
mod joints_in_piles;
mod joints_under_every_preset;
mod limit_bounces;
mod limits;
mod moving_carriers;
mod passive;
mod projection_energy;
mod servos_count_turns;
mod small_steps;
mod soft_bodies;
mod springs;
mod swings;
mod taut_bridges;
mod tight_limits;
mod transmissions;
