use crate::Random;
use drystone_core::{CollisionLaw, ImpactContact};
use drystone_math::{Mat3, Real, Vec3};

/// Rounding of an impact's figures, relative to speeds of some m/s.
const NOISE: Real = 1e-9;

/// Statement of whether a law may add energy to a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EnergyGain {
    /// The kinetic energy in the contact never grows.
    #[default]
    Never,
    /// Friction is known to increase it, as with Newton's law.
    Known,
}

/// The contract of [`CollisionLaw`], on random impacts of two bodies.
///
/// It checks: no impulse if nothing approaches; an impulse that pushes and never pulls; nothing approaching after an impact without friction; no increase of the
/// kinetic energy in the contact, unless the law is known for that (`gain`); a tangential impulse within Coulomb's cone; the same answer for the same impact; and an
/// impulse proportional to the speed.
///
/// # Panics
/// If the contract does not hold.
pub fn check_collision_law(law: &dyn CollisionLaw, gain: EnergyGain) {
    let name = law.name();
    assert!(!name.is_empty());
    let mut random = Random::new(31);
    for case in 0..2000 {
        let contact = impact(&mut random);
        let at = format!("{name}, case {case}: {contact:?}");
        let impulse = law.impulse(&contact);
        assert!(impulse.is_finite(), "{at}: {impulse}");
        assert_eq!(impulse, law.impulse(&contact), "{at}: two answers");
        let approach = contact.relative_velocity.dot(contact.normal);
        if approach >= 0.0 {
            assert_eq!(impulse, Vec3::ZERO, "{at}: separates already");
            continue;
        }
        let push = impulse.dot(contact.normal);
        assert!(push >= -NOISE, "{at}: pulls by {push}");
        let side = (impulse - contact.normal * push).length();
        assert!(side <= contact.friction * push + NOISE * (1.0 + push), "{at}: {side} beside {push}");
        let after = contact.relative_velocity + contact.collision_matrix * impulse;
        let gained = work(&contact, impulse, after);
        assert!(
            gain == EnergyGain::Known || gained <= NOISE * (1.0 + contact.relative_velocity.length_squared()),
            "{at}: gains {gained} J"
        );
        if contact.friction == 0.0 {
            let bounce = after.dot(contact.normal);
            assert!(bounce >= -1e-7, "{at}: still approaches at {bounce}");
        }
        let size = 1.0 + impulse.length();
        // a law that integrates through an impact is as exact as its steps
        let faster = ImpactContact { relative_velocity: contact.relative_velocity * 8.0, ..contact };
        assert!((law.impulse(&faster) - impulse * 8.0).length() <= 1e-5 * 8.0 * size, "{at}: does not scale");
    }
}

/// The energy that an impulse adds: the impulse times the mean of the velocities before and after.
fn work(contact: &ImpactContact, impulse: Vec3, after: Vec3) -> Real {
    0.5 * impulse.dot(contact.relative_velocity + after)
}

/// Two random bodies in contact.
fn impact(random: &mut Random) -> ImpactContact {
    let mut matrix = Mat3::ZERO;
    for _ in 0..2 {
        // 1/m + r^x^T I^-1 r^x of a body
        let arm = random.vector(1.0);
        let (x, y, z) = (random.range(0.2, 3.0), random.range(0.2, 3.0), random.range(0.2, 3.0));
        let turn = Mat3::from_quat(random.rotation());
        let inverse_inertia = turn * Mat3::from_diagonal(Vec3::new(x, y, z)) * turn.transpose();
        let cross = drystone_math::skew(arm);
        matrix += Mat3::from_diagonal(Vec3::splat(random.range(0.2, 2.0))) - cross * inverse_inertia * cross;
    }
    let pick = random.below(4);
    ImpactContact {
        collision_matrix: (matrix + matrix.transpose()) * 0.5,
        relative_velocity: random.vector(3.0),
        normal: random.direction(),
        friction: if pick == 0 { 0.0 } else { random.range(0.0, 1.2) },
        restitution: if pick == 1 { 0.0 } else { random.unit() },
    }
}
