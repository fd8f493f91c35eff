use super::node::quote;
use super::{Document, Entry, Node, Origin, Value, toml_text};
use crate::fault::{FaultKind, Location, SceneFault, SceneFaults};
use crate::model::SIMULATION;
use drystone_core::ModuleKind;

/// One step of a path: a key, a name, or a place in a list.
#[derive(Debug, PartialEq)]
enum Step {
    Key(String),
    Index(usize),
}

impl Document {
    /// Sets one value, as `--set PATH=VALUE` does: `simulation.lcp.iterations`, `materials.default.friction`,
    /// `bodies[1].mass`, or `bodies.box.mass` with the entry's name. Tables that are not there are made.
    ///
    /// The value is read as TOML where it is TOML (`10`, `true`, `[0, 1, 0]`), else taken as text. A module's table may be given its name
    /// alone: `simulation.sleep_policy=never` is `simulation.sleep_policy.kind=never`, and other settings stay.
    ///
    /// # Errors
    /// If the path is malformed or leads nowhere. Unknown keys are found with the rest of the scene.
    pub fn set(&mut self, path: &str, value: &str) -> Result<(), SceneFaults> {
        self.set_by("--set", path, value)
    }

    /// The same for an option of another name: faults of the value name it.
    ///
    /// # Errors
    /// As [`Self::set`].
    pub fn set_by(&mut self, option: &'static str, path: &str, value: &str) -> Result<(), SceneFaults> {
        let fault = |kind| {
            SceneFaults::from(SceneFault {
                location: Location { path: path.to_owned(), option: Some(option), ..Location::default() },
                kind,
            })
        };
        let origin = Origin::Set(option);
        let mut steps = parse_path(path).ok_or_else(|| {
            fault(FaultKind::Value {
                found: quote(path),
                allowed: "a path of keys with dots between, like simulation.lcp.iterations or bodies[1].mass"
                    .to_owned(),
            })
        })?;
        let node = Node { value: parse_value(value, origin), origin };
        if let [Step::Key(section), Step::Key(table), ..] = steps.as_slice()
            && section == SIMULATION.name
            && let Some(module) = ModuleKind::from_table(table)
        {
            let key = module.name_key();
            spell_out(&mut self.root, table, key);
            if steps.len() == 2 && matches!(node.value, Value::Text(_)) {
                steps.push(Step::Key(key.to_owned()));
            }
        }
        place(&mut self.root, &steps, node).map_err(fault)
    }
}

fn parse_path(path: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    for part in path.split('.') {
        // a name may hold brackets itself, as in box[3]: only a first bracket after a list's key is an index
        let (key, mut rest) = part.find('[').map_or((part, ""), |i| part.split_at(i));
        if key.is_empty() {
            return None;
        }
        steps.push(key.parse().map_or_else(|_| Step::Key(key.to_owned()), Step::Index));
        while let Some(inner) = rest.strip_prefix('[') {
            let (digits, after) = inner.split_once(']')?;
            steps.push(Step::Index(digits.trim().parse().ok()?));
            rest = after;
        }
        if !rest.is_empty() {
            return None;
        }
    }
    Some(steps)
}

fn parse_value(text: &str, origin: Origin) -> Value {
    if let Ok(Node { value: Value::Table(mut entries), .. }) = toml_text::parse(&format!("value = {text}"), None)
        && entries.len() == 1
        && let Some(entry) = entries.pop()
        && !matches!(entry.node.value, Value::Date(_))
    {
        let mut node = entry.node;
        mark(&mut node, origin);
        return node.value;
    }
    Value::Text(text.to_owned())
}

/// Makes a module's bare name the table that it stands for, so that settings can be put beside it.
fn spell_out(root: &mut Node, table: &str, key: &str) {
    let Some(node) = root.get_mut(SIMULATION.name).and_then(|s| s.get_mut(table)) else { return };
    if matches!(node.value, Value::Text(_)) {
        let origin = node.origin;
        let name = core::mem::replace(node, Node { value: Value::Table(Vec::new()), origin });
        node.value = Value::Table(vec![Entry { key: key.to_owned(), origin, node: name }]);
    }
}

/// Marks a value and all within as set from outside.
fn mark(node: &mut Node, origin: Origin) {
    node.origin = origin;
    match &mut node.value {
        Value::List(items) => items.iter_mut().for_each(|item| mark(item, origin)),
        Value::Table(entries) => entries.iter_mut().for_each(|e| {
            e.origin = origin;
            mark(&mut e.node, origin);
        }),
        _ => {}
    }
}

fn place(root: &mut Node, steps: &[Step], value: Node) -> Result<(), FaultKind> {
    let mut at = root;
    for step in steps {
        at = descend(at, step, value.origin)?;
    }
    *at = value;
    Ok(())
}

