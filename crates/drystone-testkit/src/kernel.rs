mod free_flight;
mod moves;
mod renewal;
mod solves;

use drystone_core::{
    ContactSet, DetectMode, Instant, Kernel, LayerStep, PairRecord, RateOf, Restore, Save, Scope, StepFailure,
};
use drystone_math::Real;

/// The laws of [`Kernel`], for any world that it has: call this from a time control of your own, frame after frame. It makes a step of `h` seconds, and leaves the
/// clock as it was. `slack` is the error in a length, a speed and an angle that rounding and rules of order one may cause.
///
/// * after everything is restored, a solve gives the same result as before;
/// * verbs on one group leave the others as they are;
/// * a sum without terms is a restore; a rate of a step, weighted with the step, is a solve and a drift;
/// * distances between instants are metrics;
/// * no moving body has left the room that was just made for it, nor can it in the time looked ahead;
/// * the records of the groups, of the free bodies, and those between them are together the records of all; none comes from another detection;
/// * a union of contacts contains those that were there, and joined groups are one;
/// * repeating a solve changes velocities once more; taking a solve back and doing it again without new knowledge gives the same;
/// * computing departures, or the forces at the mean velocity, changes nothing; a solve that is told of departures leaves smaller ones;
/// * bodies that nothing holds get from any solve what forces give them;
/// * gaps that are rewound and advanced again, or evaluated from another place, are the same gaps;
/// * contacts that are found anew are those of the pairs that had some, at the present poses, and nothing moves;
/// * a prediction is a drift that leaves velocities alone; a correction leaves them alone too, except for spins that turn with their bodies, and leaves less for the next one;
/// * layers are a way to go through the bodies: each body drifts once, and bodies that touch nothing behave as they do without layers;
/// * nothing is unseen in zero time, and what is seen over a long time is not unseen over a shorter one;
/// * a body that flies freely through a staggered step follows the path that it has with forces applied in the middle.
///
/// # Errors
/// [`StepFailure`] if a verb fails.
///
/// # Panics
/// If a law is broken.
pub fn check_kernel(kernel: &mut dyn Kernel, h: Real, slack: Real) -> Result<(), StepFailure> {
    let ahead = DetectMode { look_ahead: h, ..DetectMode::default() };
    kernel.detect(Scope::All, ahead)?;
    check_rooms(kernel, ahead)?;
    kernel.detect(Scope::All, ahead)?;
    check_restore(kernel, h)?;
    check_scopes(kernel, h)?;
    check_rates(kernel, h, slack)?;
    check_metric(kernel, h)?;
    solves::check_solves(kernel, h, slack)?;
    moves::check_moves(kernel, h, slack)?;
    free_flight::check_free_flight(kernel, h, slack)?;
    renewal::check_renewal(kernel, h, slack)?;
    kernel.detect(Scope::All, ahead)?;
    check_records(kernel);
    check_union(kernel, h)?;
    check_join(kernel);
    // finally a step, so that the next call finds another state
    kernel.detect(Scope::All, ahead)?;
    kernel.resolve(Scope::All, h)?;
    kernel.solve(Scope::All, h, h)?;
    kernel.drift(Scope::All, h)
}

fn scopes(kernel: &dyn Kernel) -> Vec<Scope> {
    kernel.groups().iter().map(|b| Scope::With(*b)).chain([Scope::Free]).collect()
}

fn step(kernel: &mut dyn Kernel, scope: Scope, h: Real) -> Result<(), StepFailure> {
    kernel.solve(scope, h, h)?;
    kernel.drift(scope, h)
}

fn release(kernel: &mut dyn Kernel, instants: impl IntoIterator<Item = Instant>) {
    for instant in instants {
        kernel.release(instant);
    }
}

fn same(kernel: &mut dyn Kernel, a: Instant, b: Instant, what: &str) {
    let apart = kernel.difference(a, b);
    assert!(apart.is_zero(), "{what}: {apart:?}");
}

