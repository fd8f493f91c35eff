//! The speed-ups of the contact graph, one by one, and which of them leave the motion unchanged (H-15, H-17, H-20 to H-29).

use drystone::prelude::*;
use drystone::{ModuleChoice, ModuleKind, WorldBuilder};
use drystone_core::catalogue::Value;
use drystone_core::{ContactSeed, NarrowCache, NarrowPhase, PairBatch, PosedShape, Proximity, UnsupportedPair};
use drystone_motion::force::Damping;
use drystone_narrow_phase::Combined;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const H: f64 = 0.005;

fn set(kind: ModuleKind, name: Option<&str>, settings: &[(&str, Value)]) -> ModuleChoice {
    let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect();
    ModuleChoice { kind, name: name.map(str::to_owned), settings }
}

fn graph(switches: &[&str]) -> ModuleChoice {
    let settings: Vec<_> = switches.iter().map(|key| (*key, Value::Bool(true))).collect();
    set(ModuleKind::CoherenceAnalysis, None, &settings)
}

fn sleep(policy: &str) -> ModuleChoice {
    set(ModuleKind::SleepPolicy, Some(policy), &[])
}

fn sweeps(most: i64) -> ModuleChoice {
    set(ModuleKind::Lcp, Some("projected-gauss-seidel"), &[("iterations", Value::Integer(most))])
}

/// Three columns of boxes on a floor, released with gaps of 0.2 m, 0.05 m and none, and run for a second.
struct Columns {
    world: World,
    reports: Vec<StepReport>,
}

impl Columns {
    fn run(choices: Vec<ModuleChoice>) -> Self {
        let builder = World::builder().paradigm(Paradigm::VELOCITY_LCP);
        let mut world = choices.into_iter().fold(builder, WorldBuilder::choose).build().unwrap();
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
        for (column, gap) in [0.2, 0.05, 0.0].into_iter().enumerate() {
            for k in 0..3 {
                let cube = Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).mass(10.0);
                let up = 0.5 + gap + f64::from(k) * (1.0 + gap);
                world.add(cube.at([5.0 * column as f64 + 0.01 * f64::from(k), up, 0.0])).unwrap();
            }
        }
        let reports = (0..200).map(|_| world.advance(H).unwrap()).collect();
        Self { world, reports }
    }

    /// Positions and linear velocities of all bodies, as bits.
    fn bits(&self) -> Vec<[u64; 6]> {
        let state = self.world.state();
        let row = |(p, v): (&Vec3, &Vec3)| [p.x, p.y, p.z, v.x, v.y, v.z].map(f64::to_bits);
        state.position.iter().zip(&state.linear_velocity).map(row).collect()
    }

    /// The largest distance (m) of a box from the same box in another run.
    fn off(&self, other: &Self) -> f64 {
        let (a, b) = (&self.world.state().position, &other.world.state().position);
        a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
    }

    fn largest_problem(&self) -> u64 {
        self.reports.iter().map(|r| r.lcp.variables_max).max().unwrap()
    }
}

#[test]
fn groups_are_smaller_problems_with_the_same_answers() {
    // H-17, H-20, H-29: equal up to the solver's residual, since sweeps over several contacts at once visit them in another order
    let sweeps = || sweeps(300);
    let direct = || set(ModuleKind::Lcp, Some("sparse-principal-pivoting"), &[]);
    for (chosen, near) in [(&sweeps as &dyn Fn() -> ModuleChoice, 1e-4), (&direct, 1e-6)] {
        let groups = Columns::run(vec![chosen()]);
        let together = Columns::run(vec![chosen(), graph(&["one_group"])]);
        assert!(groups.off(&together) < near, "{}", groups.off(&together));
        assert!(3 * groups.largest_problem() <= together.largest_problem(), "{}", groups.largest_problem());
    }
}

#[test]
fn sleeping_groups_cost_nothing_and_move_no_other() {
    // H-21, H-29
    let (asleep, awake) = (Columns::run(vec![sleep("kinetic-energy-relative")]), Columns::run(vec![sleep("never")]));
    let solves = |c: &Columns| c.reports.last().unwrap().lcp.solves;
    assert_eq!((solves(&asleep), solves(&awake)), (0, 3), "all have settled");
    // the third column falls asleep while the first still falls, which moves as it does with the third awake
    let early = |c: &Columns| c.reports.iter().position(|r| r.sleeping >= 3);
    assert!(early(&asleep).is_some_and(|step| step < 60), "{:?}", early(&asleep));
    assert!(asleep.off(&awake) < 1e-4, "{}", asleep.off(&awake));
}

