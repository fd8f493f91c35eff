use super::RunArguments;
use crate::output::Output;
use crate::picture::{self, Bounds};
use crate::plot::Plot;
use crate::replay::{Recording, to_gltf};
use crate::{Failure, Loaded};
use drystone::World;
use drystone_scene::figures::{ContactLine, FrameLine};
use drystone_session::SaveWorld;
use std::path::PathBuf;

/// The files that a run is asked for, with what is gathered for them on the way.
#[derive(Default)]
pub(super) struct Wanted {
    lines: Option<Output>,
    /// True if the lines have the contacts.
    contacts: bool,
    plot: Option<(Output, Plot)>,
    gltf: Option<(Output, Recording)>,
    png: Option<(Output, Bounds)>,
    save: Option<Output>,
    save_world: Option<Output>,
}

impl Wanted {
    /// Makes sure that all of them can be written; `loaded` is at the start of the run.
    pub(super) fn open(a: &RunArguments, loaded: &Loaded) -> Result<Self, Failure> {
        let open = |path: &Option<PathBuf>| path.as_deref().map(Output::open).transpose();
        Ok(Self {
            lines: open(&a.frames)?,
            contacts: a.contacts,
            plot: open(&a.plot)?.map(|file| (file, Plot::default())),
            gltf: open(&a.gltf)?.map(|file| (file, Recording::new(loaded))),
            png: open(&a.png)?.map(|file| (file, Bounds::of(&loaded.world))),
            save: open(&a.save)?,
            save_world: open(&a.save_world)?,
        })
    }

    /// Returns true if recorded frames are needed.
    pub(super) fn takes_frames(&self) -> bool {
        self.lines.is_some() || self.gltf.is_some() || self.plot.is_some()
    }

    /// Takes in a recorded frame.
    pub(super) fn record(&mut self, frame: &FrameLine, world: &World) -> Result<(), Failure> {
        if let Some((_, plot)) = &mut self.plot {
            plot.push(frame);
        }
        if let Some((_, recording)) = &mut self.gltf {
            recording.push(frame, world);
        }
        let Some(lines) = &mut self.lines else { return Ok(()) };
        let with_contacts = self.contacts.then(|| FrameLine {
            contact_impulses: Some(ContactLine::of_state(world.configuration(), world.state(), world.graph())),
            ..frame.clone()
        });
        let text = serde_json::to_string(with_contacts.as_ref().unwrap_or(frame))
            .map_err(|e| Failure::Simulation(e.to_string()))?;
        let written = lines.write(text + "\n");
        if written.is_err() {
            // what is cut off takes nobody's place
            self.lines = None;
        }
        written
    }

    /// Writes what shows the run, of a failed one as far as it came.
    ///
    /// # Errors
    /// The first failure to write; the other files are written all the same.
    pub(super) fn finish_motion(&mut self, title: &str) -> Result<(), Failure> {
        let lines = self.lines.take().map_or(Ok(()), Output::finish);
        let gltf = self.gltf.take().map_or(Ok(()), |(file, recording)| put(file, to_gltf(&recording).to_string()));
        let plot = self.plot.take().map_or(Ok(()), |(file, plot)| put(file, plot.to_svg(title)));
        lines.and(gltf).and(plot)
    }

    /// Writes what shows the state at the end.
    ///
    /// # Errors
    /// The first failure to write; the other files are written all the same.
    pub(super) fn finish_state(&mut self, loaded: &Loaded) -> Result<(), Failure> {
        let world = &loaded.world;
        let save = self.save.take().map_or(Ok(()), |file| {
            let snapshot = world.snapshot();
            let is_json = file.path().extension().is_some_and(|e| e == "json");
            put(file, if is_json { snapshot.to_json().into() } else { snapshot.to_bytes() })
        });
        let save_world = self.save_world.take().map_or(Ok(()), |file| {
            let text = loaded
                .scene_text(file.path())
                .map_err(|e| Failure::Input(format!("{}: {e}", file.path().display())))?;
            put(file, text)
        });
        let png = self.png.take().map_or(Ok(()), |(file, first)| {
            let pixels = picture::painted(world, first, picture::SIZE)?;
            put(file, picture::to_png(&pixels, picture::SIZE))
        });
        save.and(save_world).and(png)
    }
}

fn put(mut file: Output, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    file.write(bytes)?;
    file.finish()
}
