use crate::brute_force;
use drystone_core::{
    BodyFrame, BodyIndex, BodyKind, BodyPair, BodyProperties, BroadPhaseInput, CoherenceAnalysis, Configuration,
    ConstraintRow, ConstraintSource, ContactGraph, ContactPoint, EdgeAction, FeatureKey, FrameView, Joint, JointError,
    Moving, NormalOwner, OneThread, Proximity, ProxyFilter, State,
};
use drystone_geometry::{Aabb, Shape};
use drystone_math::{Pose, Real, Twist, Vec3};

/// Contact envelope of the scene (m).
const ENVELOPE: Real = 0.01;

/// The surroundings that a coherence analysis needs: spheres and planes with a detector of their own, exact and without memory.
#[derive(Default)]
pub struct GraphScene {
    /// Bodies and joints.
    pub configuration: Configuration,
    /// Their poses and velocities.
    pub state: State,
    /// Graph that the analysis keeps.
    pub graph: ContactGraph,
    frames: Vec<Pose>,
    boxes: Vec<Aabb>,
    /// Narrow phase calls of the last detection.
    pub tested: usize,
}

/// A joint that only ties bodies together in the graph.
struct Tie;

impl ConstraintSource for Tie {
    fn kind(&self) -> &'static str {
        "tie"
    }
    fn rows(&self, _frames: [&BodyFrame; 2], _memory: &[Real], _rows: &mut Vec<ConstraintRow>) {}
    fn error(&self, _frames: [&BodyFrame; 2], _memory: &[Real]) -> JointError {
        JointError::default()
    }
}

impl GraphScene {
    /// Adds a sphere of the given radius (m).
    ///
    /// # Panics
    /// If the radius is not above zero.
    pub fn sphere(&mut self, kind: BodyKind, center: Vec3, radius: Real) -> BodyIndex {
        let shape = Shape::sphere(radius).expect("a radius above zero");
        let mass = shape.mass_properties(1000.0).expect("a sphere has a volume");
        let properties = match kind {
            BodyKind::Dynamic => BodyProperties::dynamic(shape, &mass).expect("a sphere has a mass"),
            BodyKind::Fixed | BodyKind::Passive => BodyProperties::fixed(shape),
            BodyKind::Scripted => BodyProperties::scripted(shape),
        };
        self.add(properties, center)
    }

    /// Adds the fixed half space below `offset` (m) along a normal.
    ///
    /// # Panics
    /// If the normal is zero.
    pub fn plane(&mut self, normal: Vec3, offset: Real) -> BodyIndex {
        let shape = Shape::plane(normal, offset).expect("a normal that is not zero");
        self.add(BodyProperties::fixed(shape), Vec3::ZERO)
    }

    fn add(&mut self, properties: BodyProperties, center: Vec3) -> BodyIndex {
        self.configuration.bodies.push(properties);
        self.state.push(Pose::from_position(center), Twist::ZERO);
        BodyIndex::new(self.configuration.bodies.len() - 1)
    }

    /// Ties two bodies by a joint; `None` is the world.
    pub fn tie(&mut self, one: Option<BodyIndex>, other: Option<BodyIndex>) {
        self.configuration.joints.push(Joint::new([one, other], Box::new(Tie)));
    }

    /// Runs a detection with an analysis, with all three hooks, and returns the pairs of the broad phase.
    pub fn detect(&mut self, analysis: &mut dyn CoherenceAnalysis) -> Vec<BodyPair> {
        self.detect_moving(analysis, None)
    }

