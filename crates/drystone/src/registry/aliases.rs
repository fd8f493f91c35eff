use crate::ModuleKind;

/// Alternative names of implementations that scenes and programs may use, former names and ones that describe the method: the module, the alternative name, and the
/// name that is listed.
pub const ALIASES: [(ModuleKind, &str, &str); 2] = [
    // it integrates rotations without torque; `runge-kutta` is the name of the time control
    (ModuleKind::MotionSolver, "rk4", "torque-free-rk4"),
    // the axis of least overlap among fifteen; other programs' scenes name it by its age
    (ModuleKind::NarrowPhase, "box-box-least-overlap", "box-box-old"),
];

/// The listed name that a name stands for now.
pub(super) fn present_name(kind: ModuleKind, name: &str) -> &str {
    ALIASES.iter().find(|(k, former, _)| *k == kind && *former == name).map_or(name, |(_, _, present)| present)
}
