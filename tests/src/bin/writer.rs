//! A process that stores turns until it is killed, and says on its standard output which of them were
//! acknowledged.

// The protocol with the test that started it is the standard output.
#![allow(clippy::print_stdout, clippy::expect_used)]
// The SDK makes futures large, and nothing here copies them often.
#![allow(clippy::large_futures)]

use std::io::Write as _;
use std::time::Duration;

use conversation::{Conversation, Settings, StoreRequest, store};
use emulator::DEFAULT_MEMORY_ID;
use tests::{messages::turn, ports};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, events, context, session, name, tokens] = arguments.as_slice() else {
        println!("usage: writer EVENTS_URL CONTEXT_URL SESSION NAME tokens|none");
        return;
    };
    let ports = ports(events, context);
    let conversation = Conversation {
        memory: DEFAULT_MEMORY_ID.to_owned(),
        actor: "alice".to_owned(),
        session: session.clone(),
    };
    let mut head = None;
    for number in 1.. {
        let name = format!("{name}.{number}");
        let messages = turn(&name, 1 + number % 4);
        let request = StoreRequest {
            head: head.take(),
            ..StoreRequest::append(conversation.clone(), messages, Duration::from_secs(10))
        };
        say(&format!("begin {name}"));
        let stored = store(&ports, &Settings::default(), request)
            .await
            .expect("stored");
        say(&format!("done {name}"));
        head = (tokens == "tokens").then_some(stored.head);
    }
}

/// What is said counts from the moment it is out, whatever happens next.
fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").expect("the test listens");
    out.flush().expect("the test listens");
}
