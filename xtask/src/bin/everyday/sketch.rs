//! Scenes as values of the scene format.

use serde_json::{Value, json};

/// Magnitude of gravity (m/s^2).
pub(crate) const G: f64 = 9.81;

/// A point or vector (m).
pub(crate) type Point = [f64; 3];

/// A scripted body that is given its velocity in each step, so that it is where it must be at the step's end: what a game does that moves a platform.
pub(crate) struct Driven {
    /// Its place in the scene.
    pub(crate) body: usize,
    /// Its place over time (s, m).
    pub(crate) path: Box<dyn Fn(f64) -> Point>,
}

/// A scene that is being written.
pub(crate) struct Sketch {
    pub(crate) value: Value,
    pub(crate) driven: Vec<Driven>,
    /// The same motions as scripts, for scene files.
    driven_scripts: Vec<Value>,
}

impl Sketch {
    /// An empty scene with one material; gravity points down along y.
    pub(crate) fn new(friction: f64, restitution: f64) -> Self {
        let value = json!({
            "scene": { "gravity": [0.0, -G, 0.0] },
            "materials": { "default": { "friction": friction, "restitution": restitution, "density": 1000.0 } },
            "bodies": [], "joints": [], "forces": [], "scripts": [],
        });
        Self { value, driven: Vec::new(), driven_scripts: Vec::new() }
    }

    /// Sets uniform gravity.
    pub(crate) fn gravity(&mut self, gravity: Point) {
        self.value["scene"]["gravity"] = json!(gravity);
    }

    /// Appends to a list, and returns the entry for further keys.
    fn push(&mut self, list: &str, entry: Value) -> &mut Value {
        let Value::Array(entries) = &mut self.value[list] else { unreachable!("made by `new`") };
        entries.push(entry);
        entries.last_mut().expect("just pushed")
    }

    /// Appends a body with its shape.
    fn shaped(&mut self, mut entry: Value, shape: Value) -> &mut Value {
        entry["shape"] = shape;
        self.push("bodies", entry)
    }

    /// The fixed half-space y <= 0.
    pub(crate) fn floor(&mut self) -> &mut Value {
        let plane = json!({ "plane": { "normal": [0, 1, 0] } });
        self.fixed("floor", plane, [0.0; 3])
    }

    /// A fixed body.
    pub(crate) fn fixed(&mut self, name: &str, shape: Value, at: Point) -> &mut Value {
        self.shaped(json!({ "name": name, "kind": "fixed", "position": at }), shape)
    }

    /// A scripted body.
    pub(crate) fn scripted(&mut self, name: &str, shape: Value, at: Point) -> &mut Value {
        self.shaped(json!({ "name": name, "kind": "scripted", "position": at }), shape)
    }

    /// A dynamic body of the default density.
    pub(crate) fn solid(&mut self, name: &str, shape: Value, at: Point) -> &mut Value {
        self.shaped(json!({ "name": name, "position": at }), shape)
    }

    /// A dynamic body with a mass (kg).
    pub(crate) fn body(&mut self, name: &str, shape: Value, at: Point, mass: f64) -> &mut Value {
        let entry = self.solid(name, shape, at);
        entry["mass"] = json!(mass);
        entry
    }

    /// A joint at an anchor.
    pub(crate) fn joint(&mut self, name: &str, kind: &str, bodies: [&str; 2], anchor: Point) -> &mut Value {
        self.push("joints", json!({ "name": name, "kind": kind, "bodies": bodies, "anchor": anchor }))
    }

    /// A slider that a motor drives (m/s, N).
    pub(crate) fn press(&mut self, name: &str, axis: Point, speed: f64, force: f64) {
        let motor = json!({ "velocity": speed, "max_force": force });
        let (joint, bodies) = (format!("press of {name}"), ["world", name]);
        self.push("joints", json!({ "name": joint, "kind": "slider", "bodies": bodies, "axis": axis, "motor": motor }));
    }

