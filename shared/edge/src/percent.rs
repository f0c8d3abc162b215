//! Percent-encoding in paths and queries.

/// The text behind `%XX` escapes, or none where an escape is cut short or the bytes are not UTF-8.
pub(crate) fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => digit(rest.next()?)? * 16 + digit(rest.next()?)?,
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

/// The pairs of a query string, in order and with repetitions; none where it is malformed.
pub(crate) fn query(text: &str) -> Option<Vec<(String, String)>> {
    text.split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((
                decode(&key.replace('+', " "))?,
                decode(&value.replace('+', " "))?,
            ))
        })
        .collect()
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte)
        .to_digit(16)
        .and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::{decode, query};

    #[test]
    fn escapes_are_decoded_once() {
        for (text, expected) in [
            ("plain", Some("plain")),
            ("a%2Fb%20c", Some("a/b c")),
            ("%E2%82%AC", Some("€")),
            ("a%252Fb", Some("a%2Fb")),
            ("a+b", Some("a+b")),
            ("%", None),
            ("%4", None),
            ("%zz", None),
            ("%ff", None),
        ] {
            assert_eq!(decode(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn queries_keep_order_and_repetition() {
        let pairs = query("window=turns%3A10&strict=true&window=tokens:5&flag&a=b+c").unwrap();
        let text: Vec<_> = pairs.iter().map(|(k, v)| format!("{k}={v}")).collect();
        assert_eq!(
            text,
            [
                "window=turns:10",
                "strict=true",
                "window=tokens:5",
                "flag=",
                "a=b c"
            ]
        );
        assert_eq!(query("").unwrap(), []);
        assert_eq!(query("a=%zz"), None);
    }
}
