use super::{BodyEntry, BodyNames, BodyRef, Cursor, Reading};
use crate::document::quote;
use crate::fault::{FaultKind, Location};
use drystone_core::BodyKind;
use drystone_math::{Real, Vec3};

/// An entry of `[[scripts]]`: where a body goes, and when.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptEntry {
    /// Column of the scripted body.
    pub body: usize,
    /// Control points of the space spline (m).
    pub control_points: Vec<Vec3>,
    /// Its knots; uniform where none are given.
    pub knots: Vec<Real>,
    /// Points `[t, s]` of the velocity spline: time (s), rising, and arc length (m).
    pub velocity: Vec<[Real; 2]>,
    /// Where it stands in the scene.
    pub location: Location,
}

/// Reads `[[scripts]]`.
pub(crate) fn read_scripts(at: Option<&Cursor<'_>>, bodies: &[BodyEntry], r: &mut Reading) -> Vec<ScriptEntry> {
    let names = BodyNames::new(bodies);
    let items = at.and_then(|c| c.items(r)).unwrap_or_default();
    let mut scripts: Vec<ScriptEntry> = Vec::new();
    for c in &items {
        let Some(script) = read_script(c, &names, bodies, r) else { continue };
        if scripts.iter().any(|s| s.body == script.body) {
            let found = "a second script for the body".to_owned();
            r.fault(c, FaultKind::Value { found, allowed: "one script a body".to_owned() });
            continue;
        }
        scripts.push(script);
    }
    scripts
}

fn read_script(c: &Cursor<'_>, names: &BodyNames<'_>, bodies: &[BodyEntry], r: &mut Reading) -> Option<ScriptEntry> {
    let mut f = c.fields(r)?;
    let body = f.require("body", "the name of a scripted body", r).and_then(|c| {
        let found = names.resolve(&c, false, r)?;
        let BodyRef::Body { entry, .. } = found else { return None };
        if bodies[entry].properties.kind != BodyKind::Scripted {
            let found = format!("{}, which is not scripted", quote(&bodies[entry].name));
            r.fault(&c, FaultKind::Value { found, allowed: "a body of kind \"scripted\"".to_owned() });
            return None;
        }
        found.column(bodies)
    });
    let space = f.require("space_spline", "a table with control_points and knots", r).and_then(|c| read_space(&c, r));
    let velocity = f.require("velocity_spline", "a table with points", r).and_then(|c| read_velocity(&c, r));
    f.finish(r);
    let (control_points, knots) = space?;
    Some(ScriptEntry { body: body?, control_points, knots, velocity: velocity?, location: r.location(c) })
}

fn read_space(c: &Cursor<'_>, r: &mut Reading) -> Option<(Vec<Vec3>, Vec<Real>)> {
    let mut f = c.fields(r)?;
    let points = f.require("control_points", "a list of points", r).and_then(|c| {
        let p = c.points(r)?;
        if p.len() < 2 {
            r.wrong(&c, "a list of two points or more");
            return None;
        }
        Some(p)
    });
    let knots = f.get("knots").map_or(Some(Vec::new()), |c| {
        let items = c.items(r)?;
        let knots: Vec<_> = items.iter().map(|i| i.real(r)).collect();
        let knots: Vec<Real> = knots.into_iter().collect::<Option<_>>()?;
        if knots.windows(2).any(|w| w[0] > w[1]) {
            r.wrong(&c, "a list of numbers that never fall");
            return None;
        }
        Some(knots)
    });
    f.finish(r);
    Some((points?, knots?))
}

fn read_velocity(c: &Cursor<'_>, r: &mut Reading) -> Option<Vec<[Real; 2]>> {
    let mut f = c.fields(r)?;
    let points = f.require("points", "a list of pairs [t, s]", r).and_then(|c| {
        let items = c.items(r)?;
        let points: Vec<_> = items.iter().map(|i| i.reals::<2>(r)).collect();
        let points: Vec<[Real; 2]> = points.into_iter().collect::<Option<_>>()?;
        if points.len() < 2 || points.windows(2).any(|w| w[0][0] >= w[1][0]) {
            r.wrong(&c, "a list of two pairs [t, s] or more, with rising t");
            return None;
        }
        Some(points)
    });
    f.finish(r);
    points
}
