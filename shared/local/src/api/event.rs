//! A request as the event a function gets for it: payload 2.0, as a Function URL sends it. Its path is not
//! decoded, so that the function decodes it, and only once.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::HeaderMap;
use hyper::http::request::Parts;
use serde_json::{Map, Value, json};

/// By this name the functions know that the path is still encoded.
const DOMAIN: &str = "local.lambda-url.localhost";

/// Writes the event.
pub(crate) fn event(head: &Parts, body: Vec<u8>, request_id: &str) -> String {
    let path = head.uri.path();
    let method = head.method.as_str();
    let (body, is_base64) = match String::from_utf8(body) {
        Ok(text) => (text, false),
        Err(error) => (STANDARD.encode(error.as_bytes()), true),
    };
    let mut event = json!({
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": path,
        "rawQueryString": head.uri.query().unwrap_or_default(),
        "headers": headers(&head.headers),
        "requestContext": {
            "domainName": DOMAIN,
            "http": {"method": method, "path": path, "protocol": "HTTP/1.1"},
            "requestId": request_id,
            "stage": "$default",
        },
        "isBase64Encoded": is_base64,
    });
    if let (Value::Object(members), false) = (&mut event, body.is_empty()) {
        members.insert("body".to_owned(), body.into());
    }
    event.to_string()
}

/// Gateways lower the names and join the values of a repeated header with commas.
fn headers(given: &HeaderMap) -> Map<String, Value> {
    given
        .keys()
        .map(|name| {
            let values: Vec<_> = given
                .get_all(name)
                .iter()
                .map(|value| String::from_utf8_lossy(value.as_bytes()))
                .collect();
            (name.as_str().to_owned(), values.join(",").into())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use hyper::Request;
    use serde_json::{Value, json};

    use super::event;

    fn of(uri: &str, body: &[u8]) -> Value {
        let request = Request::post(uri)
            .header("X-A", "1")
            .header("x-a", "2")
            .body(())
            .unwrap();
        let (head, ()) = request.into_parts();
        serde_json::from_str(&event(&head, body.to_vec(), "r")).unwrap()
    }

    #[test]
    fn a_request_is_handed_over_undecoded() {
        let event = of("/v1/actors/a%2Fb/sessions/s?window=turns:1&x=%20", b"{}");
        assert_eq!(event["rawPath"], "/v1/actors/a%2Fb/sessions/s");
        assert_eq!(event["rawQueryString"], "window=turns:1&x=%20");
        assert_eq!(event["requestContext"]["http"]["method"], "POST");
        assert_eq!(event["headers"], json!({"x-a": "1,2"}));
        assert_eq!(
            (&event["body"], &event["isBase64Encoded"]),
            (&json!("{}"), &json!(false))
        );
    }

    #[test]
    fn bytes_that_are_no_text_travel_encoded_and_nothing_not_at_all() {
        let event = of("/", b"\xff");
        assert_eq!(
            (&event["body"], &event["isBase64Encoded"]),
            (&json!("/w=="), &json!(true))
        );
        assert_eq!(of("/", b"").get("body"), None);
    }
}
