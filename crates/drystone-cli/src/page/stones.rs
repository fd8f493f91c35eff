/// Colours of materials (linear), those of the pages: the first is that of the first material.
pub(crate) const STONES: [[f32; 3]; 8] = [
    [0.485, 0.254, 0.112],
    [0.115, 0.275, 0.456],
    [0.205, 0.366, 0.115],
    [0.376, 0.198, 0.434],
    [0.584, 0.361, 0.068],
    [0.527, 0.144, 0.102],
    [0.144, 0.386, 0.352],
    [0.266, 0.235, 0.191],
];
/// The colour of what never moves.
pub(crate) const FIXED: [f32; 3] = [0.371, 0.397, 0.429];
