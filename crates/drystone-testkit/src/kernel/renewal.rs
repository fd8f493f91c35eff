use super::{release, same};
use drystone_core::{BodyIndex, BodyPair, DetectMode, Instant, Kernel, Restore, Save, Scope, StepFailure};
use drystone_math::Real;

/// Number of steps that bodies move before their contacts are found anew: far enough to reveal points that stay behind.
const STEPS: Real = 3.0;
/// Known contacts stay as long as they hold, beside those found anew: solves with other points of the same patch may differ by this many times the slack.
const OTHER_POINTS: Real = 4.0;

/// Which pairs touch, and where.
#[derive(Debug, PartialEq)]
struct Touching {
    held: Vec<BodyPair>,
    groups: Vec<BodyIndex>,
}

impl Touching {
    fn now(kernel: &mut dyn Kernel) -> Self {
        let held = kernel.pairs(Scope::All).iter().filter(|r| r.held).map(|r| r.pair).collect();
        Self { held, groups: kernel.groups().to_vec() }
    }
}

/// Contacts found anew after bodies have moved are those that a detection finds there, except that no other pairs are found. Nothing moves, no pair gets its first
/// contact, and if nothing has moved there is nothing new.
pub(super) fn check_renewal(kernel: &mut dyn Kernel, h: Real, slack: Real) -> Result<(), StepFailure> {
    let ahead = DetectMode { look_ahead: (1.0 + STEPS) * h, ..DetectMode::default() };
    kernel.detect(Scope::All, ahead)?;
    let start = kernel.save(Scope::All, Save::Contacts);
    let before = Touching::now(kernel);
    let here = solved(kernel, h)?;
    kernel.restore(Scope::All, start, Restore::All);
    kernel.renew(Scope::All)?;
    let still = Touching::now(kernel);
    assert_eq!(still, before, "contacts found anew where nothing moved are others");
    let again = solved(kernel, h)?;
    let off = apart(kernel, [here, again], h);
    assert!(off <= slack, "contacts found anew where nothing moved: a solve is {off} off");

    kernel.restore(Scope::All, start, Restore::All);
    kernel.predict(Scope::All, STEPS * h)?;
    let there = kernel.save(Scope::All, Save::Motion);
    kernel.renew(Scope::All)?;
    let now = kernel.save(Scope::All, Save::Motion);
    same(kernel, there, now, "finding contacts anew moved something");
    let renewed = Touching::now(kernel);
    let first: Vec<_> = renewed.held.iter().filter(|p| !before.held.contains(p)).collect();
    assert!(first.is_empty(), "finding contacts anew gave {first:?} their first contact");
    assert_eq!(renewed.groups, before.groups, "finding contacts anew changed groups");
    let by_renewal = solved(kernel, h)?;

    kernel.restore(Scope::All, start, Restore::All);
    kernel.predict(Scope::All, STEPS * h)?;
    kernel.detect(Scope::All, ahead)?;
    let found = Touching::now(kernel);
    let by_detection = solved(kernel, h)?;
    if found == renewed {
        let off = apart(kernel, [by_renewal, by_detection], h);
        assert!(off <= OTHER_POINTS * slack, "contacts found anew are not those found there: a solve is {off} off");
    }
    kernel.restore(Scope::All, start, Restore::All);
    release(kernel, [start, here, again, there, now, by_renewal, by_detection]);
    Ok(())
}

/// The instant after a solve of the present contacts.
fn solved(kernel: &mut dyn Kernel, h: Real) -> Result<Instant, StepFailure> {
    kernel.solve(Scope::All, h, h)?;
    Ok(kernel.save(Scope::All, Save::Motion))
}

/// Difference of two solves over a step.
fn apart(kernel: &mut dyn Kernel, [a, b]: [Instant; 2], h: Real) -> Real {
    kernel.difference(a, b).speed * h
}
