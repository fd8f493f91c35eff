//! What a scene file goes through when it is run.

use super::scene::read;
use drystone::{ModuleChoice, Paradigm, WorldBuilder, WorldError};
use drystone_core::BodyIndex;
use drystone_core::catalogue::Value;

/// Bodies, and a count of a setting, above which a scene asks for more work than a fuzzer has time for.
const MOST_BODIES: usize = 60;
const MOST_WORK: i64 = 1000;

/// A world with words for what it does not take, and steps that leave finite states or say what failed.
pub(crate) fn advance(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    // the readers follow paths: a fuzzer must not
    if text.contains("file") {
        return;
    }
    for scene in read(&text).into_iter().flatten() {
        let Ok(built) = scene.build() else { continue };
        let too_much = |v: &Value| matches!(v, Value::Integer(n) if *n > MOST_WORK);
        if built.state.len() > MOST_BODIES || built.modules.iter().flat_map(|m| &m.settings).any(|s| too_much(&s.value))
        {
            continue;
        }
        let Ok(paradigm) = Paradigm::by_name(&built.paradigm) else { continue };
        let mut builder = WorldBuilder::default().paradigm(paradigm);
        for module in &built.modules {
            let settings = module.settings.iter().map(|s| (s.key.clone(), s.value.clone())).collect();
            builder = builder.choose(ModuleChoice { kind: module.module, name: module.kind.clone(), settings });
        }
        let mut world = match builder.build_with(built.configuration, built.state) {
            Ok(world) => world,
            Err(refused) => {
                assert!(!refused.to_string().is_empty());
                continue;
            }
        };
        for _ in 0..3 {
            match world.advance(built.time_step) {
                Ok(_) => assert!((0..world.state().len()).all(|i| world.state().is_finite(BodyIndex::new(i)))),
                Err(WorldError::Step(_)) => break,
                Err(other) => panic!("a scene that was built does not step: {other}"),
            }
        }
    }
}
