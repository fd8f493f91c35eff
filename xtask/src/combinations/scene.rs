//! Random members of families of small scenes.

use super::random::Random;
use std::fmt::Write;

/// Head of each scene, without what differs.
fn head(friction: f64, restitution: f64, gravity: [f64; 3]) -> String {
    let [x, y, z] = gravity;
    format!(
        "[scene]\nname = \"member\"\nduration = 0.3\nframe = 0.01\ngravity = [{x}, {y}, {z}]\n\
         [materials.default]\nfriction = {friction}\nrestitution = {restitution}\ndensity = 100.0\n\
         [simulation]\nparadigm = \"velocity-lcp\"\ntime_step = 0.005\n"
    )
}

fn body(name: &str, kind: &str, shape: &str, position: [f64; 3], rest: &str) -> String {
    let [x, y, z] = position;
    format!("[[bodies]]\nname = \"{name}\"\nkind = \"{kind}\"\nshape = {shape}\nposition = [{x}, {y}, {z}]\n{rest}\n")
}

const GROUND: &str =
    "[[bodies]]\nname = \"ground\"\nkind = \"fixed\"\nshape = { plane = { normal = [0, 1, 0], offset = 0.0 } }\n";
const DOWN: [f64; 3] = [0.0, -9.81, 0.0];

/// Boxes on one another, and a ball that strikes them.
fn stack(random: &mut Random) -> String {
    let (half, count) = (random.range(0.1, 0.4), 1 + random.below(4));
    let mut text = head(random.range(0.2, 0.8), random.range(0.0, 0.4), DOWN) + GROUND;
    for k in 0..count {
        let shape = format!("{{ box = {{ half_extents = [{half}, {half}, {half}] }} }}");
        text += &body(&format!("box{k}"), "dynamic", &shape, [0.0, half * (2 * k + 1) as f64, 0.0], "");
    }
    let radius = random.range(0.05, 0.2);
    let velocity = format!("linear_velocity = [{}, 0, 0]", random.range(1.0, 6.0));
    text + &body(
        "ball",
        "dynamic",
        &format!("{{ sphere = {{ radius = {radius} }} }}"),
        [-half - 0.4, random.range(0.3, 1.0), 0.02],
        &velocity,
    )
}

/// A row of balls that are struck.
fn row(random: &mut Random) -> String {
    let (radius, count) = (random.range(0.05, 0.2), 2 + random.below(4));
    let mut text = head(0.0, random.range(0.0, 1.0), DOWN) + GROUND;
    let shape = format!("{{ sphere = {{ radius = {radius} }} }}");
    for k in 0..count {
        text += &body(&format!("ball{k}"), "dynamic", &shape, [2.1 * radius * k as f64, radius, 0.0], "");
    }
    let velocity = format!("linear_velocity = [{}, 0, 0]", random.range(1.0, 4.0));
    text + &body("striker", "dynamic", &shape, [-4.0 * radius, radius, 0.0], &velocity)
}

/// A chain that swings from a hinge.
fn chain(random: &mut Random) -> String {
    let (half, links) = (random.range(0.06, 0.14), 1 + random.below(4));
    let mut text = head(random.range(0.2, 0.6), 0.0, DOWN);
    let shape = format!("{{ capsule = {{ radius = {}, half_height = {half} }} }}", 0.4 * half);
    let length = 2.8 * half;
    for k in 0..links {
        let place = [length * (k as f64 + 0.5), 0.0, 0.0];
        text +=
            &body(&format!("link{k}"), "dynamic", &shape, place, "orientation = { axis = [0, 0, 1], degrees = 90 }");
    }
    for k in 0..links {
        let (kind, rest) = if k == 0 { ("hinge", "axis = [0, 0, 1]") } else { ("ball", "") };
        let before = if k == 0 { "world".to_owned() } else { format!("link{}", k - 1) };
        let anchor = length * k as f64;
        // writing to a string cannot fail
        let _ = writeln!(
            text,
            "[[joints]]\nkind = \"{kind}\"\nbodies = [\"{before}\", \"link{k}\"]\nanchor = [{anchor}, 0, 0]\n{rest}"
        );
    }
    text
}

/// A block, and one on it, on a slope.
fn slope(random: &mut Random) -> String {
    let lean = random.range(0.0, 0.5);
    let gravity = [9.81 * f64::sin(lean), -9.81 * f64::cos(lean), 0.0];
    let block = [random.range(0.2, 0.4), random.range(0.05, 0.15), random.range(0.15, 0.3)];
    let rider = random.range(0.05, 0.12);
    let boxed = |h: [f64; 3]| format!("{{ box = {{ half_extents = [{}, {}, {}] }} }}", h[0], h[1], h[2]);
    head(random.range(0.1, 1.0), 0.0, gravity)
        + &body("slope", "fixed", &boxed([3.0, 0.5, 1.0]), [0.0, -0.5, 0.0], "")
        + &body("block", "dynamic", &boxed(block), [0.0, block[1], 0.0], "")
        + &body("rider", "dynamic", &boxed([rider; 3]), [0.05, 2.0 * block[1] + rider, 0.0], "")
}

/// Shapes of several kinds that fall.
fn shapes(random: &mut Random) -> String {
    let mut text = head(random.range(0.2, 0.8), random.range(0.0, 0.5), DOWN);
    text += &body("ground", "fixed", "{ box = { half_extents = [3, 0.5, 3] } }", [0.0, -0.5, 0.0], "");
    for k in 0..=random.below(4) {
        let (r, h) = (random.range(0.06, 0.15), random.range(0.08, 0.2));
        let kinds = [
            format!("{{ cylinder = {{ radius = {r}, half_height = {h} }} }}"),
            format!("{{ cone = {{ radius = {r}, half_height = {h} }} }}"),
            format!("{{ capsule = {{ radius = {r}, half_height = {h} }} }}"),
            format!("{{ sphere = {{ radius = {r} }} }}"),
            format!("{{ box = {{ half_extents = [{r}, {h}, {r}] }} }}"),
        ];
        let shape = &kinds[random.below(kinds.len())];
        let mut vector =
            |most: f64| (0..3).map(|_| random.range(-most, most).to_string()).collect::<Vec<_>>().join(", ");
        let rest = format!("linear_velocity = [{}]\nangular_velocity = [{}]", vector(1.0), vector(4.0));
        text += &body(&format!("body{k}"), "dynamic", shape, [0.8 * k as f64, random.range(0.35, 0.6), 0.0], &rest);
    }
    text
}

type Family = (&'static str, fn(&mut Random) -> String);

/// A random member of a random family.
pub(crate) fn member(random: &mut Random) -> (&'static str, String) {
    let families: [Family; 5] =
        [("stack", stack), ("row", row), ("chain", chain), ("slope", slope), ("shapes", shapes)];
    let (name, make) = families[random.below(families.len())];
    (name, make(random))
}
