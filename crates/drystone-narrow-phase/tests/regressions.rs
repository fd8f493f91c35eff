//! Pairs on which an earlier version failed, found by the campaign and reduced.

use drystone_core::{NarrowPhase, PosedShape};
use drystone_geometry::{MeshShape, Shape, TriangleMesh};
use drystone_math::{Pose, Quat, Real, Vec3};
use drystone_narrow_phase::{ExactMesh, GjkEpa, Primitives, VClip};
use drystone_testkit::from_surface;

/// Checks that the support planes along the normal are as far apart as the answer says, and that swapping gives the same distance.
fn certified(n: &dyn NarrowPhase, a: (&Shape, Pose), b: (&Shape, Pose), tolerance: Real) -> Real {
    let ask = |a: (&Shape, Pose), b: (&Shape, Pose)| {
        let (a, b) = (PosedShape { shape: a.0, pose: a.1 }, PosedShape { shape: b.0, pose: b.1 });
        n.query(a, b, Real::INFINITY, &mut [0; 4], &mut Vec::new()).unwrap()
    };
    let (r, swapped) = (ask(a, b), ask(b, a));
    let reach = |(s, pose): (&Shape, Pose), n: Vec3| n.dot(pose.point(s.support(pose.local_direction(n)).unwrap()));
    let gap = -reach(b, -r.normal) - reach(a, r.normal);
    assert!((gap - r.distance).abs() <= tolerance, "{} is {gap} by its planes: {r:?}", r.distance);
    assert!((swapped.distance - r.distance).abs() <= tolerance, "swapped: {swapped:?}, not {r:?}");
    r.distance
}

fn turned(x: Real, y: Real, z: Real, w: Vec3) -> Pose {
    Pose::new(Vec3::new(x, y, z), Quat::from_scaled_axis(w))
}

#[test]
fn capsules_whose_cores_cross_at_a_ten_millionth_of_a_radian() {
    let (a, b) = (Shape::capsule(0.7, 1.5).unwrap(), Shape::capsule(0.4, 0.5).unwrap());
    for k in 0..100 {
        let w = Real::from(k);
        let pa = turned(0.5, 0.5, -1.0, Vec3::new(0.0, 0.785, 0.0));
        let pb = turned(0.5, -0.5, -1.0, Vec3::new(w.sin(), w.cos(), 0.3) * 1e-7);
        for n in [&Primitives as &dyn NarrowPhase, &GjkEpa] {
            let d = certified(n, (&a, pa), (&b, pb), 1e-7);
            assert!((d + 1.1).abs() < 1e-6, "{d}");
        }
    }
}

#[test]
fn boxes_that_all_but_touch_along_slightly_tilted_edges() {
    let (a, b) = (Shape::cuboid(0.39, 0.5, 1.37).unwrap(), Shape::cuboid(0.5, 0.5, 0.5).unwrap());
    for k in 0..100 {
        let w = Real::from(k);
        let pa = turned(0.5, 0.5, -0.5, Vec3::new(0.0, 0.785, 0.0));
        let pb = turned(0.5, -0.5, 0.5, Vec3::new(w.sin(), w.cos(), -0.6) * 1e-7);
        certified(&Primitives, (&a, pa), (&b, pb), 1e-9);
    }
}

#[test]
fn the_distance_of_level_boxes_settles_before_their_normal() {
    let (a, b) = (Shape::cuboid(0.5, 0.5, 0.77).unwrap(), Shape::cuboid(0.5, 0.5, 0.5).unwrap());
    for k in 0..100 {
        let w = Real::from(k);
        let pa = turned(-1.0, 2.0, 1.0, Vec3::ZERO);
        let pb = turned(-1.0, 2.0, -0.5, Vec3::new(w.cos(), w.sin(), 0.5) * 1e-7);
        certified(&GjkEpa, (&a, pa), (&b, pb), 1e-9);
    }
}

#[test]
fn a_capsule_whose_core_grazes_a_cylinder() {
    let (a, b) = (Shape::capsule(0.41, 0.5).unwrap(), Shape::cylinder(0.5, 1.48).unwrap());
    for k in 0..200 {
        let w = Real::from(k);
        // the lower end of the core comes within a millionth of the side
        let out = 0.5 + 1e-6 * w.sin();
        let pa = turned(out * w.cos(), 0.9, out * w.sin(), Vec3::ZERO);
        certified(&GjkEpa, (&a, pa), (&b, turned(0.0, 0.0, 0.0, Vec3::new(0.01, w, 0.02))), 1e-7);
    }
}

