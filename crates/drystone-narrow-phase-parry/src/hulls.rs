use crate::vectors::to_parry;
use drystone_geometry::ConvexPolyhedron;
use parry3d_f64::math::Vector;
use parry3d_f64::shape;
use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};

/// Convex polyhedra as parry has them, by where ours lie in memory; ours are held, so that no other one comes to lie there.
#[derive(Debug, Default)]
pub(crate) struct Hulls(RwLock<BTreeMap<usize, Known>>);

#[derive(Debug, Clone)]
struct Known {
    ours: Arc<ConvexPolyhedron>,
    theirs: Arc<shape::ConvexPolyhedron>,
}

impl Hulls {
    /// Parry's form of a hull, made when it is met first; `None` where parry finds no hull.
    pub(crate) fn get(&self, ours: &Arc<ConvexPolyhedron>) -> Option<Arc<shape::ConvexPolyhedron>> {
        let place = Arc::as_ptr(ours) as usize;
        // what a thread that panicked left is whole: entries are put in whole
        let read = |known: &BTreeMap<usize, Known>| known.get(&place).map(|k| Arc::clone(&k.theirs));
        if let Some(known) = read(&self.0.read().unwrap_or_else(std::sync::PoisonError::into_inner)) {
            return Some(known);
        }
        let points: Vec<Vector> = ours.vertices().iter().map(|p| to_parry(*p)).collect();
        let theirs = Arc::new(shape::ConvexPolyhedron::from_convex_hull(&points)?);
        let mut known = self.0.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        // hulls that nobody else has any more
        known.retain(|_, k| Arc::strong_count(&k.ours) > 1);
        known.insert(place, Known { ours: Arc::clone(ours), theirs: Arc::clone(&theirs) });
        Some(theirs)
    }
}
