//! Messages survive being written as events and read back.

use codec::model::Message;
use codec::{Decoded, Dialect, Event, Mode, Payload, decode, encode, join};
use serde_json::{Value, json};

fn message(value: Value) -> Message {
    Message::try_from(value).unwrap()
}

/// Writes items as the API does and reads them as an event.
fn over_the_wire(payload: &[Payload]) -> Event {
    let text = serde_json::to_string(&json!({"eventId": "1#a", "payload": payload})).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn decoded(events: &[Vec<Payload>]) -> Decoded {
    join(
        events
            .iter()
            .map(|event| decode(&over_the_wire(event), Mode::Strict).unwrap())
            .collect(),
    )
}

#[test]
fn a_message_with_everything_survives() {
    for value in [
        json!({"role":"user","name":"Ann","content":[{"type":"text","text":"hi"},{"type":"text","text":" "},
            {"type":"novel","x":null},{"type":"text","text":"m","metadata":{"a":null}}],
            "metadata":{"k":null,"n":12345678901234567890123u128 as f64},"unknown":null}),
        json!({"role":"assistant","content":[{"type":"provider","provider":"colloquy","payload":{"type":"text","text":"x"}}],
            "toolCalls":[{"id":"1","name":"f","arguments":{"a":null,"b":{"c":null}},"x":1}],"modelId":"m","stopReason":"weird"}),
        json!({"role":"tool_call_result","results":[{"id":"1","name":"f","content":[{"type":"text","text":"r"}],"interrupted":true,"p":null},
            {"content":[]}]}),
        json!({"role":"user"}),
    ] {
        let message = message(value);
        let events = encode(&message, Dialect::Camunda).unwrap();
        assert_eq!(events.len(), 1);
        let back = decoded(&events);
        assert_eq!(back.notes, []);
        assert_eq!(back.messages, [message]);
    }
}
