//! The difference between two JSON values, small and exact.
//!
//! ```text
//! patch  = {"put": {key: value…}, "drop": [key…], "edit": {key: patch…}}   an object, each part optional
//!        | {"list": [entry…]}                                              an array
//!        | {"is": value}                                                   anything else
//! entry  = i | [i, patch] | {"new": value}           item i of the old array: as it was, edited; a new item
//! ```
//!
//! An item of the old array is used at most once, so what a patch builds is never larger than the two together.
//! Equal values have equal patches, whatever the order of their keys: hints are compared.

use std::collections::{HashMap, VecDeque};

use serde_json::{Value, json};

use crate::model::Object;

/// Deeper values are replaced whole. The fields that differ between two messages lie above that,
/// and the bound keeps the work linear: comparing goes over a value once for each level.
const MAX_DEPTH: usize = 8;

/// The patch that turns `old` into `new`.
pub(super) fn diff(old: &Value, new: &Value) -> Value {
    diff_at(old, new, 0)
}

/// What `patch` makes of `old`, or nothing where it is no patch or does not fit.
pub(super) fn apply(old: Value, patch: &Value) -> Option<Value> {
    apply_at(old, patch, 0)
}

fn diff_at(old: &Value, new: &Value, depth: usize) -> Value {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) if depth < MAX_DEPTH => {
            diff_objects(old, new, depth)
        }
        (Value::Array(old), Value::Array(new)) if depth < MAX_DEPTH => {
            json!({ "list": diff_arrays(old, new, depth) })
        }
        _ => json!({ "is": new }),
    }
}

fn diff_objects(old: &Object, new: &Object, depth: usize) -> Value {
    let mut put = Object::new();
    let mut edit = Object::new();
    for (key, value) in new {
        match old.get(key) {
            Some(before) if before == value => {}
            Some(before @ (Value::Object(_) | Value::Array(_)))
                if before.is_object() == value.is_object()
                    && before.is_array() == value.is_array() =>
            {
                edit.insert(key.clone(), diff_at(before, value, depth + 1));
            }
            _ => {
                put.insert(key.clone(), value.clone());
            }
        }
    }
    let mut drop: Vec<&String> = old.keys().filter(|key| !new.contains_key(*key)).collect();
    drop.sort_unstable();
    let mut patch = Object::new();
    if !put.is_empty() {
        patch.insert("put".to_owned(), Value::Object(put));
    }
    if !drop.is_empty() {
        patch.insert("drop".to_owned(), json!(drop));
    }
    if !edit.is_empty() {
        patch.insert("edit".to_owned(), Value::Object(edit));
    }
    Value::Object(patch)
}

/// Equal items are found wherever they moved to; the rest are paired, in order, with old items of the same kind.
fn diff_arrays(old: &[Value], new: &[Value], depth: usize) -> Vec<Value> {
    let mut places: HashMap<String, VecDeque<usize>> = HashMap::new();
    for (index, item) in old.iter().enumerate() {
        places.entry(canonical(item)).or_default().push_back(index);
    }
    let same: Vec<Option<usize>> = new
        .iter()
        .map(|item| places.get_mut(&canonical(item))?.pop_front())
        .collect();
    let mut left: HashMap<&str, VecDeque<usize>> = HashMap::new();
    let mut unused: Vec<usize> = places.into_values().flatten().collect();
    unused.sort_unstable();
    for index in unused {
        if let Some(kind) = old.get(index).and_then(kind) {
            left.entry(kind).or_default().push_back(index);
        }
    }
    let entry = |(item, same): (&Value, Option<usize>)| {
        if let Some(index) = same {
            return json!(index);
        }
        let paired = kind(item).and_then(|kind| left.get_mut(kind)?.pop_front());
        match paired.and_then(|index| Some((index, old.get(index)?))) {
            Some((index, before)) => json!([index, diff_at(before, item, depth + 1)]),
            None => json!({ "new": item }),
        }
    };
    new.iter().zip(same).map(entry).collect()
}

/// One text for all values that are equal: the order of keys does not count.
fn canonical(value: &Value) -> String {
    let mut value = value.clone();
    value.sort_all_objects();
    value.to_string()
}

/// What an object is, as far as its `type` or its first key tells: only likes are worth editing into each other.
fn kind(item: &Value) -> Option<&str> {
    let fields = item.as_object()?;
    match fields.get("type") {
        Some(Value::String(kind)) => Some(kind),
        _ => fields.keys().min().map(String::as_str),
    }
}

