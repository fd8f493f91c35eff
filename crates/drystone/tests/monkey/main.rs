//! Random calls of the facade with hostile numbers, under all presets and with all modules by name. No call may panic, and a step that succeeds
//! leaves a finite state. `cargo xtask monkey` runs the same test for longer.

mod habitat;
mod hands;
mod numbers;
mod parts;
mod twins;

use drystone::Paradigm;
use habitat::Calls;
use hands::Monkey;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use twins::{Detour, Run};

/// Number of calls, over all seeds, in a test of some seconds.
const SHORT: usize = 6000;
/// Number of calls on the same pair of worlds.
const ROUND: usize = 250;

/// A number from the environment, as set by `cargo xtask monkey`.
fn asked(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |v| v.parse().unwrap_or_else(|_| panic!("{name}={v} is no number")))
}

/// Processor time of all threads, which other programs do not lengthen, or wall-clock time if the system does not report it.
#[derive(Clone, Copy)]
struct Work {
    clock: Instant,
    processor: Option<Duration>,
}

impl Work {
    fn now() -> Self {
        Self { clock: Instant::now(), processor: processor() }
    }

    fn until_now(self) -> Duration {
        let spent = processor().zip(self.processor).map(|(now, then)| now.saturating_sub(then));
        spent.unwrap_or_else(|| self.clock.elapsed())
    }
}

/// User plus system time of this process according to Linux, in hundredths of a second.
fn processor() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // skip past the process name, which may contain spaces; see `proc(5)`
    let fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11).take(2);
    let ticks = fields.map(|f| f.parse::<u64>().ok()).sum::<Option<u64>>()?;
    Some(Duration::from_millis(10 * ticks))
}

#[test]
fn no_call_panics_and_every_step_that_is_done_leaves_a_finite_state() {
    let (calls, first) = (asked("DRYSTONE_MONKEY_CALLS", SHORT), asked("DRYSTONE_MONKEY_SEED", 1));
    let told = std::env::var_os("DRYSTONE_MONKEY_CALLS").is_some();
    let (mut done, mut failed, mut refused) = (0_u64, 0_u64, 0_u64);
    let (mut slowest, mut slow) = (Duration::ZERO, String::new());
    for seed in first..first + calls.div_ceil(ROUND) {
        let mut monkey = Monkey::new(seed as u64);
        for call in 0..ROUND {
            let start = Work::now();
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| monkey.act())) {
                let what = panic
                    .downcast_ref::<String>()
                    .map_or_else(|| panic.downcast_ref::<&str>().map_or("", |s| s).to_owned(), String::clone);
                panic!("DRYSTONE_MONKEY_SEED={seed}, call {call}, {}: {what}", monkey.last);
            }
            let took = start.until_now();
            if told && took > Duration::from_secs(1) {
                println!("DRYSTONE_MONKEY_SEED={seed}, call {call}, {}: {:.1} s", monkey.last, took.as_secs_f64());
                println!("    {}", monkey.tell());
            }
            if took > slowest {
                (slowest, slow) = (took, format!("seed {seed}, call {call}, {}", monkey.last));
            }
        }
        done += monkey.steps;
        failed += monkey.failed;
        refused += monkey.refused;
        if told && seed % 100 == 0 {
            println!("seed {seed}: {done} steps done, {failed} failed, {refused} calls refused");
        }
    }
    println!("{calls} calls: {done} steps done, {failed} failed, {refused} calls refused");
    println!("slowest call: {:.2} s, {slow}", slowest.as_secs_f64());
    if calls < SHORT {
        return;
    }
    // the test is worthless if almost every call is refused, or if nothing ever fails
    assert!(done * 20 > calls as u64 && failed > 0 && refused * 20 > calls as u64, "{done} {failed} {refused}");
}

/// Runs that were not the same once: a group that stood still through a frame left other flags of its pairs, springs counted twice beside bodies that sleep, free
/// slots of the contact graph named bodies that were gone (a panic), a frame without a drift took over from an earlier one whether bodies were seen, a damped
/// body with a given velocity was placed by one velocity and had moved by another, and forces that were computed group by group left it to earlier frames how motors act
/// without inertia.
#[test]
fn runs_that_once_differed_are_the_same() {
    for (paradigm, seed) in [
        (Paradigm::REAL_TIME, 41039),
        (Paradigm::POSITION_NCP, 41039),
        (Paradigm::VELOCITY_LCP, 700_053),
        (Paradigm::SUBSTEP_SOFT, 700_058),
        (Paradigm::FIRST_ORDER, 700_057),
        (Paradigm::VELOCITY_LCP, 810_031),
        (Paradigm::TIMEWARP, 830_001),
    ] {
        let (different, _) = Run { paradigm, seed, calls: Calls::Former }.check();
        assert!(different.is_empty(), "{different:?}");
    }
}

/// A planar world that is looked at anew projected the contacts of pairs that sleep once more. The run before the step that differed takes long; so there is one detour.
#[test]
fn a_planar_run_that_once_differed_is_the_same() {
    let run = Run { paradigm: Paradigm::IMPULSE, seed: 900_238, calls: Calls::Former };
    let plain = run.plain(29);
    let (different, _) = run.compare(&plain, Detour::Fresh);
    assert_eq!((plain.len(), different), (29, None));
}

/// Runs of each preset in a test of some seconds.
const FEW_RUNS: usize = 2;

#[test]
fn a_run_has_the_same_bits_when_it_is_repeated_interrupted_or_taken_back() {
    let seconds = asked("DRYSTONE_MONKEY_SECONDS", 0) as u64;
    let (first, runs) = (asked("DRYSTONE_MONKEY_SEED", 1), asked("DRYSTONE_MONKEY_RUNS", FEW_RUNS));
    let start = Instant::now();
    let (mut steps, mut made, mut found) = (0_u64, 0_u64, Vec::new());
    for seed in first.. {
        let more = if seconds > 0 { start.elapsed().as_secs() < seconds } else { seed < first + runs };
        if !more {
            break;
        }
        for paradigm in Paradigm::ALL {
            let (different, taken) = Run { paradigm: *paradigm, seed: seed as u64, calls: Calls::All }.check();
            steps += taken;
            made += 1;
            for told in &different {
                println!("{told}");
            }
            found.extend(different);
        }
    }
    println!("{made} runs, {steps} steps, {} differences, {:.0} s", found.len(), start.elapsed().as_secs_f64());
    assert!(found.is_empty(), "{} differences in {steps} steps:\n{}", found.len(), found.join("\n"));
}
