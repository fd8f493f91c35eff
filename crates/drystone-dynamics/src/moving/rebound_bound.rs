use super::{MovingBody, PairPoint};
use drystone_core::make_room;
use drystone_math::{Real, Twist, Vec3};

/// A gain beyond the bound that is rounding, as a fraction of it.
const ROUNDING: Real = 1e-9;

/// A bound on the energy that restitution gives back to the bodies of a group.
///
/// Impulses that act together do the work of each along the mean of the velocities before and after (Thomson and Tait 1867, section 309). So what contacts took from the bodies as they
/// were pressed together is known, and with the square of its coefficient each may give it back (Stronge 1990, the energetic coefficient of restitution). Speeds of Newton's law give more
/// where friction acts, or where a contact that parts is pressed back: then all of the group take the same part of their changes.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReboundBound {
    /// Velocities before anything was given back.
    before: Vec<Twist>,
}

impl ReboundBound {
    /// With memory for so many bodies: the first bounce after a long rest allocates nothing.
    pub(crate) fn make_room(&mut self, bodies: usize) {
        make_room(&mut self.before, bodies);
    }

    /// Nothing is given back yet.
    pub(crate) fn begin(&mut self, bodies: &[MovingBody]) {
        self.before.clear();
        self.before.extend(bodies.iter().map(|b| b.velocity));
    }

    /// Leaves the bodies the part of their changes since then that gives at most so much energy (J, not negative), and says which part: `pushes` are the impulses that made them.
    pub(crate) fn end(
        &mut self,
        bodies: &mut [MovingBody],
        most: Real,
        pushes: &(impl Iterator<Item = (PairPoint, Vec3)> + Clone),
    ) -> Real {
        let power = |bodies: &[MovingBody]| -> Real {
            pushes.clone().map(|(at, impulse)| impulse.dot(at.relative_velocity(bodies))).sum()
        };
        let after = power(bodies);
        self.swap(bodies);
        let before = power(bodies);
        let part = part_within(most, [before, after]);
        for (body, full) in bodies.iter_mut().zip(&self.before) {
            body.velocity += (*full - body.velocity) * part;
        }
        part
    }

    fn swap(&mut self, bodies: &mut [MovingBody]) {
        for (body, other) in bodies.iter_mut().zip(&mut self.before) {
            core::mem::swap(&mut body.velocity, other);
        }
    }
}

/// Energy that contacts may give back (J), from the coefficient of restitution of each, and the energy that it took
/// from its bodies by its normal alone and with friction.
pub(crate) fn rebound_energy(contacts: impl Iterator<Item = (Real, [Real; 2])>) -> Real {
    let [by_normals, all] = contacts.fold([0.0; 2], |[by_normals, all], (e, [by_normal, with_friction])| {
        [by_normals + e * e * by_normal, all + with_friction]
    });
    // friction that stops a slip that the normal made gives, though all of them together take
    by_normals.min(all).max(0.0)
}

/// The part of some impulses that gives at most so much energy: by what they give along the velocities before and after them.
fn part_within(most: Real, [before, after]: [Real; 2]) -> Real {
    if 0.5 * (before + after) <= most * (1.0 + ROUNDING) {
        return 1.0;
    }
    // part^2 (after - before) / 2 + part before = most, and after > before
    let rise = after - before;
    let root = (before * before + 2.0 * rise * most).max(0.0).sqrt();
    // without the difference of like numbers
    let part = if before > 0.0 { 2.0 * most / (before + root) } else { (root - before) / rise };
    part.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_gives_what_is_allowed() {
        for (most, [before, after]) in
            [(1.0, [0.0, 4.0]), (1.0, [1.0, 4.0]), (1.0, [-1.0, 4.0]), (0.0, [0.5, 4.0]), (0.0, [-0.5, 4.0])]
        {
            let part = part_within(most, [before, after]);
            let given = part * before + 0.5 * part * part * (after - before);
            assert!((given - most).abs() < 1e-12, "{part} gives {given} of {most}");
        }
        assert_eq!(part_within(2.0, [0.0, 4.0]), 1.0);
        assert_eq!(part_within(0.0, [-1.0, 0.5]), 1.0);
    }
}
