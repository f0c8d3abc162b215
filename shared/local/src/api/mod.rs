//! The HTTP API: what an API gateway does, and no more.

mod body;
mod connection;
mod event;
mod limits;
mod problem;
mod response;
mod server;
mod service;
mod stopping;

pub(crate) use limits::Limits;
pub(crate) use server::Api;
