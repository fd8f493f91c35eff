//! Motion and its laws. One binary, a module per file.

mod closed_forms;
mod driven_out_of_its_room;
mod end_of_step;
mod energy_within_steps;
mod first_half_step;
mod first_order;
mod free_flight;
mod gyroscopic_torque;
mod hostile_flight;
mod larger_steps;
mod motion_bounds;
mod motion_catalogue;
mod moving_frames;
mod planar_worlds;
mod runge_kutta;
mod steady_display;
mod strong_resistance;
