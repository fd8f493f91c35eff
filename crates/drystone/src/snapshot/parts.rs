use super::archive::{Archive, Done};
use super::{Snapshot, SnapshotError};
use crate::World;
use crate::limits::{EnergyReference, Reference};
use drystone_contact_graph::EventLog;
use drystone_core::{
    BodyIndex, BodyPair, Configuration, ContactGraph, ContactImpulse, ContactPoint, Edge, EdgeEntry, FeatureKey,
    Flight, JointMemory, JointReaction, NormalOwner, PairMaterial, PointMemory, Relation, SleepMemory, Slowness, State,
    Turn,
};
use drystone_math::{Pose, Quat, Vec3, Wrench};

/// A snapshot taken apart: for writing, or after reading and before it is assembled.
#[derive(Default)]
pub(super) struct Parts {
    state: State,
    memory: Vec<Vec<f64>>,
    edges: Vec<Edge>,
    impulses: Vec<Vec<f64>>,
    stiffness: Vec<Vec<f64>>,
    reactions: Vec<JointReaction>,
    near: [Vec<(BodyPair, bool)>; 2],
    pushes: Vec<Wrench>,
    readers: [String; 2],
    disturbed: bool,
    limits: Vec<Reference>,
}

impl Parts {
    pub(super) fn of(s: &Snapshot) -> Self {
        Self {
            memory: (0..s.state.joint_memory.len()).map(|k| s.state.joint_memory.of(k).to_vec()).collect(),
            state: s.state.clone(),
            edges: s.graph.iter().cloned().collect(),
            impulses: s.graph.joint_impulses.iter().map(|l| l.to_vec()).collect(),
            stiffness: s.graph.joint_stiffness.iter().map(|l| l.to_vec()).collect(),
            reactions: s.graph.joint_reactions.clone(),
            near: [0, 1].map(|k| s.events[k].near().collect()),
            pushes: s.pushes.clone(),
            readers: s.readers.map(str::to_owned),
            disturbed: s.disturbed,
            limits: s.limits.into_iter().collect(),
        }
    }

    /// Writes all parts, or reads them for a world with this many bodies.
    pub(super) fn pass(&mut self, a: &mut Archive<'_>, bodies: usize) -> Done {
        let blank_pair = BodyPair { a: BodyIndex(0), b: BodyIndex(1) };
        let blank_edge = Edge::new(blank_pair, PairMaterial::default());
        let numbers = |a: &mut Archive<'_>, l: &mut Vec<f64>| a.list(l, &0.0, Archive::real);
        a.part("state", &mut self.state, |a, s| pass_state(s, a, bodies))?;
        a.part("joint_memory", &mut self.memory, |a, l| a.list(l, &Vec::new(), |a, l| a.list(l, &0.0, Archive::wide)))?;
        a.part("pairs", &mut self.edges, |a, l| a.list(l, &blank_edge, |a, e| pass_edge(e, a, bodies)))?;
        a.part("joint_impulses", &mut self.impulses, |a, l| a.list(l, &Vec::new(), numbers))?;
        a.part("joint_stiffness", &mut self.stiffness, |a, l| a.list(l, &Vec::new(), numbers))?;
        a.part("joint_reactions", &mut self.reactions, |a, l| a.list(l, &JointReaction::default(), pass_reaction))?;
        let [touching, sensed] = &mut self.near;
        for (name, list) in [("near", touching), ("sensed", sensed)] {
            a.part(name, list, |a, l| {
                a.list(l, &(blank_pair, false), |a, (pair, touching)| {
                    a.part("bodies", pair, |a, p| a.pair(p, bodies))?;
                    a.part("touching", touching, Archive::flag)
                })
            })?;
        }
        a.part("pushes", &mut self.pushes, |a, l| a.list(l, &Wrench::ZERO, Archive::wrench))?;
        a.part("readers", &mut self.readers, |a, names| a.row(names, Archive::text))?;
        a.part("disturbed", &mut self.disturbed, Archive::flag)?;
        a.part("limits", &mut self.limits, |a, l| a.list(l, &Reference::default(), |a, r| pass_reference(r, a)))
    }