    /// The same, telling the analysis which bodies move, if that is known: only their pairs are then given to it.
    pub fn detect_moving(&mut self, analysis: &mut dyn CoherenceAnalysis, moving: Option<Moving<'_>>) -> Vec<BodyPair> {
        self.place();
        let mut pairs = self.pairs();
        pairs.retain(|pair| moving.is_none_or(|moving| moving.has(*pair)));
        let Self { configuration, state, graph, frames, boxes, tested } = self;
        let frame = FrameView { configuration, state, frames, boxes, moving, executor: &OneThread };
        analysis.after_broad_phase(frame, &pairs, graph);
        *tested = 0;
        for entry in &graph.order {
            let edge = &mut graph.edges[entry.slot as usize];
            if edge.action != EdgeAction::Test {
                continue;
            }
            *tested += 1;
            let (a, b) = (edge.pair.a, edge.pair.b);
            edge.proximity = proximity(
                (&configuration.body(a).shape, frames[a.at()]),
                (&configuration.body(b).shape, frames[b.at()]),
            );
            (edge.is_tested, edge.is_measured) = (true, false);
            edge.tested_at = frames[b.at()].relative_to(&frames[a.at()]);
        }
        analysis.after_narrow_phase(frame, graph);
        for entry in &graph.order {
            let edge = &mut graph.edges[entry.slot as usize];
            let (pose_a, pose_b) = (frames[edge.pair.a.at()], frames[edge.pair.b.at()]);
            match edge.action {
                EdgeAction::Skip => {}
                EdgeAction::Reuse => edge.manifold.refresh(&pose_a, &pose_b),
                EdgeAction::Test => {
                    edge.manifold.points.clear();
                    let p = &edge.proximity;
                    if p.distance <= ENVELOPE {
                        let middle = (p.witness_a + p.witness_b) * 0.5;
                        let point = ContactPoint::from_world(
                            &pose_a,
                            &pose_b,
                            middle,
                            p.normal,
                            p.distance,
                            FeatureKey(1),
                            NormalOwner::A,
                        );
                        edge.manifold.points.push(point);
                    }
                }
            }
        }
        analysis.after_contact_determination(frame, graph);
        pairs
    }

    /// Asks the analysis for stack layers.
    pub fn stack_layers(&mut self, analysis: &mut dyn CoherenceAnalysis) {
        let Self { configuration, state, graph, frames, boxes, .. } = self;
        analysis
            .stack_layers(FrameView { configuration, state, frames, boxes, moving: None, executor: &OneThread }, graph);
    }

    /// Returns true if two spheres are within the contact envelope at their present positions.
    pub fn are_touching(&self, one: BodyIndex, other: BodyIndex) -> bool {
        let solid = |b: BodyIndex| (&self.configuration.body(b).shape, self.state.pose(b));
        proximity(solid(one), solid(other)).distance <= ENVELOPE
    }

    fn place(&mut self) {
        self.frames.clear();
        self.boxes.clear();
        for (i, body) in self.configuration.bodies.iter().enumerate() {
            let frame = body.frame(&self.state.pose(BodyIndex::new(i)));
            self.frames.push(frame);
            self.boxes.push(body.shape.aabb(&frame).grown(0.5 * ENVELOPE));
        }
    }

    fn pairs(&self) -> Vec<BodyPair> {
        let filter = |b: &BodyProperties| ProxyFilter::new(b.kind != BodyKind::Fixed, b.layer);
        let filters: Vec<_> = self.configuration.bodies.iter().map(filter).collect();
        brute_force(BroadPhaseInput::new(&self.boxes, &filters))
    }
}

/// Sphere against sphere or plane, in closed form; other pairs are apart.
fn proximity(a: (&Shape, Pose), b: (&Shape, Pose)) -> Proximity {
    let (distance, normal, witness_a) = match (a.0, b.0) {
        (Shape::Sphere(s), Shape::Sphere(t)) => {
            let d = b.1.position - a.1.position;
            let normal = d.try_normalize().unwrap_or(Vec3::Y);
            (d.length() - s.radius() - t.radius(), normal, a.1.position + normal * s.radius())
        }
        (Shape::Plane(p), Shape::Sphere(s)) => {
            let height = p.normal().dot(b.1.position) - p.offset() - s.radius();
            (height, p.normal(), b.1.position - p.normal() * (s.radius() + height))
        }
        (Shape::Sphere(s), Shape::Plane(p)) => {
            let height = p.normal().dot(a.1.position) - p.offset() - s.radius();
            (height, -p.normal(), a.1.position - p.normal() * s.radius())
        }
        _ => return Proximity::default(),
    };
    Proximity {
        relation: Proximity::relation_of(distance, ENVELOPE),
        distance,
        normal,
        witness_a,
        witness_b: witness_a + normal * distance,
        ..Proximity::default()
    }
}
