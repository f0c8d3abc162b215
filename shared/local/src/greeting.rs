//! What the program says once it runs.

use crate::options::Options;
use crate::stack::Stack;

/// A few lines: what runs where, and two commands that store a turn and load it again. They are written to be
/// pasted as they are.
#[must_use]
pub fn greeting(stack: &Stack, options: &Options) -> String {
    let kept = match options.directory() {
        Some(directory) => format!("conversations are kept in {}", directory.display()),
        None => "nothing is kept after it ends".to_owned(),
    };
    let url = stack.url();
    format!(
        "Colloquy is running; {kept}. Ctrl-C ends it.
  HTTP API          {url}
  AgentCore Memory  {agentcore}
  DynamoDB          {dynamodb}

Store a turn:
  curl -s {url}/v1/actors/me/sessions/first/messages -H 'x-actor-id: me' -d '{TURN}'

Load it again:
  curl -s '{url}/v1/actors/me/sessions/first?window=turns:10' -H 'x-actor-id: me'
",
        agentcore = stack.agentcore_url(),
        dynamodb = stack.dynamodb_url(),
    )
}

const TURN: &str = concat!(
    r#"{"messages":[{"role":"user","content":[{"type":"text","text":"My name is Ada."}]},"#,
    r#"{"role":"assistant","content":[{"type":"text","text":"Nice to meet you, Ada."}]}]}"#
);
