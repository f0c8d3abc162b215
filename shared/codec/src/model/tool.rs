//! Tool calls and their results.

use super::{Content, Fields, Label};

/// A tool the model wants run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolCall {
    /// The call's id; its result bears the same.
    pub id: Label,
    /// The tool's name.
    pub name: Label,
    /// The arguments; `{}` where there are none.
    pub arguments: Fields,
    /// Fields this version does not know.
    pub extra: Fields,
}

/// What one tool answered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolResult {
    /// The id of the call this answers. Results of events have none.
    pub id: Option<Label>,
    /// The tool's name.
    pub name: Option<Label>,
    /// The answer.
    pub content: Vec<Content>,
    /// The process element that ran the tool.
    pub element_id: Option<Label>,
    /// When it finished: ISO offset date-time, kept as written.
    pub completed_at: Option<Label>,
    /// Every other field of the result, flattened beside the ones above on the wire.
    pub properties: Fields,
}