#[test]
fn a_thin_box_deep_in_a_cylinder_leaves_it_the_shortest_way() {
    // the depth hardly changes with the direction, and its minimum is at a kink
    let (a, b) = (Shape::cuboid(0.0005, 0.5, 0.0005).unwrap(), Shape::cylinder(0.5, 0.5).unwrap());
    for k in 0..50 {
        let pa = turned(0.0, -0.4, 0.0, Vec3::new(0.0, 0.1 * Real::from(k), 0.0));
        let d = certified(&GjkEpa, (&a, pa), (&b, Pose::IDENTITY), 1e-9);
        assert!((d + 0.5005).abs() < 1e-9, "{d}");
    }
}

#[test]
fn deep_cylinders_and_cones_swap_to_a_millionth() {
    let shapes =
        [Shape::cylinder(0.5, 0.8).unwrap(), Shape::cone(0.7, 0.6).unwrap(), Shape::cylinder(1.2, 0.1).unwrap()];
    for a in &shapes {
        for b in &shapes {
            for k in 0..100 {
                let w = Real::from(k);
                let pb = turned(0.3 * w.sin(), 0.2 * w.cos(), 0.1, Vec3::new(w, 0.7 * w, 0.1));
                certified(&GjkEpa, (a, Pose::IDENTITY), (b, pb), 1e-6);
            }
        }
    }
}

#[test]
fn a_plank_that_cuts_an_edge_of_a_mesh_while_a_corner_hovers_beside_it() {
    let mesh = Shape::mesh(MeshShape::new(TriangleMesh::cuboid(Vec3::ONE, 1), None).unwrap());
    let plank = Shape::cuboid(3.0, 0.05, 0.05).unwrap();
    let along = Vec3::new(1.0, -1.0, 0.0).normalize();
    let center = Vec3::new(0.97, 0.97, 0.93) + along * 1.4;
    let pose = Pose::new(center, Quat::from_rotation_z(-core::f64::consts::FRAC_PI_4));
    let (a, b) = (PosedShape { shape: &mesh, pose: Pose::IDENTITY }, PosedShape { shape: &plank, pose });
    for envelope in [0.05, Real::INFINITY] {
        let mut seeds = Vec::new();
        let p = ExactMesh.query(a, b, envelope, &mut [0; 4], &mut seeds).unwrap();
        assert!(p.distance < -0.05 && p.distance > -0.2, "{p:?}");
    }
}

#[test]
fn meshes_that_cut_each_other_between_their_vertices_overlap() {
    let mesh = |h: Vec3| Shape::mesh(MeshShape::new(TriangleMesh::cuboid(h, 1), None).unwrap());
    let (cube, plate) = (mesh(Vec3::ONE), mesh(Vec3::new(5.0, 0.01, 5.0)));
    let eighth = core::f64::consts::FRAC_PI_4;
    let root2 = Real::sqrt(2.0);
    for (shape, pa, pb, depth, normal) in [
        // edge across edge
        (&cube, Quat::from_rotation_z(eighth), turned(2.7, 0.0, 0.0, Vec3::Y * eighth), 2.0 * root2 - 2.7, Vec3::X),
        // an edge into a face
        (&cube, Quat::IDENTITY, turned(2.3, 0.0, 0.0, Vec3::Z * eighth), 1.0 + root2 - 2.3, Vec3::X),
        // a plate across a plate
        (&plate, Quat::IDENTITY, turned(0.0, 0.015, 0.0, Vec3::Y * 0.5), 0.005, Vec3::Y),
    ] {
        let (a, b) = (PosedShape { shape, pose: Pose::new(Vec3::ZERO, pa) }, PosedShape { shape, pose: pb });
        for envelope in [0.01, Real::INFINITY] {
            let mut seeds = Vec::new();
            let p = ExactMesh.query(a, b, envelope, &mut [0; 4], &mut seeds).unwrap();
            assert!((p.distance + depth).abs() < 1e-9 && p.normal.dot(normal) > 0.999, "{depth} {normal} {p:?}");
            let q = ExactMesh.query(b, a, envelope, &mut [0; 4], &mut seeds).unwrap();
            assert!((p.distance - q.distance).abs() < 1e-9, "{p:?} {q:?}");
        }
    }
}

#[test]
fn a_capsule_all_but_level_whose_core_hovers_a_hair_above_a_face() {
    let (a, b) = (Shape::capsule(0.5, 1.0).unwrap(), Shape::cuboid(1.0, 1.5, 0.5).unwrap());
    for height in [5e-9, 5e-12, 1e-14] {
        let pa = turned(1.0 + 1e-7 + height, 0.0, 0.0, Vec3::Z * 1e-7);
        for n in [&Primitives as &dyn NarrowPhase, &GjkEpa] {
            let d = certified(n, (&a, pa), (&b, Pose::IDENTITY), 2e-10);
            assert!((d + 0.5 - height).abs() < 2e-10, "{d}");
        }
    }
}

