//! Both functions and both services, wired as a deployment wires them.

use std::time::Duration;

use emulator::{DEFAULT_MEMORY_ID, Options};
use serde_json::Value;

use super::event::{Trigger, Wanted};
use super::function::Function;
use super::outcome::Outcome;
use crate::ports::TABLE;
use crate::world::World;

/// The functions and the services they use.
#[derive(Debug)]
pub struct Deployment {
    /// The services.
    pub world: World,
    /// The function that loads.
    pub load: Function,
    /// The function that stores.
    pub store: Function,
}

impl Deployment {
    /// A deployment that works.
    pub async fn start() -> Self {
        Self::with(Options::default(), &[]).await
    }

    /// A deployment with an emulator of the caller's choice and more variables.
    pub async fn with(options: Options, variables: &[(&str, &str)]) -> Self {
        let world = World::with(options).await;
        let load = Self::function("load", &world, variables).await;
        let store = Self::function("store", &world, variables).await;
        Self { world, load, store }
    }

    /// Asks the right function.
    pub async fn ask(&self, trigger: Trigger, wanted: &Wanted<'_>) -> Outcome {
        self.send(wanted.function, wanted.by(trigger)).await
    }

    /// Asks the right function, which has to be done within a time.
    pub async fn ask_within(
        &self,
        trigger: Trigger,
        wanted: &Wanted<'_>,
        time: Duration,
    ) -> Outcome {
        let function = self.named(wanted.function);
        function.invoke_within(wanted.by(trigger), time).await
    }

    /// Sends an event to the function of that name.
    pub async fn send(&self, function: &str, event: Value) -> Outcome {
        self.named(function).invoke(event).await
    }

    fn named(&self, name: &str) -> &Function {
        match name {
            "load" => &self.load,
            "store" => &self.store,
            other => panic!("{other} is no function"),
        }
    }

    /// Starts a function on these services; later variables take the place of earlier ones.
    pub async fn function(name: &str, world: &World, variables: &[(&str, &str)]) -> Function {
        let (events, context) = (world.events.url(), world.context.url());
        let models = world.emulator.url();
        let base = [
            ("MEMORY_ID", DEFAULT_MEMORY_ID),
            ("CONTEXT_TABLE", TABLE),
            ("AWS_REGION", "us-east-1"),
            ("AWS_ACCESS_KEY_ID", "emulator"),
            ("AWS_SECRET_ACCESS_KEY", "emulator-secret"),
            ("ALLOW_ENDPOINT_OVERRIDE", "1"),
            ("AWS_ENDPOINT_URL_BEDROCK_AGENTCORE", events.as_str()),
            ("AWS_ENDPOINT_URL_DYNAMODB", context.as_str()),
            ("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", models.as_str()),
        ];
        let all: Vec<(&str, &str)> = base.into_iter().chain(variables.iter().copied()).collect();
        let function = Function::start(name, &all).await;
        // Warm-up calls are over by then, so tests that count calls do not count them.
        function.api.first_poll().await;
        function
    }
}
