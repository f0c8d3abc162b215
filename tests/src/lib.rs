//! What is proved across crates: end to end, simulation, interop, benchmarks.
