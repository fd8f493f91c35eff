use drystone_core::{GroupBody, GroupContact};
use drystone_math::{Mat3, Twist, Vec3, skew};

/// The collision matrix K of a contact (1/kg, world frame): `K P` is the change of B's velocity relative to A's at the
/// contact caused by the impulse P on B and -P on A. Symmetric, and positive definite unless both bodies are held.
///
/// # Source
/// D-10; thesis (4.256): `K = (1/m_a + 1/m_b) 1 - (r_a^x I_a^-1 r_a^x + r_b^x I_b^-1 r_b^x)`.
pub fn collision_matrix(bodies: [&GroupBody; 2], position: Vec3) -> Mat3 {
    let mut k = Mat3::from_diagonal(Vec3::splat(bodies[0].inverse_mass + bodies[1].inverse_mass));
    for body in bodies {
        let r = skew(position - body.pose.position);
        k -= r * body.inverse_inertia.to_mat3() * r;
    }
    // the two halves agree up to rounding; exact symmetry is easier to reason about
    (k + k.transpose()) * 0.5
}

/// Velocity of B relative to A at the contact (m/s, world frame), from the bodies' `velocity`.
pub fn relative_velocity(bodies: &[GroupBody], velocity: &[Twist], contact: &GroupContact) -> Vec3 {
    let [a, b] = contact.bodies.map(|i| {
        let i = i as usize;
        velocity[i].at(contact.position - bodies[i].pose.position)
    });
    b - a
}

/// Applies an impulse (N s, world frame): + on B, - on A, at the contact; changes the bodies' `velocity`.
pub fn apply_impulse(bodies: &[GroupBody], velocity: &mut [Twist], contact: &GroupContact, impulse: Vec3) {
    for (side, p) in [(0, -impulse), (1, impulse)] {
        let i = contact.bodies[side] as usize;
        let body = &bodies[i];
        let arm = contact.position - body.pose.position;
        velocity[i].linear += p * body.inverse_mass;
        velocity[i].angular += body.inverse_inertia.mul_vec(arm.cross(p));
    }
}
