mod adams_moulton;
mod dormand_prince;
mod first_order;
mod implicit_gyroscopic;
mod lie_midpoint;
mod runge_kutta;
mod semi_implicit_euler;

pub use adams_moulton::AdamsMoultonRotation;
pub use dormand_prince::DormandPrince;
pub use first_order::FirstOrder;
pub use implicit_gyroscopic::ImplicitGyroscopic;
pub use lie_midpoint::{Composition, LieMidpoint};
pub use runge_kutta::RungeKutta4;
pub use semi_implicit_euler::{GyroscopicTorque, OrientationUpdate, SemiImplicitEuler};
