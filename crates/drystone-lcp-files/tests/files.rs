//! Problem files: what is written is read back unchanged, and every fault is named.
use drystone_lcp::{LcpSolver, ProjectedGaussSeidel, ResidualWorkspace, SplitMix64, natural_residual, stack_problem};
use drystone_lcp_files::{FileProblem, LcpDump, read_problem, read_problem_texts};
use std::path::{Path, PathBuf};

/// A fresh folder for one test.
fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("drystone-lcp-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn fault(path: &Path) -> String {
    read_problem(path).unwrap_err().to_string()
}

#[test]
fn a_dump_replays_with_the_same_bits() {
    let problem = stack_problem(1, 3, 0.4, 1.5, 1e-5);
    let start = vec![0.01; problem.b.len()];
    let folder = folder("dump");
    let path = folder.join("solve.json");
    LcpDump::new(&problem.view(), &start).write(&path).unwrap();
    let FileProblem::Boxed { problem: again, start: Some(read_start) } = read_problem(&path).unwrap() else {
        panic!("a dump is a boxed problem with its start value")
    };
    assert_eq!(read_start, start);
    let solve = |problem: &drystone_lcp::BoxedProblem, start: &[f64]| {
        let mut x = start.to_vec();
        ProjectedGaussSeidel::with_iterations(10).solve(&problem.view(), &mut x).unwrap();
        x
    };
    assert_eq!(solve(&problem, &start), solve(&again, &read_start));
}

#[test]
fn matrix_market_pairs() {
    let folder = folder("mtx");
    write(
        &folder,
        "A.mtx",
        "%%MatrixMarket matrix coordinate real symmetric\n% a remark\n2 2 3\n1 1 2.0\n2 1 -1.0\n2 2 2.0\n",
    );
    write(&folder, "b.mtx", "%%MatrixMarket matrix array real general\n2 1\n-1\n-1\n");
    let FileProblem::Boxed { problem, .. } = read_problem(&folder).unwrap() else { panic!("an LCP") };
    let residual = natural_residual(&problem.view(), &[1.0, 1.0], &mut ResidualWorkspace::default());
    assert!(residual < 1e-15);
    write(&folder, "hi.mtx", "%%MatrixMarket matrix array real general\n2 1\n0.5\n1e308\n");
    assert_eq!(read_problem(&folder.join("A.mtx")).unwrap().kind(), "boxed");
    write(&folder, "b.mtx", "%%MatrixMarket matrix array real general\n3 1\n-1\n-1\n0\n");
    assert!(fault(&folder).contains("expected 2 x 1"));
    write(&folder, "A.mtx", "%%MatrixMarket matrix coordinate complex general\n2 2 0\n");
    assert!(fault(&folder).contains("complex"));
}

#[test]
fn opentissue_folders() {
    let folder = folder("dlm");
    write(&folder, "A.dlm", "3 3 3\n0 0 1\n1 1 1\n2 2 1\n");
    write(&folder, "b.dlm", "3\n0 -2\n1 5\n2 0.1\n");
    write(&folder, "dep.dlm", "3\n0 -1\n1 0\n2 0\n");
    write(&folder, "factor.dlm", "3\n0 0\n1 0.2\n2 0.2\n");
    let problem = read_problem(&folder).unwrap();
    assert_eq!((problem.kind(), problem.variables()), ("boxed", 3));
    let FileProblem::Boxed { problem, .. } = problem else { panic!("boxed") };
    // The normal is 2, the first friction stops at its bound 0.4, the second stays within its bounds.
    let residual = natural_residual(&problem.view(), &[2.0, -0.4, -0.1], &mut ResidualWorkspace::default());
    assert!(residual < 1e-15);
    write(&folder, "dep.dlm", "3\n0 1\n1 0\n2 0\n");
    assert!(fault(&folder).contains("depends on itself"));
    write(&folder, "dep.dlm", "3\n0 -1\n1 7\n2 0\n");
    assert!(fault(&folder).contains("row 7"));
    write(&folder, "b.dlm", "3\n0 -2\n0 5\n2 0.1\n");
    assert!(fault(&folder).contains("twice"));
}

#[test]
fn siconos_texts_are_in_column_order() {
    let folder = folder("dat");
    // M = [1 2; 0 1] in columns: 1 0, 2 1.
    let lcp = write(&folder, "lcp.dat", "2\n0\n2\n2\n2 2\n1 0\n2 1\n-1 -1\na remark 7\n");
    let FileProblem::Boxed { problem, .. } = read_problem(&lcp).unwrap() else { panic!("an LCP") };
    assert_eq!(problem.operator.view().entry(0, 1), 2.0);
    let blocks = "3 1\n1\n3 3\n1 1 1\n3\n3\n2 1\n0 1\n0\n0\n1 0 0 0 2 0 0 0 3\n-1 0 0\n0.5\n";
    let cone = write(&folder, "cone.dat", blocks);
    let problem = read_problem(&cone).unwrap();
    assert_eq!((problem.kind(), problem.variables()), ("friction", 3));
    assert!(fault(&write(&folder, "short.dat", "2\n0\n2\n2\n2 2\n1 0\n2")).contains("line 7: ends before number 10"));
    assert!(
        fault(&write(&folder, "word.dat", "2\n0\n2\n2\n2 2\n1 0 x 1\n0 0")).contains("line 6, number 9, entry: 'x'")
    );
    assert!(fault(&write(&folder, "nan.dat", "2\n0\n2\n2\n2 2\n1 0 0 1\nnan 0")).contains("b[0]"));
    assert!(
        fault(&write(&folder, "mu.dat", "3\n1\n0\n3\n3\n3 3\n1 0 0 0 1 0 0 0 1\n0 0 0\n-0.5\n")).contains("negative")
    );
    assert!(fault(Path::new("/nonexistent.dat")).contains("nonexistent"));
}

