//! The scenes, each described once for all engines: y up, gravity 9.81 m/s^2 downwards, nothing bounces.

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
}

/// What shall become of a scene.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fate {
    /// Every body stays within this distance of where it began (m).
    Stands(Real),
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
        vec![wall(), pyramid(), balls_in_box(), column(), heavy_on_top(), box_rain(), pyramid_3d()]
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
            warm_up: STEPS_PER_SECOND,
            fate: Fate::Stands(0.5),
        };
        scene.fix(Vec3::new(50.0, 0.5, 50.0), Vec3::new(0.0, -0.5, 0.0));
        scene
    }

    fn fix(&mut self, half: Vec3, center: Vec3) {
        let pose = Pose::new(center, Quat::IDENTITY);
        self.pieces.push(Piece { form: Form::Box(half), pose, density: DENSITY, fixed: true });
    }

    fn add(&mut self, form: Form, center: Vec3) {
        self.add_turned(form, Pose::new(center, Quat::IDENTITY));
    }

    fn add_turned(&mut self, form: Form, pose: Pose) {
        self.pieces.push(Piece { form, pose, density: DENSITY, fixed: false });
    }
}

/// Ten rows of twenty unit bricks that touch their neighbours; every second row is shifted by a quarter of a brick, so
/// that no brick stands on its edge.
fn wall() -> Scene {
    let mut scene = Scene::new("wall-20x10", "a wall of 200 bricks, shifted row by row");
    for row in 0..10 {
        let shift = if row % 2 == 0 { 0.0 } else { 0.25 };
        for i in 0..20 {
            scene.add(CUBE, Vec3::new(Real::from(i) - 9.5 + shift, 0.5 + Real::from(row), 0.0));
        }
    }
    scene
}

/// Twenty rows, one cube less in each.
fn pyramid() -> Scene {
    let mut scene = Scene::new("pyramid-20", "a flat pyramid of 210 cubes in 20 rows");
    for row in 0..20_i32 {
        let first = -0.5 * Real::from(19 - row);
        for i in 0..20 - row {
            scene.add(CUBE, Vec3::new((first + Real::from(i)) * (1.0 + GAP), 0.5 + Real::from(row), 0.0));
        }
    }
    scene
}

/// Ten square layers, the lowest of 10 x 10 cubes.
fn pyramid_3d() -> Scene {
    let mut scene = Scene::new("pyramid-3d", "a square pyramid of 385 cubes in 10 layers");
    for layer in 0..10_i32 {
        let first = -0.5 * Real::from(9 - layer);
        let place = |i: i32| (first + Real::from(i)) * (1.0 + GAP);
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
    let mut scene = Scene::new("balls-in-box", "1000 balls in a box, settled for 2 s");
    for side in [-1.0, 1.0] {
        scene.fix(Vec3::new(0.5, 5.0, 4.0), Vec3::new(3.5 * side, 5.0, 0.0));
        scene.fix(Vec3::new(3.0, 5.0, 0.5), Vec3::new(0.0, 5.0, 3.5 * side));
    }
    for n in 0..1000_u32 {
        let [i, j, k] = [n % 10, n / 100, n / 10 % 10].map(Real::from);
        let shift = if n / 100 % 2 == 0 { Vec3::ZERO } else { Vec3::new(0.13, 0.0, 0.21) };
        let grid = Vec3::new(0.55 * i - 2.6, 0.6 * j + 0.3, 0.55 * k - 2.6);
        scene.add(Form::Ball(0.25), grid + shift + (scattered(n) - 0.5) * 0.02);
    }
    scene.warm_up = 2 * STEPS_PER_SECOND;
    scene.fate = Fate::StaysIn(Vec3::new(-3.0, 0.0, -3.0), Vec3::new(3.0, 10.0, 3.0));
    scene
}

/// Thirty cubes, one on the other.
fn column() -> Scene {
    let mut scene = Scene::new("column-30", "a column of 30 cubes");
    for row in 0..30 {
        scene.add(CUBE, Vec3::new(0.0, 0.5 + Real::from(row), 0.0));
    }
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
            ("wall-20x10", 200),
            ("pyramid-20", 210),
            ("balls-in-box", 1000),
            ("column-30", 30),
            ("heavy-on-top", 10),
            ("box-rain", 1000),
            ("pyramid-3d", 385),
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
        for scene in Scene::all() {
            let poses: Vec<Pose> = scene.pieces.iter().map(|p| p.pose).collect();
            let depth = crate::quality::deepest_overlap(&scene, &poses);
            assert!(depth < 1e-9, "{}: {depth}", scene.name);
        }
    }
}
