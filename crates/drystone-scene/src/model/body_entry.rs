use crate::fault::Location;
use drystone_core::BodyProperties;
use drystone_math::{Pose, Real, Twist, Vec3};

/// Copies of a body on a grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Repeat {
    /// Copies along x, y and z.
    pub count: [usize; 3],
    /// Distance between neighbours along each axis (m).
    pub step: Vec3,
    /// Added to the position in every odd y-row (m).
    pub stagger: Vec3,
}

impl Repeat {
    /// Offset of copy `i` from the first one (m): x fastest, then y, then z.
    pub fn offset(&self, i: usize) -> Vec3 {
        let [nx, ny, _] = self.count;
        let (x, y, z) = (i % nx, (i / nx) % ny, i / (nx * ny));
        let base = self.step * Vec3::new(x as Real, y as Real, z as Real);
        if y % 2 == 1 { base + self.stagger } else { base }
    }
}

/// An entry of `[[bodies]]`.
#[derive(Debug, Clone)]
pub struct BodyEntry {
    /// Its name; the copies of a repeated one are `name[0]`, `name[1]` ...
    pub name: String,
    /// Constant properties.
    pub properties: BodyProperties,
    /// The first copy's body frame in the world.
    pub pose: Pose,
    /// Velocity of the centre of mass and angular velocity, world frame.
    pub velocity: Twist,
    /// User data; zero if none.
    pub user_data: u128,
    /// Repetition.
    pub repeat: Option<Repeat>,
    /// Number of copies, one where it is not repeated.
    pub copies: usize,
    /// Column of the first copy.
    pub first: usize,
    /// Its place in the scene.
    pub location: Location,
}

impl BodyEntry {
    /// The name of a copy.
    pub fn copy_name(&self, i: usize) -> String {
        if self.repeat.is_some() { format!("{}[{i}]", self.name) } else { self.name.clone() }
    }

    /// Initial pose of the body frame of a copy.
    pub fn frame(&self, i: usize) -> Pose {
        let offset = self.repeat.map(|q| q.offset(i)).unwrap_or_default();
        Pose::new(self.pose.position + offset, self.pose.orientation)
    }

    /// Initial pose of the centre of mass of a copy.
    pub fn center_pose(&self, i: usize) -> Pose {
        let frame = self.frame(i);
        Pose::new(frame.point(self.properties.center), frame.orientation)
    }

    /// The name as a message shows it: with the range of its copies.
    pub(crate) fn display_name(&self) -> String {
        if self.repeat.is_some() { format!("{}[0..{}]", self.name, self.copies - 1) } else { self.name.clone() }
    }
}