#[test]
fn contacts_of_pairs_at_absolute_rest_are_kept_and_nothing_moves_otherwise() {
    // H-22, H-29: at zero tolerance a pair's contacts are reused only if its relative placement is unchanged to the bit
    let reuse = |distance: f64, angle: f64| {
        let settings = [
            ("reuse", Value::Bool(true)),
            ("reuse_distance", Value::Real(distance)),
            ("reuse_angle", Value::Real(angle)),
        ];
        Columns::run(vec![set(ModuleKind::CoherenceAnalysis, None, &settings)])
    };
    let plain = Columns::run(Vec::new());
    assert_eq!(reuse(0.0, 0.0).bits(), plain.bits());
    // warm starts from the forces of the last solve: fewer sweeps to the same motion
    let start = |warm: bool| {
        let settings = [
            ("iterations", Value::Integer(2000)),
            ("warm_start", Value::Bool(warm)),
            ("relative_threshold", Value::Real(1e-7)),
        ];
        Columns::run(vec![set(ModuleKind::Lcp, Some("projected-gauss-seidel"), &settings)])
    };
    let (warm, cold) = (start(true), start(false));
    let spent = |c: &Columns| c.reports[100..].iter().map(|r| r.lcp.iterations).sum::<u64>();
    assert!(2 * spent(&warm) < spent(&cold), "{} and {}", spent(&warm), spent(&cold));
    assert!(warm.off(&cold) < 1e-4, "{}", warm.off(&cold));
    // the control: a coarse tolerance changes the motion
    assert_ne!(reuse(1e-2, 1e-2).bits(), plain.bits());
}

#[test]
fn sweeps_end_at_their_limit() {
    // H-23: the iteration limit is lowered from 500 to 15
    let most = |limit: i64| {
        let settings = [
            ("iterations", Value::Integer(limit)),
            ("warm_start", Value::Bool(false)),
            ("relative_threshold", Value::Real(1e-12)),
        ];
        let columns = Columns::run(vec![set(ModuleKind::Lcp, Some("projected-gauss-seidel"), &settings)]);
        let each = |r: &StepReport| r.lcp.iterations as f64 / r.lcp.solves.max(1) as f64;
        (columns.reports.iter().map(each).fold(0.0, f64::max), columns)
    };
    let ((tweaked, fast), (whole, slow)) = (most(15), most(500));
    assert!(tweaked <= 15.0 && whole > 100.0, "{tweaked} {whole}");
    // the motion differs but stays plausible: no column falls
    let off = fast.off(&slow);
    assert!(off > 1e-9 && off < 0.2, "{off}");
}

#[test]
fn the_others_change_the_motion() {
    // H-24, H-25, H-27, H-29
    let slept = || sleep("kinetic-energy");
    let plain = Columns::run(vec![slept()]);
    for switches in [&["subgroup"][..], &["subgroup", "fixate"]] {
        assert_ne!(Columns::run(vec![slept(), graph(switches)]).bits(), plain.bits(), "{switches:?}");
    }
    let coarse = || sweeps(2);
    let [all, one] = [
        vec![coarse()],
        vec![
            coarse(),
            set(
                ModuleKind::CoherenceAnalysis,
                None,
                &[("reduce", Value::Bool(true)), ("reduce_depth", Value::Real(1e-5))],
            ),
        ],
    ]
    .map(Columns::run);
    assert_ne!(one.bits(), all.bits());
}

/// The largest upward velocity (m/s) of a ball after it was thrown down at 3 m/s onto a sleeping slab.
fn bounce(switches: &[&str]) -> f64 {
    let mut world = World::builder()
        .paradigm(Paradigm::VELOCITY_LCP)
        .choose(sleep("kinetic-energy-relative"))
        .choose(graph(switches))
        .build()
        .unwrap();
    let lively = world.add_material(Material { restitution: 0.8, friction: 0.0, ..Material::default() }).unwrap();
    world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
    let slab = Body::dynamic(Shape::cuboid(1.0, 0.5, 1.0).unwrap()).mass(1e6).material(lively);
    let slab = world.add(slab.at([0.0, 0.5, 0.0])).unwrap();
    for _ in 0..100 {
        world.advance(H).unwrap();
    }
    assert!(world.is_asleep(slab).unwrap());
    let ball = Body::dynamic(Shape::sphere(0.1).unwrap()).mass(1.0).material(lively);
    let ball = world.add(ball.at([0.0, 1.2, 0.0]).linear_velocity([0.0, -3.0, 0.0])).unwrap();
    let mut fastest = f64::NEG_INFINITY;
    for _ in 0..20 {
        world.advance(H).unwrap();
        fastest = fastest.max(world.velocity(ball).unwrap().linear.y);
    }
    fastest
}

#[test]
fn nothing_bounces_off_sleepers_where_they_are_sticky() {
    // H-28
    let (sticky, plain) = (bounce(&["zero"]), bounce(&[]));
    assert!(sticky < 0.01, "{sticky}");
    assert!((plain - 0.8 * 3.2).abs() < 0.2, "{plain}");
}

