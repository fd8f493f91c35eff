use super::body::Body;
use super::patch::Impulses;
use super::response::Response;
use super::seat::Upper;
use super::surfaces::{Foot, Item, Surfaces};
use drystone_math::{Real, Twist, Vec3};

/// Largest number of supports of a body that are solved at once; with more, they are solved one by one.
const SUPPORTS: usize = 8;
/// A patch resists turning by this fraction of the square of its reach, relative to its resistance to moving.
const STIFFNESS: Real = 0.5;
/// Largest residual of the equations, relative to their right-hand side, at which supports count as able to hold the body in every way.
const LEFT: Real = 1e-9;

/// The share of one support in carrying a body.
#[derive(Debug, Clone, Copy)]
struct Part {
    change: [Real; 6],
    after: Impulses,
}

/// The outcome of a visit of a body on its supports.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Stand {
    /// It stands, or was already close enough to standing; it was off by this (m/s).
    Stands(Real),
    /// Its supports cannot hold it in this way.
    Fails,
}

/// Brings a body to rest on all its supports at once.
///
/// Newton's and Euler's equations of the body give the wrench that its supports have to add. It is distributed as by parallel springs, each patch as stiff as
/// the others, on top of what they bear already. The shares are accepted if no point has to pull and no patch needs more friction than it has.
#[inline(always)]
pub(super) fn stand(supports: &[Item], surfaces: &mut Surfaces, bodies: &mut [Body], still: Real) -> Stand {
    let Some((upper, side)) = upper_of(&supports[0]) else { return Stand::Fails };
    let Some((mass, inertia)) = bodies[upper].inertia else { return Stand::Fails };
    if supports.len() > SUPPORTS {
        return Stand::Fails;
    }
    debug_assert!(side < 2);
    // the twist of the centre of mass at which all patches are at rest: the mean of theirs
    let mut wanted = Twist::ZERO;
    for item in supports {
        wanted += wanted_of(&surfaces.foot(item), bodies);
    }
    let wanted = wanted * (1.0 / supports.len() as Real);
    let change = wanted - bodies[upper].velocity;
    let (mut off, mut apart): (Real, Real) = (0.0, 0.0);
    let mut stiffness = Stiffness::default();
    for item in supports {
        let foot = surfaces.foot(item);
        let arm = arm_of(&foot);
        off = off.max(size(change, arm, foot.reach));
        apart = apart.max(size(wanted - wanted_of(&foot, bodies), arm, foot.reach));
        stiffness.add(&foot, arm);
    }
    if off <= still.max(4.0 * apart) {
        return if off <= still { Stand::Stands(off) } else { Stand::Fails };
    }
    let Some(strain) = stiffness.strain(change.linear * mass, inertia.mul_vec(change.angular)) else {
        return Stand::Fails;
    };
    let mut parts = [None; SUPPORTS];
    for (part, item) in parts.iter_mut().zip(supports) {
        let Some(found) = part_of(item, surfaces, strain) else { return Stand::Fails };
        *part = Some(found);
    }
    for (part, item) in parts.iter().flatten().zip(supports) {
        surfaces.bear(item, part.after, &part.change, bodies);
    }
    Stand::Stands(off)
}

#[inline(always)]
fn upper_of(patch: &Item) -> Option<(usize, usize)> {
    match patch.upper {
        Upper::Side(s) => Some((patch.bodies[s as usize] as usize, s as usize)),
        Upper::Neither => None,
    }
}

/// 1 if impulses act on the upper body as they are, -1 if with the opposite sign.
#[inline(always)]
fn sign(patch: &Foot<'_>) -> Real {
    if patch.upper == Upper::Side(1) { 1.0 } else { -1.0 }
}

/// From the upper body's centre of mass to the middle of the patch.
#[inline(always)]
fn arm_of(patch: &Foot<'_>) -> Vec3 {
    patch.frame.arms[usize::from(patch.upper == Upper::Side(1))]
}

/// The velocity of the upper body's centre of mass at which it rests on the patch.
#[inline(always)]
fn wanted_of(patch: &Foot<'_>, bodies: &[Body]) -> Twist {
    let low = usize::from(patch.upper != Upper::Side(1));
    let rest = bodies[patch.bodies[low] as usize].rest;
    let [n, t1, t2] = patch.frame.axes;
    let [p0, p4, p5] = patch.plane.map(|p| p * sign(patch));
    let angular = rest.angular + t2 * p4 + t1 * p5;
    let linear = rest.at(patch.frame.arms[low]) + n * p0;
    Twist::new(linear - angular.cross(arm_of(patch)), angular)
}

/// Speed of a patch under a twist of its body (m/s).
#[inline(always)]
fn size(twist: Twist, arm: Vec3, reach: Real) -> Real {
    twist.at(arm).abs().max_element().max(twist.angular.abs().max_element() * reach)
}

/// The wrench that a patch adds if its body is strained by a twist, and its impulses then; `None` if they are not admissible.
#[inline(always)]
fn part_of(item: &Item, surfaces: &Surfaces, strain: Twist) -> Option<Part> {
    let patch = &surfaces.foot(item);
    if !patch.weldable {
        return None;
    }
    let arm = arm_of(patch);
    let mut change = patch.frame.rows(strain.at(arm), strain.angular);
    let turning = STIFFNESS * patch.reach * patch.reach;
    for (i, c) in change.iter_mut().enumerate() {
        *c *= sign(patch) * if i < 3 { 1.0 } else { turning };
        if i >= patch.rows {
            *c = 0.0;
        }
    }
    Some(Part { change, after: surfaces.admissible(item, &change)? })
}

/// The combined stiffness of all supports of a body about its centre of mass: force and torque per twist.
#[derive(Debug, Default)]
struct Stiffness {
    count: Real,
    arms: Vec3,
    diagonal: Vec3,
    /// (yz, xz, xy).
    off_diagonal: Vec3,
}

