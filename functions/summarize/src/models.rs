//! Who summarises, from the configuration.

use std::time::Duration;

use aws::SdkConfig;
use conversation::ports::{Step, Summarizer, SummarizerError, Written};
use conversation::{Extractive, Redactor, Summarizers};
use edge::{Config, Counted, Counts};
use lambda::Warm;

/// The longest one call of a model may take. Lambda's own deadline mostly ends it sooner.
const ATTEMPT: Duration = Duration::from_mins(2);

/// The models of a deployment.
#[derive(Clone, Debug)]
pub struct Models(Summarizers<Model>);

/// A model, or what stands in where none is configured.
#[derive(Clone, Debug)]
pub enum Model {
    /// A model on Bedrock.
    Bedrock(bedrock::Model),
    /// No model: the sentences that say most.
    Extractive(Extractive),
}

impl Models {
    /// The models of the configuration, reached with these settings. Nothing is called yet.
    #[must_use]
    pub fn new(config: &Config, reached: &SdkConfig) -> Self {
        let model = &config.model;
        let region = model.region.as_deref().unwrap_or(&config.region);
        let reached = aws::adjusted(reached, region, ATTEMPT);
        let guardrail = model
            .guardrail
            .as_ref()
            .map(|guardrail| bedrock::Guardrail {
                id: guardrail.id.clone(),
                version: guardrail.version.clone(),
            });
        let named =
            |id: &String| Model::Bedrock(bedrock::Model::new(&reached, id, guardrail.as_ref()));
        let mut models: Vec<Model> = model.ids.iter().map(named).collect();
        if models.is_empty() {
            models.push(Model::Extractive(Extractive));
        }
        Self(Summarizers {
            max_tokens: model.max_tokens,
            redactor: model.redacts.then(Redactor::built_in),
            ..Summarizers::new(models).reading(model.step_tokens)
        })
    }

    /// The models for one call, counting what it asks of them.
    #[must_use]
    pub fn counted<'a>(&'a self, counts: &'a Counts) -> Summarizers<Counted<'a, Model>> {
        let Self(summarizers) = self;
        Summarizers {
            models: summarizers
                .models
                .iter()
                .map(|model| counts.of(model))
                .collect(),
            max_tokens: summarizers.max_tokens,
            budget: summarizers.budget,
            redactor: summarizers.redactor.clone(),
        }
    }
}

impl Warm for Models {
    async fn warm(&self) {
        // The models are at one address, so one connection serves them all.
        if let Some(Model::Bedrock(model)) = self.0.models.first() {
            model.connect().await;
        }
    }
}

impl Summarizer for Model {
    async fn summarize(&self, step: &Step<'_>) -> Result<Written, SummarizerError> {
        match self {
            Self::Bedrock(model) => model.summarize(step).await,
            Self::Extractive(extractive) => extractive.summarize(step).await,
        }
    }
}
