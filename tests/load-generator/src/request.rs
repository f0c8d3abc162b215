//! The bytes of the requests, as an SDK sends them.

use std::io::Write;

/// The scope names the service, by which servers of many services tell whom a request is for.
const HEADERS: &str = "host: 127.0.0.1\r\n\
    content-type: application/json\r\n\
    authorization: AWS4-HMAC-SHA256 \
    Credential=testing/20260101/us-east-1/bedrock-agentcore/aws4_request, \
    SignedHeaders=host;x-amz-date, Signature=0\r\n\
    x-amz-date: 20260101T000000Z\r\n";

const TEXT_CHARACTERS: usize = 200;

/// Writes requests into a buffer it keeps, so that making one costs next to nothing.
#[derive(Debug)]
pub(crate) struct RequestWriter {
    memory: String,
    sender: String,
    millis: u128,
    written: u64,
    text: String,
    body: Vec<u8>,
    request: Vec<u8>,
}

impl RequestWriter {
    /// `sender` keeps the tokens of several writers apart; events are stamped from `millis` on.
    pub(crate) fn new(memory: &str, sender: &str, millis: u128) -> Self {
        Self {
            memory: memory.to_owned(),
            sender: sender.to_owned(),
            millis,
            written: 0,
            text: "x".repeat(TEXT_CHARACTERS),
            body: Vec::new(),
            request: Vec::new(),
        }
    }

    /// A `CreateEvent` with a token and a timestamp of its own.
    pub(crate) fn create(&mut self, session: &str) -> &[u8] {
        self.written += 1;
        let (seconds, fraction) = (self.millis / 1000, self.millis % 1000);
        // Timestamps rise a little within the second and never run ahead of the server's clock for long.
        let fraction = (fraction + u128::from(self.written)) % 1000;
        self.body.clear();
        // Writing to a vector cannot fail.
        let _ = write!(
            self.body,
            r#"{{"actorId":"actor-1","sessionId":"{session}","eventTimestamp":{seconds}.{fraction:03},"payload":[{{"conversational":{{"content":{{"text":"{}"}},"role":"USER"}}}}],"clientToken":"{}-{}-{}"}}"#,
            self.text, self.sender, self.millis, self.written,
        );
        let path = format!("/memories/{}/events", self.memory);
        self.assemble(&path)
    }

    /// A `ListEvents` for one page with payloads.
    pub(crate) fn list(&mut self, session: &str, page: usize) -> &[u8] {
        self.body.clear();
        let _ = write!(
            self.body,
            r#"{{"maxResults":{page},"includePayloads":true}}"#
        );
        let path = format!("/memories/{}/actor/actor-1/sessions/{session}", self.memory);
        self.assemble(&path)
    }

    fn assemble(&mut self, path: &str) -> &[u8] {
        self.request.clear();
        let _ = write!(
            self.request,
            "POST {path} HTTP/1.1\r\n{HEADERS}content-length: {}\r\n\r\n",
            self.body.len()
        );
        self.request.extend_from_slice(&self.body);
        &self.request
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(request: &[u8]) -> String {
        String::from_utf8(request.to_vec()).unwrap()
    }

    #[test]
    fn the_announced_length_is_that_of_the_body() {
        let mut requests = RequestWriter::new("memory-0123456789", "a", 1_772_375_782_999);
        for request in [text(requests.create("s")), text(requests.list("s", 100))] {
            let (head, body) = request.split_once("\r\n\r\n").unwrap();
            assert!(
                head.ends_with(&format!("content-length: {}", body.len())),
                "{head}"
            );
        }
    }

    #[test]
    fn each_event_has_its_own_token_and_a_three_digit_fraction() {
        let mut requests = RequestWriter::new("memory-0123456789", "a", 1_772_375_782_999);
        let (first, second) = (text(requests.create("s")), text(requests.create("s")));
        assert!(
            first.contains(r#""eventTimestamp":1772375782.000,"#),
            "{first}"
        );
        assert!(
            first.contains("-1\"}") && second.contains("-2\"}"),
            "{first} {second}"
        );
    }
}
