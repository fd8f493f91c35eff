//! Velocities of what flies freely: in a step half a step older than poses, between frames of the same instant.

use super::data::WorldData;
use super::forces::LinkingForces;
use super::output::Output;
use super::task::Operation;
use drystone_core::{BodyIndex, Configuration, ConstraintRow, Edge, Flight, Joint, State, TOUCHING};
use drystone_math::{Pose, Real, Twist, Vec3};

/// Impulses below this fraction of the momenta that they change are rounding.
const ROUNDING: Real = 1e-9;

/// How a body is held, as far as contacts and joints say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum Hold {
    /// In no way that they tell.
    #[default]
    None,
    /// It leaves a surface that it bounced off.
    Leaving,
    /// By a contact, a joint, or a solver that moves it itself.
    Held,
}

/// How far velocities of what flies freely are behind poses at an instant (s), by body; empty where nothing is known.
pub(crate) type FlightMark = Vec<Option<Real>>;

/// What keeps track of free flight.
#[derive(Default)]
pub(crate) struct FreeFlight {
    /// By body: what held it in the solves of the present step.
    holds: Vec<Hold>,
    /// By body: what constraints gave it in them (N s).
    impulse: Vec<Vec3>,
    /// By body: what it was moved by in them beyond what its velocity and the forces on it explain, times its mass, over the step (N s).
    moved: Vec<Vec3>,
    /// By body: how far its velocity is behind its pose while it flies freely (s), as the present step has it.
    lags: Vec<Real>,
    /// By body: how far its velocity is behind its pose at present (s), where it flies freely; of the last solve once that is [settled](Self::settle).
    behind: FlightMark,
    /// Whether a solve has been begun that is not settled.
    pending: bool,
    /// Whether a solve of this frame moves bodies itself.
    solver_moves: bool,
    /// By body: whether it was taken for free at the start of this frame.
    staggered: Vec<bool>,
    /// By body: whether it is linked to others and no more, at the end of this frame.
    hanging: Vec<bool>,
    /// By body: what of that came from surfaces that it leaves (N s).
    bounce: Vec<Vec3>,
    /// Whether the steps of this frame have velocities between their instants.
    is_staggered: bool,
    /// Scratch rows of a joint.
    rows: Vec<ConstraintRow>,
}

impl FreeFlight {
    /// A step begins: nothing holds anything yet.
    pub(super) fn begin_step(&mut self, bodies: usize) {
        self.holds.clear();
        self.holds.resize(bodies, Hold::None);
        self.impulse.clear();
        self.impulse.resize(bodies, Vec3::ZERO);
        self.bounce.clear();
        self.bounce.resize(bodies, Vec3::ZERO);
        self.moved.clear();
        self.moved.resize(bodies, Vec3::ZERO);
    }

    /// A solve over `h` seconds begins, and nothing holds anything yet. Where solvers move their groups themselves, in `parts` equal parts, what flies freely gets the velocity of the
    /// instant at which this solve has it: it came into a group, or out of it, or bounced.
    pub(super) fn begin_solve(&mut self, data: &mut WorldData, h: Real, parts: u32) {
        self.solver_moves |= parts > 1;
        if self.is_staggered && self.solver_moves && h > 0.0 {
            self.settle(data);
            self.note_lags(data, h, parts);
            for (i, behind) in self.behind.iter().enumerate() {
                if let Some(behind) = behind.filter(|behind| *behind != self.lags[i]) {
                    let by = fall(data, BodyIndex::new(i)) * (behind - self.lags[i]);
                    data.state.linear_velocity[i] += by;
                }
            }
        }
        self.begin_step(data.state.len());
        self.pending = true;
    }

    /// Before groups are formed anew: what the last solve left in flight, where that will be asked.
    pub(super) fn end_solve(&mut self, data: &WorldData) {
        if self.is_staggered && self.solver_moves {
            self.settle(data);
        }
    }

    /// Notes how far the last solve left the velocities of what flies behind the poses.
    fn settle(&mut self, data: &WorldData) {
        if !core::mem::take(&mut self.pending) {
            return;
        }
        self.balance(data);
        for i in 0..data.state.len() {
            let owed = if self.hanging[i] { self.staggered[i] } else { self.flies(data, i) };
            self.behind[i] = owed.then(|| self.lag(i));
        }
    }

    /// Notes an instant.
    pub(super) fn save(&mut self, data: &WorldData, mark: &mut FlightMark) {
        mark.clear();
        if self.is_staggered {
            self.settle(data);
            mark.extend_from_slice(&self.behind);
        }
    }

