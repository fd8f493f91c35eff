use crate::Random;
use drystone_core::{BroadPhaseInput, ProxyFilter};
use drystone_geometry::Aabb;
use drystone_math::elementary::{cbrt, powf};
use drystone_math::{Real, Vec3};

/// A scene of moving boxes for broad phases: a half space below, an oblique plane, and fixed and moving boxes of very different sizes on two layers.
#[derive(Debug, Clone)]
pub struct BoxScene {
    /// Centre, half extents and velocity per step of each finite box; `None` for an infinite one.
    bodies: Vec<Body>,
    /// The boxes, in column order.
    pub boxes: Vec<Aabb>,
    /// The filters, in column order.
    pub filters: Vec<ProxyFilter>,
    random: Random,
    region: Real,
}

#[derive(Debug, Clone, Copy)]
enum Body {
    Finite { center: Vec3, half: Vec3, velocity: Vec3 },
    Infinite(Aabb),
}

impl BoxScene {
    /// A scene of `n` finite boxes and two infinite ones.
    pub fn new(seed: u64, n: usize) -> Self {
        let mut scene = Self {
            bodies: Vec::new(),
            boxes: Vec::new(),
            filters: Vec::new(),
            random: Random::new(seed),
            region: cbrt(n as Real) * 1.5,
        };
        let below = Aabb::new(Vec3::NEG_INFINITY, Vec3::new(Real::INFINITY, 0.0, Real::INFINITY));
        for infinite in [below, Aabb::ALL] {
            scene.bodies.push(Body::Infinite(infinite));
            scene.filters.push(ProxyFilter::new(false, 0));
        }
        for _ in 0..n {
            scene.insert();
        }
        scene.place();
        scene
    }

    /// Adds a box at the end.
    pub fn insert(&mut self) {
        let (r, region) = (&mut self.random, self.region);
        // sizes over three orders of magnitude
        let size = powf(10.0, r.range(-2.0, 0.5));
        let half = Vec3::new(r.range(0.5, 1.0), r.range(0.5, 1.0), r.range(0.5, 1.0)) * size;
        self.bodies.push(Body::Finite { center: r.vector(region), half, velocity: r.direction() * r.range(0.0, 0.1) });
        self.filters.push(ProxyFilter::new(r.unit() < 0.8, i64::from(r.unit() < 0.2)));
        self.place();
    }

    /// Removes a random box; those behind it move up by one.
    pub fn remove(&mut self) {
        let i = self.random.below(self.bodies.len());
        self.bodies.remove(i);
        self.filters.remove(i);
        self.place();
    }

    /// Moves every box by its velocity; boxes reverse at the border of the region.
    pub fn step(&mut self) {
        let region = self.region;
        for body in &mut self.bodies {
            if let Body::Finite { center, velocity, .. } = body {
                *center += *velocity;
                for k in 0..3 {
                    if center[k].abs() > region {
                        velocity[k] = -velocity[k].abs() * center[k].signum();
                    }
                }
            }
        }
        self.place();
    }

    /// Picks about one in `part` of the boxes at random and moves only those: some by their velocity, some to any place, so that a few come to meet others than
    /// before. Planes may move too. Returns which moved.
    pub fn move_some(&mut self, part: usize) -> Vec<bool> {
        let moving: Vec<bool> = self.bodies.iter().map(|_| self.random.below(part) == 0).collect();
        self.move_those(&moving);
        moving
    }

    /// Moves only the given bodies, in the same way.
    pub fn move_those(&mut self, moving: &[bool]) {
        for i in (0..self.bodies.len()).filter(|i| moving[*i]) {
            let (r, region) = (&mut self.random, self.region);
            match &mut self.bodies[i] {
                Body::Finite { center, velocity, .. } if r.below(8) > 0 => *center += *velocity,
                Body::Finite { center, .. } => *center = r.vector(region),
                Body::Infinite(infinite) => *infinite = infinite.grown(0.01),
            }
            if r.below(16) == 0 {
                self.filters[i] = ProxyFilter::new(r.unit() < 0.5, r.below(2) as i64);
            }
        }
        self.place();
    }

    /// Moves one box to another place.
    pub fn teleport(&mut self) {
        let (i, to) = (self.random.below(self.bodies.len()), self.random.vector(self.region));
        if let Body::Finite { center, .. } = &mut self.bodies[i] {
            *center = to;
        }
        self.place();
    }

    /// Moves all boxes to other places.
    pub fn scatter(&mut self) {
        for body in &mut self.bodies {
            if let Body::Finite { center, .. } = body {
                *center = self.random.vector(self.region);
            }
        }
        self.place();
    }

    /// Puts the boxes on a grid on which neighbours share exactly one face: closed boxes overlap there.
    pub fn align(&mut self) {
        for (i, body) in self.bodies.iter_mut().enumerate() {
            if let Body::Finite { center, half, .. } = body {
                *center = Vec3::new((i % 7) as Real, (i / 7 % 7) as Real, (i / 49) as Real);
                *half = Vec3::splat(0.5);
            }
        }
        self.place();
    }

    /// Moves one body to another layer, or changes whether it can move.
    pub fn change_filter(&mut self) {
        let i = self.random.below(self.filters.len());
        self.filters[i] = ProxyFilter::new(self.random.unit() < 0.5, self.random.below(2) as i64);
    }

    /// The input of a broad phase.
    pub fn input(&self) -> BroadPhaseInput<'_> {
        BroadPhaseInput::new(&self.boxes, &self.filters)
    }

    fn place(&mut self) {
        self.boxes.clear();
        self.boxes.extend(self.bodies.iter().map(|b| match b {
            Body::Finite { center, half, .. } => Aabb::from_center(*center, *half),
            Body::Infinite(infinite) => *infinite,
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Along a side of n places, n + 2 (n - 1) ordered pairs of places are adjacent or equal.
    #[test]
    fn aligned_boxes_share_faces_edges_and_corners() {
        let mut scene = BoxScene::new(3, 96);
        scene.align();
        // the infinite ones take the first two of 98 places in two layers
        let upper = &scene.boxes[49..98];
        let met = |a: &Aabb, others: &[Aabb]| others.iter().filter(|b| a.overlaps(b)).count();
        assert_eq!(upper.iter().map(|a| met(a, upper)).sum::<usize>(), (7 + 2 * 6) * (7 + 2 * 6));
        for (below, above) in scene.boxes[2..49].iter().zip(&upper[2..]) {
            assert_eq!(above.max - above.min, Vec3::ONE);
            assert_eq!([below.min + Vec3::Z, below.max + Vec3::Z], [above.min, above.max]);
            // except for the two that are missing: a corner has four neighbours in a layer, a border place six, and the others nine
            assert!(met(below, upper) >= 4 && met(below, upper) <= 9);
        }
    }
}
