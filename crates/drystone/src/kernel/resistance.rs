//! Forces that depend on velocity, over steps in which they would turn round.
//!
//! A resistance that is taken at the start of a step is stable as long as the step does not take the body past the velocity at which it ends. The other forces lead
//! to a velocity `w`. Where the resistance of `w` would turn round after all of its own change `d`, it is taken at the end of the step instead: by the part `s` of
//! this change for which `s d . d = h F(w + s d) . d / m`. What only resists has exactly one such part, between 0 and 1, at any step.

use super::data::WorldData;
use super::linking_forces::LinkingForces;
use drystone_core::{BodyIndex, Configuration, ForceField, State};
use drystone_math::{Real, Twist, Vec3, Wrench};

/// Most iterations for the part of a resistance, by regula falsi with the Illinois rule; each evaluates the forces once.
const ITERATIONS: usize = 40;

/// The part at which iteration ends is known to this.
const ACCURACY: Real = 1e-9;

/// The working memory.
#[derive(Default)]
pub(super) struct Resistance {
    /// The wrenches of forces that depend on velocity, among all that were gathered.
    pub(super) gathered: Vec<Wrench>,
    state: State,
    /// The same at the velocities that the other forces lead to, and at those being tried.
    first: Vec<Wrench>,
    now: Vec<Wrench>,
    /// By body, of its velocity and its spin: the change that the resistance would make, and the search for the part of it.
    searches: Vec<[Option<Search>; 2]>,
}

/// A search for the part of a change, between bounds with their residuals.
#[derive(Debug, Clone, Copy)]
struct Search {
    change: Vec3,
    low: [Real; 2],
    high: [Real; 2],
    part: Real,
}

impl Search {
    /// Begins with the whole change that a force makes, if the force after it points the other way.
    fn begin(first: Vec3, after: Vec3, change: Vec3) -> Option<Self> {
        let turned = after.dot(first) / first.length_squared();
        (turned < 0.0).then_some(Self { change, low: [0.0, -1.0], high: [1.0, 1.0 - turned], part: 0.0 })
    }

    /// The next part to be tried.
    fn propose(&mut self) {
        let [[a, ra], [b, rb]] = [self.low, self.high];
        self.part = if rb > ra { a - ra * (b - a) / (rb - ra) } else { 0.5 * (a + b) };
    }

    /// Takes the force there.
    fn take(&mut self, first: Vec3, now: Vec3) {
        let residual = self.part - now.dot(first) / first.length_squared();
        if residual < 0.0 {
            self.low = [self.part, residual];
            self.high[1] *= 0.5;
        } else {
            self.high = [self.part, residual];
            self.low[1] *= 0.5;
        }
    }

    fn is_done(&self) -> bool {
        self.high[0] - self.low[0] < ACCURACY
    }
}

/// The forces that act by wrenches and depend on velocity.
fn acting(configuration: &Configuration, linking: LinkingForces) -> impl Iterator<Item = &dyn ForceField> {
    let by_wrenches = linking == LinkingForces::ByWrenches;
    let own = configuration.forces.iter().filter(move |f| by_wrenches || f.linked_bodies().is_none());
    own.filter(|f| f.depends_on_velocity()).map(AsRef::as_ref)
}

fn sum(configuration: &Configuration, linking: LinkingForces, state: &State, into: &mut Vec<Wrench>) {
    into.clear();
    into.resize(configuration.bodies.len(), Wrench::ZERO);
    for force in acting(configuration, linking) {
        force.accumulate(configuration, state, into);
    }
}

impl Resistance {
    /// Notes the wrenches in a state, as part of those that were gathered.
    pub(super) fn gather(&mut self, configuration: &Configuration, linking: LinkingForces, state: &State) {
        self.gathered.clear();
        if acting(configuration, linking).next().is_some() {
            sum(configuration, linking, state, &mut self.gathered);
        }
    }

    /// Changes the velocity changes over a step of `h` seconds of those bodies whose resistance would turn round in it.
    pub(super) fn bound(
        &mut self,
        data: &WorldData,
        linking: LinkingForces,
        bodies: &[BodyIndex],
        h: Real,
        change: &mut [Twist],
    ) {
        let WorldData { configuration, state, .. } = data;
        if self.gathered.is_empty() {
            return;
        }
        let Self { gathered, state: tried, first, now, searches } = self;
        let response = |body: BodyIndex, wrench: &Wrench| {
            let (own, q) = (configuration.body(body), state.orientation[body.at()]);
            Twist::new(wrench.force * own.inverse_mass, own.inverse_inertia.rotated(q).mul_vec(wrench.torque)) * h
        };
        tried.clone_from(state);
        for &body in bodies {
            let others = change[body.at()] - response(body, &gathered[body.at()]);
            tried.set_velocity(body, state.velocity(body) + others);
        }
        sum(configuration, linking, tried, first);
        for &body in bodies {
            tried.set_velocity(body, tried.velocity(body) + response(body, &first[body.at()]));
        }
        sum(configuration, linking, tried, now);
        searches.clear();
        searches.extend(bodies.iter().map(|&body| {
            let (first, now) = (&first[body.at()], &now[body.at()]);
            let whole = response(body, first);
            let linear = Search::begin(first.force, now.force, whole.linear);
            [linear, Search::begin(first.torque, now.torque, whole.angular)]
        }));
        if searches.iter().flatten().all(Option::is_none) {
            return;
        }
        for b in bodies {
            change[b.at()] = change[b.at()] - response(*b, &gathered[b.at()]);
        }
        for _ in 0..ITERATIONS {
            for (&body, search) in bodies.iter().zip(searches.iter_mut()) {
                search.iter_mut().flatten().filter(|s| !s.is_done()).for_each(Search::propose);
                tried.set_velocity(body, state.velocity(body) + change[body.at()] + taken(search));
            }
            sum(configuration, linking, tried, now);
            for (&body, [linear, angular]) in bodies.iter().zip(searches.iter_mut()) {
                let (first, now) = (&first[body.at()], &now[body.at()]);
                linear.iter_mut().filter(|s| !s.is_done()).for_each(|s| s.take(first.force, now.force));
                angular.iter_mut().filter(|s| !s.is_done()).for_each(|s| s.take(first.torque, now.torque));
            }
            if searches.iter().flatten().flatten().all(Search::is_done) {
                break;
            }
        }
        for (&body, search) in bodies.iter().zip(&*searches) {
            let known = response(body, &gathered[body.at()]);
            let [linear, angular] = search.map(|s| s.map(|s| s.change * s.part));
            let own = Twist::new(linear.unwrap_or(known.linear), angular.unwrap_or(known.angular));
            change[body.at()] += own;
        }
    }
}

/// The parts of the changes that are being tried.
fn taken(search: &[Option<Search>; 2]) -> Twist {
    let [linear, angular] = search.map(|s| s.map_or(Vec3::ZERO, |s| s.change * s.part));
    Twist::new(linear, angular)
}
