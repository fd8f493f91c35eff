use crate::ModuleKind;

/// Former names of implementations, which scenes and programs may still use: the module, the name, and what it is called now.
pub const ALIASES: [(ModuleKind, &str, &str); 1] = [
    // it integrates rotations without torque; `runge-kutta` is the time control
    (ModuleKind::MotionSolver, "rk4", "torque-free-rk4"),
];

/// What a name stands for now.
pub(super) fn present_name(kind: ModuleKind, name: &str) -> &str {
    ALIASES.iter().find(|(k, former, _)| *k == kind && *former == name).map_or(name, |(_, _, present)| present)
}
