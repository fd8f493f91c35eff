//! Draws a scene from a seed.

use super::draw::Draw;
use super::group::Group;
use super::kinds::{KINDS, Kind};
use super::scene::{Form, PopulationScene};
use drystone::math::{Real, Vec3};

/// Fewest and most moving bodies of a scene, about.
const BODIES: [Real; 2] = [5.0, 2000.0];
/// Largest number of bodies of one group.
const GROUP: usize = 400;
/// Distance between groups (m).
const GAP: Real = 4.0;
/// Ground around the groups (m), for what rolls away.
const MARGIN: Real = 100.0;
/// Length of a row of groups (m).
const ROW: Real = 60.0;

impl PopulationScene {
    /// The scene of a seed: one to four kinds of groups, in rows on flat ground.
    ///
    /// The number of bodies is drawn log-uniformly, so small scenes dominate.
    pub fn draw(seed: u64) -> Self {
        let mut draw = Draw::new(seed);
        let wanted = draw.log_uniform(BODIES[0], BODIES[1]);
        Self::draw_with(seed, &mut draw, wanted as usize)
    }

    fn draw_with(seed: u64, draw: &mut Draw, wanted: usize) -> Self {
        let kinds = choose_kinds(draw, wanted);
        let (friction, restitution) = (draw.pick(&[0.2, 0.5, 0.8]), draw.pick(&[0.0, 0.0, 0.0, 0.3]));
        let mut rows = Rows::default();
        let mut left = wanted;
        for i in 0.. {
            let kind = kinds[i % kinds.len()];
            if left < kind.fewest && i >= kinds.len() {
                break;
            }
            // the kinds that are still to come get their share
            let waiting = kinds.len().saturating_sub(i).max(1);
            let most = (left / waiting).clamp(kind.fewest, GROUP);
            let least = (most / 4).max(kind.fewest);
            let count = draw.whole(least, most);
            let group = (kind.make)(&mut *draw, count);
            left = left.saturating_sub(group.bodies.len());
            rows.place(group);
        }
        let mut all = rows.all;
        let (low, high) = all.bounds();
        let half = (0.5 * (high - low)).max(Vec3::ZERO) + Vec3::splat(MARGIN);
        let middle = 0.5 * (low + high);
        all.fix(Form::Box(Vec3::new(half.x, 0.5, half.z)), Vec3::new(middle.x, -0.5, middle.z));
        let Group { bodies, joints, springs } = all;
        let kinds = kinds.iter().map(|kind| kind.name).collect();
        Self { seed, kinds, friction, restitution, bodies, joints, springs }
    }
}

/// One to four different kinds, of those that a scene of so many bodies has room for.
fn choose_kinds(draw: &mut Draw, wanted: usize) -> Vec<Kind> {
    let mut open: Vec<Kind> = KINDS.iter().filter(|kind| kind.fewest <= wanted).copied().collect();
    let number = draw.whole(1, 4).min(open.len());
    let mut kinds = Vec::with_capacity(number);
    let mut left = wanted;
    while kinds.len() < number && !open.is_empty() {
        let kind = open.swap_remove(draw.whole(0, open.len() - 1));
        if kinds.is_empty() || kind.fewest <= left {
            left = left.saturating_sub(kind.fewest);
            kinds.push(kind);
        }
    }
    kinds
}

/// Places groups in rows, none of whose bounds overlap.
#[derive(Default)]
struct Rows {
    all: Group,
    x: Real,
    z: Real,
    depth: Real,
}

impl Rows {
    fn place(&mut self, mut group: Group) {
        let (low, high) = group.bounds();
        group.shift(Vec3::new(self.x - low.x, 0.0, self.z - low.z));
        self.x += high.x - low.x + GAP;
        self.depth = self.depth.max(high.z - low.z);
        if self.x > ROW {
            (self.x, self.z, self.depth) = (0.0, self.z + self.depth + GAP, 0.0);
        }
        self.all.append(group);
    }
}
