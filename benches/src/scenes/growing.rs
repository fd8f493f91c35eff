//! Scenes by the number of their bodies.

use super::{CUBE, Fate, Form, Link, STEPS_PER_SECOND, Scene, scattered};
use drystone::math::{Real, Vec3};

/// Bodies that move beside many that stand still.
const MOVING: u32 = 100;

/// A scene that there is in any size.
#[derive(Clone, Copy)]
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// What grows.
    pub summary: &'static str,
    /// Whether bodies may sleep.
    pub sleeps: bool,
    make: fn(&mut Scene, u32),
}

impl Family {
    /// All families.
    pub const ALL: [Self; 9] = [
        Self {
            name: "balls",
            summary: "balls in a box",
            sleeps: false,
            make: |scene, n| *scene = Scene::balls("balls", n),
        },
        Self { name: "field", summary: "cubes side by side on the ground", sleeps: false, make: field },
        Self { name: "bricks", summary: "a wall, ten rows high", sleeps: false, make: bricks },
        Self { name: "chains", summary: "chains of ten links", sleeps: false, make: |scene, n| hang(scene, n, 10) },
        Self { name: "chain", summary: "one chain", sleeps: false, make: |scene, n| hang(scene, n, n) },
        Self { name: "hubs", summary: "hubs, each with 99 bodies around it", sleeps: false, make: hubs },
        Self { name: "net", summary: "a square net that hangs by two corners", sleeps: false, make: net },
        Self { name: "fixed", summary: "fixed cubes, and 100 balls above them", sleeps: false, make: fixed },
        Self { name: "asleep", summary: "sleeping cubes, and 100 balls above them", sleeps: true, make: asleep },
    ];

    /// The scene with this many bodies, or a few more.
    pub fn scene(&self, bodies: u32) -> Scene {
        let mut scene = Scene::new(self.name, self.summary);
        (self.make)(&mut scene, bodies);
        scene
    }
}

/// The side of the smallest square that holds this many.
fn side(count: u32) -> u32 {
    let side = count.isqrt();
    if side * side < count { side + 1 } else { side }
}

/// Ground as large as a square of so many places of a size (m).
fn ground(scene: &mut Scene, side: u32, size: Real) {
    let half = 0.5 * size * Real::from(side) + 50.0;
    scene.pieces.clear();
    scene.fix(Vec3::new(half, 0.5, half), Vec3::new(0.0, -0.5, 0.0));
}

/// A place in a square about the origin.
fn spot(n: u32, side: u32, size: Real) -> Vec3 {
    let at = |k: u32| (Real::from(k) - 0.5 * Real::from(side)) * size;
    Vec3::new(at(n % side), 0.0, at(n / side))
}

fn field(scene: &mut Scene, count: u32) {
    let side = side(count);
    ground(scene, side, 2.0);
    for n in 0..count {
        scene.add(CUBE, spot(n, side, 2.0) + Vec3::Y * 0.5);
    }
}

fn bricks(scene: &mut Scene, count: u32) {
    let long = count.div_ceil(10);
    ground(scene, long, 1.0);
    for n in 0..count {
        let (row, i) = (n / long, n % long);
        let shift = if row % 2 == 0 { 0.0 } else { 0.25 };
        let along = Real::from(i) - 0.5 * Real::from(long) + shift;
        scene.add(CUBE, Vec3::new(along, 0.5 + Real::from(row), 0.0));
    }
}

/// Chains of so many links each, drawn out to the side.
fn hang(scene: &mut Scene, count: u32, links: u32) {
    let half = Vec3::new(0.1, 0.02, 0.02);
    for n in 0..count {
        let (k, chain) = (n % links, n / links);
        let anchor = Vec3::new(0.2 * Real::from(k), 30.0, Real::from(chain));
        let piece = scene.pieces.len();
        scene.add(Form::Box(half), anchor + Vec3::X * 0.1);
        scene.links.push(Link { pieces: [(k > 0).then(|| piece - 1), Some(piece)], anchor });
    }
    scene.fate = Fate::StaysIn(Vec3::splat(-1e6), Vec3::splat(1e6));
}

fn hubs(scene: &mut Scene, count: u32) {
    for hub in 0..count.div_ceil(100) {
        let middle = Vec3::new(0.0, 30.0, 5.0 * Real::from(hub));
        let centre = scene.pieces.len();
        scene.add(Form::Ball(0.5), middle);
        scene.links.push(Link { pieces: [None, Some(centre)], anchor: middle });
        for k in 0..99 {
            let angle = Real::from(k) * 2.399;
            let out = Vec3::new(angle.cos(), 0.02 * Real::from(k) - 1.0, angle.sin());
            scene.add(Form::Ball(0.05), middle + out);
            let piece = Some(scene.pieces.len() - 1);
            scene.links.push(Link { pieces: [Some(centre), piece], anchor: middle + out * 0.5 });
        }
    }
    scene.fate = Fate::StaysIn(Vec3::splat(-1e6), Vec3::splat(1e6));
}

fn net(scene: &mut Scene, count: u32) {
    let side = side(count);
    let first = scene.pieces.len();
    let at = |n: u32| spot(n, side, 0.2) + Vec3::Y * 30.0;
    for n in 0..side * side {
        scene.add(Form::Ball(0.05), at(n));
        let piece = first + n as usize;
        if n % side > 0 {
            scene.links.push(Link { pieces: [Some(piece - 1), Some(piece)], anchor: (at(n - 1) + at(n)) * 0.5 });
        }
        if n >= side {
            let above = Some(piece - side as usize);
            scene.links.push(Link { pieces: [above, Some(piece)], anchor: (at(n - side) + at(n)) * 0.5 });
        }
        if n == 0 || n == side - 1 {
            scene.links.push(Link { pieces: [None, Some(piece)], anchor: at(n) });
        }
    }
    scene.fate = Fate::StaysIn(Vec3::splat(-1e6), Vec3::splat(1e6));
}

/// Balls that fall for as long as anybody looks.
fn high_balls(scene: &mut Scene) {
    for n in 0..MOVING {
        scene.add(Form::Ball(0.25), spot(n, 10, 2.0) + Vec3::Y * 400.0 + scattered(n) * 0.1);
    }
}

fn fixed(scene: &mut Scene, count: u32) {
    let others = count.saturating_sub(MOVING);
    let side = side(others);
    ground(scene, side, 2.0);
    for n in 0..others {
        scene.fix(Vec3::splat(0.5), spot(n, side, 2.0) + Vec3::Y * 0.5);
    }
    high_balls(scene);
    scene.fate = Fate::StaysIn(Vec3::splat(-1e6), Vec3::splat(1e6));
}

fn asleep(scene: &mut Scene, count: u32) {
    field(scene, count.saturating_sub(MOVING));
    high_balls(scene);
    // until they sleep
    scene.warm_up = 3 * STEPS_PER_SECOND;
    scene.fate = Fate::StaysIn(Vec3::splat(-1e6), Vec3::splat(1e6));
}
