use crate::references;
use crate::tidy::tree::TextFile;
use serde::Deserialize;

/// A list of what the source texts leave to be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    /// What the texts tried, beside what comes out here.
    Experiments,
    /// What the texts leave open, and what was done about it.
    Problems,
}

impl List {
    /// Where it is written down.
    pub(crate) fn file(self) -> &'static str {
        match self {
            Self::Experiments => "docs/experiments.toml",
            Self::Problems => "docs/open-problems.toml",
        }
    }

    /// What the entries begin with in the list of sources.
    pub(crate) fn letter(self) -> &'static str {
        match self {
            Self::Experiments => "O-",
            Self::Problems => "P-",
        }
    }

    /// The verdicts that an entry may have.
    pub(crate) fn has(self, verdict: Verdict) -> bool {
        match verdict {
            Verdict::Agrees | Verdict::Differs | Verdict::Cannot => self == Self::Experiments,
            Verdict::Solved | Verdict::Partly => self == Self::Problems,
            Verdict::Open => true,
        }
    }
}

/// One experiment of a source text beside ours, or one of its open problems beside what was done.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Experiment {
    /// Its entry in the list of sources, where title and place in the text stand.
    pub(crate) id: String,
    /// What the source reports, with its number where it prints one, or what it asks for.
    pub(crate) says: String,
    pub(crate) verdict: Verdict,
    /// What the verdict rests on: demanded where it is neither `agrees` nor `solved`.
    #[serde(default)]
    pub(crate) because: String,
    /// What comes out here, where a test asserts it instead of a run that can be measured.
    #[serde(default)]
    pub(crate) ours: String,
    /// How to see it again.
    #[serde(default)]
    pub(crate) run: String,
    /// What fails where it no longer comes out: a test as `FILE.rs::FUNCTION`, or a scene as `scenes/NAME.toml`, some of whose
    /// expectations name the experiment.
    #[serde(default)]
    pub(crate) guards: Vec<String>,
    /// What shows that the guard can fail: a run without the module that the experiment credits.
    pub(crate) control: Option<Control>,
    /// What is measured anew each time.
    #[serde(default, rename = "figure")]
    pub(crate) figures: Vec<Figure>,
    /// A picture of the kind that the source shows.
    pub(crate) curve: Option<Curve>,
}

/// How an experiment came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    /// As the source says.
    Agrees,
    /// Otherwise; what was tried is said.
    Differs,
    /// The source gives too little, or what it needs is not here and will not be.
    Cannot,
    /// What the source asks for is here.
    Solved,
    /// Some of it is; what remains is said.
    Partly,
    /// Not done, or not all of it.
    Open,
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Agrees => "agrees",
            Self::Differs => "differs",
            Self::Cannot => "cannot",
            Self::Solved => "solved",
            Self::Partly => "in part",
            Self::Open => "open",
        })
    }
}

impl Verdict {
    /// What several experiments do.
    pub(crate) fn of_several(self) -> &'static str {
        match self {
            Self::Agrees => "agree",
            Self::Differs => "differ",
            Self::Cannot => "cannot be done",
            Self::Solved => "are solved",
            Self::Partly => "are solved in part",
            Self::Open => "are open",
        }
    }
}

/// A negative control.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Control {
    /// A test, or a scene with an expectation that is marked as the experiment's control.
    pub(crate) guard: String,
    /// What is taken away, and what then happens.
    pub(crate) fails: String,
}

/// A run of a bundled scene.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Run {
    pub(crate) scene: String,
    pub(crate) paradigm: Option<String>,
    #[serde(default)]
    pub(crate) set: Vec<String>,
    /// In seconds.
    pub(crate) duration: Option<f64>,
}

/// A number of a run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Figure {
    /// What it is, with its unit.
    pub(crate) what: String,
    pub(crate) run: Run,
    /// A figure of the run by the path of its keys, or a quantity of bodies.
    #[serde(rename = "figure")]
    pub(crate) path: Option<String>,
    pub(crate) body: Option<String>,
    pub(crate) quantity: Option<String>,
    /// Which of the values of several bodies counts.
    #[serde(default)]
    pub(crate) take: Take,
    /// Whether the run is too long to be repeated by each check of the figures.
    #[serde(default)]
    pub(crate) long: bool,
}

/// What is made of the values of several bodies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Take {
    #[default]
    Largest,
    Least,
    Mean,
    /// How many are not zero.
    Count,
}

/// A picture.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Curve {
    pub(crate) title: String,
    pub(crate) kind: Kind,
    /// The runs, each with what it is called in the picture.
    #[serde(default)]
    pub(crate) series: Vec<Series>,
}

/// What is drawn of a run.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum Kind {
    /// Height of bodies against their horizontal displacement: one line per series.
    Profile { body: String },
    /// Bodies from the side at the end, those asleep filled: one panel per series; `half` is half their extent.
    Side { body: String, half: [f64; 2] },
    /// A measure against a setting that is varied, on logarithmic axes.
    Sweep { setting: String, values: Vec<f64>, figure: String, label: String },
    /// A measure against time: runs of rising duration.
    Time { values: Vec<f64>, body: String, quantity: String, label: String },
}

/// One run in a picture.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) run: Run,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(alias = "problem")]
    experiment: Vec<Experiment>,
}

/// The entries of a list among the files of the repository, in its order, each with its title and its place in the source.
pub(crate) fn read(list: List, files: &[TextFile]) -> Result<Vec<(Experiment, references::Reference)>, String> {
    let name = list.file();
    let file = files.iter().find(|f| f.path == name).ok_or(format!("{name} is missing"))?;
    let mut entries = references::read(files)?;
    let rows = toml::from_str::<File>(&file.text).map_err(|e| format!("{name}: {e}"))?.experiment;
    rows.into_iter()
        .map(|experiment| {
            let at = entries.iter().position(|e| e.id == experiment.id);
            let at =
                at.ok_or(format!("{name}: {} is no entry of the sources, or stands there twice", experiment.id))?;
            Ok((experiment, entries.remove(at)))
        })
        .collect()
}

impl Run {
    /// What the command line is told after the scene's name.
    pub(crate) fn options(&self) -> Vec<String> {
        let mut options = Vec::new();
        if let Some(paradigm) = &self.paradigm {
            options.extend(["--paradigm".to_owned(), paradigm.clone()]);
        }
        for set in &self.set {
            options.extend(["--set".to_owned(), set.clone()]);
        }
        if let Some(duration) = self.duration {
            options.extend(["--duration".to_owned(), duration.to_string()]);
        }
        options
    }
}
