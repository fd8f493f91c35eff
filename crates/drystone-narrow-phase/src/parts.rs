use drystone_core::PosedShape;
use drystone_geometry::Shape;
use drystone_math::Pose;

/// The parts of a shape with their frames in the world; a shape that is not a compound is its own only part.
pub(crate) fn parts<'a>(s: PosedShape<'a>) -> impl Iterator<Item = PosedShape<'a>> + Clone {
    let compound = if let Shape::Compound(c) = s.shape { Some(c.parts()) } else { None };
    let own = compound.is_none().then_some(s);
    let placed = move |(shape, pose): &'a (Shape, Pose)| PosedShape { shape, pose: s.pose * *pose };
    own.into_iter().chain(compound.into_iter().flatten().map(placed))
}
