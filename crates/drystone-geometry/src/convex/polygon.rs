//! Polygons in the plane: splitting concave ones into convex parts, and how deep a point or another polygon is inside.

use crate::{Shape, ShapeError};
use drystone_math::{Pose, Real, Vec2, Vec3};
use thiserror::Error;

/// Why a polygon is refused.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PolygonError {
    /// A coordinate is not a finite number.
    #[error("corner {corner} is at ({x}, {y})")]
    NotFinite {
        /// Its number.
        corner: usize,
        /// x (m).
        x: Real,
        /// y (m).
        y: Real,
    },
    /// The polygon has no area.
    #[error("a polygon of {corners} corners encloses no area")]
    Flat {
        /// Number of corners.
        corners: usize,
    },
    /// Two of its edges cross or touch.
    #[error("edge {edge} meets edge {other}")]
    Crossing {
        /// The first edge, from the corner of that number to the next.
        edge: usize,
        /// The other one.
        other: usize,
    },
    /// A part of the polygon makes no solid.
    #[error("a prism over it cannot be made: {0}")]
    Prism(ShapeError),
}

/// Twice the signed area of a triangle (m^2): positive if a, b, c turn counter-clockwise.
fn turn(a: Vec2, b: Vec2, c: Vec2) -> Real {
    (b - a).perp_dot(c - a)
}

/// Signed area of a polygon (m^2): positive if its corners turn counter-clockwise.
pub fn polygon_area(corners: &[Vec2]) -> Real {
    let n = corners.len();
    0.5 * (0..n).map(|i| corners[i].perp_dot(corners[(i + 1) % n])).sum::<Real>()
}

/// Signed distance of a point from the edges of a simple polygon (m), negative inside (even-odd).
///
/// # Source
/// Baraff 1995, "Finding collision times" (J-15).
pub fn distance_to_polygon(corners: &[Vec2], p: Vec2) -> Real {
    let n = corners.len();
    let (mut squared, mut inside) = (Real::INFINITY, false);
    for i in 0..n {
        let (a, b) = (corners[i], corners[(i + 1) % n]);
        let d = b - a;
        let t = ((p - a).dot(d) / d.length_squared().max(Real::MIN_POSITIVE)).clamp(0.0, 1.0);
        squared = squared.min((a + d * t - p).length_squared());
        if (a.y > p.y) != (b.y > p.y) && p.x < a.x + d.x * (p.y - a.y) / d.y {
            inside = !inside;
        }
    }
    if inside { -squared.sqrt() } else { squared.sqrt() }
}

/// The interpenetration depth of two simple polygons by their corners (m): the least signed distance of a corner of either from
/// the other's edges, negative if one is inside. Edges that cross while all corners are outside are not detected.
///
/// # Source
/// Baraff 1995, "Finding collision times" (J-15).
pub fn polygon_interpenetration(a: &[Vec2], b: &[Vec2]) -> Real {
    let least = |of: &[Vec2], inside: &[Vec2]| {
        of.iter().map(|&p| distance_to_polygon(inside, p)).fold(Real::INFINITY, Real::min)
    };
    least(a, b).min(least(b, a))
}

/// The convex parts of a simple polygon, each counter-clockwise: ears are cut off, and triangles joined again as long as the
/// result is convex (at most four times as many parts as necessary).
///
/// # Errors
/// [`PolygonError`].
///
/// # Source
/// Baraff 1995 (J-14) breaks concave polygons into convex ones; Hertel and Mehlhorn 1983.
///
/// # Cost
/// O(n^2), in the worst case O(n^3) for the ears.
pub fn convex_parts(corners: &[Vec2]) -> Result<Vec<Vec<Vec2>>, PolygonError> {
    let n = corners.len();
    if let Some(i) = corners.iter().position(|p| !p.is_finite()) {
        return Err(PolygonError::NotFinite { corner: i, x: corners[i].x, y: corners[i].y });
    }
    let size = corners.iter().fold(0.0, |m: Real, p| m.max(p.abs().max_element()));
    if n < 3 || polygon_area(corners).abs() <= 1e-14 * size * size {
        return Err(PolygonError::Flat { corners: n });
    }
    simple(corners)?;
    let mut ring: Vec<usize> = (0..n).collect();
    if polygon_area(corners) < 0.0 {
        ring.reverse();
    }
    let mut parts = Vec::new();
    while ring.len() > 3 {
        let m = ring.len();
        let at = |k: usize| corners[ring[k % m]];
        // the first corner that turns left with no other corner in its triangle
        let ear = (0..m).find(|&k| {
            let (a, b, c) = (at(k + m - 1), at(k), at(k + 1));
            let own = [ring[(k + m - 1) % m], ring[k], ring[(k + 1) % m]];
            turn(a, b, c) > 0.0
                && !ring.iter().filter(|i| !own.contains(i)).any(|&i| {
                    let p = corners[i];
                    turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0
                })
        });
        // a simple polygon has one, unless its corners lie on one line up to rounding: then take the flattest
        let flattest = || {
            let area = |k: usize| turn(at(k + m - 1), at(k), at(k + 1)).abs();
            (0..m).min_by(|&k, &l| area(k).total_cmp(&area(l))).unwrap_or(0)
        };
        let k = ear.unwrap_or_else(flattest);
        if ear.is_some() {
            parts.push(vec![ring[(k + m - 1) % m], ring[k], ring[(k + 1) % m]]);
        }
        ring.remove(k);
    }
    if turn(corners[ring[0]], corners[ring[1]], corners[ring[2]]) > 0.0 {
        parts.push(ring);
    }
    join(corners, &mut parts);
    Ok(parts.iter().map(|p| p.iter().map(|&i| corners[i]).collect()).collect())
}

