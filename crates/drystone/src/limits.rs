use crate::kernel::{Engine, FEW_EDGES};
use drystone_core::{
    BodyIndex, BodyKind, Configuration, ConstraintRow, ContactGraph, Edge, Energy, Executor, FailureKind,
    LimitedFigure, Module, Softness, State, StepFailure, TimeReport, kinetic_energy, piece_length, run_each,
};
use drystone_geometry::Aabb;
use drystone_math::{Real, Twist, Vec3};
use std::sync::atomic::{AtomicBool, Ordering};

/// Bounds beyond which a step counts as failed: a diverging run exceeds them, and a run that does not diverge does not reach them. The one exception is a start with
/// many bodies on one spot: parting them lifts some of them higher than their energy at the start allows. The message then says what to do.
///
/// They are checked at the end of each step, and are on by default. After a failed step the world can be read as it is and can be stepped on: each further step is
/// checked again. The reference values are taken anew whenever the world is edited.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Largest penetration, and largest gap of a joint, relative to the size of the scene: the diagonal of the box around its dynamic bodies and the anchors of
    /// their joints, as of the last edit.
    pub length: Real,
    /// Largest increase of energy since the last edit, relative to a scale: the kinetic energy at that edit, plus the work of the bodies' weight over the size of
    /// the scene and over the largest height that they have lost since, plus what springs store and give. Checked only if nothing but gravity, springs and other fields with a
    /// potential can do work: no force fields without one, scripted bodies, running surfaces, motors or servos of joints, and a world with inertia. In any world it also bounds the energy that wrong guesses at forces have put in
    /// ([`drystone_core::Guesses::energy`]), relative to the same scale without the heights lost.
    pub energy: Real,
}

impl Limits {
    /// No bounds, for studying divergence.
    pub const NONE: Self = Self { length: Real::INFINITY, energy: Real::INFINITY };
}

impl Default for Limits {
    /// The size of the scene, and once the scale of its energy.
    fn default() -> Self {
        Self { length: 1.0, energy: 1.0 }
    }
}

/// Reference values of the limits on steps; none of its numbers is NaN.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Reference {
    /// Size of the scene (m).
    pub(crate) size: Real,
    /// Only if no energy comes but from gravity and from potentials.
    pub(crate) energy: Option<EnergyReference>,
    /// Kinetic energy at the start, plus weight times size (J).
    pub(crate) scale: Real,
    /// Energy that wrong guesses at forces have put into the bodies since (J).
    pub(crate) guessed: Real,
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct EnergyReference {
    pub(crate) start: Energy,
    /// Lowest potential energy since (J).
    pub(crate) lowest: Real,
}

/// Checks each step of a world against its limits.
#[derive(Debug, Default)]
pub(crate) struct LimitCheck {
    pub(crate) limits: Limits,
    /// Part of each snapshot; `None` after an edit.
    pub(crate) reference: Option<Reference>,
    /// The potential energy of the bodies that sleep (J), and how often the others had been listed when it was summed.
    asleep: Option<(u64, Real)>,
}

