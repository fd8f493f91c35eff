//! Rows a second: 10 000 rows of hinges and of ball joints, assembled into one list.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use drystone_core::BodyFrame;
use drystone_joints::{JointDescription, build};
use drystone_math::{Pose, Quat, Twist, Vec3};
use std::hint::black_box;

fn frame(i: u32) -> BodyFrame {
    let x = f64::from(i);
    let pose = Pose::new(Vec3::X * x, Quat::from_rotation_y(0.1 * x) * Quat::from_rotation_x(0.03 * x));
    BodyFrame { pose, velocity: Twist::ZERO }
}

fn rows(c: &mut Criterion) {
    let mut group = c.benchmark_group("joint rows");
    for (kind, each) in [("ball", 3_u32), ("hinge", 5), ("fixed", 6)] {
        let count = 10_000 / each;
        let frames: Vec<BodyFrame> = (0..=count).map(frame).collect();
        let joints: Vec<_> = (0..count as usize)
            .map(|i| {
                let anchor = Some(frames[i].pose.position + Vec3::X * 0.5);
                let d = JointDescription { anchor, axis: Some(Vec3::Y), ..JointDescription::new(kind) };
                build(&d, &frames[i].pose, &frames[i + 1].pose).expect("a good description")
            })
            .collect();
        let mut list = Vec::with_capacity(10_000);
        group.throughput(Throughput::Elements(u64::from(count * each)));
        group.bench_function(kind, |b| {
            b.iter(|| {
                list.clear();
                for (joint, pair) in joints.iter().zip(frames.windows(2)) {
                    joint.rows([&pair[0], &pair[1]], &[], &mut list);
                }
                black_box(list.len())
            });
        });
    }
    group.finish();
}

criterion_group!(benches, rows);
criterion_main!(benches);
