//! Velocities of freely flying bodies: within a step they are half a step older than poses, between frames they belong to the same instant.

use super::data::WorldData;
use super::derived::Derived;
use super::linking_forces::LinkingForces;
use super::output::Output;
use super::solver_motion::SolverMotion;
use super::task::Operation;
use drystone_core::{BodyIndex, Configuration, ConstraintRow, Edge, Flight, Joint, State, TOUCHING, make_room, marked};
use drystone_math::{Pose, Real, Twist, Vec3};

/// Impulses below this fraction of the momenta that they change are rounding.
const ROUNDING: Real = 1e-9;

/// Kind of support of a body, as far as contacts and joints tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum Hold {
    /// It is not held, as far as they tell.
    #[default]
    None,
    /// It is leaving a surface that it bounced off.
    Leaving,
    /// It is held by a contact, a joint, or a solver that moves it itself.
    Held,
}

/// By body, how far the velocity of a freely flying body is behind its pose at an instant (s); empty if nothing is known.
pub(crate) type FlightMark = Vec<Option<Real>>;

/// Bookkeeping of free flight.
#[derive(Default)]
pub(crate) struct FreeFlight {
    /// The bodies that are followed in this frame, ascending: those that are awake.
    followed: Vec<BodyIndex>,
    /// Number of lists of awake bodies made by then.
    lists: u64,
    /// The lag of bodies that solvers do not move (s).
    half: Real,
    /// The bodies that have an entry below that is not that of a body which nothing has touched.
    touched: Vec<BodyIndex>,
    /// By body: whether it is among these.
    is_touched: Vec<bool>,
    /// By body: what has held it in the solves of the present step.
    holds: Vec<Hold>,
    /// By body: the impulse that constraints gave it in these solves (N s).
    impulse: Vec<Vec3>,
    /// By body: its displacement in these solves that is not explained by its velocity and the forces on it, times its mass, over the step (N s).
    moved: Vec<Vec3>,
    /// By body: how far its velocity is behind its pose while it flies freely (s), in the present step.
    lags: Vec<Real>,
    /// By body: how far its velocity is behind its pose at present (s), if it flies freely; includes the last solve once that is [settled](Self::settle).
    behind: FlightMark,
    /// True if a solve has begun that has not been settled.
    pending: bool,
    /// True if a solve of this frame moves bodies itself.
    solver_moves: bool,
    /// By body: whether it was considered free at the start of this frame.
    staggered: Vec<bool>,
    /// By body: whether it is only linked to other bodies, at the end of this frame.
    hanging: Vec<bool>,
    /// By body: the part of `impulse` that came from surfaces that it is leaving (N s).
    bounce: Vec<Vec3>,
    /// True if the steps of this frame have velocities between their instants.
    is_staggered: bool,
    /// Scratch rows of a joint.
    rows: Vec<ConstraintRow>,
}

impl FreeFlight {
    /// To be called when a step begins: nothing holds anything yet.
    ///
    /// # Cost
    /// Linear in the bodies that were touched in the step before, unless the number of bodies has changed.
    pub(super) fn begin_step(&mut self, bodies: usize) {
        if self.is_touched.len() == bodies {
            for i in self.touched.drain(..).map(BodyIndex::at) {
                (self.is_touched[i], self.holds[i]) = (false, Hold::None);
                (self.impulse[i], self.bounce[i], self.moved[i]) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
            }
            return;
        }
        make_room(&mut self.touched, bodies);
        self.is_touched.clear();
        self.is_touched.resize(bodies, false);
        self.holds.clear();
        self.holds.resize(bodies, Hold::None);
        for column in [&mut self.impulse, &mut self.bounce, &mut self.moved] {
            column.clear();
            column.resize(bodies, Vec3::ZERO);
        }
    }

    /// Notes that a body gets an entry.
    fn touch(&mut self, body: BodyIndex) {
        if !core::mem::replace(&mut self.is_touched[body.at()], true) {
            self.touched.push(body);
        }
    }

    /// To be called when a solve over `h` seconds begins: nothing holds anything yet. If solvers move their groups themselves, a freely
    /// flying body that has entered or left a group, or bounced, gets the velocity at the instant at which this solve expects it.
    pub(super) fn begin_solve(&mut self, (data, derived): (&mut WorldData, &Derived), h: Real, moves: SolverMotion) {
        self.solver_moves |= moves.moves();
        if self.is_staggered {
            self.follow_woken(derived);
        }
        if self.is_staggered && self.solver_moves && h > 0.0 {
            self.settle(data);
            self.note_lags(data, h, moves);
            for &body in &self.followed {
                let lag = self.lags[body.at()];
                if let Some(behind) = self.behind[body.at()].filter(|behind| *behind != lag) {
                    let by = fall(data, body) * (behind - lag);
                    data.state.linear_velocity[body.at()] += by;
                }
            }
        }
        self.begin_step(data.state.len());
        self.pending = true;
    }

