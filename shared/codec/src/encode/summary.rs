//! The TOOL text beside tool results: what long-term memory may learn from them. It is never read back.

use crate::blank::is_blank;
use crate::model::{Content, ToolResult};

/// One line a block that says something, cut between two characters to at most `bytes` bytes; none where nothing is left to say.
pub(super) fn summary(results: &[ToolResult], bytes: usize) -> Option<String> {
    let mut summary = String::new();
    for block in results.iter().flat_map(|result| &result.content) {
        let mut written = String::new();
        let piece = piece(block, &mut written);
        if is_blank(piece) {
            continue;
        }
        let line_break = if summary.is_empty() { "" } else { "\n" };
        if !append(&mut summary, line_break, bytes) || !append(&mut summary, piece, bytes) {
            break;
        }
    }
    (!is_blank(&summary)).then_some(summary)
}

/// What a block says: text as it is, any other payload as compact JSON unless it is a text itself.
pub(super) fn piece<'a>(block: &'a Content, written: &'a mut String) -> &'a str {
    match block {
        Content::Text { text, .. } => return text,
        Content::Document { document, .. } => document.write(written),
        Content::Object { content: json, .. }
        | Content::Reasoning { payload: json, .. }
        | Content::Provider { payload: json, .. } => match json.view().text() {
            Some(text) => written.push_str(&text),
            None => json.write(written),
        },
        Content::Unknown(fields) => fields.write(written),
    }
    written
}

/// Appends as much of a piece as fits into so many bytes altogether, and says whether that was all of it.
fn append(summary: &mut String, piece: &str, bytes: usize) -> bool {
    let fits = piece.floor_char_boundary(bytes.saturating_sub(summary.len()));
    summary.push_str(piece.get(..fits).unwrap_or_default());
    fits == piece.len()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::summary;
    use crate::model::{Content, Fields, Json, ToolResult};

    fn result(content: Vec<Content>) -> ToolResult {
        ToolResult {
            content,
            ..ToolResult::default()
        }
    }

    #[test]
    fn blocks_of_all_results_are_joined_by_newlines() {
        let object = |content| Content::Object {
            content: Json::from(content),
            metadata: Fields::new(),
            extra: Fields::new(),
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
        for (bytes, cut) in [
            (1, None),
            (2, Some("ä")),
            (5, Some("äö")),
            (6, Some("äöü")),
            (9, Some("äöü")),
            (10, Some("äöü😀")),
            (11, Some("äöü😀\n")),
            (12, Some("äöü😀\nm")),
            (15, Some("äöü😀\nmore")),
        ] {
            assert_eq!(summary(&results, bytes).as_deref(), cut, "{bytes}");
        }
    }

    #[test]
    fn nothing_to_say_is_no_summary() {
        assert_eq!(summary(&[result(vec![Content::text("\n")])], 9), None);
        assert_eq!(summary(&[result(vec![Content::text("  x")])], 2), None);
        assert_eq!(summary(&[], 9), None);
    }
}
