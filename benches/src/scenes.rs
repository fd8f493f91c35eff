//! The scenes, each described once for all engines: y up, gravity 9.81 m/s^2 downwards, nothing bounces.

mod growing;
mod jittered;

pub use growing::Family;

use drystone::math::{Pose, Quat, Real, Vec3};

/// The time step (s).
pub const DT: f64 = 1.0 / 60.0;

/// Steps a second.
pub const STEPS_PER_SECOND: usize = 60;

/// The form of a body, about its centre.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Form {
    /// A box by its half extents (m).
    Box(Vec3),
    /// A ball by its radius (m).
    Ball(Real),
}

impl Form {
    /// Radius of the smallest ball around the centre that holds it (m).
    pub fn bounding_radius(&self) -> Real {
        match self {
            Self::Box(half) => half.length(),
            Self::Ball(radius) => *radius,
        }
    }
}

/// One body of a scene.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece {
    /// Its form.
    pub form: Form,
    /// Where its centre is and how it is turned.
    pub pose: Pose,
    /// Its density (kg/m^3).
    pub density: Real,
    /// Whether it never moves.
    pub fixed: bool,
    /// Its first angular velocity (rad/s).
    pub spin: Vec3,
}

/// A ball joint that holds a place of two pieces together, or of one and the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// Places in the list of pieces.
    pub pieces: [Option<usize>; 2],
    /// Where it is at first (m).
    pub anchor: Vec3,
}

/// What shall become of a scene.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fate {
    /// Every body stays within this distance of where it began (m).
    Stands(Real),
    /// As many bodies as given, the first ones, tip over.
    Falls(usize),
    /// Every body stays in the box from the first corner to the second (m).
    StaysIn(Vec3, Vec3),
}

/// A scene.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    /// Its name.
    pub name: &'static str,
    /// What is in it.
    pub summary: &'static str,
    /// Coulomb coefficient of all surfaces.
    pub friction: Real,
    /// The bodies.
    pub pieces: Vec<Piece>,
    /// Joints; what they hold together does not collide.
    pub links: Vec<Link>,
    /// Steps before any is measured.
    pub warm_up: usize,
    /// What shall become of it.
    pub fate: Fate,
}

const DENSITY: Real = 1000.0;
const CUBE: Form = Form::Box(Vec3::splat(0.5));
/// Gap between neighbours in a layer of the pyramids (m): they never touch.
const GAP: Real = 0.05;

impl Scene {
    /// All scenes.
    pub fn all() -> Vec<Self> {
        vec![
            column("column-10", 10),
            column("column-30", 30),
            askew(),
            heavy_on_top(),
            wall("wall-20x10", 1.0),
            card_house(),
            pyramid("pyramid-20", GAP),
            dominoes(),
            pyramid_3d("pyramid-3d", GAP),
            balls_in_box(),
            box_rain(),
            chain("chain-hanging", Vec3::NEG_Y),
            chain("chain-swinging", Vec3::X),
            rag_dolls("rag-dolls-20", 20),
        ]
    }

    /// Balls that fall into an open box: a loose cube of as many layers as rows.
    pub fn balls(name: &'static str, count: u32) -> Self {
        let mut scene = Self::new(name, "balls in a box, settled for 2 s");
        let rows = (1..=count).find(|r| r * r * r >= count).unwrap_or(1);
        let (width, height) = (0.25 + 0.275 * Real::from(rows), 0.5 * Real::from(rows));
        for side in [-1.0, 1.0] {
            let wall = (width + 0.5) * side;
            scene.fix(Vec3::new(0.5, height, width + 1.0), Vec3::new(wall, height, 0.0));
            scene.fix(Vec3::new(width, height, 0.5), Vec3::new(0.0, height, wall));
        }
        for n in 0..count {
            let [i, j, k] = [n % rows, n / (rows * rows), n / rows % rows];
            let shift = if j % 2 == 0 { Vec3::ZERO } else { Vec3::new(0.13, 0.0, 0.21) };
            let [i, j, k] = [i, j, k].map(Real::from);
            let grid = Vec3::new(0.55 * i + 0.4 - width, 0.6 * j + 0.3, 0.55 * k + 0.4 - width);
            scene.add(Form::Ball(0.25), grid + shift + (scattered(n) - 0.5) * 0.02);
        }
        scene.fate = Fate::StaysIn(Vec3::new(-width, 0.0, -width), Vec3::new(width, 2.0 * height, width));
        scene
    }

