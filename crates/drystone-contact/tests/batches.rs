//! Contact points of many pairs computed as a batch equal those of each pair alone, bit for bit.

use drystone_contact::ClippingManifold;
use drystone_core::{
    BodyIndex, BodyPair, BodyProperties, Configuration, ContactDetermination, ContactImpulse, Edge, Manifold,
    NarrowPhase, PairBatch, PairMaterial, PosedShape,
};
use drystone_geometry::Shape;
use drystone_math::elementary::rotation_about;
use drystone_math::{Pose, Quat, Real, Vec3};
use drystone_narrow_phase::Combined;
use drystone_testkit::Random;

/// Pairs of bodies side by side, with what the narrow phase found for them.
struct Pairs {
    configuration: Configuration,
    frames: Vec<Pose>,
    edges: Vec<Edge>,
}

const ENVELOPE: Real = 0.01;

impl Pairs {
    fn new() -> Self {
        Self { configuration: Configuration::default(), frames: Vec::new(), edges: Vec::new() }
    }

    fn add(&mut self, bodies: [(Shape, Pose); 2]) {
        let first = self.frames.len() as u32;
        for (shape, pose) in bodies {
            self.configuration.bodies.push(BodyProperties::fixed(shape));
            self.frames.push(pose);
        }
        let pair = BodyPair::new(BodyIndex(first), BodyIndex(first + 1)).unwrap();
        let mut edge = Edge::new(pair, PairMaterial::default());
        edge.reach = 1e-3 * Real::from(first % 8);
        self.edges.push(edge);
    }

    /// Runs a narrow phase, and adds contact points with impulses of an earlier step.
    fn tested(mut self) -> Self {
        Combined.query_batch(&mut self.batch()).unwrap();
        ClippingManifold::default().determine_batch(&mut self.batch());
        for (k, edge) in self.edges.iter_mut().enumerate() {
            for (i, p) in edge.manifold.points.iter_mut().enumerate() {
                p.impulse = ContactImpulse { normal: (k + i) as Real, friction: Vec3::X };
            }
            // features may have appeared or vanished since
            if k % 3 == 0 && !edge.manifold.points.is_empty() {
                edge.manifold.points.remove(0);
            }
        }
        self
    }

    fn batch(&mut self) -> PairBatch<'_> {
        let Self { configuration, frames, edges } = self;
        PairBatch { configuration, frames, envelope: ENVELOPE, edges }
    }

    /// The manifolds, number by number, if the pairs are handed over this many at a time.
    fn determined(&self, determination: ClippingManifold, at_once: usize) -> Vec<String> {
        let mut edges = self.edges.clone();
        for edges in edges.chunks_mut(at_once) {
            let (configuration, frames) = (&self.configuration, &self.frames);
            determination.determine_batch(&mut PairBatch { configuration, frames, envelope: ENVELOPE, edges });
        }
        edges.iter().map(|e| format!("{:?} {}", e.manifold, e.known)).collect()
    }

    /// The points of each pair by a query of its own, without impulses of an earlier step.
    fn queried(&self, determination: ClippingManifold) -> Vec<String> {
        let query = |edge: &Edge| {
            let [a, b] = PosedShape::both(&self.configuration, &self.frames, edge.pair);
            let mut manifold = Manifold::default();
            let envelope = ENVELOPE + edge.reach;
            determination.determine(a, b, &edge.proximity, &edge.seeds, envelope, &mut manifold);
            format!("{manifold:?}")
        };
        self.edges.iter().map(query).collect()
    }

    /// The same bodies without contact points of an earlier step.
    fn fresh(mut self) -> Self {
        for edge in &mut self.edges {
            edge.manifold.clear();
        }
        self
    }
}

fn cuboid(h: Vec3) -> Shape {
    Shape::cuboid(h.x, h.y, h.z).unwrap()
}

/// Boxes on each other in all special positions: parallel, turned by quarters and eighths, tilted by a
/// hair, thin, corner against corner, edge across edge, exactly touching, deep inside.
fn special(pairs: &mut Pairs) {
    let halves = [Vec3::splat(0.5), Vec3::new(0.5, 0.02, 0.5), Vec3::new(0.1, 0.5, 0.3), Vec3::new(2.0, 0.5, 1e-3)];
    let eighth = core::f64::consts::FRAC_PI_4;
    let mut turns = vec![Quat::IDENTITY];
    for axis in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE.normalize()] {
        for angle in [eighth, 2.0 * eighth, 4.0 * eighth, 1e-9, -1e-5, 0.03] {
            turns.push(rotation_about(axis, angle));
        }
    }
    let beside = [Vec3::ZERO, Vec3::new(0.25, 0.0, 0.0), Vec3::new(0.5, 0.0, 0.5), Vec3::new(1.0, 0.0, -1.0)];
    for (k, &ha) in halves.iter().enumerate() {
        for &hb in &halves[k..] {
            for &turn in &turns {
                for (i, &at) in beside.iter().enumerate() {
                    let lift = [0.0, -0.01, 0.005, 1e-12][i];
                    let reach = cuboid(hb).aabb(&Pose::new(Vec3::ZERO, turn)).max.y;
                    let upper = Pose::new(at * (ha + hb) + Vec3::Y * (ha.y + reach + lift), turn);
                    let [a, b] = [(cuboid(ha), Pose::IDENTITY), (cuboid(hb), upper)];
                    pairs.add(if i % 2 == 0 { [a, b] } else { [b, a] });
                }
            }
        }
    }
}

