//! The loop of a function.

use std::cell::Cell;

use aws::SdkConfig;
use conversation::ports::Clock;
use edge::{Config, ConfigError, Fact, Fault, Invocation, Level, Log, Operation};
use lambda_runtime::tower::util::MapRequestLayer;
use lambda_runtime::{
    Context, Diagnostic, Error, LambdaEvent, LambdaInvocation, Runtime, service_fn,
};
use serde_json::value::RawValue;
use system::SystemClock;

use crate::connect::{AwsDeps, connect_with};
use crate::warm::{Warm, warm};

/// Runs a handler until Lambda ends the process: each payload goes to `handle`, and its answer, or its fault
/// under a name workflows can match, back to Lambda.
///
/// # Errors
/// The configuration is not valid, or the runtime's API is not there.
pub fn run(
    operation: Operation,
    config: Result<Config, ConfigError>,
    handle: impl AsyncFn(&AwsDeps, &Invocation, &str) -> Result<String, Fault>,
) -> Result<(), Error> {
    run_with(operation, config, |_, _| (), handle)
}

/// As [`run`], for a handler that asks models.
///
/// # Errors
/// The configuration is not valid, or the runtime's API is not there.
pub fn run_with<M: Warm>(
    operation: Operation,
    config: Result<Config, ConfigError>,
    models: impl FnOnce(&Config, &SdkConfig) -> M,
    handle: impl AsyncFn(&AwsDeps<M>, &Invocation, &str) -> Result<String, Fault>,
) -> Result<(), Error> {
    let config = config.inspect_err(say)?;
    // One call at a time is all a function ever has, so one thread is enough, and the quickest to start.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let deps = connect_with(operation, &config, models);
    // Not in a task: what a runtime blocks on comes after all tasks that are ready, and so finds the connection of its last
    // call back in the pool.
    runtime.block_on(serve(operation, deps, handle))
}

async fn serve<M: Warm>(
    operation: Operation,
    deps: AwsDeps<M>,
    handle: impl AsyncFn(&AwsDeps<M>, &Invocation, &str) -> Result<String, Fault>,
) -> Result<(), Error> {
    warm(operation, &deps).await;
    let (deps, handle) = (&deps, &handle);
    let cold_start = &Cell::new(true);
    let payload = &Cell::default();
    // The runtime would parse the payload and copy it, before the edge does what it has to do with it anyway.
    let past_the_parser = MapRequestLayer::new(|mut invocation: LambdaInvocation| {
        payload.set(std::mem::replace(&mut invocation.body, "null".into()));
        invocation
    });
    let service = service_fn(async move |event: LambdaEvent<()>| {
        let invocation = invocation(&event.context, cold_start.replace(false));
        let payload = payload.take();
        let payload = str::from_utf8(&payload).map_err(|_| unreadable())?;
        let answer = handle(deps, &invocation, payload)
            .await
            .map_err(diagnostic)?;
        RawValue::from_string(answer).map_err(|_| unwritable())
    });
    Runtime::new(service).layer(past_the_parser).run().await
}

fn invocation(context: &Context, cold_start: bool) -> Invocation {
    Invocation {
        request_id: context.request_id.clone(),
        deadline_ms: context.deadline,
        cold_start,
        trace: context.xray_trace_id.clone(),
    }
}

fn diagnostic(fault: Fault) -> Diagnostic {
    Diagnostic {
        error_type: fault.error_type.to_owned(),
        error_message: fault.error_message,
    }
}

fn unreadable() -> Diagnostic {
    Diagnostic {
        error_type: edge::ErrorType::Invalid.name().to_owned(),
        error_message: "the payload is not UTF-8".to_owned(),
    }
}

fn unwritable() -> Diagnostic {
    Diagnostic {
        error_type: edge::ErrorType::Integrity.name().to_owned(),
        error_message: "the answer is not JSON".to_owned(),
    }
}

/// Says what is wrong with the environment where the operator will look for it.
fn say(error: &ConfigError) {
    let log = Log::new("colloquy", "", Level::Error, Box::new(std::io::stdout()));
    let mistakes = error.to_string();
    let facts = [("mistakes", Fact::Id(&mistakes))];
    log.line(
        SystemClock::new().now_ms(),
        Level::Error,
        &Invocation::default(),
        "configuration is not valid",
        &facts,
    );
}
