//! Restitution is never dropped without a word: under every choice of time control, constraint solver and collision solver a ball bounces to its height, or the world
//! says that it does not, or it is refused.

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};
use drystone_testkit::Random;

fn choice(kind: ModuleKind, name: &str) -> ModuleChoice {
    ModuleChoice { kind, name: Some(name.to_owned()), settings: Vec::new() }
}

/// A ball that falls on the ground.
#[derive(Debug, Clone, Copy)]
struct Drop {
    restitution: f64,
    /// Of its lowest point above the ground (m).
    height: f64,
    /// Step (s).
    h: f64,
}

impl Drop {
    fn random(rng: &mut Random) -> Self {
        Self { restitution: rng.range(0.4, 1.0), height: rng.range(0.2, 0.6), h: 10.0_f64.powf(rng.range(-3.0, -2.3)) }
    }

    fn build(self, modules: &[(ModuleKind, &str)]) -> Option<World> {
        let builder = World::builder().paradigm(Paradigm::VELOCITY_LCP);
        let choose = |b: drystone::WorldBuilder, (kind, name): &(ModuleKind, &str)| b.choose(choice(*kind, name));
        let mut world = modules.iter().fold(builder, choose).build().ok()?;
        let m = world.add_material(Material { restitution: self.restitution, ..Material::default() }).ok()?;
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).ok()?).material(m)).ok()?;
        let ball = Body::dynamic(Shape::sphere(0.1).ok()?).at([0.0, 0.1 + self.height, 0.0]).material(m);
        world.add(ball).ok()?;
        Some(world)
    }

    /// The height that the ball reaches after its first impact, as a fraction of what its restitution allows; `None` for a run that ends.
    fn reached(self, world: &mut World) -> Option<f64> {
        let ball = world.bodies()[1];
        let fall = (2.0 * self.height / 9.81).sqrt();
        let until = fall * (1.0 + self.restitution) + 3.0 * self.h;
        let (mut was_down, mut highest): (bool, f64) = (false, 0.0);
        while world.time() < until {
            world.advance(self.h).ok()?;
            let up = world.velocity(ball)?.linear.y > 0.0;
            was_down |= world.time() > fall - 3.0 * self.h;
            if was_down && (up || world.time() > fall + 3.0 * self.h) {
                highest = highest.max(world.position(ball)?.y - 0.1);
            }
        }
        Some(highest / (self.restitution.powi(2) * self.height))
    }
}

fn all(kind: ModuleKind) -> impl Iterator<Item = &'static str> {
    drystone::registry::implementations(kind).iter().map(|i| i.name)
}

#[test]
fn a_ball_bounces_or_the_world_says_that_it_does_not() {
    let mut rng = Random::new(55);
    let (mut well, mut said, mut refused, mut wrong) = (0, 0, 0, Vec::new());
    for control in all(ModuleKind::TimeControl) {
        for solver in all(ModuleKind::ConstraintSolver) {
            for collisions in all(ModuleKind::CollisionSolver) {
                let modules = [
                    (ModuleKind::TimeControl, control),
                    (ModuleKind::ConstraintSolver, solver),
                    (ModuleKind::CollisionSolver, collisions),
                ];
                // a negative example: it is there to fail
                if control == "explicit-euler" {
                    continue;
                }
                let drop = Drop::random(&mut rng);
                let Some(mut world) = drop.build(&modules) else {
                    refused += 1;
                    continue;
                };
                if world.left_out().iter().any(|left| ["restitution", "resting contact"].contains(&left.what)) {
                    said += 1;
                    continue;
                }
                let reached = drop.reached(&mut world);
                // springs at contacts give back a little more or less than is asked for
                let most = if solver == "penalty" { 1.3 } else { 1.1 };
                if reached.is_some_and(|part| (0.75..most).contains(&part)) {
                    well += 1;
                } else {
                    wrong.push(format!("{control} + {solver} + {collisions}: {reached:.2?} under {drop:.3?}"));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{well} bounced, {said} said, {refused} refused, {} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(well > 100 && said > 30 && refused > 100, "{well} bounced, {said} said, {refused} refused");
}
