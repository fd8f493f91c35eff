use super::RunEnd;
use drystone_core::{BodyIndex, Configuration, ContactGraph, Edge, Joint, State};
use drystone_math::Real;

/// A joint counts as open if its gap has grown by more than this since the start, in bounding radii of the smaller of its dynamic bodies. No joint of 30
/// bundled scenes reaches it in 150 steps. An arm whose pivot is in a floor opens by 0.4 under `velocity-lcp` and by 0.16 under `substep-soft`: twice as much misses the latter.
const OPEN: Real = 0.1;

/// Advice to the user.
const REMEDY: &str = "where a contact contradicts a joint, ignore_pairs keeps the bodies apart";

/// The joint that opened most.
#[derive(Debug, Clone, Copy)]
struct Worst {
    joint: usize,
    /// In its bounds.
    ratio: Real,
    /// In m.
    gap: Real,
    /// When (s).
    time: Real,
    /// The deepest contact of its bodies.
    pressed: Option<[BodyIndex; 2]>,
}

/// Watches joints for gaps, and finds the contacts that contradict them.
#[derive(Debug, Clone)]
pub(super) struct OpenJoints {
    /// By joint: the gap from which it counts as open (m).
    bounds: Vec<Real>,
    is_open: Vec<bool>,
    worst: Option<Worst>,
}

impl OpenJoints {
    pub(super) fn new(configuration: &Configuration, state: &State) -> Self {
        let bound = |(j, joint): (usize, &Joint)| {
            configuration.joint_error(state, j).linear + OPEN * size(configuration, joint.bodies.into_iter().flatten())
        };
        let bounds: Vec<_> = configuration.joints.iter().enumerate().map(bound).collect();
        Self { is_open: vec![false; bounds.len()], bounds, worst: None }
    }

    /// Takes in the state after a step and the contacts of the step.
    pub(super) fn step(&mut self, configuration: &Configuration, state: &State, graph: &ContactGraph) {
        for (joint, bound) in self.bounds.iter().enumerate() {
            let gap = configuration.joint_error(state, joint).linear;
            if gap <= *bound {
                continue;
            }
            self.is_open[joint] = true;
            let ratio = gap / bound;
            if self.worst.is_none_or(|w| w.ratio < ratio) {
                let pressed = pressed(graph, configuration.joints[joint].bodies);
                // the bodies may have been parted by the time the gap is widest
                let before = self.worst.filter(|w| w.joint == joint).and_then(|w| w.pressed);
                self.worst = Some(Worst { joint, ratio, gap, time: state.time, pressed: pressed.or(before) });
            }
        }
    }

    /// One sentence on the joint that opened most, or else on the deepest contact of a body with a joint; `None` if there is neither.
    pub(super) fn said(&self, end: &RunEnd<'_>) -> Option<String> {
        let name = |b: BodyIndex| end.names.get(b.at()).map_or("", String::as_str);
        let touch = |[a, b]: [BodyIndex; 2]| format!("'{}' and '{}'", name(a), name(b));
        let Some(Worst { joint, gap, time, pressed, .. }) = self.worst else {
            let (edge, joint) = held_in(end.configuration, end.graph)?;
            let (pair, depth, place) = (touch([edge.pair.a, edge.pair.b]), depth(edge), place(joint, end.joint_names));
            return Some(format!("{pair} overlap by {depth:.3} m at the end, and {place} holds them: {REMEDY}"));
        };
        let place = place(joint, end.joint_names);
        let others = match self.is_open.iter().filter(|open| **open).count() - 1 {
            0 => String::new(),
            n => format!(", and {n} more by less"),
        };
        let cause = pressed.map_or(String::new(), |pair| format!(", while {} touch: {REMEDY}", touch(pair)));
        Some(format!("{place} opens by {gap:.3} m at {time:.3} s{others}{cause}"))
    }
}

/// A joint in a sentence.
fn place(joint: usize, names: &[String]) -> String {
    match names.get(joint) {
        Some(name) if !name.is_empty() => format!("joint '{name}'"),
        _ => format!("joints[{joint}]"),
    }
}

/// Bounding radius of the smallest dynamic body among these (m); infinite without one.
fn size(configuration: &Configuration, bodies: impl Iterator<Item = BodyIndex>) -> Real {
    let dynamic = bodies.map(|b| configuration.body(b)).filter(|b| b.is_dynamic());
    dynamic.map(|b| b.shape.bounding_radius()).fold(Real::INFINITY, Real::min)
}

fn depth(edge: &Edge) -> Real {
    -edge.manifold.least_separation()
}

/// The deepest contact that one of these bodies is in.
fn pressed(graph: &ContactGraph, bodies: [Option<BodyIndex>; 2]) -> Option<[BodyIndex; 2]> {
    let of_them =
        |edge: &&Edge| edge.touching && bodies.iter().flatten().any(|b| [edge.pair.a, edge.pair.b].contains(b));
    let deepest = graph.iter().filter(of_them).max_by(|a, b| depth(a).total_cmp(&depth(b)))?;
    Some([deepest.pair.a, deepest.pair.b])
}

/// The deepest contact of a body with a joint that is as deep as an open joint is wide, and the first joint of its bodies.
fn held_in<'a>(configuration: &Configuration, graph: &'a ContactGraph) -> Option<(&'a Edge, usize)> {
    let deep =
        graph.iter().filter(|e| e.touching && depth(e) > OPEN * size(configuration, [e.pair.a, e.pair.b].into_iter()));
    let jointed = deep.filter_map(|edge| {
        let of_it = |joint: &Joint| joint.bodies.iter().flatten().any(|b| [edge.pair.a, edge.pair.b].contains(b));
        configuration.joints.iter().position(of_it).map(|joint| (edge, joint))
    });
    jointed.max_by(|a, b| depth(a.0).total_cmp(&depth(b.0)))
}