    /// A scene by its name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|s| s.name == name)
    }

    /// The moving bodies with their places in the list.
    pub fn moving(&self) -> impl Iterator<Item = (usize, &Piece)> {
        self.pieces.iter().enumerate().filter(|(_, p)| !p.fixed)
    }

    /// The place of the moving body that begins highest; zero where none moves.
    pub fn top(&self) -> usize {
        let height = |i: usize| self.pieces[i].pose.position.y;
        self.moving().map(|(i, _)| i).reduce(|a, b| if height(b) > height(a) { b } else { a }).unwrap_or(0)
    }

    /// An empty scene with the ground: a box, so that all engines run the same pair of shapes.
    fn new(name: &'static str, summary: &'static str) -> Self {
        let mut scene = Self {
            name,
            summary,
            friction: 0.5,
            pieces: Vec::new(),
            links: Vec::new(),
            warm_up: STEPS_PER_SECOND,
            fate: Fate::Stands(0.5),
        };
        scene.fix(Vec3::new(50.0, 0.5, 50.0), Vec3::new(0.0, -0.5, 0.0));
        scene
    }

    fn fix(&mut self, half: Vec3, center: Vec3) {
        let pose = Pose::new(center, Quat::IDENTITY);
        self.pieces.push(Piece { form: Form::Box(half), pose, density: DENSITY, fixed: true, spin: Vec3::ZERO });
    }

    fn add(&mut self, form: Form, center: Vec3) {
        self.add_turned(form, Pose::new(center, Quat::IDENTITY));
    }

    fn add_turned(&mut self, form: Form, pose: Pose) {
        self.pieces.push(Piece { form, pose, density: DENSITY, fixed: false, spin: Vec3::ZERO });
    }
}

/// Ten rows of twenty unit bricks; every second row is shifted by a quarter of the `pitch`, so that no brick stands on
/// its edge. At a pitch of 1 neighbours touch.
fn wall(name: &'static str, pitch: Real) -> Scene {
    let mut scene = Scene::new(name, "a wall of 200 bricks, shifted row by row");
    for row in 0..10 {
        let shift = if row % 2 == 0 { 0.0 } else { 0.25 };
        for i in 0..20 {
            scene.add(CUBE, Vec3::new((Real::from(i) - 9.5 + shift) * pitch, 0.5 + Real::from(row), 0.0));
        }
    }
    scene
}

/// Twenty rows, one cube less in each, with a `gap` between neighbours.
fn pyramid(name: &'static str, gap: Real) -> Scene {
    let mut scene = Scene::new(name, "a flat pyramid of 210 cubes in 20 rows");
    for row in 0..20_i32 {
        let first = -0.5 * Real::from(19 - row);
        for i in 0..20 - row {
            scene.add(CUBE, Vec3::new((first + Real::from(i)) * (1.0 + gap), 0.5 + Real::from(row), 0.0));
        }
    }
    scene
}

/// Ten square layers, the lowest of 10 x 10 cubes, with a `gap` between neighbours.
fn pyramid_3d(name: &'static str, gap: Real) -> Scene {
    let mut scene = Scene::new(name, "a square pyramid of 385 cubes in 10 layers");
    for layer in 0..10_i32 {
        let first = -0.5 * Real::from(9 - layer);
        let place = |i: i32| (first + Real::from(i)) * (1.0 + gap);
        for i in 0..10 - layer {
            for k in 0..10 - layer {
                scene.add(CUBE, Vec3::new(place(i), 0.5 + Real::from(layer), place(k)));
            }
        }
    }
    scene
}

/// A thousand balls fall into an open box; measured once they have settled.
fn balls_in_box() -> Scene {
    let mut scene = Scene::balls("balls-in-box", 1000);
    scene.warm_up = 2 * STEPS_PER_SECOND;
    scene
}

/// Cubes, one on the other.
fn column(name: &'static str, count: u32) -> Scene {
    let mut scene = Scene::new(name, "a column of cubes");
    for row in 0..count {
        scene.add(CUBE, Vec3::new(0.0, 0.5 + Real::from(row), 0.0));
    }
    scene
}