/// Checks that no two edges meet, except neighbours in their common corner.
fn simple(corners: &[Vec2]) -> Result<(), PolygonError> {
    let n = corners.len();
    for i in 0..n {
        let (a, b) = (corners[i], corners[(i + 1) % n]);
        for j in i + 1..n {
            let (c, d) = (corners[j], corners[(j + 1) % n]);
            let neighbours = j == i + 1 || (i == 0 && j == n - 1);
            let apart = |p: Vec2, q: Vec2, r: Vec2, s: Vec2| {
                let (x, y) = (turn(p, q, r), turn(p, q, s));
                (x > 0.0 && y > 0.0) || (x < 0.0 && y < 0.0)
            };
            // on one line they are apart if their boxes are
            let boxes = a.max(b).cmplt(c.min(d)).any() || c.max(d).cmplt(a.min(b)).any();
            if !neighbours && !boxes && !apart(a, b, c, d) && !apart(c, d, a, b) {
                return Err(PolygonError::Crossing { edge: i, other: j });
            }
        }
    }
    Ok(())
}

/// Joins parts over their common edges while the result stays convex.
fn join(corners: &[Vec2], parts: &mut Vec<Vec<usize>>) {
    let mut first = 0;
    while first < parts.len() {
        let joined = (first + 1..parts.len()).find_map(|second| {
            let whole = united(&parts[first], &parts[second])?;
            let m = whole.len();
            let at = |k: usize| corners[whole[k % m]];
            (0..m).all(|k| turn(at(k), at(k + 1), at(k + 2)) >= 0.0).then_some((second, whole))
        });
        if let Some((second, whole)) = joined {
            parts.swap_remove(second);
            parts[first] = whole;
        } else {
            first += 1;
        }
    }
}

/// The ring around two rings that share an edge.
fn united(a: &[usize], b: &[usize]) -> Option<Vec<usize>> {
    let (m, n) = (a.len(), b.len());
    for i in 0..m {
        for j in 0..n {
            if a[i] == b[(j + 1) % n] && a[(i + 1) % m] == b[j] {
                // all of A from the far end of the edge on, then B without the edge
                let mut ring: Vec<usize> = (1..=m).map(|k| a[(i + k) % m]).collect();
                ring.extend((2..n).map(|k| b[(j + k) % n]));
                return Some(ring);
            }
        }
    }
    None
}

