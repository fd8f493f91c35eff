//! Configuration, state and the seam traits of the drystone rigid-body engine
