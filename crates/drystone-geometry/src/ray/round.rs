//! Solids of revolution about y.

use super::convex::slab;
use super::{Ray, Span};
use drystone_math::{Real, Vec3};

/// The roots of `a t^2 + 2 b t + c`, in order, without cancellation; `None` if there are none or a is zero.
fn roots(a: Real, b: Real, c: Real) -> Option<(Real, Real)> {
    let d = b * b - a * c;
    if d < 0.0 || a == 0.0 {
        return None;
    }
    let q = -(b + d.sqrt().copysign(b));
    let (s, t) = (q / a, if q == 0.0 { 0.0 } else { c / q });
    Some(if s <= t { (s, t) } else { (t, s) })
}

/// A ball about `center`.
fn ball_at(ray: &Ray, center: Vec3, radius: Real) -> Option<Span> {
    let from = ray.origin - center;
    let half = from.dot(ray.direction);
    // the nearest point of the line decides: no difference of squares of large numbers
    let beside = from - ray.direction * half;
    let room = (radius - beside.length()) * (radius + beside.length());
    if room < 0.0 {
        return None;
    }
    let root = room.sqrt();
    let normal = (beside - ray.direction * root).normalize_or(-ray.direction);
    Some(Span { enter: -half - root, leave: -half + root, normal })
}

/// A ball about the origin.
pub(super) fn ball(ray: &Ray, radius: Real) -> Option<Span> {
    ball_at(ray, Vec3::ZERO, radius)
}

/// An endless cylinder about y.
fn pipe(ray: &Ray, radius: Real) -> Option<Span> {
    let (o, d) = (ray.origin, ray.direction);
    let across = Vec3::new(d.x, 0.0, d.z);
    let from = Vec3::new(o.x, 0.0, o.z);
    let a = across.length_squared();
    if a == 0.0 {
        return (from.length() <= radius).then_some(Span::ALL);
    }
    let half = from.dot(across) / a;
    let beside = from - across * half;
    let room = (radius - beside.length()) * (radius + beside.length());
    if room < 0.0 {
        return None;
    }
    let root = (room / a).sqrt();
    let normal = (beside - across * root).normalize_or(-ray.direction);
    Some(Span { enter: -half - root, leave: -half + root, normal })
}

/// A cylinder of half height `h`.
pub(super) fn cylinder(ray: &Ray, radius: Real, h: Real) -> Option<Span> {
    pipe(ray, radius)?.and(slab(ray, 1, h)?)
}

/// A capsule: its cylinder and the balls at its ends. The parts of the line inside them join up because the solid is
/// convex.
pub(super) fn capsule(ray: &Ray, radius: Real, h: Real) -> Option<Span> {
    let parts = [cylinder(ray, radius, h), ball_at(ray, Vec3::Y * h, radius), ball_at(ray, -Vec3::Y * h, radius)];
    parts.into_iter().flatten().reduce(|a, b| {
        let first = if b.enter < a.enter { b } else { a };
        Span { leave: a.leave.max(b.leave), ..first }
    })
}

/// A cone, its tip at `y = h`, its base of the given radius at `y = -h`.
///
/// The flank is `x^2 + z^2 <= k^2 (h - y)^2`, a double cone of which the slab keeps one half.
pub(super) fn cone(ray: &Ray, radius: Real, h: Real) -> Option<Span> {
    let (o, d) = (ray.origin, ray.direction);
    let k = radius / (2.0 * h);
    let below = h - o.y;
    let a = d.x * d.x + d.z * d.z - k * k * d.y * d.y;
    let b = o.x * d.x + o.z * d.z + k * k * below * d.y;
    let c = o.x * o.x + o.z * o.z - k * k * below * below;
    let level = slab(ray, 1, h)?;
    let flank = |t: Real| {
        let p = ray.at(t);
        Vec3::new(p.x, k * k * (h - p.y), p.z).normalize_or(Vec3::Y)
    };
    let inside = if let Some((s, t)) = roots(a, b, c) {
        if a > 0.0 {
            // across the flank: inside one half of the double cone
            Span { enter: s, leave: t, normal: flank(s) }
        } else if d.y < 0.0 {
            // steeper than the flank: one end in each half; the lower one counts
            Span { enter: t, normal: flank(t), ..Span::ALL }
        } else {
            Span { leave: s, ..Span::ALL }
        }
    } else if a > 0.0 {
        return None;
    } else if a == 0.0 {
        // along a line of the flank: c + 2 b t <= 0
        let mut span = Span::of_half_space(c, 2.0 * b, Vec3::Y)?;
        span.normal = if span.enter.is_finite() { flank(span.enter) } else { span.normal };
        span
    } else {
        // through the tip, but for rounding
        let tip = -b / a;
        if d.y < 0.0 { Span { enter: tip, normal: Vec3::Y, ..Span::ALL } } else { Span { leave: tip, ..Span::ALL } }
    };
    inside.and(level)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rays from outside at all slants, aimed at points of the flank, the base and the axis of a cone, meet the surface where they should.
    #[test]
    fn slanted_rays_meet_a_cone_on_its_surface() {
        let (radius, h) = (0.7, 0.9);
        let slope = radius / (2.0 * h);
        for k in 0..200 {
            let t = Real::from(k);
            let (w, y) = (2.4 * t, h * (0.9 * (1.3 * t).sin()));
            let on = Vec3::new(slope * (h - y) * w.cos(), y, slope * (h - y) * w.sin());
            let out = Vec3::new(w.cos(), slope, w.sin()).normalize();
            // any direction that comes from outside the flank
            let lean = Vec3::new((0.7 * t).sin(), (1.9 * t).cos(), (2.3 * t).sin());
            let from = out + 0.9 * (lean - out * lean.dot(out)).normalize_or_zero() * (0.37 * t).sin();
            let direction = -from.normalize();
            let ray = Ray { origin: on - direction * 0.5, direction, length: Real::INFINITY };
            let span = cone(&ray, radius, h).unwrap();
            // it enters there, unless it has already entered through the base or the far side of the tip
            assert!(span.enter <= 0.5 + 1e-9, "{k}: {}", span.enter);
            let p = ray.at(span.enter);
            let off = (p.x.hypot(p.z) - slope * (h - p.y)).abs().min((p.y + h).abs());
            assert!(off < 1e-9, "{k}: {off} m off the surface");
            let q = ray.at(span.leave);
            let off = (q.x.hypot(q.z) - slope * (h - q.y)).abs().min((q.y + h).abs());
            assert!(off < 1e-9, "{k}: leaves {off} m off the surface");
        }
    }
}
