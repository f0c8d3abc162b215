//! The client that reads and writes events.

use aws::{PlainRequests, SdkConfig};
use aws_sdk_bedrockagentcore::types::{BranchFilter, FilterInput};
use aws_sdk_bedrockagentcore::{Client, Config};
use conversation::Conversation;
use conversation::ports::{
    EventId, EventLogError, EventReader, EventWriter, NewEvent, Page, PageToken,
};

use crate::error::{not_built, refused, unreadable};
use crate::event;

/// The most the service gives at once; its own default of 20 would cost five times the calls.
const PAGE_SIZE: i32 = 100;

/// The events of an AgentCore Memory resource.
#[derive(Clone, Debug)]
pub struct EventLog {
    client: Client,
}

impl EventLog {
    /// A log that calls the service with these settings.
    #[must_use]
    pub fn new(config: &SdkConfig) -> Self {
        Self {
            client: Client::from_conf(
                Config::new(config)
                    .to_builder()
                    .interceptor(PlainRequests)
                    .build(),
            ),
        }
    }
}

impl EventReader for EventLog {
    async fn page(
        &self,
        conversation: &Conversation,
        branch: Option<&str>,
        token: Option<PageToken>,
    ) -> Result<Page, EventLogError> {
        let answer = self
            .client
            .list_events()
            .memory_id(&conversation.memory)
            .actor_id(&conversation.actor)
            .session_id(&conversation.session)
            .max_results(PAGE_SIZE)
            .include_payloads(true)
            .set_filter(branch.map(with_parents).transpose()?)
            .set_next_token(token.map(|token| token.0))
            .send()
            .await
            .map_err(|error| refused(&error))?;
        let events = answer.events.into_iter().map(event::read);
        Ok(Page {
            events: events.collect(),
            next: answer.next_token.map(PageToken),
        })
    }
}

impl EventWriter for EventLog {
    async fn create(
        &self,
        conversation: &Conversation,
        event: &NewEvent,
    ) -> Result<EventId, EventLogError> {
        let answer = self
            .client
            .create_event()
            .memory_id(&conversation.memory)
            .actor_id(&conversation.actor)
            .session_id(&conversation.session)
            .event_timestamp(event::timestamp(event.timestamp_ms))
            .set_payload(Some(event::payload(&event.payload)?))
            .set_metadata(event::metadata(&event.metadata))
            .set_branch(event.branch.as_ref().map(event::branch).transpose()?)
            .client_token(&event.client_token)
            .send()
            .await
            .map_err(|error| refused(&error))?;
        let event = answer
            .event
            .ok_or_else(|| unreadable("no event in the answer"))?;
        Ok(EventId(event.event_id))
    }

    async fn delete(
        &self,
        conversation: &Conversation,
        event: &EventId,
    ) -> Result<(), EventLogError> {
        let answer = self
            .client
            .delete_event()
            .memory_id(&conversation.memory)
            .actor_id(&conversation.actor)
            .session_id(&conversation.session)
            .event_id(&event.0)
            .send()
            .await
            .map_err(|error| refused(&error));
        match answer {
            // What is not there need not be removed.
            Ok(_) | Err(EventLogError::NotFound) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// A branch with its ancestors: `includeParentBranches` is true unless it is switched off.
fn with_parents(name: &str) -> Result<FilterInput, EventLogError> {
    let branch = BranchFilter::builder()
        .name(name)
        .build()
        .map_err(|error| not_built(&error))?;
    Ok(FilterInput::builder().branch(branch).build())
}
