//! Distances and depths stated in the test suites of other libraries, asked of every narrow phase that takes the pair.
//!
//! The numbers are from the tests of FCL (`test_fcl_geometric_shapes`, `test_fcl_signed_distance`, `test_fcl_capsule_box_1` and
//! `_2`, `test_gjk_libccd-inl_signed_distance`) and of hpp-fcl (`box_box_distance`, `capsule_capsule`), whose cylinders, cones
//! and capsules stand along z, and of parry (`epa3`, `cylinder_cuboid_contact`, `ball_ball_toi`, `still_objects_toi`,
//! `time_of_impact3`, `shape_cast_huge_cuboid_toi`).

use drystone_core::catalogue::Settings;
use drystone_core::{PosedShape, Proximity};
use drystone_geometry::Shape;
use drystone_math::{Mat3, Pose, Quat, Real, Vec3};
use drystone_narrow_phase::{IMPLEMENTATIONS, Impact, Motion, by_name, time_of_impact};

fn at(x: Real, y: Real, z: Real) -> Pose {
    Pose::from_position(Vec3::new(x, y, z))
}

/// A shape along z, at a pose.
fn along_z(pose: Pose) -> Pose {
    pose * Pose::new(Vec3::ZERO, Quat::from_rotation_x(core::f64::consts::FRAC_PI_2))
}

/// A box given by the lengths of its edges.
fn edges(x: Real, y: Real, z: Real) -> Shape {
    Shape::cuboid(0.5 * x, 0.5 * y, 0.5 * z).unwrap()
}

/// A pose given by the rows of its matrix.
fn rows(m: [[Real; 4]; 3]) -> Pose {
    let column = |k: usize| Vec3::new(m[0][k], m[1][k], m[2][k]);
    let turn = Quat::from_mat3(&Mat3::from_cols(column(0), column(1), column(2)));
    Pose::new(column(3), turn.normalize())
}

/// Queries every narrow phase that takes the pair, in both orders.
fn all(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose) -> Vec<(&'static str, Proximity)> {
    let (x, y) = (PosedShape { shape: a, pose: pose_a }, PosedShape { shape: b, pose: pose_b });
    let mut found = Vec::new();
    for i in IMPLEMENTATIONS.iter().filter(|i| i.name != "box-box-old") {
        let phase = by_name(i.name, &Settings::defaults(i)).unwrap();
        if phase.supports(a, b) {
            let ask = |x, y| phase.query(x, y, Real::INFINITY, &mut [0; 4], &mut Vec::new()).unwrap();
            let (forth, back) = (ask(x, y), ask(y, x));
            assert!((forth.distance - back.distance).abs() < 1e-6, "{}: {forth:?} {back:?}", i.name);
            found.push((i.name, forth));
        }
    }
    assert!(!found.is_empty());
    found
}

/// All of them give this distance, to a ten millionth of a metre.
fn expect(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose, distance: Real) {
    for (name, p) in all(a, pose_a, b, pose_b) {
        let what = format!("{name}: {} - {}: {} not {distance}", a.kind(), b.kind(), p.distance);
        if distance >= 0.0 || a.kind() != "box" || b.kind() != "box" {
            assert!((p.distance - distance).abs() < 1e-7, "{what}");
        } else {
            // the faces-first rule may take a longer way out
            assert!(p.distance < distance + 1e-7 && p.distance > 1.1 * distance, "{what}");
        }
    }
}

