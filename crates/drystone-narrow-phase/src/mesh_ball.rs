//! The shortest way for a ball out of a closed mesh.

use drystone_core::PosedShape;
use drystone_geometry::{MeshShape, Shape};
use drystone_math::{Pose, Real, Vec3};
use std::collections::BinaryHeap;

/// The way found may be longer than the shortest by this fraction.
const WITHIN: Real = 0.01;

/// At most this many parts of the sphere of directions are examined.
const MOST_CELLS: usize = 4000;

/// Most steps along a direction.
const MOST_STEPS: usize = 200;

/// Overlaps below this fraction of the radius count as none.
const FREE: Real = 1e-9;

/// A ball and a closed mesh.
#[derive(Clone, Copy)]
pub(crate) struct BallInMesh<'a> {
    mesh: &'a MeshShape,
    of_mesh: Pose,
    /// Centre of the ball in the mesh's frame (m).
    center: Vec3,
    radius: Real,
    /// True if B is the mesh.
    flipped: bool,
}

impl<'a> BallInMesh<'a> {
    /// The two shapes as such a pair; `None` if they are of other kinds.
    pub(crate) fn of(a: PosedShape<'a>, b: PosedShape<'a>) -> Option<Self> {
        let (mesh, of_mesh, ball, of_ball, flipped) = match (a.shape, b.shape) {
            (Shape::Mesh(m), Shape::Sphere(s)) => (m, a.pose, s, b.pose, false),
            (Shape::Sphere(s), Shape::Mesh(m)) => (m, b.pose, s, a.pose, true),
            _ => return None,
        };
        let center = of_mesh.local_point(of_ball.position);
        mesh.report().is_watertight().then_some(Self { mesh, of_mesh, center, radius: ball.radius(), flipped })
    }

    /// The direction (world frame) in which B leaves A by a way that is shorter than `known` (m), and at most 1 % longer than the
    /// shortest; `None` if there is none.
    ///
    /// The sphere of directions is divided into triangles; the one with the least lower bound is split first. The distance from the
    /// mesh grows no faster than the ball moves: that bounds the way along a direction, and along all directions of a triangle at
    /// once. The search ends when no triangle's bound is below the best way, or after 4000 triangles.
    ///
    /// # Source
    /// Branch and bound with a Lipschitz bound (Piyavskii 1972); along a direction sphere tracing (Hart 1996).
    pub(crate) fn shorter_way(self, known: Real) -> Option<Vec3> {
        let (mesh, center, radius) = (self.mesh, self.center, self.radius);
        let mut search = Search { mesh, center, radius, best: (known, None) };
        search.run();
        let way = self.of_mesh.direction(search.best.1?);
        Some(if self.flipped { -way } else { way })
    }
}

struct Search<'a> {
    mesh: &'a MeshShape,
    center: Vec3,
    radius: Real,
    /// The shortest way so far (m) and its direction.
    best: (Real, Option<Vec3>),
}

/// The directions in a spherical triangle, none of which leads out before `bound` (m).
struct Cell {
    corners: [Vec3; 3],
    bound: Real,
    number: usize,
}

impl Search<'_> {
    /// Looks for the shortest way out, starting from the octants of the sphere.
    fn run(&mut self) {
        let mut cells = BinaryHeap::new();
        let mut number = 0;
        for i in 0..8 {
            let side = |k: u32| if i >> k & 1 == 1 { -1.0 } else { 1.0 };
            let corners = [Vec3::X * side(0), Vec3::Y * side(1), Vec3::Z * side(2)];
            self.enter(corners, 0.0, &mut number, &mut cells);
        }
        while let Some(cell) = cells.pop() {
            if cell.bound >= self.best.0 * (1.0 - WITHIN) || number >= MOST_CELLS {
                break;
            }
            let [a, b, c] = cell.corners;
            let (d, e, f) = ((a + b).normalize(), (b + c).normalize(), (c + a).normalize());
            for corners in [[a, d, f], [d, b, e], [f, e, c], [d, e, f]] {
                self.enter(corners, cell.bound, &mut number, &mut cells);
            }
        }
    }

    /// Examines a triangle of directions, and keeps it if it may hold a shorter way.
    fn enter(&mut self, corners: [Vec3; 3], from: Real, number: &mut usize, cells: &mut BinaryHeap<Cell>) {
        *number += 1;
        let middle = (corners[0] + corners[1] + corners[2]).normalize();
        self.along(middle);
        // how far a direction of the triangle strays from the middle one, per metre of the way
        let spread = corners.iter().fold(0.0, |m: Real, c| m.max((*c - middle).length()));
        let bound = self.trace(middle, spread, from);
        if bound < self.best.0 * (1.0 - WITHIN) {
            cells.push(Cell { corners, bound, number: *number });
        }
    }

    /// The way out along one direction.
    fn along(&mut self, way: Vec3) {
        let length = self.trace(way, 0.0, 0.0);
        if length < self.best.0 {
            self.best = (length, Some(way));
        }
    }

    /// A lower bound on the ways along all directions up to `spread` from `way`, from `length` (m) on; the way itself if that is
    /// zero. Infinite if it is no shorter than the best.
    fn trace(&mut self, way: Vec3, spread: Real, mut length: Real) -> Real {
        for _ in 0..MOST_STEPS {
            if length >= self.best.0 {
                return Real::INFINITY;
            }
            let at = self.center + way * length;
            let Some(found) = self.mesh.distance(at, Real::INFINITY) else { return Real::INFINITY };
            let overlap = self.radius - found.distance - spread * length;
            if overlap <= FREE * self.radius {
                return length;
            }
            length += overlap / (1.0 + spread);
        }
        if spread > 0.0 { length } else { Real::INFINITY }
    }
}

impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Cell {}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cell {
    /// The least bound orders as the greatest; among equals, the one entered first.
    fn cmp(&self, other: &Self) -> core::cmp::Ordering {
        other.bound.total_cmp(&self.bound).then(other.number.cmp(&self.number))
    }
}
