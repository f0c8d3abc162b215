//! Long-term strategies: described as given, and never run.

use serde_json::{Map, Value, json};

use crate::error::ApiError;
use crate::timestamp::render_seconds;
use crate::validate::{Violations, object_member, text_member};
use crate::world::Context;

const KINDS: [(&str, &str); 5] = [
    ("semanticMemoryStrategy", "SEMANTIC"),
    ("summaryMemoryStrategy", "SUMMARIZATION"),
    ("userPreferenceMemoryStrategy", "USER_PREFERENCE"),
    ("episodicMemoryStrategy", "EPISODIC"),
    ("customMemoryStrategy", "CUSTOM"),
];

/// The strategies of a request in the shape in which a memory lists them.
pub(super) fn render_strategies(
    strategies: &[Value],
    context: &Context<'_>,
) -> Result<Value, ApiError> {
    let mut violations = Violations::default();
    violations.length("memoryStrategies", strategies.len(), 0, 6);
    let mut rendered = Vec::new();
    for (index, strategy) in strategies.iter().enumerate() {
        let path = format!("memoryStrategies.{}.member", index + 1);
        let Some(strategy) = strategy.as_object() else {
            return Err(ApiError::cannot_parse(format!(
                "member '{path}' must be an object"
            )));
        };
        match KINDS
            .iter()
            .find(|(member, _)| strategy.contains_key(*member))
        {
            Some((member, kind)) => {
                let empty = Map::new();
                let input = object_member(strategy, member)?.unwrap_or(&empty);
                match text_member(input, "name")? {
                    Some(name) => rendered.push(render(name, kind, input, context)?),
                    None => violations.missing(&format!("{path}.{member}.name")),
                }
            }
            None => violations.add(path, "Exactly one member of the union must be set"),
        }
    }
    violations.finish()?;
    Ok(Value::Array(rendered))
}

fn render(
    name: &str,
    kind: &str,
    input: &Map<String, Value>,
    context: &Context<'_>,
) -> Result<Value, ApiError> {
    let at: Value = serde_json::from_str(&render_seconds(context.now))
        .map_err(|error| ApiError::cannot_parse(error.to_string()))?;
    let mut out = Map::new();
    out.insert(
        "strategyId".to_owned(),
        json!(format!("{name}-{}", context.world.random.alphanumeric(10))),
    );
    out.insert("name".to_owned(), json!(name));
    out.insert("type".to_owned(), json!(kind));
    for member in [
        "description",
        "namespaces",
        "namespaceTemplates",
        "configuration",
    ] {
        if let Some(value) = input.get(member) {
            out.insert(member.to_owned(), value.clone());
        }
    }
    out.entry("namespaces").or_insert_with(|| json!([]));
    out.insert("createdAt".to_owned(), at.clone());
    out.insert("updatedAt".to_owned(), at);
    out.insert("status".to_owned(), json!("ACTIVE"));
    Ok(Value::Object(out))
}
