//! What the caller is told in the end.

use super::base::Base;
use super::commit::Settled;
use super::plan::{Plan, Written};
use super::request::Stored;
use super::storing::Storing;
use crate::advice::Advice;
use crate::answer::Context;
use crate::error::{ConflictKind, Error};
use crate::head::Head;
use crate::ports::{
    AgentState, Clock, ContextReader, ContextWriter, Entropy, EventId, EventReader, EventWriter,
    SystemWrite,
};
use crate::token::Token;

impl<E, C, K, R> Storing<'_, E, C, K, R>
where
    E: EventReader + EventWriter,
    C: ContextReader + ContextWriter,
    K: Clock,
    R: Entropy,
{
    /// Makes an answer of what cannot be changed any more.
    pub(super) async fn conclude(
        &self,
        settled: Settled,
        mine: Option<(&Plan, Option<Written>)>,
    ) -> Result<Stored, Error> {
        let branch = self.request.branch.as_deref();
        let (count, written) = mine.map_or((0, None), |(plan, written)| (plan.count, written));
        match settled {
            Settled::Done { head, replayed } => {
                Ok(self.answer(&Token::head(branch, *head), count as u64, replayed))
            }
            Settled::Answered { record, own } => {
                if !own {
                    self.delete(ids(written)).await;
                }
                let token = Token::head(branch, record.head);
                Ok(self.answer(&token, record.stored, true))
            }
            Settled::Refused { kind, orphaned } => {
                if orphaned {
                    self.delete(ids(written)).await;
                }
                Err(self.conflict(kind, None))
            }
            Settled::Moved { head, .. } => Err(self.moved(head.as_deref())),
        }
    }

    pub(super) fn moved(&self, head: Option<&Head>) -> Error {
        let branch = self.request.branch.as_deref();
        let token = head.map(|head| Token::head(branch, head.clone()));
        Error::Conflict {
            kind: ConflictKind::HeadMoved,
            head: token.map(|token| token.encode(&self.request.conversation)),
        }
    }

    pub(super) fn conflict(&self, kind: ConflictKind, base: Option<&Base>) -> Error {
        let token = base.map(|base| base.token(self.request.branch.as_deref()));
        Error::Conflict {
            kind,
            head: token.map(|token| token.encode(&self.request.conversation)),
        }
    }

    fn advice(&self, head: &Head) -> Advice {
        let tokens = head.tokens.saturating_sub(head.summarized);
        Advice::of(tokens, self.settings.context_window_tokens)
    }

    pub(super) fn answer(&self, token: &Token, stored: u64, replayed: bool) -> Stored {
        let system = self.content.system.as_ref();
        let system = system.and_then(|change| match &change.write {
            SystemWrite::Put(message) => Some(message.clone()),
            SystemWrite::Remove => None,
        });
        let states = self.request.states.iter().filter_map(|write| {
            let state = AgentState {
                value: write.value.clone(),
                version: write.expected_version?.saturating_add(1),
            };
            Some((write.agent.clone(), state))
        });
        Stored {
            context: Context {
                conversation: self.request.conversation.clone(),
                stored_message_count: token.head.count,
                system,
                states: states.collect(),
                summary: None,
            },
            head: token.encode(&self.request.conversation),
            stored,
            replayed,
            advice: self.advice(&token.head),
        }
    }
}

/// The events of a turn.
pub(super) fn ids(written: Option<Written>) -> Vec<EventId> {
    written.map_or_else(Vec::new, |written| written.ids)
}
