//! The schemas and the API document say what the types do: every field both ways.

// A file-level allow, since helpers outside test functions are not covered by the test settings of the lints.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::unwrap_used
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use codec::model::{Content, Message, SystemMessage, UserMessage};
use conversation::ports::AgentState;
use conversation::{
    Advice, Context, Conversation, Loaded, Report, Stored, Summarized, SummaryId, SummaryRecord,
    TurnId,
};
use edge::{
    ActorClaim, Call, ClaimCheckFailed, ClaimChecks, Failure, Identity, LOAD_FIELDS, LoadCall,
    Operation, Problem, STORE_FIELDS, SUMMARIZE_FIELDS, Source, StoreCall, Subject, SummarizeCall,
};
use serde_json::{Value, json};
use yaml_rust2::{Yaml, YamlLoader};

fn infra(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../infra")
        .join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn schema(name: &str) -> Value {
    serde_json::from_str(&infra(&format!("schemas/{name}.json"))).expect("a schema is JSON")
}

/// Checks a value against a schema as far as we write them, and notes the properties it met.
fn check(root: &Value, schema: &Value, value: &Value, at: &str, met: &mut BTreeSet<String>) {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference
            .strip_prefix("#/$defs/")
            .expect("a reference inside the schema");
        return check(root, &root["$defs"][name], value, at, met);
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(single) => vec![single],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => panic!("{at} has no type"),
    };
    assert!(
        types.contains(&type_of(value)),
        "{at} is {}, not {types:?}",
        type_of(value)
    );
    if let Some(allowed) = schema["enum"].as_array() {
        assert!(allowed.contains(value), "{at} is none of {allowed:?}");
    }
    let required = schema["required"].as_array().filter(|_| value.is_object());
    for name in required.into_iter().flatten() {
        assert!(
            value.get(name.as_str().unwrap()).is_some(),
            "{at} lacks {name}"
        );
    }
    for (name, inner) in value.as_object().into_iter().flatten() {
        let place = format!("{at}/{name}");
        match (&schema["properties"][name], &schema["additionalProperties"]) {
            (Value::Null, Value::Bool(false)) => panic!("{place} is not in the schema"),
            (Value::Null, Value::Null) => {}
            (Value::Null, free) => check(root, free, inner, &format!("{at}/*"), met),
            (property, _) => {
                met.insert(place.clone());
                check(root, property, inner, &place, met);
            }
        }
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Every property a schema names.
fn named(root: &Value, schema: &Value, at: &str, all: &mut BTreeSet<String>) {
    if let Some(name) = schema["$ref"]
        .as_str()
        .and_then(|text| text.strip_prefix("#/$defs/"))
    {
        return named(root, &root["$defs"][name], at, all);
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let place = format!("{at}/{name}");
        all.insert(place.clone());
        named(root, property, &place, all);
    }
    if schema["additionalProperties"].is_object() {
        named(
            root,
            &schema["additionalProperties"],
            &format!("{at}/*"),
            all,
        );
    }
}

/// Holds a schema to answers that, taken together, have every field.
fn hold(name: &str, answers: &[Value]) {
    let schema = schema(name);
    let (mut met, mut all) = (BTreeSet::new(), BTreeSet::new());
    for answer in answers {
        check(&schema, &schema, answer, "", &mut met);
    }
    named(&schema, &schema, "", &mut all);
    assert_eq!(met, all, "{name}: fields met and fields in the schema");
}

struct Shelf;

impl ClaimChecks for Shelf {
    async fn put(&self, key: &str, _body: &str) -> Result<String, ClaimCheckFailed> {
        Ok(key.to_owned())
    }
}

fn subject() -> Subject {
    Subject {
        actor: "a".to_owned(),
        session: "s".to_owned(),
    }
}

fn context() -> Context {
    let state = AgentState {
        value: json!({"n": 1}).as_object().unwrap().clone(),
        version: 1,
    };
    Context {
        conversation: Conversation {
            memory: "m".to_owned(),
            actor: "a".to_owned(),
            session: "s".to_owned(),
        },
        stored_message_count: 1,
        system: Some(SystemMessage::default()),
        states: BTreeMap::from([("agent".to_owned(), state)]),
        summary: Some(summary()),
    }
}

fn summary() -> SummaryRecord {
    SummaryRecord {
        id: SummaryId([1; 32]),
        text: "They met.".to_owned(),
        first_seq: 0,
        last_seq: 9,
        ends_at: TurnId([2; 32]),
        model: "model".to_owned(),
        prompt_version: 1,
        input_hash: [3; 32],
        input_tokens: 100,
        output_tokens: 10,
        covered_tokens: 90,
        created_at_ms: 1_790_000_000_000,
        previous: Some(SummaryId([4; 32])),
    }
}

fn advice() -> Advice {
    Advice {
        advised: true,
        because: "it is long".to_owned(),
    }
}

fn loaded(letters: usize) -> Loaded {
    Loaded {
        context: context(),
        messages: vec![Message::User(UserMessage {
            content: vec![Content::text("x".repeat(letters))],
            ..UserMessage::default()
        })],
        pinned: 0,
        head: Some("h".to_owned()),
        advice: advice(),
        report: Report {
            notes: BTreeMap::from([("blank_text".to_owned(), 1)]),
            ..Report::default()
        },
        agents: Vec::new(),
    }
}

fn direct<T>(
    operation: Operation,
    payload: &Value,
    read: impl Fn(&Call<'_>, &Identity) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let text = payload.to_string();
    read(
        &Call::read(operation, &text)?,
        &Identity::Verified(ActorClaim::default()),
    )
}

fn load(payload: &Value) -> Result<LoadCall, Failure> {
    direct(Operation::Load, payload, LoadCall::read)
}

fn summarize(payload: &Value) -> Result<SummarizeCall, Failure> {
    direct(Operation::Summarize, payload, SummarizeCall::read)
}

fn store(payload: &Value) -> Result<StoreCall, Failure> {
    direct(Operation::Store, payload, StoreCall::read)
}

#[tokio::test]
async fn answers_of_load_have_the_fields_of_the_schema() {
    let mut answers = Vec::new();
    let rows = [
        ("messages", 5),
        ("prompt", 5),
        ("converse", 5),
        ("messages", 300_000),
    ];
    for (format, letters) in rows {
        let call = load(&json!({"actorId": "a", "sessionId": "s", "format": format})).unwrap();
        let fitted = call
            .answer(Source::Direct, &loaded(letters), Some(&Shelf))
            .await
            .unwrap();
        answers.push(serde_json::from_str(&fitted.body).unwrap());
    }
    hold("load-answer", &answers);
}

#[test]
fn answers_of_store_have_the_fields_of_the_schema() {
    let stored = Stored {
        context: context(),
        head: "h".to_owned(),
        stored: 1,
        replayed: false,
        advice: advice(),
    };
    let body = StoreCall::answer(&subject(), &stored).unwrap();
    hold("store-answer", &[serde_json::from_str(&body).unwrap()]);
}

#[test]
fn answers_of_summarize_have_the_fields_of_the_schema() {
    let summarized = Summarized {
        context: context(),
        summarized: 3,
        head: Some("h".to_owned()),
    };
    let call = summarize(&json!({"actorId": "a", "sessionId": "s"})).unwrap();
    let mut nothing = summarized.clone();
    nothing.context.summary = None;
    nothing.head = None;
    let answers = [&summarized, &nothing].map(|answer| call.answer(answer).unwrap());
    let answers: [Value; 2] = answers.map(|body| serde_json::from_str(&body).unwrap());
    assert!(answers[1]["summary"].is_null());
    hold("summarize-answer", &answers);
}

#[test]
fn problems_have_the_fields_of_the_schema() {
    let conflict = conversation::Error::Conflict {
        kind: conversation::ConflictKind::HeadMoved,
        head: Some("h".to_owned()),
    };
    let failures = [
        Failure::from(conflict),
        conversation::Error::DeadlineExceeded.into(),
        load(&json!({})).unwrap_err(),
    ];
    let documents: Vec<Value> = failures
        .iter()
        .map(|failure| Problem::from(failure).document("r"))
        .collect();
    hold("problem", &documents);
}

#[test]
fn requests_take_the_fields_of_the_schema_and_no_others() {
    for (name, fields) in [
        ("load-request", LOAD_FIELDS),
        ("store-request", STORE_FIELDS),
        ("summarize-request", SUMMARIZE_FIELDS),
    ] {
        let schema = schema(name);
        let named: BTreeSet<&str> = schema["properties"]
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        assert_eq!(named, fields.iter().copied().collect(), "{name}");
        assert_eq!(schema["additionalProperties"], false, "{name}");
    }
}

#[test]
fn words_of_the_schema_are_understood_and_others_refused() {
    let base =
        json!({"actorId": "a", "sessionId": "s", "messages": [{"role": "user", "content": []}]});
    let with = |field: &str, value: &Value| {
        let mut payload = base.clone();
        payload[field] = value.clone();
        payload
    };
    let (load_schema, store_schema) = (schema("load-request"), schema("store-request"));
    for field in ["format", "mode"] {
        for word in store_schema["properties"][field]["enum"]
            .as_array()
            .unwrap()
        {
            assert!(store(&with(field, word)).is_ok(), "{field} {word}");
        }
        assert!(store(&with(field, &json!("other"))).is_err());
    }
    for word in load_schema["properties"]["format"]["enum"]
        .as_array()
        .unwrap()
    {
        assert!(
            load(&json!({"actorId": "a", "sessionId": "s", "format": word})).is_ok(),
            "{word}"
        );
    }
    let reasons = &schema("summarize-request")["properties"]["reason"]["enum"];
    for word in reasons.as_array().unwrap() {
        let payload = json!({"actorId": "a", "sessionId": "s", "reason": word});
        assert!(summarize(&payload).is_ok(), "{word}");
    }
    let policy = &load_schema["$defs"]["policy"]["properties"];
    for word in policy["type"]["enum"].as_array().unwrap() {
        let sized = word == "tokens" || word == "turns" || word == "sliding";
        let window = if sized {
            json!({"type": word, "size": 5})
        } else {
            json!({"type": word})
        };
        assert!(
            load(&json!({"actorId": "a", "sessionId": "s", "window": window})).is_ok(),
            "{word}"
        );
    }
    for word in policy["rule"]["enum"].as_array().unwrap() {
        let window = json!({"type": "sliding", "rule": word});
        assert!(
            load(&json!({"actorId": "a", "sessionId": "s", "window": window})).is_ok(),
            "{word}"
        );
    }
}

#[test]
fn direct_events_satisfy_the_schemas() {
    let events = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../events");
    for operation in [Operation::Store, Operation::Summarize] {
        let name = operation.name();
        let direct = fs::read_to_string(events.join(format!("{name}-direct.json"))).unwrap();
        let payload: Value = serde_json::from_str(&direct).unwrap();
        let schema = schema(&format!("{name}-request"));
        for field in payload.as_object().unwrap().keys() {
            assert!(schema["properties"][field].is_object(), "{field}");
        }
    }
}

#[test]
fn the_api_document_has_the_routes_and_parameters_of_the_types() {
    let document = YamlLoader::load_from_str(&infra("openapi.yaml"))
        .expect("YAML")
        .remove(0);
    assert_eq!(document["openapi"].as_str(), Some("3.1.0"));
    for operation in Operation::ALL {
        let route = &document["paths"][operation.route()];
        let entry = &route[operation.method().to_lowercase().as_str()];
        assert_eq!(entry["operationId"].as_str(), Some(operation.name()));
        for schema in references(entry) {
            infra(&schema);
        }
    }
    let query = parameters(&document, Operation::Load, "query");
    let asked: BTreeSet<String> = LOAD_FIELDS
        .iter()
        .filter(|field| !["actorId", "sessionId", "userId", "agentId"].contains(field))
        .map(|field| (*field).to_owned())
        .collect();
    assert_eq!(query, asked);
    let headers = parameters(&document, Operation::Store, "header");
    assert_eq!(headers, BTreeSet::from(["Idempotency-Key".to_owned()]));
}

#[test]
fn the_api_document_lists_every_status() {
    let document = YamlLoader::load_from_str(&infra("openapi.yaml"))
        .expect("YAML")
        .remove(0);
    let listed = |operation: Operation| -> BTreeSet<&str> {
        let entry = &document["paths"][operation.route()]["post"]["responses"];
        let statuses = entry.as_hash().unwrap().keys();
        statuses.filter_map(Yaml::as_str).collect()
    };
    let mut given = BTreeSet::from([
        "200", "400", "401", "403", "409", "413", "429", "500", "503", "504",
    ]);
    assert_eq!(listed(Operation::Store), given);
    given.insert("502");
    assert_eq!(listed(Operation::Summarize), given);
}

/// The parameters of an operation that stand in one place.
fn parameters(document: &Yaml, operation: Operation, place: &str) -> BTreeSet<String> {
    let entry = &document["paths"][operation.route()][operation.method().to_lowercase().as_str()];
    let parameters = entry["parameters"].as_vec().expect("a list");
    parameters
        .iter()
        .filter(|parameter| parameter["in"].as_str() == Some(place))
        .filter_map(|parameter| parameter["name"].as_str().map(str::to_owned))
        .collect()
}

/// The schema files an entry refers to.
fn references(entry: &Yaml) -> Vec<String> {
    match entry {
        Yaml::Hash(fields) => fields
            .iter()
            .flat_map(|(key, value)| match (key.as_str(), value.as_str()) {
                (Some("$ref"), Some(path)) if path.starts_with("schemas/") => vec![path.to_owned()],
                _ => references(value),
            })
            .collect(),
        Yaml::Array(items) => items.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}
