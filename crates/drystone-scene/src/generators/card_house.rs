use super::text::BodyText;
use drystone_math::elementary::sin_cos;
use drystone_math::{Real, Vec3};

/// A house of cards: in each storey pairs of leaning cards, between storeys lying ones.
///
/// Each leaning pair touches along one edge; a lying card spans from one pair's top to the next, and the feet of the
/// storey above stand right over its ends. Nothing overlaps at the start, and nothing is apart by more than rounding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CardHouse {
    /// Storeys; the lowest has as many pairs.
    pub storeys: usize,
    /// Length and width of a card (m).
    pub card: [Real; 2],
    /// Its thickness (m).
    pub thickness: Real,
    /// Lean of the cards from upright (degrees).
    pub lean: Real,
}

impl CardHouse {
    /// The cards, from the ground at height zero up; leaning ones are `card[0]` ..., lying ones `roof[0]` ...
    pub fn bodies(&self) -> String {
        let mut out = String::new();
        let ([length, width], t) = (self.card, self.thickness);
        let (sin, cos) = sin_cos(self.lean.to_radians());
        let height = length * cos + t * sin;
        // a pair's own width, and a little air between the pairs
        let pitch = 2.0 * (length * sin + t * cos) + t;
        let center = 0.5 * (length * sin + t * cos);
        let (mut cards, mut roofs) = (0, 0);
        for storey in 0..self.storeys {
            let base = storey as Real * (height + t);
            let pairs = self.storeys - storey;
            let place = |k: Real| pitch * (k - 0.5 * (pairs as Real - 1.0));
            for pair in 0..pairs {
                let x = place(pair as Real);
                // the left card leans to the right, that is about -z
                for side in [-1.0, 1.0] {
                    BodyText {
                        name: &format!("card[{cards}]"),
                        half_extents: Vec3::new(t, length, width) * 0.5,
                        position: Vec3::new(x + side * center, base + 0.5 * height, 0.0),
                        turn: Some((Vec3::Z, side * self.lean)),
                        more: "",
                    }
                    .append(&mut out);
                    cards += 1;
                }
            }
            for roof in 1..pairs {
                BodyText {
                    name: &format!("roof[{roofs}]"),
                    half_extents: Vec3::new(pitch - t, t, width) * 0.5,
                    position: Vec3::new(place(roof as Real - 0.5), base + height + 0.5 * t, 0.0),
                    turn: None,
                    more: "",
                }
                .append(&mut out);
                roofs += 1;
            }
        }
        out
    }
}
