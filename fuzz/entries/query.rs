//! What the input of `drystone query` goes through.

use drystone_contact::ClippingManifold;
use drystone_core::catalogue::Settings;
use drystone_core::{ContactDetermination, Manifold, PosedShape};
use drystone_narrow_phase::{IMPLEMENTATIONS, by_name};
use drystone_scene::{Document, ShapePair};

/// Faults with words, or answers without NaN from every narrow phase that takes the pair.
pub(crate) fn query(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    // the readers follow paths: a fuzzer must not
    if text.contains("file") {
        return;
    }
    let Ok(document) = Document::from_json_str(&text) else { return };
    let pairs = match ShapePair::read_all(&document) {
        Ok(pairs) => pairs,
        Err(faults) => return assert!(!faults.to_string().is_empty()),
    };
    let (mut seeds, mut manifold) = (Vec::new(), Manifold::default());
    for pair in pairs.iter().take(4) {
        let [a, b] = [0, 1].map(|k| PosedShape { shape: &pair.shapes[k], pose: pair.poses[k] });
        for description in IMPLEMENTATIONS {
            let Some(phase) = by_name(description.name, &Settings::defaults(description)) else { continue };
            for envelope in [f64::INFINITY, 0.01] {
                match phase.query(a, b, envelope, &mut [0; 4], &mut seeds) {
                    Err(unsupported) => assert!(!unsupported.to_string().is_empty()),
                    Ok(p) => {
                        let what = || format!("{}: {pair:?} {p:?}", description.name);
                        assert!(!p.distance.is_nan() && !p.normal.is_nan(), "{}", what());
                        assert!((p.normal.length() - 1.0).abs() < 1e-6, "{}", what());
                        ClippingManifold::default().determine(a, b, &p, &seeds, envelope, &mut manifold);
                        assert!(
                            manifold
                                .points
                                .iter()
                                .all(|c| !c.separation.is_nan() && !c.normal.iter().any(|n| n.is_nan())),
                            "{}",
                            what()
                        );
                    }
                }
            }
        }
    }
}
