//! Blocks that a message holds as they are, looked at and written without parsing them.

use super::block::{BlockKind, kind_of};
use super::message::{MEMBERS, block_for_model};
use crate::json::{self, Out};
use crate::model::{Json, View};

/// What a block is. Nearly all that is held is something else than these, and then a glance is enough.
pub(super) fn kind(block: &Json) -> BlockKind<'_> {
    const TELLING: [&str; 4] = ["text", "reasoningContent", "toolUse", "toolResult"];
    if !TELLING.iter().any(|key| block.contains_key(key)) {
        return BlockKind::Other;
    }
    block.as_object().map_or(BlockKind::Other, kind_of)
}

/// Writes a block for a model: what [`block_for_model`] makes of it.
pub(super) fn write_for_model(out: &mut String, block: View<'_>) {
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
        let location = s3_location(value).filter(|_| key == "source");
        match location {
            Some(location) => write_s3_source(out, value, location),
            None => value.write(out),
        }
    }
    out.syntax("}");
}

fn s3_location(source: View<'_>) -> Option<View<'_>> {
    let location = source.member("location")?;
    let is_s3 = location.member("type")?.text()? == "s3";
    is_s3.then_some(location)
}

/// Writes a source with its location, now called otherwise, at the end; what has that name already is replaced by it.
fn write_s3_source(out: &mut String, source: View<'_>, location: View<'_>) {
    const NAME: &str = "s3Location";
    let mut written = false;
    out.syntax("{");
    for (index, (key, value)) in source
        .members()
        .filter(|(key, _)| key != "location")
        .enumerate()
    {
        out.comma(index);
        json::string(out, &key);
        out.syntax(":");
        written |= key == NAME;
        if key == NAME {
            members_but(out, location, "type");
        } else {
            value.write(out);
        }
    }
    if !written {
        let others = source.members().any(|(key, _)| key != "location");
        out.comma(usize::from(others));
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
