//! A picture of a world, ray by ray, without a graphics card: `drystone run --png`.
mod camera;
mod paint;
mod png;

pub(crate) use camera::Bounds;
pub(crate) use paint::painted;
pub(crate) use png::to_png;

/// Size of the picture (px).
pub(crate) const SIZE: [usize; 2] = [960, 600];
