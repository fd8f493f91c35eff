use super::text::BodyText;
use drystone_math::elementary::sin_cos;
use drystone_math::{Real, Vec3};

/// A row of dominoes along x, the first of which leans onto the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DominoRow {
    /// Number of dominoes.
    pub count: usize,
    /// Thickness, height and width (m).
    pub size: Vec3,
    /// From one to the next (m).
    pub pitch: Real,
    /// Lean of the first one from upright (degrees).
    pub lean: Real,
}

impl DominoRow {
    /// The dominoes, `domino[0]` ..., on the ground at height zero.
    pub fn bodies(&self) -> String {
        let mut out = String::new();
        for i in 0..self.count {
            let mut position = Vec3::new(self.pitch * i as Real, 0.5 * self.size.y, 0.0);
            let mut turn = None;
            if i == 0 {
                // turned about its lower edge on the side of the next one
                let (sin, cos) = sin_cos(self.lean.to_radians());
                let (t, h) = (0.5 * self.size.x, 0.5 * self.size.y);
                position = Vec3::new(t - t * cos + h * sin, t * sin + h * cos, 0.0);
                turn = Some((Vec3::Z, -self.lean));
            }
            let name = format!("domino[{i}]");
            BodyText { name: &name, half_extents: self.size * 0.5, position, turn, more: "" }.append(&mut out);
        }
        out
    }
}
