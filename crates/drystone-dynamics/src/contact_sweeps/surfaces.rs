use super::body::Body;
use super::normals::MOST;
use super::patch::{Frame, Impulses, Patch};
use super::point::Point;
use super::relax::{Relaxed, Visit};
use super::renewed::Renewed;
use super::seat::Seat;
use super::seat::Upper;
use drystone_core::{GroupAnswer, GroupContact};
use drystone_math::Real;

/// Storage place of a point or a patch, with the data needed before it is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    pub(super) bodies: [u32; 2],
    pub(super) upper: Upper,
    /// True if it is a point.
    single: bool,
    /// Its place among the points, or among the patches.
    place: u32,
    /// When it was last visited.
    pub(super) visited: u32,
}

/// The points and patches of a group, each kind in the order in which it is visited.
#[derive(Debug, Default)]
pub(super) struct Surfaces {
    pub(super) points: Renewed<Point>,
    pub(super) patches: Renewed<Patch>,
}

/// A point or a patch, as something to stand on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Foot<'a> {
    pub(super) bodies: [u32; 2],
    pub(super) upper: Upper,
    pub(super) frame: &'a Frame,
    /// Wanted velocities of the middle: rows 0, 4 and 5.
    pub(super) plane: [Real; 3],
    pub(super) reach: Real,
    pub(super) rows: usize,
    pub(super) weldable: bool,
}

impl Surfaces {
    /// Prepares for making all of them anew.
    pub(super) fn restart(&mut self) {
        self.points.clear();
        self.patches.clear();
    }

    /// Adds a single contact, whose normal velocity has to be at least `target`.
    #[inline(always)]
    pub(super) fn add_point(&mut self, c: &GroupContact, seat: &Seat, target: Real, bodies: &[Body]) -> Item {
        let &Seat { bodies: pair, upper, .. } = seat;
        let place = self.points.len();
        self.points.add(&Point::BLANK).set(c, seat, target, bodies);
        Item { bodies: pair, upper, single: true, place: place as u32, visited: 0 }
    }

    /// Adds a patch of two to four contacts, and returns it for its targets to be set.
    #[inline(always)]
    pub(super) fn add_patch(&mut self, contacts: &[GroupContact], seat: &Seat, bodies: &[Body]) -> (Item, &mut Patch) {
        let place = self.patches.len();
        let patch = self.patches.add(&Patch::BLANK);
        patch.clear();
        patch.set(contacts, seat, bodies);
        (Item { bodies: patch.bodies, upper: patch.upper, single: false, place: place as u32, visited: 0 }, patch)
    }

    /// Starts from the impulses of the last step.
    #[inline(always)]
    pub(super) fn start(&mut self, item: &Item, contacts: &[GroupContact], bodies: &mut [Body]) {
        if item.single {
            let point = &mut self.points[item.place as usize];
            point.start(&contacts[point.first as usize], bodies);
            return;
        }
        let patch = &mut self.patches[item.place as usize];
        let first = patch.first as usize;
        patch.start(&contacts[first..first + patch.count as usize]);
        let wrench = patch.wrench();
        if wrench != [0.0; 6] {
            patch.strike(bodies, &wrench);
        }
    }

    /// Solves one with all else held.
    #[inline(always)]
    pub(super) fn relax(&mut self, item: &Item, bodies: &mut [Body], visit: Visit) -> Relaxed {
        if item.single {
            self.points[item.place as usize].relax(bodies, visit)
        } else {
            self.patches[item.place as usize].relax(bodies, visit)
        }
    }

    #[inline(always)]
    pub(super) fn foot(&self, item: &Item) -> Foot<'_> {
        if item.single {
            let Point { bodies, upper, frame, target, .. } = &self.points[item.place as usize];
            let plane = [*target, 0.0, 0.0];
            return Foot { bodies: *bodies, upper: *upper, frame, plane, reach: 0.0, rows: 3, weldable: true };
        }
        let Patch { bodies, upper, frame, plane, reach, rows, weldable, .. } = &self.patches[item.place as usize];
        Foot {
            bodies: *bodies,
            upper: *upper,
            frame,
            plane: *plane,
            reach: *reach,
            rows: *rows as usize,
            weldable: *weldable,
        }
    }

    /// The impulses with a wrench added; `None` if something would pull or friction would exceed its bounds.
    #[inline(always)]
    pub(super) fn admissible(&self, item: &Item, change: &[Real; 6]) -> Option<Impulses> {
        if item.single {
            let [x, f1, f2] = self.points[item.place as usize].admissible([change[0], change[1], change[2]])?;
            let mut grip = [[0.0; 2]; MOST];
            grip[0] = [f1, f2];
            return Some(([x, 0.0, 0.0, 0.0], grip));
        }
        self.patches[item.place as usize].admissible(change)
    }

    /// Sets the impulses, and applies to the bodies the wrench by which they differ from those before.
    #[inline(always)]
    pub(super) fn bear(&mut self, item: &Item, (normal, grip): Impulses, change: &[Real; 6], bodies: &mut [Body]) {
        if item.single {
            let point = &mut self.points[item.place as usize];
            point.impulse = [normal[0], grip[0][0], grip[0][1]];
            point.push(bodies, [change[0], change[1], change[2]]);
        } else {
            let patch = &mut self.patches[item.place as usize];
            (patch.normal, patch.grip) = (normal, grip);
            patch.strike(bodies, change);
        }
    }

    /// Distributes the impulses over the contacts.
    #[inline(always)]
    pub(super) fn write(&self, answer: &mut GroupAnswer) {
        for point in self.points.iter() {
            point.write(&mut answer.contacts[point.first as usize]);
        }
        for patch in self.patches.iter() {
            let first = patch.first as usize;
            patch.write(&mut answer.contacts[first..first + patch.count as usize]);
        }
    }

    /// Unknowns of all of them.
    pub(super) fn variables(&self) -> u64 {
        3 * self.points.len() as u64 + self.patches.iter().map(|p| u64::from(p.count) + 3).sum::<u64>()
    }
}
