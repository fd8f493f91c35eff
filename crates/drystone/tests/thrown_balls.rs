//! Balls thrown at a floor, far from it or near at the start of the step in which they meet it: friction at an impact acts at their surface.

use drystone::core::catalogue::Value;
use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind};
use drystone_math::Twist;
use drystone_testkit::Random;

/// A throw in the plane of x and y: radius, velocity and spin about z, friction and restitution.
#[derive(Debug, Clone, Copy)]
struct Throw {
    radius: f64,
    velocity: [f64; 2],
    spin: f64,
    friction: f64,
    restitution: f64,
    height: f64,
}

impl Throw {
    fn random(r: &mut Random) -> Self {
        let radius = r.range(0.02, 0.1);
        Self {
            radius,
            velocity: [r.range(-4.0, 4.0), r.range(-6.0, -2.0)],
            spin: r.range(-40.0, 40.0),
            friction: r.range(0.05, 1.0),
            restitution: r.range(0.3, 1.0),
            height: radius + r.range(0.05, 0.4),
        }
    }

    /// Velocity along the floor and spin after an impact that reverses `reversed` of the slip if it sticks.
    fn after(&self, reversed: f64) -> [f64; 2] {
        // the point at the bottom slips by v + w r; an impulse changes that by 7/2 of what it changes v by
        let slip = self.velocity[0] + self.spin * self.radius;
        let most = self.friction * (1.0 + self.restitution) * -self.velocity[1];
        let change = -(slip * (1.0 + reversed) * 2.0 / 7.0).clamp(-most, most);
        [self.velocity[0] + change, self.spin + change * self.radius / (0.4 * self.radius * self.radius)]
    }

    fn fly(&self, preset: Paradigm, choice: Option<ModuleChoice>, h: f64) -> [f64; 2] {
        let mut builder = World::builder().paradigm(preset).gravity([0.0; 3]);
        if let Some(choice) = choice {
            builder = builder.choose(choice);
        }
        let mut world = builder.build().unwrap();
        let (friction, restitution) = (self.friction, self.restitution);
        let material = world.add_material(Material { friction, restitution, ..Material::default() }).unwrap();
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap()).material(material)).unwrap();
        let ball = Body::dynamic(Shape::sphere(self.radius).unwrap()).mass(0.3).material(material);
        let ball = world.add(ball.at([0.0, self.height, 0.0])).unwrap();
        let [x, y] = self.velocity;
        world.set_velocity(ball, Twist::new(Vec3::new(x, y, 0.0), Vec3::Z * self.spin)).unwrap();
        for _ in 0..(0.3 / h).ceil() as usize {
            world.advance(h).unwrap();
        }
        let after = world.velocity(ball).unwrap();
        assert!(after.linear.y > 0.0);
        [after.linear.x, after.angular.z]
    }
}

const STEPS: [f64; 3] = [1.0 / 60.0, 1.0 / 240.0, 1.0 / 960.0];

#[test]
fn friction_of_an_impact_acts_at_the_surface() {
    let mut random = Random::new(16);
    for preset in [Paradigm::REAL_TIME, Paradigm::VELOCITY_LCP, Paradigm::MECHANISM, Paradigm::SHOCK_PROPAGATION] {
        for k in 0..30 {
            let throw = Throw::random(&mut random);
            let [v, w] = throw.fly(preset, None, STEPS[k % 3]);
            let right = throw.after(0.0);
            let off = (v - right[0]).abs().max((w - right[1]).abs() * throw.radius);
            assert!(off < 0.02, "{} {throw:?}: {v} {w}, right {right:?}", preset.name);
        }
    }
}

/// Garwin's superball: the slip of a sticking impact is reversed.
#[test]
fn superballs_reverse_their_slip_under_every_preset_that_takes_the_law() {
    let settings = [("law", Value::Text("chatterjee-ruina".to_owned())), ("tangential_restitution", Value::Real(1.0))];
    let law = || ModuleChoice {
        kind: ModuleKind::CollisionSolver,
        name: Some("sequential".to_owned()),
        settings: settings.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect(),
    };
    let mut random = Random::new(61);
    let presets = [
        Paradigm::REAL_TIME,
        Paradigm::VELOCITY_LCP,
        Paradigm::MECHANISM,
        Paradigm::RETROACTIVE,
        Paradigm::TIMEWARP,
        Paradigm::HYBRID,
        Paradigm::IMPULSE_SPLIT,
        Paradigm::VORTEX,
    ];
    let mut differ = 0;
    for preset in presets {
        for k in 0..15 {
            let throw = Throw { friction: 5.0, restitution: 1.0, ..Throw::random(&mut random) };
            let [v, w] = throw.fly(preset, Some(law()), STEPS[k % 3]);
            let right = throw.after(1.0);
            let off = (v - right[0]).abs().max((w - right[1]).abs() * throw.radius);
            assert!(off < 1e-3, "{} {throw:?}: {v} {w}, right {right:?}", preset.name);
            // negative control: without the law the ball only sticks
            let plain = throw.after(0.0);
            differ += u32::from((v - plain[0]).abs() > 0.05);
        }
    }
    assert!(differ > 100, "{differ}");
}
