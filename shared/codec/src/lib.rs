#![doc = include_str!("../README.md")]

mod blank;
pub mod converse;
mod decode;
mod encode;
mod error;
mod foreign;
pub mod ids;
mod json;
pub mod limits;
pub mod model;
mod name;
mod note;
mod part;
mod path;
mod payload;
mod prompt;
pub mod strands;
mod wire;

pub use blank::is_blank;
pub use decode::{Decoded, decode, join};
pub use encode::{Dialect, UnknownDialect, encode, encode_json, encode_within, pack, pack_within};
pub use error::{DecodeError, EncodeError, ShapeError};
pub use foreign::ForeignReason;
pub use json::escape::plain_len;
pub use note::{Mode, Note, NoteReason};
pub use part::{Continues, Part};
pub use payload::{Event, Payload, Role};
pub use prompt::to_prompt;