/// Boxes at random, many of them nearly face to face, with some balls and planes.
fn random(pairs: &mut Pairs, seed: u64, count: usize) {
    let mut random = Random::new(seed);
    for k in 0..count {
        let half = |random: &mut Random| Vec3::splat(0.6) + random.vector(0.55);
        let (ha, hb) = (half(&mut random), half(&mut random));
        let at = Pose::new(random.vector(5.0), random.rotation());
        let tilt = rotation_about(random.direction(), random.range(0.0, [0.09, 0.5, 1e-6][k % 3]));
        let quarters = rotation_about(Vec3::AXES[k % 3], core::f64::consts::FRAC_PI_2 * (k % 4) as Real);
        let spin = rotation_about(Vec3::Y, random.range(0.0, 7.0));
        let turn = tilt * spin * quarters;
        let reach = cuboid(hb).aabb(&Pose::new(Vec3::ZERO, turn)).max.y;
        let offset = Vec3::new(random.range(-1.2, 1.2), 0.0, random.range(-1.2, 1.2));
        let upper = Pose::new(offset + Vec3::Y * (ha.y + reach - random.range(-0.02, 0.05)), turn);
        let around = rotation_about(random.direction(), core::f64::consts::FRAC_PI_2 * (k % 5) as Real);
        let other = match k % 16 {
            3 => Shape::sphere(hb.y).unwrap(),
            7 => Shape::capsule(0.2, hb.y).unwrap(),
            _ => cuboid(hb),
        };
        let placed = |pose: Pose| at * Pose::new(Vec3::ZERO, around) * pose;
        let [a, b] = [(cuboid(ha), placed(Pose::IDENTITY)), (other, placed(upper))];
        pairs.add(if random.bits().is_multiple_of(2) { [a, b] } else { [b, a] });
    }
}

fn all() -> Pairs {
    let mut pairs = Pairs::new();
    special(&mut pairs);
    random(&mut pairs, 1, 4000);
    pairs.tested()
}

#[test]
fn points_are_the_same_however_many_pairs_there_are_at_a_time() {
    let pairs = all();
    for reduce in [true, false] {
        let determination = ClippingManifold { reduce, ..ClippingManifold::default() };
        let alone = pairs.determined(determination, 1);
        for at_once in [2, 3, 8, 9, 64, usize::MAX] {
            assert!(pairs.determined(determination, at_once) == alone, "{at_once} at a time");
        }
    }
}

#[test]
fn points_are_those_of_a_query_which_uses_no_wide_registers() {
    let pairs = all().fresh();
    for reduce in [true, false] {
        let determination = ClippingManifold { reduce, ..ClippingManifold::default() };
        let (queried, in_batch) = (pairs.queried(determination), pairs.determined(determination, usize::MAX));
        for (pair, (queried, in_batch)) in queried.iter().zip(&in_batch).enumerate() {
            assert!(in_batch.starts_with(queried.as_str()), "pair {pair}: {in_batch}, alone {queried}");
        }
    }
}

#[test]
fn a_body_that_is_a_hair_elsewhere_is_noticed() {
    // the control: if one body of a pair moves by the last bit of one coordinate, the points differ
    let mut pairs = all();
    let before = pairs.determined(ClippingManifold::default(), usize::MAX);
    for frame in pairs.frames.iter_mut().step_by(2) {
        frame.position.x = frame.position.x.next_up();
    }
    let after = pairs.determined(ClippingManifold::default(), usize::MAX);
    let other = before.iter().zip(&after).filter(|(b, a)| b != a).count();
    let touching = pairs.edges.iter().filter(|e| !e.manifold.points.is_empty()).count();
    assert!(touching > 2000 && 2 * other > touching, "{other} of {touching} noticed");
}

#[test]
fn the_pairs_above_have_every_number_of_points() {
    let mut pairs = all().fresh();
    let whole = ClippingManifold { reduce: false, ..ClippingManifold::default() };
    whole.determine_batch(&mut pairs.batch());
    let mut counts = [0; 9];
    for edge in &pairs.edges {
        counts[edge.manifold.points.len().min(8)] += 1;
    }
    assert!(counts.iter().all(|&n| n >= 5), "{counts:?}");
}