impl LimitCheck {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, reference: None, asleep: None }
    }

    /// To be called when the world was edited: the reference is taken anew before the next step.
    pub(crate) fn forget(&mut self) {
        self.reference = None;
    }

    /// To be called before a step: takes the reference if there is none.
    pub(crate) fn begin(&mut self, engine: &Engine, has_inertia: bool) {
        let of_now = || Reference::of(&engine.data().configuration, &engine.data().state, has_inertia);
        let reference = self.reference.get_or_insert_with(of_now);
        // a restored one may be from before other modules were chosen
        reference.energy = reference.energy.filter(|_| has_inertia);
    }

    /// To be called after a step: fails with the first bound that is exceeded.
    pub(crate) fn end(&mut self, engine: &Engine, calls: &TimeReport) -> Result<(), StepFailure> {
        let Some(reference) = &mut self.reference else { return Ok(()) };
        let (configuration, state) = (&engine.data().configuration, &engine.data().state);
        let fail = |body, module, figure, found, bound| {
            let kind = FailureKind::Limit { figure, found, bound };
            Err(StepFailure { time: state.time, body, module, kind })
        };
        let bound = self.limits.length * reference.size;
        // serial below, so that which of several pairs is named does not depend on threads
        let is_over = !engine.is_within(bound) && any_deeper(&engine.data().graph, bound, engine.executor());
        if is_over {
            let depth = |edge: &Edge| -edge.manifold.least_separation();
            let mut deep = engine.data().graph.iter().filter(|e| e.overlapping && depth(e) > bound);
            if let Some(edge) = deep.next() {
                let body = [edge.pair.b, edge.pair.a].into_iter().find(|b| configuration.body(*b).is_dynamic());
                return fail(body, Module::ConstraintSolver, LimitedFigure::Penetration, depth(edge), bound);
            }
        }
        let gap = |joint: usize| configuration.joint_error(state, joint).linear;
        if let Some(joint) = engine.data().joints_at_work().filter(|joint| gap(*joint) > bound).min() {
            let body = configuration.joints[joint].bodies.into_iter().flatten().next();
            return fail(body, Module::ConstraintSolver, LimitedFigure::JointGap(joint as u32), gap(joint), bound);
        }
        // this energy comes from nothing in the scene, so it counts whatever else does work
        let guessed = reference.guessed + calls.solve.guesses.energy;
        reference.guessed = if guessed.is_nan() { Real::INFINITY } else { guessed };
        let bound = self.limits.energy * reference.scale;
        if reference.scale > 0.0 && reference.guessed > bound {
            let body = fastest(configuration, state);
            return fail(body, Module::ConstraintSolver, LimitedFigure::Energy, reference.guessed, bound);
        }
        if let Some(known) = &mut reference.energy {
            let most = energy_bound(engine, &mut self.asleep);
            known.lowest = known.lowest.min(most.potential);
            let scale = reference.scale + (known.start.potential - known.lowest);
            // an infinite energy cannot serve as a bound
            let bound = (known.start.total() + self.limits.energy * scale).min(Real::MAX);
            // `most` is an upper bound: if it is within bounds, so is the energy itself
            let is_over = |energy: Energy| energy.total() > bound || energy.total().is_nan();
            let now = if is_over(most) { Energy::of(configuration, state) } else { most };
            // without gravity and motion there is no energy to compare with
            if scale > 0.0 && is_over(now) {
                return fail(
                    fastest(configuration, state),
                    at_work(engine, calls),
                    LimitedFigure::Energy,
                    now.total(),
                    bound,
                );
            }
        }
        Ok(())
    }
}

impl Reference {
    fn of(configuration: &Configuration, state: &State, has_inertia: bool) -> Self {
        let size = scene_size(configuration, state);
        let passive = has_inertia && is_passive(configuration, state);
        let start = Energy::of(configuration, state);
        let mass: Real = configuration.bodies.iter().filter(|b| b.is_dynamic()).map(|b| b.mass).sum();
        let stored = stored_in_joints(configuration, state);
        // a joint's spring may give what it stores, and is not in the energy of the bodies
        let start = Energy { potential: start.potential + stored, ..start };
        let scale = start.kinetic + mass * configuration.gravity.length() * size + stored;
        let energy = passive.then_some(EnergyReference { start, lowest: start.potential });
        // what overflows bounds nothing
        let energy = energy.filter(|e| !(e.start.total().is_nan() || e.lowest.is_nan()));
        let scale = if scale.is_nan() { 0.0 } else { scale };
        Self { size, energy, scale, guessed: 0.0 }
    }
}

