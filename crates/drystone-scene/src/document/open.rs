use super::{Entry, Node, Value, json, toml_text};
use crate::fault::{FaultKind, Location, SceneFault, SceneFaults};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Largest scene file (bytes).
const LARGEST: u64 = 256 << 20;

/// A scene's text, parsed but not yet checked against the format: what `--set` acts on.
#[derive(Debug, Clone)]
pub struct Document {
    pub(crate) root: Node,
    pub(crate) file: Option<Arc<str>>,
    /// The folder that file names in the scene are relative to.
    pub(crate) folder: PathBuf,
}

impl Document {
    /// Reads a file: JSON where its name ends so or its text starts with a brace, else TOML.
    ///
    /// # Errors
    /// If the file cannot be read, is not UTF-8, or is neither TOML nor JSON.
    pub fn from_path(path: impl AsRef<Path>) -> Result<Self, SceneFaults> {
        let path = path.as_ref();
        let file: Arc<str> = path.display().to_string().into();
        let text = read_text(path, &file)?;
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
        let is_json = match extension.as_str() {
            "json" => true,
            "toml" => false,
            _ => text.trim_start().starts_with('{'),
        };
        let parse = if is_json { json::parse } else { toml_text::parse };
        let root = parse(without_mark(&text), Some(&file))?;
        Ok(Self { root, file: Some(file), folder })
    }

    /// The text at a path of keys, where there is one.
    pub fn text(&self, keys: &[&str]) -> Option<&str> {
        match &keys.iter().try_fold(&self.root, |node, key| node.get(key))?.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The same with another document as its table `scene`. Faults in that table would be told with this document's name: check it first.
    #[must_use]
    pub fn with_scene(mut self, scene: Self) -> Self {
        if let Value::Table(entries) = &mut self.root.value {
            entries.retain(|e| e.key != "scene");
            entries.push(Entry { key: "scene".to_owned(), origin: scene.root.origin, node: scene.root });
        }
        self.folder = scene.folder;
        self
    }

    /// The scene as JSON text, as it was written: nothing is filled in. [`Self::from_json_str`] reads it back; numbers that JSON has no word
    /// for are `NaN`, `Infinity` and `-Infinity`, a date is a text.
    pub fn to_json_string(&self) -> String {
        let mut text = String::new();
        json::write(&self.root, &mut text);
        text
    }

    /// The scene as TOML text, as it was written: nothing is filled in. [`Self::from_toml_str`] reads it back; null, which TOML has no word for, is left out.
    pub fn to_toml_string(&self) -> String {
        toml_text::write(&self.root)
    }

    /// Reads TOML text; files it names are relative to the working folder.
    ///
    /// # Errors
    /// If the text is not TOML.
    pub fn from_toml_str(text: &str) -> Result<Self, SceneFaults> {
        let root = toml_text::parse(without_mark(text), None)?;
        Ok(Self { root, file: None, folder: PathBuf::new() })
    }

    /// Reads JSON text; files it names are relative to the working folder.
    ///
    /// # Errors
    /// If the text is not JSON.
    pub fn from_json_str(text: &str) -> Result<Self, SceneFaults> {
        let root = json::parse(without_mark(text), None)?;
        Ok(Self { root, file: None, folder: PathBuf::new() })
    }
}

fn read_text(path: &Path, name: &Arc<str>) -> Result<String, SceneFaults> {
    let fault = |what: String| {
        SceneFaults::from(SceneFault {
            location: Location { file: Some(name.clone()), ..Location::default() },
            kind: FaultKind::File(what),
        })
    };
    let meta = std::fs::metadata(path).map_err(|e| fault(e.to_string()))?;
    if meta.is_dir() {
        return Err(fault("it is a folder".to_owned()));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|e| fault(e.to_string()))?;
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|e| fault(e.to_string()))?;
    if bytes.len() as u64 > LARGEST {
        return Err(fault(format!("it is larger than {LARGEST} bytes")));
    }
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        let line = e.as_bytes()[..at].split(|b| *b == b'\n').count();
        fault(format!("it is not UTF-8 (line {line}, byte {at})"))
    })
}

/// The text without a byte order mark.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}