    /// To be called before groups are formed anew: settles the last solve, if its result will be needed.
    pub(super) fn end_solve(&mut self, data: &WorldData) {
        if self.is_staggered && self.solver_moves {
            self.settle(data);
        }
    }

    /// Notes how far the velocities of flying bodies are behind their poses after the last solve.
    fn settle(&mut self, data: &WorldData) {
        if !core::mem::take(&mut self.pending) {
            return;
        }
        self.balance(data);
        for i in self.followed.iter().map(|b| b.at()) {
            let owed = if self.hanging[i] { self.staggered[i] } else { self.flies(data, i) };
            self.behind[i] = owed.then(|| self.lag(i));
        }
    }

    /// Saves the state at an instant.
    pub(super) fn save(&mut self, data: &WorldData, mark: &mut FlightMark) {
        mark.clear();
        if self.is_staggered {
            self.settle(data);
            mark.extend_from_slice(&self.behind);
        }
    }

    /// Restores the state of some bodies at an instant.
    pub(super) fn restore(&mut self, data: &WorldData, mark: &FlightMark, bodies: &[BodyIndex]) {
        if self.is_staggered && mark.len() == self.behind.len() {
            self.settle(data);
            for i in bodies.iter().map(|b| b.at()) {
                self.behind[i] = mark[i];
            }
        }
    }

    /// Notes how far velocities are behind poses in a step of `h` seconds that begins: half the step, half of one part if the solver moves bodies in parts, and
    /// nothing in groups with joints if the solver moves those from instant to instant.
    fn note_lags(&mut self, data: &WorldData, h: Real, moves: SolverMotion) {
        self.half = 0.5 * h;
        for body in &self.followed {
            self.lags[body.at()] = self.half;
        }
        let groups = &data.graph.groups;
        if moves.parts > 1 {
            for body in marked(&groups.awake).flat_map(|g| groups.group_bodies(g)) {
                self.lags[body.at()] = 0.5 * h / Real::from(moves.parts);
            }
        }
        if moves.joints_at_instants {
            for g in marked(&groups.awake).filter(|g| !groups.group_joints(*g).is_empty()) {
                for body in groups.group_bodies(g) {
                    self.lags[body.at()] = 0.0;
                }
            }
        }
    }

    /// Returns true if nothing held a body in the last step, or it is leaving what it bounced off.
    fn flies(&self, data: &WorldData, i: usize) -> bool {
        let still = data.graph.groups.is_fixated(BodyIndex::new(i)) || data.state.sleeping[i];
        let held = self.impulse[i] != Vec3::ZERO || self.moved[i] != Vec3::ZERO;
        !still && (self.holds[i] == Hold::Leaving || !held)
    }

    /// Time by which the velocity of a flying body is behind its pose after a step (s): zero if a solver that moves it
    /// let it bounce, since that comes last.
    fn lag(&self, i: usize) -> Real {
        if self.moved[i] == Vec3::ZERO { self.lags[i] } else { 0.0 }
    }

    /// Notes the impulses that a solve gave some bodies beyond their velocity changes by forces; `before` and `change` are in column order.
    pub(super) fn note_impulses(&mut self, data: &WorldData, bodies: &[BodyIndex], before: &[Twist], change: &[Twist]) {
        if !self.is_staggered || self.impulse.len() != data.state.len() {
            return;
        }
        for &body in bodies {
            let i = body.at();
            let (before, by) = (before[i].linear, change[i].linear);
            let given = data.state.linear_velocity[i] - before - by;
            if given.length() > ROUNDING * (before.length() + by.length()) {
                self.touch(body);
                self.impulse[i] += given * data.configuration.bodies[i].mass;
            }
        }
    }

