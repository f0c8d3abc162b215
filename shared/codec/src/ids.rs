//! Ids of any shape, in the alphabets of the service.
//!
//! Actors, sessions and branches are named by callers, who know nothing of the service's patterns. An id that is
//! legal goes through unchanged. Any other is escaped, and the escape is injective: two ids never meet, and no
//! legal id passes for an escaped one.
//!
//! ```text
//! x-<name>        escaped: letters and digits as they are, every other byte as _hh (two hex digits)
//! xh-<64 hex>     too long for that: the SHA-256 of the id
//! ```
//!
//! Ids that begin like one of these are escaped too, legal or not.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

/// The most characters in an actor's id.
pub const MAX_ACTOR_CHARS: usize = 255;

/// The most characters in the id of a session or the name of a branch.
pub const MAX_SESSION_CHARS: usize = 100;

const ESCAPED: &str = "x-";
const HASHED: &str = "xh-";

/// An actor's id as the service takes it.
#[must_use]
pub fn actor_id(id: &str) -> String {
    encoded(id, MAX_ACTOR_CHARS, is_actor_id)
}

/// A session's id as the service takes it.
#[must_use]
pub fn session_id(id: &str) -> String {
    encoded(id, MAX_SESSION_CHARS, is_session_id)
}

/// A branch's name as the service takes it: of the same alphabet as a session's id.
#[must_use]
pub fn branch_name(name: &str) -> String {
    session_id(name)
}

/// Whether the service takes a text as an actor's id: segments of letters, digits and `-_/` joined by single
/// colons, a letter or digit first.
#[must_use]
pub fn is_actor_id(id: &str) -> bool {
    let legal =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'/' | b':');
    id.len() <= MAX_ACTOR_CHARS
        && begins_well(id)
        && id.bytes().all(legal)
        && !id.contains("::")
        && !id.ends_with(':')
}

/// Whether the service takes a text as a session's id or a branch's name.
#[must_use]
pub fn is_session_id(id: &str) -> bool {
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    id.len() <= MAX_SESSION_CHARS && begins_well(id) && id.bytes().all(legal)
}

fn encoded(id: &str, limit: usize, is_legal: fn(&str) -> bool) -> String {
    if is_legal(id) && !id.starts_with(ESCAPED) && !id.starts_with(HASHED) {
        return id.to_owned();
    }
    let mut escaped = ESCAPED.to_owned();
    for byte in id.bytes() {
        if byte.is_ascii_alphanumeric() {
            escaped.push(char::from(byte));
        } else {
            hex(&mut escaped, "_", byte);
        }
        if escaped.len() > limit {
            return hashed(id);
        }
    }
    escaped
}

fn hashed(id: &str) -> String {
    let mut hashed = HASHED.to_owned();
    for byte in Sha256::digest(id.as_bytes()) {
        hex(&mut hashed, "", byte);
    }
    hashed
}

fn hex(out: &mut String, mark: &str, byte: u8) {
    // Writing to a string has no way to fail.
    let _ = write!(out, "{mark}{byte:02x}");
}

fn begins_well(id: &str) -> bool {
    id.bytes()
        .next()
        .is_some_and(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::{actor_id, branch_name, is_actor_id, is_session_id, session_id};

    #[test]
    fn legal_ids_stay_as_they_are() {
        for id in ["a", "Alice", "user-1", "user_1_agent_default", "0"] {
            assert_eq!(session_id(id), id);
            assert_eq!(branch_name(id), id);
            assert_eq!(actor_id(id), id);
        }
        for id in ["tenant/user", "tenant:user:x", "a/", &"a".repeat(255)] {
            assert_eq!(actor_id(id), id);
        }
        let longest = "s".repeat(100);
        assert_eq!(session_id(&longest), longest);
    }

    #[test]
    fn other_ids_are_escaped() {
        for (id, escaped) in [
            ("", "x-"),
            ("a b", "x-a_20b"),
            ("ann@example.org", "x-ann_40example_2eorg"),
            ("-a", "x-_2da"),
            ("é", "x-_c3_a9"),
            ("x-a", "x-x_2da"),
            ("xh-a", "x-xh_2da"),
        ] {
            assert_eq!(session_id(id), escaped, "{id:?}");
            assert_eq!(actor_id(id), escaped, "{id:?}");
        }
        assert_eq!(session_id("a/b|c"), "x-a_2fb_7cc");
        assert_eq!(actor_id("a::b"), "x-a_3a_3ab");
        assert_eq!(actor_id("a:"), "x-a_3a");
    }

    #[test]
    fn no_two_ids_meet_and_all_are_legal() {
        let seeds = [
            "",
            "a",
            "A",
            "a:b",
            "a/b",
            "a|b",
            "a@b",
            "a.b",
            "a_b",
            "a-b",
            "a b",
            "a\u{a0}b",
            "é",
            "e\u{301}",
            "É",
            "a::b",
            ":a",
            "a:",
            "x-",
            "x-a",
            "x-_2e",
            "x_2e",
            "xh-",
            "\0",
            "\u{1f600}",
            "a_2eb",
            "x-a_2eb",
        ];
        let mut ids: Vec<String> = seeds.iter().map(ToString::to_string).collect();
        // An escaped or hashed id given as an id must not meet the one it was made from.
        for id in ids.clone() {
            ids.push(session_id(&id));
            ids.push(session_id(&session_id(&id)));
            ids.push(format!("{id}{}", "y".repeat(255)));
            ids.push(session_id(&format!("{id}{}", "y".repeat(255))));
        }
        for length in [98, 99, 100, 101, 254, 255, 256, 10_000] {
            ids.extend(["z".repeat(length), ".".repeat(length), "Z".repeat(length)]);
        }
        ids.sort();
        ids.dedup();
        for (encode, is_legal) in [
            (
                session_id as fn(&str) -> String,
                is_session_id as fn(&str) -> bool,
            ),
            (actor_id, is_actor_id),
        ] {
            let mut seen = HashMap::new();
            for id in &ids {
                let encoded = encode(id);
                assert!(is_legal(&encoded), "{id:?} became {encoded:?}");
                if let Some(other) = seen.insert(encoded.clone(), id) {
                    panic!("{id:?} and {other:?} both became {encoded:?}");
                }
            }
        }
    }
}
