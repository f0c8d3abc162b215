//! The client that asks a model.

use aws::SdkConfig;
use aws_sdk_bedrockruntime::Client;
use aws_sdk_bedrockruntime::types::{
    ContentBlock, ConversationRole, GuardrailConfiguration, InferenceConfiguration, Message,
    SystemContentBlock,
};
use conversation::ports::{Step, Summarizer, SummarizerError, Written};

use crate::answer::{summary, tokens};
use crate::error::{not_built, refused};

/// A model that writes summaries.
#[derive(Clone, Debug)]
pub struct Model {
    client: Client,
    id: String,
    guardrail: Option<GuardrailConfiguration>,
}

/// A guardrail that looks at what goes in and comes out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guardrail {
    /// Its id, or ARN.
    pub id: String,
    /// Its version, or `DRAFT`.
    pub version: String,
}

impl Model {
    /// The model, or inference profile, of this id, called with these settings.
    #[must_use]
    pub fn new(config: &SdkConfig, id: &str, guardrail: Option<&Guardrail>) -> Self {
        let guardrail = guardrail.map(|guardrail| {
            GuardrailConfiguration::builder()
                .guardrail_identifier(&guardrail.id)
                .guardrail_version(&guardrail.version)
                .build()
        });
        Self {
            client: Client::new(config),
            id: id.to_owned(),
            guardrail,
        }
    }

    /// Has a connection made, so that the first summary need not wait for it. What is asked for does not exist,
    /// so no model runs and nothing is billed; what comes back does not matter.
    pub async fn connect(&self) {
        let call = self.client.converse().model_id(&self.id).customize();
        let nowhere = call.mutate_request(|request| {
            let address = request.uri().to_owned();
            let root = address.split("/model/").next().unwrap_or_default();
            // A request that keeps its address is refused just as well: it has no messages.
            let _ = request.set_uri(format!("{root}/"));
        });
        let _ = nowhere.send().await;
    }
}

impl Summarizer for Model {
    async fn summarize(&self, step: &Step<'_>) -> Result<Written, SummarizerError> {
        let message = Message::builder()
            .role(ConversationRole::User)
            .content(ContentBlock::Text(step.user()))
            .build()
            .map_err(|error| not_built(&error))?;
        let limit = InferenceConfiguration::builder()
            .max_tokens(i32::try_from(step.max_tokens).unwrap_or(i32::MAX))
            .build();
        let answer = self
            .client
            .converse()
            .model_id(&self.id)
            .system(SystemContentBlock::Text(step.system().to_owned()))
            .messages(message)
            .inference_config(limit)
            .set_guardrail_config(self.guardrail.clone())
            .send()
            .await
            .map_err(|error| refused(&error))?;
        let (input_tokens, output_tokens) = tokens(answer.usage());
        Ok(Written {
            text: summary(answer)?,
            model: self.id.clone(),
            input_tokens,
            output_tokens,
        })
    }
}
