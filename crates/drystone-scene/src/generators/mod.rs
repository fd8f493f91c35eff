//! Bodies of arrangements that are tedious by hand, as text for a scene file's `[[bodies]]`.
//!
//! The bundled scenes that use them are written by the example `generate`.

mod brick_tower;
mod card_house;
mod domino_row;
mod text;

pub use brick_tower::BrickTower;
pub use card_house::CardHouse;
pub use domino_row::DominoRow;
