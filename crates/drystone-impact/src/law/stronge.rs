use super::{Law, approach};
use drystone_core::catalogue::Implementation;
use drystone_core::{CollisionLaw, ImpactContact, settings};
use drystone_math::{Mat3, Real, Vec2, Vec3, tangent_basis};

settings! {
    /// The law of a contact that deforms: a spring along the normal and one across it, which slides where its force
    /// leaves Coulomb's cone, followed in time from touch to parting.
    ///
    /// The spring across stores what it is given and turns slip around: a ball without friction's limit leaves with
    /// `cos(pi eta)` of its slip, `eta` being the ratio of the two frequencies. The normal spring is stiffer as it
    /// lets go, so that it gives back e squared of its work (Stronge's energetic coefficient): energy never grows.
    /// The stiffness itself cancels, as positions of bodies do not change within an impact.
    ///
    /// # Cost
    /// Some thousand small steps: a hundred times a law without a course.
    ///
    /// # Source
    /// D-08; W. J. Stronge, "Impact Mechanics", 2000, chapters 3 to 5; N. Maw, J. R. Barber, J. N. Fawcett, "The oblique
    /// impact of elastic spheres", 1976. The laws of full deformation that Erleben 2005, section 2.2.4, leaves out, with
    /// the deformation lumped at the contact.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Stronge {
        /// stronge: ratio of tangential to normal contact stiffness; 2 (1 - nu) / (2 - nu) for elastic balls
        tangential_stiffness: Real = real(0.82, 0.0, 100.0),
    }
}

impl Stronge {
    /// Name, parameters and source.
    pub const DESCRIPTION: Implementation = Implementation {
        name: Law::Stronge.name(),
        summary: "the contact deforms: springs along and across the normal, with Coulomb friction, followed in time",
        source: "Stronge 2000; Maw, Barber and Fawcett 1976",
        parameters: Self::PARAMETERS,
    };
}

/// Phase angle of the faster oscillation covered by a step.
const STEP: Real = 1.0 / 128.0;
/// Fixed-point passes per step; each leaves less than 1e-4 of the error of the one before.
const PASSES: usize = 4;
/// The spring across has at most this many times the frequency of the one along the normal; stiffer ones stick just as
/// well.
const FASTEST: Real = 16.0;
/// Below this coefficient of restitution nothing is given back.
const PLASTIC: Real = 1e-12;
/// Limit on the steps of a phase, more than any terminating phase needs.
const MOST_STEPS: usize = 50_000;
/// Halvings that find the end of a phase within its last step.
const HALVINGS: usize = 60;

/// An impact in the contact frame (t1, t2, n), in units of time in which the normal spring has frequency one.
struct Impact {
    matrix: Mat3,
    velocity: Vec3,
    friction: Real,
    across: Real,
}

/// Force law of the normal spring: `stiffness` times its depth beyond `rest`.
#[derive(Clone, Copy)]
struct Push {
    stiffness: Real,
    rest: Real,
}

impl Push {
    fn at(self, depth: Real) -> Real {
        self.stiffness * (depth - self.rest).max(0.0)
    }
}

/// Deformation of the contact, and the impulse so far.
#[derive(Clone, Copy)]
struct Deformed {
    depth: Real,
    spring: Vec2,
    impulse: Vec3,
}

impl Impact {
    fn normal_velocity(&self, at: &Deformed) -> Real {
        (self.velocity + self.matrix * at.impulse).z
    }

    /// The deformation a time h later, by the midpoint rule, which keeps the energy of springs that stick. The spring
    /// across is cut back to what friction holds at the end; if that would reverse it, its last force counts.
    fn step(&self, from: &Deformed, push: Push, h: Real) -> Deformed {
        let mut to = *from;
        for _ in 0..PASSES {
            let velocity = self.velocity + self.matrix * ((from.impulse + to.impulse) * 0.5);
            to.depth = from.depth - h * velocity.z;
            let normal = 0.5 * (push.at(from.depth) + push.at(to.depth));
            let stretched = from.spring + velocity.truncate() * h;
            to.spring = if self.across > 0.0 {
                stretched.clamp_length_max(self.friction * push.at(to.depth) / self.across)
            } else {
                Vec2::ZERO
            };
            let sum = from.spring + to.spring;
            let spring = if sum.dot(to.spring) >= 0.0 { sum * 0.5 } else { to.spring };
            to.impulse = from.impulse + (spring * -self.across).extend(normal) * h;
        }
        to
    }

