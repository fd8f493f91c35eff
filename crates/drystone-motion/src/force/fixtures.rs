use drystone_core::{BodyProperties, Configuration, State};
use drystone_geometry::{MassProperties, Shape};
use drystone_math::{Pose, Quat, SymmetricMat3, Twist, Vec3};

/// Two bodies of 2 kg, the first with its centre of mass off the body frame's origin.
pub(crate) fn two_bodies() -> (Configuration, State) {
    let mut configuration = Configuration::default();
    let mut state = State::default();
    for (k, center) in [Vec3::new(0.1, 0.2, 0.0), Vec3::ZERO].into_iter().enumerate() {
        let inertia = SymmetricMat3::from_diagonal(Vec3::new(1.0, 2.0, 3.0));
        let mass = MassProperties { mass: 2.0, center, inertia };
        configuration.bodies.push(BodyProperties::dynamic(Shape::sphere(0.5).unwrap(), &mass).unwrap());
        let turn = Quat::from_rotation_x(0.3) * Quat::from_rotation_y(0.7);
        let velocity = Twist::new(Vec3::new(0.3, -0.2, 0.5), Vec3::new(1.0, 0.5, -0.7));
        state.push(Pose::new(Vec3::new(3.0 * k as f64, 1.0, -1.0), turn), velocity);
    }
    (configuration, state)
}
