//! Random scenes without motors, scripts or forces but gravity: their energy must not rise.

use super::scene::{ball, frames, ground, scene, surfaces};
use crate::experiments::runner::Runner;
use serde_json::{Value, json};

/// Step (s).
const STEP: f64 = 1.0 / 60.0;

/// A gain of energy, relative to that of the start, that counts.
const GAIN: f64 = 0.01;

/// What the scenes of one preset showed.
pub(crate) struct Gains {
    pub(crate) scenes: usize,
    /// How many gained more than a hundredth.
    pub(crate) above: usize,
    /// How many ended by themselves, saying so.
    pub(crate) failed: usize,
    /// The largest gain of a run that went through.
    pub(crate) worst: f64,
    /// Number of the scene with the largest gain.
    pub(crate) worst_scene: u64,
}

/// Runs scenes `0 .. count` under a preset.
pub(crate) fn measure(runner: &Runner, preset: &str, count: u64) -> Result<Gains, String> {
    let mut gains = Gains { scenes: count as usize, above: 0, failed: 0, worst: 0.0, worst_scene: 0 };
    for number in 0..count {
        let scene = random_scene(number);
        let Ok(run) = frames(runner, &scene, preset)? else {
            gains.failed += 1;
            continue;
        };
        // over the floor no potential energy is below zero
        let gain = gain(run.iter().map(|f| f.energy));
        gains.above += usize::from(gain.is_nan() || gain > GAIN);
        if gain > gains.worst || gain.is_nan() {
            (gains.worst, gains.worst_scene) = (gain, number);
        }
    }
    Ok(gains)
}

/// The largest of the energies over the first, relative to it; a figure that is not a number is the worst there is.
fn gain(mut energies: impl Iterator<Item = f64>) -> f64 {
    let start = energies.next().unwrap_or(f64::NAN);
    let beyond = |most: f64, e: f64| if e / start - 1.0 > most || e.is_nan() { e / start - 1.0 } else { most };
    energies.fold(if start.is_nan() { start } else { 0.0 }, beyond)
}

/// The scene of a number: one to six bodies apart from one another over a floor, half of the scenes with joints.
pub(crate) fn random_scene(number: u64) -> Value {
    let mut random = Random(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5bd1_e995);
    let count = 1 + random.below(6) as usize;
    let mut bodies = vec![ground()];
    let names: Vec<String> = (0..count).map(|i| format!("body{i}")).collect();
    let places: Vec<[f64; 3]> = (0..count)
        .map(|i| [1.6 * (i % 3) as f64, 1.2 + 1.6 * (i / 3) as f64 + 0.3 * random.unit(), 0.4 * random.signed()])
        .collect();
    for (name, place) in names.iter().zip(&places) {
        let mut body = random_shape(name, *place, &mut random);
        body["orientation"] = json!({ "axis": random.direction(), "degrees": 360.0 * random.unit() });
        body["linear_velocity"] = json!([0; 3].map(|_| 3.0 * random.signed()));
        body["angular_velocity"] = json!([0; 3].map(|_| 20.0 * random.signed() * random.unit()));
        bodies.push(body);
    }
    let restitution = match random.below(3) {
        0 => 0.0,
        1 => random.unit(),
        _ => 1.0,
    };
    let friction = random.unit();
    let mut scene = surfaces(scene(&format!("passive-{number}"), 4.0, STEP, &bodies), friction, restitution);
    if count > 1 && random.below(2) == 0 {
        scene["joints"] = (1..count).map(|i| random_joint(&names, &places, i, &mut random)).collect();
    }
    scene
}

fn random_shape(name: &str, place: [f64; 3], random: &mut Random) -> Value {
    let size = |random: &mut Random| 0.1 + 0.3 * random.unit();
    let shape = match random.below(4) {
        0 => return ball(name, size(random), place),
        1 => json!({ "box": { "half_extents": [size(random), size(random), size(random)] } }),
        2 => json!({ "capsule": { "radius": 0.5 * size(random), "half_height": size(random) } }),
        _ => json!({ "cylinder": { "radius": size(random), "half_height": size(random) } }),
    };
    json!({ "name": name, "shape": shape, "position": place })
}

/// A joint between a body and an earlier one, halfway between them.
fn random_joint(names: &[String], places: &[[f64; 3]], i: usize, random: &mut Random) -> Value {
    let other = random.below(i as u64) as usize;
    let kinds = ["ball", "hinge", "slider", "universal", "fixed", "distance"];
    let kind = kinds[random.below(kinds.len() as u64) as usize];
    let middle: [f64; 3] = core::array::from_fn(|k| 0.5 * (places[i][k] + places[other][k]));
    let mut joint = json!({ "name": format!("joint{i}"), "kind": kind, "bodies": [names[other], names[i]] });
    match kind {
        "distance" => {
            joint["anchor"] = json!(places[other]);
            joint["anchor2"] = json!(places[i]);
        }
        _ => joint["anchor"] = json!(middle),
    }
    let axis = random.direction();
    if ["hinge", "slider", "universal"].contains(&kind) {
        joint["axis"] = json!(axis);
    }
    if kind == "universal" {
        joint["axis2"] = json!(orthogonal(axis));
    }
    joint
}

fn orthogonal(n: [f64; 3]) -> [f64; 3] {
    let t = if n[0].abs() < 0.6 { [0.0, n[2], -n[1]] } else { [-n[2], 0.0, n[0]] };
    let size = t.iter().map(|x| x * x).sum::<f64>().sqrt();
    t.map(|x| x / size)
}

/// SplitMix64 (Steele, Lea, Flood 2014): a number makes a scene, the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// In `[0, 1)`.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// In `[-1, 1)`.
    fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    fn direction(&mut self) -> [f64; 3] {
        loop {
            let v = [0; 3].map(|_| self.signed());
            let size = v.iter().map(|x| x * x).sum::<f64>().sqrt();
            if size > 0.1 && size < 1.0 {
                return v.map(|x| x / size);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_makes_one_scene() {
        assert_eq!(random_scene(7), random_scene(7));
        assert_ne!(random_scene(7), random_scene(8));
    }

    #[test]
    fn a_gain_is_the_largest_over_the_first() {
        assert_eq!(gain([1.0, 1.5, 1.2].into_iter()), 0.5);
        assert_eq!(gain([1.0, 0.5].into_iter()), 0.0);
        assert!(gain([1.0, f64::NAN, 1.2].into_iter()).is_nan() && gain([f64::NAN, 1.0].into_iter()).is_nan());
    }

    #[test]
    fn half_of_the_scenes_have_joints() {
        let jointed = (0..200).filter(|n| random_scene(*n).get("joints").is_some()).count();
        assert!((60..140).contains(&jointed), "{jointed}");
    }
}
