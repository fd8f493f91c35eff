use super::camera::{Bounds, Camera, is_endless};
use crate::Failure;
use crate::page::{FIXED, STONES};
use drystone::{Hit, Query, QueryError, World};
use drystone_core::{BodyIndex, BodyKind};
use drystone_math::{Real, Vec3, tangent_basis};

/// Towards the sun.
const SUN: Vec3 = Vec3::new(0.45, 0.85, 0.30);
/// The light from the sky and from the sun, at most.
const SKY: Real = 0.42;
const SUNLIGHT: Real = 0.62;
/// Colours (linear) overhead and at the horizon.
const ZENITH: Vec3 = Vec3::new(0.52, 0.66, 0.82);
const HORIZON: Vec3 = Vec3::new(0.88, 0.90, 0.92);
/// Of endless floors and walls, and how dark the lines of their grid are.
const FLOOR: Vec3 = Vec3::new(0.62, 0.60, 0.56);
const LINE: Real = 0.72;
/// Rays that an edge gets, four by four, and how much two pixels must differ to be one.
const FINE: usize = 4;
const EDGE: Real = 0.04;

struct Painter<'w> {
    world: &'w World,
    query: Query<'w>,
    camera: Camera,
    sun: Vec3,
    /// Distance that counts as far (m), the cell of the grid, and the offset of a shadow's ray from a surface.
    reach: Real,
    cell: Real,
    lift: Real,
}

/// The world as rows of red, green and blue, eight bits each (sRGB). Shapes are exact, as the engine's queries see them; edges are smoothed.
///
/// # Errors
/// If a query fails: a pose that is not finite.
pub(crate) fn painted(world: &World, first: Bounds, size: [usize; 2]) -> Result<Vec<u8>, Failure> {
    let [width, height] = size;
    let last = Bounds::of(world);
    let camera = Camera::fitting(first, last, width as Real / height as Real);
    let painter = Painter {
        world,
        query: world.query(),
        camera,
        sun: SUN.normalize(),
        reach: camera.away,
        cell: round_below(0.3 * camera.away),
        lift: 1e-6 * camera.away,
    };
    painter.paint(size).map_err(|e| Failure::Simulation(e.to_string()))
}

/// The largest of 1, 2, 5, 10, 20 … and their tenths that is no larger.
fn round_below(length: Real) -> Real {
    let mut decade = 1e-9;
    while decade * 10.0 <= length && decade < 1e12 {
        decade *= 10.0;
    }
    let steps = [5.0, 2.0].into_iter().find(|s| s * decade <= length);
    steps.map_or(decade, |s| s * decade)
}

impl Painter<'_> {
    fn paint(&self, [width, height]: [usize; 2]) -> Result<Vec<u8>, QueryError> {
        let mut colours = Vec::with_capacity(width * height);
        for k in 0..width * height {
            let (x, y) = (k % width, k / width);
            colours.push(self.look((x as Real + 0.5) / width as Real, (y as Real + 0.5) / height as Real)?);
        }
        let mut bytes = Vec::with_capacity(3 * width * height);
        for k in 0..width * height {
            let (x, y) = (k % width, k / width);
            let beside = [(x > 0, 1), (y > 0, width)].map(|(is, by)| if is { k - by } else { k });
            let after = [(x + 1 < width, 1), (y + 1 < height, width)].map(|(is, by)| if is { k + by } else { k });
            let differs = |other: usize| (colours[other] - colours[k]).abs().max_element() > EDGE;
            let colour = if beside.into_iter().chain(after).any(differs) {
                self.fine(x, y, [width, height])?
            } else {
                colours[k]
            };
            bytes.extend(colour.to_array().map(eight_bits));
        }
        Ok(bytes)
    }

    /// The mean over a pixel.
    fn fine(&self, x: usize, y: usize, [width, height]: [usize; 2]) -> Result<Vec3, QueryError> {
        let mut sum = Vec3::ZERO;
        for part in 0..FINE * FINE {
            let within = |k: usize| (k as Real + 0.5) / FINE as Real;
            let u = (x as Real + within(part % FINE)) / width as Real;
            let v = (y as Real + within(part / FINE)) / height as Real;
            sum += self.look(u, v)?;
        }
        Ok(sum / (FINE * FINE) as Real)
    }

    /// The light (linear) from a place of the picture.
    fn look(&self, x: Real, y: Real) -> Result<Vec3, QueryError> {
        let way = self.camera.through(x, y);
        let sky = HORIZON.lerp(ZENITH, way.y.clamp(0.0, 1.0));
        let Some(hit) = self.query.ray(self.camera.eye, way, Real::INFINITY)? else { return Ok(sky) };
        let facing = self.sun.dot(hit.normal).max(0.0);
        let lit = facing > 0.0 && !self.in_shadow(&hit)?;
        let light = SKY * (0.75 + 0.25 * hit.normal.y) + if lit { SUNLIGHT * facing } else { 0.0 };
        let near = self.surface(&hit) * light;
        // what is far fades into the horizon
        let haze = (hit.distance / (14.0 * self.reach)).min(1.0);
        Ok(near.lerp(HORIZON, haze * haze))
    }

    fn in_shadow(&self, hit: &Hit) -> Result<bool, QueryError> {
        let from = hit.position + hit.normal * self.lift;
        Ok(self.query.ray(from, self.sun, Real::INFINITY)?.is_some())
    }

    /// The colour of what a ray meets (linear).
    fn surface(&self, hit: &Hit) -> Vec3 {
        let Some(body) = self.world.properties(hit.body) else { return FLOOR };
        if is_endless(&body.shape) {
            return FLOOR * self.grid(hit);
        }
        if body.kind == BodyKind::Fixed {
            return Vec3::from_array(FIXED.map(Real::from));
        }
        let number = self.world.body_index(hit.body).map_or(0, BodyIndex::at);
        let stone = Vec3::from_array(STONES[body.material.0 as usize % STONES.len()].map(Real::from));
        // neighbours of one material are told apart by their brightness
        stone * (1.0 + 0.22 * ((number * 7 % 5) as Real / 2.0 - 1.0))
    }

    /// One between the lines of the grid, less on them; lines that are too fine for a pixel fade.
    fn grid(&self, hit: &Hit) -> Real {
        let pixel = hit.distance / super::SIZE[1] as Real;
        let width = (0.015 * self.cell).max(1.2 * pixel);
        let (s, t) = tangent_basis(hit.normal);
        let line = |axis: Vec3| {
            let place = hit.position.dot(axis) / self.cell;
            (place - place.round()).abs() * self.cell < width
        };
        let strength = (1.0 - 4.0 * pixel / self.cell).max(0.0);
        if line(s) || line(t) { 1.0 - (1.0 - LINE) * strength } else { 1.0 }
    }
}

