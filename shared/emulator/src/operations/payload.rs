//! The payload list of an event.

use serde_json::{Map, Value, json};

use crate::error::ApiError;
use crate::java_notation::mangle;
use crate::switches::{Switches, TextUnit};
use crate::validate::{Violations, member, object_member, text_member};

const ROLES: [&str; 4] = ["ASSISTANT", "USER", "TOOL", "OTHER"];
const MOST_ITEMS: usize = 100;
const MOST_TEXT: usize = 100_000;
const MOST_JSON_BYTES: usize = 100_000;

/// Checks the items and gives the list in the form in which it will be served, and whether any item is
/// conversational.
pub(crate) fn render_payload(
    items: &[Value],
    switches: &Switches,
    violations: &mut Violations,
) -> Result<(String, bool), ApiError> {
    violations.length("payload", items.len(), 0, MOST_ITEMS);
    let mut conversational = false;
    let mut served = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let path = format!("payload.{}.member", index + 1);
        let Some(item) = item.as_object() else {
            return Err(ApiError::cannot_parse(format!(
                "member '{path}' must be an object"
            )));
        };
        conversational |= member(item, "conversational").is_some();
        served.push(serve_item(item, &path, switches, violations)?);
    }
    Ok((Value::Array(served).to_string(), conversational))
}

fn serve_item(
    item: &Map<String, Value>,
    path: &str,
    switches: &Switches,
    violations: &mut Violations,
) -> Result<Value, ApiError> {
    let members: Vec<&String> = item
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(key, _)| key)
        .collect();
    let [kind] = members.as_slice() else {
        violations.add(
            path,
            "Exactly one member of the union must be set: [conversational, blob, json]",
        );
        return Ok(Value::Null);
    };
    match kind.as_str() {
        "conversational" => serve_conversational(item, path, switches, violations),
        "blob" => {
            let blob = item.get("blob").unwrap_or(&Value::Null);
            Ok(json!({"blob": if switches.blob_defect { mangle(blob) } else { blob.clone() }}))
        }
        "json" => serve_json(item, path, switches, violations),
        other => {
            violations.add(
                path,
                format!(
                    "Unknown member of the union: {other}; known: [conversational, blob, json]"
                ),
            );
            Ok(Value::Null)
        }
    }
}

fn serve_conversational(
    item: &Map<String, Value>,
    path: &str,
    switches: &Switches,
    violations: &mut Violations,
) -> Result<Value, ApiError> {
    let empty = Map::new();
    let conversational = object_member(item, "conversational")?.unwrap_or(&empty);
    let role = text_member(conversational, "role")?;
    match role {
        Some(role) => violations.one_of(&format!("{path}.conversational.role"), role, &ROLES),
        None => violations.missing(&format!("{path}.conversational.role")),
    }
    let path = format!("{path}.conversational.content");
    let text = match object_member(conversational, "content")? {
        Some(content) => text_member(content, "text")?,
        None => None,
    };
    match text {
        Some(text) => violations.length(
            &format!("{path}.text"),
            measure(text, switches.text_unit),
            1,
            MOST_TEXT,
        ),
        None => violations.missing(&format!("{path}.text")),
    }
    Ok(json!({"conversational": {"content": {"text": text}, "role": role}}))
}

fn serve_json(
    item: &Map<String, Value>,
    path: &str,
    switches: &Switches,
    violations: &mut Violations,
) -> Result<Value, ApiError> {
    let empty = Map::new();
    let wrapper = object_member(item, "json")?.unwrap_or(&empty);
    let Some(content) = wrapper.get("content") else {
        violations.missing(&format!("{path}.json.content"));
        return Ok(Value::Null);
    };
    let size = content.to_string().len();
    violations.length(&format!("{path}.json.content"), size, 0, MOST_JSON_BYTES);
    let content = if switches.json_defect {
        mangle(content)
    } else {
        content.clone()
    };
    Ok(json!({"json": {"content": content}}))
}

fn measure(text: &str, unit: TextUnit) -> usize {
    match unit {
        TextUnit::Characters => text.chars().count(),
        TextUnit::Utf16 => text.encode_utf16().count(),
        TextUnit::Bytes => text.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(items: &Value, switches: &Switches) -> Result<String, ApiError> {
        let mut violations = Violations::default();
        let (text, _) = render_payload(items.as_array().unwrap(), switches, &mut violations)?;
        violations.finish().map(|()| text)
    }

    #[test]
    fn text_is_measured_in_the_chosen_unit() {
        let item =
            |text: String| json!([{"conversational": {"content": {"text": text}, "role": "USER"}}]);
        let measured = |text: &str, unit| {
            let switches = Switches {
                text_unit: unit,
                ..Switches::default()
            };
            check(&item(text.to_owned()), &switches).is_ok()
        };
        let (astral, umlauts) = ("😀".repeat(60_000), "ü".repeat(60_000));
        assert!(measured(&astral, TextUnit::Characters));
        assert!(!measured(&astral, TextUnit::Utf16));
        assert!(measured(&umlauts, TextUnit::Utf16));
        assert!(!measured(&umlauts, TextUnit::Bytes));
        assert!(check(&item("a".repeat(100_000)), &Switches::default()).is_ok());
        assert!(check(&item("a".repeat(100_001)), &Switches::default()).is_err());
        assert!(check(&item(String::new()), &Switches::default()).is_err());
    }

    #[test]
    fn unions_hold_exactly_one_known_member() {
        for items in [
            json!([{}]),
            json!([{"blob": "a", "json": {"content": 1}}]),
            json!([{"video": 1}]),
            json!([{"blob": null}]),
            json!([{"json": {}}]),
            json!([{"conversational": {"role": "USER"}}]),
            json!([{"conversational": {"content": {"text": "x"}, "role": "SYSTEM"}}]),
            json!(["text"]),
            json!([{"conversational": "text"}]),
        ] {
            assert!(check(&items, &Switches::default()).is_err(), "{items}");
        }
    }

    #[test]
    fn null_is_a_legal_json_content() {
        let exact = Switches {
            json_defect: false,
            ..Switches::default()
        };
        assert_eq!(
            check(&json!([{"json": {"content": null}}]), &exact).unwrap(),
            r#"[{"json":{"content":null}}]"#
        );
    }
}
