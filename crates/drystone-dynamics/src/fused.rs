use crate::assemble::{ContactTarget, normal_target};
use crate::contact_rows::{ContactFriction, tangents_along};
use crate::lanes::Lanes;
use crate::rows::{MOST_BODIES, scale_without_gain};
use crate::{FrictionModel, RowParameters};
use drystone_core::{ContactImpulse, GroupAnswer, GroupBody, GroupContact, GroupProblem, SolveReport};
use drystone_lcp::{alternates, minimum_on_disc};
use drystone_math::{Real, Registers, Twist, Vec3, bounded};
use pulp::{Simd, WithSimd};

/// Projected Gauss-Seidel on contacts alone, the three rows of a contact in one go and without forming rows: the tailored path beside the general one.
///
/// The same iterates as [`drystone_lcp::ProjectedGaussSeidel`] on the rows of [`crate::assemble`], up to rounding: the
/// velocity of the contact point is computed once, the effect of one row's change on the next comes from the
/// contact's own 3x3 block, and the bodies are updated once.
///
/// # Cost
/// Some 150 multiplications and 300 bytes per contact and sweep, against 144 and 650 for three rows of the factored
/// operator; what matters is that two of three passes through the bodies' velocities are saved.
///
/// # Source
/// F-22, L-26; thesis Figures 6.9, 6.10, in block form (F-10).
// F-23, F-24
#[derive(Debug, Default)]
pub(crate) struct FusedSweep {
    blocks: Vec<Block>,
    bodies: Vec<Body>,
    /// The set that the tangents' multipliers lie in.
    set: FrictionSet,
    /// The multipliers two sweeps before the last, and one before it.
    before: [Vec<[Real; 3]>; 2],
    arch: Registers,
}

/// The set that the multipliers of a contact's tangents lie in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum FrictionSet {
    #[default]
    Box,
    Disc,
}

/// A set of friction, for loops that are compiled for each.
trait Tangents {
    /// The multipliers of the tangents after an update at a velocity, within a limit.
    fn update(block: &Block, u: Lanes, limit: Real) -> [Real; 2];
}

/// [`FrictionSet::Box`].
struct InBox;

/// [`FrictionSet::Disc`].
struct OnDisc;

impl Tangents for InBox {
    #[inline(always)]
    fn update(block: &Block, u: Lanes, limit: Real) -> [Real; 2] {
        block.in_box(u, limit)
    }
}

impl Tangents for OnDisc {
    #[inline(always)]
    fn update(block: &Block, u: Lanes, limit: Real) -> [Real; 2] {
        block.on_disc(u, limit)
    }
}

/// A block of tangents has no inverse if its determinant is below this fraction of the product of its diagonal.
const SINGULAR: Real = 1e-14;

/// A body's velocity (or displacement) under the current multipliers, and its response to an impulse.
#[derive(Debug, Clone, Copy)]
struct Body {
    linear: Lanes,
    angular: Lanes,
    /// Columns of the inverse inertia, world axes.
    inverse_inertia: [Lanes; 3],
    inverse_mass: Real,
}

/// One contact: geometry, its block of A, and its multipliers.
#[derive(Debug, Clone, Copy)]
struct Block {
    normal: Lanes,
    tangents: [Lanes; 2],
    arms: [Lanes; 2],
    /// Change of the point's relative velocity per unit of the normal and of the first tangent multiplier.
    response: [Lanes; 2],
    /// 1 / A_nn, cfm included.
    inverse_normal: Real,
    /// (1 / A_11, 0, 1 / A_22) of the tangents for a box, the inverse of their block of A for a disc, cfm included; zero if A has none.
    inverse: [Real; 3],
    x: [Real; 3],
    /// Least normal velocity.
    target: Real,
    cfm: Real,
    /// Coulomb coefficient; zero leaves the tangents out.
    friction: Real,
    bodies: [u32; 2],
}

impl Body {
    fn of(body: &GroupBody, motion: Twist) -> Self {
        let columns = body.inverse_inertia.to_mat3();
        Self {
            linear: motion.linear.into(),
            angular: motion.angular.into(),
            inverse_inertia: [columns.x_axis, columns.y_axis, columns.z_axis].map(Lanes::from),
            inverse_mass: body.inverse_mass,
        }
    }

