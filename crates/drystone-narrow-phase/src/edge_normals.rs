use drystone_core::choice;

choice! {
    /// The normal of a sample where two faces of a map meet.
    pub enum EdgeNormals {
        /// One that both surfaces have there, the one of least depth.
        Common = "common",
        /// The map's gradient, whatever the surface of the sample is like; where edges cross without a sample there is no contact.
        Gradient = "gradient",
    }
}
