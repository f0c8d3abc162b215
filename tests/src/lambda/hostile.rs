//! Bodies made to break things.

/// As much of a body as fits into an event, with its quotes escaped.
const FULL: usize = 6_200_000;

/// Bodies a store has to refuse, by what is wrong with them. Each is as large as it can be and still be looked at, or
/// larger.
#[must_use]
pub fn hostile_bodies() -> Vec<(&'static str, String)> {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let message =
        |content: &str| format!(r#"{{"messages":[{{"role":"user","content":{content}}}]}}"#);
    vec![
        ("nothing", String::new()),
        ("no JSON", "hello".to_owned()),
        ("cut off", r#"{"messages":[{"role":"#.to_owned()),
        ("trailing text", r#"{"messages":[]} x"#.to_owned()),
        ("a number", "7".to_owned()),
        ("a list", "[]".to_owned()),
        ("null", "null".to_owned()),
        (
            "control characters",
            "{\"messages\":[\"\u{1}\"]}".to_owned(),
        ),
        (
            "half a surrogate pair",
            message(r#"[{"type":"text","text":"\ud800"}]"#),
        ),
        (
            "deep lists",
            format!(r#"{{"messages":{}}}"#, nested(200_000)),
        ),
        (
            "deep objects",
            format!(
                r#"{{"messages":{}1{}}}"#,
                r#"{"a":"#.repeat(100_000),
                "}".repeat(100_000)
            ),
        ),
        (
            "deep state",
            format!(
                r#"{{"state":{{"a":{{"value":{{"x":{}}}}}}}}}"#,
                nested(50_000)
            ),
        ),
        (
            "an endless number",
            format!(r#"{{"messages":{}}}"#, "9".repeat(1_000_000)),
        ),
        (
            "many nulls",
            format!(r#"{{"messages":[{}null]}}"#, "null,".repeat(500_000)),
        ),
        (
            "many blocks",
            message(&format!(
                "[{}7]",
                r#"{"type":"text","text":"x"},"#.repeat(100_000)
            )),
        ),
        ("many numbers", {
            format!(r#"{{"messages":[{}0]}}"#, "0,".repeat(FULL / 2))
        }),
        ("many objects", {
            let object = r#"{"":0},"#;
            message(&format!("[{}7]", object.repeat(FULL / (object.len() + 2))))
        }),
        ("as many objects as are read", {
            message(&format!("[{}7]", r#"{"":0},"#.repeat(24_990)))
        }),
        ("many empty fields", {
            format!("{{{}\"\":0}}", r#""":0,"#.repeat(FULL / 7))
        }),
        (
            "a long unknown field",
            format!(r#"{{"{}":1}}"#, "f".repeat(FULL)),
        ),
        (
            "a long id",
            format!(r#"{{"sessionId":"{}","messages":[]}}"#, "s".repeat(FULL)),
        ),
        ("many unknown fields", {
            let fields: Vec<String> = (0..200_000)
                .map(|number| format!(r#""f{number}":1"#))
                .collect();
            format!("{{{}}}", fields.join(","))
        }),
        (
            "a repeated field",
            format!(
                r#"{{{}"messages":[]}}"#,
                r#""messages":[],"#.repeat(100_000)
            ),
        ),
        (
            "both spellings",
            r#"{"session_id":"s","sessionId":"s","messages":[]}"#.to_owned(),
        ),
        ("spaces", " ".repeat(6_000_000)),
        ("quotes", "\"".repeat(3_000_000)),
        ("quotes within a text", {
            format!(r#"{{"messages":"{}"}}"#, r#"\""#.repeat(1_500_000))
        }),
        ("too much", "x".repeat(8_000_000)),
    ]
}