    #[inline(always)]
    fn point(&self, arm: Lanes) -> Lanes {
        self.linear + self.angular.cross(arm)
    }

    #[inline(always)]
    fn strike(&mut self, arm: Lanes, impulse: Lanes) {
        self.linear += impulse.scaled(self.inverse_mass);
        self.angular += arm.cross(impulse).through(&self.inverse_inertia);
    }

    /// Velocity change of the body's point at `arm` by a unit impulse applied there along `direction`.
    #[inline(always)]
    fn response(&self, arm: Lanes, direction: Lanes) -> Lanes {
        direction.scaled(self.inverse_mass) + arm.cross(direction).through(&self.inverse_inertia).cross(arm)
    }

    fn motion(&self) -> Twist {
        Twist::new(self.linear.to_vec3(), self.angular.to_vec3())
    }
}

impl Block {
    #[inline(always)]
    fn new(c: &GroupContact, arms: [Lanes; 2], bodies: &[Body], model: FrictionModel, cfm: Real) -> Self {
        let friction = if model == FrictionModel::None { 0.0 } else { c.friction };
        let (a, b) = (&bodies[c.bodies[0] as usize], &bodies[c.bodies[1] as usize]);
        // a row that nothing can move is left where it is
        let inverse = |a: Real| if a > 0.0 { 1.0 / a } else { 0.0 };
        let normal = Lanes::from(c.normal);
        let along_normal = a.response(arms[0], normal) + b.response(arms[1], normal);
        let mut block = Self {
            normal,
            tangents: [Lanes::ZERO; 2],
            arms,
            response: [along_normal, Lanes::ZERO],
            inverse_normal: inverse(normal.dot(along_normal) + cfm),
            inverse: [0.0; 3],
            x: [0.0; 3],
            target: 0.0,
            cfm,
            friction,
            bodies: c.bodies,
        };
        if friction > 0.0 {
            let slip = if model.follows_slip() { block.relative(bodies).to_vec3() } else { Vec3::ZERO };
            let [t1, t2] = tangents_along(slip, c.normal).map(Lanes::from);
            let along_first = a.response(arms[0], t1) + b.response(arms[1], t1);
            let along_second = a.response(arms[0], t2) + b.response(arms[1], t2);
            block.tangents = [t1, t2];
            block.response[1] = along_first;
            let (first, cross, second) = (t1.dot(along_first) + cfm, t1.dot(along_second), t2.dot(along_second) + cfm);
            let determinant = first * second - cross * cross;
            block.inverse = if !model.shares_discs() {
                [inverse(first), 0.0, inverse(second)]
            } else if determinant > SINGULAR * first * second {
                [second / determinant, -cross / determinant, first / determinant]
            } else {
                [0.0; 3]
            };
        }
        block
    }

    /// Its impulse on B.
    #[inline(always)]
    fn impulse(&self) -> Lanes {
        let [n, first, second] = self.x;
        self.normal.scaled(n) + self.tangents[0].scaled(first) + self.tangents[1].scaled(second)
    }

    /// Velocity of B's point against A's.
    #[inline(always)]
    fn relative(&self, bodies: &[Body]) -> Lanes {
        bodies[self.bodies[1] as usize].point(self.arms[1]) - bodies[self.bodies[0] as usize].point(self.arms[0])
    }

    #[inline(always)]
    fn strike(&self, bodies: &mut [Body], impulse: Lanes) {
        bodies[self.bodies[0] as usize].strike(self.arms[0], -impulse);
        bodies[self.bodies[1] as usize].strike(self.arms[1], impulse);
    }