fn check_rooms(kernel: &mut dyn Kernel, ahead: DetectMode) -> Result<(), StepFailure> {
    for record in kernel.pairs(Scope::All).to_vec() {
        let Some(gone) = kernel.detect(Scope::Pair(record.pair), ahead)?.escaped else { continue };
        let moves = record.moves[usize::from(gone == record.pair.b)];
        assert!(!moves, "{gone:?} leaves the room that was made for it");
    }
    Ok(())
}

fn check_restore(kernel: &mut dyn Kernel, h: Real) -> Result<(), StepFailure> {
    for scope in scopes(kernel).into_iter().chain([Scope::All]) {
        let start = kernel.save(scope, Save::Contacts);
        step(kernel, scope, h)?;
        let first = kernel.save(scope, Save::Motion);
        kernel.restore(Scope::All, start, Restore::All);
        let back = kernel.save(scope, Save::Motion);
        same(kernel, start, back, "a restore is where it was saved");
        step(kernel, scope, h)?;
        let second = kernel.save(scope, Save::Motion);
        same(kernel, first, second, "a solve after a restore is the solve that it was");
        kernel.restore(Scope::All, start, Restore::All);
        release(kernel, [start, first, back, second]);
    }
    Ok(())
}

fn check_scopes(kernel: &mut dyn Kernel, h: Real) -> Result<(), StepFailure> {
    let scopes = scopes(kernel);
    for &one in &scopes {
        let start = kernel.save(Scope::All, Save::Contacts);
        let before: Vec<_> = scopes.iter().map(|s| kernel.save(*s, Save::Motion)).collect();
        kernel.resolve(one, h)?;
        step(kernel, one, h)?;
        kernel.refresh(one, None);
        kernel.renew(one)?;
        kernel.correct(one)?;
        kernel.predict(one, h)?;
        kernel.propagate(one, &[LayerStep::Solve { h, horizon: h }, LayerStep::Drift { h }])?;
        for (&other, &then) in scopes.iter().zip(&before).filter(|(s, _)| **s != one) {
            let now = kernel.save(other, Save::Motion);
            same(kernel, then, now, &format!("verbs on {one:?} moved {other:?}"));
            kernel.release(now);
        }
        kernel.restore(Scope::All, start, Restore::All);
        before.into_iter().chain([start]).for_each(|i| kernel.release(i));
    }
    Ok(())
}

fn check_rates(kernel: &mut dyn Kernel, h: Real, slack: Real) -> Result<(), StepFailure> {
    let start = kernel.save(Scope::All, Save::Contacts);
    let (rate, _) = kernel.rate(Scope::All, RateOf::Step, h, h)?;
    let after = kernel.save(Scope::All, Save::Motion);
    same(kernel, start, after, "a rate changed the state");
    kernel.combine(start, &[])?;
    let none = kernel.save(Scope::All, Save::Motion);
    same(kernel, start, none, "a sum without terms is a restore");
    kernel.combine(start, &[(rate, h)])?;
    let euler = kernel.save(Scope::All, Save::Motion);
    kernel.restore(Scope::All, start, Restore::All);
    step(kernel, Scope::All, h)?;
    let stepped = kernel.save(Scope::All, Save::Motion);
    let apart = kernel.difference(euler, stepped);
    let most = apart.way.max(apart.speed * h).max(apart.angle);
    assert!(most <= slack, "Euler by its rate is {apart:?} from a solve and a drift");
    // two parts of a rate add up to the whole
    kernel.combine(start, &[(rate, 0.25 * h), (rate, 0.75 * h)])?;
    let halves = kernel.save(Scope::All, Save::Motion);
    assert!(kernel.difference(euler, halves).way <= 1e-9, "two parts of a rate are not the whole");
    // velocities that lead from the start to the end of a step do lead there
    kernel.combine(start, &[(rate, h)])?;
    kernel.velocities_from(start, h);
    kernel.restore(Scope::All, start, Restore::Poses);
    kernel.drift(Scope::All, h)?;
    let led = kernel.save(Scope::All, Save::Motion);
    let apart = kernel.difference(led, euler);
    assert!(apart.way <= slack, "velocities that lead to the end of a step are off it by {apart:?}");
    kernel.restore(Scope::All, start, Restore::All);
    kernel.release_rates();
    release(kernel, [start, after, none, euler, stepped, halves, led]);
    Ok(())
}

