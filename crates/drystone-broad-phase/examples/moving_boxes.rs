//! A thousand moving boxes through every broad phase: the same pairs each time, by name, as a scene file would choose.
//!
//! `cargo run --release -p drystone-broad-phase --example moving_boxes`

use drystone_broad_phase::{BoxTree, IMPLEMENTATIONS, Ray, by_name};
use drystone_core::catalogue::Settings;
use drystone_core::{BroadPhaseInput, ProxyFilter};
use drystone_geometry::Aabb;
use drystone_math::Vec3;

fn main() {
    // boxes on a spiral, each moving along its own small circle
    let n = 1000;
    let boxes_at = |step: usize| -> Vec<Aabb> {
        let place = |i: usize| {
            let (s, t) = (i as f64 * 0.1, (i + step) as f64 * 0.05);
            Vec3::new(s.cos() * s * 0.2, 0.3 * t.sin(), s.sin() * s * 0.2)
        };
        (0..n).map(|i| Aabb::from_center(place(i), Vec3::splat(0.25))).collect()
    };
    let filters = vec![ProxyFilter::new(true, 0); n];

    for description in IMPLEMENTATIONS {
        let Some(mut broad_phase) = by_name(description.name, &Settings::defaults(description)) else { continue };
        let (mut pairs, mut total) = (Vec::new(), 0);
        for step in 0..100 {
            let boxes = boxes_at(step);
            broad_phase.find_pairs(BroadPhaseInput::new(&boxes, &filters), &mut pairs);
            total += pairs.len();
        }
        println!("{:16} {total} pairs in 100 steps; {}", description.name, description.summary);
    }

    // the tree answers queries too
    let boxes = boxes_at(0);
    let mut tree = BoxTree::default();
    tree.update(&boxes);
    let ray = Ray { origin: Vec3::new(-30.0, 0.0, 0.0), direction: Vec3::X, length: 60.0 };
    let hit = tree.first_hit(&boxes, &ray, |i| ray.entry(&boxes[i as usize]));
    println!("a ray along x first meets {hit:?} (body, m)");
}
