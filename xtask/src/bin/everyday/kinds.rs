//! The kinds of scenes, by subject. Each is one function that draws a member and says how it is judged.

mod containers;
mod crush;
mod doors;
mod edits;
mod grip;
mod impacts;
mod joints;
mod levers;
mod machines;
mod masonry;
mod pushing;
mod rest;
mod riding;
mod sliding;
mod small;
mod throws;
mod tops;
mod vehicles;

use crate::random::Random;
use crate::run::Member;

/// A kind of scene.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// What a member must do to pass.
    pub(crate) criterion: &'static str,
    pub(crate) draw: fn(&mut Random) -> Member,
}

/// All kinds, by subject.
pub(crate) fn all() -> Vec<Kind> {
    let subjects = [
        pushing::KINDS,
        grip::KINDS,
        riding::KINDS,
        sliding::KINDS,
        masonry::KINDS,
        rest::KINDS,
        edits::KINDS,
        crush::KINDS,
        containers::KINDS,
        tops::KINDS,
        joints::KINDS,
        doors::KINDS,
        levers::KINDS,
        machines::KINDS,
        vehicles::KINDS,
        impacts::KINDS,
        throws::KINDS,
        small::KINDS,
    ];
    subjects.into_iter().flatten().map(|&(name, criterion, draw)| Kind { name, criterion, draw }).collect()
}

/// Name, criterion and generator of a kind.
type Entry = (&'static str, &'static str, fn(&mut Random) -> Member);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ours::Ours;
    use crate::run::{Run, Verdict};
    use serde_json::json;
    use std::time::{Duration, Instant};

    fn kind(name: &str) -> Kind {
        all().into_iter().find(|k| k.name == name).expect("a kind")
    }

    /// Runs a member of a kind at a step, after a change of its scene.
    fn judged(name: &str, seed: u64, dt: f64, change: impl Fn(&mut serde_json::Value)) -> Verdict {
        let mut member = (kind(name).draw)(&mut Random::of(name, seed));
        change(&mut member.scene.value);
        let mut engine = Ours::new(&member.text(), "real-time")?;
        let run = Run::of(&mut member, &mut engine, &mut || dt, Instant::now() + Duration::from_secs(60))?;
        (member.judge)(&run)
    }

    #[test]
    fn names_are_unique_and_every_member_is_a_scene() {
        let kinds = all();
        for (i, kind) in kinds.iter().enumerate() {
            assert!(kinds[i + 1..].iter().all(|k| k.name != kind.name), "{}", kind.name);
            for seed in 0..5 {
                let member = (kind.draw)(&mut Random::of(kind.name, seed));
                for text in [member.text(), member.file(kind.name, kind.criterion, 0.01)] {
                    let world = Ours::new(&text, "real-time");
                    assert!(world.is_ok(), "{} {seed}: {:?}", kind.name, world.err());
                }
            }
        }
    }

    #[test]
    fn a_seed_gives_one_member() {
        for kind in all() {
            let text = |seed| (kind.draw)(&mut Random::of(kind.name, seed)).text();
            assert_eq!(text(7), text(7), "{}", kind.name);
            assert_ne!(text(7), text(8), "{}", kind.name);
        }
    }

    /// Closed forms hold at a small step, and do not where gravity is another one.
    #[test]
    fn closed_forms_notice_another_gravity() {
        // a fast top hardly nods for a little more weight
        for (name, more) in
            [("top", 6.0), ("pendulum", 1.15), ("logs", 1.15), ("truck_slides", 1.15), ("mu_change", 1.15)]
        {
            for seed in 1..4 {
                let right = judged(name, seed, 1e-3, |_| ());
                assert_eq!(right, Ok(()), "{name} {seed}");
                let stronger = |scene: &mut serde_json::Value| {
                    let g = [0, 1, 2].map(|i| scene["scene"]["gravity"][i].as_f64().unwrap_or(0.0));
                    scene["scene"]["gravity"] = json!(g.map(|c| more * c));
                };
                assert!(judged(name, seed, 1e-3, stronger).is_err(), "{name} {seed}: does not notice");
            }
        }
    }

    /// Without friction, what friction holds is let go.
    #[test]
    fn grips_notice_lost_friction() {
        for name in ["car_brake", "arch_hit", "truck_rides"] {
            let smooth = |scene: &mut serde_json::Value| scene["materials"]["default"]["friction"] = json!(0.0);
            assert!(judged(name, 1, 1.0 / 60.0, smooth).is_err(), "{name}: does not notice");
        }
    }
}
