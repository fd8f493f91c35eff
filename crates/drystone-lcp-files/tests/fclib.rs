//! Reads HDF5 files of FCLIB: two small problems written for this test.
#![cfg(feature = "fclib")]
use drystone_lcp::{ConeProblem, LcpOperator, Operator, cone_residual, cone_solver_by_name};
use drystone_lcp_files::{FileProblem, read_problem, read_problem_bytes};
use std::path::Path;

fn read(name: &str) -> ConeProblem {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    let FileProblem::Cone(problem) = read_problem(&path).unwrap() else { panic!("a frictional-contact problem") };
    problem
}

#[test]
fn a_local_problem_by_rows() {
    let problem = read("local.hdf5");
    assert_eq!((problem.dimension, &problem.q[..], &problem.mu[..]), (3, &[-1.0, 0.25, 0.0][..], &[0.5][..]));
    let Operator::Dense(w) = &problem.operator else { panic!("dense") };
    assert_eq!(w.entries(), [2.0, 0.5, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 4.0]);
    let mut r = [0.0; 3];
    cone_solver_by_name("nonsmooth-gauss-seidel").unwrap().solve(&problem, &mut r).unwrap();
    assert!(cone_residual(&problem, &r) < 1e-9);
}

#[test]
fn a_global_problem_by_triplets_and_columns() {
    let problem = read("global.hdf5");
    assert_eq!((problem.dimension, problem.contacts()), (2, 2));
    // M couples rows 0 and 2: [[2, 1/2], [1/2, 1]] has the inverse [[4, -2], [-2, 8]] / 7; the middle row is 1/4.
    let inverse = |z: [f64; 3]| [(4.0 * z[0] - 2.0 * z[2]) / 7.0, z[1] / 4.0, (8.0 * z[2] - 2.0 * z[0]) / 7.0];
    let h = [[0.0, 1.0, -1.0], [1.0, 0.0, 0.5], [0.0, 1.0, 1.0], [1.0, 0.0, 0.5]];
    let dot = |a: [f64; 3], b: [f64; 3]| (0..3).map(|k| a[k] * b[k]).sum::<f64>();
    let Operator::Dense(w) = &problem.operator else { panic!("dense") };
    for i in 0..4 {
        for j in 0..4 {
            assert!((w.entry(i, j) - dot(h[i], inverse(h[j]))).abs() < 1e-14, "{i} {j}");
        }
        let q = dot(h[i], inverse([0.0, -8.0, 1.0])) + [0.1, 0.2, 0.3, 0.4][i];
        assert!((problem.q[i] - q).abs() < 1e-14, "{i}");
    }
}

#[test]
fn what_is_no_such_file_is_said() {
    let path = std::env::temp_dir().join(format!("drystone-lcp-fclib-{}.hdf5", std::process::id()));
    std::fs::write(&path, b"\x89HDF\r\n\x1a\nnothing of the kind").unwrap();
    assert!(read_problem(&path).is_err());
}

#[test]
fn the_bytes_of_a_file_are_the_same_problem() {
    let bytes = include_bytes!("data/global.hdf5");
    let FileProblem::Cone(found) = read_problem_bytes("global.hdf5", bytes.to_vec()).unwrap() else { panic!("cones") };
    let expected = read("global.hdf5");
    assert_eq!((found.q, found.mu), (expected.q, expected.mu));
    let error = read_problem_bytes("cut.hdf5", bytes[..900].to_vec()).unwrap_err().to_string();
    assert!(error.contains("cut.hdf5"), "{error}");
}
