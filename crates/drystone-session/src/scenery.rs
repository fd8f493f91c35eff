use crate::Surface;
use drystone::World;
use drystone_core::{BodyIndex, BodyKind, Configuration};
use drystone_math::{Pose, Vec3};

/// The appearance of a world's bodies.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scenery {
    /// Each distinct surface once.
    pub surfaces: Vec<Surface>,
    /// The index of each body's surface.
    pub surface_of: Vec<u32>,
}

impl Scenery {
    /// The scenery of all bodies; bodies of equal shape share a surface.
    pub fn of(configuration: &Configuration) -> Self {
        let mut scenery = Self::default();
        let mut shapes: Vec<&drystone_geometry::Shape> = Vec::new();
        for body in &configuration.bodies {
            let known = shapes.iter().position(|s| **s == body.shape);
            scenery.surface_of.push(known.unwrap_or(shapes.len()) as u32);
            if known.is_none() {
                shapes.push(&body.shape);
                scenery.surfaces.push(Surface::of(&body.shape));
            }
        }
        scenery
    }
}

/// The name of a body's kind in scene files.
pub fn kind_name(kind: BodyKind) -> &'static str {
    match kind {
        BodyKind::Fixed => "fixed",
        BodyKind::Scripted => "scripted",
        BodyKind::Dynamic => "dynamic",
        BodyKind::Passive => "passive",
    }
}

/// Body frames, seven numbers each: position (m) and orientation as a quaternion x, y, z, w.
pub fn poses(world: &World) -> Vec<f64> {
    let (c, s) = (world.configuration(), world.state());
    let seven = |i: usize| {
        let f = c.bodies[i].frame(&s.pose(BodyIndex::new(i)));
        let (p, q) = (f.position, f.orientation);
        [p.x, p.y, p.z, q.x, q.y, q.z, q.w]
    };
    (0..s.len()).flat_map(seven).collect()
}

/// The contact group of each body as of the last detection, -1 for none.
pub fn groups(world: &World) -> Vec<i32> {
    let groups = &world.graph().groups;
    let mut of = vec![-1; world.state().len()];
    for g in 0..groups.len() {
        for body in groups.group_bodies(g) {
            of[body.at()] = g as i32;
        }
    }
    of
}

/// The height of each body in its stack, -1 if the time control asked for none.
pub fn layers(world: &World) -> Vec<i32> {
    let heights = &world.graph().layers.heights;
    (0..world.state().len()).map(|i| heights.get(i).map_or(-1, |h| i32::try_from(*h).unwrap_or(-1))).collect()
}

/// The location of each joint: its anchor and the centres of mass of both bodies (m), with the anchor in place of the world.
pub fn joint_points(world: &World) -> Vec<[Vec3; 3]> {
    let (c, s) = (world.configuration(), world.state());
    let one = |joint: &drystone_core::Joint| {
        let frames = joint.bodies.map(|b| s.body_frame(b));
        let centre = |k: usize| joint.bodies[k].map(|_| frames[k].pose.position);
        let anchor = joint.source.anchor([&frames[0], &frames[1]]);
        let anchor = anchor.or(centre(1)).or(centre(0)).unwrap_or(Vec3::ZERO);
        [anchor, centre(0).unwrap_or(anchor), centre(1).unwrap_or(anchor)]
    };
    c.joints.iter().map(one).collect()
}

/// The frame of each joint as carried by its first and by its second body; `None` for a joint without one.
pub fn joint_frames(world: &World) -> Vec<Option<[Pose; 2]>> {
    let (c, s) = (world.configuration(), world.state());
    let one = |joint: &drystone_core::Joint| {
        let frames = joint.bodies.map(|b| s.body_frame(b));
        joint.source.joint_frames([&frames[0], &frames[1]])
    };
    c.joints.iter().map(one).collect()
}
