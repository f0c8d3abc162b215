//! The rules of a store, one test each.

mod adoption;
mod base;
mod branches;
mod calls;
mod context;
mod errors;
mod events;
mod keys;
mod outcomes;
mod races;
mod running;
mod sync;

use std::collections::HashMap;

use codec::model::{Message, Object};
use serde_json::json;

use crate::error::{ConflictKind, Error};
use crate::ports::StateWrite;
use crate::store::StoreRequest;
use crate::testing::{Call, text};

pub(super) fn texts(messages: &[Message]) -> Vec<&str> {
    messages.iter().map(text).collect()
}

pub(super) fn with_head(request: StoreRequest, head: &str) -> StoreRequest {
    StoreRequest {
        head: Some(head.to_owned()),
        ..request
    }
}

pub(super) fn with_key(request: StoreRequest, key: &str) -> StoreRequest {
    StoreRequest {
        key: Some(key.to_owned()),
        ..request
    }
}

pub(super) fn state(value: i32, expected_version: Option<u64>) -> StateWrite {
    StateWrite {
        agent: "planner".to_owned(),
        value: Object::from_iter([("n".to_owned(), json!(value))]),
        expected_version,
    }
}

pub(super) fn calls(expected: &[(Call, u32)]) -> HashMap<Call, u32> {
    expected.iter().copied().collect()
}

pub(super) fn conflict(error: Error) -> ConflictKind {
    match error {
        Error::Conflict { kind, .. } => kind,
        other => panic!("{other:?}"),
    }
}
