//! Drifts of bodies four by four.

use super::{LieMidpoint, halved};
use crate::four::{FOUR, Four, Rotations, Symmetric, Vectors};
use crate::torque_free;
use drystone_core::{BodyIndex, Configuration, State};
use drystone_math::{Real, SymmetricMat3};
use pulp::{Simd, WithSimd};

/// [`torque_free::drift`] of bodies by midpoint steps, to be compiled for whatever registers the processor has. Nothing is reordered or fused: the bits are the
/// same on all of them, and the same as for one body after the other.
pub(super) struct Drift<'a> {
    pub(super) rule: LieMidpoint,
    pub(super) configuration: &'a Configuration,
    pub(super) state: &'a mut State,
    pub(super) bodies: &'a [BodyIndex],
    pub(super) h: Real,
}

impl WithSimd for Drift<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let Self { rule, configuration, state, bodies, h } = self;
        let (fours, rest) = bodies.as_chunks::<FOUR>();
        for four in fours {
            let tumble = |b: &BodyIndex| torque_free::tumbles(configuration.body(*b), state.angular_velocity[b.at()]);
            if four.iter().all(tumble) {
                drift_four(rule, configuration, state, four, h);
            } else {
                drift_each(rule, configuration, state, four, h);
            }
        }
        drift_each(rule, configuration, state, rest, h);
    }
}

#[inline(always)]
fn drift_each(rule: LieMidpoint, configuration: &Configuration, state: &mut State, bodies: &[BodyIndex], h: Real) {
    torque_free::drift(configuration, state, bodies, h, |i, q, l, h| rule.advance(i, q, l, h));
}

/// Four bodies that tumble.
#[inline(always)]
fn drift_four(
    rule: LieMidpoint,
    configuration: &Configuration,
    state: &mut State,
    bodies: &[BodyIndex; FOUR],
    h: Real,
) {
    let [a, b, c, d] = *bodies;
    let places = [a.at(), b.at(), c.at(), d.at()];
    let own = [configuration.body(a), configuration.body(b), configuration.body(c), configuration.body(d)];
    let inertia = Symmetric::of([&own[0].inertia, &own[1].inertia, &own[2].inertia, &own[3].inertia]);
    let inverses = [&own[0].inverse_inertia, &own[1].inverse_inertia, &own[2].inverse_inertia, &own[3].inverse_inertia];
    let inverse = Symmetric::of(inverses);
    let (turned, spins) = (&state.orientation, &state.angular_velocity);
    let [i, j, k, l] = places;
    let mut q = Rotations::of([turned[i], turned[j], turned[k], turned[l]]);
    let w = Vectors::of([spins[i], spins[j], spins[k], spins[l]]);
    let momentum = q.to_world(inertia.through(q.to_body(w)));
    for s in rule.composition.steps() {
        q = midpoint((inverses, &inverse), q, momentum, h * s);
    }
    let spin = q.to_world(inverse.through(q.to_body(momentum)));
    for (k, i) in places.into_iter().enumerate() {
        state.position[i] += state.linear_velocity[i] * h;
        state.orientation[i] = q.get(k);
        state.angular_velocity[i] = spin.get(k);
    }
}

/// One midpoint step of four bodies. For a body that turns about a principal axis, the midpoint momentum is the initial one; for the others it is found one by
/// one.
#[inline(always)]
fn midpoint(
    (inverses, inverse): ([&SymmetricMat3; FOUR], &Symmetric),
    q: Rotations,
    momentum: Vectors,
    h: Real,
) -> Rotations {
    let p = q.to_body(momentum);
    // what the equation leaves at m = p
    let residual = p.cross(inverse.through(p)).scaled(Four::all(0.5 * h));
    let (size, enough) = (residual.length(), Four::all(torque_free::ROUNDING) * p.length());
    let (mut m, mut astray) = (p, [false; FOUR]);
    for k in 0..FOUR {
        if size.0[k] <= enough.0[k] {
            continue;
        }
        match torque_free::solve_midpoint(inverses[k], p.get(k), h) {
            Some(found) => m.set(k, found),
            None => astray[k] = true,
        }
    }
    let mut next = q.followed_by(inverse.through(m).scaled(Four::all(h)).scaled(Four::all(0.5)));
    for k in (0..FOUR).filter(|k| astray[*k]) {
        next.set(k, halved(inverses[k], q.get(k), momentum.get(k), h));
    }
    next
}