/// An upper bound on the energy. That of the bodies that sleep is kept in `asleep`, as [`LimitCheck`] has it.
fn energy_bound(engine: &Engine, asleep: &mut Option<(u64, Real)>) -> Energy {
    let (configuration, state) = (&engine.data().configuration, &engine.data().state);
    let (dynamic, awake, lists) = engine.dynamic_bodies();
    if asleep.is_none_or(|(then, _)| then != lists) {
        let sleeping = dynamic.iter().copied().filter(|b| awake.binary_search(b).is_err());
        *asleep = Some((lists, Energy::bound(configuration, state, sleeping).potential));
    }
    let mut most = Energy::bound(configuration, state, awake.iter().copied());
    most.potential += asleep.map_or(0.0, |(_, potential)| potential) + Energy::of_forces(configuration, state);
    most
}

/// Returns true if any two bodies penetrate each other deeper than a bound (m).
fn any_deeper(graph: &ContactGraph, bound: Real, executor: &dyn Executor) -> bool {
    let length = piece_length(executor, graph.edges.len(), FEW_EDGES);
    let found = AtomicBool::new(false);
    run_each(executor, graph.edges.chunks(length), |edges| {
        if edges.iter().any(|e| e.overlapping && e.manifold.points.as_slice().iter().any(|p| p.separation < -bound)) {
            found.store(true, Ordering::Relaxed);
        }
    });
    found.into_inner()
}

/// The diagonal of the box around the dynamic bodies and the anchors of their joints (m).
fn scene_size(configuration: &Configuration, state: &State) -> Real {
    let mut around = Aabb::EMPTY;
    for (i, body) in configuration.bodies.iter().enumerate().filter(|(_, b)| b.is_dynamic()) {
        around = around.union(&body.shape.aabb(&body.frame(&state.pose(BodyIndex::new(i)))));
    }
    for joint in &configuration.joints {
        let [a, b] = joint.bodies.map(|b| state.body_frame(b));
        if let Some(anchor) = joint.source.anchor([&a, &b]) {
            around = around.union(&Aabb::new(anchor, anchor));
        }
    }
    around.size().max(Vec3::ZERO).length()
}

/// Returns true if no energy comes but from gravity and from potentials: there are no other force fields, no scripts,
/// no running surfaces, no motors and no servos.
fn is_passive(configuration: &Configuration, state: &State) -> bool {
    configuration.forces.iter().all(|force| force.gives_potential_only())
        && configuration.bodies.iter().all(|b| b.kind != BodyKind::Scripted && b.surface_velocity == Twist::ZERO)
        && joint_rows(configuration, state)
            .iter()
            .all(|row| row.target == 0.0 && !matches!(row.softness, Softness::Fixed { .. } if row.softness.is_soft()))
}

/// Energy stored in the springs of joints (J).
fn stored_in_joints(configuration: &Configuration, state: &State) -> Real {
    let stored = |row: &ConstraintRow| match row.softness {
        Softness::Spring { stiffness, .. } => 0.5 * stiffness * row.error * row.error,
        Softness::Fixed { .. } => 0.0,
    };
    joint_rows(configuration, state).iter().map(stored).sum()
}

fn joint_rows(configuration: &Configuration, state: &State) -> Vec<ConstraintRow> {
    let mut rows = Vec::new();
    for (k, joint) in configuration.joints.iter().enumerate() {
        let [a, b] = joint.bodies.map(|b| state.body_frame(b));
        joint.source.rows([&a, &b], state.joint_memory.of(k), &mut rows);
    }
    rows
}

/// The body with the most kinetic energy.
fn fastest(configuration: &Configuration, state: &State) -> Option<BodyIndex> {
    let dynamic = configuration.bodies.iter().enumerate().filter(|(_, b)| b.is_dynamic());
    let energies = dynamic.map(|(i, body)| (i, kinetic_energy(body, state, i)));
    energies.max_by(|x, y| x.1.total_cmp(&y.1)).map(|(i, _)| BodyIndex::new(i))
}

/// The module that changed velocities last.
fn at_work(engine: &Engine, calls: &TimeReport) -> Module {
    if calls.resolve.impacts > 0 {
        Module::CollisionSolver
    } else if calls.contacts > 0 || !engine.data().configuration.joints.is_empty() {
        Module::ConstraintSolver
    } else {
        Module::MotionSolver
    }
}
