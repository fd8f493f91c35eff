use super::text::BodyText;
use drystone_math::elementary::{sin_cos, tan};
use drystone_math::{Real, Vec3};

/// A round tower of bricks: rings one on the other, each turned by half a brick against the one below.
///
/// Bricks stand with their length along the ring; neighbours have `gap` between their inner edges.
///
/// # Source
/// Erleben 2005, Figures 6.20-6.21 and 6.72; how many bricks make a ring is not in the text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BrickTower {
    /// Bricks in a ring.
    pub bricks: usize,
    /// Rings.
    pub rings: usize,
    /// Length along the ring, height, and width (m).
    pub size: Vec3,
    /// Between the inner edges of neighbours (m).
    pub gap: Real,
}

impl BrickTower {
    /// Distance of the bricks' centres from the tower's axis (m).
    pub fn radius(&self) -> Real {
        let half = core::f64::consts::PI / self.bricks as Real;
        0.5 * (self.size.x + self.gap) / tan(half) + 0.5 * self.size.z
    }

    /// The bricks, `brick[0]` ..., ring by ring from the ground at height zero.
    pub fn bodies(&self) -> String {
        let mut out = String::new();
        let (radius, step) = (self.radius(), 360.0 / self.bricks as Real);
        for ring in 0..self.rings {
            for brick in 0..self.bricks {
                let degrees = step * (brick as Real + if ring % 2 == 1 { 0.5 } else { 0.0 });
                let (sin, cos) = sin_cos(degrees.to_radians());
                let height = self.size.y * (ring as Real + 0.5);
                BodyText {
                    name: &format!("brick[{}]", ring * self.bricks + brick),
                    half_extents: self.size * 0.5,
                    position: Vec3::new(radius * sin, height, radius * cos),
                    turn: Some((Vec3::Y, degrees)),
                    more: "",
                }
                .append(&mut out);
            }
        }
        out
    }
}
