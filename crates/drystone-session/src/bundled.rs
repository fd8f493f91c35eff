use include_dir::{Dir, include_dir};

static SCENES: Dir<'_> = include_dir!("$DRYSTONE_SCENES");

/// A scene that comes with the binary.
#[derive(Debug, Clone, Copy)]
pub struct Bundled {
    /// Its name: the file's, without the extension.
    pub name: &'static str,
    /// Its text (TOML).
    pub text: &'static str,
    /// The results that must come out of it, if they are written down (TOML).
    pub expectations: Option<&'static str>,
}

/// All scenes that come with the binary, by name.
pub fn bundled_scenes() -> Vec<Bundled> {
    let scene = |file: &'static include_dir::File<'static>| {
        let name = file.path().file_name()?.to_str()?.strip_suffix(".toml")?;
        if name.contains('.') {
            return None;
        }
        let expectations = SCENES.get_file(format!("{name}.expect.toml")).and_then(|f| f.contents_utf8());
        Some(Bundled { name, text: file.contents_utf8()?, expectations })
    };
    let mut all: Vec<Bundled> = SCENES.files().filter_map(scene).collect();
    all.sort_by_key(|s| s.name);
    all
}
