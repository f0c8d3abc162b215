//! Blocks that a message holds as they are, looked at and written without parsing them.

use super::block::{BlockKind, kind_of};
use super::message::{MEMBERS, block_for_model};
use crate::json::escape::plain_len;
use crate::json::keys::Keys;
use crate::json::{self, Out};
use crate::model::{Json, View};

/// What a block is. Nearly all that is held is something else than these, and then a glance is enough.
pub(super) fn kind(block: &Json) -> BlockKind<'_> {
    const TELLING: Keys = Keys::of(&["text", "reasoningContent", "toolUse", "toolResult"]);
    if !block.may_have(TELLING) {
        return BlockKind::Other;
    }
    block.as_object().map_or(BlockKind::Other, kind_of)
}

/// Writes a block for a model: what [`block_for_model`] makes of it.
pub(super) fn write_for_model(out: &mut String, block: View<'_>) {
    if let Some((before, after)) = block.as_text().and_then(around_s3_location) {
        out.compact(before);
        out.syntax("\"source\":{\"s3Location\":{");
        return out.compact(after);
    }
    let mut members = block.members();
    let sole = match (members.next(), members.next()) {
        (sole, None) => sole,
        // Whatever stands beside the first of the members that Converse knows, a model does not see it.
        (Some(_), Some(_)) => MEMBERS
            .iter()
            .find_map(|key| Some(((*key).into(), block.member(key)?))),
        (None, Some(_)) => None,
    };
    let Some((key, value)) = sole else {
        // Nothing that Converse knows, so nothing to change.
        return write_tree_for_model(out, block);
    };
    out.syntax("{");
    json::string(out, &key);
    out.syntax(":");
    match &*key {
        "toolUse" if value.is_object() => {
            members_but(out, value, "reasoningSignature");
        }
        "toolResult" if value.is_object() => write_tool_result(out, value),
        "image" | "document" | "video" | "audio" if value.is_object() => write_media(out, value),
        _ => value.write(out),
    }
    out.syntax("}");
}

/// What stands before and behind the beginning of an S3 source, where a picture or a file is written as Strands does and so
/// simple that a glance can tell: nothing nested but the source and its location, both at the end, and beside them plain texts.
fn around_s3_location(json: &str) -> Option<(&str, &str)> {
    const LOCATION: &str = "\"source\":{\"location\":{\"type\":\"s3\",";
    let media = [
        "{\"image\":{",
        "{\"document\":{",
        "{\"video\":{",
        "{\"audio\":{",
    ];
    let mut rest = media.iter().find_map(|media| json.strip_prefix(media))?;
    let after = loop {
        match rest.strip_prefix(LOCATION) {
            Some(after) => break after,
            None => rest = behind_plain_member(rest)?.strip_prefix(',')?,
        }
    };
    let before = json.get(..json.len() - rest.len())?;
    let mut end = behind_plain_member(after)?;
    while let Some(next) = end.strip_prefix(',') {
        end = behind_plain_member(next)?;
    }
    (end == "}}}}").then_some((before, after))
}

/// What follows the member at the start of a text, where it is a text without escapes.
fn behind_plain_member(json: &str) -> Option<&str> {
    let value = behind_plain_text(json)?.strip_prefix(':')?;
    behind_plain_text(value)
}

fn behind_plain_text(json: &str) -> Option<&str> {
    let inside = json.strip_prefix('"')?;
    let behind = inside.get(plain_len(inside.as_bytes())..)?;
    behind.strip_prefix('"')
}

fn write_tree_for_model(out: &mut String, block: View<'_>) {
    if let serde_json::Value::Object(fields) = block.to_value() {
        json::object(out, &block_for_model(fields));
    }
}

fn write_tool_result(out: &mut String, fields: View<'_>) {
    out.syntax("{");
    for (index, (key, value)) in fields.members().enumerate() {
        out.comma(index);
        json::string(out, &key);
        out.syntax(":");
        if key != "content" || !value.is_array() {
            value.write(out);
            continue;
        }
        out.syntax("[");
        for (index, item) in value.elements().enumerate() {
            out.comma(index);
            if item.is_object() {
                write_for_model(out, item);
            } else {
                item.write(out);
            }
        }
        out.syntax("]");
    }
    out.syntax("}");
}