/// The bytes with a few of them changed, omitted or doubled, or with the end cut off.
fn damaged(text: &str, random: &mut SplitMix64) -> Vec<u8> {
    const BYTES: &[u8] = b"0123456789 -+.eE\n%{}[],:\"x\xff";
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len().max(1));
        let byte = BYTES[random.below(BYTES.len())];
        match random.below(5) {
            0 => bytes.truncate(at),
            1 if at < bytes.len() => drop(bytes.remove(at)),
            2 if at < bytes.len() => bytes[at] = byte,
            // Numbers get five more digits.
            3 => drop(bytes.splice(at..at, *b"99999")),
            _ => bytes.insert(at, byte),
        }
    }
    bytes
}

#[test]
fn damaged_files_are_read_or_refused() {
    let folder = folder("damage");
    let problem = stack_problem(1, 1, 0.4, 1.5, 1e-5);
    let dump = folder.join("whole.json");
    LcpDump::new(&problem.view(), &[0.0; 12]).write(&dump).unwrap();
    let dump = std::fs::read_to_string(dump).unwrap();
    let market = "%%MatrixMarket matrix coordinate real symmetric\n% a remark\n2 2 3\n1 1 2.0\n2 1 -1.0\n2 2 2.0\n";
    let vector = "%%MatrixMarket matrix array real general\n2 1\n-1\n-1\n";
    let dlm =
        ["3 3 3\n0 0 1\n1 1 1\n2 2 1\n", "3\n0 -2\n1 5\n2 0.1\n", "3\n0 -1\n1 0\n2 0\n", "3\n0 0\n1 0.2\n2 0.2\n"];
    let lcp = "2\n0\n2\n2\n2 2\n1 0\n2 1\n-1 -1\n";
    let blocks = "3 1\n1\n3 3\n1 1 1\n3\n3\n2 1\n0 1\n0\n0\n1 0 0 0 2 0 0 0 3\n-1 0 0\n0.5\n";
    // The files of each format, and which of them is opened.
    let formats: [(&[(&str, &str)], &str); 5] = [
        (&[("a.json", &dump)], "a.json"),
        (&[("A.mtx", market), ("b.mtx", vector)], "A.mtx"),
        (&[("A.dlm", dlm[0]), ("b.dlm", dlm[1]), ("dep.dlm", dlm[2]), ("factor.dlm", dlm[3])], ""),
        (&[("lcp.dat", lcp)], "lcp.dat"),
        (&[("cone.dat", blocks)], "cone.dat"),
    ];
    let mut random = SplitMix64::new(11);
    let (mut read, mut refused) = (0, 0);
    for (k, (files, opened)) in formats.iter().enumerate() {
        let place = folder.join(k.to_string());
        std::fs::create_dir_all(&place).unwrap();
        let opened = if opened.is_empty() { place.clone() } else { place.join(opened) };
        for (name, text) in *files {
            write(&place, name, text);
        }
        read_problem(&opened).unwrap();
        for _ in 0..60 {
            let (name, text) = files[random.below(files.len())];
            std::fs::write(place.join(name), damaged(text, &mut random)).unwrap();
            match read_problem(&opened) {
                // Whatever is read is valid.
                Ok(FileProblem::Boxed { problem, .. }) => problem.view().validate().unwrap(),
                Ok(FileProblem::Cone(problem)) => problem.validate().unwrap(),
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    refused += 1;
                    write(&place, name, text);
                    continue;
                }
            }
            read += 1;
            write(&place, name, text);
        }
    }
    assert!(read > 10 && refused > 120, "{read} read, {refused} refused");
}

#[test]
fn texts_are_read_as_files_are() {
    let text = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let read = |files: &[(String, String)]| read_problem_texts(files).map(|p| (p.kind(), p.variables()));
    let market = [
        text("b.mtx", "%%MatrixMarket matrix array real general\n2 1\n-1\n-1\n"),
        text("folder/A.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 2.0\n2 1 -1.0\n2 2 2.0\n"),
    ];
    assert_eq!(read(&market).unwrap(), ("lcp", 2));
    let tissue = [text("A.dlm", "1 1 1\n0 0 1\n"), text("b.dlm", "1\n0 -2\n"), text("hi.dlm", "1\n0 1\n")];
    assert_eq!(read(&tissue).unwrap(), ("boxed", 1));
    let siconos = [text("p.dat", "2 0 2 2 2 2\n2 1\n1 2\n-5 -6\n")];
    assert_eq!(read(&siconos).unwrap(), ("lcp", 2));
    for (files, part) in [
        (&market[1..], "b.mtx"),
        (&market[..1], "without A.mtx"),
        (&[text("notes.txt", "1")][..], "extension"),
        (&[][..], "no file"),
        (&[text("A.mtx", "%%MatrixMarket matrix array real general\n1 2\n1\n1\n")][..], "not square"),
    ] {
        let error = read(files).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}