/// Linear light as a byte of sRGB, whose curve is near to a square root.
fn eight_bits(light: Real) -> u8 {
    (light.clamp(0.0, 1.0).sqrt() * 255.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone::prelude::*;

    fn pixel(bytes: &[u8], width: usize, x: usize, y: usize) -> [i32; 3] {
        [0, 1, 2].map(|c| i32::from(bytes[3 * (y * width + x) + c]))
    }

    #[test]
    fn a_ball_over_a_floor_is_seen_with_its_shadow_under_a_sky() -> Result<(), Box<dyn std::error::Error>> {
        let mut world = World::builder().build()?;
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0)?))?;
        world.add(Body::dynamic(Shape::sphere(0.5)?).at([0.0, 0.5, 0.0]))?;
        let size = [96, 60];
        let first = Bounds::of(&world);
        let bytes = painted(&world, first, size)?;
        assert_eq!(bytes.len(), 3 * 96 * 60);
        let at = |x, y| pixel(&bytes, 96, x, y);
        // the ball is brown in the middle, the sky blue at the top, the floor grey at the bottom
        let [r, _, b] = at(48, 30);
        assert!(r > b + 40, "{:?}", at(48, 30));
        let [r, _, b] = at(2, 1);
        assert!(b > r, "{:?}", at(2, 1));
        // the sun stands to the right: on the floor left of the ball there is shadow
        let brightness = |x, y| at(x, y).iter().sum::<i32>();
        let darkest = (0..38).map(|x| brightness(x, 46)).min().unwrap();
        assert!(darkest < brightness(90, 46) - 90, "{darkest} beside {}", brightness(90, 46));
        Ok(())
    }

    /// A world a hundred times as large or as small is the same picture.
    #[test]
    fn pictures_have_no_unit_of_length() {
        let picture = |scale: Real| {
            let mut world = World::builder().build().unwrap();
            world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
            for (x, z) in [(0.0, 0.0), (1.5, -6.0)] {
                let cuboid = Shape::cuboid(0.5 * scale, 0.4 * scale, 0.3 * scale).unwrap();
                world.add(Body::dynamic(cuboid).at([x * scale, 0.41 * scale, z * scale])).unwrap();
            }
            painted(&world, Bounds::of(&world), [48, 30]).unwrap()
        };
        let own = picture(1.0);
        for scale in [0.01, 100.0] {
            let other = own.iter().zip(&picture(scale)).filter(|(a, b)| a.abs_diff(**b) > 2).count();
            // a pixel at an edge may be smoothed in one and not in the other
            assert!(other < own.len() / 100, "{scale}: {other} of {}", own.len());
        }
    }

    /// Bodies of one material are told apart by at most 22 % of brightness either way, next ones the most.
    #[test]
    fn neighbours_of_one_material_differ_a_little() {
        let mut world = World::builder().build().unwrap();
        for x in 0..12 {
            world.add(Body::dynamic(Shape::sphere(0.4).unwrap()).at([f64::from(x), 0.0, 0.0])).unwrap();
        }
        let bounds = Bounds::of(&world);
        let camera = Camera::fitting(bounds, bounds, 1.6);
        let query = world.query();
        let painter = Painter { world: &world, query, camera, sun: Vec3::Y, reach: 1.0, cell: 1.0, lift: 1e-6 };
        let brightness = |x: i32| {
            let from = Vec3::new(Real::from(x), 2.0, 0.0);
            let hit = painter.query.ray(from, Vec3::NEG_Y, Real::INFINITY).unwrap().unwrap();
            painter.surface(&hit).length() / Vec3::from_array(STONES[0].map(Real::from)).length()
        };
        let all: Vec<Real> = (0..12).map(brightness).collect();
        assert!(all.iter().all(|b| (b - 1.0).abs() < 0.22 + 1e-9), "{all:?}");
        assert!(all.windows(2).all(|two| (two[0] - two[1]).abs() > 0.2), "{all:?}");
    }

    #[test]
    fn lengths_of_cells_are_round() {
        for (length, cell) in [(1.0, 1.0), (4.9, 2.0), (5.0, 5.0), (19.0, 10.0), (0.03, 0.02)] {
            assert!((round_below(length) / cell - 1.0).abs() < 1e-9, "{length}: {}", round_below(length));
        }
    }
}