#[test]
fn distances_of_fcl_geometric_shapes() {
    let o = Pose::IDENTITY;
    let moved = Pose::new(Vec3::new(3.0, -7.0, 11.0), Quat::from_scaled_axis(Vec3::new(0.4, -1.1, 0.7)));
    let (large, small) = (Shape::sphere(20.0).unwrap(), Shape::sphere(10.0).unwrap());
    let (slab, cube, five) = (edges(20.0, 40.0, 50.0), edges(10.0, 10.0, 10.0), edges(5.0, 5.0, 5.0));
    let (cylinder, cone) = (Shape::cylinder(5.0, 5.0).unwrap(), Shape::cone(5.0, 5.0).unwrap());
    let root2 = Real::sqrt(2.0);
    for base in [o, moved] {
        for (x, d) in [(40.0, 10.0), (30.1, 0.1), (29.9, -0.1), (25.0, -5.0)] {
            expect(&large, base, &small, base * at(x, 0.0, 0.0), d);
        }
        for (p, d) in [
            (at(10.1, 0.0, 0.0), 0.1),
            (at(20.1, 0.0, 0.0), 10.1),
            (at(0.0, 20.2, 0.0), 10.2),
            (at(10.1, 10.1, 0.0), 0.1 * root2),
        ] {
            expect(&cube, base, &cube, base * p, d);
        }
        for (x, d) in [(15.1, 0.1), (20.0, 5.0)] {
            expect(&slab, base, &cube, base * at(x, 0.0, 0.0), d);
        }
        for (x, d) in [(22.6, 0.1), (40.0, 17.5)] {
            expect(&large, base, &five, base * at(x, 0.0, 0.0), d);
        }
        for (x, d) in [(10.1, 0.1), (40.0, 30.0)] {
            expect(&cylinder, along_z(base), &cylinder, along_z(base * at(x, 0.0, 0.0)), d);
            expect(&cylinder, along_z(base), &cone, along_z(base * at(x, 0.0, 0.0)), d);
        }
        expect(&cone, along_z(base), &cone, along_z(base * at(10.1, 0.0, 0.0)), 0.1);
        expect(&cone, along_z(base), &cone, along_z(base * at(0.0, 0.0, 40.0)), 30.0);
    }
    // spheres apart and overlapping, from the GJK tests of libccd
    let apart = [(0.5, [0.0, 0.0, -1.2]), (0.5, [1.25, 0.0, 0.0]), (0.3, [-0.2, 0.0, 0.0]), (0.4, [-0.2, 0.0, 1.1])];
    let deep = [(0.5, [0.0; 3]), (0.5, [0.75, 0.0, 0.0]), (0.3, [0.2, 0.0, 0.0]), (0.4, [0.2, 0.0, 0.4])];
    for spheres in [apart, deep] {
        for (i, (r, p)) in spheres.into_iter().enumerate() {
            for (s, q) in spheres.into_iter().skip(i + 1) {
                let (p, q) = (Vec3::from_array(p), Vec3::from_array(q));
                let (a, b) = (Shape::sphere(r).unwrap(), Shape::sphere(s).unwrap());
                expect(&a, Pose::from_position(p), &b, Pose::from_position(q), (p - q).length() - r - s);
            }
        }
    }
}

#[test]
fn capsules_and_boxes() {
    let (capsule, cuboid) = (Shape::capsule(2.0, 2.0).unwrap(), edges(1.0, 2.0, 4.0));
    let across = Pose::new(Vec3::new(-10.0, 0.8, 1.5), Quat::from_rotation_x(core::f64::consts::FRAC_PI_2));
    for (pose, d, on_capsule, on_box) in [
        (along_z(at(3.0, 0.0, 0.0)), 0.5, [1.0, 0.0], [0.5, 0.0]),
        (along_z(at(0.0, 0.0, 8.0)), 2.0, [0.0, 0.0], [0.0, 0.0]),
        (along_z(at(-10.0, 0.0, 0.0)), 7.5, [-8.0, 0.0], [-0.5, 0.0]),
        // along x, as the suite orients it for the last two
        (
            at(-10.0, 0.0, 0.0) * Pose::new(Vec3::ZERO, Quat::from_rotation_z(-core::f64::consts::FRAC_PI_2)),
            5.5,
            [-6.0, 0.0],
            [-0.5, 0.0],
        ),
        (
            Pose::new(across.position, Quat::from_rotation_z(-core::f64::consts::FRAC_PI_2)),
            5.5,
            [-6.0, 0.8],
            [-0.5, 0.8],
        ),
    ] {
        expect(&capsule, pose, &cuboid, Pose::IDENTITY, d);
        for (name, p) in all(&capsule, pose, &cuboid, Pose::IDENTITY) {
            let off = (p.witness_a.x - on_capsule[0]).abs() + (p.witness_b.x - on_box[0]).abs();
            assert!(off < 1e-7, "{name}: {p:?}");
            // if they are parallel, any point of the facing edge is correct
            let free = !(1.0..=7.0).contains(&d);
            assert!(
                free || (p.witness_a.y - on_capsule[1]).abs() + (p.witness_b.y - on_box[1]).abs() < 1e-7,
                "{name}: {p:?}"
            );
        }
    }
    let (five, ten) = (Shape::capsule(5.0, 5.0).unwrap(), Shape::capsule(10.0, 10.0).unwrap());
    let z = along_z(Pose::IDENTITY);
    expect(&five, z, &five, along_z(at(20.1, 0.0, 0.0)), 10.1);
    expect(&five, z, &five, along_z(at(20.0, 20.0, 0.0)), Real::sqrt(800.0) - 10.0);
    expect(&five, z, &five, along_z(at(0.0, 0.0, 20.1)), 0.1);
    let turned = Pose::new(Vec3::new(0.0, 0.0, 25.1), Quat::from_rotation_y(core::f64::consts::FRAC_PI_2));
    expect(&five, z, &five, along_z(turned), 10.1);
    // a sphere and a capsule
    let large = Shape::sphere(20.0).unwrap();
    expect(&large, Pose::IDENTITY, &ten, along_z(at(40.0, 0.0, 0.0)), 10.0);
    expect(&large, Pose::IDENTITY, &ten, along_z(at(25.0, 0.0, 0.0)), -5.0);
}

