//! The functions, called in process.

use std::io::{Write, sink, stderr};

use edge::{
    Config, ConfigError, Deps, Development, Fault, Identity, Invocation, Level, Log, Operation,
};
use lambda::{AwsDeps, connect, connect_with};
use summarize::Models;

/// The name of the context table, the same as in `infra/local.env`.
const TABLE: &str = "context";

/// The addresses and the memory the functions work on.
pub(crate) struct Services<'a> {
    pub(crate) agentcore: &'a str,
    pub(crate) dynamodb: &'a str,
    pub(crate) memory: &'a str,
    /// The model to summarise with, at AgentCore's address; without one sentences are picked.
    pub(crate) model: Option<&'a str>,
}

/// Each function with clients of its own, as in Lambda.
pub(crate) struct Functions {
    load: AwsDeps,
    store: AwsDeps,
    summarize: AwsDeps<Models>,
}

impl Functions {
    /// Connects the functions to the services. They believe callers, which only `development` allows.
    pub(crate) fn connect(
        services: &Services<'_>,
        development: Development,
        logs: bool,
    ) -> Result<Self, ConfigError> {
        let config = Config::read(|variable| environment(services, variable))?;
        let function = |operation: Operation| Deps {
            identity: Identity::Development(development),
            log: log(operation, logs),
            ..connect(operation, &config)
        };
        Ok(Self {
            load: function(Operation::Load),
            store: function(Operation::Store),
            summarize: Deps {
                identity: Identity::Development(development),
                log: log(Operation::Summarize, logs),
                ..connect_with(Operation::Summarize, &config, Models::new)
            },
        })
    }

    /// The function that keeps the table, for whoever has to create it.
    pub(crate) fn store(&self) -> &AwsDeps {
        &self.store
    }

    /// Hands an event to the function whose route the path is. What belongs to none goes to `load`, which
    /// knows how to say so.
    pub(crate) async fn call(
        &self,
        path: &str,
        invocation: &Invocation,
        event: &str,
    ) -> Result<String, Fault> {
        match Operation::at(path) {
            Some(Operation::Store) => store::handle(&self.store, invocation, event).await,
            Some(Operation::Summarize) => {
                summarize::handle(&self.summarize, invocation, event).await
            }
            Some(Operation::Load) | None => load::handle(&self.load, invocation, event).await,
        }
    }
}

/// The environment a deployment would give its functions.
fn environment(services: &Services<'_>, variable: &str) -> Option<String> {
    let value = match variable {
        "MEMORY_ID" => services.memory,
        "CONTEXT_TABLE" => TABLE,
        "AWS_REGION" => "us-east-1",
        "COLLOQUY_LOCAL" => "1",
        // The emulator stands in for models too.
        "AWS_ENDPOINT_URL_BEDROCK_AGENTCORE" | "AWS_ENDPOINT_URL_BEDROCK_RUNTIME" => {
            services.agentcore
        }
        "AWS_ENDPOINT_URL_DYNAMODB" => services.dynamodb,
        "MODEL_ID" => services.model?,
        "AWS_ACCESS_KEY_ID" => emulator::TEST_ACCESS_KEY_ID,
        "AWS_SECRET_ACCESS_KEY" => emulator::TEST_SECRET_ACCESS_KEY,
        _ => return None,
    };
    Some(value.to_owned())
}

fn log(operation: Operation, logs: bool) -> Log {
    let out: Box<dyn Write + Send> = if logs {
        Box::new(stderr())
    } else {
        Box::new(sink())
    };
    Log::new("colloquy", operation.name(), Level::Debug, out)
}
