//! The TOOL text beside tool results: what long-term memory may learn from them. It is never read back.

use serde_json::Value;

use super::json;
use crate::blank::is_blank;
use crate::model::{Content, ToolResult};

/// One line a block that says something, cut to `chars` characters; none where nothing is left to say.
pub(super) fn summary(results: &[ToolResult], chars: usize) -> Option<String> {
    let mut summary = String::new();
    let mut left = chars;
    for block in results.iter().flat_map(|result| &result.content) {
        let mut written = String::new();
        let piece = piece(block, &mut written);
        if is_blank(piece) {
            continue;
        }
        if !summary.is_empty() {
            left = append(&mut summary, "\n", left);
        }
        left = append(&mut summary, piece, left);
        if left == 0 {
            break;
        }
    }
    (!is_blank(&summary)).then_some(summary)
}

/// What a block says: text as it is, any other payload as compact JSON unless it is a text itself.
pub(super) fn piece<'a>(block: &'a Content, written: &'a mut String) -> &'a str {
    match block {
        Content::Text { text, .. }
        | Content::Object {
            content: Value::String(text),
            ..
        }
        | Content::Reasoning {
            payload: Value::String(text),
            ..
        }
        | Content::Provider {
            payload: Value::String(text),
            ..
        } => return text,
        Content::Document {
            document: value, ..
        }
        | Content::Object { content: value, .. }
        | Content::Reasoning { payload: value, .. }
        | Content::Provider { payload: value, .. } => json::value(written, value),
        Content::Unknown(fields) => json::object(written, fields),
    }
    written
}

/// Appends as many characters as may be, and gives how many may follow.
fn append(summary: &mut String, piece: &str, left: usize) -> usize {
    if piece.len() <= left {
        summary.push_str(piece);
        return left - piece.chars().count();
    }
    let mut left = left;
    for c in piece.chars() {
        if left == 0 {
            break;
        }
        summary.push(c);
        left -= 1;
    }
    left
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::summary;
    use crate::model::{Content, Object, ToolResult};

    fn result(content: Vec<Content>) -> ToolResult {
        ToolResult {
            content,
            ..ToolResult::default()
        }
    }

    #[test]
    fn blocks_of_all_results_are_joined_by_newlines() {
        let object = |content| Content::Object {
            content,
            metadata: Object::new(),
            extra: Object::new(),
        };
        let results = [
            result(vec![Content::text("one"), Content::text(" \t")]),
            result(vec![object(json!("two")), object(json!({"n": 3}))]),
        ];
        assert_eq!(
            summary(&results, 100).as_deref(),
            Some("one\ntwo\n{\"n\":3}")
        );
    }

    #[test]
    fn it_is_cut_between_characters() {
        let results = [result(vec![Content::text("äöü😀"), Content::text("more")])];
        assert_eq!(summary(&results, 4).as_deref(), Some("äöü😀"));
        assert_eq!(summary(&results, 3).as_deref(), Some("äöü"));
        assert_eq!(summary(&results, 6).as_deref(), Some("äöü😀\nm"));
    }

    #[test]
    fn nothing_to_say_is_no_summary() {
        assert_eq!(summary(&[result(vec![Content::text("\n")])], 9), None);
        assert_eq!(summary(&[result(vec![Content::text("  x")])], 2), None);
        assert_eq!(summary(&[], 9), None);
    }
}
