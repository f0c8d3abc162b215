//! From method and path to an operation.
//!
//! The raw path is split first and each segment decoded after, since actor ids and memory ARNs contain
//! encoded slashes.

use crate::error::ApiError;

macro_rules! operations {
    ($($name:ident),+ $(,)?) => {
        /// Every operation whose path is known, emulated or not.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub(crate) enum Operation { $($name),+ }

        impl Operation {
            /// The name in the service's model.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name)),+ }
            }
        }
    };
}

operations!(
    CreateEvent,
    GetEvent,
    ListEvents,
    DeleteEvent,
    ListSessions,
    ListActors,
    CreateMemory,
    GetMemory,
    UpdateMemory,
    DeleteMemory,
    ListMemories,
    BatchCreateMemoryRecords,
    ListMemoryRecords,
    RetrieveMemoryRecords,
    IngestData,
    GetMemoryRecord,
    DeleteMemoryRecord,
    BatchUpdateMemoryRecords,
    BatchDeleteMemoryRecords,
    StartMemoryExtractionJob,
    ListMemoryExtractionJobs,
    Converse,
    ConverseStream,
    InvokeModel,
    InvokeModelWithResponseStream,
    CountTokens,
);

/// An operation with the labels of its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Route {
    pub(crate) operation: Operation,
    pub(crate) labels: Labels,
}

/// Path labels; empty where the operation has none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Labels {
    pub(crate) memory: String,
    pub(crate) actor: String,
    pub(crate) session: String,
    pub(crate) event: String,
    pub(crate) model: String,
}

/// The operation behind a method and raw path; `None` when there is no such one.
pub(crate) fn route(method: &str, path: &str) -> Result<Option<Route>, ApiError> {
    let segments = segments(path)?;
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    Ok(find(method, &segments))
}

/// The decoded segments of a raw path.
pub(crate) fn segments(path: &str) -> Result<Vec<String>, ApiError> {
    path.trim_start_matches('/')
        .split('/')
        .map(decode)
        .collect()
}

fn find(method: &str, segments: &[&str]) -> Option<Route> {
    use Operation as Op;
    let labels = Labels::default();
    let of = |operation, memory: &str| {
        Some(Route {
            operation,
            labels: Labels {
                memory: memory.into(),
                ..labels.clone()
            },
        })
    };
    match (method, segments) {
        ("POST", ["memories", "create"]) => of(Op::CreateMemory, ""),
        ("POST", ["memories", ""] | ["memories"]) => of(Op::ListMemories, ""),
        ("GET", ["memories", memory, "details"]) => of(Op::GetMemory, memory),
        ("PUT", ["memories", memory, "update"]) => of(Op::UpdateMemory, memory),
        ("DELETE", ["memories", memory, "delete"]) => of(Op::DeleteMemory, memory),
        ("POST", ["memories", memory, "events"]) => of(Op::CreateEvent, memory),
        ("POST", ["memories", memory, "actors"]) => of(Op::ListActors, memory),
        ("POST", ["memories", memory, "actor", actor, "sessions"]) => {
            Some(in_session(Op::ListSessions, memory, actor, "", ""))
        }
        ("POST", ["memories", memory, "actor", actor, "sessions", session]) => {
            Some(in_session(Op::ListEvents, memory, actor, session, ""))
        }
        (
            "GET",
            [
                "memories",
                memory,
                "actor",
                actor,
                "sessions",
                session,
                "events",
                event,
            ],
        ) => Some(in_session(Op::GetEvent, memory, actor, session, event)),
        (
            "DELETE",
            [
                "memories",
                memory,
                "actor",
                actor,
                "sessions",
                session,
                "events",
                event,
            ],
        ) => Some(in_session(Op::DeleteEvent, memory, actor, session, event)),
        ("POST", ["memories", memory, "ingest"]) => of(Op::IngestData, memory),
        ("POST", ["memories", memory, "memoryRecords"]) => of(Op::ListMemoryRecords, memory),
        ("POST", ["memories", memory, "retrieve"]) => of(Op::RetrieveMemoryRecords, memory),
        ("GET", ["memories", memory, "memoryRecord", _]) => of(Op::GetMemoryRecord, memory),
        ("DELETE", ["memories", memory, "memoryRecords", _]) => of(Op::DeleteMemoryRecord, memory),
        ("POST", ["memories", memory, "memoryRecords", "batchCreate"]) => {
            of(Op::BatchCreateMemoryRecords, memory)
        }
        ("POST", ["memories", memory, "memoryRecords", "batchUpdate"]) => {
            of(Op::BatchUpdateMemoryRecords, memory)
        }
        ("POST", ["memories", memory, "memoryRecords", "batchDelete"]) => {
            of(Op::BatchDeleteMemoryRecords, memory)
        }
        ("POST", ["memories", memory, "extractionJobs", "start"]) => {
            of(Op::StartMemoryExtractionJob, memory)
        }
        ("POST", ["memories", memory, "extractionJobs"]) => {
            of(Op::ListMemoryExtractionJobs, memory)
        }
        ("POST", ["model", model, verb]) => on_model(model, verb),
        _ => None,
    }
}