fn apply_at(old: Value, patch: &Value, depth: usize) -> Option<Value> {
    let parts = patch.as_object()?;
    if let Some(value) = parts.get("is") {
        return (parts.len() == 1).then(|| value.clone());
    }
    if depth >= MAX_DEPTH {
        return None;
    }
    match old {
        Value::Object(fields) => apply_to_object(fields, parts, depth).map(Value::Object),
        Value::Array(items) => {
            let entries = parts.get("list")?.as_array()?;
            apply_to_array(items, entries, depth).map(Value::Array)
        }
        _ => None,
    }
}

fn apply_to_object(mut fields: Object, parts: &Object, depth: usize) -> Option<Object> {
    if let Some(edit) = parts.get("edit") {
        for (key, patch) in edit.as_object()? {
            let value = fields.get_mut(key)?;
            *value = apply_at(value.take(), patch, depth + 1)?;
        }
    }
    if let Some(drop) = parts.get("drop") {
        let drop: std::collections::HashSet<&str> = drop
            .as_array()?
            .iter()
            .map(Value::as_str)
            .collect::<Option<_>>()?;
        fields.retain(|key, _| !drop.contains(key.as_str()));
    }
    if let Some(put) = parts.get("put") {
        for (key, value) in put.as_object()? {
            fields.insert(key.clone(), value.clone());
        }
    }
    Some(fields)
}

fn apply_to_array(items: Vec<Value>, entries: &[Value], depth: usize) -> Option<Vec<Value>> {
    let mut items: Vec<Option<Value>> = items.into_iter().map(Some).collect();
    let mut take = |index: &Value| {
        items
            .get_mut(usize::try_from(index.as_u64()?).ok()?)?
            .take()
    };
    let mut built = Vec::with_capacity(entries.len());
    for entry in entries {
        built.push(match entry {
            Value::Number(_) => take(entry)?,
            Value::Array(edited) => match edited.as_slice() {
                [index, patch] => apply_at(take(index)?, patch, depth + 1)?,
                _ => return None,
            },
            Value::Object(new) if new.len() == 1 => new.get("new")?.clone(),
            _ => return None,
        });
    }
    Some(built)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: Value, new: &Value, expected: &Value) {
        let patch = diff(&old, new);
        assert_eq!(&patch, expected);
        assert_eq!(apply(old, &patch).as_ref(), Some(new));
    }

    #[test]
    fn says_no_more_than_what_differs() {
        check(json!({"a": 1}), &json!({"a": 1}), &json!({}));
        check(
            json!({"a": 1, "b": {"c": 1, "d": 2}}),
            &json!({"b": {"c": 1, "d": 3}, "e": null}),
            &json!({"put": {"e": null}, "drop": ["a"], "edit": {"b": {"put": {"d": 3}}}}),
        );
        check(json!(1), &json!("x"), &json!({"is": "x"}));
    }

    #[test]
    fn moved_items_are_named_by_their_old_place() {
        check(
            json!([{"text": "a"}, {"toolUse": 1}, {"text": "b"}]),
            &json!([{"toolUse": 1}, {"text": "b"}, {"text": "c"}, {"image": 0}]),
            &json!({"list": [1, 2, [0, {"put": {"text": "c"}}], {"new": {"image": 0}}]}),
        );
    }

    #[test]
    fn equal_items_are_each_used_once() {
        check(
            json!(["x", "x"]),
            &json!(["x", "x", "x"]),
            &json!({"list": [0, 1, {"new": "x"}]}),
        );
        assert_eq!(apply(json!(["x"]), &json!({"list": [0, 0]})), None);
    }

    #[test]
    fn a_patch_that_does_not_fit_is_refused() {
        for patch in [
            json!(null),
            json!({"is": 1, "put": {}}),
            json!({"edit": {"missing": {"is": 1}}}),
            json!({"edit": 1}),
            json!({"drop": [1]}),
            json!({"put": []}),
        ] {
            assert_eq!(apply(json!({"a": 1}), &patch), None, "{patch}");
        }
        for patch in [
            json!({}),
            json!({"list": [9]}),
            json!({"list": [-1]}),
            json!({"list": [[0]]}),
            json!({"list": ["x"]}),
            json!({"list": [{"old": 1}]}),
        ] {
            assert_eq!(apply(json!([1]), &patch), None, "{patch}");
        }
    }
}