    /// One Gauss-Seidel update of the rows in their order; the tangents are updated one by one in a box, or as a pair on a disc.
    #[inline(always)]
    fn relax<T: Tangents>(&mut self, bodies: &mut [Body]) {
        let mut u = self.relative(bodies);
        // normal: x >= 0
        let w = self.normal.dot(u) - self.target + self.cfm * self.x[0];
        let normal = (self.x[0] - w * self.inverse_normal).max(0.0);
        let change = normal - self.x[0];
        if normal == 0.0 && change == 0.0 && self.x[1] == 0.0 && self.x[2] == 0.0 {
            return;
        }
        self.x[0] = normal;
        let mut impulse = self.normal.scaled(change);
        if self.friction > 0.0 {
            // tangents: bounded by mu times the normal multiplier just found
            let limit = self.friction * normal;
            u += self.response[0].scaled(change);
            let [_, first, second] = self.x;
            let after = T::update(self, u, limit);
            impulse += self.tangents[0].scaled(after[0] - first);
            impulse += self.tangents[1].scaled(after[1] - second);
            (self.x[1], self.x[2]) = (after[0], after[1]);
        }
        self.strike(bodies, impulse);
    }

    #[inline(always)]
    fn on_disc(&self, u: Lanes, limit: Real) -> [Real; 2] {
        let [_, first, second] = self.x;
        let w = [self.tangents[0].dot(u) + self.cfm * first, self.tangents[1].dot(u) + self.cfm * second];
        let [p, q, r] = self.inverse;
        let stuck = [first - (p * w[0] + q * w[1]), second - (q * w[0] + r * w[1])];
        if stuck[0] * stuck[0] + stuck[1] * stuck[1] <= limit * limit {
            return stuck;
        }
        let determinant = p * r - q * q;
        // without an inverse only the bound changes it
        let block = if determinant > 0.0 { [r / determinant, -q / determinant, p / determinant] } else { [0.0; 3] };
        minimum_on_disc(block, w, [first, second], limit)
    }

    #[inline(always)]
    fn in_box(&self, mut u: Lanes, limit: Real) -> [Real; 2] {
        let [_, first, second] = self.x;
        let w = self.tangents[0].dot(u) + self.cfm * first;
        let to = bounded(first - w * self.inverse[0], -limit, limit);
        u += self.response[1].scaled(to - first);
        let w = self.tangents[1].dot(u) + self.cfm * second;
        [to, bounded(second - w * self.inverse[2], -limit, limit)]
    }

    /// Natural-map residual of the block's rows, infinity norm.
    fn residual(&self, bodies: &[Body], set: FrictionSet) -> Real {
        let u = self.relative(bodies);
        let w = self.normal.dot(u) - self.target + self.cfm * self.x[0];
        let normal = w.min(self.x[0]).abs();
        if self.friction <= 0.0 {
            return normal;
        }
        let limit = self.friction * self.x[0].max(0.0);
        normal.max(match set {
            FrictionSet::Disc => self.off_disc(u, limit),
            FrictionSet::Box => self.off_box(u, limit),
        })
    }

    /// The residual of its tangents on a disc.
    fn off_disc(&self, u: Lanes, limit: Real) -> Real {
        let to = [0, 1].map(|k| self.x[k + 1] - (self.tangents[k].dot(u) + self.cfm * self.x[k + 1]));
        let size = (to[0] * to[0] + to[1] * to[1]).sqrt();
        let shrink = if size > limit { limit / size } else { 1.0 };
        let off = [self.x[1] - to[0] * shrink, self.x[2] - to[1] * shrink];
        (off[0] * off[0] + off[1] * off[1]).sqrt()
    }

    /// The residual of its tangents in a box.
    fn off_box(&self, u: Lanes, limit: Real) -> Real {
        let off = |(t, x): (&Lanes, &Real)| {
            let w = t.dot(u) + self.cfm * x;
            w.min(x + limit).max(x - limit).abs()
        };
        self.tangents.iter().zip(&self.x[1..]).map(off).fold(0.0, Real::max)
    }
}

/// The inner loop, to be compiled for whatever registers the processor has. Nothing is reordered or fused: the bits are
/// the same on all of them.
struct Sweeps<'a> {
    blocks: &'a mut [Block],
    bodies: &'a mut [Body],
    iterations: usize,
    set: FrictionSet,
}

