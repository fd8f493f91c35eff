use crate::experiments::runner::Figures;
use crate::fidelity::scene::Frame;

/// What a run left: its frames and its figures.
pub(crate) struct Run {
    pub(crate) frames: Vec<Frame>,
    pub(crate) figures: Figures,
}
