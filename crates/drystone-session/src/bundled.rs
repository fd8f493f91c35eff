use drystone_scene::Document;
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

impl Bundled {
    /// Description in the scene. Only its first table is read: thousands of bodies may follow.
    pub fn description(&self) -> String {
        let own_line = || self.text.find("\n[scene]").map(|at| at + 1);
        let start = if self.text.starts_with("[scene]") { Some(0) } else { own_line() };
        let table = start.map_or("", |start| &self.text[start..]);
        let table = table.find("\n[").map_or(table, |end| &table[..end]);
        let document = Document::from_toml_str(table).ok();
        document.and_then(|d| d.text(&["scene", "description"]).map(str::to_owned)).unwrap_or_default()
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever follows the first table is not looked at, however long it is.
    #[test]
    fn a_description_takes_the_first_table_alone() {
        let scene = |text| Bundled { name: "a", text, expectations: None };
        let text = "# a [scene]\n\n[scene]\nname = \"a\"\ndescription = \"boxes [25] in a column\"\n\n[[bodies]]\nno TOML at all";
        assert_eq!(scene(text).description(), "boxes [25] in a column");
        assert_eq!(scene("[scene]\nname = \"a\"\n").description(), "");
        assert_eq!(scene("").description(), "");
    }
}