/// Twenty cubes, each turned by up to 0.8 rad and up to 3 cm off the middle: a column without symmetry.
fn askew() -> Scene {
    let mut scene = Scene::new("column-20-askew", "a column of 20 cubes, each turned and off the middle");
    for row in 0..20 {
        let off = scattered(row) * 2.0 - 1.0;
        let center = Vec3::new(0.03 * off.x, 0.5 + Real::from(row), 0.03 * off.z);
        scene.add_turned(CUBE, Pose::new(center, Quat::from_rotation_y(0.8 * off.y)));
    }
    scene
}

/// Cards of 4 cm that lean on each other at 20 degrees, five storeys of them, cut to touch.
fn card_house() -> Scene {
    let mut scene = Scene::new("card-house-5", "a card house of 40 cards in 5 storeys, friction 0.8");
    let (half, tilt) = (Vec3::new(0.02, 0.5, 0.35), Real::to_radians(20.0));
    let (s, c) = (tilt.sin(), tilt.cos());
    let (foot, high) = (half.y * s + half.x * c, half.y * c + half.x * s);
    let pitch = 2.0 * (2.0 * foot + half.x);
    for storey in 0..5_u32 {
        let frames = 5 - storey;
        let floor = 2.0 * (high + half.x) * Real::from(storey);
        let x = |i: u32| pitch * (Real::from(i) - 0.5 * Real::from(frames - 1));
        for i in 0..frames {
            for side in [-1.0, 1.0] {
                let center = Vec3::new(x(i) + side * foot, floor + high, 0.0);
                scene.add_turned(Form::Box(half), Pose::new(center, Quat::from_rotation_z(side * tilt)));
            }
        }
        for i in 0..frames - 1 {
            let roof = Form::Box(Vec3::new(0.5 * pitch - half.x, half.x, half.z));
            scene.add(roof, Vec3::new(x(i) + 0.5 * pitch, floor + 2.0 * high + half.x, 0.0));
        }
    }
    for piece in &mut scene.pieces {
        piece.density = 100.0;
    }
    scene.friction = 0.8;
    scene
}

/// Twenty-four dominoes, the first of which is pushed: the last one lies before the run ends.
fn dominoes() -> Scene {
    const COUNT: u32 = 24;
    let mut scene = Scene::new("dominoes", "24 dominoes, the first one pushed");
    for i in 0..COUNT {
        scene.add(Form::Box(Vec3::new(0.05, 0.5, 0.25)), Vec3::new(0.3 * Real::from(i), 0.5, 0.0));
    }
    scene.pieces[1].spin = Vec3::new(0.0, 0.0, -1.5);
    scene.warm_up = 0;
    scene.fate = Fate::Falls(COUNT as usize);
    scene
}

/// A hundred links of 1 kg along a direction from where the first is held, the last one of 100 kg.
fn chain(name: &'static str, along: Vec3) -> Scene {
    let mut scene = Scene::new(name, "a chain of 100 links, the last 100 times as heavy");
    // clear of the ground
    let top = Vec3::new(0.0, 30.0, 0.0);
    let half = along.abs() * 0.08 + Vec3::splat(0.02);
    for i in 0..100_u32 {
        let at = 0.2 * Real::from(i);
        let piece = scene.pieces.len();
        scene.add(Form::Box(half), top + along * (at + 0.1));
        let mass = if i == 99 { 100.0 } else { 1.0 };
        scene.pieces[piece].density = mass / (8.0 * half.x * half.y * half.z);
        let before = (i > 0).then(|| piece - 1);
        scene.links.push(Link { pieces: [before, Some(piece)], anchor: top + along * at });
    }
    scene.fate = Fate::StaysIn(Vec3::new(-21.0, 9.0, -1.0), Vec3::new(21.0, 51.0, 1.0));
    scene
}