    /// Notes what held bodies in a solve whose results are in the state.
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
                // a held body cannot be held any more by another point; with joints, what each point gave counts
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
                        for body in pair {
                            self.touch(body);
                        }
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
                    self.touch(BodyIndex(body));
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
            self.touch(body);
            let known = &mut self.holds[body.at()];
            *known = (*known).max(hold);
        }
    }

    /// Subtracts half a step of gravity from bodies in free flight (less in groups that the solver moves itself): from bodies that
    /// were free at the end of the frame before, and from those of which nothing is known yet that neither touch anything nor are linked to anything that holds
    /// them.
    pub(super) fn stagger(
        &mut self,
        (data, derived): (&mut WorldData, &Derived),
        linking: LinkingForces,
        h: Real,
        moves: SolverMotion,
    ) {
        self.is_staggered = has_no_fields(&data.configuration, linking);
        if !self.is_staggered {
            return;
        }
        self.solver_moves = moves.moves();
        self.pending = false;
        let is_unknown = derived.awake.iter().any(|b| data.state.flight[b.at()] == Flight::Unknown);
        self.follow(data.state.len(), derived);
        self.note_lags(data, h, moves);
        if is_unknown || self.holds.len() != data.state.len() {
            self.begin_step(data.state.len());
            self.look_for_holds(data);
        }
        for i in self.followed.iter().map(|b| b.at()) {
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

    /// Follows the bodies of this many that are awake: nothing is known of them yet, nor of those that were followed before.
    fn follow(&mut self, count: usize, derived: &Derived) {
        self.lags.resize(count, 0.0);
        self.behind.resize(count, None);
        self.staggered.resize(count, false);
        self.hanging.resize(count, false);
        for i in self.followed.iter().map(|b| b.at()).filter(|i| *i < count) {
            (self.behind[i], self.staggered[i], self.hanging[i]) = (None, false, false);
        }
        make_room(&mut self.followed, count);
        self.followed.extend_from_slice(&derived.awake);
        self.lists = derived.lists;
    }

    /// Follows the bodies that have woken since: they were held.
    fn follow_woken(&mut self, derived: &Derived) {
        if core::mem::replace(&mut self.lists, derived.lists) == derived.lists {
            return;
        }
        for body in derived.awake.iter().filter(|b| self.followed.binary_search(b).is_err()) {
            self.lags[body.at()] = self.half;
        }
        self.followed.clear();
        self.followed.extend_from_slice(&derived.awake);
    }

    /// Determines what holds bodies before any solve has told it.
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
                for &body in bodies {
                    self.hold([Some(body), None], Hold::Held);
                }
            }
        }
    }

    /// Gives bodies that flew freely in the last step the velocity at the instant of their pose: bodies to which constraints gave nothing, groups whose bodies got
    /// everything from one another except for a bounce, and bodies that are leaving the surface they bounced off. Sleeping bodies count as held: nothing is solved
    /// for them, and they will need the same support in the step that wakes them.
    ///
    /// Bodies that are only linked to one another get back exactly what was subtracted from them at the start, whatever their solver made of the balance between
    /// them: their momentum is that of their fall.
    pub(super) fn synchronize(&mut self, data: &mut WorldData) {
        if !self.is_staggered {
            return;
        }
        self.settle(data);
        for i in self.followed.iter().map(|b| b.at()) {
            data.state.flight[i] = if self.flies(data, i) { Flight::Free } else { Flight::Held };
            if let Some(behind) = self.behind[i] {
                let by = fall(data, BodyIndex::new(i)) * behind;
                data.state.linear_velocity[i] += by;
            }
        }
    }

    /// Drops what the bodies of a group gave one another: if that is all they got except for a bounce, or if nothing else is there to give them anything.
    fn balance(&mut self, data: &WorldData) {
        for body in &self.followed {
            self.hanging[body.at()] = false;
        }
        for g in marked(&data.graph.groups.awake) {
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
            // the displacement over a step tells when a bounce came, not that it was one
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

    /// To be called when the frame is over: if its steps were not staggered, it is not known which bodies fly freely.
    pub(super) fn end_frame(&mut self, data: &mut WorldData) {
        if !core::mem::take(&mut self.is_staggered) {
            data.state.flight.fill(Flight::Unknown);
        }
    }

    /// To be called when the frame was broken off: it is then not known which bodies fly freely.
    pub(super) fn break_off_frame(&mut self, data: &mut WorldData) {
        self.is_staggered = false;
        self.end_frame(data);
    }
}

/// Returns true if gravity is the only field: the value of another one half a step later is not known.
fn has_no_fields(configuration: &Configuration, linking: LinkingForces) -> bool {
    configuration.forces.iter().all(|f| linking == LinkingForces::ByRows && f.linked_bodies().is_some())
}

/// The acceleration of a body by gravity (m/s^2): zero if it sleeps, cannot be moved, or is damped.
fn fall(data: &WorldData, body: BodyIndex) -> Vec3 {
    let properties = data.configuration.body(body);
    if data.state.sleeping[body.at()] || properties.inverse_mass == 0.0 || properties.damping[0] > 0.0 {
        return Vec3::ZERO;
    }
    data.configuration.gravity * properties.gravity_scale
}

/// Returns true if bodies keep their relative motion as they fall.
fn falls_together(data: &WorldData, bodies: &[BodyIndex]) -> bool {
    bodies.windows(2).all(|pair| fall(data, pair[0]) == fall(data, pair[1]))
}

/// Returns true if a group touches nothing, and has links that all act between dynamic bodies; `rows` is scratch.
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

/// Returns true if a joint's forces act only between its two bodies, so that it holds neither; `rows` is scratch.
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

/// The speed at which the surfaces at a contact point separate (m/s).
fn parting(data: &WorldData, frames: &[Pose], edge: &Edge, point: usize) -> Real {
    let point = &edge.manifold.points[point];
    let (a, b) = (edge.pair.a, edge.pair.b);
    let at = frames[a.at()].point(point.anchor_a);
    let velocity = |body: BodyIndex| data.state.velocity(body).at(at - data.state.position[body.at()]);
    (velocity(b) - velocity(a)).dot(frames[a.at()].direction(point.normal[0]))
}
