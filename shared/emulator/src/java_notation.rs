//! The blob defect: documents come back from the service as text in the notation of Java's maps.

use serde_json::Value;

/// What the service returns for a document: text as it is, anything else as Java would print it.
pub(crate) fn mangle(document: &Value) -> Value {
    match document {
        Value::String(_) => document.clone(),
        other => Value::String(notation(other)),
    }
}

/// Java's own order of keys follows its hash tables; it is sorted here so that tests can be exact.
fn notation(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(notation).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(key, _)| *key);
            let members: Vec<String> = members
                .iter()
                .map(|(key, value)| format!("{key}={}", notation(value)))
                .collect();
            format!("{{{}}}", members.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn documents_become_text() {
        let table = [
            (
                json!({"role": "user", "content": "hi"}),
                "{content=hi, role=user}",
            ),
            (json!([1, "two", null, true]), "[1, two, null, true]"),
            (json!({"a": {"b": [1.5]}}), "{a={b=[1.5]}}"),
            (json!({}), "{}"),
            (json!(7), "7"),
            (json!("as it is"), "as it is"),
            (json!("{\"k\":1}"), "{\"k\":1}"),
        ];
        for (document, text) in table {
            assert_eq!(mangle(&document), json!(text), "{document}");
        }
    }
}
