use crate::RowParameters;
use crate::assemble::{ContactTarget, normal_target, resting_target};
use crate::bounce::{may_bounce, resting_speed};
use crate::support_change::relative;
use drystone_core::{GroupBody, GroupContact, GroupProblem, Step, TOUCHING};
use drystone_math::{Real, Twist};

/// The least normal velocity that a contact must have after the step.
#[inline(always)]
pub(super) fn target(problem: &GroupProblem, c: &GroupContact, rows: &RowParameters, times: Step) -> Real {
    let wanted = if rows.restitution && c.restitution > 0.0 {
        target_where_it_bounces(problem, c, rows, times)
    } else {
        resting_target(c, rows, times.h, times.horizon)
    };
    // touching contacts are not pushed together: noise in poses must not become noise in velocities
    if c.separation <= TOUCHING && wanted < 0.0 { 0.0 } else { wanted }
}

fn target_where_it_bounces(problem: &GroupProblem, c: &GroupContact, rows: &RowParameters, times: Step) -> Real {
    let rate = |velocity: fn(&GroupBody) -> Twist| c.normal.dot(relative(problem, c, velocity));
    let approach = rate(|b| b.velocity);
    if !may_bounce(approach, resting_speed(problem, rows, times.horizon)) {
        return resting_target(c, rows, times.h, times.horizon);
    }
    let rates = ContactTarget { free_rate: rate(|b| b.velocity + b.external), approach };
    normal_target(problem, c, rates, rows, times.h, times.horizon)
}
