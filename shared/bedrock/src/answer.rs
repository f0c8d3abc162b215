//! What a model's answer is worth.

use aws_sdk_bedrockruntime::operation::converse::ConverseOutput;
use aws_sdk_bedrockruntime::types::{
    CitationGeneratedContent, ContentBlock, ConverseOutput as Output, StopReason, TokenUsage,
};
use conversation::ports::SummarizerError;

/// The text of the answer, if it is a whole one.
pub(crate) fn summary(answer: ConverseOutput) -> Result<String, SummarizerError> {
    check(answer.stop_reason())?;
    let Some(Output::Message(message)) = answer.output else {
        return Err(SummarizerError::Empty);
    };
    let texts: Vec<String> = message.content.into_iter().flat_map(texts).collect();
    let text = texts.concat();
    if text.trim().is_empty() {
        return Err(SummarizerError::Empty);
    }
    Ok(text)
}

/// What the model read, cached or not, and wrote.
pub(crate) fn tokens(usage: Option<&TokenUsage>) -> (u64, u64) {
    let count = |tokens: i32| u64::try_from(tokens).unwrap_or_default();
    usage.map_or((0, 0), |usage| {
        let cached = [
            usage.cache_read_input_tokens,
            usage.cache_write_input_tokens,
        ];
        let cached: u64 = cached.into_iter().flatten().map(count).sum();
        (
            count(usage.input_tokens) + cached,
            count(usage.output_tokens),
        )
    })
}

/// Only an answer that ended by itself is one. A reason a later version may add is taken for such an end.
fn check(reason: &StopReason) -> Result<(), SummarizerError> {
    match reason {
        StopReason::MaxTokens | StopReason::ModelContextWindowExceeded => {
            Err(SummarizerError::CutOff)
        }
        StopReason::GuardrailIntervened | StopReason::ContentFiltered => {
            Err(SummarizerError::Refused)
        }
        StopReason::MalformedModelOutput | StopReason::MalformedToolUse | StopReason::ToolUse => {
            Err(SummarizerError::Empty)
        }
        _ => Ok(()),
    }
}

/// Text, said plainly or with its sources. What a model thought on the way is no part of its answer.
fn texts(block: ContentBlock) -> Vec<String> {
    match block {
        ContentBlock::Text(text) => vec![text],
        ContentBlock::CitationsContent(cited) => {
            let content = cited.content.unwrap_or_default().into_iter();
            content
                .filter_map(|piece| match piece {
                    CitationGeneratedContent::Text(text) => Some(text),
                    _ => None,
                })
                .collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use aws_sdk_bedrockruntime::types::{ConversationRole, Message};

    use super::*;

    fn answer(reason: StopReason, content: &[ContentBlock]) -> ConverseOutput {
        let message = Message::builder()
            .role(ConversationRole::Assistant)
            .set_content(Some(content.to_vec()))
            .build()
            .expect("a message");
        ConverseOutput::builder()
            .stop_reason(reason)
            .output(Output::Message(message))
            .build()
            .expect("an answer")
    }

    fn text(text: &str) -> ContentBlock {
        ContentBlock::Text(text.to_owned())
    }

    #[test]
    fn only_a_whole_answer_with_text_is_a_summary() {
        for (reason, content, expected) in [
            (StopReason::EndTurn, vec![text("a "), text("b")], Ok("a b")),
            (StopReason::StopSequence, vec![text("a")], Ok("a")),
            (StopReason::EndTurn, vec![], Err(SummarizerError::Empty)),
            (
                StopReason::EndTurn,
                vec![text(" \n")],
                Err(SummarizerError::Empty),
            ),
            (
                StopReason::ToolUse,
                vec![text("a")],
                Err(SummarizerError::Empty),
            ),
            (
                StopReason::MaxTokens,
                vec![text("a")],
                Err(SummarizerError::CutOff),
            ),
            (
                StopReason::GuardrailIntervened,
                vec![text("blocked")],
                Err(SummarizerError::Refused),
            ),
            (
                StopReason::ContentFiltered,
                vec![text("a")],
                Err(SummarizerError::Refused),
            ),
        ] {
            let found = summary(answer(reason.clone(), &content));
            assert_eq!(found.as_deref(), expected.as_deref(), "{reason}");
        }
    }

    #[test]
    fn an_answer_without_a_message_is_empty() {
        let nothing = ConverseOutput::builder()
            .stop_reason(StopReason::EndTurn)
            .build()
            .expect("an answer");
        assert_eq!(summary(nothing), Err(SummarizerError::Empty));
        assert_eq!(tokens(None), (0, 0));
    }
}