fn check_metric(kernel: &mut dyn Kernel, h: Real) -> Result<(), StepFailure> {
    let start = kernel.save(Scope::All, Save::Contacts);
    let mut states = vec![start];
    for _ in 0..3 {
        step(kernel, Scope::All, h)?;
        states.push(kernel.save(Scope::All, Save::Motion));
    }
    for &a in &states {
        assert!(kernel.difference(a, a).is_zero(), "a state is apart from itself");
        for &b in &states {
            let (to, back) = (kernel.difference(a, b), kernel.difference(b, a));
            assert_eq!(to, back, "there is not as far as back");
            for &c in &states {
                let (first, second) = (kernel.difference(a, c), kernel.difference(c, b));
                for (way, x, y) in [
                    (to.translation, first.translation, second.translation),
                    (to.angle, first.angle, second.angle),
                    (to.way, first.way, second.way),
                    (to.speed, first.speed, second.speed),
                ] {
                    assert!(way <= (x + y) * (1.0 + 1e-9) + 1e-9, "{way} is further than {x} and {y}");
                }
            }
        }
    }
    kernel.restore(Scope::All, start, Restore::All);
    release(kernel, states);
    Ok(())
}

fn check_records(kernel: &mut dyn Kernel) {
    let all = kernel.pairs(Scope::All).to_vec();
    assert!(all.windows(2).all(|w| w[0].pair < w[1].pair), "records are not by pair");
    let mut parts: Vec<PairRecord> = Vec::new();
    for scope in scopes(kernel) {
        parts.extend_from_slice(kernel.pairs(scope));
    }
    for (k, record) in parts.iter().enumerate() {
        assert!(all.contains(record), "{record:?} is of a part and not of all");
        assert!(parts[..k].iter().all(|r| r.pair != record.pair), "{record:?} is of two parts");
    }
    for record in all.iter().filter(|r| parts.iter().all(|p| p.pair != r.pair)) {
        let [a, b] = [record.pair.a, record.pair.b].map(|body| kernel.first_of(body));
        assert!(!record.held && (a.is_none() || a != b), "{record:?} crosses between {a:?} and {b:?}");
    }
    for record in &all {
        let t = record.not_before();
        assert!(t >= 0.0 && (t == 0.0) == (record.distance <= 0.0 || record.bound.closing.is_infinite()), "{record:?}");
    }
}

fn check_union(kernel: &mut dyn Kernel, h: Real) -> Result<(), StepFailure> {
    let start = kernel.save(Scope::All, Save::Contacts);
    let held: Vec<_> = kernel.pairs(Scope::All).iter().filter(|r| r.held).map(|r| r.pair).collect();
    kernel.predict(Scope::All, 4.0 * h)?;
    let there = DetectMode { contacts: ContactSet::Union, ..DetectMode::default() };
    kernel.detect(Scope::All, there)?;
    let both: Vec<_> = kernel.pairs(Scope::All).iter().filter(|r| r.held).map(|r| r.pair).collect();
    let lost: Vec<_> = held.iter().filter(|p| !both.contains(p)).collect();
    assert!(lost.is_empty(), "the union of contacts has lost {lost:?}");
    // what was found there is evaluated here
    kernel.restore(Scope::All, start, Restore::Motion);
    kernel.refresh(Scope::All, Some(start));
    kernel.restore(Scope::All, start, Restore::All);
    kernel.release(start);
    Ok(())
}

fn check_join(kernel: &mut dyn Kernel) {
    if let [one, other, ..] = *kernel.groups() {
        kernel.join(one, other);
        let [first, second] = [one, other].map(|b| kernel.first_of(b));
        assert!(first.is_some() && first == second, "{one:?} and {other:?} were joined: {first:?}, {second:?}");
    }
}