impl Sweeps<'_> {
    #[inline(always)]
    fn run<T: Tangents>(self) {
        for _ in 0..self.iterations {
            for block in self.blocks.iter_mut() {
                block.relax::<T>(self.bodies);
            }
        }
    }
}

impl WithSimd for Sweeps<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        match self.set {
            FrictionSet::Disc => self.run::<OnDisc>(),
            FrictionSet::Box => self.run::<InBox>(),
        }
    }
}

/// Makes a block of each contact, without its target and start value.
struct Load<'a> {
    problem: &'a GroupProblem,
    bodies: &'a [Body],
    blocks: &'a mut Vec<Block>,
    model: FrictionModel,
    cfm: Real,
}

impl WithSimd for Load<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let Self { problem, bodies, blocks, model, cfm } = self;
        for c in &problem.contacts {
            let arms = c.bodies.map(|i| Lanes::from(c.position - problem.bodies[i as usize].pose.position));
            blocks.push(Block::new(c, arms, bodies, model, cfm));
        }
    }
}

impl FusedSweep {
    /// Returns true if the problem has only contacts, with friction that this form covers: one coefficient per contact.
    pub(crate) fn takes(problem: &GroupProblem, friction: FrictionModel) -> bool {
        problem.rows.is_empty()
            && match friction {
                FrictionModel::None => true,
                FrictionModel::ScaledBox | FrictionModel::Disc => problem.surfaces.is_empty(),
                _ => false,
            }
    }

    /// Takes in the velocity problem; arguments as for [`crate::assemble`].
    pub(crate) fn load_velocities(
        &mut self,
        problem: &GroupProblem,
        parameters: &RowParameters,
        h: Real,
        horizon: Real,
    ) {
        let cfm = if h > 0.0 { parameters.cfm / (h * h) } else { 0.0 };
        let warm = parameters.warm_start && h > 0.0;
        let model = parameters.friction;
        self.set = if model.shares_discs() { FrictionSet::Disc } else { FrictionSet::Box };
        self.bodies.clear();
        self.bodies.extend(problem.bodies.iter().map(|b| Body::of(b, b.velocity + b.external)));
        self.blocks.clear();
        self.arch.dispatch(Load { problem, bodies: &self.bodies, blocks: &mut self.blocks, model, cfm });
        let mut linear = 0.0;
        for (c, block) in problem.contacts.iter().zip(&mut self.blocks) {
            let free = block.relative(&self.bodies);
            let free_rate = block.normal.dot(free);
            let before = c.bodies.map(|i| problem.bodies[i as usize].velocity);
            let arms = block.arms.map(Lanes::to_vec3);
            let approach = c.normal.dot(before[1].at(arms[1]) - before[0].at(arms[0]));
            let rates = ContactTarget { free_rate, approach };
            block.target = normal_target(problem, c, rates, parameters, h, horizon);
            if warm {
                let start = c.impulse * parameters.warm_start_scale;
                let normal = start.normal.max(0.0);
                let tangents = block.tangents.map(Lanes::to_vec3);
                let friction = ContactFriction { tangents, mu: [block.friction; 2], spinning: 0.0, rolling: 0.0 };
                let [first, second] = friction.within(model, start);
                block.x = [normal, first, second];
                linear += block.impulse().dot(free) - normal * block.target;
            }
        }
        if warm {
            self.apply_start();
            self.limit_start(problem, linear);
        }
    }

    /// Scales the start down if it is worse than none, as [`crate::ConstraintRows::limit_start`] does: multipliers that bore a hard landing in the last step would throw
    /// the bodies up in this one.
    ///
    /// `linear` is `b^T x` of the start.
    fn limit_start(&mut self, problem: &GroupProblem, linear: Real) {
        if problem.bodies.len() > MOST_BODIES {
            return;
        }
        let mut square = 0.0;
        for (from, body) in problem.bodies.iter().zip(&self.bodies).filter(|(b, _)| b.is_movable()) {
            let free = from.velocity + from.external;
            square += from.square(body.motion() - free);
        }
        for block in &self.blocks {
            square += block.cfm * block.x.iter().map(|x| x * x).sum::<Real>();
        }
        if 0.5 * square + linear <= 0.0 {
            return;
        }
        let scale = scale_without_gain(square, linear);
        for block in &mut self.blocks {
            block.x = block.x.map(|x| x * scale);
        }
        for (from, body) in problem.bodies.iter().zip(&mut self.bodies) {
            let free = from.velocity + from.external;
            *body = Body::of(from, free + (body.motion() - free) * scale);
        }
    }