    /// Steps until `over` reports that a phase has ended, and then back to its end.
    fn follow(&self, mut at: Deformed, push: Push, h: Real, over: impl Fn(&Deformed) -> bool) -> Deformed {
        for _ in 0..MOST_STEPS {
            let next = self.step(&at, push, h);
            if !over(&next) {
                at = next;
                continue;
            }
            let (mut before, mut after) = (0.0, h);
            for _ in 0..HALVINGS {
                let middle = 0.5 * (before + after);
                if over(&self.step(&at, push, middle)) {
                    after = middle;
                } else {
                    before = middle;
                }
            }
            return self.step(&at, push, after);
        }
        at
    }
}

impl CollisionLaw for Stronge {
    fn name(&self) -> &'static str {
        Self::DESCRIPTION.name
    }

    fn impulse(&self, c: &ImpactContact) -> Vec3 {
        let Some((_, k_n)) = approach(c) else { return Vec3::ZERO };
        let (t1, t2) = tangent_basis(c.normal);
        let frame = Mat3::from_cols(t1, t2, c.normal);
        let matrix = frame.transpose() * c.collision_matrix * frame;
        let softest = FASTEST * FASTEST / (matrix.x_axis.x + matrix.y_axis.y);
        let along = 1.0 / k_n;
        let across = (self.tangential_stiffness * along).min(softest);
        let impact =
            Impact { matrix, velocity: frame.transpose() * c.relative_velocity, friction: c.friction.max(0.0), across };
        let h = STEP / (across * (matrix.x_axis.x + matrix.y_axis.y)).sqrt().max(1.0);
        let untouched = Deformed { depth: 0.0, spring: Vec2::ZERO, impulse: Vec3::ZERO };
        let loading = Push { stiffness: along, rest: 0.0 };
        let mut at = impact.follow(untouched, loading, h, |d| impact.normal_velocity(d) >= 0.0);
        let e = c.restitution;
        if e > PLASTIC {
            let unloading = Push { stiffness: along / (e * e), rest: (1.0 - e * e) * at.depth };
            at = impact.follow(at, unloading, h * e.min(1.0), |d| d.depth <= unloading.rest);
        }
        frame * at.impulse
    }
}

#[cfg(test)]
mod tests {
    use super::super::split;
    use super::*;
    use crate::RouthMirtich;

    /// A solid ball of 1 kg: 1/kg along the normal (y), 3.5 across.
    fn ball(velocity: Vec3, friction: Real, restitution: Real) -> ImpactContact {
        let collision_matrix = Mat3::from_diagonal(Vec3::new(3.5, 1.0, 3.5));
        ImpactContact { collision_matrix, relative_velocity: velocity, normal: Vec3::Y, friction, restitution }
    }

    #[test]
    fn a_ball_that_sticks_leaves_with_the_cosine_of_its_springs() {
        for stiffness in [0.1, 0.3, 0.82, 1.5] {
            let c = ball(Vec3::new(0.3, -2.0, 0.4), 1e5, 1.0);
            let after =
                c.relative_velocity + c.collision_matrix * Stronge { tangential_stiffness: stiffness }.impulse(&c);
            let (up, slip) = split(after, Vec3::Y);
            let expected = (core::f64::consts::PI * (3.5 * stiffness).sqrt()).cos() * Vec3::new(0.3, 0.0, 0.4);
            assert!(
                (up - 2.0).abs() < 1e-9 && (slip - expected).length() < 2e-3 * 0.5,
                "{stiffness}: {after}, {expected}"
            );
            // without a spring across it stops
            let stopped = c.relative_velocity + c.collision_matrix * RouthMirtich.impulse(&c);
            assert!(split(stopped, Vec3::Y).1.length() < 1e-7, "{stopped}");
        }
    }

    /// The remaining fraction of the slip of a ball that sticks: the spring across runs for `(1 + e) / 2` half periods of the normal spring.
    fn left(stiffness: Real, e: Real, scale: Real) -> Real {
        let c = ball(Vec3::new(0.3, -2.0, 0.4), 1e5, e);
        let c = ImpactContact { collision_matrix: c.collision_matrix * scale, ..c };
        let after = c.relative_velocity + c.collision_matrix * Stronge { tangential_stiffness: stiffness }.impulse(&c);
        let (up, slip) = split(after, Vec3::Y);
        assert!((up - 2.0 * e).abs() < 1e-9, "{up} m/s up at e = {e}");
        slip.dot(Vec3::new(0.6, 0.0, 0.8)) / 0.5
    }