/// The prism over a simple polygon in the xy plane, of the given half depth along z (m): a convex shape, or a compound of
/// such shapes if the polygon is concave.
///
/// # Errors
/// [`PolygonError`].
pub fn extruded(corners: &[Vec2], half_depth: Real) -> Result<Shape, PolygonError> {
    let mut shapes = Vec::new();
    for part in convex_parts(corners)? {
        let points: Vec<Vec3> =
            part.iter().flat_map(|p| [half_depth, -half_depth].map(|z| Vec3::new(p.x, p.y, z))).collect();
        shapes.push((Shape::convex(&points).map_err(PolygonError::Prism)?, Pose::IDENTITY));
    }
    if shapes.len() == 1
        && let Some((only, _)) = shapes.pop()
    {
        return Ok(only);
    }
    Shape::compound(shapes).map_err(PolygonError::Prism)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A star of `spikes` points, its corners pulled in to `inner`.
    fn star(spikes: usize, inner: Real) -> Vec<Vec2> {
        (0..2 * spikes)
            .map(|k| {
                let w = core::f64::consts::PI * k as Real / spikes as Real;
                Vec2::new(w.cos(), w.sin()) * if k % 2 == 0 { 1.0 } else { inner }
            })
            .collect()
    }

    #[test]
    fn parts_are_convex_and_cover_the_polygon_once() {
        // J-14
        let mut comb: Vec<Vec2> = vec![Vec2::new(9.0, -1.0), Vec2::new(0.0, -1.0)];
        for k in 0..5 {
            let x = 2.0 * Real::from(k);
            comb.extend([Vec2::new(x, 3.0), Vec2::new(x + 1.0, 3.0), Vec2::new(x + 1.0, 0.0), Vec2::new(x + 2.0, 0.0)]);
        }
        comb.truncate(comb.len() - 2);
        comb.push(Vec2::new(9.0, 0.0));
        for polygon in [star(5, 0.4), star(12, 0.9), star(3, 0.7), comb] {
            for turned in [false, true] {
                let corners: Vec<Vec2> = if turned { polygon.iter().rev().copied().collect() } else { polygon.clone() };
                let parts = convex_parts(&corners).unwrap();
                let area: Real = parts.iter().map(|p| polygon_area(p)).sum();
                assert!((area - polygon_area(&corners).abs()).abs() < 1e-13 * area, "{area}");
                for p in &parts {
                    let m = p.len();
                    assert!((0..m).all(|k| turn(p[k], p[(k + 1) % m], p[(k + 2) % m]) >= 0.0));
                }
                assert!(parts.len() < corners.len() - 2, "{} parts", parts.len());
            }
        }
        // a convex one is left whole
        assert_eq!(convex_parts(&star(4, 1.0)).unwrap().len(), 1);
    }

    #[test]
    fn depth_is_the_distance_of_the_vertex_inside_from_the_edges() {
        // J-15
        let square = [Vec2::ZERO, Vec2::X, Vec2::ONE, Vec2::Y];
        assert_eq!(distance_to_polygon(&square, Vec2::new(0.5, 0.9)), -(1.0 - 0.9));
        assert_eq!(distance_to_polygon(&square, Vec2::new(4.0, 5.0)), 5.0);
        let wedge = [Vec2::new(0.5, 0.75), Vec2::new(1.5, 3.0), Vec2::new(-0.5, 3.0)];
        assert_eq!(polygon_interpenetration(&square, &wedge), -0.25);
        let above = wedge.map(|p| p + Vec2::Y);
        assert_eq!(polygon_interpenetration(&square, &above), 0.75);
    }

    #[test]
    fn a_prism_over_a_star_weighs_what_its_area_says() {
        let polygon = star(5, 0.4);
        let m = extruded(&polygon, 0.25).unwrap().mass_properties(2.0).unwrap();
        assert!((m.mass - 2.0 * 0.5 * polygon_area(&polygon)).abs() < 1e-12 && m.center.length() < 1e-12);
        assert_eq!(extruded(&star(4, 1.0), 0.25).unwrap().kind(), "convex");
    }

    #[test]
    fn bad_polygons_are_told_apart() {
        let bow = [Vec2::ZERO, Vec2::ONE, Vec2::X, Vec2::new(0.0, 3.0)];
        assert!(matches!(convex_parts(&bow), Err(PolygonError::Crossing { .. })));
        assert!(matches!(
            convex_parts(&[Vec2::ZERO, Vec2::ONE, Vec2::ONE * 2.0]),
            Err(PolygonError::Flat { corners: 3 })
        ));
        assert!(matches!(convex_parts(&[]), Err(PolygonError::Flat { corners: 0 })));
        let nan = [Vec2::ZERO, Vec2::X, Vec2::NAN];
        assert!(matches!(convex_parts(&nan), Err(PolygonError::NotFinite { corner: 2, .. })));
    }

    /// A slanted strip: the boxes of its long sides overlap, but the sides do not meet.
    #[test]
    fn edges_side_by_side_do_not_cross() {
        let strip = [Vec2::ZERO, Vec2::new(4.0, 4.0), Vec2::new(4.0, 5.0), Vec2::new(0.0, 1.0)];
        for corners in [strip, [strip[3], strip[2], strip[1], strip[0]]] {
            let parts = convex_parts(&corners).unwrap();
            assert_eq!((parts.len(), polygon_area(&parts[0])), (1, 4.0));
        }
    }
}
