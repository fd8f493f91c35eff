use super::{release, same};
use drystone_core::{Instant, Kernel, Restore, Save, Scope, StepFailure};
use drystone_math::Real;

/// Departures (m/s or rad/s) below which a solve that knows of them need not reduce them.
const DEPARTS: Real = 1e-4;
/// The fraction of a departure that may be left after a solve that was told of it.
const LEFT: Real = 0.5;

/// The laws of the verbs that solve again, solve in another way, or prepare what a solve sees.
pub(super) fn check_solves(kernel: &mut dyn Kernel, h: Real, slack: Real) -> Result<(), StepFailure> {
    check_repeat(kernel, h)?;
    check_solve_again(kernel, h, slack)?;
    check_departure(kernel, h)?;
    check_free_bodies(kernel, h)?;
    check_gaps(kernel, h, slack)
}

fn saved(kernel: &mut dyn Kernel) -> Instant {
    kernel.save(Scope::All, Save::Motion)
}

/// Difference of two instants over a step: displacements, and speeds times the step.
fn apart(kernel: &mut dyn Kernel, [a, b]: [Instant; 2], h: Real) -> Real {
    let apart = kernel.difference(a, b);
    apart.way.max(apart.speed * h)
}

/// Repeating a solve changes velocities by the same amount again, and nothing else.
fn check_repeat(kernel: &mut dyn Kernel, h: Real) -> Result<(), StepFailure> {
    let start = kernel.save(Scope::All, Save::Contacts);
    kernel.solve(Scope::All, h, h)?;
    let once = saved(kernel);
    kernel.repeat(Scope::All)?;
    let twice = saved(kernel);
    let [first, second, both] = [[start, once], [once, twice], [start, twice]].map(|[a, b]| kernel.difference(a, b));
    let rounding = 1e-9 * (1.0 + first.speed);
    assert!((second.speed - first.speed).abs() <= rounding, "repeated, {first:?} is {second:?}");
    assert!((both.speed - 2.0 * first.speed).abs() <= rounding, "twice {first:?} is {both:?}");
    assert!(both.way == 0.0, "a repeated solve moved bodies: {both:?}");
    kernel.restore(Scope::All, start, Restore::All);
    release(kernel, [start, once, twice]);
    Ok(())
}

/// Computing the forces at the mean velocity does not apply them. A solve that is done again with nothing new takes the place of the one before: bodies that nothing
/// holds move as they did, and the others, whose solve continues from the former multipliers, to within what that one left.
fn check_solve_again(kernel: &mut dyn Kernel, h: Real, slack: Real) -> Result<(), StepFailure> {
    let start = kernel.save(Scope::All, Save::Contacts);
    kernel.solve(Scope::All, h, h)?;
    let (once, loose) = (saved(kernel), kernel.save(Scope::Free, Save::Motion));
    let others = kernel.mean_forces(Scope::All);
    let asked = saved(kernel);
    same(kernel, once, asked, "forces at the mean velocity changed the state");
    let mut instants = vec![start, once, loose, asked];
    if !others {
        kernel.solve_again(Scope::All, h, h, &[])?;
        let (again, loose_again) = (saved(kernel), kernel.save(Scope::Free, Save::Motion));
        same(kernel, loose, loose_again, "what nothing holds is solved in another way again");
        let [most, apart] = [[start, once], [once, again]].map(|pair| apart(kernel, pair, h));
        assert!(apart <= slack + 0.5 * most, "a solve by {most}, again, is {apart} off it");
        instants.extend([again, loose_again]);
    }
    kernel.restore(Scope::All, start, Restore::All);
    release(kernel, instants);
    Ok(())
}

/// Departures are measured without moving anything, and a solve that is told of them leaves smaller ones.
fn check_departure(kernel: &mut dyn Kernel, h: Real) -> Result<(), StepFailure> {
    let start = kernel.save(Scope::All, Save::Contacts);
    kernel.solve(Scope::All, h, h)?;
    let before = saved(kernel);
    let departure = kernel.departure(Scope::All, 0.5 * h);
    let after = saved(kernel);
    same(kernel, before, after, "a departure moved something");
    if departure.largest > DEPARTS {
        kernel.solve_again(Scope::All, h, h, &[(departure, 2.0 / h)])?;
        let left = kernel.departure(Scope::All, 0.5 * h).largest;
        let most = LEFT * departure.largest;
        assert!(left <= most, "joints that were to depart by {} still depart by {left}", departure.largest);
    }
    kernel.restore(Scope::All, start, Restore::All);
    release(kernel, [start, before, after]);
    Ok(())
}

/// Bodies that nothing holds get from any solve what forces give them.
fn check_free_bodies(kernel: &mut dyn Kernel, h: Real) -> Result<(), StepFailure> {
    let start = kernel.save(Scope::All, Save::Contacts);
    kernel.solve(Scope::All, h, h)?;
    let solved = kernel.save(Scope::Free, Save::Motion);
    kernel.restore(Scope::All, start, Restore::All);
    kernel.solve_carried(Scope::All, h, h)?;
    let carried = kernel.save(Scope::Free, Save::Motion);
    kernel.restore(Scope::All, start, Restore::All);
    kernel.apply_forces(Scope::Free, h)?;
    let pulled = kernel.save(Scope::Free, Save::Motion);
    same(kernel, solved, carried, "what stands on nothing is solved in another way where loads are passed down");
    same(kernel, solved, pulled, "what nothing holds is solved in another way than forces pull it");
    kernel.restore(Scope::All, start, Restore::All);
    release(kernel, [start, solved, carried, pulled]);
    Ok(())
}

/// Gaps that are rewound and advanced again, or evaluated at the present instant from another place, are the same gaps.
fn check_gaps(kernel: &mut dyn Kernel, h: Real, slack: Real) -> Result<(), StepFailure> {
    kernel.refresh(Scope::All, None);
    let start = kernel.save(Scope::All, Save::Contacts);
    kernel.solve(Scope::All, h, h)?;
    let solved = saved(kernel);

    kernel.restore(Scope::All, start, Restore::All);
    kernel.rewind_gaps(Scope::All, h);
    kernel.rewind_gaps(Scope::All, -h);
    kernel.solve(Scope::All, h, h)?;
    let rewound = saved(kernel);
    let off = apart(kernel, [solved, rewound], h);
    assert!(off <= slack, "gaps taken back and forth again: a solve is {off} off");

    kernel.restore(Scope::All, start, Restore::All);
    kernel.drift(Scope::All, h)?;
    kernel.refresh(Scope::All, Some(start));
    kernel.restore(Scope::All, start, Restore::Motion);
    kernel.solve(Scope::All, h, h)?;
    let elsewhere = saved(kernel);
    let off = apart(kernel, [solved, elsewhere], h);
    assert!(off <= slack, "gaps evaluated at an instant from elsewhere: a solve is {off} off");
    kernel.restore(Scope::All, start, Restore::All);
    release(kernel, [start, solved, rewound, elsewhere]);
    Ok(())
}
