# Every command of the project. `just` alone lists them; CI runs `just ci`.

# List the recipes.
default:
    @just --list --unsorted

# All that must hold before a change lands, except the checks that need Python.
check: fmt clippy test docs

# What CI runs.
ci: check interop

# Formatting.
fmt:
    cargo fmt --all --check

# Lints, warnings denied.
clippy:
    cargo clippy --workspace --all-targets --locked -- -D warnings

# The test command of the README.
test:
    cargo test --workspace

# API documentation, warnings denied.
docs:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

# Real clients (boto3, bedrock-agentcore, Strands) against the emulator and the codec.
interop:
    tests/interop/run

# Benchmarks; figures and how to read them are in docs/benchmarks.md.
bench:
    cargo bench -p codec
    cargo bench -p emulator

# A long simulation of the protocol, e.g. `just simulate 1000000 --seed 7`.
simulate steps="1000000" *args:
    cargo run --release -p simulation -- --steps {{ steps }} {{ args }}

# AgentCore Memory on loopback, e.g. `just emulator --port 9001`.
emulator *args:
    cargo run -p emulator -- {{ args }}
