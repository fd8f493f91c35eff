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
