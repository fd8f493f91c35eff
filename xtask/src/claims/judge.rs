use super::Walk;
use super::pair::{End, Figures};
use std::collections::BTreeMap;

/// One of the figures.
type Figure = fn(&Figures) -> f64;

/// How many times the median over the presets, and how much more, a figure may be: what is far off is so by its order of magnitude.
const FAR_OFF: [(f64, f64, Figure, &str); 3] = [
    (10.0, 0.1, |f| f.penetration, "m deep"),
    (10.0, 0.1, |f| f.gap, "m of joint error"),
    (2.0, 1.0, |f| f.far, "m away"),
];

/// The same for speed, which alone may be a matter of a moment: of a body that falls a little later than under the other presets.
const TOO_FAST: (f64, f64, Figure, &str) = (3.0, 3.0, |f| f.fast, "m/s fast");

/// How a pair did.
pub(crate) enum Verdict {
    Refused,
    /// Ran to the end, and looks like the others.
    Ran,
    /// What went wrong: ended by itself, slow, or far from what the other presets find.
    Wrong(String),
    /// It is faster at the end than under the other presets, and that is all.
    Fast(String),
}

/// A pair with its verdict, and whether a warning came before.
pub(crate) struct Judged {
    pub(crate) warned: bool,
    pub(crate) verdict: Verdict,
}

/// By preset, then scene.
pub(crate) type Verdicts = BTreeMap<String, BTreeMap<String, Judged>>;

/// Holds each run to the median of those of the same scene.
pub(crate) fn judged(walk: &Walk) -> Verdicts {
    let mut scenes: BTreeMap<&str, Vec<Figures>> = BTreeMap::new();
    for ((scene, _), found) in walk {
        if let End::Done(figures) = found.end {
            scenes.entry(scene).or_default().push(figures);
        }
    }
    let mut verdicts = Verdicts::new();
    for ((scene, preset), found) in walk {
        let verdict = match &found.end {
            End::Refused(_) => Verdict::Refused,
            End::Failed(why) => Verdict::Wrong(why.clone()),
            End::Slow => Verdict::Wrong("slow".to_owned()),
            End::Done(figures) => scenes.get(scene.as_str()).map_or(Verdict::Ran, |all| compared(figures, all)),
        };
        let judged = Judged { warned: !found.warnings.is_empty(), verdict };
        verdicts.entry(preset.clone()).or_default().insert(scene.clone(), judged);
    }
    verdicts
}

/// A run beside all of the same scene.
fn compared(figures: &Figures, all: &[Figures]) -> Verdict {
    let off = |(times, more, of, unit): (f64, f64, Figure, &str)| {
        let mut others: Vec<f64> = all.iter().map(of).collect();
        others.sort_by(f64::total_cmp);
        let median = others[others.len() / 2];
        let found = of(figures);
        // what is not a number is far off
        let is_off = found > times * median + more || found.is_nan();
        is_off.then(|| format!("{found:.2} {unit}, others {median:.2}"))
    };
    let wrong = FAR_OFF.into_iter().find_map(off).map(Verdict::Wrong);
    wrong.or_else(|| off(TOO_FAST).map(Verdict::Fast)).unwrap_or(Verdict::Ran)
}

/// The pairs of which nothing but speed speaks against them.
pub(crate) fn fast(verdicts: &Verdicts) -> impl Iterator<Item = (String, String)> {
    let pairs = verdicts.iter().flat_map(|(preset, scenes)| scenes.iter().map(move |(scene, j)| (scene, preset, j)));
    pairs
        .filter(|(.., j)| matches!(j.verdict, Verdict::Fast(_)))
        .map(|(scene, preset, _)| (scene.clone(), preset.clone()))
}

/// The claimed pairs that went wrong, in words.
pub(crate) fn fails(verdicts: &Verdicts) -> impl Iterator<Item = String> {
    verdicts.iter().flat_map(|(preset, scenes)| {
        scenes.iter().filter_map(move |(scene, judged)| match &judged.verdict {
            Verdict::Wrong(why) | Verdict::Fast(why) if !judged.warned => {
                Some(format!("{scene} under {preset}: {why}"))
            }
            _ => None,
        })
    })
}
