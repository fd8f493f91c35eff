use drystone_core::{
    ConstraintSolver, ContactImpulse, Executor, GroupAnswer, GroupBody, GroupProblem, Resolves, SolveReport, Step,
};
use drystone_math::{Real, Twist, Vec3};

/// Sequential impulses along the normals of contacts and the rows of joints; no friction, no bounce, springs as rigid rows.
#[derive(Debug, Clone)]
pub struct NormalImpulses {
    /// Sweeps over all contacts and rows.
    pub sweeps: usize,
    rows: Vec<Row>,
}

/// A row: J for both bodies, what J u shall be at least (or be), and the bounds of its impulse.
#[derive(Debug, Clone)]
struct Row {
    bodies: [usize; 2],
    jacobian: [Twist; 2],
    target: Real,
    bounds: [Real; 2],
    impulse: Real,
}

impl NormalImpulses {
    /// With so many sweeps over all contacts and rows.
    pub fn new(sweeps: usize) -> Self {
        Self { sweeps, rows: Vec::new() }
    }

    /// What the rows of contacts and joints ask for.
    fn collect(&mut self, problem: &GroupProblem, step: Step) {
        self.rows.clear();
        for c in &problem.contacts {
            let bodies = c.bodies.map(|b| b as usize);
            let side =
                |k: usize, n: Vec3| Twist::new(n, (c.position - problem.bodies[bodies[k]].pose.position).cross(n));
            // a gap may close within the horizon
            let target = -c.separation.max(0.0) / step.horizon;
            let jacobian = [side(0, -c.normal), side(1, c.normal)];
            self.rows.push(Row { bodies, jacobian, target, bounds: [0.0, Real::INFINITY], impulse: 0.0 });
        }
        for r in &problem.rows {
            // bounds are forces, infinite ones too where an impact takes no time
            let bound = |force: Real| if force.is_finite() { force * step.h } else { force };
            let gap = if r.row.limits.lo == 0.0 { r.row.error.max(0.0) / step.horizon } else { 0.0 };
            self.rows.push(Row {
                bodies: r.bodies.map(|b| b as usize),
                jacobian: r.row.jacobian,
                target: r.row.target - gap,
                bounds: [bound(r.row.limits.lo), bound(r.row.limits.hi)],
                impulse: 0.0,
            });
        }
    }
}

impl Row {
    /// One row solved for the velocities that stand in `velocity`.
    fn relax(&mut self, bodies: &[GroupBody], velocity: &mut [Twist]) {
        let pushed = [0, 1].map(|k| change(&bodies[self.bodies[k]], &self.jacobian[k]));
        let mobility = dot(&self.jacobian[0], &pushed[0]) + dot(&self.jacobian[1], &pushed[1]);
        if mobility <= 0.0 {
            return;
        }
        let [a, b] = self.bodies;
        let speed = dot(&self.jacobian[0], &velocity[a]) + dot(&self.jacobian[1], &velocity[b]);
        let next = (self.impulse + (self.target - speed) / mobility).clamp(self.bounds[0], self.bounds[1]);
        for (body, push) in self.bodies.into_iter().zip(pushed) {
            velocity[body] += push * (next - self.impulse);
        }
        self.impulse = next;
    }
}

/// The velocity change of a body for an impulse and an angular impulse.
fn change(body: &GroupBody, j: &Twist) -> Twist {
    Twist::new(j.linear * body.inverse_mass, body.inverse_inertia.mul_vec(j.angular))
}

fn dot(a: &Twist, b: &Twist) -> Real {
    a.linear.dot(b.linear) + a.angular.dot(b.angular)
}

impl ConstraintSolver for NormalImpulses {
    fn name(&self) -> &'static str {
        "normal-impulses"
    }

    fn resolves(&self) -> Resolves {
        Resolves { restitution: false, positions: false, instants: false }
    }

    fn solve(
        &mut self,
        problem: &GroupProblem,
        step: Step,
        _executor: &dyn Executor,
        answer: &mut GroupAnswer,
    ) -> SolveReport {
        self.collect(problem, step);
        for _ in 0..self.sweeps {
            for row in &mut self.rows {
                row.relax(&problem.bodies, &mut answer.velocity);
            }
        }
        let (contacts, joints) = self.rows.split_at(problem.contacts.len());
        for (found, row) in answer.contacts.iter_mut().zip(contacts) {
            *found = ContactImpulse { normal: row.impulse, friction: Vec3::ZERO };
        }
        for (found, row) in answer.rows.iter_mut().zip(joints) {
            *found = row.impulse;
        }
        SolveReport::default()
    }

    fn fork(&self) -> Box<dyn ConstraintSolver> {
        Box::new(Self::new(self.sweeps))
    }
}
