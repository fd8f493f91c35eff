//! Contract suites that every implementation of a drystone seam must pass
