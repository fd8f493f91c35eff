//! Time controls: fixed, semi-implicit and shock propagation over the Kernel port
