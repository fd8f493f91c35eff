//! The same scenes in drystone and in both precisions of rapier, one thread, nobody sleeps unless asked for, measured
//! in one run: time a step and what became of the scene.
//!
//! Each scene runs for some seconds in every engine; after a warm-up, rounds of a few steps go to the engines in turn,
//! so that whatever else the machine does meets all of them. The time is the median over the rounds, and so are the
//! ratios. `--population N` draws N random scenes instead, times every step, and gives percentiles over the scenes.
//! With `--features box3d,physx` Box3D and PhysX take part. Try `cargo bench -p drystone-benches --bench peers -- --help`.

use clap::{Parser, ValueEnum};
use drystone::Paradigm;
use drystone::math::Pose;
use drystone_benches::drystone_engine::{DrystoneEngine, Variant};
use drystone_benches::population::{Plan, Population, PopulationScene, Style, run_scene as run_random};
use drystone_benches::quality::Quality;
use drystone_benches::rapier::{RapierDouble, RapierSingle};
use drystone_benches::scenes::{Fate, STEPS_PER_SECOND, Scene};
use drystone_benches::{Clock, Engine, EngineError, Sleep, Watch, asleep, median, pairs, rows, scaling};
use std::path::PathBuf;
use std::process::ExitCode;

/// What the first engine is called where it computes all of each step, what stands still too.
const IN_FULL: &str = "drystone, in full";

/// Engines that take part where their feature is asked for.
const OTHERS: &[&str] = &[
    #[cfg(feature = "box3d")]
    "box3d",
    #[cfg(feature = "physx")]
    "physx",
];

/// Piles in which most pairs are tested in each step.
const LOOSE: [&str; 2] = ["balls-in-box", "box-rain"];

/// Steps the same scenes with drystone and rapier, side by side.
#[derive(Parser)]
#[allow(clippy::struct_excessive_bools, reason = "what is asked for on the command line")]
struct Options {
    /// Only scenes whose name contains this; may be repeated.
    #[arg(long, value_name = "NAME")]
    scene: Vec<String>,
    /// Takes the stacks with each body turned and 1 to 4 cm off its place instead.
    #[arg(long, value_name = "SEED", num_args = 0..=1, default_missing_value = "1")]
    jittered: Option<u64>,
    /// Only engines whose name contains this; may be repeated.
    #[arg(long, value_name = "NAME")]
    engine: Vec<String>,
    /// Drystone's paradigm, without sleeping; but for real-time at 10 iterations. With --population several, as they are.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', default_value = "real-time")]
    paradigm: Vec<String>,
    /// Changes a setting of drystone, as in --set lcp.iterations=20 or --set lcp.kind=projected-sor.
    #[arg(long, value_name = "TABLE.KEY=VALUE")]
    set: Vec<String>,
    /// Adds a row of drystone under other settings: --variant shock=shock-propagation,lcp.iterations=5.
    #[arg(long, value_name = "NAME=PARADIGM,...")]
    variant: Vec<String>,
    /// Steps of a run, the warm-up included: 300 with --bench, as `cargo bench` has it (240 with --population), and 2 without.
    #[arg(long)]
    steps: Option<usize>,
    /// Steps of a round.
    #[arg(long, default_value_t = 10)]
    round: usize,
    /// The clock.
    #[arg(long, value_enum, default_value_t = ClockName::Processor)]
    clock: ClockName,
    /// Runs so many random scenes instead, each by its own seed, and prints percentiles over them.
    #[arg(long, value_name = "COUNT")]
    population: Option<u64>,
    /// Seed of the first scene of --population.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Runs the random scenes of these seeds instead.
    #[arg(long, value_name = "SEED,...", value_delimiter = ',')]
    only: Vec<u64>,
    /// Runs each random scene so often, and takes the least time of each step.
    #[arg(long, default_value_t = 1)]
    repeat: usize,
    /// Writes the random scenes into this folder, as scene files of drystone, and runs none.
    #[arg(long, value_name = "DIR")]
    write: Option<PathBuf>,
    /// Writes the figures of --population into this file too.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Prints a table of piles of so many balls instead, on one thread and on two: --scaling 1000,4000,16000.
    #[arg(long, value_name = "COUNT,...", value_delimiter = ',')]
    scaling: Vec<u32>,
    /// Prints a table of what a tested pair takes in loose piles of balls and of boxes instead.
    #[arg(long)]
    pairs: bool,
    /// Prints a table of the rows that projected Gauss-Seidel of drystone-lcp updates in a second instead.
    #[arg(long)]
    rows: bool,
    /// Prints a table of what steps take once all bodies sleep instead, in each engine by its own policy: --asleep --steps 1200.
    #[arg(long)]
    asleep: bool,
    /// Prints one Markdown table instead: the first engine's time and quality beside rapier's, and its time where it computes what stands still, too.
    #[arg(long)]
    markdown: bool,
    /// Measures; without it a few steps show that everything runs, as for `cargo test`.
    #[arg(long)]
    bench: bool,
}

