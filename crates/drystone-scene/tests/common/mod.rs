use drystone_core::ModuleKind;
use drystone_core::catalogue::{Implementation, Parameter};
use drystone_scene::ModuleCatalogue;

/// A small catalogue, enough for everything that the format looks up.
pub(crate) fn catalogue() -> ModuleCatalogue {
    const SWEEP: Implementation = Implementation { name: "sweep-and-prune", summary: "", source: "", parameters: &[] };
    const GAUSS_SEIDEL: Implementation = Implementation {
        name: "projected-gauss-seidel",
        summary: "",
        source: "",
        parameters: &[
            Parameter::integer("iterations", 10, 1, 1_000_000, ""),
            Parameter::switch("warm_start", false, ""),
            Parameter::real("omega", 1.0, 0.0, 2.0, ""),
        ],
    };
    ModuleCatalogue {
        modules: vec![(ModuleKind::BroadPhase, vec![SWEEP]), (ModuleKind::Lcp, vec![GAUSS_SEIDEL])],
        paradigms: vec!["velocity-lcp", "shock-propagation"],
        ..ModuleCatalogue::default()
    }
}

/// A scene that uses every section.
pub(crate) const FULL: &str = r#"
[scene]
name = "full"
source = "nowhere"
description = "every section"
duration = 1.0
frame = 0.01
gravity = [0.0, -9.81, 0.0]

[materials.default]
friction = 0.25
restitution = 0.25
density = 10.0
[materials.ice]
friction = 0.01

[[material_pairs]]
between = ["ice", "default"]
friction = 0.03
restitution = 0.5

[[bodies]]
name = "ground"
kind = "fixed"
shape = { plane = { normal = [0, 1, 0], offset = 0.0 } }

[[bodies]]
name = "box"
shape = { box = { half_extents = [0.5, 0.5, 0.5] } }
position = [0.0, 0.5, 0.0]
orientation = { axis = [0, 1, 0], degrees = 30 }
linear_velocity = [1, 0, 0]
angular_velocity = [0, 2, 0]
material = "ice"
mass = 20.0
layer = 1
repeat = { count = [2, 3, 1], step = [2, 1, 0], stagger = [0.5, 0, 0] }

[[bodies]]
name = "ball"
shape = { sphere = { radius = 0.5 } }
orientation = [0, 0, 0, 1]
inertia = [1, 2, 3]
lock_rotation = true
spin_axis = [0, 0, 2]
can_sleep = false
sensor = true
continuous = true
membership = 5
mask = 0b11
gravity_scale = 0.5
linear_damping = 0.25
angular_damping = 0.125

[[bodies]]
name = "pill"
shape = { capsule = { radius = 0.5, half_height = 1.0 } }
kind = "scripted"

[[bodies]]
name = "tray"
kind = "scripted"
shape = { box = { half_extents = [1, 0.1, 1] } }
position = [20, 0, 0]

[[bodies]]
name = "lift"
kind = "scripted"
shape = { box = { half_extents = [1, 0.1, 1] } }

[[bodies]]
name = "can"
shape = { cylinder = { radius = 0.5, half_height = 1.0 } }
position = [9, 5, 0]

[[bodies]]
name = "hat"
shape = { cone = { radius = 0.5, half_height = 1.0 } }
position = [12, 5, 0]

[[bodies]]
name = "stone"
shape = { convex = { points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]] } }
position = [15, 5, 0]

[[bodies]]
name = "tetrahedron"
position = [18, 5, 0]
[bodies.shape.mesh]
vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
sdf = { resolution = 8 }

[[bodies]]
name = "dumbbell"
position = [21, 5, 0]
shape = { compound = { parts = [{ shape = { sphere = { radius = 0.5 } } }, { shape = { sphere = { radius = 0.5 } }, position = [2, 0, 0] }] } }

[[joints]]
name = "hip"
kind = "hinge"
bodies = ["ball", "box[2]"]
anchor = [0, 1, 0]
axis = [0, 0, 1]
limits = { lower = -1.0, upper = 1.0 }
motor = { velocity = 2.0, max_force = 10.0 }
erp = 0.2
cfm = 0.0

[[joints]]
kind = "six-dof"
bodies = ["world", "box[3]"]
anchor = [0, 1, 0]
axis = [1, 0, 0]
axis2 = [0, 1, 0]
translations = ["locked", "free", [-1, 1]]
rotations = ["locked", "locked", "locked"]
collide = true

[[forces]]
kind = "spring"
bodies = ["ball", "world"]
anchors = [[0, 0, 0], [0, 3, 0]]
stiffness = 100.0
damping = 1.0
[[forces]]
kind = "mouse-spring"
body = "box[2]"
target = [0, 3, 0]
stiffness = 100.0
[[forces]]
kind = "damping"
linear = 0.1
bodies = ["ball"]
[[forces]]
kind = "drag"
viscous = 0.1
[[forces]]
kind = "point-gravity"
strength = 1.0
[[forces]]
kind = "wrench"
body = "ball"
force = [0, 1, 0]
axes = "body"

[[scripts]]
body = "pill"
space_spline = { control_points = [[0, 5, 0], [1, 5, 0], [1, 6, 0], [0, 6, 0]], knots = [0, 0, 0, 0, 1, 1, 1, 1] }
velocity_spline = { points = [[0, 0], [1, 1]] }
rotation_spline = { times = [0, 1], orientations = [[0, 0, 0, 1], { axis = [0, 1, 0], degrees = 90 }] }

[[scripts]]
body = "tray"
sinusoid = { travel = [0.1, 0, 0], frequency = 2.0 }

[[scripts]]
body = "lift"
keys = [{ time = 0, position = [30, 0, 0] }, { time = 1, position = [30, 1, 0] }]

[simulation]
paradigm = "shock-propagation"
time_step = 0.005
[simulation.broad_phase]
kind = "sweep-and-prune"
[simulation.lcp]
solver = "projected-gauss-seidel"
iterations = 20
warm_start = true

[[ignore_pairs]]
between = ["box", "tray"]
[[ignore_pairs]]
between = ["pill", "box[1]"]
"#;
