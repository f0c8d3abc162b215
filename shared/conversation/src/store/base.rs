//! What a turn is built on: the head it follows, and how that head is to be found at the commit.

use codec::Mode;

use crate::error::{Error, InvalidReason};
use crate::head::Head;
use crate::id::Conversation;
use crate::load::foreign::{self, Scope};
use crate::load::pages::Log;
use crate::load::root;
use crate::ports::{BranchRoot, Clock, Entropy, EventReader, HeadExpectation};
use crate::report::Report;
use crate::retry::Retry;
use crate::token::{BranchTag, Kind, Token};

/// What a turn follows.
#[derive(Clone, Debug)]
pub(super) struct Base {
    /// What the commit must find.
    pub(super) expected: HeadExpectation,
    /// The head the turn follows; the root of the chain where there is none yet.
    pub(super) head: Head,
    /// The kind of its token.
    pub(super) kind: Kind,
    /// The branch the events are written on.
    pub(super) branch: Option<BranchRoot>,
}

impl Base {
    /// The head as it was read.
    pub(super) fn of_head(branch: Option<&str>, head: Head) -> Self {
        Self {
            expected: HeadExpectation::Is(Box::new(head.clone())),
            head,
            kind: Kind::Head,
            branch: branch.map(existing),
        }
    }

    /// The head the caller named. That of another branch is where a new one starts.
    pub(super) fn of_token(branch: Option<&str>, token: Token) -> Result<Self, Error> {
        let Token {
            kind,
            branch: tag,
            head,
        } = token;
        if tag != BranchTag::of(branch) {
            return Self::fork(branch, head);
        }
        match (kind, branch) {
            (Kind::Head, _) => Ok(Self::of_head(branch, head)),
            // Nothing is there that a new branch could start from.
            (Kind::Genesis, Some(_)) => Err(unknown_branch()),
            (Kind::Genesis | Kind::Adopted, _) => Ok(Self {
                expected: HeadExpectation::Absent,
                head,
                kind,
                branch: branch.map(existing),
            }),
        }
    }

    /// No head was found: the chain begins here, or takes over what other software wrote. This lists the
    /// whole session, once in a conversation's life.
    pub(super) async fn adopt<E: EventReader, K: Clock, R: Entropy>(
        events: &E,
        retry: &Retry<'_, K, R>,
        conversation: &Conversation,
        branch: Option<&str>,
    ) -> Result<Self, Error> {
        let mut log = Log::new(events, retry, conversation, branch);
        log.rest().await?;
        let exists = log.foreign().iter().any(|event| {
            let name = event.branch.as_ref().map(|branch| branch.name.as_str());
            name == branch
        });
        if branch.is_some() && !exists {
            return Err(unknown_branch());
        }
        let scope = Scope {
            branch,
            until_ms: i64::MAX,
            mode: Mode::Lenient,
            window: &[],
            follows: None,
            pins: 0,
        };
        let (mut scan, mut report) = (scope.scan(&[]), Report::default());
        let found = foreign::read(&mut log, scope, &[], &mut scan, &mut report).await?;
        let Token { kind, head, .. } = root(conversation, branch, &found);
        Ok(Self {
            expected: HeadExpectation::Absent,
            head,
            kind,
            branch: branch.map(existing),
        })
    }

    /// The token of this head.
    pub(super) fn token(&self, branch: Option<&str>) -> Token {
        Token {
            kind: self.kind,
            branch: BranchTag::of(branch),
            head: self.head.clone(),
        }
    }

    fn fork(branch: Option<&str>, head: Head) -> Result<Self, Error> {
        let Some(name) = branch else {
            return Err(Error::invalid("/head", InvalidReason::HeadOfBranch));
        };
        // The service wants the event a new branch starts from.
        let root = head.last_event.clone().ok_or_else(unknown_branch)?;
        Ok(Self {
            expected: HeadExpectation::Absent,
            head: Head {
                revision: 0,
                // A summary belongs to its branch.
                summarized: 0,
                recent: Vec::new(),
                ..head
            },
            kind: Kind::Head,
            branch: Some(BranchRoot {
                name: name.to_owned(),
                root: Some(root),
            }),
        })
    }
}

/// A branch the service knows: its name is enough, and another root than its own might be refused.
fn existing(name: &str) -> BranchRoot {
    BranchRoot {
        name: name.to_owned(),
        root: None,
    }
}

fn unknown_branch() -> Error {
    Error::invalid("/branch", InvalidReason::UnknownBranch)
}
