//! HTTP: connections, request bodies and answers.

mod answer;
mod body;
mod connection;

pub(crate) use answer::{Answer, AnswerBody};
pub(crate) use body::{Received, receive};
pub(crate) use connection::{CutOff, serve};
