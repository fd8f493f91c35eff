//! Prints one of the bundled scenes that a generator writes: `cargo run --example generate brick-tower`.

use drystone_math::Vec3;
use drystone_scene::generators::{BrickTower, CardHouse, DominoRow};
use std::process::ExitCode;

/// A scene's text, by its name.
pub(crate) fn scene(name: &str) -> Option<String> {
    let (head, bodies) = match name {
        "brick-tower" => {
            let tower = BrickTower { bricks: 16, rings: 20, size: Vec3::new(1.5, 0.5, 0.5), gap: 0.01 };
            (include_str!("heads/brick-tower.toml"), tower.bodies())
        }
        "tower-impact" => {
            let tower = BrickTower { bricks: 32, rings: 20, size: Vec3::new(1.5, 1.0, 1.0), gap: 0.01 };
            (include_str!("heads/tower-impact.toml"), tower.bodies())
        }
        "card-house-5" => {
            let house = CardHouse { storeys: 5, card: [1.0, 0.7], thickness: 0.04, lean: 20.0 };
            (include_str!("heads/card-house-5.toml"), house.bodies())
        }
        "domino-row" => {
            let row = DominoRow { count: 100, size: Vec3::new(0.1, 1.0, 0.5), pitch: 0.5, lean: 12.0 };
            (include_str!("heads/domino-row.toml"), row.bodies())
        }
        _ => return None,
    };
    Some(format!("{head}{bodies}"))
}

fn main() -> ExitCode {
    let Some(text) = std::env::args().nth(1).and_then(|name| scene(&name)) else {
        eprintln!("usage: generate brick-tower | tower-impact | card-house-5 | domino-row");
        return ExitCode::from(2);
    };
    print!("{text}");
    ExitCode::SUCCESS
}
