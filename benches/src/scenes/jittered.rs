//! Stacks whose bodies are turned and off their places by some centimetres: symmetric ones flatter every solver.

use super::{Scene, card_house, column, heavy_on_top, pyramid, pyramid_3d, wall};
use drystone::math::{Pose, Quat, Real, Vec3};

/// How far a body is put off its place at least and at most (m).
const OFF: [Real; 2] = [0.01, 0.04];
/// How far a body of a column is turned about the vertical at most (rad).
const TURN_ALONE: Real = 0.8;
/// The same where it has neighbours.
const TURN_BESIDE: Real = 0.03;
/// The same in a card house, whose cards bear each other within two centimetres.
const TURN_CARDS: Real = 0.01;
/// Gap between neighbours, wide enough for both to be turned and off their places (m).
const GAP: Real = 0.12;

impl Scene {
    /// The stacks of [`Scene::all`] with each body turned about the vertical and 1 to 4 cm off its place, all of which
    /// stand by the laws of statics: what a body bears goes through the inside of what carries it. Neighbours have room
    /// for that. In a card house two cards that lean on each other go together, along their edge.
    ///
    /// The same seed gives the same scenes.
    pub fn jittered(seed: u64) -> Vec<Self> {
        let mut chance = Chance(seed);
        let mut scenes = vec![
            column("column-10-jittered", 10),
            column("column-30-jittered", 30),
            Self { name: "heavy-on-top-jittered", ..heavy_on_top() },
        ];
        for scene in &mut scenes {
            scene.jitter(TURN_ALONE, &mut chance);
        }
        let mut among_others = [
            wall("wall-20x10-jittered", 1.0 + GAP),
            pyramid("pyramid-20-jittered", GAP),
            pyramid_3d("pyramid-3d-jittered", GAP),
        ];
        for scene in &mut among_others {
            scene.jitter(TURN_BESIDE, &mut chance);
        }
        let mut cards = Self { name: "card-house-5-jittered", ..card_house() };
        cards.jitter_cards(&mut chance);
        scenes.extend(among_others);
        scenes.push(cards);
        scenes
    }

    fn jitter(&mut self, most: Real, chance: &mut Chance) {
        for piece in self.pieces.iter_mut().filter(|p| !p.fixed) {
            let direction = Quat::from_rotation_y(chance.between(0.0, core::f64::consts::TAU));
            piece.pose.position += direction * Vec3::X * chance.between(OFF[0], OFF[1]);
            piece.pose.orientation = Quat::from_rotation_y(chance.between(-most, most)) * piece.pose.orientation;
        }
    }

    /// Pairs of cards, then the roofs over them, storey by storey: each is moved along the cards' edge and turned.
    fn jitter_cards(&mut self, chance: &mut Chance) {
        let mut cards = self.pieces.iter_mut().filter(|p| !p.fixed);
        while let Some(card) = cards.next() {
            let leans = |pose: &Pose| pose.orientation != Quat::IDENTITY;
            let mut together = vec![card];
            if leans(&together[0].pose) {
                together.extend(cards.next());
            }
            let middle: Vec3 = together.iter().map(|p| p.pose.position).sum::<Vec3>() / together.len() as Real;
            let turn = Quat::from_rotation_y(chance.between(-TURN_CARDS, TURN_CARDS));
            let side = if chance.between(0.0, 1.0) < 0.5 { -1.0 } else { 1.0 };
            let off = Vec3::Z * (side * chance.between(OFF[0], OFF[1]));
            for piece in together {
                let place = turn * (piece.pose.position - middle) + middle + off;
                piece.pose = Pose::new(place, turn * piece.pose.orientation);
            }
        }
    }
}

/// Numbers by chance, the same for the same seed.
///
/// # Source
/// Steele, Lea and Flood 2014, SplitMix64.
struct Chance(u64);

impl Chance {
    fn between(&mut self, low: Real, high: Real) -> Real {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        low + (high - low) * ((z >> 11) as Real / (1_u64 << 53) as Real)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The scenes without jitter, in the same order.
    fn straight() -> [Scene; 7] {
        [
            column("", 10),
            column("", 30),
            heavy_on_top(),
            wall("", 1.0 + GAP),
            pyramid("", GAP),
            pyramid_3d("", GAP),
            card_house(),
        ]
    }

    #[test]
    fn every_body_is_off_its_place_by_centimetres_and_turned() {
        for seed in 0..4 {
            let scenes = Scene::jittered(seed);
            assert_eq!(scenes.len(), straight().len());
            for (scene, straight) in scenes.iter().zip(straight()) {
                assert_eq!(scene.pieces.len(), straight.pieces.len(), "{}", scene.name);
                for ((_, piece), (_, old)) in scene.moving().zip(straight.moving()) {
                    let way = (piece.pose.position - old.pose.position).length();
                    assert!((OFF[0] - 0.005..OFF[1] + 0.005).contains(&way), "{}: {way}", scene.name);
                    assert!(piece.pose.orientation != old.pose.orientation, "{}", scene.name);
                    assert_eq!(piece.density, old.density);
                }
            }
        }
    }

    #[test]
    fn a_seed_is_a_scene() {
        assert_eq!(Scene::jittered(3), Scene::jittered(3));
        assert!(Scene::jittered(3) != Scene::jittered(4));
    }

    #[test]
    fn every_level_of_a_column_has_all_above_it_over_its_inside() {
        for seed in 0..8 {
            for scene in Scene::jittered(seed).iter().filter(|s| s.name.starts_with("column")) {
                let cubes: Vec<_> = scene.moving().map(|(_, p)| p.pose.position).collect();
                for (n, cube) in cubes.iter().enumerate() {
                    let above = &cubes[n..];
                    let middle = above.iter().copied().sum::<Vec3>() / above.len() as Real;
                    let off = Vec3::new(middle.x - cube.x, 0.0, middle.z - cube.z).length();
                    assert!(off < 0.1, "{} at {n}: {off}", scene.name);
                }
            }
        }
    }
}
