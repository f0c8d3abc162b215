//! One HTTP/1.1 connection, kept alive as long as the server keeps it.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Why a run has no figure.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LoadError {
    #[error("connection failed: {0}")]
    Io(#[from] io::Error),
    #[error("answer is not HTTP: {0:?}")]
    NotHttp(String),
    #[error("expected status {expected}, got {status}: {body}")]
    Status {
        expected: u16,
        status: u16,
        body: String,
    },
    #[error("the page has {events} events and {payloads} payloads")]
    WrongPage { events: usize, payloads: usize },
    #[error("a sender died")]
    SenderDied,
}

/// A connection that opens itself again where the server closes it after each answer.
#[derive(Debug)]
pub(crate) struct Connection {
    address: SocketAddr,
    stream: Option<TcpStream>,
    answer: Vec<u8>,
}

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> Result<Self, LoadError> {
        Ok(Self {
            address,
            stream: Some(dial(address)?),
            answer: Vec::with_capacity(1 << 16),
        })
    }

    /// Sends a request and gives the body of its answer, which must have the expected status.
    pub(crate) fn exchange(&mut self, request: &[u8], expected: u16) -> Result<&[u8], LoadError> {
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => dial(self.address)?,
        };
        stream.write_all(request)?;
        let head = read_answer(&mut stream, &mut self.answer)?;
        if head.keep_alive {
            self.stream = Some(stream);
        }
        let body = self.answer.get(head.length..).unwrap_or_default();
        if head.status == expected {
            Ok(body)
        } else {
            let body = String::from_utf8_lossy(body).into_owned();
            Err(LoadError::Status {
                expected,
                status: head.status,
                body,
            })
        }
    }
}

/// What the lines before the body say.
#[derive(Debug, PartialEq, Eq)]
struct Head {
    length: usize,
    status: u16,
    content_length: Option<usize>,
    keep_alive: bool,
}

fn dial(address: SocketAddr) -> Result<TcpStream, LoadError> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    Ok(stream)
}

/// Reads one whole answer into the buffer.
fn read_answer(stream: &mut impl Read, answer: &mut Vec<u8>) -> Result<Head, LoadError> {
    answer.clear();
    let mut piece = [0_u8; 1 << 14];
    let mut head = None;
    loop {
        if head.is_none() {
            head = parse_head(answer)?;
        }
        if let Some(Head {
            length,
            content_length: Some(body),
            ..
        }) = head
            && answer.len() >= length + body
        {
            break;
        }
        let read = stream.read(&mut piece)?;
        if read == 0 {
            break;
        }
        answer.extend_from_slice(piece.get(..read).unwrap_or_default());
    }
    match head {
        Some(Head {
            length,
            content_length: Some(body),
            ..
        }) if answer.len() < length + body => {
            Err(io::Error::from(io::ErrorKind::UnexpectedEof).into())
        }
        Some(head) => Ok(head),
        None => Err(LoadError::NotHttp(
            String::from_utf8_lossy(answer).into_owned(),
        )),
    }
}

/// The head of an answer, once all of it has arrived.
fn parse_head(answer: &[u8]) -> Result<Option<Head>, LoadError> {
    let Some(end) = answer.windows(4).position(|window| window == b"\r\n\r\n") else {
        return Ok(None);
    };
    let text = String::from_utf8_lossy(answer.get(..end).unwrap_or_default()).to_ascii_lowercase();
    let mut lines = text.split("\r\n");
    let first = lines.next().unwrap_or_default();
    let status = first
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    let status = status.ok_or_else(|| LoadError::NotHttp(first.to_owned()))?;
    let (mut content_length, mut close) = (None, first.starts_with("http/1.0"));
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        match name {
            "content-length" => content_length = value.trim().parse().ok(),
            "connection" => close = value.trim() == "close",
            _ => {}
        }
    }
    // Without a length the body ends where the connection does.
    let keep_alive = !close && content_length.is_some();
    Ok(Some(Head {
        length: end + 4,
        status,
        content_length,
        keep_alive,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<(Head, Vec<u8>), LoadError> {
        let mut answer = Vec::new();
        let head = read_answer(&mut &bytes[..], &mut answer)?;
        let body = answer[head.length..].to_vec();
        Ok((head, body))
    }

    #[test]
    fn a_kept_alive_answer_ends_at_its_length() {
        let (head, body) = read(b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}").unwrap();
        assert_eq!(
            (head.status, head.keep_alive, body.as_slice()),
            (201, true, b"{}".as_slice())
        );
    }

    #[test]
    fn an_answer_without_length_ends_with_its_connection() {
        let (head, body) = read(b"HTTP/1.0 200 OK\r\nServer: x\r\n\r\nabc").unwrap();
        assert_eq!(
            (head.status, head.keep_alive, body.as_slice()),
            (200, false, b"abc".as_slice())
        );
    }

    #[test]
    fn a_server_that_closes_is_believed() {
        let (head, _) =
            read(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n").unwrap();
        assert!(!head.keep_alive);
    }

    #[test]
    fn a_cut_answer_is_an_error() {
        assert!(matches!(
            read(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"),
            Err(LoadError::Io(_))
        ));
        assert!(matches!(read(b"nonsense"), Err(LoadError::NotHttp(_))));
        assert!(matches!(
            read(b"HTTP/1.1\r\n\r\n"),
            Err(LoadError::NotHttp(_))
        ));
    }
}
