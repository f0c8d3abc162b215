//! Answers, at full speed or trickling.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::Response;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::header::{CONNECTION, CONTENT_TYPE, DATE, HeaderName, HeaderValue};
use tokio::time::Sleep;

use crate::error::ApiError;
use crate::faults::SlowBody;
use crate::timestamp::render_http_date;

const ERROR_TYPE: HeaderName = HeaderName::from_static("x-amzn-errortype");
const REQUEST_ID: HeaderName = HeaderName::from_static("x-amzn-requestid");

/// An answer before it becomes HTTP.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) error_type: Option<&'static str>,
    pub(crate) body: String,
    pub(crate) request_id: String,
    pub(crate) slow: Option<SlowBody>,
    /// Server time to show, where a fault skews the clock.
    pub(crate) date: Option<u64>,
    /// Whether the connection ends with this answer.
    pub(crate) close: bool,
}

impl Answer {
    pub(crate) fn new(status: u16, body: String) -> Self {
        Self {
            status,
            error_type: None,
            body,
            request_id: String::new(),
            slow: None,
            date: None,
            close: false,
        }
    }

    pub(crate) fn error(error: &ApiError) -> Self {
        let (name, status) = error.shape.wire();
        Self {
            error_type: Some(name),
            ..Self::new(status, error.body())
        }
    }

    pub(crate) fn into_response(self) -> Response<AnswerBody> {
        let has_body = !self.body.is_empty();
        let body = AnswerBody::new(self.body, self.slow);
        let mut response = Response::new(body);
        // Statuses come from our own tables, all of them valid.
        *response.status_mut() = hyper::StatusCode::from_u16(self.status).unwrap_or_default();
        let headers = response.headers_mut();
        if has_body {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        if let Some(name) = self.error_type {
            headers.insert(ERROR_TYPE, HeaderValue::from_static(name));
        }
        if !self.request_id.is_empty()
            && let Ok(id) = HeaderValue::from_str(&self.request_id)
        {
            headers.insert(REQUEST_ID, id);
        }
        if let Some(date) = self
            .date
            .and_then(|millis| HeaderValue::from_str(&render_http_date(millis)).ok())
        {
            headers.insert(DATE, date);
        }
        if self.close {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

/// The bytes of an answer: whole, or in pieces with a pause before each.
#[derive(Debug)]
pub(crate) struct AnswerBody {
    pieces: VecDeque<Bytes>,
    length: u64,
    pause: Duration,
    sleep: Option<Pin<Box<Sleep>>>,
}

impl AnswerBody {
    fn new(text: String, slow: Option<SlowBody>) -> Self {
        let bytes = Bytes::from(text);
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let (size, pause) = slow.map_or((bytes.len(), 0), |slow| (slow.chunk_bytes, slow.pause_ms));
        let pieces = bytes
            .chunks(size.max(1))
            .map(|piece| bytes.slice_ref(piece))
            .collect();
        Self {
            pieces,
            length,
            pause: Duration::from_millis(pause),
            sleep: None,
        }
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if !self.pause.is_zero() && !self.pieces.is_empty() {
            let pause = self.pause;
            let sleep = self
                .sleep
                .get_or_insert_with(|| Box::pin(tokio::time::sleep(pause)));
            if sleep.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            self.sleep = None;
        }
        Poll::Ready(self.pieces.pop_front().map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.pieces.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.length)
    }
}