    /// Some bodies are brought back to an instant.
    pub(super) fn restore(&mut self, data: &WorldData, mark: &FlightMark, bodies: &[BodyIndex]) {
        if self.is_staggered && mark.len() == self.behind.len() {
            self.settle(data);
            for i in bodies.iter().map(|b| b.at()) {
                self.behind[i] = mark[i];
            }
        }
    }

    /// How far velocities are behind poses in a step of `h` seconds that begins: half of it, or of a part of it where the solver moves bodies on in parts.
    fn note_lags(&mut self, data: &WorldData, h: Real, parts: u32) {
        self.lags.clear();
        self.lags.resize(data.state.len(), 0.5 * h);
        if parts > 1 {
            for body in &data.graph.groups.bodies {
                self.lags[body.at()] = 0.5 * h / Real::from(parts);
            }
        }
    }

    /// Whether nothing held a body in the last step, or it left what it bounced off.
    fn flies(&self, data: &WorldData, i: usize) -> bool {
        let still = data.graph.groups.is_fixated(BodyIndex::new(i)) || data.state.sleeping[i];
        let held = self.impulse[i] != Vec3::ZERO || self.moved[i] != Vec3::ZERO;
        !still && (self.holds[i] == Hold::Leaving || !held)
    }

    /// How far the velocity of a body that flies is behind its pose after a step (s): not at all where a solver that moves it let it bounce, for that comes last.
    fn lag(&self, i: usize) -> Real {
        if self.moved[i] == Vec3::ZERO { self.lags[i] } else { 0.0 }
    }

    /// Notes what a solve gave some bodies beyond their velocity changes by forces; `before` and `change` are in column order.
    pub(super) fn note_impulses(&mut self, data: &WorldData, bodies: &[BodyIndex], before: &[Twist], change: &[Twist]) {
        if !self.is_staggered || self.impulse.len() != data.state.len() {
            return;
        }
        for i in bodies.iter().map(|b| b.at()) {
            let (before, by) = (before[i].linear, change[i].linear);
            let given = data.state.linear_velocity[i] - before - by;
            if given.length() > ROUNDING * (before.length() + by.length()) {
                self.impulse[i] += given * data.configuration.bodies[i].mass;
            }
        }
    }

