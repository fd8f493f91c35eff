use super::release;
use drystone_core::{BodyIndex, Instant, Kernel, Restore, Save, Scope, StepFailure};
use drystone_math::Real;

/// Equal steps with staggered velocities take a freely flying body along the path of half a drift, forces, and half a drift, and leave it with the velocity at the
/// instant of its pose. Checked for the bodies that the kernel staggers.
pub(super) fn check_free_flight(kernel: &mut dyn Kernel, h: Real, slack: Real) -> Result<(), StepFailure> {
    let start = kernel.save(Scope::All, Save::Contacts);
    // after a step the kernel knows which bodies fly
    kernel.stagger(h);
    end_of_step(kernel, h)?;
    let from = kernel.save(Scope::All, Save::Contacts);
    let bodies = (0..kernel.body_count()).map(BodyIndex::new);
    let loose: Vec<BodyIndex> = bodies.filter(|b| kernel.first_of(*b).is_none()).collect();
    let mut middle: Vec<Instant> = Vec::new();
    for &body in &loose {
        middle.push(forces_in_the_middle(kernel, body, from, h)?);
    }
    kernel.stagger(h);
    let staggered: Vec<bool> = loose.iter().map(|b| has_moved(kernel, *b, from)).collect();
    end_of_step(kernel, h)?;
    for ((&body, &there), _) in loose.iter().zip(&middle).zip(staggered).filter(|(_, staggered)| *staggered) {
        let end = kernel.save(Scope::Body(body), Save::Motion);
        let apart = kernel.difference(there, end);
        let off = apart.translation.max(apart.speed * h);
        assert!(off <= slack, "{body:?} flies freely, and a staggered step leaves it off its way: {apart:?}");
        kernel.release(end);
    }
    kernel.restore(Scope::All, start, Restore::All);
    release(kernel, middle.into_iter().chain([start, from]));
    Ok(())
}

fn end_of_step(kernel: &mut dyn Kernel, h: Real) -> Result<(), StepFailure> {
    kernel.solve(Scope::All, h, h)?;
    kernel.drift(Scope::All, h)?;
    kernel.synchronize(h);
    Ok(())
}

/// Position of a body after half a drift, forces, and half a drift from an instant, which is then restored.
fn forces_in_the_middle(
    kernel: &mut dyn Kernel,
    body: BodyIndex,
    from: Instant,
    h: Real,
) -> Result<Instant, StepFailure> {
    let scope = Scope::Body(body);
    kernel.drift(scope, 0.5 * h)?;
    kernel.apply_forces(scope, h)?;
    kernel.drift(scope, 0.5 * h)?;
    let there = kernel.save(scope, Save::Motion);
    kernel.restore(scope, from, Restore::Motion);
    Ok(there)
}

fn has_moved(kernel: &mut dyn Kernel, body: BodyIndex, from: Instant) -> bool {
    let now = kernel.save(Scope::Body(body), Save::Motion);
    let moved = kernel.difference(from, now).speed > 0.0;
    kernel.release(now);
    moved
}
