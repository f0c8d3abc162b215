//! The conversation both benchmarks use: 1 000 messages, a third of which call tools or answer such calls.

use codec::model::Message;
use codec::{Dialect, encode};
use serde_json::{Value, json};

/// The events of the conversation, as a listing returns them.
pub(crate) fn events() -> Vec<Vec<u8>> {
    let event = |(n, message): (usize, &Message)| {
        let payload = encode(message, Dialect::Camunda).unwrap().remove(0);
        let event = json!({
            "memoryId": "conversations-a1b2c3d4e5",
            "actorId": "customer-20394",
            "sessionId": "0f3c1a52-7c1e-4b9a-8a65-0d2f7f1f9b11",
            "eventId": format!("{:019}#{:08x}", 1_772_375_782_346_u64 + n as u64, n * 7_919),
            "eventTimestamp": 1_772_375_782.346 + n as f64,
            "payload": payload,
            "branch": {"name": "main"},
            "metadata": {"seq": {"stringValue": n.to_string()}, "part": {"stringValue": "1/1"}},
        });
        serde_json::to_vec(&event).unwrap()
    };
    conversation().iter().enumerate().map(event).collect()
}

/// The messages.
pub(crate) fn conversation() -> Vec<Message> {
    (0..1_000)
        .map(|n| Message::try_from(message(n)).unwrap())
        .collect()
}

fn message(n: usize) -> Value {
    let time = format!(
        "2026-03-01T14:{:02}:{:02}.{:03}Z",
        n / 60 % 60,
        n % 60,
        n % 1_000
    );
    let order = 40_000 + n;
    let framework = json!({"id": format!("msg_{n:08}"), "model": "anthropic.claude-sonnet", "finishReason": "STOP",
        "tokenUsage": {"inputTokenCount": 1_200 + n, "outputTokenCount": 180 + n % 90}});
    match n % 6 {
        0 => json!({"role": "user", "content": [{"type": "text", "text": format!(
            "Hi, my order {order} still has not arrived. The \"track\" page says it left the warehouse last week, \
             but nothing has changed since then. Could you look into it and tell me when it will get here?")}],
            "metadata": {"timestamp": time}}),
        1 => {
            json!({"role": "assistant", "content": [{"type": "text", "text": "Let me look that up for you."}],
            "toolCalls": [
                {"id": format!("toolu_{n:012}"), "name": "find_order", "arguments": {"orderId": order.to_string(),
                    "include": ["items", "shipments"], "locale": "en-GB"}},
                {"id": format!("toolu_{n:012}b"), "name": "track_shipment", "arguments": {"carrier": "DHL",
                    "trackingNumber": format!("JJD{order:014}"), "verbose": true}}],
            "modelId": "anthropic.claude-sonnet", "messageId": format!("msg_{n:08}"), "stopReason": "TOOL_USE",
            "metadata": {"timestamp": time, "framework": framework}})
        }
        2 => json!({"role": "tool_call_result", "results": [
            {"id": format!("toolu_{:012}", n - 1), "name": "find_order", "content": [{"type": "object", "content": {
                "orderId": order, "status": "SHIPPED", "currency": "EUR", "total": 129.95, "items": [
                    {"sku": "KB-2231", "title": "Mechanical keyboard, \"brown\" switches", "quantity": 1, "price": 99.95},
                    {"sku": "CB-0107", "title": "USB-C cable, 2 m", "quantity": 2, "price": 15.00}],
                "address": {"street": "Hauptstraße 12", "city": "Wien", "zip": "1010", "country": "AT"}}}],
                "completedAt": time},
            {"id": format!("toolu_{:012}b", n - 1), "name": "track_shipment", "content": [{"type": "text", "text":
                "2026-02-24 08:12 Picked up\n2026-02-24 19:40 Departed facility, Leipzig\n2026-02-26 05:03 Arrived, Wien\n\
                 2026-02-27 07:55 Out for delivery\n2026-02-27 18:20 Delivery attempted, recipient not available"}],
                "completedAt": time}],
            "metadata": {"timestamp": time}}),
        4 => json!({"role": "user", "content": [
            {"type": "text", "text": "Here is the card the driver left. Does it say which shop I can collect it from?"},
            {"type": "document", "document": {"camunda.document.type": "camunda", "storeId": "aws-s3",
                "documentId": format!("0d4a4a0e-1b1f-4b9d-9f5e-{n:012}"), "contentHash": "5f2b0c9e8d7a6b5c4d3e2f1a0b9c8d7e",
                "metadata": {"contentType": "image/jpeg", "size": 482_113, "fileName": "card.jpg"}}}],
            "metadata": {"timestamp": time}}),
        _ => json!({"role": "assistant", "content": [{"type": "text", "text": format!(
            "Good news: order **{order}** is close to you.\n\n- It left the warehouse on 24 February.\n- It reached Wien on \
             26 February and went out for delivery the next morning.\n- The driver could not reach anyone at 18:20, so the \
             parcel is held at the nearest shop.\n\nYou can collect it until 6 March with your ID and the card the driver \
             left. If you would rather have it delivered again, tell me a day and I will book it; there is no extra charge. \
             I am sorry that the tracking page did not say so more clearly.")}],
            "modelId": "anthropic.claude-sonnet", "messageId": format!("msg_{n:08}"), "stopReason": "STOP",
            "metadata": {"timestamp": time, "framework": framework}}),
    }
}
