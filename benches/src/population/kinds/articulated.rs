//! Chains, bridges, nets and rag dolls on ball joints.

use super::super::draw::Draw;
use super::super::group::Group;
use super::super::scene::{Form, Joint, JointKind};
use super::grid;
use drystone::math::elementary::rotation_about;
use drystone::math::{Quat, Real, Vec3};

/// Chains of links: hanging, held at one end or both, or loose. One in four bears a weight of up to 1000 links.
pub(super) fn chain(draw: &mut Draw, count: usize) -> Group {
    let mut group = Group::default();
    let chains = count.div_ceil(60);
    for c in 0..chains {
        one_chain(draw, count.div_ceil(chains), 3.0 * c as Real, &mut group);
    }
    group
}

fn one_chain(draw: &mut Draw, links: usize, z: Real, group: &mut Group) {
    let half = draw.uniform(0.1, 0.4);
    let (hangs, held, both_ends) = (draw.chance(0.5), draw.chance(0.7), draw.chance(0.2));
    let along = if hangs { Vec3::NEG_Y } else { Vec3::X };
    let length = 2.0 * half * links as Real;
    let start = Vec3::new(0.0, if hangs { length + 1.5 } else { (0.4 * length).min(6.0) + 1.0 }, z);
    // a link lies along its y axis
    let turn = if hangs { Quat::IDENTITY } else { rotation_about(Vec3::Z, core::f64::consts::FRAC_PI_2) };
    let mut last = None;
    for k in 0..links {
        let middle = start + along * (half * (2 * k + 1) as Real);
        let form = Form::Box(Vec3::new(0.2 * half, 0.95 * half, 0.2 * half));
        let link = group.add(form, 1000.0, middle, turn);
        if k > 0 || held {
            group.link(link, last, start + along * (2.0 * half * k as Real));
        }
        last = Some(link);
    }
    let (Some(end), tip) = (last, start + along * length) else { return };
    if draw.chance(0.25) {
        let mass = group.bodies[end].mass.unwrap_or(1.0) * draw.log_uniform(10.0, 1000.0);
        let weight = group.add(Form::Ball(half), 1000.0, tip + along * half, Quat::IDENTITY);
        group.bodies[weight].mass = Some(mass);
        group.link(weight, last, tip);
    } else if held && both_ends && !hangs {
        group.link(end, None, tip);
    }
}

/// Planks joined in a row, by one joint or two, with boxes that fall on them.
pub(super) fn bridge(draw: &mut Draw, count: usize) -> Group {
    let mut group = Group::default();
    let planks = draw.whole(6, 25).min(count.max(6));
    let y = draw.uniform(2.0, 4.0);
    let offsets: &[Real] = if draw.chance(0.6) { &[-0.5, 0.5] } else { &[0.0] };
    let mut last = None;
    for k in 0..=planks {
        let x = 0.4 * k as Real;
        let plank = (k < planks).then(|| group.add_box(Vec3::new(0.19, 0.04, 0.6), Vec3::new(x, y, 0.0)));
        let closed = plank.is_some() || draw.chance(0.8);
        for &z in offsets.iter().filter(|_| closed) {
            let anchor = Vec3::new(x - 0.2, y, z);
            match (plank, last) {
                (Some(plank), _) => group.link(plank, last, anchor),
                (None, Some(end)) => group.link(end, None, anchor),
                (None, None) => {}
            }
        }
        last = plank.or(last);
    }
    // each box begins above the one before, so that none overlap
    let mut height = y + 0.3;
    for _ in planks..count {
        let half = draw.uniform(0.1, 0.25);
        let place = Vec3::new(draw.uniform(0.0, 0.4 * planks as Real), height + half, draw.uniform(-0.3, 0.3));
        group.add(Form::Box(Vec3::splat(half)), draw.density(2.0, 3.3), place, Quat::IDENTITY);
        height += 2.1 * half;
    }
    group
}

