//! The `summarize` function: configuration in, handler run.

mod config;

use edge::Operation;
use summarize::Models;

fn main() -> Result<(), lambda::Error> {
    lambda::run_with(
        Operation::Summarize,
        config::from_environment(),
        Models::new,
        async |deps, invocation, payload| summarize::handle(deps, invocation, payload).await,
    )
}