    /// Assembles a snapshot that fits a world.
    pub(super) fn join(self, world: &World, world_print: u64) -> Result<Snapshot, SnapshotError> {
        let configuration = world.configuration();
        let Self { mut state, memory, edges, impulses, stiffness, reactions, near, pushes, readers, disturbed, limits } =
            self;
        state.joint_memory = joint_memory(&memory, configuration)?;
        configuration.check(&state).map_err(SnapshotError::State)?;
        let ordered =
            edges.is_sorted_by(|x, y| x.pair < y.pair) && near.iter().all(|list| list.is_sorted_by(|x, y| x.0 < y.0));
        let fits = impulses.len() <= configuration.link_count()
            && stiffness.len() <= configuration.link_count()
            && reactions.len() <= configuration.joints.len()
            && pushes.len() <= configuration.bodies.len()
            && limits.len() <= 1;
        if !(ordered && fits) {
            return Err(SnapshotError::Value("a list is not in order, or too long"));
        }
        let entries = edges.iter().zip(0..).map(|(edge, slot)| EdgeEntry { pair: edge.pair, slot });
        let mut graph = ContactGraph {
            order: entries.collect(),
            edges,
            joint_impulses: impulses.into_iter().map(smallvec::SmallVec::from_vec).collect(),
            joint_stiffness: stiffness.into_iter().map(smallvec::SmallVec::from_vec).collect(),
            joint_reactions: reactions,
            ..ContactGraph::default()
        };
        graph.take_materials(configuration);
        let present = world.modules().readers();
        let named = |k: usize| if readers[k] == present[k] { present[k] } else { "" };
        let events = near.map(|list| {
            let mut log = EventLog::default();
            log.reset(list.into_iter());
            log
        });
        let readers = [named(0), named(1)];
        let (lineage, limits) = (world.lineage, limits.first().copied());
        Ok(Snapshot { state, graph, events, readers, lineage, world_print, pushes, disturbed, limits })
    }
}

fn joint_memory(memory: &[Vec<f64>], configuration: &Configuration) -> Result<JointMemory, SnapshotError> {
    let mut joined = JointMemory::of_joints(&configuration.joints);
    let other = SnapshotError::Value("what joints remember is not of these joints");
    if memory.len() != configuration.joints.len() {
        return Err(other);
    }
    for (k, values) in memory.iter().enumerate() {
        let own = joined.of_mut(k);
        if own.len() != values.len() {
            return Err(other);
        }
        own.copy_from_slice(values);
    }
    Ok(joined)
}

const FLIGHTS: [(Flight, &str); 3] = [(Flight::Unknown, "unknown"), (Flight::Held, "held"), (Flight::Free, "free")];

fn pass_state(s: &mut State, a: &mut Archive<'_>, bodies: usize) -> Done {
    a.part("time", &mut s.time, Archive::real)?;
    a.part("position", &mut s.position, |a, l| a.list(l, &Vec3::ZERO, Archive::vector))?;
    a.part("orientation", &mut s.orientation, |a, l| a.list(l, &Quat::IDENTITY, Archive::quaternion))?;
    a.part("linear_velocity", &mut s.linear_velocity, |a, l| a.list(l, &Vec3::ZERO, Archive::vector))?;
    a.part("angular_velocity", &mut s.angular_velocity, |a, l| a.list(l, &Vec3::ZERO, Archive::vector))?;
    a.part("sleeping", &mut s.sleeping, |a, l| a.list(l, &false, Archive::flag))?;
    a.part("sleepy", &mut s.sleepy, |a, l| a.list(l, &false, Archive::flag))?;
    a.part("sleep_memory", &mut s.sleep_memory, |a, l| a.list(l, &SleepMemory::default(), pass_sleep_memory))?;
    a.part("flight", &mut s.flight, |a, l| a.list(l, &Flight::Unknown, |a, v| a.choice(v, &FLIGHTS)))?;
    a.part("broken_joints", &mut s.broken_joints, |a, l| a.list(l, &0, Archive::whole))?;
    a.part("turns", &mut s.turns, |a, l| {
        a.list(l, &(BodyIndex(0), Turn::default()), |a, (body, turn)| {
            a.part("body", body, |a, b| a.body(b, bodies))?;
            a.part("turn", turn, pass_turn)
        })
    })?;
    a.part("displacement", &mut s.displacement, |a, l| a.list(l, &Turn::default(), pass_turn))
}