#[test]
fn deep_points_of_hulls_and_capsules_lie_on_them() {
    // the faults were: the foot of the origin in another facet of the same plane; the point of the core beside the edge of the box
    let cloud: Vec<Vec3> = (0..24)
        .map(|i| Vec3::new((f64::from(i) * 1.7).sin(), (f64::from(i) * 2.9).cos(), (f64::from(i) * 0.9).sin()) * 0.7)
        .collect();
    let (hull, slab) = (Shape::convex(&cloud).unwrap(), Shape::cuboid(0.5, 0.4, 0.3).unwrap());
    let rod = Shape::capsule(0.3, 0.4).unwrap();
    let turn = turned(0.0, 0.0, 0.0, Vec3::new(0.9, 1.7, -0.4));
    for (n, a) in [(&GjkEpa as &dyn NarrowPhase, &hull), (&Primitives, &rod)] {
        let (x, y) = (PosedShape { shape: a, pose: Pose::IDENTITY }, PosedShape { shape: &slab, pose: turn });
        let p = n.query(x, y, Real::INFINITY, &mut [0; 4], &mut Vec::new()).unwrap();
        for (s, w) in [(x, p.witness_a), (y, p.witness_b)] {
            let point = Shape::sphere(1e-9).unwrap();
            let at = PosedShape { shape: &point, pose: Pose::from_position(w) };
            let off = GjkEpa.query(s, at, Real::INFINITY, &mut [0; 4], &mut Vec::new()).unwrap().distance;
            assert!(off < 1e-8, "{}: {off} outside", n.name());
        }
    }
}

fn placed(p: [Real; 3], q: [Real; 4]) -> Pose {
    Pose::new(Vec3::from_array(p), Quat::from_array(q))
}

/// Boxes from the campaign whose best direction was that of a facet inside the difference.
fn boxes_with_a_facet_inside() -> [(Shape, Pose, Shape, Pose); 3] {
    [
        (
            Shape::cuboid(0.001_162_800_584_205_028_6, 0.0005, 0.000_443_759_183_215_964_05).unwrap(),
            placed(
                [0.000_719_556_702_782_865_6, 2.823_438_399_697_020_2e-5, -8.694_705_336_545_372e-5],
                [0.197_476_009_977_983_4, -0.174_454_493_291_394_2, 0.165_843_281_841_141_33, -0.950_297_248_823_639_4],
            ),
            Shape::cuboid(0.000_565_697_633_747_759_6, 5e-7, 1.259_667_722_983_790_4e-6).unwrap(),
            placed(
                [0.0015, -0.0005, 0.0],
                [
                    -0.233_573_600_633_883_88,
                    0.950_734_795_530_223_3,
                    0.029_901_212_283_379_33,
                    -0.201_624_996_364_566_85,
                ],
            ),
        ),
        (
            Shape::cuboid(500.0, 576.508_856_296_930_8, 1_264.629_901_582_967).unwrap(),
            placed(
                [877.598_410_951_359_3, 1_145.841_380_756_165, -1_010.407_960_675_505_5],
                [0.808_569_849_994_381_4, 0.339_400_301_212_613_05, 0.056_907_201_110_083_81, -0.477_267_015_075_070_4],
            ),
            Shape::cuboid(1_000.759_369_169_492_5, 500.0, 701.504_814_344_980_2).unwrap(),
            placed(
                [1_330.808_619_361_966_3, -73.675_029_848_959_01, -1_390.076_042_902_159_8],
                [0.0, 0.382_683_432_365_089_9, 0.0, -0.923_879_532_511_286_7],
            ),
        ),
        (
            Shape::cuboid(1.004_249_918_654_628_3, 0.5, 0.5).unwrap(),
            placed(
                [0.897_661_674_199_582_4, -0.779_674_096_719_413_6, 0.030_781_995_438_217_47],
                [-4.870_376_954_159_58e-8, 4.299_753_996_688_137e-8, 4.336_010_179_996_322e-8, 0.999_999_999_999_997],
            ),
            Shape::cuboid(0.112_475_627_583_788_62, 0.5, 0.472_969_272_158_799_2).unwrap(),
            placed(
                [0.912_663_823_298_293_8, -1.478_252_332_366_788_2, 0.802_124_745_057_252_5],
                [
                    0.071_374_837_127_968_88,
                    0.943_303_804_102_187_6,
                    -0.228_904_746_461_281_95,
                    -0.229_534_709_442_371_7,
                ],
            ),
        ),
    ]
}

