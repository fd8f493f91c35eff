//! Problems of the page's own are solved, and what is said of a solve is what was done.

use drystone_web::Race;
use serde_json::Value;
use std::time::Instant;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Rows: three at each of the four corners of a contact, in two stacks of eight boxes and one of five; three a ball joint of a chain of twenty; as many as asked for.
#[test]
fn samples_are_problems_of_their_size() {
    for (kind, rows) in
        [("stack", 2 * 8 * 12), ("heavy-top", 5 * 12), ("chain", 3 * 20), ("random", 60), ("ill-conditioned", 40)]
    {
        let text = Race::sample(kind).unwrap();
        let info = json(&Race::new(&text).unwrap().info());
        assert_eq!(info["rows"].as_u64(), Some(rows), "{kind}: {info}");
        assert!(info["residualOfZero"].as_f64().unwrap() > 0.0, "{kind}: zero is no solution");
    }
    assert!(Race::sample("no such kind").is_none());
}

/// `2 x + y = 5, x + 2 y = 6`: x = 4 / 3, y = 7 / 3.
const TWO: &str = "A\n2 1\n1 2\nb\n-5 -6\n";

/// Converged is what has a residual within the tolerance; a solver that is stopped before has not, and takes no more than it is given.
#[test]
fn what_converged_is_what_the_residual_shows() {
    let race = Race::new(TWO).unwrap();
    let solvers = json(&race.solvers());
    assert!(solvers.as_array().unwrap().len() > 5);
    for solver in ["projected-gauss-seidel", "lemke", "dantzig"] {
        assert!(solvers.as_array().unwrap().iter().any(|s| s["name"] == solver), "{solver}: {solvers}");
        let watch = Instant::now();
        let run = json(&race.solve(solver, 1000.0, 1e-9).unwrap());
        let most = 1e3 * watch.elapsed().as_secs_f64();
        assert_eq!(run["status"], "converged", "{solver}: {run}");
        assert!(run["residual"].as_f64().unwrap() <= 1e-9, "{solver}: {run}");
        let ms = run["ms"].as_f64().unwrap();
        assert!((0.0..=most).contains(&ms), "{solver}: {ms} ms within {most} ms");
    }
    let stopped = json(&race.solve("projected-gauss-seidel", 2.0, 1e-9).unwrap());
    assert!(stopped["status"] != "converged" && stopped["iterations"] == 2, "{stopped}");
    assert!(race.solve("no such solver", 1.0, 1e-9).is_err());
}