#[test]
fn closest_points_of_hpp_fcl_boxes() {
    let (slab, cube, unit) = (edges(6.0, 10.0, 2.0), edges(2.0, 2.0, 2.0), edges(1.0, 1.0, 1.0));
    let eighth = core::f64::consts::PI / 8.0;
    let third = eighth.sin() / Real::sqrt(3.0);
    let root2 = Real::sqrt(2.0);
    let turned = |x: Real, y: Real, z: Real, p: Vec3| Pose::new(p, Quat::from_xyzw(x, y, z, eighth.cos()));
    let corner = Pose::from_position(Vec3::new(25.0, 20.0, 5.0));
    let diagonal = turned(third, third, third, Vec3::new(0.0, 0.0, 10.0));
    let left = turned(0.0, 0.0, eighth.sin(), Vec3::new(-2.0, 1.0, 0.5));
    let right = turned(0.0, eighth.sin(), 0.0, Vec3::new(2.0, 0.5, 0.5));
    let d = Vec3::new(21.0, 14.0, 3.0).length();
    for (a, pa, b, pb, distance, on_a, on_b, tolerance) in [
        (&slab, Pose::IDENTITY, &cube, corner, d, [3.0, 5.0, 1.0], [24.0, 19.0, 4.0], 1e-9),
        // stated to eight digits
        (
            &slab,
            Pose::IDENTITY,
            &cube,
            diagonal,
            7.378_765_56,
            [0.609_475_71, 0.011_758_73, 1.0],
            [0.609_475_71, 0.011_758_73, 8.378_765_56],
            1e-7,
        ),
        (&unit, left, &unit, right, 4.0 - root2, [root2 / 2.0 - 2.0, 1.0, 0.5], [2.0 - root2 / 2.0, 1.0, 0.5], 1e-9),
    ] {
        for (name, p) in all(a, pa, b, pb) {
            assert!((p.distance - distance).abs() < tolerance, "{name}: {p:?}, not {distance}");
            let off = (p.witness_a - Vec3::from_array(on_a)).length() + (p.witness_b - Vec3::from_array(on_b)).length();
            assert!(off < 4.0 * tolerance.max(1e-9), "{name}: {p:?}");
        }
    }
}