/// Writes a picture or a file, and spells an S3 source as the API does.
fn write_media(out: &mut String, fields: View<'_>) {
    out.syntax("{");
    for (index, (key, value)) in fields.members().enumerate() {
        out.comma(index);
        json::string(out, &key);
        out.syntax(":");
        if key == "source" && is_s3(value) {
            write_s3_source(out, value);
        } else {
            value.write(out);
        }
    }
    out.syntax("}");
}

fn is_s3(source: View<'_>) -> bool {
    let location = source.member("location");
    let kind = location.and_then(|location| location.member("type")?.text());
    kind.is_some_and(|kind| kind == "s3")
}

/// Writes a source with its location, now called otherwise, at the end.
fn write_s3_source(out: &mut String, source: View<'_>) {
    const NAME: &str = "s3Location";
    let mut location = None;
    let mut count = 0;
    out.syntax("{");
    for (key, value) in source.members() {
        if key == "location" {
            location = Some(value);
        } else if key != NAME {
            out.comma(count);
            json::view_member(out, &key, value);
            count += 1;
        }
    }
    if let Some(location) = location {
        out.comma(count);
        json::key(out, NAME);
        members_but(out, location, "type");
    }
    out.syntax("}");
}

/// Writes an object without one of its members.
fn members_but(out: &mut String, fields: View<'_>, left_out: &str) {
    out.syntax("{");
    let members = fields.members().filter(|(key, _)| key != left_out);
    for (index, (key, value)) in members.enumerate() {
        out.comma(index);
        json::view_member(out, &key, value);
    }
    out.syntax("}");
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{View, block_for_model, write_for_model};

    #[test]
    fn a_model_gets_the_same_of_a_text_and_of_a_tree() {
        let s3 = json!({"type": "s3", "uri": "s3://b/k", "bucketOwner": "1"});
        let blocks = [
            json!({"image": {"format": "png", "source": {"location": s3}}}),
            json!({"image": {"source": {"location": s3}}}),
            json!({"image": {"source": {"location": s3}, "format": "png"}}),
            json!({"image": {"format": "png", "source": {"location": s3, "more": 1}}}),
            json!({"image": {"format": "png", "source": {"more": 1, "location": s3}}}),
            json!({"image": {"format": "png", "source": {"location": s3, "s3Location": 1}}}),
            json!({"image": {"format": "p\"n", "source": {"location": s3}}}),
            json!({"image": {"format": "png", "source": {"location": {"uri": "u", "type": "s3"}}}}),
            json!({"image": {"format": "png", "source": {"location": {"type": "s3", "uri": "{\"}"}}}}),
            json!({"image": {"format": "png", "source": {"location": {"type": "s3"}}}}),
            json!({"image": {"format": "png", "source": {"location": {"type": "web", "uri": "u"}}}}),
            json!({"image": {"format": "png", "source": {"bytes": "AAE="}}}),
            json!({"image": {"nested": {"source": {"location": s3}}}}),
            json!({"other": {"source": {"location": s3}}}),
            json!({"video": {"format": "mp4", "source": {"location": s3}}, "beside": 1}),
            json!({"beside": {"a": 1}, "document": {"source": {"location": s3}}}),
            json!({"beside": 1, "more": 2}),
            json!({"toolUse": {"toolUseId": "t", "input": {}, "reasoningSignature": "s"}}),
            json!({"toolResult": {"content": [{"image": {"format": "x", "source": {"location": s3}}}, 1, {"text": "x", "y": 2}]}}),
            json!({"toolResult": {"content": "x"}}),
            json!({"toolResult": 1}),
            json!({"image": "x"}),
            json!({"text": "x"}),
            json!({}),
        ];
        for block in blocks {
            let Value::Object(fields) = &block else {
                continue;
            };
            let mut written = String::new();
            write_for_model(&mut written, View::of_text(&block.to_string()));
            let written: Value = serde_json::from_str(&written).unwrap();
            assert_eq!(written, Value::Object(block_for_model(fields.clone())));
        }
    }
}
