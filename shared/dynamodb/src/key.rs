//! Where each item is kept.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;

use aws_sdk_dynamodb::types::AttributeValue;
use conversation::{Conversation, KeyHash};

use crate::table::{PARTITION_KEY, SORT_KEY};

/// An item's primary key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ItemKey {
    pub(crate) partition: String,
    pub(crate) sort: String,
}

/// What an item under a conversation's prefix is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The head of a branch; the main line has no name.
    Head(String),
    /// The system message.
    System,
    /// The state of an agent.
    State(String),
    /// The summary of a branch; the main line has no name.
    Summary(String),
}

impl ItemKey {
    pub(crate) fn head(conversation: &Conversation, branch: Option<&str>) -> Self {
        let branch = escape(branch.unwrap_or_default());
        Self::under(conversation, &format!("h#{branch}"))
    }

    pub(crate) fn system(conversation: &Conversation) -> Self {
        Self::under(conversation, "sys")
    }

    pub(crate) fn state(conversation: &Conversation, agent: &str) -> Self {
        Self::under(conversation, &format!("state#{}", escape(agent)))
    }

    pub(crate) fn summary(conversation: &Conversation, branch: Option<&str>) -> Self {
        let branch = escape(branch.unwrap_or_default());
        Self::under(conversation, &format!("sum#{branch}"))
    }

    pub(crate) fn idempotency(conversation: &Conversation, key: &KeyHash) -> Self {
        let mut sort = format!("#key#{}#", escape(&conversation.session));
        for byte in key.0 {
            // Writing to a string cannot fail.
            let _ = write!(sort, "{byte:02x}");
        }
        Self {
            partition: partition(conversation),
            sort,
        }
    }

    /// The key as attributes.
    pub(crate) fn attributes(&self) -> HashMap<String, AttributeValue> {
        let partition = AttributeValue::S(self.partition.clone());
        let sort = AttributeValue::S(self.sort.clone());
        HashMap::from([
            (PARTITION_KEY.to_owned(), partition),
            (SORT_KEY.to_owned(), sort),
        ])
    }

    fn under(conversation: &Conversation, kind: &str) -> Self {
        Self {
            partition: partition(conversation),
            sort: format!("{}{kind}", prefix(conversation)),
        }
    }
}

/// The partition all of an actor's items in a memory share, which an access policy can name.
pub(crate) fn partition(conversation: &Conversation) -> String {
    format!(
        "{}#{}",
        escape(&conversation.memory),
        escape(&conversation.actor)
    )
}

/// What the sort keys of the conversation's items begin with, and those of no other.
pub(crate) fn prefix(conversation: &Conversation) -> String {
    format!("{}#", escape(&conversation.session))
}

/// What the item under `sort` is; none for kinds a later version may add.
pub(crate) fn kind(conversation: &Conversation, sort: &str) -> Option<Kind> {
    let rest = sort.strip_prefix(&prefix(conversation))?;
    if rest == "sys" {
        return Some(Kind::System);
    }
    if let Some(branch) = rest.strip_prefix("h#") {
        return Some(Kind::Head(unescape(branch)));
    }
    if let Some(branch) = rest.strip_prefix("sum#") {
        return Some(Kind::Summary(unescape(branch)));
    }
    rest.strip_prefix("state#")
        .map(|agent| Kind::State(unescape(agent)))
}

/// The separator and the escape itself are the only characters that ever need it, and ids in the
/// service's alphabet have neither: they are kept as they are.
fn escape(text: &str) -> Cow<'_, str> {
    if text.contains(['#', '%']) {
        Cow::Owned(text.replace('%', "%25").replace('#', "%23"))
    } else {
        Cow::Borrowed(text)
    }
}

fn unescape(text: &str) -> String {
    text.replace("%23", "#").replace("%25", "%")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conversation(memory: &str, actor: &str, session: &str) -> Conversation {
        Conversation {
            memory: memory.to_owned(),
            actor: actor.to_owned(),
            session: session.to_owned(),
        }
    }

    #[test]
    fn keys_read_as_documented() {
        let monday = conversation("chat-0123456789", "tenant:a/alice", "monday");
        assert_eq!(partition(&monday), "chat-0123456789#tenant:a/alice");
        assert_eq!(ItemKey::head(&monday, None).sort, "monday#h#");
        assert_eq!(ItemKey::head(&monday, Some("draft")).sort, "monday#h#draft");
        assert_eq!(ItemKey::system(&monday).sort, "monday#sys");
        assert_eq!(
            ItemKey::state(&monday, "planner").sort,
            "monday#state#planner"
        );
        assert_eq!(ItemKey::summary(&monday, None).sort, "monday#sum#");
        assert_eq!(
            ItemKey::summary(&monday, Some("draft")).sort,
            "monday#sum#draft"
        );
        let key = ItemKey::idempotency(&monday, &KeyHash([0xab; 32])).sort;
        assert_eq!(key, format!("#key#monday#{}", "ab".repeat(32)));
    }

    #[test]
    fn no_two_ids_share_a_key() {
        let parts = ["a", "#", "%", "%23", "a#b", "b"];
        let mut seen = std::collections::HashSet::new();
        for memory in parts {
            for actor in parts {
                assert!(seen.insert(partition(&conversation(memory, actor, "s"))));
            }
        }
        let session = |name| conversation("m", "a", name);
        assert!(
            !ItemKey::system(&session("mon-2"))
                .sort
                .starts_with(&prefix(&session("mon")))
        );
        let foreign = ItemKey::idempotency(&session("mon"), &KeyHash([0; 32])).sort;
        assert!(!foreign.starts_with(&prefix(&session("mon"))));
    }

    #[test]
    fn kinds_survive_both_ways() {
        let here = conversation("m", "a", "s");
        for name in ["", "draft", "50%", "#1", "%23", "%2523"] {
            let head = ItemKey::head(&here, Some(name)).sort;
            assert_eq!(
                kind(&here, &head),
                Some(Kind::Head(name.to_owned())),
                "{name}"
            );
            let state = ItemKey::state(&here, name).sort;
            assert_eq!(
                kind(&here, &state),
                Some(Kind::State(name.to_owned())),
                "{name}"
            );
            let summary = ItemKey::summary(&here, Some(name)).sort;
            assert_eq!(
                kind(&here, &summary),
                Some(Kind::Summary(name.to_owned())),
                "{name}"
            );
        }
        assert_eq!(kind(&here, "s#sys"), Some(Kind::System));
        assert_eq!(kind(&here, "s#later"), None);
        assert_eq!(kind(&here, "other#sys"), None);
    }
}
