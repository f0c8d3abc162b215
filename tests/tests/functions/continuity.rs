//! The functions as Lambda runs them: what one call stores, any later one gives back.

use serde_json::{Value, json};
use tests::lambda::{Deployment, Trigger, Wanted, texts, turn};

fn everything() -> Value {
    json!({"window": "none"})
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_remembers_a_name_and_a_food() {
    let deployment = Deployment::start().await;
    let said = turn(
        "My name is Alice and I love pizza",
        "Nice to meet you, Alice.",
    );
    let stored = deployment
        .ask(Trigger::HttpApi, &Wanted::store("alice", "monday", said))
        .await;
    assert_eq!(
        stored.success(Trigger::HttpApi)["context"]["storedMessageCount"],
        2
    );

    let asked = turn(
        "What is my name, and what do I like to eat?",
        "Alice, and pizza.",
    );
    let second = deployment
        .ask(Trigger::HttpApi, &Wanted::store("alice", "monday", asked))
        .await;
    assert_eq!(
        second.success(Trigger::HttpApi)["context"]["storedMessageCount"],
        4
    );

    let prompt = Wanted::load("alice", "monday", json!({"format": "prompt"}));
    let loaded = deployment
        .ask(Trigger::HttpApi, &prompt)
        .await
        .success(Trigger::HttpApi);
    let prompt = loaded["prompt"].as_str().unwrap();
    let name = prompt.find("My name is Alice and I love pizza").unwrap();
    assert!(name < prompt.find("Alice, and pizza.").unwrap(), "{prompt}");

    let other = deployment
        .ask(
            Trigger::HttpApi,
            &Wanted::load("alice", "tuesday", everything()),
        )
        .await;
    let other = other.success(Trigger::HttpApi);
    assert_eq!(
        (texts(&other).len(), &other["context"]["storedMessageCount"]),
        (0, &json!(0))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn all_triggers_reach_the_same_conversation() {
    let deployment = Deployment::start().await;
    let mut expected = Vec::new();
    for trigger in Trigger::ALL {
        let said = format!("by {}", trigger.name());
        let stored = deployment
            .ask(
                trigger,
                &Wanted::store("alice", "s", turn(&said, "so it is")),
            )
            .await;
        let stored = stored.success(trigger);
        expected.extend([said, "so it is".to_owned()]);
        assert_eq!(stored["context"]["storedMessageCount"], expected.len());

        let mut bodies = Vec::new();
        for trigger in Trigger::ALL {
            let fields = if trigger.is_http() {
                everything()
            } else {
                json!({"window": {"type": "none"}})
            };
            let loaded = deployment
                .ask(trigger, &Wanted::load("alice", "s", fields))
                .await;
            bodies.push(loaded.success(trigger));
        }
        assert_eq!(texts(&bodies[0]), expected);
        assert_eq!(bodies[0]["head"], stored["head"]);
        assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_examples_work_as_they_stand() {
    for trigger in Trigger::ALL {
        let deployment = Deployment::start().await;
        let stored = deployment
            .send("store", trigger.example("store"))
            .await
            .success(trigger);
        assert_eq!(
            (&stored["stored"], &stored["replayed"]),
            (&json!(2), &json!(false)),
            "{}",
            trigger.name()
        );
        let again = deployment
            .send("store", trigger.example("store"))
            .await
            .success(trigger);
        assert_eq!(
            (&again["replayed"], &again["head"]),
            (&json!(true), &stored["head"]),
            "{}",
            trigger.name()
        );
        let loaded = deployment
            .send("load", trigger.example("load"))
            .await
            .success(trigger);
        assert!(
            loaded.to_string().contains("I love pizza"),
            "{}: {loaded}",
            trigger.name()
        );
        assert_eq!(loaded["context"]["storedMessageCount"], 2);
        assert_eq!(loaded["head"], stored["head"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_workflow_uses_the_hook_defaults() {
    let deployment = Deployment::start().await;
    let mut event = turn("hello", "hello to you");
    event["user_id"] = "alice".into();
    event["agent_id"] = "helper".into();
    let stored = deployment.send("store", event).await.body();
    assert_eq!(stored["context"]["sessionId"], "alice_helper_default");
    let loaded = deployment
        .send("load", json!({"userId": "alice", "agentId": "helper"}))
        .await
        .body();
    assert_eq!(texts(&loaded), ["hello", "hello to you"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_state_and_the_system_message_come_back() {
    let deployment = Deployment::start().await;
    let mut fields = turn("hello", "hello to you");
    fields["systemMessage"] = "You are kind.".into();
    // Read from text: numbers come back as they were written.
    fields["state"] =
        serde_json::from_str(r#"{"helper":{"value":{"step":3,"rate":0.10}}}"#).unwrap();
    let stored = deployment
        .ask(Trigger::RestApi, &Wanted::store("a", "s", fields))
        .await;
    assert_eq!(stored.success(Trigger::RestApi)["stored"], 2);
    let loaded = deployment
        .ask(Trigger::RestApi, &Wanted::load("a", "s", json!({})))
        .await;
    let context = loaded.success(Trigger::RestApi)["context"].clone();
    assert_eq!(
        context["systemMessage"]["content"][0]["text"],
        "You are kind."
    );
    assert_eq!(
        context["state"]["helper"]["value"].to_string(),
        r#"{"step":3,"rate":0.10}"#
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_function_that_is_not_set_up_says_everything_that_is_missing() {
    let function = tests::lambda::Function::start("load", &[("DIALECT", "pirate")]).await;
    let start = std::time::Instant::now();
    let mut function = function;
    while function.is_running() && start.elapsed() < std::time::Duration::from_secs(10) {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert!(!function.is_running(), "it must not start");
    let said = function.written();
    for variable in ["MEMORY_ID", "CONTEXT_TABLE", "AWS_REGION", "DIALECT"] {
        assert!(said.contains(variable), "{said}");
    }
}
