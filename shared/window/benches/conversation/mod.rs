//! Long conversations of one kind of agent, as two clients store them.

use codec::converse::{ConverseMessage, from_converse};
use codec::model::Message;
use codec::{Dialect, Event, Mode, decode, encode_json};
use serde_json::{Value, json};

/// How many messages one round of the agent is: a question, parallel calls and their results, a further call that
/// one of them made necessary, its result, an answer, a document, and what was seen in it.
const ROUND: usize = 8;

/// How many events a listing has a page.
const PAGE: usize = 100;

/// So many messages as pages of a listing, oldest first.
pub(crate) fn pages(count: usize, message: fn(usize) -> Message) -> Vec<String> {
    let messages: Vec<Message> = (0..count).map(message).collect();
    let pages: Vec<String> = messages.chunks(PAGE).map(page).collect();
    let loaded: Vec<Message> = pages.iter().flat_map(|page| read(page)).collect();
    assert_eq!(loaded, messages);
    pages
}

fn page(messages: &[Message]) -> String {
    let event = |message: &Message| {
        let payload = encode_json(message, Dialect::Camunda).unwrap().remove(0);
        format!("{{\"payload\":{payload}}}")
    };
    let events: Vec<String> = messages.iter().map(event).collect();
    format!("[{}]", events.join(","))
}

/// The messages of a page.
pub(crate) fn read(page: &str) -> Vec<Message> {
    let events: Vec<Event> = serde_json::from_str(page).unwrap();
    let decoded = |event| decode(event, Mode::Strict).unwrap().messages;
    events.iter().flat_map(decoded).collect()
}

/// As an agent on Strands stores it: Converse messages, with the usage the model told and reasoning.
pub(crate) fn strands(n: usize) -> Message {
    let message = ConverseMessage::from_value(strands_message(n)).unwrap();
    from_converse(&message).remove(0)
}

/// As Camunda stores it: names, ids, times and a document reference for which Converse has no place.
pub(crate) fn camunda(n: usize) -> Message {
    Message::try_from(camunda_message(n)).unwrap()
}

fn strands_message(n: usize) -> Value {
    let usage = json!({"usage": {"inputTokens": 1_200 + n, "outputTokens": 180 + n % 90, "totalTokens": 1_380 + n},
        "metrics": {"latencyMs": 900 + n % 700}});
    let id = format!("6f1c02d4-58a7-4b7e-9a51-{n:012}");
    match n % ROUND {
        0 => {
            json!({"role": "user", "content": [{"text": question(n)}], "tracking_id": id})
        }
        1 => json!({"role": "assistant", "content": [
            {"reasoningContent": {"reasoningText": {"text": thought(n), "signature": signature(n)}}},
            {"text": "Let me look that up for you."},
            {"toolUse": {"toolUseId": call_id(n, "a"), "name": "find_order", "input": find_order(n)}},
            {"toolUse": {"toolUseId": call_id(n, "b"), "name": "track_shipment", "input": track_shipment(n)}},
        ], "metadata": usage, "tracking_id": id}),
        2 => json!({"role": "user", "content": [
            {"toolResult": {"toolUseId": call_id(n - 1, "a"), "status": "success", "content": [{"json": order(n)}]}},
            {"toolResult": {"toolUseId": call_id(n - 1, "b"), "status": "success", "content": [{"text": TRACKING}]}},
        ], "tracking_id": id}),
        3 => json!({"role": "assistant", "content": [
            {"toolUse": {"toolUseId": call_id(n, "a"), "name": "nearest_shop", "input": {"zip": "1010", "country": "AT"}}},
        ], "metadata": usage, "tracking_id": id}),
        4 => json!({"role": "user", "content": [
            {"toolResult": {"toolUseId": call_id(n - 1, "a"), "status": "error", "content": [{"text": "timed out after 5 s"}]}},
        ], "tracking_id": id}),
        6 => json!({"role": "user", "content": [
            {"text": CARD},
            {"image": {"format": "jpeg", "source": {"location": {"type": "s3", "uri": format!("s3://uploads/cards/{n:012}.jpg")}}}},
        ], "tracking_id": id}),
        _ => {
            json!({"role": "assistant", "content": [{"text": answer(n)}], "metadata": usage, "tracking_id": id})
        }
    }
}

