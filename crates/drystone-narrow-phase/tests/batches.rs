//! Results for a batch of box pairs equal those of each pair alone, bit for bit.

use drystone_core::{
    BodyPair, BodyProperties, Configuration, Edge, Feature, NarrowPhase, PairBatch, PairMaterial, PosedShape,
    Proximity, Relation,
};
use drystone_geometry::Shape;
use drystone_math::elementary::rotation_about;
use drystone_math::{Pose, Quat, Real, Vec3};
use drystone_narrow_phase::Combined;
use drystone_testkit::Random;

const ENVELOPE: Real = 0.01;

/// Pairs of bodies, which move against each other from step to step.
struct Pairs {
    configuration: Configuration,
    frames: Vec<Pose>,
    edges: Vec<Edge>,
}

impl Pairs {
    fn new() -> Self {
        let mut pairs = Self { configuration: Configuration::default(), frames: Vec::new(), edges: Vec::new() };
        pairs.special();
        pairs.random(2000);
        pairs
    }

    fn add(&mut self, bodies: [(Shape, Pose); 2]) {
        let first = self.frames.len() as u32;
        for (shape, pose) in bodies {
            self.configuration.bodies.push(BodyProperties::fixed(shape));
            self.frames.push(pose);
        }
        let mut edge = Edge::new(BodyPair::ordered(first, first + 1), PairMaterial::default());
        edge.reach = 0.02 * Real::from(first % 8);
        self.edges.push(edge);
    }

    /// Boxes on each other, aligned or rotated by an eighth or a hair: touching, slightly apart, deep inside, and side by side.
    fn special(&mut self) {
        let halves = [Vec3::splat(0.5), Vec3::new(0.5, 0.02, 0.5), Vec3::new(0.1, 0.5, 0.3)];
        let mut turns = vec![Quat::IDENTITY];
        for axis in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE.normalize()] {
            for angle in [core::f64::consts::FRAC_PI_4, core::f64::consts::FRAC_PI_2, 1e-9, -1e-5, 0.03] {
                turns.push(rotation_about(axis, angle));
            }
        }
        for ha in halves {
            for hb in halves {
                for &turn in &turns {
                    for (k, lift) in [-0.01, 0.005, 1e-12, -0.2, 0.3].into_iter().enumerate() {
                        let beside = Vec3::new(0.2, 0.0, -0.3) * k as Real;
                        let reach = cuboid(hb).aabb(&Pose::new(Vec3::ZERO, turn)).max.y;
                        let upper = Pose::new(beside + Vec3::Y * (ha.y + reach + lift), turn);
                        let [a, b] = [(cuboid(ha), Pose::IDENTITY), (cuboid(hb), upper)];
                        self.add(if k % 2 == 0 { [a, b] } else { [b, a] });
                    }
                }
            }
        }
    }

    /// Boxes at random, with some balls among them.
    fn random(&mut self, count: usize) {
        let mut random = Random::new(5);
        for k in 0..count {
            let halves = [0, 1].map(|_| Vec3::splat(0.6) + random.vector(0.5));
            let at = Pose::new(random.vector(5.0), random.rotation());
            let way = random.direction() * random.range(0.3, 1.8);
            let other = if k % 16 == 3 { Shape::sphere(0.5).unwrap() } else { cuboid(halves[1]) };
            self.add([(cuboid(halves[0]), at), (other, Pose::new(at.position + way, random.rotation()))]);
        }
    }

    /// Moves the bodies a little.
    fn stir(&mut self, step: u64) {
        let mut random = Random::new(100 + step);
        for frame in &mut self.frames {
            let turn = rotation_about(random.direction(), random.range(0.0, 0.05));
            let way = random.vector(0.02);
            // some bodies stay where they are
            if random.bits().is_multiple_of(3) {
                *frame = Pose::new(frame.position + way, turn * frame.orientation);
            }
        }
    }

    /// Tests the pairs in batches of this size; returns what was found and remembered of each pair.
    fn tested(&mut self, at_once: usize) -> Vec<String> {
        let Self { configuration, frames, edges } = self;
        for edges in edges.chunks_mut(at_once) {
            Combined.query_batch(&mut PairBatch { configuration, frames, envelope: ENVELOPE, edges }).unwrap();
        }
        edges.iter().map(|e| said(&e.proximity, e.cache)).collect()
    }

    /// The same by a separate query for each pair.
    fn queried(&mut self) -> Vec<String> {
        let Self { configuration, frames, edges } = self;
        let query = |edge: &mut Edge| {
            let [a, b] = PosedShape::both(configuration, frames, edge.pair);
            let envelope = ENVELOPE + edge.reach;
            edge.proximity = Combined.query(a, b, envelope, &mut edge.cache, &mut edge.seeds).unwrap();
            said(&edge.proximity, edge.cache)
        };
        edges.iter_mut().map(query).collect()
    }
}

fn cuboid(h: Vec3) -> Shape {
    Shape::cuboid(h.x, h.y, h.z).unwrap()
}

fn said(proximity: &Proximity, cache: [u32; 4]) -> String {
    format!("{proximity:?} {cache:?}")
}

#[test]
fn what_is_found_and_remembered_is_the_same_however_many_pairs_there_are_at_a_time() {
    for at_once in [1, 2, 3, 8, 9, 64, usize::MAX] {
        let (mut alone, mut together) = (Pairs::new(), Pairs::new());
        for step in 0..6 {
            for (pair, (alone, together)) in alone.queried().iter().zip(&together.tested(at_once)).enumerate() {
                assert_eq!(alone, together, "pair {pair} in step {step}, {at_once} at a time");
            }
            alone.stir(step);
            together.stir(step);
        }
    }
}

#[test]
fn the_pairs_above_meet_in_all_ways() {
    let mut pairs = Pairs::new();
    let (mut relations, mut features) = ([0; 3], [0; 4]);
    for step in 0..6 {
        pairs.tested(usize::MAX);
        for edge in &pairs.edges {
            let p = &edge.proximity;
            relations[p.relation as usize] += 1;
            if p.relation != Relation::Separated {
                let kind = match (p.feature_a, p.feature_b) {
                    (Feature::Face(_), _) => 0,
                    (_, Feature::Face(_)) => 1,
                    (Feature::Edge(_), Feature::Edge(_)) => 2,
                    _ => 3,
                };
                features[kind] += 1;
            }
        }
        pairs.stir(step);
    }
    assert!(relations.iter().all(|&n| n > 1000) && features.iter().all(|&n| n > 100), "{relations:?} {features:?}");
}

#[test]
fn a_body_that_is_a_hair_elsewhere_is_noticed() {
    // the control for the first test: if one body of a pair moves by the last bit of one coordinate, the witnesses differ
    let mut pairs = Pairs::new();
    let before = pairs.tested(usize::MAX);
    for frame in pairs.frames.iter_mut().step_by(2) {
        frame.position.x = frame.position.x.next_up();
    }
    let after = pairs.tested(usize::MAX);
    let other = before.iter().zip(&after).filter(|(b, a)| b != a).count();
    assert!(2 * other > pairs.edges.len(), "{other} of {} noticed", pairs.edges.len());
}