impl Stiffness {
    #[inline(always)]
    fn add(&mut self, patch: &Foot<'_>, arm: Vec3) {
        self.count += 1.0;
        self.arms += arm;
        let turning = STIFFNESS * patch.reach * patch.reach;
        let free = if patch.rows == 5 { patch.frame.axes[1] } else { Vec3::ZERO };
        let turning = if patch.rows == 3 { 0.0 } else { turning };
        self.diagonal += Vec3::splat(arm.length_squared() + turning) - arm * arm - free * free * turning;
        let product = |v: Vec3| Vec3::new(v.y * v.z, v.x * v.z, v.x * v.y);
        self.off_diagonal -= product(arm) + product(free) * turning;
    }

    /// The twist under which the supports give this force and torque; `None` if they do not hold the body in every way.
    #[inline(always)]
    fn strain(&self, force: Vec3, torque: Vec3) -> Option<Twist> {
        let r = self.arms;
        let (d, o) = (self.diagonal, self.off_diagonal);
        // rows of the torque: r x f, then the moments
        let lower = [[0.0, -r.z, r.y, d.x, 0.0, 0.0], [r.z, 0.0, -r.x, o.z, d.y, 0.0], [-r.y, r.x, 0.0, o.y, o.x, d.z]];
        let all = Response::of_lower(|i, j| match (i < 3, i == j) {
            (true, true) => self.count,
            (true, false) => 0.0,
            (false, _) => lower[i - 3][j],
        });
        let want = [force.x, force.y, force.z, torque.x, torque.y, torque.z];
        let y = all.factor(6).solve(want, 6);
        let scale = want.iter().fold(0.0, |m: Real, w| m.max(w.abs()));
        let held = (0..6).all(|i| (all.row(i, &y) - want[i]).abs() <= LEFT * scale);
        held.then(|| Twist::new(Vec3::new(y[0], y[1], y[2]), Vec3::new(y[3], y[4], y[5])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact_sweeps::patch::Patch;
    use crate::contact_sweeps::seat::Seat;
    use drystone_testkit::problem::{contact, cube};

    const MASS: Real = 2.0;

    /// A cube on two feet, 0.2 m wide, at both ends of its bottom face; friction 0.5.
    fn on_two_feet(velocity: Twist) -> (Vec<Body>, Vec<Item>, Surfaces) {
        let cubes = [cube(0, 0.0, Vec3::new(0.0, -0.5, 0.0)), cube(1, MASS, Vec3::new(0.0, 0.5, 0.0))];
        let bodies = vec![Body::of(&cubes[0], Twist::ZERO), Body::of(&cubes[1], velocity)];
        let mut surfaces = Surfaces::default();
        let feet = [-0.4, 0.4].into_iter().enumerate().map(|(edge, x)| {
            let corners = [[-0.1, -0.5], [0.1, -0.5], [0.1, 0.5], [-0.1, 0.5]];
            let points: Vec<_> = (0..4)
                .map(|i| {
                    let [dx, z] = corners[i];
                    contact([0, 1], Vec3::new(x + dx, 0.0, z), Vec3::Y, edge as u32, i as u32)
                })
                .collect();
            let seat = Seat { first: 4 * edge as u32, upper: Upper::Side(1), ..Seat::leaning([0, 1], 4) };
            surfaces.add_patch(&points, &seat, &bodies).0
        });
        let items = feet.collect();
        (bodies, items, surfaces)
    }

    fn stands(velocity: Twist) -> (Stand, Vec<Body>, Vec<Patch>) {
        let (mut bodies, items, mut surfaces) = on_two_feet(velocity);
        let stand = stand(&items, &mut surfaces, &mut bodies, 1e-9);
        (stand, bodies, surfaces.patches.to_vec())
    }

    #[test]
    fn a_body_comes_to_rest_on_all_its_feet_at_once() {
        let falls = Vec3::new(0.02, -0.16, 0.03);
        let (stand, bodies, patches) = stands(Twist::new(falls, Vec3::ZERO));
        assert!(matches!(stand, Stand::Stands(off) if (off - 0.16).abs() < 1e-12), "{stand:?}");
        let left = bodies[1].velocity;
        assert!(left.linear.length() < 1e-12 && left.angular.length() < 1e-12, "{left:?}");
        let borne: Real = patches.iter().map(Patch::total).sum();
        assert!((borne - 0.16 * MASS).abs() < 1e-12, "{borne} N s");
        assert!(patches.iter().all(|p| p.normal.iter().all(|x| *x >= 0.0)));
    }

    #[test]
    fn what_would_have_to_pull_or_hold_more_than_friction_does_is_left_as_it_was() {
        let rises = Twist::new(Vec3::Y * 0.1, Vec3::ZERO);
        let slides = Twist::new(Vec3::new(0.3, -0.16, 0.0), Vec3::ZERO);
        let tips = Twist::new(Vec3::Y * -0.02, Vec3::Z * 0.5);
        for velocity in [rises, slides, tips] {
            let (stand, bodies, patches) = stands(velocity);
            assert_eq!(stand, Stand::Fails, "{velocity:?}");
            assert_eq!(bodies[1].velocity, velocity);
            assert!(patches.iter().all(|p| p.total() == 0.0 && p.rub() == [0.0; 3]));
        }
    }

    #[test]
    fn what_rests_stays_as_it_is() {
        let (stand, bodies, _) = stands(Twist::new(Vec3::Y * -1e-10, Vec3::ZERO));
        assert!(matches!(stand, Stand::Stands(_)));
        assert_eq!(bodies[1].velocity.linear, Vec3::Y * -1e-10);
    }
}
