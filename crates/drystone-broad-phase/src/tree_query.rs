use crate::BoxTree;
use crate::outward_box::OutwardBox;
use crate::tree_node::INNER;
use core::ops::ControlFlow;
use drystone_geometry::{Aabb, Ray};
use drystone_math::{Real, Vec3};

/// Distance from a point to a closed box (m); zero inside.
fn distance(point: Vec3, b: &Aabb) -> Real {
    (b.min - point).max(point - b.max).max(Vec3::ZERO).length()
}

/// Depth of the stack of a descent: 30 levels of the Morton curve, and the halving of ranges with a single code.
const DEPTH: usize = 80;

impl BoxTree {
    /// Calls `visit` with each body whose box overlaps a box; `boxes` must be those of the last update.
    pub fn overlapping(&self, boxes: &[Aabb], query: &Aabb, mut visit: impl FnMut(u32)) {
        self.overlapping_until(boxes, query, |body| {
            visit(body);
            ControlFlow::Continue(())
        });
    }

    /// The same until `visit` breaks off.
    pub fn overlapping_until(&self, boxes: &[Aabb], query: &Aabb, mut visit: impl FnMut(u32) -> ControlFlow<()>) {
        let mut found = |body: u32| {
            if boxes[body as usize].overlaps(query) { visit(body) } else { ControlFlow::Continue(()) }
        };
        if self.unbounded().iter().try_for_each(|&body| found(body)).is_continue() {
            let _ = self.near_until(&OutwardBox::around(query), 0, found);
        }
    }

    /// Calls `visit` with each body whose leaf overlaps a box, among the nodes from `start` on.
    pub(crate) fn near(&self, query: &OutwardBox, start: u32, mut visit: impl FnMut(u32)) {
        let _ = self.near_until(query, start, |body| {
            visit(body);
            ControlFlow::Continue(())
        });
    }

    /// The same until `visit` breaks off.
    fn near_until(
        &self,
        query: &OutwardBox,
        start: u32,
        mut visit: impl FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut i = start as usize;
        while let Some(node) = self.nodes.get(i) {
            if !node.bounds.overlaps(query) {
                i = node.skip as usize;
                continue;
            }
            if node.body != INNER {
                visit(node.body)?;
            }
            i += 1;
        }
        ControlFlow::Continue(())
    }

    /// The first body that a ray meets, and the t there.
    ///
    /// `hit` is called with bodies whose boxes the ray enters, nearer ones first as far as the tree knows, and returns the
    /// t at which the ray meets the body itself, if it does.
    pub fn first_hit(
        &self,
        boxes: &[Aabb],
        ray: &Ray,
        mut hit: impl FnMut(u32) -> Option<Real>,
    ) -> Option<(u32, Real)> {
        let mut best = None;
        let mut visit = |body: u32, limit: Real| {
            let shortened = Ray { length: limit, ..*ray };
            if shortened.entry(&boxes[body as usize]).is_some()
                && let Some(t) = hit(body).filter(|t| *t <= limit)
            {
                best = Some((body, t));
                return t;
            }
            limit
        };
        let mut limit = ray.length;
        for &body in self.unbounded() {
            limit = visit(body, limit);
        }
        self.descend(limit, |b| ray.entry(b), &mut visit);
        best
    }

    /// The body nearest to a point and its distance (m), if that is below `limit`.
    ///
    /// `exact` returns the distance of a body itself; it is called only if the body's box is near enough.
    pub fn nearest(
        &self,
        boxes: &[Aabb],
        point: Vec3,
        limit: Real,
        mut exact: impl FnMut(u32) -> Real,
    ) -> Option<(u32, Real)> {
        let mut best = None;
        let mut visit = |body: u32, limit: Real| {
            if distance(point, &boxes[body as usize]) <= limit {
                let d = exact(body);
                if d < limit {
                    best = Some((body, d));
                    return d;
                }
            }
            limit
        };
        let mut least = limit;
        for &body in self.unbounded() {
            least = visit(body, least);
        }
        self.descend(least, |b| Some(distance(point, b)), &mut visit);
        best
    }

    /// Visits leaves whose bound is within a limit that shrinks as they are visited, the nearer child first.
    fn descend(
        &self,
        mut limit: Real,
        bound: impl Fn(&Aabb) -> Option<Real>,
        visit: &mut impl FnMut(u32, Real) -> Real,
    ) {
        let at = |i: u32| bound(&self.nodes[i as usize].bounds.to_aabb()).map(|d| (d, i));
        let mut stack = [(0.0, 0_u32); DEPTH];
        let mut top = 0;
        if let Some(root) = self.nodes.first().and_then(|_| at(0)) {
            stack[0] = root;
            top = 1;
        }
        while top > 0 {
            top -= 1;
            let (d, i) = stack[top];
            if d > limit {
                continue;
            }
            let node = &self.nodes[i as usize];
            if node.body != INNER {
                limit = visit(node.body, limit);
                continue;
            }
            let mut children = [at(i + 1), at(self.nodes[i as usize + 1].skip)];
            if let [Some((l, _)), Some((r, _))] = children
                && l < r
            {
                children.swap(0, 1);
            }
            for child in children.into_iter().flatten() {
                stack[top] = child;
                top += 1;
            }
        }
    }
}