    /// Notes what held bodies in a solve, its results being in the state.
    pub(super) fn note_holds<'a>(
        &mut self,
        outputs: impl Iterator<Item = &'a Output>,
        data: &WorldData,
        frames: &[Pose],
        operation: Operation,
        change: &[Twist],
    ) {
        if !self.follows(data, operation) {
            return;
        }
        let alone = data.configuration.joints.is_empty();
        for output in outputs {
            let Output { joints, displacements, .. } = output;
            for (solved, impulses) in output.by_edge() {
                let pair = [solved.pair.a, solved.pair.b];
                // what is held is held no more by another point; in joints it counts what each point gave
                let held = |flight: &Self| alone && pair.iter().all(|body| flight.holds[body.at()] == Hold::Held);
                if held(self) {
                    continue;
                }
                for (point, impulse) in impulses.iter().enumerate().filter(|(_, impulse)| impulse.normal != 0.0) {
                    if held(self) {
                        break;
                    }
                    let edge = || &data.graph.edges[solved.slot as usize];
                    let leaves = solved.bounces && {
                        let [a, b] = pair.map(|body| fall(data, body).length());
                        parting(data, frames, edge(), point) > operation.h() * a.max(b)
                    };
                    if leaves {
                        let normal = frames[pair[0].at()].direction(edge().manifold.points[point].normal[0]);
                        let given = normal * impulse.normal + impulse.friction;
                        self.bounce[pair[0].at()] -= given;
                        self.bounce[pair[1].at()] += given;
                    }
                    self.hold(pair.map(Some), if leaves { Hold::Leaving } else { Hold::Held });
                }
            }
            for &(link, ..) in joints.iter().filter(|(_, _, impulse)| *impulse != 0.0) {
                self.hold(data.configuration.link_bodies(link as usize).unwrap_or_default(), Hold::Held);
            }
            let h = operation.h();
            self.solver_moves |= !displacements.is_empty();
            for &(body, way) in displacements {
                let i = body as usize;
                let by = change[i].linear;
                // in equal parts, each at the velocity after its share of the forces
                let free = (data.state.linear_velocity[i] - by * (0.5 - self.lags[i] / h)) * h;
                let off = way.linear - free;
                if off.length() > ROUNDING * (way.linear.length() + by.length() * h) {
                    self.moved[i] += off * (data.configuration.bodies[i].mass / h);
                }
            }
        }
    }

    fn follows(&self, data: &WorldData, operation: Operation) -> bool {
        self.is_staggered
            && matches!(operation, Operation::Solve { h, .. } if h > 0.0)
            && self.holds.len() == data.state.len()
    }

    fn hold(&mut self, bodies: [Option<BodyIndex>; 2], hold: Hold) {
        for body in bodies.into_iter().flatten() {
            let known = &mut self.holds[body.at()];
            *known = (*known).max(hold);
        }
    }

    /// Takes half a step of gravity from what is in free flight, half of a part of the step in groups that the solver moves on in `parts` parts: from bodies that were so at the end
    /// of the frame before, and those of which nothing is known yet that neither touch anything nor hang on something.
    pub(super) fn stagger(&mut self, data: &mut WorldData, linking: LinkingForces, h: Real, parts: u32) {
        self.is_staggered = has_no_fields(&data.configuration, linking);
        if !self.is_staggered {
            return;
        }
        self.solver_moves = parts > 1;
        self.pending = false;
        self.note_lags(data, h, parts);
        self.behind.clear();
        self.behind.resize(data.state.len(), None);
        self.staggered.clear();
        self.staggered.resize(data.state.len(), false);
        if self.holds.len() != data.state.len() || data.state.flight.contains(&Flight::Unknown) {
            self.begin_step(data.state.len());
            self.look_for_holds(data);
        }
        for i in 0..data.state.len() {
            let free = match data.state.flight[i] {
                Flight::Free => true,
                Flight::Unknown => self.holds[i] != Hold::Held,
                Flight::Held => false,
            };
            if free {
                self.staggered[i] = true;
                self.behind[i] = Some(self.lags[i]);
                let by = fall(data, BodyIndex::new(i)) * self.lags[i];
                data.state.linear_velocity[i] -= by;
            }
        }
    }

    /// What holds bodies before any solve has said so.
    fn look_for_holds(&mut self, data: &WorldData) {
        for edge in data.graph.iter() {
            if edge.manifold.points.iter().any(|p| p.separation <= TOUCHING) {
                self.hold([Some(edge.pair.a), Some(edge.pair.b)], Hold::Held);
            }
        }
        for (k, joint) in data.configuration.joints.iter().enumerate().filter(|(k, _)| !data.state.is_broken(*k)) {
            if !is_internal(joint, k, &data.state, &mut self.rows) {
                self.hold(joint.bodies, Hold::Held);
            }
        }
        let groups = &data.graph.groups;
        for g in (0..groups.len()).filter(|g| !groups.group_joints(*g).is_empty()) {
            let bodies = groups.group_bodies(g);
            if bodies.iter().any(|b| self.holds[b.at()] == Hold::Held) || !falls_together(data, bodies) {
                for body in bodies {
                    self.holds[body.at()] = Hold::Held;
                }
            }
        }
    }

    /// Gives what flew freely in the last step the velocity of its pose's instant: bodies to which constraints gave nothing, groups whose bodies gave
    /// one another all that they got but for a bounce, and what leaves the surface that it bounced off. What sleeps is held: nothing is solved for it, and it will need no less
    /// support in the step that wakes it.
    ///
    /// Bodies that are linked to one another alone get back what was taken from them at the start, neither more nor less, whatever their solver made of the balance
    /// between them: their momentum is that of their fall.
    pub(super) fn synchronize(&mut self, data: &mut WorldData) {
        if !self.is_staggered {
            return;
        }
        self.settle(data);
        for i in 0..data.state.len() {
            data.state.flight[i] = if self.flies(data, i) { Flight::Free } else { Flight::Held };
            if let Some(behind) = self.behind[i] {
                let by = fall(data, BodyIndex::new(i)) * behind;
                data.state.linear_velocity[i] += by;
            }
        }
    }

    /// Drops what the bodies of a group gave one another: where that is all that they got but for a bounce, and where nothing else is there to give them any.
    fn balance(&mut self, data: &WorldData) {
        self.hanging.clear();
        self.hanging.resize(data.state.len(), false);
        for g in 0..data.graph.groups.len() {
            let bodies = data.graph.groups.group_bodies(g);
            let hangs = hangs_on_nothing(data, g, &mut self.rows);
            if hangs {
                for body in bodies {
                    self.hanging[body.at()] = true;
                }
            }
            if !falls_together(data, bodies) {
                continue;
            }
            let [impulse, bounce, moved] = [&self.impulse, &self.bounce, &self.moved];
            let internal = |given: &dyn Fn(usize) -> Vec3, of: &[Vec3]| {
                let size: Real = bodies.iter().map(|b| of[b.at()].length()).sum();
                let sum: Vec3 = bodies.iter().map(|b| given(b.at())).sum();
                hangs || sum.length() <= ROUNDING * size
            };
            let by_impulses = internal(&|i| impulse[i] - bounce[i], impulse);
            // the way over a step says of a bounce when it came, not that it was one
            let by_ways = by_impulses && internal(&|i| moved[i], moved);
            for i in bodies.iter().map(|b| b.at()) {
                if by_impulses {
                    self.impulse[i] = Vec3::ZERO;
                }
                if by_ways {
                    self.moved[i] = Vec3::ZERO;
                }
            }
        }
    }

    /// The frame is over: where its steps were others, velocities are what they are.
    pub(super) fn end_frame(&mut self, data: &mut WorldData) {
        if !core::mem::take(&mut self.is_staggered) {
            data.state.flight.fill(Flight::Unknown);
        }
    }

    /// The frame did not come to its end: velocities are what they are.
    pub(super) fn break_off_frame(&mut self, data: &mut WorldData) {
        self.is_staggered = false;
        self.end_frame(data);
    }
}

