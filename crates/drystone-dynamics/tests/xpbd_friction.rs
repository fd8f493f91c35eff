//! Static friction in position-based dynamics holds a body where it came to rest.

use drystone_dynamics::{Xpbd, XpbdParameters};
use drystone_math::{Twist, Vec3};
use drystone_testkit::problem::{Group, block_on_floor};

/// A block that slides down a slope stops within the step if friction exceeds the slope: it has slid `v^2 / 2 a`, and static friction holds it
/// there, not where the step began. If friction only took its velocity away, the block would creep on by `g sin(slope) h^2` per sub-step.
#[test]
fn a_block_that_has_slid_stays_where_it_stops() {
    const G: f64 = 9.81;
    let (slope, friction, speed, sub_step) = (0.3_f64, 0.8, 0.2, 1e-3);
    let slid = |sub_steps: u32| {
        let h = f64::from(sub_steps) * sub_step;
        let mut p = block_on_floor(2.0, h);
        p.gravity = G;
        p.bodies[1].velocity = Twist::new(Vec3::X * speed, Vec3::ZERO);
        p.bodies[1].external.linear = Vec3::new(slope.sin(), -slope.cos(), 0.0) * (G * h);
        p.contacts.iter_mut().for_each(|c| c.friction = friction);
        let mut group = Group::from(p);
        let parameters = XpbdParameters { sub_steps, position_iterations: 50, ..XpbdParameters::default() };
        group.solve(&mut Xpbd::new(parameters), h, h);
        group.answer.displacement[1].linear.x
    };
    let slows = G * (friction * slope.cos() - slope.sin());
    let (way, stops) = (speed * speed / (2.0 * slows), speed / slows);
    let after = (stops / sub_step).ceil() as u32 + 2;
    for more in [0, 20, 60] {
        let found = slid(after + more);
        assert!((found - way).abs() < 2.0 * speed * sub_step, "{found} m, not {way}");
        let creep = G * slope.sin() * sub_step * sub_step;
        assert!((found - slid(after)).abs() < creep, "{more} sub-steps later at {found} m");
    }
}
