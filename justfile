# Every command of the project. `just` alone lists them; CI runs `just ci`.

# List the recipes.
default:
    @just --list --unsorted

# All that must hold before a change lands, except the checks that need Python.
check: fmt clippy test docs

# What CI runs: everything above, `infra`, `interop`, `workflows` and `first-minute`, side by side where a core would idle.
ci: _while-compiling check _with-clients first-minute

# Needs no program of ours, so it runs beside the compiler. `check` does not lint again: a recipe runs once.
[parallel]
_while-compiling: _compiled _installed

_compiled: fmt clippy docs

_installed: infra
    tests/interop/install
    tests/workflows/install

# Both mostly wait for one program at a time; `test` has built what they run.
[parallel]
_with-clients: interop workflows

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

# The workflows of infra/workflows on ministack, with the project's own functions.
workflows *args:
    tests/workflows/run {{ args }}

# The emulator beside moto_server, same client; fails below a ratio of 20.
load:
    tests/interop/load

# Benchmarks; figures and how to read them are in docs/benchmarks.md.
bench:
    cargo bench -p codec
    cargo bench -p emulator
    just bench-window

# Window, repair and JSON of 10 000 messages; fails above 5 ms, or above 12 times the cost of 1 000.
bench-window *args:
    cargo bench -p window --bench windows --profile deploy -- {{ args }}

# A long simulation of the protocol, e.g. `just simulate 1000000 --seed 7`.
simulate steps="1000000" *args:
    cargo run --release -p simulation -- --steps {{ steps }} {{ args }}

# AgentCore Memory on loopback, e.g. `just emulator --port 9001`.
emulator *args:
    cargo run -p emulator -- {{ args }}

# What a newcomer does: clone, `cargo run`, paste the two commands it prints.
first-minute:
    tests/fresh-clone

# The local run under load for some minutes, on a machine that does nothing else.
load-local:
    cargo bench -p tests --bench local

# Start-up, memory and warm calls of the functions as deployed, on a machine that does nothing else.
bench-functions:
    cargo bench -p tests --bench functions

# The deployable binaries, zipped as Lambda takes them: target/lambda/<function>/bootstrap.zip.
build-functions *args: _cargo-lambda
    PATH="$PWD/.venv/bin:$PATH" cargo-lambda lambda build --profile deploy --output-format zip -p load -p store -p summarize {{ args }}

# The functions under a stand-in for Lambda, reloaded on change, against the stores of a local run. Then e.g.
# `.venv/bin/cargo-lambda lambda invoke --invoke-port 9010 load --data-file events/load-direct.json`.
watch *args: _cargo-lambda
    PATH="$PWD/.venv/bin:$PATH" cargo-lambda lambda watch --invoke-address 127.0.0.1 --invoke-port 9010 --env-file infra/local.env {{ args }}

_cargo-lambda:
    test -x .venv/bin/cargo-lambda || (python3 -m venv .venv && .venv/bin/pip install --quiet cargo-lambda==1.9.2)

# The infrastructure, without AWS: linters, cdk-nag, SAM compared with CDK; arguments go to pytest.
[positional-arguments]
infra *args:
    tests/infra/run "$@"

# Deploys with SAM what `just build-functions --arm64` built, e.g. `just deploy-sam --parameter-overrides RetentionDays=30`.
[positional-arguments]
deploy-sam *args: _infra-tools
    infra/tools/check-architecture "$@"
    cd infra/sam && ../../target/infra-venv/bin/sam deploy "$@"

# Builds and deploys with the CDK, e.g. `just deploy-cdk -c RetentionDays=30`.
[positional-arguments]
deploy-cdk *args: _cargo-lambda _infra-tools
    cd infra/cdk && PATH="$PWD/../../.venv/bin:$PATH" npx --no-install cdk deploy "$@"

_infra-tools:
    infra/tools/install
