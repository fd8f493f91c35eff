use crate::{ModuleKind, Modules};
use core::fmt;
use drystone_core::{Bouncing, Configuration, MaterialIndex};

/// A feature of a configuration that the modules leave out: a run goes on as if it were not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeftOut {
    /// The feature, in a word or two.
    pub what: &'static str,
    /// The module that leaves it out.
    pub kind: ModuleKind,
    /// Its name.
    pub name: &'static str,
    /// Why, as the end of a sentence about the module.
    pub why: &'static str,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, kind, name, why } = self;
        write!(f, "{what} is left out: {} '{name}' {why}", kind.table().replace('_', " "))
    }
}

impl Modules {
    /// Features of a world with this configuration that these modules leave out.
    pub fn left_out(&self, configuration: &Configuration) -> Vec<LeftOut> {
        let solver = &self.stages.constraint_solver;
        // trains of impulses hold up what rests, and need no more than one point at a time
        let rests = !self.time_control.acts_by_impacts();
        let by_solver = solver.leaves_out(configuration).filter(|_| rests).map(|what| LeftOut {
            what,
            kind: ModuleKind::ConstraintSolver,
            name: solver.name(),
            why: "has none",
        });
        let bounces = any_restitution(configuration);
        let determination = &self.stages.contact_determination;
        let by_points = configuration
            .bodies
            .iter()
            .filter(|b| b.is_dynamic())
            .find_map(|b| determination.leaves_out(&b.shape))
            .filter(|_| rests)
            .map(|what| LeftOut {
                what,
                kind: ModuleKind::ContactDetermination,
                name: determination.name(),
                why: "finds one point of each pair, on which bodies rock and sink",
            });
        by_solver.into_iter().chain(by_points).chain(self.no_bounce().filter(|_| bounces)).collect()
    }

    /// The module because of which nothing bounces, or not as far as it should; `None` if bodies bounce.
    fn no_bounce(&self) -> Option<LeftOut> {
        let (control, stages) = (&self.time_control, &self.stages);
        let by = |kind, name, why| Some(LeftOut { what: "restitution", kind, name, why });
        if self.is_first_order() {
            return by(ModuleKind::MotionSolver, stages.motion_solver.name(), "has no inertia");
        }
        let collides = stages.resolves_impacts();
        let by_control = |why| by(ModuleKind::TimeControl, control.name(), why);
        match control.bouncing() {
            Bouncing::Nowhere => by_control("lets nothing bounce"),
            Bouncing::ByCollisionSolver if !collides => {
                by_control("lets bodies bounce by a collision solver, and there is none")
            }
            Bouncing::ByConstraintSolver if collides => by_control("calls no collision solver"),
            _ if !collides && !stages.constraint_solver.resolves().restitution => by(
                ModuleKind::ConstraintSolver,
                stages.constraint_solver.name(),
                "makes nothing bounce, and there is no collision solver",
            ),
            _ if collides && stages.constraint_solver.holds_early() => by(
                ModuleKind::ConstraintSolver,
                stages.constraint_solver.name(),
                "holds contacts before they close, and what the collision solver makes bounce has lost a part of its velocity by then",
            ),
            _ => None,
        }
    }
}

/// Returns true if two bodies that may meet bounce off each other.
fn any_restitution(configuration: &Configuration) -> bool {
    let mut used: Vec<(MaterialIndex, bool)> =
        configuration.bodies.iter().map(|b| (b.material, b.is_dynamic())).collect();
    used.sort_unstable();
    used.dedup();
    let bounce = |a: MaterialIndex, b: MaterialIndex| configuration.materials.pair(a, b).restitution > 0.0;
    configuration.bodies.len() > 1 && used.iter().any(|a| used.iter().any(|b| (a.1 || b.1) && bounce(a.0, b.0)))
}
