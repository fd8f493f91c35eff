//! A budget per frame, and how many steps the frame is divided into to keep to it.

use crate::stopwatch::Stopwatch;
use crate::{StepReport, World, WorldError};
use drystone_math::Real;

/// Largest cost of a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Budget {
    /// A number of operations ([`FrameReport::cost`]): the same steps on every machine and at any load.
    Operations(Real),
    /// A number of seconds by the clock: how many steps that allows depends on the machine.
    Seconds(Real),
}

impl Budget {
    fn size(self) -> Real {
        match self {
            Self::Operations(most) | Self::Seconds(most) => most,
        }
    }

    /// Cost of a step, in the budget's unit.
    fn cost(self, world: &World, report: &StepReport, watch: Stopwatch) -> Real {
        match self {
            Self::Operations(_) => operations(world, report),
            Self::Seconds(_) => watch.seconds(),
        }
    }
}

/// Report of a frame within its budget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrameReport {
    /// The number of equal steps that the frame was divided into, at least one.
    pub steps: u32,
    /// Most iterations that a solve was allowed; `None` if each had those of its own settings.
    pub iterations: Option<u32>,
    /// The cost of the steps, in the budget's unit. Operations are visits of rows and bodies: in each sub-step, contacts and joints times one more than the
    /// constraint solver's mean number of iterations, plus the bodies that are awake.
    pub cost: Real,
    /// True if the cost is at most the budget. A frame always makes at least one step, however small the budget.
    pub within: bool,
    /// The last step.
    pub last: StepReport,
}

/// Divides each frame of a world into as many steps as its budget allows: more precision if there is time for it.
///
/// A frame is planned from the most expensive step of the frame before, and planned again after each of its steps, so that a frame that becomes more expensive gets
/// coarser. The first frame begins with the shortest possible step, which shows what a step costs. The error of the schemes of this crate falls at least linearly
/// with the step.
///
/// If even one step is too expensive, and [`Self::fewest_iterations`] allows it, solves get fewer iterations ([`World::limit_iterations`]). They get them back when
/// there is room, before the number of steps is raised again. Some of the budget is kept in reserve for what the next frame may bring.
///
/// ```
/// use drystone::{Budget, Pacer, prelude::*};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut world = World::builder().build()?;
/// world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0)?))?;
/// world.add(Body::dynamic(Shape::sphere(0.5)?).at([0.0, 0.5, 0.0]))?;
/// let mut pacer = Pacer::new(Budget::Operations(1000.0), 16);
/// for _ in 0..10 {
///     let frame = pacer.advance(&mut world, 1.0 / 60.0)?;
///     assert!(frame.within);
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Source
/// Erleben 2005, sections 4.6 and 6.1.4, names what a time budget can choose: the number of sides of the friction pyramid ([`drystone_core::Material::facets`]), and
/// iterations. Lennerz, Schömer and Warken 1999, section 2.4, adds distance tests that can be interrupted. Spending time on steps rather than iterations is the
/// advice of M. Macklin et al., "Small steps in physics simulation", 2019. (N-01, N-16)
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pacer {
    /// Largest cost of a frame.
    pub budget: Budget,
    /// Most steps of a frame; zero counts as one.
    pub most: u32,
    /// Fewest iterations to which a solve may be limited if one step is too expensive; `None` for no limit on iterations.
    pub fewest_iterations: Option<u32>,
    /// Cost of the most expensive step of the last frame.
    estimate: Option<Real>,
    /// Most iterations that solves are currently allowed.
    limit: Option<u32>,
}

/// The fraction of a budget that is planned for when iterations are limited.
const PLANNED: Real = 0.9;
/// Multiple of the present cost that must fit before the limit on iterations is raised.
const ROOM: Real = 1.2;

impl Pacer {
    /// A pacer with a budget and a maximum number of steps per frame.
    pub fn new(budget: Budget, most: u32) -> Self {
        Self { budget, most, fewest_iterations: None, estimate: None, limit: None }
    }

