//! Where an object is, as URLs.

use std::fmt::Write;

/// The URL of an object. A bucket's name with a dot in it is no label a wildcard certificate covers, so it
/// goes into the path, as it does at an address given on purpose.
pub(crate) fn url(endpoint: Option<&str>, region: &str, bucket: &str, key: &str) -> String {
    let key = encoded(key);
    let domain = if region.starts_with("cn-") {
        "amazonaws.com.cn"
    } else {
        "amazonaws.com"
    };
    match endpoint {
        Some(endpoint) => format!("{}/{bucket}/{key}", endpoint.trim_end_matches('/')),
        None if bucket.contains('.') => format!("https://s3.{region}.{domain}/{bucket}/{key}"),
        None => format!("https://{bucket}.s3.{region}.{domain}/{key}"),
    }
}

/// The URI other AWS tools take.
pub(crate) fn uri(bucket: &str, key: &str) -> String {
    format!("s3://{bucket}/{key}")
}

/// A key in the path of a URL: everything but unreserved characters and slashes is escaped, which is the form
/// the signature is computed over.
fn encoded(key: &str) -> String {
    let mut path = String::with_capacity(key.len());
    for byte in key.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~' | b'/') {
            path.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(path, "%{byte:02X}");
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::{uri, url};

    #[test]
    fn objects_have_the_addresses_of_their_region() {
        for (endpoint, region, bucket, expected) in [
            (
                None,
                "eu-central-1",
                "b",
                "https://b.s3.eu-central-1.amazonaws.com/a%3Ac/s.json",
            ),
            (
                None,
                "eu-central-1",
                "b.c",
                "https://s3.eu-central-1.amazonaws.com/b.c/a%3Ac/s.json",
            ),
            (
                None,
                "cn-north-1",
                "b",
                "https://b.s3.cn-north-1.amazonaws.com.cn/a%3Ac/s.json",
            ),
            (
                Some("http://127.0.0.1:9/"),
                "x",
                "b",
                "http://127.0.0.1:9/b/a%3Ac/s.json",
            ),
        ] {
            assert_eq!(url(endpoint, region, bucket, "a:c/s.json"), expected);
        }
        assert_eq!(uri("b", "a:c/s.json"), "s3://b/a:c/s.json");
    }
}