fn camunda_message(n: usize) -> Value {
    let time = format!(
        "2026-03-01T14:{:02}:{:02}.{:03}Z",
        n / 60 % 60,
        n % 60,
        n % 1_000
    );
    let model = "anthropic.claude-sonnet";
    let answer_id = format!("msg_{n:08}");
    let facts = json!({"timestamp": time, "framework": {"id": answer_id, "finishReason": "STOP",
        "tokenUsage": {"inputTokenCount": 1_200 + n, "outputTokenCount": 180 + n % 90}}});
    match n % ROUND {
        0 => {
            json!({"role": "user", "name": "Ann", "content": [{"type": "text", "text": question(n)}],
            "metadata": {"timestamp": time}})
        }
        1 => json!({"role": "assistant", "content": [
                {"type": "reasoning", "provider": "bedrock", "payload": {"reasoningText": {"text": thought(n), "signature": signature(n)}}},
                {"type": "text", "text": "Let me look that up for you."}],
            "toolCalls": [
                {"id": call_id(n, "a"), "name": "find_order", "arguments": find_order(n)},
                {"id": call_id(n, "b"), "name": "track_shipment", "arguments": track_shipment(n)}],
            "modelId": model, "messageId": answer_id, "stopReason": "TOOL_USE", "metadata": facts}),
        2 => json!({"role": "tool_call_result", "results": [
                {"id": call_id(n - 1, "a"), "name": "find_order", "content": [{"type": "object", "content": order(n)}],
                    "elementId": "find_order", "completedAt": time},
                {"id": call_id(n - 1, "b"), "name": "track_shipment", "content": [{"type": "text", "text": TRACKING}],
                    "elementId": "track_shipment", "completedAt": time}],
            "metadata": {"timestamp": time}}),
        3 => json!({"role": "assistant", "toolCalls": [
                {"id": call_id(n, "a"), "name": "nearest_shop", "arguments": {"zip": "1010", "country": "AT"}}],
            "modelId": model, "messageId": answer_id, "stopReason": "TOOL_USE", "metadata": facts}),
        4 => json!({"role": "tool_call_result", "results": [
                {"id": call_id(n - 1, "a"), "name": "nearest_shop", "content": [{"type": "text", "text": "timed out after 5 s"}],
                    "interrupted": true, "completedAt": time}],
            "metadata": {"timestamp": time}}),
        6 => json!({"role": "user", "name": "Ann", "content": [
                {"type": "text", "text": CARD},
                {"type": "document", "document": {"camunda.document.type": "camunda", "storeId": "aws-s3",
                    "documentId": format!("0d4a4a0e-1b1f-4b9d-9f5e-{n:012}"), "contentHash": "5f2b0c9e8d7a6b5c4d3e2f1a0b9c8d7e",
                    "metadata": {"contentType": "image/jpeg", "size": 482_113, "fileName": "card.jpg"}}}],
            "metadata": {"timestamp": time}}),
        _ => {
            json!({"role": "assistant", "content": [{"type": "text", "text": answer(n)}],
            "modelId": model, "messageId": answer_id, "stopReason": "STOP", "metadata": facts})
        }
    }
}

fn call_id(n: usize, which: &str) -> String {
    format!("tooluse_{n:012}{which}")
}

fn question(n: usize) -> String {
    format!(
        "Hi, my order {} still has not arrived. The \"track\" page says it left the warehouse last week, but nothing has \
         changed since then. Could you look into it and tell me when it will get here?",
        40_000 + n
    )
}

fn thought(n: usize) -> String {
    format!(
        "The user asks about order {}. I need the order itself and the state of its shipment; both can be fetched at once.",
        40_000 + n
    )
}

fn signature(n: usize) -> String {
    format!("{n:08}").repeat(16)
}

fn find_order(n: usize) -> Value {
    json!({"orderId": (40_000 + n).to_string(), "include": ["items", "shipments"], "locale": "en-GB"})
}

fn track_shipment(n: usize) -> Value {
    json!({"carrier": "DHL", "trackingNumber": format!("JJD{n:014}"), "verbose": true})
}

fn order(n: usize) -> Value {
    json!({"orderId": 40_000 + n, "status": "SHIPPED", "currency": "EUR", "total": 129.95, "items": [
            {"sku": "KB-2231", "title": "Mechanical keyboard, \"brown\" switches", "quantity": 1, "price": 99.95},
            {"sku": "CB-0107", "title": "USB-C cable, 2 m", "quantity": 2, "price": 15.00}],
        "address": {"street": "Hauptstraße 12", "city": "Wien", "zip": "1010", "country": "AT"}})
}

const TRACKING: &str = "2026-02-24 08:12 Picked up\n2026-02-24 19:40 Departed facility, Leipzig\n2026-02-26 05:03 \
    Arrived, Wien\n2026-02-27 07:55 Out for delivery\n2026-02-27 18:20 Delivery attempted, recipient not available";

const CARD: &str =
    "Here is the card the driver left. Does it say which shop I can collect it from?";

fn answer(n: usize) -> String {
    format!(
        "Good news: order **{}** is close to you.\n\n- It left the warehouse on 24 February.\n- It reached Wien on 26 February \
         and went out for delivery the next morning.\n- The driver could not reach anyone at 18:20, so the parcel is held at \
         the nearest shop.\n\nYou can collect it until 6 March with your ID and the card the driver left. If you would rather \
         have it delivered again, tell me a day and I will book it; there is no extra charge.",
        40_000 + n
    )
}

/// As a chat front end stores it: what was said, and now and then a call with its result.
pub(crate) fn chat(n: usize) -> Message {
    Message::try_from(chat_message(n)).unwrap()
}

fn chat_message(n: usize) -> Value {
    let text = |text: String| json!([{"type": "text", "text": text}]);
    match n % 10 {
        5 => json!({"role": "assistant", "toolCalls": [
            {"id": call_id(n, "a"), "name": "find_order", "arguments": {"orderId": (40_000 + n).to_string()}}]}),
        6 => json!({"role": "tool_call_result", "results": [
            {"id": call_id(n - 1, "a"), "name": "find_order", "content": [{"type": "text", "text": "shipped on 24 February, in Wien since the 26th"}]}]}),
        even if even % 2 == 0 => json!({"role": "user", "content": text(format!(
            "And what about order {}? The page says it left the warehouse last week, but nothing has changed.", 40_000 + n))}),
        _ => json!({"role": "assistant", "content": text(format!(
            "Order {} is close to you: it reached Wien on 26 February and went out for delivery the next morning. \
             The driver could not reach anyone, so the parcel is held at the nearest shop until 6 March.", 40_000 + n))}),
    }
}
