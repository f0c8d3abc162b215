//! Shorter tool results, for callers who ask for them. What is stored stays as it is.

use codec::model::{Content, Message};
use serde_json::Value;

/// A text of up to this many characters is left alone.
const LONGEST: usize = 400;
/// How much of a longer one stays at each end.
const END: usize = 200;
/// Marks a text that was shortened before; it is not shortened again.
const MARKER: &str = "... [truncated:";

/// Shortens the tool results among `messages`; how many items it changed.
pub fn tool_results(messages: &mut [Message]) -> usize {
    let results = messages.iter_mut().filter_map(|message| match message {
        Message::ToolResult(answer) => Some(&mut answer.results),
        _ => None,
    });
    let items = results.flatten().flat_map(|result| &mut result.content);
    items.filter_map(shorten).count()
}

/// The two ends of a text of more than `longest` characters, `end` characters each, and between them what
/// `mark` makes of the number left out; nothing for a text that is short enough.
#[must_use]
pub fn middle(
    text: &str,
    longest: usize,
    end: usize,
    mark: impl FnOnce(usize) -> String,
) -> Option<String> {
    let length = text.chars().count();
    let removed = length.checked_sub(2 * end)?;
    if length <= longest || removed == 0 {
        return None;
    }
    let head: String = text.chars().take(end).collect();
    let tail: String = text.chars().skip(length - end).collect();
    Some(format!("{head}{}{tail}", mark(removed)))
}

fn shorten(content: &mut Content) -> Option<()> {
    let short = match content {
        Content::Text { text, .. } => shorter_text(text)?,
        Content::Provider { payload, .. } if payload.contains_key("image") => {
            placeholder(payload.get("image")?)?
        }
        _ => return None,
    };
    match content {
        // The block's own metadata still belongs to what is left of the text.
        Content::Text { text, .. } => *text = short,
        other => *other = Content::text(short),
    }
    Some(())
}

fn shorter_text(text: &str) -> Option<String> {
    if text.contains(MARKER) {
        return None;
    }
    middle(text, LONGEST, END, |removed| {
        format!("\n{MARKER} {removed} characters removed] ...\n")
    })
}

fn placeholder(image: &Value) -> Option<String> {
    let format = image.get("format")?.as_str()?;
    let bytes = image.pointer("/source/bytes");
    let base64 = bytes.and_then(|bytes| bytes.as_str().or_else(|| bytes.get("data")?.as_str()));
    Some(match base64 {
        Some(base64) => format!("[image: {format}, {} bytes]", decoded_length(base64)),
        None => format!("[image: {format}]"),
    })
}

/// How many bytes a padded base64 text stands for.
fn decoded_length(base64: &str) -> usize {
    base64.trim_end_matches('=').len() * 3 / 4
}

#[cfg(test)]
mod tests {
    use codec::model::{Fields, ToolResult, ToolResultMessage};
    use serde_json::json;

    use super::*;

    fn answer(content: Vec<Content>) -> Vec<Message> {
        let results = vec![ToolResult {
            content,
            ..ToolResult::default()
        }];
        vec![Message::ToolResult(ToolResultMessage {
            results,
            ..ToolResultMessage::default()
        })]
    }

    fn content(messages: &[Message]) -> &[Content] {
        match messages {
            [Message::ToolResult(answer)] => &answer.results[0].content,
            _ => panic!("one tool result message"),
        }
    }

    #[test]
    fn a_text_of_400_characters_stays_and_401_is_cut() {
        let mut messages = answer(vec![
            Content::text("é".repeat(400)),
            Content::text(format!("{}{}{}", "a".repeat(200), "b", "c".repeat(200))),
        ]);
        assert_eq!(tool_results(&mut messages), 1);
        let expected = format!(
            "{}\n... [truncated: 1 characters removed] ...\n{}",
            "a".repeat(200),
            "c".repeat(200)
        );
        assert_eq!(
            content(&messages),
            [Content::text("é".repeat(400)), Content::text(expected)]
        );
    }

    #[test]
    fn a_shortened_text_is_not_shortened_again() {
        let mut messages = answer(vec![Content::text("x".repeat(10_000))]);
        assert_eq!(tool_results(&mut messages), 1);
        let once = messages.clone();
        assert_eq!(tool_results(&mut messages), 0);
        assert_eq!(messages, once);
    }

    #[test]
    fn an_image_becomes_a_placeholder_and_json_stays() {
        let image = |bytes: Value| Content::Provider {
            provider: "bedrock".into(),
            payload: json!({"image": {"format": "png", "source": {"bytes": bytes}}}).into(),
            metadata: Fields::new(),
            extra: Fields::new(),
        };
        let object = Content::Object {
            content: json!({"rows": vec![1; 500]}).into(),
            metadata: Fields::new(),
            extra: Fields::new(),
        };
        let marker = json!({"__bytes_encoded__": true, "data": "AAE="});
        let mut messages = answer(vec![image(marker), image(json!("AAEC")), object.clone()]);
        assert_eq!(tool_results(&mut messages), 2);
        let expected = [
            Content::text("[image: png, 2 bytes]"),
            Content::text("[image: png, 3 bytes]"),
            object,
        ];
        assert_eq!(content(&messages), expected);
    }
}