impl Options {
    fn steps(&self) -> usize {
        self.steps.unwrap_or(if self.bench { 5 * STEPS_PER_SECOND } else { 2 })
    }

    fn clock(&self) -> Clock {
        match self.clock {
            ClockName::Processor => Clock::Processor,
            ClockName::Wall => Clock::Wall,
        }
    }

    /// Seeds of the random scenes; none if no such scenes are asked for.
    fn seeds(&self) -> Vec<u64> {
        match self.population {
            _ if !self.only.is_empty() => self.only.clone(),
            Some(count) => (self.seed..).take(count as usize).collect(),
            None => Vec::new(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ClockName {
    /// Time of this thread on a processor.
    Processor,
    /// Time on the wall.
    Wall,
}

/// One engine in one scene.
struct Run {
    engine: Box<dyn Engine>,
    /// Seconds a step, round by round.
    rounds: Vec<f64>,
    /// Why it stopped early.
    failure: Option<EngineError>,
    /// Poses one second before the end.
    earlier: Vec<Pose>,
    now: Vec<Pose>,
}

impl Run {
    fn new(engine: Box<dyn Engine>) -> Self {
        Self { engine, rounds: Vec::new(), failure: None, earlier: Vec::new(), now: Vec::new() }
    }

    /// Takes `count` steps and gives the seconds they took; nothing once the engine has given up.
    fn advance(&mut self, count: usize, clock: Clock) -> Option<f64> {
        if self.failure.is_some() {
            return None;
        }
        let watch = Watch::start(clock);
        for _ in 0..count {
            if let Err(failure) = self.engine.step() {
                self.failure = Some(failure);
                return None;
            }
        }
        Some(watch.seconds())
    }
}

/// Runs a scene in all engines, round by round.
fn run_scene(scene: &Scene, engines: Vec<Box<dyn Engine>>, options: &Options) -> Vec<Run> {
    let clock = options.clock();
    let mut runs: Vec<Run> = engines.into_iter().map(Run::new).collect();
    let last_second = options.steps().saturating_sub(STEPS_PER_SECOND);
    let mut done = 0;
    while done < options.steps() {
        let warming = done < scene.warm_up;
        // a round ends where the warm-up ends and where the last second begins
        let ends = [scene.warm_up, last_second, options.steps()];
        let to_end = ends.iter().filter(|&&e| e > done).map(|e| e - done).min().unwrap_or(1);
        let count = options.round.clamp(1, to_end);
        for run in &mut runs {
            let seconds = run.advance(count, clock);
            if !warming && let Some(seconds) = seconds {
                run.rounds.push(seconds / count as f64);
            }
        }
        done += count;
        for run in &mut runs {
            if done == scene.warm_up {
                run.engine.warmed_up();
            }
            if done == last_second {
                run.engine.poses(&mut run.earlier);
            }
        }
    }
    for run in &mut runs {
        run.engine.poses(&mut run.now);
    }
    runs
}

/// The median over the rounds of the ratio of one run's time to another's.
fn ratio(run: &Run, other: &Run) -> Option<f64> {
    let ratios: Vec<f64> = run.rounds.iter().zip(&other.rounds).map(|(a, b)| a / b).collect();
    median(&ratios)
}

fn cell(value: Option<f64>, decimals: usize) -> String {
    value.map_or("-".to_owned(), |v| format!("{v:.decimals$}"))
}

fn print_scene(scene: &Scene, runs: &[Run]) {
    println!("\n{}: {}", scene.name, scene.summary);
    println!(
        "  {:<20} {:>9} {:>7} {:>7} {:>9} {:>10} {:>10} {:>10} {:>10} {:>10}  state",
        "engine", "ms/step", "/f64", "/f32", "contacts", "sink mm", "lean mm", "creep mm", "depth mm", "gap mm"
    );
    let peer = |name: &str| runs.iter().find(|r| r.engine.name() == name);
    for run in runs {
        let quality = (!run.earlier.is_empty()).then(|| Quality::of(scene, &run.earlier, &run.now));
        let millimetres = |of: fn(&Quality) -> f64| cell(quality.as_ref().map(|q| 1e3 * of(q)), 4);
        // the way of one body out of a heap says nothing
        let stack = matches!(scene.fate, Fate::Stands(_));
        let of_a_stack = |of: fn(&Quality) -> f64| if stack { millimetres(of) } else { cell(None, 0) };
        let state = match (&run.failure, quality) {
            (Some(failure), _) => format!("stopped: {failure}"),
            (None, Some(q)) if q.holds => "holds".to_owned(),
            (None, Some(q)) => format!("FAILED, moved {:.2} m", q.moved),
            (None, None) => "too short to judge".to_owned(),
        };
        println!(
            "  {:<20} {:>9} {:>7} {:>7} {:>9} {:>10} {:>10} {:>10} {:>10} {:>10}  {state}",
            run.engine.name(),
            cell(median(&run.rounds).map(|s| 1e3 * s), 4),
            cell(peer("rapier-f64").and_then(|p| ratio(run, p)), 2),
            cell(peer("rapier-f32").and_then(|p| ratio(run, p)), 2),
            run.engine.contacts(),
            of_a_stack(|q| q.sink),
            of_a_stack(|q| q.lean),
            millimetres(|q| q.creep),
            millimetres(|q| q.depth),
            if scene.links.is_empty() { cell(None, 0) } else { millimetres(|q| q.gap) },
        );
    }
    for run in runs.iter().filter(|run| !run.rounds.is_empty()) {
        for remark in run.engine.remarks() {
            println!("  {}: {remark}", run.engine.name());
        }
    }
}

/// What became of a scene, in a word and a figure in mm.
fn outcome(scene: &Scene, run: &Run) -> String {
    if run.failure.is_some() {
        return "stops".to_owned();
    }
    if run.earlier.is_empty() {
        return "-".to_owned();
    }
    let q = Quality::of(scene, &run.earlier, &run.now);
    let millimetres =
        |x: f64| if 1e3 * x >= 0.1 { format!("{:.1} mm", 1e3 * x) } else { format!("{:.0e} mm", 1e3 * x) };
    match scene.fate {
        _ if !q.holds => "fails".to_owned(),
        _ if !scene.links.is_empty() => format!("gap {}", millimetres(q.gap)),
        Fate::Stands(_) => format!("moved {}", millimetres(q.moved)),
        Fate::Falls(_) => "all fall".to_owned(),
        Fate::StaysIn(..) => format!("deepest {}", millimetres(q.depth)),
    }
}

/// The head of the Markdown table.
fn print_head() {
    print!(
        "| scene | ms per step | x rapier-f32 | x rapier-f64 | in full, ms per step | x rapier-f32 | outcome | rapier-f32's outcome |"
    );
    for name in OTHERS {
        print!(" x {name} | in full, x {name} | {name}'s outcome |");
    }
    println!("\n|---|---|---|---|---|---|---|---|{}", "---|---|---|".repeat(OTHERS.len()));
}

/// A row of the Markdown table; adds its ratios to those that are averaged.
fn print_row(scene: &Scene, runs: &[Run], ratios: &mut [Vec<f64>]) {
    let run = |name: &str| runs.iter().find(|r| r.engine.name() == name);
    let (peers, in_full) = (["rapier-f32", "rapier-f64"].map(run), run(IN_FULL));
    let Some(own) = runs.first() else { return };
    let [single, double] = peers.map(|peer| peer.and_then(|p| ratio(own, p)));
    let full = |peer: Option<&Run>| in_full.zip(peer).and_then(|(own, p)| ratio(own, p));
    let others: Vec<Option<&Run>> = OTHERS.iter().map(|name| run(name)).collect();
    let mut times = vec![single, double, full(peers[0])];
    times.extend(others.iter().flat_map(|peer| [peer.and_then(|p| ratio(own, p)), full(*peer)]));
    // joints are another matter than contacts
    if scene.links.is_empty() {
        for (all, time) in ratios.iter_mut().zip(&times) {
            all.extend(*time);
        }
    }
    print!(
        "| {} | {} | {} | {} | {} | {} | {} | {} |",
        scene.name,
        cell(median(&own.rounds).map(|s| 1e3 * s), 4),
        cell(times[0], 2),
        cell(times[1], 2),
        cell(in_full.and_then(|r| median(&r.rounds)).map(|s| 1e3 * s), 4),
        cell(times[2], 2),
        outcome(scene, own),
        peers[0].map_or("-".to_owned(), |p| outcome(scene, p)),
    );
    for (peer, times) in others.iter().zip(times[3..].chunks(2)) {
        let what = peer.map_or("-".to_owned(), |p| outcome(scene, p));
        print!(" {} | {} | {what} |", cell(times[0], 2), cell(times[1], 2));
    }
    println!();
}

fn geometric_mean(values: &[f64]) -> Option<f64> {
    let sum: f64 = values.iter().map(|v| v.ln()).sum();
    (!values.is_empty()).then(|| (sum / values.len() as f64).exp())
}

/// The engines that were asked for, with the scene in each.
fn engines_for(
    scene: &Scene,
    variants: &[Variant],
    sleep: Sleep,
    options: &Options,
) -> Result<Vec<Box<dyn Engine>>, EngineError> {
    let wanted = |name: &str| options.engine.is_empty() || options.engine.iter().any(|e| name.contains(e.as_str()));
    let mut engines: Vec<Box<dyn Engine>> = Vec::new();
    for variant in variants.iter().filter(|v| wanted(&v.name)) {
        engines.push(Box::new(DrystoneEngine::new(variant, scene)?));
    }
    if wanted("rapier-f64") {
        engines.push(Box::new(RapierDouble::new(scene, sleep)));
    }
    if wanted("rapier-f32") {
        engines.push(Box::new(RapierSingle::new(scene, sleep)));
    }
    #[cfg(feature = "box3d")]
    if wanted("box3d") {
        engines.push(Box::new(drystone_benches::box3d_engine::Box3dEngine::new(scene, sleep)?));
    }
    #[cfg(feature = "physx")]
    if wanted("physx") && scene.links.is_empty() {
        engines.push(Box::new(drystone_benches::physx_engine::PhysxEngine::new(scene, sleep)?));
    }
    Ok(engines)
}

/// The tables that stand beside the comparison.
fn print_tables(own: &Variant, options: &Options) -> Result<(), EngineError> {
    if !options.scaling.is_empty() {
        println!("{}", scaling::HEAD);
        for &balls in &options.scaling {
            println!("{}", scaling::measure(own, balls, options.steps())?);
        }
    }
    if options.pairs {
        println!("{}", pairs::HEAD);
        for name in LOOSE {
            let scene = Scene::by_name(name).ok_or("no such scene")?;
            println!("| {name} | {}", pairs::measure(own, &scene, options.steps())?);
        }
    }
    if options.rows {
        println!("{}", rows::HEAD);
        for columns in [4, 40] {
            println!("{}", rows::measure(columns)?);
        }
    }
    Ok(())
}

/// What steps take once all sleep, a row per scene.
fn print_asleep(scenes: &[Scene], variants: &[Variant], options: &Options) -> Result<(), EngineError> {
    let variants: Vec<Variant> = variants.iter().map(Variant::sleeping).collect();
    // not every engine takes part in every scene
    let mut names = Vec::new();
    for scene in scenes {
        let mut engines = engines_for(scene, &variants, Sleep::ByDefault, options)?;
        if names.is_empty() {
            names.extend(engines.iter().map(|e| e.name().to_owned()));
            let columns: Vec<_> = names.iter().map(|name| format!("{name}, µs per step | asleep")).collect();
            println!("| scene | {} |\n|---|{}", columns.join(" | "), "---|---|".repeat(names.len()));
        }
        let rows = asleep::measure(scene, &mut engines, options.steps())?;
        let cell = |name: &String| {
            let place = engines.iter().position(|e| e.name() == name);
            place.map_or("- | -".to_owned(), |i| rows[i].to_string())
        };
        let cells: Vec<_> = names.iter().map(cell).collect();
        println!("| {} | {} |", scene.name, cells.join(" | "));
    }
    Ok(())
}

/// Runs or writes the random scenes of some seeds.
fn compare_population(seeds: &[u64], options: &Options) -> Result<(), EngineError> {
    let style = if options.markdown { Style::Markdown } else { Style::Text };
    let plan = Plan {
        paradigms: options.paradigm.iter().map(|name| Paradigm::by_name(name)).collect::<Result<_, _>>()?,
        settings: options.set.clone(),
        steps: options.steps.unwrap_or(if options.bench { 4 * STEPS_PER_SECOND } else { 2 }),
        repeats: options.repeat,
        clock: options.clock(),
    };
    if let Some(folder) = &options.write {
        std::fs::create_dir_all(folder)?;
        for scene in seeds.iter().map(|seed| PopulationScene::draw(*seed)) {
            let path = folder.join(scene.name()).with_extension("json");
            std::fs::write(&path, scene.document(plan.paradigms[0], plan.steps).to_string())?;
            println!("{}", path.display());
        }
        return Ok(());
    }
    println!("{}", Population::head(style));
    let mut population = Population::default();
    for seed in seeds {
        let record = run_random(&PopulationScene::draw(*seed), &plan)?;
        println!("{}", Population::rows(&record, style));
        population.scenes.push(record);
    }
    println!("\n{} scenes\n\n{}", seeds.len(), population.percentiles(style));
    if let Some(file) = &options.json {
        std::fs::write(file, population.json().to_string())?;
    }
    Ok(())
}

fn compare(options: &Options) -> Result<(), EngineError> {
    let seeds = options.seeds();
    if !seeds.is_empty() {
        return compare_population(&seeds, options);
    }
    let mut own = Variant::parse(&format!("drystone={}", options.paradigm[0]))?;
    for setting in &options.set {
        own.set(setting)?;
    }
    if options.pairs || options.rows || !options.scaling.is_empty() {
        return print_tables(&own, options);
    }
    let mut variants = vec![own];
    for text in &options.variant {
        variants.push(Variant::parse(text)?);
    }
    let asked = |s: &Scene| options.scene.is_empty() || options.scene.iter().any(|name| s.name.contains(name.as_str()));
    let all = || options.jittered.map_or_else(Scene::all, Scene::jittered);
    let scenes: Vec<Scene> = all().into_iter().filter(asked).collect();
    if scenes.is_empty() {
        let names: Vec<_> = all().iter().map(|s| s.name).collect();
        return Err(format!("no such scene; there are {}", names.join(", ")).into());
    }
    if options.asleep {
        return print_asleep(&scenes, &variants, options);
    }
    if options.markdown {
        print_head();
        variants.insert(1, variants[0].in_full(IN_FULL));
        let mut ratios = vec![Vec::new(); 3 + 2 * OTHERS.len()];
        for scene in scenes {
            let runs = run_scene(&scene, engines_for(&scene, &variants, Sleep::Never, options)?, options);
            print_row(&scene, &runs, &mut ratios);
        }
        let means: Vec<String> = ratios.iter().map(|r| cell(geometric_mean(r), 2)).collect();
        print!("| geometric mean of contact scenes | | {} | {} | | {} | | |", means[0], means[1], means[2]);
        for means in means[3..].chunks(2) {
            print!(" {} | {} | |", means[0], means[1]);
        }
        println!();
        return Ok(());
    }
    println!(
        "dt 1/60 s, {} steps, one thread, no sleeping; {} time, medians over rounds of {} steps in turn",
        options.steps(),
        if options.clock == ClockName::Processor { "processor" } else { "wall" },
        options.round
    );
    for scene in scenes {
        let engines = engines_for(&scene, &variants, Sleep::Never, options)?;
        let runs = run_scene(&scene, engines, options);
        print_scene(&scene, &runs);
    }
    Ok(())
}

fn main() -> ExitCode {
    match compare(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("peers: {error}");
            ExitCode::from(2)
        }
    }
}
