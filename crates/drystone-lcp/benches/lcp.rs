//! `cargo bench -p drystone-lcp`: row updates a second, and the price of pivoting against one Cholesky solve.
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use drystone_lcp::{LcpSolver, ProjectedGaussSeidel, solver_by_name, stack_problem};
use faer::linalg::solvers::Solve;
use std::hint::black_box;

/// Sweeps of the throughput bench.
const SWEEPS: usize = 10;

/// Ten sweeps over stacks with friction: 1200 rows fit L2, 12 000 do not.
fn row_updates(c: &mut Criterion) {
    let mut group = c.benchmark_group("row-updates");
    for columns in [4, 40] {
        let problem = stack_problem(columns, 25, 0.5, 1.0, 1e-6);
        let n = problem.b.len();
        let mut solver = ProjectedGaussSeidel::with_iterations(SWEEPS);
        let mut x = vec![0.0; n];
        group.throughput(Throughput::Elements((n * SWEEPS) as u64));
        group.bench_function(BenchmarkId::new("projected-gauss-seidel", n), |b| {
            b.iter(|| {
                x.fill(0.0);
                black_box(solver.solve(&problem.view(), &mut x))
            });
        });
    }
    // The memory-bound limit: reading every row's 216 bytes once and adding them up.
    for rows in [1200, 12_000] {
        let bytes = vec![1.0_f64; rows * 27];
        group.throughput(Throughput::Elements(rows as u64));
        group.bench_function(BenchmarkId::new("reading-the-rows", rows), |b| {
            b.iter(|| {
                let (chunks, _) = bytes.as_chunks::<8>();
                let mut sums = [0.0; 8];
                for chunk in chunks {
                    for k in 0..8 {
                        sums[k] += chunk[k];
                    }
                }
                black_box(sums)
            });
        });
    }
    group.finish();
}

/// Baraff's claim (Baraff 1995): pivoting costs two to three dense solves of the same size. Frictionless stacks, a little regularised.
fn baraff(c: &mut Criterion) {
    let mut group = c.benchmark_group("baraff");
    group.sample_size(20);
    for (columns, height) in [(1, 25), (3, 25), (10, 25)] {
        let problem = stack_problem(columns, height, 0.0, 1.0, 1e-3);
        let dense = problem.operator.view().to_dense();
        let n = problem.b.len();
        group.bench_function(BenchmarkId::new("cholesky", n), |b| {
            b.iter(|| {
                let a = faer::MatRef::from_row_major_slice(dense.entries(), n, n);
                let right = faer::Mat::from_fn(n, 1, |i, _| -problem.b[i]);
                black_box(a.llt(faer::Side::Lower).map(|l| l.solve(&right)))
            });
        });
        let problem = drystone_lcp::BoxedProblem::lcp(dense.clone(), problem.b.clone());
        for name in ["block-principal-pivoting", "dantzig", "newton-minimum-map", "lemke"] {
            if name == "lemke" && n > 300 {
                continue;
            }
            let Ok(mut solver) = solver_by_name(name) else { continue };
            let mut x = vec![0.0; n];
            group.bench_function(BenchmarkId::new(name, n), |b| {
                b.iter(|| {
                    x.fill(0.0);
                    black_box(solver.solve(&problem.view(), &mut x))
                });
            });
        }
    }
    group.finish();
}

/// One warm solve of each method on a stack of ten boxes with friction, to a residual of 1e-6 where it gets there.
fn solvers(c: &mut Criterion) {
    let mut group = c.benchmark_group("stack-10-friction");
    group.sample_size(20);
    let problem = stack_problem(1, 10, 0.5, 1.0, 0.0);
    for name in [
        "nonsmooth-conjugate-gradient",
        "mprgp",
        "projected-gradient",
        "accelerated-projected-gradient",
        "subspace-minimization",
        "block-principal-pivoting",
        "newton-minimum-map",
        "newton-fischer-burmeister",
        "interior-point",
        "lemke",
    ] {
        let Ok(mut solver) = solver_by_name(name) else { continue };
        let settings = [("iterations", 1000.0), ("tolerance", 1e-6), ("measure", 2.0)];
        for (parameter, value) in settings {
            // Lemke has no tolerance to set.
            let _ = solver.set(parameter, value);
        }
        let mut x = vec![0.0; problem.b.len()];
        group.bench_function(name, |b| {
            b.iter(|| {
                x.fill(0.0);
                black_box(solver.solve(&problem.view(), &mut x))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, row_updates, baraff, solvers);
criterion_main!(benches);