fn in_session(
    operation: Operation,
    memory: &str,
    actor: &str,
    session: &str,
    event: &str,
) -> Route {
    let labels = Labels {
        memory: memory.into(),
        actor: actor.into(),
        session: session.into(),
        event: event.into(),
        model: String::new(),
    };
    Route { operation, labels }
}

fn on_model(model: &str, verb: &str) -> Option<Route> {
    let operation = match verb {
        "converse" => Operation::Converse,
        "converse-stream" => Operation::ConverseStream,
        "invoke" => Operation::InvokeModel,
        "invoke-with-response-stream" => Operation::InvokeModelWithResponseStream,
        "count-tokens" => Operation::CountTokens,
        _ => return None,
    };
    Some(Route {
        operation,
        labels: Labels {
            model: model.into(),
            ..Labels::default()
        },
    })
}

fn decode(segment: &str) -> Result<String, ApiError> {
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = rest.next().zip(rest.next()).and_then(|(high, low)| {
            Some((char::from(high).to_digit(16)? << 4) | char::from(low).to_digit(16)?)
        });
        let byte = digits.and_then(|value| u8::try_from(value).ok());
        bytes.push(
            byte.ok_or_else(|| ApiError::cannot_parse("malformed percent-encoding in the path"))?,
        );
    }
    String::from_utf8(bytes).map_err(|_| ApiError::cannot_parse("the path is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_slashes_stay_inside_their_segment() {
        let found = route(
            "POST",
            "/memories/arn%3Aaws%3Ab%3Amemory%2Fm-1/actor/tenant%3Aa%2Fuser-1/sessions/s",
        )
        .unwrap();
        let found = found.unwrap();
        assert_eq!(found.operation, Operation::ListEvents);
        assert_eq!(found.labels.memory, "arn:aws:b:memory/m-1");
        assert_eq!(found.labels.actor, "tenant:a/user-1");
    }

    #[test]
    fn methods_and_words_decide() {
        let table = [
            ("POST", "/memories/create", Some(Operation::CreateMemory)),
            ("POST", "/memories/", Some(Operation::ListMemories)),
            ("POST", "/memories/m/events", Some(Operation::CreateEvent)),
            (
                "GET",
                "/memories/m/actor/a/sessions/s/events/0%231",
                Some(Operation::GetEvent),
            ),
            (
                "DELETE",
                "/memories/m/actor/a/sessions/s/events/0%231",
                Some(Operation::DeleteEvent),
            ),
            (
                "POST",
                "/memories/m/actor/a/sessions",
                Some(Operation::ListSessions),
            ),
            ("POST", "/memories/m/actors", Some(Operation::ListActors)),
            ("GET", "/memories/m/events", None),
            ("POST", "/memories/m/actors/a/sessions", None),
            (
                "POST",
                "/model/anthropic.claude%3A0/converse",
                Some(Operation::Converse),
            ),
            ("GET", "/", None),
        ];
        for (method, path, operation) in table {
            assert_eq!(
                route(method, path).unwrap().map(|route| route.operation),
                operation,
                "{method} {path}"
            );
        }
    }

    #[test]
    fn malformed_encodings_are_refused() {
        for path in [
            "/memories/%zz/events",
            "/memories/%2",
            "/memories/%ff/events",
            "/memories/%",
        ] {
            assert!(route("POST", path).is_err(), "{path}");
        }
    }
}
