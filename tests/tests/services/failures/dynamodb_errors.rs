//! What DynamoDB refuses or does in part, in the port's words.

use aws::{Connection, credentials, sdk_config};
use codec::model::{Content, Fields, SystemMessage};
use conversation::ports::{
    Clock as _, Commit, CommitOutcome, ContextError, ContextReader as _, ContextWriter as _,
    HeadExpectation, HeadLookup, KeyRecord, StateWrite, SystemWrite,
};
use conversation::{Conversation, Head, KeyHash, TurnId};
use dynamodb::ContextTable;
use serde_json::{Value, json};
use system::SystemClock;
use tests::{Fault, World};

use super::dynamo_error;

#[tokio::test(flavor = "multi_thread")]
async fn each_refusal_of_dynamodb_has_its_name() {
    let world = World::start().await;
    let here = world.conversation("refusals");
    let table = world.context_table();
    let rows = [
        (400, "ProvisionedThroughputExceededException", "throttled"),
        (400, "RequestLimitExceeded", "throttled"),
        (400, "ThrottlingException", "throttled"),
        (400, "AccessDeniedException", "denied"),
        (400, "UnrecognizedClientException", "denied"),
        (400, "ResourceNotFoundException", "not found"),
        (400, "TransactionInProgressException", "unavailable"),
        (400, "IdempotentParameterMismatchException", "unavailable"),
        (500, "InternalServerError", "unavailable"),
        (503, "ServiceUnavailable", "unavailable"),
        (400, "ValidationException", "corrupt"),
    ];
    for (status, name, wanted) in rows {
        let mut keyed = commit(&here);
        keyed.key = Some(record());
        for commit in [commit(&here), keyed] {
            world.context.fail(0, dynamo_error(status, name));
            let refused = table
                .commit(&here, None, &commit)
                .await
                .expect_err("refused");
            assert_eq!(context_error(&refused), wanted, "{name}");
        }
        world.context.fail(0, dynamo_error(status, name));
        let refused = table
            .head(&here, None, None, now_s())
            .await
            .expect_err("refused");
        assert_eq!(context_error(&refused), wanted, "{name}");
    }
    assert_eq!(
        table.head(&here, None, None, now_s()).await,
        Ok(HeadLookup::default())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_table_is_not_found() {
    let world = World::start().await;
    let here = world.conversation("any");
    let config = sdk_config(&Connection {
        endpoint: Some(world.context.url()),
        ..Connection::new("us-east-1", credentials("id", "secret", None))
    });
    let table = ContextTable::new(&config, "elsewhere");
    assert_eq!(table.items(&here).await, Err(ContextError::NotFound));
    assert_eq!(
        table.commit(&here, None, &commit(&here)).await,
        Err(ContextError::NotFound)
    );
    // Created, and created again.
    for _ in 0..2 {
        table.create().await.expect("created");
    }
    let outcome = table.commit(&here, None, &commit(&here)).await;
    assert_eq!(outcome, Ok(CommitOutcome::Committed));
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelled_transactions_are_told_apart() {
    let world = World::start().await;
    let here = world.conversation("cancelled");
    let table = world.context_table();
    let mut commit = commit(&here);
    commit.key = Some(record());
    let rows = [
        (["TransactionConflict", "None"], "throttled"),
        (["None", "ThrottlingError"], "throttled"),
        (["ProvisionedThroughputExceeded", "None"], "throttled"),
        (["ValidationError", "None"], "corrupt"),
        (["None", "None"], "unavailable"),
    ];
    for (codes, wanted) in rows {
        world.context.fail(0, cancelled(&codes));
        let refused = table
            .commit(&here, None, &commit)
            .await
            .expect_err("refused");
        assert_eq!(context_error(&refused), wanted, "{codes:?}");
    }
    // A condition that failed is an answer, whatever else was in the way.
    world.context.fail(
        0,
        cancelled(&["ConditionalCheckFailed", "TransactionConflict"]),
    );
    let refused = CommitOutcome::Refused {
        head: Some(None),
        key: None,
        state: None,
    };
    assert_eq!(table.commit(&here, None, &commit).await, Ok(refused));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_that_was_done_in_part_is_completed() {
    let world = World::start().await;
    let here = world.conversation("part");
    let table = world.context_table();
    let mut first = commit(&here);
    first.key = Some(record());
    let outcome = table.commit(&here, None, &first).await;
    assert_eq!(outcome, Ok(CommitOutcome::Committed));
    let whole = table
        .head(&here, None, Some(&record().key), now_s())
        .await
        .expect("both");
    assert!(whole.head.is_some() && whole.key.is_some());

    let partition = format!("{}#{}", here.memory, here.actor);
    let hex = record().key.0.map(|byte| format!("{byte:02x}")).concat();
    let keys: Vec<Value> = ["part#h#".to_owned(), format!("#key#part#{hex}")]
        .iter()
        .map(|sort| json!({"pk": {"S": partition}, "sk": {"S": sort}}))
        .collect();
    let left_out = Fault::Answer {
        status: 200,
        body: json!({
            "Responses": {"context": []},
            "UnprocessedKeys": {"context": {"Keys": keys, "ConsistentRead": true}},
        })
        .to_string(),
    };
    world
        .context
        .fail_each((0..2).map(|index| (index, left_out.clone())));
    let found = table.head(&here, None, Some(&record().key), now_s()).await;
    assert_eq!(found, Ok(whole));
    world
        .context
        .fail_each((0..9).map(|index| (index, left_out.clone())));
    let refused = table.head(&here, None, Some(&record().key), now_s()).await;
    assert_eq!(refused, Err(ContextError::Throttled));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_large_is_refused_by_name_and_unwritten() {
    let world = World::start().await;
    let here = world.conversation("large");
    let table = world.context_table();
    let large = "x".repeat(500_000);
    let mut system = commit(&here);
    system.system = Some(SystemWrite::Put(SystemMessage {
        content: vec![Content::Text {
            text: large.clone(),
            metadata: Fields::new(),
            extra: Fields::new(),
        }],
        ..SystemMessage::default()
    }));
    let mut state = commit(&here);
    state.states = vec![state_of("a", &large)];
    let mut agent = commit(&here);
    agent.states = vec![state_of(&"a".repeat(1_100), "x")];
    let mut many = commit(&here);
    many.states = (0..13)
        .map(|number| state_of(&format!("a{number}"), &"x".repeat(350_000)))
        .collect();
    let rows = [
        (system, "system message"),
        (state, "agent state"),
        (agent, "agent id"),
        (many, "commit"),
    ];
    for (commit, wanted) in rows {
        let refused = table.commit(&here, None, &commit).await;
        let Err(ContextError::TooLarge {
            item,
            size_bytes,
            limit_bytes,
        }) = refused
        else {
            panic!("{wanted}: {refused:?}")
        };
        assert_eq!(item, wanted);
        assert!(size_bytes > limit_bytes);
    }
    assert_eq!(
        table.head(&here, None, None, now_s()).await,
        Ok(HeadLookup::default())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_context_beyond_a_megabyte_is_read_to_its_end() {
    let world = World::start().await;
    let here = world.conversation("megabytes");
    let table = world.context_table();
    let mut large = commit(&here);
    // Just beyond what one answer holds: an attempt has three seconds, also on a busy machine.
    large.states = (0..3)
        .map(|number| state_of(&format!("a{number}"), &"x".repeat(360_000)))
        .collect();
    assert_eq!(
        table.commit(&here, None, &large).await,
        Ok(CommitOutcome::Committed)
    );
    world.context.clear();
    let items = table.items(&here).await.expect("items");
    assert_eq!((items.heads.len(), items.states.len()), (1, 3));
    assert!(
        items
            .states
            .values()
            .all(|state| state.value["x"].as_str().map(str::len) == Some(360_000))
    );
    let calls = world.context.operations();
    assert!(
        calls.len() > 1 && calls.iter().all(|call| call == "Query"),
        "{calls:?}"
    );
}

fn head(conversation: &Conversation) -> Head {
    Head {
        revision: 1,
        turn: TurnId::genesis(conversation),
        turns: 1,
        count: 1,
        tokens: 1,
        pins: 0,
        summarized: 0,
        last_ms: 1,
        last_event: None,
        fingerprint: [0; 32],
        system: [0; 8],
        recent: Vec::new(),
    }
}

fn commit(conversation: &Conversation) -> Commit {
    Commit {
        expected: HeadExpectation::Absent,
        head: head(conversation),
        system: None,
        states: Vec::new(),
        renew: Vec::new(),
        key: None,
        expires_at: now_s() + 86_400,
        now_s: now_s(),
        request_token: "request".to_owned(),
    }
}

fn record() -> KeyRecord {
    KeyRecord {
        key: KeyHash::new(None, "key"),
        body: [0; 32],
        head: head(&Conversation {
            memory: "m".to_owned(),
            actor: "a".to_owned(),
            session: "s".to_owned(),
        }),
        stored: 1,
        expires_at: now_s() + 86_400,
    }
}

fn state_of(agent: &str, text: &str) -> StateWrite {
    let Value::Object(value) = json!({"x": text}) else {
        panic!("an object")
    };
    StateWrite {
        agent: agent.to_owned(),
        value,
        expected_version: None,
    }
}

fn now_s() -> i64 {
    SystemClock::new().now_ms() / 1_000
}

fn cancelled(codes: &[&str]) -> Fault {
    let reasons: Vec<Value> = codes.iter().map(|code| json!({"Code": code})).collect();
    Fault::Answer {
        status: 400,
        body: json!({
            "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
            "Message": "Transaction cancelled",
            "CancellationReasons": reasons,
        })
        .to_string(),
    }
}

fn context_error(error: &ContextError) -> &'static str {
    match error {
        ContextError::NotFound => "not found",
        ContextError::Throttled => "throttled",
        ContextError::Unavailable { .. } => "unavailable",
        ContextError::AccessDenied => "denied",
        ContextError::TooLarge { .. } => "too large",
        ContextError::Corrupt { .. } => "corrupt",
    }
}