/// Rag dolls of a trunk, a head and four limbs on ball joints fall onto each other, four at a time.
fn rag_dolls(name: &'static str, count: u32) -> Scene {
    // what hangs on the trunk: its form, where, and where it is joined to it (m)
    let arm = |side: Real| (Form::Box(Vec3::new(0.16, 0.05, 0.05)), [side * 0.33, 0.15], [side * 0.16, 0.2]);
    let leg = |side: Real| (Form::Box(Vec3::new(0.06, 0.2, 0.06)), [side * 0.1, -0.47], [side * 0.1, -0.26]);
    let limbs = [(Form::Ball(0.1), [0.0, 0.36], [0.0, 0.25]), arm(-1.0), arm(1.0), leg(-1.0), leg(1.0)];
    let mut scene = Scene::new(name, "20 rag dolls of six bodies each fall onto each other");
    for n in 0..count {
        let off = (scattered(n) - 0.5) * 0.2;
        let [i, j, k] = [n % 2, n / 4, n / 2 % 2].map(Real::from);
        let at = Vec3::new(1.2 * i + off.x, 0.75 + 1.25 * j, 0.9 * k + off.z);
        let trunk = scene.pieces.len();
        scene.add(Form::Box(Vec3::new(0.15, 0.25, 0.1)), at);
        for (form, [x, y], [u, v]) in limbs {
            let anchor = at + Vec3::new(u, v, 0.0);
            scene.links.push(Link { pieces: [Some(trunk), Some(scene.pieces.len())], anchor });
            scene.add(form, at + Vec3::new(x, y, 0.0));
        }
    }
    scene.fate = Fate::StaysIn(Vec3::new(-50.0, 0.0, -50.0), Vec3::new(50.0, 20.0, 50.0));
    scene
}

/// Nine cubes carry one of a thousand times their density.
fn heavy_on_top() -> Scene {
    let mut scene = Scene::new("heavy-on-top", "9 cubes under one of 1000 times the density");
    for row in 0..10 {
        scene.add(CUBE, Vec3::new(0.0, 0.5 + Real::from(row), 0.0));
    }
    if let Some(last) = scene.pieces.last_mut() {
        last.density *= 1000.0;
    }
    scene
}

/// A thousand turned cubes of half a metre rain on the ground.
fn box_rain() -> Scene {
    let mut scene = Scene::new("box-rain", "1000 boxes rain and pile up");
    for n in 0..1000_u32 {
        let [i, j, k] = [n % 10, n / 100, n / 10 % 10].map(Real::from);
        let center = Vec3::new(i - 4.5, 1.0 + j, k - 4.5) + (scattered(n) - 0.5) * 0.05;
        let turn = Quat::from_scaled_axis((scattered(n + 1000) - 0.5) * 3.0);
        scene.add_turned(Form::Box(Vec3::splat(0.25)), Pose::new(center, turn));
    }
    scene.fate = Fate::StaysIn(Vec3::new(-50.0, 0.0, -50.0), Vec3::new(50.0, 20.0, 50.0));
    scene
}

/// The `n`-th point of a sequence that fills the unit cube evenly: no random numbers, the same on every machine.
///
/// # Source
/// Kronecker sequence with the powers of the real root of `x^4 = x + 1` (Roberts' R3).
fn scattered(n: u32) -> Vec3 {
    const ALPHA: Vec3 = Vec3::new(0.819_172_513_396_164_4, 0.671_043_606_703_789_2, 0.549_700_477_901_97);
    (Vec3::splat(0.5) + ALPHA * Real::from(n)).fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenes_have_the_bodies_they_promise() {
        let counts = [
            ("column-10", 10),
            ("column-30", 30),
            ("column-20-askew", 20),
            ("heavy-on-top", 10),
            ("wall-20x10", 200),
            ("card-house-5", 40),
            ("pyramid-20", 210),
            ("dominoes", 24),
            ("pyramid-3d", 385),
            ("balls-in-box", 1000),
            ("box-rain", 1000),
            ("chain-hanging", 100),
            ("chain-swinging", 100),
            ("rag-dolls-20", 120),
        ];
        assert_eq!(Scene::all().len(), counts.len());
        for (name, count) in counts {
            let scene = Scene::by_name(name).unwrap();
            assert_eq!(scene.moving().count(), count, "{name}");
            let top = scene.pieces[scene.top()].pose.position.y;
            assert!(scene.moving().all(|(_, p)| p.pose.position.y <= top));
        }
    }

    #[test]
    fn nothing_overlaps_at_the_start() {
        for scene in Scene::all().into_iter().chain((0..4).flat_map(Scene::jittered)) {
            let poses: Vec<Pose> = scene.pieces.iter().map(|p| p.pose).collect();
            let depth = crate::quality::deepest_overlap(&scene, &poses);
            assert!(depth < 1e-9, "{}: {depth}", scene.name);
        }
    }
}