#[test]
fn what_is_fixated_is_a_wall_until_its_own_rule_wakes_it() {
    // H-27: a ball at 2 m/s hits a box at rest, the only body marked sleepy
    let hit = |switches: &[&str]| {
        let mut world = World::builder()
            .paradigm(Paradigm::VELOCITY_LCP)
            .choose(sleep("kinetic-energy-relative"))
            .choose(graph(switches))
            .build()
            .unwrap();
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
        let cube =
            world.add(Body::dynamic(Shape::cuboid(0.5, 0.5, 0.5).unwrap()).mass(1.0).at([0.0, 0.5, 0.0])).unwrap();
        for _ in 0..100 {
            world.advance(H).unwrap();
        }
        assert!(world.is_sleepy(cube).unwrap());
        let rest = world.pose(cube).unwrap();
        let ball = Body::dynamic(Shape::sphere(0.2).unwrap()).mass(1.0).at([-0.75, 0.5, 0.0]);
        world.add(ball.linear_velocity([2.0, 0.0, 0.0])).unwrap();
        for _ in 0..20 {
            world.advance(H).unwrap();
        }
        let there = world.position(cube).unwrap().distance(rest.position);
        // the box's own rule: once it is told to wake, it is solved for again
        world.wake(cube).unwrap();
        world.apply_impulse(cube, Vec3::Y, world.position(cube).unwrap()).unwrap();
        world.advance(H).unwrap();
        (there, world.velocity(cube).unwrap().linear.y)
    };
    let (wall, woken) = hit(&["subgroup", "fixate"]);
    assert!(wall == 0.0 && woken > 0.5, "{wall} {woken}");
    let (pushed, _) = hit(&[]);
    assert!(pushed > 1e-3, "{pushed}");
}

#[test]
fn damping_takes_energy_by_its_rate() {
    // H-26: the kinetic energy in free flight falls as exp(-2 c t)
    let fly = |rate: f64| {
        let mut world = World::builder().paradigm(Paradigm::VELOCITY_LCP).gravity(Vec3::ZERO).build().unwrap();
        let ball = Body::dynamic(Shape::sphere(0.1).unwrap()).mass(2.0).linear_velocity([1.0, 2.0, 0.0]);
        world.add(ball.angular_velocity([0.0, 3.0, 1.0])).unwrap();
        world.add_force(Damping { linear: rate, angular: rate, ..Damping::default() });
        let start = world.energy().kinetic;
        for _ in 0..2000 {
            world.advance(5e-4).unwrap();
        }
        world.energy().kinetic / start
    };
    for rate in [0.0_f64, 0.5, 2.0] {
        let exact = (-2.0 * rate).exp();
        assert!((fly(rate) / exact - 1.0).abs() < 3e-3, "{rate}: {} {exact}", fly(rate));
    }
}

/// A narrow phase that takes a whole batch of pairs at once, last pair first.
struct AtOnce {
    batches: Arc<AtomicUsize>,
    pairs: Arc<AtomicUsize>,
}

impl NarrowPhase for AtOnce {
    fn name(&self) -> &'static str {
        "at-once"
    }

    fn supports(&self, a: &Shape, b: &Shape) -> bool {
        Combined.supports(a, b)
    }

    fn query(
        &self,
        a: PosedShape<'_>,
        b: PosedShape<'_>,
        envelope: f64,
        cache: &mut NarrowCache,
        seeds: &mut Vec<ContactSeed>,
    ) -> Result<Proximity, UnsupportedPair> {
        Combined.query(a, b, envelope, cache, seeds)
    }

    fn query_batch(&self, batch: &mut PairBatch<'_>) -> Result<(), UnsupportedPair> {
        self.batches.fetch_add(1, Ordering::Relaxed);
        for k in (0..batch.edges.len()).rev() {
            self.pairs.fetch_add(1, Ordering::Relaxed);
            let edges = &mut batch.edges[k..=k];
            let one = &mut PairBatch {
                configuration: batch.configuration,
                frames: batch.frames,
                envelope: batch.envelope,
                edges,
            };
            Combined.query_batch(one)?;
        }
        Ok(())
    }
}

#[test]
fn a_narrow_phase_may_take_all_pairs_at_once() {
    // H-15
    let (batches, pairs) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let run = |world: WorldBuilder| {
        let mut world = world.paradigm(Paradigm::VELOCITY_LCP).build().unwrap();
        world.add(Body::fixed(Shape::plane(Vec3::Y, 0.0).unwrap())).unwrap();
        for k in 0..20 {
            let ball = Body::dynamic(Shape::sphere(0.5).unwrap());
            world.add(ball.at([0.9 * f64::from(k % 5), 0.5 + f64::from(k / 5), 0.01 * f64::from(k)])).unwrap();
        }
        for _ in 0..50 {
            world.advance(H).unwrap();
        }
        (world.state().position.clone(), world.state().linear_velocity.clone())
    };
    let at_once = AtOnce { batches: batches.clone(), pairs: pairs.clone() };
    assert_eq!(run(World::builder().narrow_phase(at_once)), run(World::builder()));
    let (batches, pairs) = (batches.load(Ordering::Relaxed), pairs.load(Ordering::Relaxed));
    assert!(pairs > 10 * batches, "{pairs} pairs in {batches} batches");
}