    /// The same pacer, allowed to limit solves to this many iterations if one step is too expensive.
    #[must_use]
    pub fn with_fewest_iterations(mut self, fewest: Option<u32>) -> Self {
        self.fewest_iterations = fewest;
        self
    }

    /// Simulates one frame of `dt` seconds.
    ///
    /// # Errors
    /// As [`World::advance`]; the steps before the one that failed have then been made.
    pub fn advance(&mut self, world: &mut World, dt: Real) -> Result<FrameReport, WorldError> {
        self.advance_each(world, dt, |_, _, _| ())
    }

    /// Like [`Self::advance`], calling `each` after every step with the world, the step's report and the seconds that it took.
    ///
    /// # Errors
    /// As [`Self::advance`].
    pub fn advance_each(
        &mut self,
        world: &mut World,
        dt: Real,
        mut each: impl FnMut(&World, &StepReport, Real),
    ) -> Result<FrameReport, WorldError> {
        let (budget, end) = (self.budget.size(), world.time() + dt);
        let iterations = self.limit;
        world.limit_iterations(iterations);
        let mut planned = match (self.estimate, iterations) {
            (None, _) => self.most.max(1),
            (Some(_), Some(_)) => 1,
            (Some(step), None) => self.affordable(budget, step),
        };
        let (mut spent, mut dearest, mut steps) = (0.0, 0.0, 0);
        loop {
            let left = if steps == 0 { dt } else { end - world.time() };
            let watch = Stopwatch::start();
            let last = world.advance(left / Real::from(planned))?;
            let cost = self.budget.cost(world, &last, watch);
            each(world, &last, watch.seconds());
            (spent, dearest, steps) = (spent + cost, cost.max(dearest), steps + 1);
            if planned == 1 {
                self.estimate = Some(dearest);
                self.count_out_iterations(&last, budget, dearest);
                return Ok(FrameReport { steps, iterations, cost: spent, within: spent <= budget, last });
            }
            planned = (planned - 1).min(self.affordable(budget - spent, cost));
        }
    }

    /// Sets how many iterations solves of the next frame may have, after a step of this cost.
    fn count_out_iterations(&mut self, last: &StepReport, budget: Real, cost: Real) {
        let Some(fewest) = self.fewest_iterations else {
            self.limit = None;
            return;
        };
        let made = (last.lcp.iterations as Real / last.lcp.solves.max(1) as Real).ceil();
        let room = PLANNED * budget / cost;
        let scaled = |k: Real| ((k * room).floor().clamp(1.0, 1e9) as u32).max(fewest);
        self.limit = match self.limit {
            // solves need no limit: they end before it
            Some(limit) if made < Real::from(limit) && room >= 1.0 => None,
            Some(limit) if room > ROOM => Some(scaled(Real::from(limit)).max(limit + 1)),
            Some(limit) if room >= 1.0 => Some(limit),
            None if room >= 1.0 => None,
            Some(_) | None => Some(scaled(made.max(1.0))),
        };
    }

    /// Number of steps of this cost that the rest of a budget allows.
    fn affordable(&self, left: Real, step: Real) -> u32 {
        let most = self.most.max(1);
        // also for a step that cost nothing, or a budget that is not a number
        let count = (left / step).floor();
        if count >= Real::from(most) {
            most
        } else if count >= 1.0 {
            count as u32
        } else {
            1
        }
    }
}

/// Visits of rows and bodies in a step.
fn operations(world: &World, report: &StepReport) -> Real {
    let joints = world.configuration().joints.len() as Real;
    let awake = (world.state().len() as u64).saturating_sub(report.sleeping) as Real;
    let iterations = report.lcp.iterations as Real / report.lcp.solves.max(1) as Real;
    let visits = (report.contacts as Real + joints) * (1.0 + iterations) + awake;
    visits * report.calls.sub_steps.max(1) as Real
}