/// More pairs of that kind.
fn others_with_a_facet_inside() -> [(Shape, Pose, Shape, Pose); 3] {
    let hull = [
        [0.367_499_152_414_257, -0.306_137_853_935_562_37, 0.380_039_405_393_540_9],
        [-0.494_064_041_569_567_2, -0.432_143_068_261_691_6, -0.627_788_880_177_624_2],
        [0.338_466_391_639_688_95, 0.366_865_206_404_562_1, 0.577_342_285_052_743],
        [-0.260_011_369_826_400_05, 0.384_618_692_911_308_35, 0.145_069_040_359_067],
        [0.472_967_330_805_736_3, -0.480_401_672_063_382_13, -0.410_326_419_263_530_03],
        [-0.453_569_616_154_884_9, 0.287_522_898_956_171, 0.321_886_520_254_548_8],
        [-0.321_822_830_837_208, 0.048_848_893_961_322_75, -0.257_341_023_044_374_4],
        [-0.153_793_714_657_079_03, -0.340_691_053_516_390_84, 0.264_942_913_085_372_04],
        [0.168_181_284_771_028_45, -0.356_500_489_383_849_26, 0.647_677_107_886_174_6],
    ];
    [
        (
            Shape::cylinder(0.5, 1.395_834_107_756_713_1).unwrap(),
            placed(
                [-0.028_877_079_864_301_436, 0.602_485_286_114_683_1, 1.236_991_340_813_795_6],
                [0.0, 0.923_879_532_511_286_7, 0.0, -0.382_683_432_365_089_7],
            ),
            Shape::cone(1.005_747_534_737_991_4, 0.110_619_390_458_584_63).unwrap(),
            placed(
                [-0.279_747_457_839_230_94, -0.664_255_370_909_510_6, 1.408_014_727_278_617_9],
                [0.0, 0.0, 0.0, 1.0],
            ),
        ),
        (
            Shape::capsule(0.5, 0.074_713_153_685_528_1).unwrap(),
            placed(
                [1.271_645_726_510_236, 0.800_051_657_367_848_8, 0.093_697_622_847_431_55],
                [0.0, 1.0, 0.0, 6.123_233_995_736_766e-17],
            ),
            Shape::convex(&hull.map(Vec3::from_array)).unwrap(),
            placed(
                [1.413_043_386_732_129_3, 0.666_002_660_442_471_6, -0.211_608_921_314_429_88],
                [0.292_376_810_719_474_3, 0.424_355_885_860_693_6, -0.672_201_417_721_230_3, -0.531_585_493_314_539_5],
            ),
        ),
        (
            Shape::cuboid(500.0, 1_035.552_589_725_830_3, 1_120.966_547_130_594).unwrap(),
            placed(
                [-345.148_503_954_322_3, 901.153_157_789_260_4, -944.594_367_511_367_1],
                [0.0, 0.382_683_432_365_089_9, 0.0, -0.923_879_532_511_286_7],
            ),
            Shape::cone(1_077.087_615_832_514, 71.334_908_913_455_58).unwrap(),
            placed([-560.525_751_141_199, 129.393_258_444_890_25, -1_308.406_204_929_931], [0.0, 0.0, 0.0, 1.0]),
        ),
    ]
}

/// Here the depth was right, but the points were those of the facet.
#[test]
fn points_of_a_depth_are_not_those_of_a_facet_inside_the_difference() {
    let pairs = boxes_with_a_facet_inside().into_iter().chain(others_with_a_facet_inside());
    for (k, (a, pa, b, pb)) in pairs.enumerate() {
        let size = a.bounding_radius().max(b.bounding_radius());
        let round = [&a, &b].iter().any(|s| matches!(s, Shape::Cylinder(_) | Shape::Cone(_)));
        let allowed = size * if round { 1e-5 } else { 1e-9 };
        let (a, b) = (PosedShape { shape: &a, pose: pa }, PosedShape { shape: &b, pose: pb });
        for n in [&GjkEpa as &dyn NarrowPhase, &VClip].into_iter().filter(|n| n.supports(a.shape, b.shape)) {
            let p = n.query(a, b, Real::INFINITY, &mut [0; 4], &mut Vec::new()).unwrap();
            for (s, w) in [(a, p.witness_a), (b, p.witness_b)] {
                let off = from_surface(s.shape, s.pose.local_point(w));
                assert!(p.distance < 0.0 && off <= allowed, "pair {k}, {}: {off} m off: {p:?}", n.name());
            }
            let apart = (p.witness_b - p.witness_a - p.normal * p.distance).length();
            assert!(apart <= allowed, "pair {k}, {}: {apart}", n.name());
        }
    }
}
