//! The `store` function: configuration in, handler run.

mod config;

use edge::Operation;

fn main() -> Result<(), lambda::Error> {
    lambda::run(
        Operation::Store,
        config::from_environment(),
        async |deps, invocation, payload| store::handle(deps, invocation, payload).await,
    )
}