/// A square net of balls that falls, on a heavy box in two of three.
pub(super) fn net(draw: &mut Draw, count: usize) -> Group {
    let mut group = Group::default();
    let (columns, rows) = grid(count);
    let y = draw.uniform(1.5, 3.0);
    for k in 0..columns * rows {
        let (i, j) = (k % columns, k / columns);
        let place = Vec3::new(0.35 * i as Real, y, 0.35 * j as Real);
        let ball = group.add(Form::Ball(0.1), 500.0, place, Quat::IDENTITY);
        if i > 0 {
            group.link(ball, Some(ball - 1), place - Vec3::X * 0.175);
        }
        if j > 0 {
            group.link(ball, Some(ball - columns), place - Vec3::Z * 0.175);
        }
    }
    if draw.chance(0.7) {
        let middle = Vec3::new(0.17 * columns as Real, 0.4, 0.17 * rows as Real);
        group.add(Form::Box(Vec3::splat(0.4)), 3000.0, middle, Quat::IDENTITY);
    }
    group
}

/// Rag dolls of ten bodies that fall onto one another; some are thrown.
pub(super) fn rag_dolls(draw: &mut Draw, count: usize) -> Group {
    let mut group = Group::default();
    let dolls = (count / 10).max(1);
    let high = draw.whole(1, 6).min(dolls);
    let (columns, _) = grid(dolls.div_ceil(high));
    for d in 0..dolls {
        let (layer, column) = (d % high, d / high);
        let place = 3.0 * Vec3::new((column % columns) as Real, 0.0, (column / columns) as Real);
        let off = 0.3 * draw.cube();
        let center = place + Vec3::new(off.x, 1.6 + 2.4 * layer as Real, off.z);
        let (size, hinges) = (draw.uniform(0.5, 1.2), draw.chance(0.5));
        let mut doll = rag_doll(size, hinges);
        if draw.chance(0.3) {
            let (velocity, spin) =
                (draw.uniform(0.0, 8.0) * draw.direction(), draw.uniform(0.0, 4.0) * draw.direction());
            doll.throw(Vec3::ZERO, velocity, spin);
        }
        doll.shift(center);
        group.append(doll);
    }
    group
}

/// Torso, head, arms and legs of a rag doll, its torso at the origin; `k` scales its lengths. With `hinges` elbows and
/// knees turn about one axis within limits.
fn rag_doll(k: Real, hinges: bool) -> Group {
    let mut doll = Group::default();
    let at = |x: Real, y: Real| Vec3::new(x * k, y * k, 0.0);
    let half = |x: Real, y: Real, z: Real| Vec3::new(x * k, y * k, z * k);
    let torso = doll.add_box(half(0.2, 0.3, 0.12), at(0.0, 0.0));
    let head = doll.add(Form::Ball(0.14 * k), 1000.0, at(0.0, 0.47), Quat::IDENTITY);
    doll.link(head, Some(torso), at(0.0, 0.32));
    for side in [-1.0, 1.0] {
        let arm = doll.add_box(half(0.06, 0.16, 0.06), at(0.29 * side, 0.12));
        doll.link(arm, Some(torso), at(0.25 * side, 0.27));
        let forearm = doll.add_box(half(0.05, 0.15, 0.05), at(0.29 * side, -0.22));
        doll.limb(forearm, arm, at(0.29 * side, -0.05), hinges.then_some([-2.5, 0.1]));
        let thigh = doll.add_box(half(0.08, 0.2, 0.08), at(0.11 * side, -0.53));
        doll.link(thigh, Some(torso), at(0.11 * side, -0.31));
        let shin = doll.add_box(half(0.06, 0.2, 0.06), at(0.11 * side, -0.96));
        doll.limb(shin, thigh, at(0.11 * side, -0.745), hinges.then_some([-0.1, 2.5]));
    }
    doll
}

impl Group {
    /// Joins a limb by a hinge about x with the given limits (rad), or by a ball joint.
    fn limb(&mut self, limb: usize, to: usize, anchor: Vec3, limits: Option<[Real; 2]>) {
        match limits {
            None => self.link(limb, Some(to), anchor),
            Some(_) => self
                .joints
                .push(Joint { limits, ..Joint::new(JointKind::Hinge, [Some(to), Some(limb)], anchor, Vec3::X) }),
        }
    }
}
