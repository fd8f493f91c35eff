//! Cars.

use super::Entry;
use crate::ensure;
use crate::random::Random;
use crate::run::Member;
use crate::sketch::{G, Sketch, cuboid, cylinder, prism, turn};
use serde_json::json;
use std::f64::consts::FRAC_PI_2;

pub(super) const KINDS: &[Entry] = &[
    ("car_brake", "a braked car on a slope of 6 to 23 degrees: it creeps < 2 mm in 20 s", car_brake),
    ("car_ramp", "a car drives over a ramp: gap < 1 cm, it arrives, and goes straight", car_ramp),
];

/// Measures of a car.
struct Car {
    radius: f64,
    half: [f64; 3],
    mass: f64,
}

impl Car {
    fn draw(r: &mut Random) -> Self {
        Self {
            radius: r.range(0.25, 0.4),
            half: [r.range(1.2, 1.8), 0.2, r.range(0.5, 0.7)],
            mass: r.range(500.0, 1500.0),
        }
    }

    /// A chassis on four wheels that stand on the plane y = 0; each wheel turns by a hinge of kind `hinge2` with a spring that carries its share of the load with a
    /// stretch of 5 cm, and a motor on its spin. Steering is locked.
    fn add(&self, s: &mut Sketch, x: f64, motor: impl Fn(bool) -> serde_json::Value) {
        let (clear, weight) = (1.6 * self.radius, 0.25 * self.mass * G);
        s.body("chassis", cuboid(self.half), [x, clear + self.half[1], 0.0], self.mass);
        for (k, [along, side]) in [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]].into_iter().enumerate() {
            let at = [x + along * (self.half[0] - self.radius), self.radius, side * (self.half[2] + 0.15)];
            let name = format!("wheel{k}");
            let wheel = s.body(&name, cylinder(self.radius, 0.1), at, 0.03 * self.mass);
            wheel["orientation"] = turn([1.0, 0.0, 0.0], FRAC_PI_2);
            wheel["spin_axis"] = json!([0.0, 1.0, 0.0]);
            let joint = s.joint(&format!("axle{k}"), "hinge2", ["chassis", &name], at);
            joint["axis"] = json!([0.0, 1.0, 0.0]);
            joint["axis2"] = json!([0.0, 0.0, 1.0]);
            joint["limits"] = json!({ "lower": 0.0, "upper": 0.0 });
            let stiffness = weight / 0.05;
            let damping = 0.8 * (stiffness * 0.25 * self.mass).sqrt();
            joint["suspension"] = json!({ "stiffness": stiffness, "damping": damping });
            joint["motor2"] = motor(along < 0.0);
        }
    }
}

/// The slope is a turned gravity. The brakes hold more than the tyres; friction is 1.2 times the slope or more. Creep counts after a second, when the springs have settled.
fn car_brake(r: &mut Random) -> Member {
    let slope = r.range(6.0, 23.0_f64).to_radians();
    let car = Car::draw(r);
    let mut s = Sketch::new((slope.tan() * 1.2).max(r.range(0.5, 1.0)), 0.0);
    s.gravity([-G * slope.sin(), -G * slope.cos(), 0.0]);
    s.floor();
    let brake = 2.0 * car.mass * G * car.radius;
    car.add(&mut s, 0.0, |_| json!({ "velocity": 0.0, "max_force": brake }));
    Member::new(s, 21.0, |run| {
        let start = run.at(1.0).poses[1].position;
        let way = (run.last().poses[1].position - start).length();
        ensure!(way < 2e-3, "creeps by {:.1} mm", way * 1e3);
        Ok(())
    })
}

/// Rear wheels are driven to 3 to 8 m/s; the ramp goes up and down again, both at 3 to 10 degrees. Arrived: beyond the ramp; straight: within 0.3 m of the line.
fn car_ramp(r: &mut Random) -> Member {
    let car = Car::draw(r);
    let (speed, slope, length) = (r.range(3.0, 8.0), r.range(3.0, 10.0_f64).to_radians(), r.range(3.0, 6.0));
    let mut s = Sketch::new(r.range(0.8, 1.2), 0.0);
    s.floor();
    let torque = 0.25 * car.mass * G * car.radius;
    let spin = speed / car.radius;
    car.add(&mut s, 0.0, |rear| json!({ "velocity": -spin, "max_force": if rear { torque } else { 0.0 } }));
    let height = length * slope.tan();
    let ramp = prism(&[[-length, 0.0], [length, 0.0], [0.0, height]], 2.0);
    s.fixed("ramp", ramp, [4.0 + length, 0.0, 0.0]);
    let end = 4.0 + 2.0 * length + 2.0;
    Member::new(s, 2.0 + 1.5 * end / speed, move |run| {
        let gap = run.gap();
        ensure!(gap < 0.01, "a joint opens by {:.0} mm", gap * 1e3);
        let at = run.frames.iter().find(|f| f.poses[1].position.x > end);
        let Some(at) = at else { return Err(format!("comes to {:.1} of {end:.1} m", run.last().poses[1].position.x)) };
        ensure!(at.poses[1].position.z.abs() < 0.3, "{:.2} m off the line", at.poses[1].position.z);
        Ok(())
    })
}