    /// A force field.
    pub(crate) fn force(&mut self, entry: Value) {
        self.push("forces", entry);
    }

    /// Moves a scripted body through places at times.
    pub(crate) fn keys(&mut self, body: &str, keys: impl IntoIterator<Item = (f64, Point)>) {
        let keys: Vec<Value> = keys.into_iter().map(|(t, p)| json!({ "time": t, "position": p })).collect();
        self.push("scripts", json!({ "body": body, "keys": keys }));
    }

    /// Drives a scripted body along a direction by `way(t)`. In a scene file it has keys that are `every` seconds apart.
    pub(crate) fn drive(
        &mut self,
        body: &str,
        from: Point,
        along: Point,
        [duration, every]: [f64; 2],
        way: impl Fn(f64) -> f64 + 'static,
    ) {
        let path = move |t: f64| [0, 1, 2].map(|i| from[i] + along[i] * way(t));
        let count = (duration / every).ceil() as usize + 2;
        let key = |k: usize| json!({ "time": k as f64 * every, "position": path(k as f64 * every) });
        let keys: Vec<Value> = (0..count).map(key).collect();
        self.driven_scripts.push(json!({ "body": body, "keys": keys }));
        let named = |b: &Value| b["name"] == body;
        let body = self.value["bodies"].as_array().and_then(|b| b.iter().position(named)).expect("added before");
        self.driven.push(Driven { body, path: Box::new(path) });
    }

    /// The scene with its driven bodies as scripts.
    pub(crate) fn with_scripts(&self) -> Value {
        let mut value = self.value.clone();
        if let Value::Array(scripts) = &mut value["scripts"] {
            scripts.extend(self.driven_scripts.iter().cloned());
        }
        value
    }

    /// Any other script.
    pub(crate) fn script(&mut self, entry: Value) {
        self.push("scripts", entry);
    }

    /// Two bodies that do not collide.
    pub(crate) fn ignore(&mut self, one: &str, other: &str) {
        if self.value.get("ignore_pairs").is_none() {
            self.value["ignore_pairs"] = json!([]);
        }
        self.push("ignore_pairs", json!({ "between": [one, other] }));
    }
}

/// A box by its half extents.
pub(crate) fn cuboid(half: Point) -> Value {
    json!({ "box": { "half_extents": half } })
}

/// A cube by its half extent.
pub(crate) fn cube(half: f64) -> Value {
    cuboid([half; 3])
}

/// A ball by its radius.
pub(crate) fn ball(radius: f64) -> Value {
    json!({ "sphere": { "radius": radius } })
}

/// A cylinder along y.
pub(crate) fn cylinder(radius: f64, half_height: f64) -> Value {
    json!({ "cylinder": { "radius": radius, "half_height": half_height } })
}

/// A capsule along y.
pub(crate) fn capsule(radius: f64, half_height: f64) -> Value {
    json!({ "capsule": { "radius": radius, "half_height": half_height } })
}

/// The convex hull of points.
pub(crate) fn hull(points: &[Point]) -> Value {
    json!({ "convex": { "points": points } })
}

/// The prism over a polygon in the plane z = 0, from `-half` to `half`.
pub(crate) fn prism(polygon: &[[f64; 2]], half: f64) -> Value {
    let points: Vec<Point> = [-half, half].iter().flat_map(|z| polygon.iter().map(|p| [p[0], p[1], *z])).collect();
    hull(&points)
}

/// A turn about an axis (rad).
pub(crate) fn turn(axis: Point, angle: f64) -> Value {
    json!({ "axis": axis, "degrees": angle.to_degrees() })
}

/// Way of a smooth start over `ramp` seconds to a speed: the speed rises as half a cosine.
pub(crate) fn eased(speed: f64, ramp: f64) -> impl Fn(f64) -> f64 {
    move |t| {
        let s = (t / ramp).min(1.0);
        let start = 0.5 * ramp * (s - (std::f64::consts::PI * s).sin() / std::f64::consts::PI);
        speed * (start + (t - ramp).max(0.0))
    }
}