    /// Takes in the correction problem: displacements instead of velocities, gaps instead of targets.
    pub(crate) fn load_correction(&mut self, problem: &GroupProblem) {
        let model = FrictionModel::None;
        self.set = FrictionSet::Box;
        self.bodies.clear();
        self.bodies.extend(problem.bodies.iter().map(|b| Body::of(b, Twist::ZERO)));
        self.blocks.clear();
        self.arch.dispatch(Load { problem, bodies: &self.bodies, blocks: &mut self.blocks, model, cfm: 0.0 });
        for (c, block) in problem.contacts.iter().zip(&mut self.blocks) {
            block.target = -c.separation;
        }
    }

    /// Applies the velocity change of the start value to the bodies.
    fn apply_start(&mut self) {
        for block in &self.blocks {
            if block.x != [0.0; 3] {
                block.strike(&mut self.bodies, block.impulse());
            }
        }
    }

    /// Sweeps through all contacts, first to last.
    pub(crate) fn sweep(&mut self, iterations: usize) {
        self.arch.dispatch(Sweeps { blocks: &mut self.blocks, bodies: &mut self.bodies, iterations, set: self.set });
    }

    /// The same; returns whether the sweeps alternate, as they may where friction lifts a contact.
    pub(crate) fn sweep_and_watch(&mut self, iterations: usize) -> bool {
        if iterations < 2 || self.blocks.iter().all(|b| b.friction <= 0.0) {
            self.sweep(iterations);
            return false;
        }
        self.sweep(iterations - 2);
        for at in 0..2 {
            self.before[at].clear();
            self.before[at].extend(self.blocks.iter().map(|b| b.x));
            self.sweep(1);
        }
        let x = || self.blocks.iter().flat_map(|b| b.x);
        let changes = |from: &[[Real; 3]]| x().zip(from.iter().flatten()).fold(0.0, |m, (x, y)| (x - y).abs().max(m));
        let [both, last] = [0, 1].map(|at| changes(&self.before[at]));
        alternates(both, last, x().fold(0.0, |m: Real, x| m.max(x.abs())))
    }

    /// Natural-map residual, infinity norm; equal to [`drystone_lcp::natural_residual`] of the rows.
    pub(crate) fn residual(&self) -> Real {
        self.blocks.iter().map(|b| b.residual(&self.bodies, self.set)).fold(0.0, Real::max)
    }

    /// Writes velocities and multipliers.
    pub(crate) fn unload_velocities(&self, answer: &mut GroupAnswer) {
        for (out, body) in answer.velocity.iter_mut().zip(&self.bodies) {
            *out = body.motion();
        }
        for (out, block) in answer.contacts.iter_mut().zip(&self.blocks) {
            *out = ContactImpulse::of_multipliers(block.x, block.tangents.map(Lanes::to_vec3));
        }
    }

    /// Writes displacements.
    pub(crate) fn unload_correction(&self, answer: &mut GroupAnswer) {
        for (out, body) in answer.correction.iter_mut().zip(&self.bodies) {
            *out = body.motion();
        }
    }

    /// The report of a run of the given number of sweeps, with the residual if it was measured.
    pub(crate) fn report(&self, iterations: usize, residual: Option<Real>) -> SolveReport {
        let mut report = SolveReport::default();
        report.lcp.solves = 1;
        report.lcp.iterations = iterations as u64;
        report.lcp.variables_max =
            self.blocks.iter().map(|b| if b.friction > 0.0 { 3 } else { 1 }).sum::<usize>() as u64;
        if let Some(residual) = residual {
            report.lcp.residual_sum = residual;
            report.lcp.residual_max = residual;
            report.lcp.residuals = 1;
        }
        report
    }
}
