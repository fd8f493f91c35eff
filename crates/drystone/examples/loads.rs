//! The loads within three piles at rest, drawn.
//!
//! `cargo run --release -p drystone --example loads > loads.svg`

use drystone::prelude::*;
use std::fmt::Write as _;

const H: f64 = 1.0 / 60.0;
/// Half a brick's length, height and depth (m).
const BRICK: [f64; 3] = [0.5, 0.25, 0.25];
/// Pixels per metre, and the width of a line that bears the weight of a brick.
const SCALE: f64 = 44.0;
const WIDTH: f64 = 1.6;

/// Where bricks lie: a course each half a brick from the one below, those left out that `gap` names.
fn courses(count: i32, long: impl Fn(i32) -> i32, gap: impl Fn(i32, i32) -> bool) -> Vec<Vec3> {
    let mut at = Vec::new();
    for row in 0..count {
        for k in (0..long(row)).filter(|k| !gap(row, *k)) {
            let x = (f64::from(k) - 0.5 * f64::from(long(row) - 1)) * 2.0 * BRICK[0];
            at.push(Vec3::new(x, (2.0 * f64::from(row) + 1.0) * BRICK[1], 0.0));
        }
    }
    at
}

/// A pile at rest, its bricks and a line per pair that bears: from the centre of what lies above to the middle of its support, with the force along it (N).
struct Pile {
    bricks: Vec<Vec3>,
    loads: Vec<(Vec3, Vec3, f64)>,
    weight: f64,
    /// What the floor bears (N).
    borne: f64,
}

fn rest(places: &[Vec3]) -> Result<Pile, Box<dyn std::error::Error>> {
    let mut world = World::builder().paradigm(Paradigm::REAL_TIME).build()?;
    let floor = world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0)?))?;
    let brick = Shape::cuboid(BRICK[0], BRICK[1], BRICK[2])?;
    let mut bodies = Vec::new();
    for at in places {
        bodies.push(world.add(Body::dynamic(brick.clone()).at(*at).mass(1.0))?);
    }
    for _ in 0..120 {
        world.advance(H)?;
    }
    let mut pairs: Vec<([BodyId; 2], Vec3, f64)> = Vec::new();
    for c in world.contacts() {
        let force = c.impulse.normal / H;
        match pairs.iter_mut().find(|(bodies, ..)| *bodies == c.bodies) {
            Some((_, moment, sum)) => (*moment, *sum) = (*moment + c.position * force, *sum + force),
            None => pairs.push((c.bodies, c.position * force, force)),
        }
    }
    let mut pile = Pile { bricks: Vec::new(), loads: Vec::new(), weight: 9.81 * places.len() as f64, borne: 0.0 };
    pile.bricks.extend(bodies.iter().filter_map(|b| world.position(*b)));
    for ([a, b], moment, force) in pairs.into_iter().filter(|(.., force)| *force > 1e-9) {
        let at = moment / force;
        let ends = [a, b].map(|body| if body == floor { at } else { world.position(body).unwrap_or(at) });
        pile.borne += if a == floor || b == floor { force } else { 0.0 };
        pile.loads.push((ends[0], ends[1], force));
    }
    Ok(pile)
}

/// Draws a pile with its lowest brick's foot at (x, y) pixels.
fn draw(pile: &Pile, [x, y]: [f64; 2], title: &str, svg: &mut String) -> std::fmt::Result {
    let at = |p: Vec3| (x + p.x * SCALE, y - p.y * SCALE);
    for p in &pile.bricks {
        let (left, top) = at(*p + Vec3::new(-BRICK[0], BRICK[1], 0.0));
        let [w, h] = [BRICK[0], BRICK[1]].map(|half| 2.0 * half * SCALE);
        writeln!(
            svg,
            r##"<rect x="{left:.1}" y="{top:.1}" width="{w:.1}" height="{h:.1}" fill="#e8e2d8" stroke="#a89c8a" stroke-width="0.8"/>"##
        )?;
    }
    for (from, to, force) in &pile.loads {
        let ((x1, y1), (x2, y2)) = (at(*from), at(*to));
        let width = WIDTH * force / 9.81;
        writeln!(
            svg,
            r##"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" stroke="#8a2f2b" stroke-opacity="0.75" stroke-width="{width:.2}" stroke-linecap="round"/>"##
        )?;
    }
    let text = format!("{title}: weight {:.2} N, the floor bears {:.2} N", pile.weight, pile.borne);
    writeln!(
        svg,
        r##"<text x="{x:.1}" y="{:.1}" font-family="sans-serif" font-size="13" text-anchor="middle" fill="#333">{text}</text>"##,
        y + 24.0
    )
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let piles = [
        ("pyramid", courses(9, |row| 9 - row, |_, _| false), [230.0, 240.0]),
        ("wall", courses(9, |row| 8 + row % 2, |_, _| false), [680.0, 240.0]),
        ("wall with a hole", courses(9, |row| 8 + row % 2, |row, k| row == 1 && k == 4), [1130.0, 240.0]),
    ];
    let mut svg = String::from("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1360 280\">\n");
    for (title, places, at) in &piles {
        let pile = rest(places)?;
        assert!((pile.borne - pile.weight).abs() < 1e-6 * pile.weight, "{title}: {} of {} N", pile.borne, pile.weight);
        draw(&pile, *at, title, &mut svg)?;
    }
    svg.push_str("</svg>");
    println!("{svg}");
    Ok(())
}