fn pass_sleep_memory(a: &mut Archive<'_>, m: &mut SleepMemory) -> Done {
    a.part("calm_steps", &mut m.calm_steps, Archive::whole)?;
    a.part("reference", &mut m.reference, Archive::wide)?;
    a.part("vector", &mut m.vector, Archive::wide_vector)?;
    // (the name is the one used in older snapshots)
    a.part("turning", &mut m.angular_velocity, Archive::wide_vector)?;
    a.part("sum", &mut m.sum, Archive::twist)?;
    a.part("squares", &mut m.squares, Archive::wide)?;
    a.part("calm", &mut m.calm, Archive::flag)?;
    a.part("slow", &mut m.slow, pass_slowness)?;
    a.part("only_slow", &mut m.only_slow, Archive::flag)
}

fn pass_slowness(a: &mut Archive<'_>, s: &mut Slowness) -> Done {
    a.part("time", &mut s.time, Archive::wide)?;
    a.part("steps", &mut s.steps, Archive::whole)?;
    a.part("squares", &mut s.squares, Archive::wide)?;
    a.part("sum", &mut s.sum, Archive::twist)?;
    a.part("moment", &mut s.moment, Archive::twist)?;
    a.part("lasts", &mut s.lasts, Archive::flag)
}

fn pass_turn(a: &mut Archive<'_>, turn: &mut Turn) -> Done {
    a.part("shift", &mut turn.shift, Archive::twist)?;
    a.part("within", &mut turn.within, Archive::positive)?;
    a.part("spin_lost", &mut turn.spin_lost, Archive::wide_vector)
}

fn pass_reaction(a: &mut Archive<'_>, r: &mut JointReaction) -> Done {
    a.part("force", &mut r.force, Archive::wide_vector)?;
    a.part("torque", &mut r.torque, Archive::wide_vector)?;
    a.part("point", &mut r.point, Archive::wide_vector)
}

fn pass_reference(r: &mut Reference, a: &mut Archive<'_>) -> Done {
    a.part("size", &mut r.size, Archive::wide)?;
    let mut energy: Vec<EnergyReference> = r.energy.into_iter().collect();
    a.part("energy", &mut energy, |a, l| {
        a.list(l, &EnergyReference::default(), |a, e| {
            a.part("kinetic", &mut e.start.kinetic, Archive::wide)?;
            a.part("potential", &mut e.start.potential, Archive::wide)?;
            a.part("lowest", &mut e.lowest, Archive::wide)
        })
    })?;
    r.energy = energy.first().copied();
    a.part("scale", &mut r.scale, Archive::wide)?;
    a.part("guessed", &mut r.guessed, Archive::wide)
}

