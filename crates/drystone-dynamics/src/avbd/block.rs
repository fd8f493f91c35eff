use crate::moving::{Elimination, MOST};
use drystone_core::GroupBody;
use drystone_math::{Real, SymmetricMat3, Twist};

/// A body in the descent: its displacement so far over the step, from the pose at the start.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    /// Its displacement so far (m, rotation vector in rad).
    pub(super) way: Twist,
    /// The displacement that it would have if nothing held it.
    free: Twist,
    /// Mass and inertia over the step squared (N/m, N m/rad).
    mass: Real,
    inertia: SymmetricMat3,
    /// True if it can move.
    pub(super) moves: bool,
}

impl Block {
    /// The state at the start of a step of `h` seconds. Bodies that cannot be moved go where their velocity takes them.
    pub(super) fn of(body: &GroupBody, h: Real) -> Self {
        let inertia = inertia_of(&body.inverse_inertia);
        let moves = body.is_movable();
        let free = (body.velocity + body.external) * h;
        let per_step = 1.0 / (h * h);
        Self {
            way: if moves { free } else { body.velocity * h },
            free,
            mass: if body.inverse_mass > 0.0 { per_step / body.inverse_mass } else { 0.0 },
            inertia: SymmetricMat3 {
                diagonal: inertia.diagonal * per_step,
                off_diagonal: inertia.off_diagonal * per_step,
            },
            moves,
        }
    }

    /// Starts from where the body would go under the part of its external force that the multipliers of the last step, `held` (N), do not bear.
    pub(super) fn guess(&mut self, body: &GroupBody, held: drystone_math::Vec3, h: Real) {
        let own = body.external.linear / h;
        let square = own.length_squared();
        if self.moves && square > 0.0 {
            let part = (own.dot(own + held * body.inverse_mass) / square).clamp(0.0, 1.0);
            self.way.linear = (body.velocity.linear + body.external.linear * part) * h;
        }
    }

    /// The system of this body alone: its inertia, and the pull towards where it would go freely.
    pub(super) fn system(&self) -> System {
        let off = self.way - self.free;
        let mut system = System { matrix: [[0.0; MOST]; MOST], force: [0.0; MOST] };
        let (d, o) = (self.inertia.diagonal, self.inertia.off_diagonal);
        for i in 0..3 {
            system.matrix[i][i] = self.mass;
            system.matrix[3 + i][3 + i] = d[i];
        }
        let [yz, xz, xy] = [o.x, o.y, o.z];
        (system.matrix[4][3], system.matrix[5][3], system.matrix[5][4]) = (xy, xz, yz);
        let turn = self.inertia.mul_vec(off.angular);
        for i in 0..3 {
            system.force[i] = -self.mass * off.linear[i];
            system.force[3 + i] = -turn[i];
        }
        // a body that cannot move in some direction stays there
        for i in 0..MOST {
            if system.matrix[i][i] == 0.0 {
                system.matrix[i][i] = Real::MAX.sqrt();
            }
        }
        system
    }
}

/// Resistance to rotation about a blocked axis, relative to that about the free axis.
const FIRM: Real = 1e9;

/// The inertia that belongs to an inverse. If only a single axis is free to turn about (a plane's normal), the others are firm; zero if nothing turns.
fn inertia_of(inverse: &SymmetricMat3) -> SymmetricMat3 {
    let about = inverse.diagonal.element_sum();
    if let Some(inertia) = inverse.inverse() {
        return inertia;
    }
    if about.is_nan() || about <= 0.0 {
        return SymmetricMat3::ZERO;
    }
    let (firm, per) = (FIRM / about, (1.0 - FIRM) / (about * about));
    SymmetricMat3 {
        diagonal: inverse.diagonal * per + drystone_math::Vec3::splat(firm),
        off_diagonal: inverse.off_diagonal * per,
    }
}

/// A Newton step for one body: `H dx = f`, with the lower triangle of H.
#[derive(Debug, Clone, Copy)]
pub(super) struct System {
    matrix: [[Real; MOST]; MOST],
    force: [Real; MOST],
}

impl System {
    /// Adds a constraint that pushes along `jacobian` with this force, and has this stiffness.
    pub(super) fn add(&mut self, jacobian: &Twist, force: Real, stiffness: Real) {
        let j: [Real; MOST] = [
            jacobian.linear.x,
            jacobian.linear.y,
            jacobian.linear.z,
            jacobian.angular.x,
            jacobian.angular.y,
            jacobian.angular.z,
        ];
        for i in 0..MOST {
            self.force[i] += j[i] * force;
            let k = j[i] * stiffness;
            for (to, other) in self.matrix[i][..=i].iter_mut().zip(&j) {
                *to += k * other;
            }
        }
    }

    /// Resistance to turning about the world axes (N m/rad).
    pub(super) fn stiffen(&mut self, turning: drystone_math::Vec3) {
        for i in 0..3 {
            self.matrix[3 + i][3 + i] += turning[i];
        }
    }

    /// The displacement.
    pub(super) fn solve(&self) -> Twist {
        let mut x = self.force;
        Elimination::of(self.matrix, MOST).solve(&mut x);
        let [a, b, c, d, e, f] = x;
        Twist::new(drystone_math::Vec3::new(a, b, c), drystone_math::Vec3::new(d, e, f))
    }
}
