//! A world written as a scene is the same world when it is read back: the same bits after more steps, whatever was in it.

use crate::random_world::{Random, random_world};
use drystone::World;
use drystone::math::Wrench;
use drystone::prelude::*;
use drystone_core::{Configuration, Kernel, State, StepFailure, TimeReport};
use drystone_motion::force::CustomField;
use drystone_scene::Document;
use drystone_session::{LoadError, Loaded, Overrides, SaveWorld, bundled_scenes, load, prepare};
use std::thread;

/// Steps before a world is saved, and after; `DRYSTONE_SAVE_STEPS` sets another number.
fn steps() -> usize {
    std::env::var("DRYSTONE_SAVE_STEPS").ok().and_then(|n| n.parse().ok()).unwrap_or(6)
}

fn read_back(document: Document) -> Result<Loaded, LoadError> {
    prepare(document, &Overrides::default())?.finish()
}

fn as_toml(document: &Document) -> Document {
    Document::from_toml_str(&document.to_toml_string()).unwrap_or_else(|e| panic!("{e}"))
}

fn as_json(document: &Document) -> Document {
    Document::from_json_str(&document.to_json_string()).unwrap_or_else(|e| panic!("{e}"))
}

/// The state after some steps, or the time and kind of the failure.
fn run(world: &mut World, steps: usize, dt: f64) -> Result<String, String> {
    for _ in 0..steps {
        world.advance(dt).map_err(|e| format!("{} s: {e}", world.time()))?;
    }
    Ok(format!("{:?}", world.state()))
}

/// Saves a world in both languages and compares the runs from there; the message of the first difference.
fn differs(world: &mut World, saved: &impl Fn(&World) -> Result<Document, String>, dt: f64) -> Option<String> {
    let document = match saved(world) {
        Ok(document) => document,
        Err(e) => return Some(e),
    };
    let worlds = [as_toml(&document), as_json(&document)].map(read_back);
    let here = run(world, steps(), dt);
    worlds.into_iter().find_map(|loaded| match loaded {
        Ok(mut loaded) => {
            let there = run(&mut loaded.world, steps(), dt);
            (here != there).then(|| "goes on with other bits".to_owned())
        }
        Err(e) => Some(e.to_string()),
    })
}

fn each_on_both_cores<T: Sync>(items: &[T], work: impl Fn(&T) -> Option<String> + Sync) -> Vec<String> {
    let half = |which: usize| -> Vec<String> { items.iter().skip(which).step_by(2).filter_map(&work).collect() };
    thread::scope(|s| {
        let other = s.spawn(|| half(1));
        let mut all = half(0);
        all.extend(other.join().unwrap());
        all
    })
}

#[test]
fn every_bundled_scene_goes_on_from_its_saved_world() {
    let scenes = bundled_scenes();
    let bad = each_on_both_cores(&scenes, |scene| {
        let mut loaded = load(scene.name, &Overrides::default()).unwrap_or_else(|e| panic!("{}: {e}", scene.name));
        let dt = loaded.time_step;
        // what fails this soon is not saved
        run(&mut loaded.world, steps(), dt).ok()?;
        let saved = loaded.to_scene().map_err(|e| e.to_string());
        differs(&mut loaded.world, &|_| saved.clone(), dt).map(|e| format!("{}: {e}", scene.name))
    });
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn random_worlds_go_on_from_their_saved_scene() {
    let seeds: Vec<u64> = (0..120).collect();
    let bad = each_on_both_cores(&seeds, |seed| {
        let mut random = Random(*seed);
        let mut world = random_world(&mut random);
        let dt = 0.01;
        run(&mut world, random.below(40), dt).ok()?;
        let saved = |world: &World| world.to_scene().map_err(|e| e.to_string());
        differs(&mut world, &saved, dt).map(|e| format!("seed {seed}: {e}"))
    });
    // a force on a body that was fixed or removed from it later has no words, and is named
    let lost: Vec<&String> = bad.iter().filter(|e| !e.contains("no force moves")).collect();
    assert!(lost.is_empty() && bad.len() < 12, "{} of {}: {lost:?}", bad.len(), seeds.len());
}

/// The control: without its snapshot a world does not go on with the same bits.
#[test]
fn random_worlds_do_not_go_on_without_their_snapshot() {
    let seeds: Vec<u64> = (0..20).collect();
    let without = |document: Document| {
        let text = document.to_toml_string();
        Document::from_toml_str(text.split("[resume]").next().unwrap_or_default()).map_err(|e| e.to_string())
    };
    let other = each_on_both_cores(&seeds, |seed| {
        let mut world = random_world(&mut Random(*seed));
        run(&mut world, 20, 0.01).ok()?;
        let saved = |world: &World| world.to_scene().map_err(|e| e.to_string()).and_then(without);
        differs(&mut world, &saved, 0.01).filter(|e| e.contains("other bits"))
    });
    assert!(other.len() > 12, "{} of {}", other.len(), seeds.len());
}

fn ball_on_floor() -> Result<World, Box<dyn std::error::Error>> {
    let mut world = World::builder().build()?;
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0)?))?;
    world.add(Body::dynamic(Shape::sphere(0.1)?).at([0.0, 0.3, 0.0]).linear_velocity([0.3, 0.0, 0.0]))?;
    for _ in 0..40 {
        world.advance(0.01)?;
    }
    Ok(world)
}