fn descend<'a>(at: &'a mut Node, step: &Step, origin: Origin) -> Result<&'a mut Node, FaultKind> {
    let found = at.describe();
    match (&mut at.value, step) {
        (Value::Table(entries), step) => {
            let key = match step {
                Step::Key(k) => k.clone(),
                Step::Index(i) => i.to_string(),
            };
            let i = entries.iter().position(|e| e.key == key).unwrap_or_else(|| {
                let node = Node { value: Value::Table(Vec::new()), origin };
                entries.push(Entry { key, origin, node });
                entries.len() - 1
            });
            Ok(&mut entries[i].node)
        }
        (Value::List(items), Step::Index(i)) => {
            let n = items.len();
            let allowed = if n == 0 { "no index, the list is empty".to_owned() } else { format!("0 to {}", n - 1) };
            items.get_mut(*i).ok_or_else(|| FaultKind::Value { found: format!("index {i}"), allowed })
        }
        (Value::List(items), Step::Key(name)) => {
            let names: Vec<String> = items.iter().filter_map(|n| label(n).map(str::to_owned)).collect();
            items.iter_mut().find(|n| label(n) == Some(name)).ok_or_else(|| FaultKind::Reference {
                what: "entry of the list",
                found: quote(name),
                allowed: crate::model::some_of(name, &names),
            })
        }
        (_, _) => Err(FaultKind::Value { found, allowed: "a table or a list to go into".to_owned() }),
    }
}

/// The name of an entry of a list: its `name`, or the `body` of a script.
fn label(node: &Node) -> Option<&str> {
    match &node.get("name").or_else(|| node.get("body"))?.value {
        Value::Text(t) => Some(t),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[[bodies]]\nname = 'a'\n[[bodies]]\nname = 'b'\nmass = 1\n";

    #[test]
    fn by_key_by_name_and_by_index() {
        let mut d = Document::from_toml_str(TEXT).unwrap();
        d.set("simulation.lcp.iterations", "10").unwrap();
        d.set("bodies.b.mass", "2.5").unwrap();
        d.set("bodies[0].position", "[0, 1, 2]").unwrap();
        d.set("simulation.paradigm", "velocity-lcp").unwrap();
        let lcp = d.root.get("simulation").and_then(|s| s.get("lcp")).unwrap();
        assert_eq!(lcp.get("iterations").unwrap().value, Value::Integer(10));
        let Value::List(bodies) = &d.root.get("bodies").unwrap().value else { panic!() };
        assert_eq!(bodies[1].get("mass").unwrap().value, Value::Real(2.5));
        assert!(matches!(&bodies[0].get("position").unwrap().value, Value::List(v) if v.len() == 3));
    }

    #[test]
    fn a_modules_bare_name_is_its_table_with_the_name() {
        let table = |text: &str, sets: &[(&str, &str)]| {
            let mut d = Document::from_toml_str(text).unwrap();
            for (path, value) in sets {
                d.set(path, value).unwrap();
            }
            let Value::Table(entries) = &d.root.get("simulation").and_then(|s| s.get("lcp")).unwrap().value else {
                panic!()
            };
            entries.iter().map(|e| (e.key.clone(), e.node.value.clone())).collect::<Vec<_>>()
        };
        let written = "[simulation.lcp]\nsolver = 'mprgp'\niterations = 7\n";
        let short = table(written, &[("simulation.lcp", "dantzig")]);
        assert_eq!(short, table(written, &[("simulation.lcp.solver", "dantzig")]));
        assert_eq!(short.len(), 2);
        let bare = "[simulation]\nlcp = 'mprgp'\n";
        let set = [("simulation.lcp.iterations", "7")];
        assert_eq!(table(bare, &set), table(written, &[]));
        // the section's own keys stay values
        let mut d = Document::from_toml_str("").unwrap();
        d.set("simulation.paradigm", "ode").unwrap();
        assert_eq!(d.text(&["simulation", "paradigm"]), Some("ode"));
    }

    #[test]
    fn a_wrong_path_is_answered() {
        let mut d = Document::from_toml_str(TEXT).unwrap();
        for path in
            ["", ".", "a..b", "bodies[x].mass", "bodies[9].mass", "bodies.nobody.mass", "bodies.b.name.x", "a[0]b"]
        {
            assert!(d.set(path, "1").is_err(), "{path}");
        }
        assert!(d.set("bodies.nobody.mass", "1").unwrap_err().to_string().contains("nobody"));
    }

    #[test]
    fn a_value_cannot_smuggle_in_keys() {
        let mut d = Document::from_toml_str(TEXT).unwrap();
        d.set("scene.name", "1\nother = 2").unwrap();
        assert!(matches!(d.root.get("scene").and_then(|s| s.get("name")).unwrap().value, Value::Text(_)));
        assert!(d.root.get("other").is_none());
    }
}
