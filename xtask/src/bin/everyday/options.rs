use std::path::PathBuf;

pub(crate) const USAGE: &str = "everyday N --seed S [--paradigm P,…] [--rate 60,30,144,jitter] [--kind K,…] [--rapier] [--jobs J] [--patience S] [--times] [--write DIR]

N members of each kind are run and judged; member i of a kind has the seed S + i.
  --paradigm P,…  presets; real-time if left out
  --rate R,…      steps a second, or `jitter` for steps that change between 8 and 25 ms; 60 if left out
  --kind K,…      only these kinds
  --rapier        the same scenes in rapier, beside the presets
  --jobs J        threads; 1 if left out
  --patience S    seconds of wall time that a member may take; 120 if left out
  --times         adds a table of the slowest step of each kind, slowest first, and the mean time of a member
  --write DIR     writes the members as scene files for the command line, and runs none";

/// What the command was asked for.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) count: u64,
    pub(crate) seed: u64,
    pub(crate) paradigms: Vec<String>,
    pub(crate) rates: Vec<Rate>,
    pub(crate) kinds: Option<Vec<String>>,
    pub(crate) rapier: bool,
    pub(crate) jobs: usize,
    /// Seconds of wall time for a member.
    pub(crate) patience: f64,
    pub(crate) times: bool,
    pub(crate) write: Option<PathBuf>,
}

/// How long steps are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Rate {
    /// So many a second.
    Steady(f64),
    /// Uniform between 8 and 25 ms.
    Jitter,
}

impl Rate {
    fn read(text: &str) -> Result<Self, String> {
        match text {
            "jitter" => Ok(Self::Jitter),
            text => match text.parse() {
                Ok(rate) if rate > 0.0 && f64::is_finite(rate) => Ok(Self::Steady(rate)),
                _ => Err(format!("--rate: {text} is neither a number of steps a second nor `jitter`")),
            },
        }
    }

    pub(crate) fn name(self) -> String {
        match self {
            Self::Steady(rate) => format!("{rate} Hz"),
            Self::Jitter => "jitter".to_owned(),
        }
    }
}

impl Options {
    pub(crate) fn read(arguments: &[String]) -> Result<Self, String> {
        let mut options = Self {
            count: 1,
            seed: 1,
            paradigms: vec!["real-time".to_owned()],
            rates: vec![Rate::Steady(60.0)],
            kinds: None,
            rapier: false,
            jobs: 1,
            patience: 120.0,
            times: false,
            write: None,
        };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--rapier" => options.rapier = true,
                "--times" => options.times = true,
                flag if flag.starts_with("--") => {
                    let value = arguments.next().ok_or(format!("{flag}: no value given"))?;
                    options.set(flag, value)?;
                }
                count => options.count = number(count, "N")?,
            }
        }
        Ok(options)
    }

    fn set(&mut self, flag: &str, value: &str) -> Result<(), String> {
        let names = || value.split(',').map(str::to_owned).collect::<Vec<_>>();
        match flag {
            "--seed" => self.seed = number(value, flag)?,
            "--paradigm" => self.paradigms = names(),
            "--rate" => self.rates = value.split(',').map(Rate::read).collect::<Result<_, _>>()?,
            "--kind" => self.kinds = Some(names()),
            "--jobs" => self.jobs = number::<usize>(value, flag)?.max(1),
            "--patience" => self.patience = number(value, flag)?,
            "--write" => self.write = Some(PathBuf::from(value)),
            _ => return Err(format!("no option {flag}\n{USAGE}")),
        }
        Ok(())
    }
}

fn number<T: std::str::FromStr>(text: &str, what: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{what}: {text} is no number"))
}