/// What the section `resume` is for: without it the poses alone, rounded by the way through the body frame, go on.
#[test]
fn a_changed_scene_is_refused_and_one_without_its_snapshot_starts_anew() -> Result<(), Box<dyn std::error::Error>> {
    let world = ball_on_floor()?;
    let text = world.to_scene()?.to_toml_string();
    let changed = text.replace("\nmass = ", "\nmass = 1");
    assert_ne!(changed, text);
    let refused = read_back(Document::from_toml_str(&changed)?).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(refused.contains("resume"), "{refused}");
    let anew = text.split("[resume]").next().unwrap_or_default();
    let loaded = read_back(Document::from_toml_str(anew)?)?;
    assert_eq!(loaded.world.time(), 0.0);
    assert_eq!(read_back(Document::from_toml_str(&text)?)?.world.time(), world.time());
    Ok(())
}

#[test]
fn what_a_scene_cannot_say_is_named() -> Result<(), Box<dyn std::error::Error>> {
    type Edit = fn(&mut World) -> Result<(), WorldError>;
    let edits: [(&str, Edit); 4] = [
        ("force 0", |w| {
            w.add_force(CustomField(|_: &Configuration, _: &State, _: &mut [Wrench]| {}));
            Ok(())
        }),
        ("timers", |w| w.add_timer(1.0, None).map(drop)),
        ("\"twin\"", |w| {
            let all = w.bodies().to_vec();
            all.into_iter().try_for_each(|b| w.set_name(b, "twin"))
        }),
        ("time_control", |w| w.replace(drystone::Replacement::time_control(Stands))),
    ];
    for (named, edit) in edits {
        let mut world = ball_on_floor()?;
        edit(&mut world)?;
        let said = world.to_scene().err().map(|e| e.to_string()).unwrap_or_default();
        assert!(said.contains(named), "{named}: {said}");
    }
    Ok(())
}

/// A time control of a program's own.
struct Stands;

impl drystone_core::TimeControl for Stands {
    fn name(&self) -> &'static str {
        "stands"
    }

    fn advance(&mut self, _: &mut dyn Kernel, _: f64) -> Result<TimeReport, StepFailure> {
        Ok(TimeReport::default())
    }
}

#[test]
fn a_saved_file_is_whole_and_loads() -> Result<(), Box<dyn std::error::Error>> {
    let world = ball_on_floor()?;
    let folder = std::env::temp_dir().join(format!("drystone-save-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    for name in ["world.toml", "world.json"] {
        let path = folder.join(name);
        world.save_world(&path)?;
        let loaded = load(&path.display().to_string(), &Overrides::default())?;
        assert_eq!(format!("{:?}", loaded.world.state()), format!("{:?}", world.state()));
    }
    assert_eq!(std::fs::read_dir(&folder)?.count(), 2);
    assert!(world.save_world(&folder.join("none/world.toml")).is_err());
    // other files stay, and a folder in the way leaves nothing beside it
    std::fs::write(folder.join("world.part"), "another one's")?;
    std::fs::create_dir_all(folder.join("blocked.toml/inside"))?;
    world.save_world(&folder.join("world.toml"))?;
    assert!(world.save_world(&folder.join("blocked.toml")).is_err());
    assert_eq!(std::fs::read_to_string(folder.join("world.part"))?, "another one's");
    assert_eq!(std::fs::read_dir(&folder)?.count(), 4);
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