#[test]
fn an_edge_of_a_box_before_the_face_of_a_cube() {
    // 0.6 x 0.8 x 1 with a diagonal along x: apart, touching, and in the cube by -x - 1
    let (cube, b) = (edges(1.0, 1.0, 1.0), edges(0.6, 0.8, 1.0));
    let turn = rows([[0.6, -0.8, 0.0, 0.0], [0.8, 0.6, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]);
    for frame in
        [Pose::IDENTITY, Pose::new(Vec3::new(0.2, -1.0, 4.0), Quat::from_scaled_axis(Vec3::new(0.3, 1.2, 0.4)))]
    {
        for x in [-1.0, -0.9, -0.95, -1.1, -1.5] {
            for y in [0.0, 0.1, -0.1] {
                let pose = Pose::new(Vec3::new(x, y, 0.5), turn.orientation);
                expect(&cube, frame * at(0.0, 0.0, 0.5), &b, frame * pose, -x - 1.0);
            }
        }
    }
}

#[test]
fn poses_on_which_other_libraries_failed() {
    // these suites only require a consistent answer: points as far apart as the distance, and on the shapes
    let wall = rows([[0.0, -1.0, 0.0, 0.8], [1.0, 0.0, 0.0, -0.4575], [0.0, 0.0, 1.0, 1.0225]]);
    let plate = edges(0.025, 0.35, 1.845);
    let can = Shape::cylinder(0.05, 0.03).unwrap();
    let cans = [
        rows([
            [-0.999_999_999_979_990_2, 6.257_283_580_204_504e-10, 6.326_066_985_297_609_5e-6, 0.575_000_097_567_576_1],
            [6.326_066_985_168_371e-6, -6.394_330_342_995_855e-10, 0.999_999_999_979_990_6, -0.427_119_630_467_879_4],
            [6.257_318_015_812_846e-10, 1.0, 6.394_291_294_599_675e-10, 1.186_709_335_874_683_6],
        ]),
        rows([
            [-0.973_130_107_592_792_8, -0.122_028_040_649_725_51, 0.195_261_237_811_368_42, 0.874_727_814_611_385_6],
            [0.209_508_011_357_571_72, -0.117_459_205_935_693_26, 0.970_726_391_996_195_8, -0.403_868_788_134_716],
            [-0.095_520_609_678_929_75, 0.985_551_871_915_499_5, 0.139_868_941_836_350_03, 1.587_132_869_811_649_1],
        ]),
    ];
    for can_pose in cans {
        consistent(&can, along_z(can_pose), &plate, wall);
    }
    let flat = rows([
        [-3.062_793_785_257_868e-8, -0.999_999_999_999_998_9, -2.889_386_516_158_331e-8, 0.634_999_796_273_508_1],
        [0.999_999_999_999_998, -3.062_793_973_995_78e-8, 6.472_992_691_852_751e-8, -0.485_000_022_156_364_5],
        [-6.472_992_772_296_385e-8, -2.889_386_302_944_875e-8, 0.999_999_999_999_997_1, 1.077_814_645_833_964],
    ]);
    consistent(&edges(0.03, 0.12, 0.1), flat, &plate, wall);
    consistent(&edges(0.614, 3.0, 0.37), at(-0.675, 0.0, 0.9115), &edges(0.494, 0.552, 0.01), at(-0.692, 0.0, 0.935));
    let (p, q) = (at(-0.071, -0.772, 0.8), at(0.121, -0.787_696_056_927_277, 0.534_220_441_961_251_5));
    consistent(&edges(0.2, 0.33, 0.1), p, &edges(0.452, 0.27, 0.6), q);
    // by the suite these two touch
    let a = rows([
        [0.445_405_784_755_302_35, 0.895_328_814_933_994_4, -8.893_740_768_563_868e-9, 1.265_294_907_596_007],
        [-0.895_328_814_933_993_8, 0.445_405_784_755_301_9, -2.894_868_022_608_414_5e-8, 1.455_101_242_321_010_1],
        [-2.195_726_397_518_632_6e-8, 2.085_673_201_665_292e-8, 1.0, 0.494_800_062_329_329_4],
    ]);
    let b = rows([
        [0.441_711_229_134_858_6, 0.897_157_282_786_119, -1.622_764_514_865_468_2e-9, 1.130_401_622_614_190_6],
        [-0.897_157_282_786_119, 0.441_711_229_134_858_6, -5.162_105_395_230_608e-9, 1.841_080_264_528_428],
        [-3.914_427_141_382_999e-9, 3.736_034_921_809_435e-9, 1.0, 0.444_000_062_329_324_93],
    ]);
    let (x, y) = (edges(0.3165, 0.2276, 0.1768), edges(0.4943, 0.3546, 0.0752));
    consistent(&x, a, &y, b);
}

/// Both points are as far apart as the distance and lie on the shapes, and all narrow phases agree. The faces-first
/// rule treats boxes tilted by less than 1e-5 as level, so that a point may be off by that much.
fn consistent(a: &Shape, pose_a: Pose, b: &Shape, pose_b: Pose) {
    let answers = all(a, pose_a, b, pose_b);
    for (name, p) in &answers {
        let between = p.witness_b - p.witness_a;
        assert!((between.length() - p.distance.abs()).abs() < 1e-9, "{name}: {p:?}");
        assert!((between - p.normal * p.distance).length() < 1e-9, "{name}: {p:?}");
        for (shape, pose, w) in [(a, pose_a, p.witness_a), (b, pose_b, p.witness_b)] {
            for d in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z] {
                let local = pose.local_point(w);
                assert!(d.dot(local) <= d.dot(shape.support(d).unwrap()) + 1e-7, "{name}: {local} is outside");
            }
        }
        let first = answers[0].1.distance;
        assert!(
            (p.distance - first).abs() < 1e-7 || (p.distance < 0.0 && (p.distance / first - 1.0).abs() < 0.1),
            "{name}: {p:?}, {answers:?}"
        );
    }
}

