//! Scripted motion: bodies that go where they are told, and push what is in their way (thesis Ch. 3);
//! implementations of [`drystone_core::ScriptedMotion`].
//!
//! A [`SplineScript`] is the thesis' scheme: a [`SpacePath`] says where, a [`VelocitySpline`] says when, in arc length, and everything is differentiated
//! analytically. Orientations follow a [`RotationSpline`], which is twice continuously differentiable, or an [`AngleSpline`] through
//! Euler angles, or a [`Gaze`] that turns the body to what it looks at; [`KeyFrames`] interpolate poses by both. [`Sinusoid`] and [`FunctionOfTime`] need no spline.

mod angle_spline;
mod arc_length;
mod bezier;
mod error;
mod function;
mod gaze;
mod key_frames;
mod path;
mod point;
mod regular;
mod rotation_spline;
mod sinusoid;
mod spline;
mod spline_script;
mod velocity_spline;

pub use angle_spline::AngleSpline;
pub use arc_length::LengthMethod;
pub use bezier::Bezier;
pub use error::ScriptError;
pub use function::FunctionOfTime;
pub use gaze::{Gaze, Target};
pub use key_frames::{FiniteDifferences, Key, KeyFrames};
pub use path::{PathPoint, SpacePath};
pub use point::Point;
pub use rotation_spline::{RotationSpline, Turning};
pub use sinusoid::Sinusoid;
pub use spline::CubicSpline;
pub use spline_script::{Orientation, SplineScript};
pub use velocity_spline::{Progress, VelocitySpline};