/// Whether gravity is all that acts on bodies from afar: what another field does half a step later is not known.
fn has_no_fields(configuration: &Configuration, linking: LinkingForces) -> bool {
    configuration.forces.iter().all(|f| linking == LinkingForces::ByRows && f.linked_bodies().is_some())
}

/// How gravity accelerates a body (m/s^2): not at all where it sleeps, is held in its place, or is damped.
fn fall(data: &WorldData, body: BodyIndex) -> Vec3 {
    let properties = data.configuration.body(body);
    if data.state.sleeping[body.at()] || properties.inverse_mass == 0.0 || properties.damping[0] > 0.0 {
        return Vec3::ZERO;
    }
    data.configuration.gravity * properties.gravity_scale
}

/// Whether bodies stay as they are to one another as they fall.
fn falls_together(data: &WorldData, bodies: &[BodyIndex]) -> bool {
    bodies.windows(2).all(|pair| fall(data, pair[0]) == fall(data, pair[1]))
}

/// Whether a group has links and touches nothing, and all of its links act between bodies that forces move; `rows` is scratch.
fn hangs_on_nothing(data: &WorldData, group: usize, rows: &mut Vec<ConstraintRow>) -> bool {
    let WorldData { configuration, graph, state, .. } = data;
    let links = graph.groups.group_joints(group);
    let moves = |end: Option<BodyIndex>| end.is_some_and(|b| configuration.body(b).is_dynamic());
    let between_bodies =
        |link: &u32| configuration.link_bodies(*link as usize).is_some_and(|ends| ends.into_iter().all(moves));
    let internal = |link: &u32| {
        let joint = configuration.joints.get(*link as usize);
        joint.is_none_or(|joint| is_internal(joint, *link as usize, state, rows))
    };
    !links.is_empty()
        && graph.groups.group_edges(group).is_empty()
        && links.iter().all(between_bodies)
        && links.iter().all(internal)
}

/// Whether all that a joint does to its bodies they do to each other, so that it holds neither in its place; `rows` is scratch.
fn is_internal(joint: &Joint, number: usize, state: &State, rows: &mut Vec<ConstraintRow>) -> bool {
    if joint.bodies.contains(&None) {
        return false;
    }
    let [a, b] = joint.bodies.map(|b| state.body_frame(b));
    rows.clear();
    joint.source.rows([&a, &b], state.joint_memory.of(number), rows);
    let sum = |row: &ConstraintRow| (row.jacobian[0].linear + row.jacobian[1].linear).length();
    rows.iter().all(|row| sum(row) <= ROUNDING * row.jacobian[0].linear.length())
}

/// How fast the surfaces at a contact point part (m/s).
fn parting(data: &WorldData, frames: &[Pose], edge: &Edge, point: usize) -> Real {
    let point = &edge.manifold.points[point];
    let (a, b) = (edge.pair.a, edge.pair.b);
    let at = frames[a.at()].point(point.anchor_a);
    let velocity = |body: BodyIndex| data.state.velocity(body).at(at - data.state.position[body.at()]);
    (velocity(b) - velocity(a)).dot(frames[a.at()].direction(point.normal[0]))
}
