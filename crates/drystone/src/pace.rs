//! A budget for a frame, and how finely it is cut for that.

use crate::profile::Stopwatch;
use crate::{StepReport, World, WorldError};
use drystone_math::Real;

/// What a frame may cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Budget {
    /// So many operations ([`FrameReport::cost`]): the same steps on every machine and at any load.
    Operations(Real),
    /// So many seconds by the clock: what it comes to depends on the machine.
    Seconds(Real),
}

impl Budget {
    fn size(self) -> Real {
        match self {
            Self::Operations(most) | Self::Seconds(most) => most,
        }
    }

    /// What a step cost, in the budget's unit.
    fn cost(self, world: &World, report: &StepReport, watch: Stopwatch) -> Real {
        match self {
            Self::Operations(_) => operations(world, report),
            Self::Seconds(_) => watch.seconds(),
        }
    }
}

/// What a frame within a budget did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrameReport {
    /// Equal steps that the frame was cut into, one at least.
    pub steps: u32,
    /// What they cost, in the budget's unit. Operations are visits of rows and bodies: in each sub-step contacts and joints, times one more than the mean number of
    /// iterations of the constraint solver, and the bodies that are awake.
    pub cost: Real,
    /// Whether that is at most the budget. A frame is one step at least: no budget is too small for it to go on.
    pub within: bool,
    /// The last step.
    pub last: StepReport,
}

/// Cuts each frame of a world into as many steps as its budget pays for: precision by itself, where there is time for it.
///
/// A frame is planned by the dearest step of the frame before, and planned again after each of its steps, so that what gets dearer within a frame gets coarser. The first
/// frame begins with the shortest step there is, which shows what one costs. The error of the schemes of this crate falls at least with the step.
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
/// Erleben 2005, sections 4.6 and 6.1.4, names what a budget of time can choose: sides of the friction pyramid ([`drystone_core::Material::facets`]), iterations. Lennerz, Schömer
/// and Warken 1999, section 2.4, adds distance tests that can be stopped. Steps rather than iterations are what M. Macklin et al., "Small steps in physics simulation", 2019,
/// advise to spend time on. (N-16)
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pacer {
    /// What a frame may cost.
    pub budget: Budget,
    /// Most steps of a frame; none counts as one.
    pub most: u32,
    /// What the dearest step of the last frame cost.
    estimate: Option<Real>,
}

impl Pacer {
    /// With a budget, and so many steps of a frame at most.
    pub fn new(budget: Budget, most: u32) -> Self {
        Self { budget, most, estimate: None }
    }

    /// Simulates one frame of `dt` seconds.
    ///
    /// # Errors
    /// As [`World::advance`]; the steps before the one that failed are then done.
    pub fn advance(&mut self, world: &mut World, dt: Real) -> Result<FrameReport, WorldError> {
        let (budget, end) = (self.budget.size(), world.time() + dt);
        let mut planned = self.estimate.map_or(self.most.max(1), |step| self.affordable(budget, step));
        let (mut spent, mut dearest, mut steps) = (0.0, 0.0, 0);
        loop {
            let left = if steps == 0 { dt } else { end - world.time() };
            let watch = Stopwatch::start();
            let last = world.advance(left / Real::from(planned))?;
            let cost = self.budget.cost(world, &last, watch);
            (spent, dearest, steps) = (spent + cost, cost.max(dearest), steps + 1);
            if planned == 1 {
                self.estimate = Some(dearest);
                return Ok(FrameReport { steps, cost: spent, within: spent <= budget, last });
            }
            planned = (planned - 1).min(self.affordable(budget - spent, cost));
        }
    }

    /// How many steps of this cost the rest of a budget pays for.
    fn affordable(&self, left: Real, step: Real) -> u32 {
        let most = self.most.max(1);
        // a step that cost nothing, or a budget that is no number
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
