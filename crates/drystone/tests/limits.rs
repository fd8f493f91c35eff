//! Runs that do not diverge stay within the limits, whatever their height, origin and energy; after a failure the state can still be read.

use drystone::core::{DetectMode, Kernel, Scope, StepFailure, TimeControl, TimeReport};
use drystone::prelude::*;
use drystone::{Limits, core::FailureKind, core::LimitedFigure};

/// Lets everything fall at four times gravity after half a second.
struct Hurry;

impl TimeControl for Hurry {
    fn name(&self) -> &'static str {
        "hurry"
    }

    fn advance(&mut self, kernel: &mut dyn Kernel, dt: f64) -> Result<TimeReport, StepFailure> {
        kernel.detect(Scope::All, DetectMode::default())?;
        kernel.solve(Scope::All, dt, dt)?;
        if kernel.time() > 0.5 {
            for _ in 0..3 {
                kernel.repeat(Scope::All)?;
            }
        }
        kernel.drift(Scope::All, dt)?;
        kernel.set_time(kernel.time() + dt);
        Ok(TimeReport::default())
    }
}

fn ball() -> Body {
    Body::dynamic(Shape::sphere(0.5).unwrap())
}

#[test]
fn a_gain_of_energy_is_a_failure_wherever_the_origin_is() {
    for offset in [0.0, -1e6, 1e6] {
        let mut world = World::builder().time_control(Hurry).build().unwrap();
        let flyer = world.add(ball().at([0.0, offset, 0.0])).unwrap();
        let failed = (0..500).find_map(|_| world.advance(0.01).err()).expect("four times gravity");
        let WorldError::Step(step) = &failed else { panic!("{failed}") };
        assert!(matches!(step.kind, FailureKind::Limit { figure: LimitedFigure::Energy, .. }), "{failed}");
        // the state can be read, and the world goes on once its limits are lifted
        assert!(world.velocity(flyer).unwrap().linear.y < -10.0);
        world.set_limits(Limits::NONE);
        world.advance(0.01).unwrap();
        // an edit starts the comparison afresh
        world.set_limits(Limits::default());
        world.set_velocity(flyer, Twist::ZERO).unwrap();
        world.advance(0.01).unwrap();
    }
}

#[test]
fn what_falls_bounces_rests_and_is_pushed_stays_within() {
    for paradigm in [
        Paradigm::REAL_TIME,
        Paradigm::VELOCITY_LCP,
        Paradigm::LOAD_PROPAGATION,
        Paradigm::MECHANISM,
        Paradigm::FIRST_ORDER,
    ] {
        for (height, offset) in [(0.5, 0.0), (0.5, -1e5), (100.0, 0.0), (1000.0, 1e4)] {
            let mut world = World::builder().paradigm(paradigm).build().unwrap();
            let lively = Material { restitution: 0.9, ..Material::default() };
            let lively = world.add_material(lively).unwrap();
            world.add(Body::fixed(Shape::plane(Vec3::Y, offset).unwrap()).material(lively)).unwrap();
            let flyer = world.add(ball().at([0.0, offset + height, 0.0]).material(lively)).unwrap();
            for k in 0..400 {
                if k == 200 {
                    world.apply_impulse(flyer, Vec3::new(0.0, 1e4, 1e3), Vec3::ZERO).ok();
                }
                world.advance(0.01).unwrap_or_else(|e| panic!("{} from {height} m at {offset} m: {e}", paradigm.name));
            }
        }
    }
    // at rest and without gravity, there is no energy to compare with
    let mut world = World::builder().gravity(Vec3::ZERO).build().unwrap();
    world.add(ball()).unwrap();
    world.add(ball().at([0.999, 0.0, 0.0])).unwrap();
    for _ in 0..100 {
        world.advance(0.01).unwrap();
    }
}

#[test]
fn an_energy_beyond_all_numbers_is_a_failure() {
    for paradigm in [Paradigm::REAL_TIME, Paradigm::VELOCITY_LCP, Paradigm::MECHANISM] {
        let fly = |speed: f64| {
            let mut world = World::builder().paradigm(paradigm).build().unwrap();
            world.add(ball().linear_velocity([speed, 0.0, 0.0])).unwrap();
            world.advance(0.01)
        };
        // the square of this speed overflows; that of the control does not
        let failed = fly(1e200).unwrap_err();
        assert!(failed.to_string().contains("energy"), "{}: {failed}", paradigm.name);
        assert!(fly(1e100).is_ok(), "{}", paradigm.name);
    }
}

/// Balls on springs and in still air: their energy must not grow either.
#[test]
fn a_gain_on_springs_and_in_still_air_is_a_failure() {
    use drystone_motion::force::{Anchor, Drag, SpringDamper};
    let mut random = drystone_testkit::Random::new(20);
    let build = |control: bool, by_joint: bool, stiffness: f64, drop: f64| {
        let builder = World::builder();
        let mut world = if control { builder.time_control(Hurry).build() } else { builder.build() }.unwrap();
        let body = world.add(ball().mass(1.0).at([drop, 0.0, 0.0])).unwrap();
        if by_joint {
            let spring = Spring { stiffness, damping: 0.0, rest: 1.0 };
            let rod = Joint::distance(Joint::WORLD, body).anchor(Vec3::ZERO).second_anchor([drop, 0.0, 0.0]);
            world.join(rod.spring(spring)).unwrap();
        } else {
            let anchors =
                [Anchor::World(Vec3::ZERO), Anchor::Body { body: drystone::core::BodyIndex(0), point: Vec3::ZERO }];
            let max_force = f64::INFINITY;
            world.add_force(SpringDamper { anchors, rest_length: 1.0, stiffness, damping: 0.0, max_force });
            world.add_force(Drag { viscous: 0.01, ..Drag::default() });
        }
        world
    };
    for k in 0..20 {
        let (stiffness, drop) = (random.range(5.0, 200.0), random.range(0.8, 1.5));
        let fails = |control| {
            let mut world = build(control, k % 2 == 0, stiffness, drop);
            (0..3000).find_map(|_| world.advance(0.01).err())
        };
        let failed = fails(true).expect("four times gravity");
        assert!(failed.to_string().contains("energy"), "{failed}");
        // negative control: a preset keeps it
        assert!(fails(false).is_none(), "{stiffness} {drop}");
    }
}
