//! The `load` function: configuration in, handler run.

mod config;

use edge::Operation;

fn main() -> Result<(), lambda::Error> {
    lambda::run(
        Operation::Load,
        config::from_environment(),
        async |deps, invocation, payload| load::handle(deps, invocation, payload).await,
    )
}
