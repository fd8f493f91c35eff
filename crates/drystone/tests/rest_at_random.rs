//! Random bodies of nine kinds come to rest on random terrain and on rails under the default, and stay. `DRYSTONE_REST_BODIES` and `DRYSTONE_REST_SEED` set how many and which.

use drystone::geometry::{MeshShape, TriangleMesh};
use drystone::prelude::*;
use drystone_testkit::Random;

const KINDS: [&str; 9] =
    ["box", "sphere", "capsule", "cylinder", "drum", "cone", "hull of 12", "hull of 80", "compound"];

/// Bodies in one world, two metres apart.
const TOGETHER: usize = 25;

/// Time by which bodies are at rest, and for which they are seen to stay (s).
const SETTLED: f64 = 8.0;
const STAYS: f64 = 2.0;

/// At rest: no point moves faster (m/s).
const STILL: f64 = 1e-3;

fn shape(kind: usize, random: &mut Random) -> Shape {
    let [x, y, z] = [(); 3].map(|()| random.range(0.12, 0.4));
    let mut hull = |count: usize| {
        let point = |_| {
            let d = random.direction();
            Vec3::new(x * d.x, y * d.y, z * d.z) * random.range(0.8, 1.0)
        };
        Shape::convex(&(0..count).map(point).collect::<Vec<_>>())
    };
    let built = match kind {
        0 => Shape::cuboid(x, y, z),
        1 => Shape::sphere(x),
        2 => Shape::capsule(0.5 * x, y),
        3 => Shape::cylinder(0.5 * x, y),
        4 => Shape::cylinder(x, 0.3 * y),
        5 => Shape::cone(x, y),
        6 => hull(12),
        7 => hull(80),
        _ => {
            let parts = [
                (Shape::cuboid(x, 0.3 * y, 0.3 * z), Pose::IDENTITY),
                (Shape::sphere(0.5 * x), Pose::from_position(Vec3::X * x)),
                (Shape::capsule(0.3 * x, z), Pose::new(Vec3::X * -x, random.rotation())),
            ];
            Shape::compound(parts.into_iter().map(|(s, at)| (s.unwrap(), at)).collect())
        }
    };
    built.unwrap()
}

/// A rough sheet of 12 m by 12 m about the origin, closed below: a grid, or with its vertices moved sideways too.
fn rough(random: &mut Random, sideways: f64) -> TriangleMesh {
    let n = 49;
    let roughness = random.range(0.02, 0.15);
    let heights: Vec<f64> = (0..n * n).map(|_| random.range(0.0, roughness)).collect();
    let field = TriangleMesh::height_field(n, &heights, 0.25, 1.0).unwrap();
    let moved = field.vertices().iter().map(|p| {
        // the rim stays straight
        let inner = p.y > -0.5 && [p.x, p.z].iter().all(|c| (0.1..11.9).contains(c));
        let by = if inner { [(); 2].map(|()| random.range(-sideways, sideways)) } else { [0.0; 2] };
        *p + Vec3::new(by[0] - 6.0, 0.0, by[1] - 6.0)
    });
    TriangleMesh::new(moved.collect(), field.triangles().to_vec()).unwrap()
}

/// Rails along x, 0.4 to 0.6 m apart, on a floor.
fn rails(random: &mut Random) -> TriangleMesh {
    let rail = TriangleMesh::cuboid(Vec3::new(6.0, 0.1, 0.05), 6);
    let floor = TriangleMesh::cuboid(Vec3::new(6.0, 0.1, 6.0), 3);
    let apart = random.range(0.4, 0.6);
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    let count = (11.0 / apart) as u32;
    for k in 0..=count {
        let (part, by) = if k == count {
            (&floor, Vec3::Y * -0.1)
        } else {
            (&rail, Vec3::new(0.0, 0.101, (f64::from(k) - 0.5 * f64::from(count)) * apart))
        };
        let first = vertices.len() as u32;
        vertices.extend(part.vertices().iter().map(|p| *p + by));
        triangles.extend(part.triangles().iter().map(|t| t.map(|v| v + first)));
    }
    TriangleMesh::new(vertices, triangles).unwrap()
}

/// Drops bodies of all kinds on a terrain, and names those that are not at rest in time or do not stay.
fn restless(seed: u64, terrain: usize, kinds: &[usize]) -> Vec<String> {
    let mut random = Random::new(seed);
    let ground = match terrain {
        0 => rough(&mut random, 0.0),
        1 => rough(&mut random, 0.1),
        _ => rails(&mut random),
    };
    let mut world = World::builder().build().unwrap();
    // what is round oscillates for long in a hollow unless it resists rolling
    let material =
        Material { friction: random.range(0.4, 0.8), restitution: 0.0, rolling: 0.01, ..Material::default() };
    let material = world.add_material(material).unwrap();
    let ground = Body::fixed(Shape::mesh(MeshShape::new(ground, None).unwrap()));
    world.add(ground.material(material)).unwrap();
    let mut bodies = Vec::new();
    for (i, &kind) in kinds.iter().enumerate() {
        let place = [(i % 5) as f64 * 2.0 - 4.0, random.range(0.9, 1.1), (i / 5) as f64 * 2.0 - 4.0];
        let body = Body::dynamic(shape(kind, &mut random)).at(place).oriented(random.rotation()).material(material);
        bodies.push(world.add(body).unwrap());
    }
    let (mut fastest, mut highest) = (vec![0.0_f64; bodies.len()], vec![0.0_f64; bodies.len()]);
    for step in 0..((SETTLED + STAYS) * 60.0) as usize {
        world.advance(1.0 / 60.0).unwrap();
        let half = step as f64 / 60.0 >= SETTLED + 0.5 * STAYS;
        if step as f64 / 60.0 >= SETTLED {
            for (i, body) in bodies.iter().enumerate() {
                let v = world.velocity(*body).unwrap();
                let speed = v.linear.length() + 0.3 * v.angular.length();
                let most = if half { &mut highest[i] } else { &mut fastest[i] };
                *most = most.max(speed);
            }
        }
    }
    let told = |i: usize| {
        let height = world.pose(bodies[i]).unwrap().position.y;
        let moves = fastest[i].max(highest[i]) > STILL || height < 0.0;
        moves.then(|| {
            let what = KINDS[kinds[i]];
            format!(
                "seed {seed}, terrain {terrain}, body {i}: {what}: {:.1e}, later {:.1e} m/s, at {height:.2} m",
                fastest[i], highest[i]
            )
        })
    };
    (0..bodies.len()).filter_map(told).collect()
}

#[test]
fn bodies_of_all_kinds_rest_on_random_terrain_and_rails() {
    let given = |name: &str| std::env::var(name).ok().and_then(|v| v.parse::<u64>().ok());
    let (count, first) = (given("DRYSTONE_REST_BODIES").unwrap_or(27), given("DRYSTONE_REST_SEED").unwrap_or(1));
    let (mut left, mut seed, mut moving) = (count as usize, first, Vec::new());
    let per_world = TOGETHER.min(left.div_ceil(3)).max(1);
    let mut kind = 0;
    while left > 0 {
        let here = per_world.min(left);
        let kinds: Vec<usize> = (kind..kind + here).map(|k| k % KINDS.len()).collect();
        moving.extend(restless(seed, seed as usize % 3, &kinds));
        (left, seed, kind) = (left - here, seed + 1, kind + here);
    }
    assert!(moving.is_empty(), "{} of {count}: {moving:#?}", moving.len());
}