#[test]
fn depths_of_parry() {
    let c = Shape::cuboid(2.0, 1.0, 1.0).unwrap();
    for (pose, d, normal) in [(at(3.5, 0.0, 0.0), -0.5, Vec3::NEG_X), (at(0.0, 0.2, 0.0), -1.8, Vec3::NEG_Y)] {
        expect(&c, pose, &c, Pose::IDENTITY, d);
        for (name, p) in all(&c, pose, &c, Pose::IDENTITY) {
            // the second pair is equally deep along z
            assert!(p.normal.dot(normal) > 0.999_999 || p.distance < d - 1e-9, "{name}: {p:?}");
        }
    }
    let (can, plank) = (Shape::cylinder(0.5, 0.925).unwrap(), Shape::cuboid(0.05, 0.75, 0.5).unwrap());
    // the suite only asks whether they meet; the edge of the plank is this far from the axis
    let depth = 0.5 - Real::hypot(0.48, 0.02);
    expect(&can, at(10.97, 0.925, 61.02), &plank, at(11.5, 0.75, 60.5), -depth);
}

/// The time at which the moving shape A meets B, by every narrow phase that takes the pair.
fn expect_impact(a: &Shape, pose_a: Pose, velocity: Vec3, b: &Shape, pose_b: Pose, time: Option<Real>) {
    for i in IMPLEMENTATIONS.iter().filter(|i| i.name != "box-box-old") {
        let phase = by_name(i.name, &Settings::defaults(i)).unwrap();
        if !phase.supports(a, b) {
            continue;
        }
        let motion = |start, linear| Motion { start, linear, angular: Vec3::ZERO };
        let (x, y) = ((a, &motion(pose_a, velocity)), (b, &motion(pose_b, Vec3::ZERO)));
        let found = time_of_impact(&*phase, x, y, 2.0, 1e-8, 200).unwrap();
        let right = match (found, time) {
            (Impact::At(t), Some(expected)) => (t - expected).abs() < 1e-7,
            (Impact::Never, None) => true,
            _ => false,
        };
        assert!(right, "{}: {} - {}: {found:?}, not {time:?}", i.name, a.kind(), b.kind());
    }
}

#[test]
fn times_of_impact_of_parry() {
    let ball = |r: Real| Shape::sphere(r).unwrap();
    let cube = |x: Real, y: Real, z: Real| Shape::cuboid(x, y, z).unwrap();
    let o = Pose::IDENTITY;
    expect_impact(&ball(0.5), o, Vec3::Y * 10.0, &ball(0.5), at(0.0, 10.0, 0.0), Some(0.9));
    let (unit, one) = (cube(1.0, 1.0, 1.0), ball(1.0));
    let time = (Real::sqrt(3.0) - 1.0) / (1.5 * Real::sqrt(3.0));
    expect_impact(&one, at(2.0, 2.0, 2.0), Vec3::splat(-1.5), &unit, o, Some(time));
    expect_impact(&one, at(1.0, 1.0, 1.0), Vec3::new(3.0, 1.0, 1.0), &unit, o, Some(0.0));
    expect_impact(&one, at(3.0, 3.0, 3.0), Vec3::new(3.0, 1.0, 1.0), &unit, o, None);
    let half = cube(0.5, 0.5, 0.5);
    for (velocity, time) in [(0.0, None), (1.0, None), (-1.0, Some(0.1))] {
        expect_impact(&half, at(0.0, 1.1, 0.0), Vec3::Y * velocity, &half, o, time);
    }
    let can = Shape::cylinder(0.438, 0.25).unwrap();
    for (wide, x, z) in [(1.0, 0.0, 0.0), (5000.0, 43.0, 5.7)] {
        let ground = cube(wide, 0.5, wide);
        let (from, down) = (at(x, 1.281, z), Vec3::NEG_Y);
        expect_impact(&ball(0.438), from, down, &ground, at(0.0, -0.6, 0.0), Some(0.943));
        expect_impact(&can, from, down, &ground, at(0.0, -0.6, 0.0), Some(1.131));
    }
    for wide in [5.0, 50.0, 500.0] {
        for (y, x, z) in [(1.177, 1.4, 2.8), (1.18, -1.4, -0.4), (1.186_95, 1.4, -2.0)] {
            let ground = cube(wide, 0.5, wide);
            expect_impact(&ball(0.5166), at(x, y, z), Vec3::NEG_Y, &ground, at(0.0, -0.5, 0.0), Some(y - 0.5166));
        }
    }
}
