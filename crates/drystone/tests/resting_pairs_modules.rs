//! Detections that leave out resting pairs, together with modules that do not know about this and modules that fail.

use drystone::Replacement;
use drystone::prelude::*;
use drystone_contact_graph::GraphAnalysis;
use drystone_core::{
    BodyPair, CoherenceAnalysis, ContactGraph, ContactSeed, FrameView, NarrowCache, NarrowPhase, PosedShape, Proximity,
    UnsupportedPair,
};
use drystone_narrow_phase::Combined;

const H: f64 = 1.0 / 60.0;

/// Sleeping balls in touching pairs, and one that falls.
fn balls(analysis: impl CoherenceAnalysis + 'static) -> World {
    let mut world = World::builder().replace(Replacement::coherence(analysis)).build().unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    let ball = || Body::dynamic(Shape::sphere(0.5).unwrap());
    world.add(ball().at([-9.0, 40.0, 0.0])).unwrap();
    for i in 0..8 {
        let body = world.add(ball().at([3.0 * f64::from(i / 2) + f64::from(i % 2), 0.5, 0.0])).unwrap();
        world.sleep(body).unwrap();
    }
    world
}

/// A foreign analysis that does not know about moving bodies: it leaves that information in the graph unchanged.
struct Ignorant(GraphAnalysis);

impl Ignorant {
    fn unaware(&mut self, graph: &mut ContactGraph, call: impl FnOnce(&mut GraphAnalysis, &mut ContactGraph)) {
        let before = std::mem::replace(&mut graph.knows_moving, false);
        call(&mut self.0, graph);
        graph.knows_moving = before;
    }
}

impl CoherenceAnalysis for Ignorant {
    fn name(&self) -> &'static str {
        "ignorant"
    }

    fn after_broad_phase(&mut self, frame: FrameView<'_>, pairs: &[BodyPair], graph: &mut ContactGraph) {
        self.unaware(graph, |analysis, graph| analysis.after_broad_phase(frame, pairs, graph));
    }

    fn after_narrow_phase(&mut self, frame: FrameView<'_>, graph: &mut ContactGraph) {
        self.unaware(graph, |analysis, graph| analysis.after_narrow_phase(frame, graph));
    }

    fn after_contact_determination(&mut self, frame: FrameView<'_>, graph: &mut ContactGraph) {
        self.unaware(graph, |analysis, graph| analysis.after_contact_determination(frame, graph));
    }

    fn stack_layers(&mut self, frame: FrameView<'_>, graph: &mut ContactGraph) {
        self.0.stack_layers(frame, graph);
    }
}

#[test]
fn an_analysis_that_knows_nothing_of_rest_looks_at_everything() {
    let run = |mut world: World| {
        (0..10).for_each(|_| _ = world.advance(H).unwrap());
        let knew = world.graph().knows_moving;
        world.replace(Replacement::coherence(Ignorant(GraphAnalysis::default()))).unwrap();
        let contacts: Vec<_> = (0..20).map(|_| world.advance(H).unwrap().contacts).collect();
        (knew, contacts, world.state().clone())
    };
    let (told, untold) = (run(balls(GraphAnalysis::default())), run(balls(Ignorant(GraphAnalysis::default()))));
    assert!(told.0 && !untold.0);
    assert_eq!((told.1, told.2), (untold.1, untold.2));
}

/// Fails with an error on any pair of two balls.
struct NoBalls(Combined);

impl NarrowPhase for NoBalls {
    fn name(&self) -> &'static str {
        "no balls"
    }

    fn supports(&self, a: &Shape, b: &Shape) -> bool {
        self.0.supports(a, b)
    }

    fn query(
        &self,
        a: PosedShape<'_>,
        b: PosedShape<'_>,
        envelope: f64,
        cache: &mut NarrowCache,
        seeds: &mut Vec<ContactSeed>,
    ) -> Result<Proximity, UnsupportedPair> {
        if [a, b].iter().all(|posed| matches!(posed.shape, Shape::Sphere(_))) {
            return Err(UnsupportedPair {
                narrow_phase: self.name(),
                shape_a: a.shape.kind(),
                shape_b: b.shape.kind(),
            });
        }
        self.0.query(a, b, envelope, cache, seeds)
    }
}

#[test]
fn a_detection_that_fails_says_nothing_of_what_rests() {
    let mut world = balls(GraphAnalysis::default());
    world.replace(Replacement::narrow_phase(NoBalls(Combined))).unwrap();
    for body in world.bodies().to_vec().into_iter().skip(2) {
        world.sleep(body).unwrap();
    }
    for step in 0..8 {
        assert!(world.advance(H).is_err(), "step {step}: a pair was left out that nobody has tested");
    }
}
