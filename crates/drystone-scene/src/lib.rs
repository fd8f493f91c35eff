//! The scene format, its errors, and the recorded figures