fn pass_edge(e: &mut Edge, a: &mut Archive<'_>, bodies: usize) -> Done {
    const RELATIONS: [(Relation, &str); 3] =
        [(Relation::Separated, "separated"), (Relation::Touching, "touching"), (Relation::Penetrating, "penetrating")];
    a.part("bodies", &mut e.pair, |a, p| a.pair(p, bodies))?;
    a.part("overlapping", &mut e.overlapping, Archive::flag)?;
    a.part("touching", &mut e.touching, Archive::flag)?;
    a.part("was_touching", &mut e.was_touching, Archive::flag)?;
    a.part("known", &mut e.known, Archive::flag)?;
    a.part("fresh", &mut e.fresh, Archive::flag)?;
    a.part("searched", &mut e.searched, Archive::wide)?;
    let mut tested: Vec<Pose> = e.is_tested.then_some(e.tested_at).into_iter().collect();
    a.part("tested_at", &mut tested, |a, l| a.list(l, &Pose::IDENTITY, Archive::pose))?;
    (e.is_tested, e.is_measured) = (!tested.is_empty(), false);
    e.tested_at = tested.first().copied().unwrap_or(Pose::IDENTITY);
    let p = &mut e.proximity;
    a.part("relation", &mut p.relation, |a, v| a.choice(v, &RELATIONS))?;
    a.part("distance", &mut p.distance, Archive::wide)?;
    a.part("normal", &mut p.normal, Archive::wide_vector)?;
    a.part("witness_a", &mut p.witness_a, Archive::wide_vector)?;
    a.part("witness_b", &mut p.witness_b, Archive::wide_vector)?;
    a.part("cache", &mut e.cache, |a, l| a.row(l, Archive::whole))?;
    let mut points: Vec<_> = e.manifold.points.iter().map(|p| (*p, e.manifold.memory(p.key))).collect();
    a.part("points", &mut points, |a, l| a.list(l, &(BLANK_POINT, PointMemory::none(FeatureKey(0))), pass_point))?;
    e.manifold.clear();
    for (point, memory) in points {
        e.manifold.points.push(point);
        // a multiplier of -0.0 equals zero, and is kept
        if is_remembered(&memory) {
            *e.manifold.memory_mut(point.key) = PointMemory { key: point.key, ..memory };
        }
    }
    Ok(())
}

/// True if any bit of the memory of a point is set.
fn is_remembered(memory: &PointMemory) -> bool {
    let PointMemory { layer_impulse: ContactImpulse { normal, friction }, stiffness, .. } = *memory;
    friction.to_array().into_iter().chain(stiffness).chain([normal]).any(|value| value.to_bits() != 0)
}

const BLANK_POINT: ContactPoint = ContactPoint {
    anchor_a: Vec3::ZERO,
    anchor_b: Vec3::ZERO,
    normal: [Vec3::Y; 2],
    owner: NormalOwner::A,
    separation: 0.0,
    key: FeatureKey(0),
    impulse: ContactImpulse::ZERO,
};

fn pass_point(a: &mut Archive<'_>, (p, memory): &mut (ContactPoint, PointMemory)) -> Done {
    const OWNERS: [(NormalOwner, &str); 3] =
        [(NormalOwner::A, "a"), (NormalOwner::B, "b"), (NormalOwner::Edges, "edges")];
    a.part("anchor_a", &mut p.anchor_a, Archive::wide_vector)?;
    a.part("anchor_b", &mut p.anchor_b, Archive::wide_vector)?;
    a.part("normal", &mut p.normal, |a, l| a.row(l, Archive::unit))?;
    a.part("owner", &mut p.owner, |a, v| a.choice(v, &OWNERS))?;
    a.part("separation", &mut p.separation, Archive::wide)?;
    a.part("key", &mut p.key.0, Archive::number)?;
    a.part("impulse", &mut p.impulse, pass_impulse)?;
    a.part("layer_impulse", &mut memory.layer_impulse, pass_impulse)?;
    a.part("stiffness", &mut memory.stiffness, |a, l| a.row(l, Archive::positive))
}

fn pass_impulse(a: &mut Archive<'_>, impulse: &mut ContactImpulse) -> Done {
    a.part("normal", &mut impulse.normal, Archive::real)?;
    a.part("friction", &mut impulse.friction, Archive::vector)
}