    /// A step covers a phase angle of at most `STEP` of the springs across. In the last step their force ends where a straight line to zero would,
    /// which leaves half of its angle undone; in all others the midpoint rule is off by a twelfth of the angle's square, per unit angle.
    #[test]
    fn steps_are_as_fine_as_the_springs_across_are_stiff() {
        for k in 0..=32 {
            for (e, scale) in [(1.0, 1.0), (0.5, 0.125), (0.2, 8.0)] {
                let stiffness = 4.0 + Real::from(k);
                let angle = core::f64::consts::FRAC_PI_2 * (1.0 + e) * Real::sqrt(3.5 * stiffness);
                // for two directions together
                let step = STEP / Real::sqrt(2.0);
                let most = 0.5 * step + angle * step * step / 12.0;
                let (found, expected) = (left(stiffness, e, scale), angle.cos());
                assert!((found - expected).abs() < most, "{stiffness}, {e}: {found}, not {expected} to {most:e}");
            }
        }
    }

    /// Springs across with more than 16 times the frequency, both directions together, are treated as having 16 times.
    #[test]
    fn stiffer_springs_across_than_the_stiffest_are_these() {
        let stiffest = FASTEST * FASTEST / 7.0;
        assert!((left(100.0, 1.0, 1.0) - left(stiffest, 1.0, 1.0)).abs() < 1e-12);
        assert!((left(100.0, 1.0, 1.0) - (core::f64::consts::PI * 128.0_f64.sqrt()).cos()).abs() < 0.5 * STEP);
        // the control: those below differ
        assert!((left(36.0, 1.0, 1.0) - left(stiffest, 1.0, 1.0)).abs() > 1e-2);
    }

    #[test]
    fn a_grazing_ball_slides_throughout() {
        // Maw, Barber and Fawcett: from tan(angle) = mu (2 x 3.5 - 1 / stiffness) on
        let bound = 0.1 * (2.0 * 3.5 - 1.0 / 0.82);
        let ratio = |slip: Real| {
            let p = Stronge::default().impulse(&ball(Vec3::new(slip, -1.0, 0.0), 0.1, 1.0));
            -p.x / (0.1 * p.y)
        };
        assert!((ratio(1.05 * bound) - 1.0).abs() < 1e-9, "{}", ratio(1.05 * bound));
        assert!(ratio(0.9 * bound) < 0.99, "{}", ratio(0.9 * bound));
    }

    /// The same springs in many small explicit steps, for any slip.
    fn in_small_steps(c: &ImpactContact, stiffness: Real) -> Vec3 {
        let along = 1.0 / c.normal.dot(c.collision_matrix * c.normal);
        let h = 2e-5;
        let (mut u, mut p, mut spring, mut depth) = (c.relative_velocity, Vec3::ZERO, Vec3::ZERO, 0.0);
        let mut deepest = Real::INFINITY;
        for _ in 0..10_000_000 {
            let (v, slip) = split(u, c.normal);
            depth -= h * v;
            if v >= 0.0 && deepest == Real::INFINITY {
                deepest = depth;
            }
            let e2 = c.restitution * c.restitution;
            let force =
                if deepest == Real::INFINITY { along * depth } else { along / e2 * (depth - (1.0 - e2) * deepest) };
            if force <= 0.0 {
                return p;
            }
            spring = (spring + slip * h).clamp_length_max(c.friction * force / (stiffness * along));
            let d = (c.normal * force - spring * (stiffness * along)) * h;
            u += c.collision_matrix * d;
            p += d;
        }
        panic!("no end of {c:?}");
    }

    #[test]
    fn its_steps_are_fine_enough() {
        let mut numbers = super::super::tests::Numbers(41);
        for _ in 0..30 {
            let mut c = numbers.impact();
            c.restitution = c.restitution.max(0.1);
            let (found, expected) = (Stronge::default().impulse(&c), in_small_steps(&c, 0.82));
            assert!((found - expected).length() < 2e-3 * expected.length(), "{found} {expected}");
        }
    }
}
