use crate::ModuleKind;

/// Other names of implementations, former ones and such as say what a method does, which scenes and programs may use: the module, the name, and the one that
/// is listed.
pub const ALIASES: [(ModuleKind, &str, &str); 2] = [
    // it integrates rotations without torque; `runge-kutta` is the time control
    (ModuleKind::MotionSolver, "rk4", "torque-free-rk4"),
    // the axis of least overlap among fifteen; scenes of others name it by its age
    (ModuleKind::NarrowPhase, "box-box-least-overlap", "box-box-old"),
];

/// What a name stands for now.
pub(super) fn present_name(kind: ModuleKind, name: &str) -> &str {
    ALIASES.iter().find(|(k, former, _)| *k == kind && *former == name).map_or(name, |(_, _, present)| present)
}
