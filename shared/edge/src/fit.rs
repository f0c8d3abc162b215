//! Making an answer fit: all of it, or put away with a claim check, or as many of the last turns as there is
//! room for.

use codec::model::Message;
use conversation::Loaded;
use window::starts_turn;

use crate::answer::{AdviceBody, ClaimedBody, LoadBody, ReportBody, Showing};
use crate::call::Source;
use crate::claim_check::{ClaimCheck, ClaimChecks};
use crate::failure::Failure;
use crate::load::LoadCall;
use crate::respond;
use crate::shown::Shown;

/// The body of an answer to a load, and what was done to make it fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fitted {
    /// The body.
    pub body: String,
    /// Whether it is shorter than the window asked for.
    pub truncated: bool,
    /// Whether it is a claim check.
    pub claimed: bool,
}

impl LoadCall {
    /// Writes the answer.
    ///
    /// # Errors
    /// Not even the last turn fits, or the store of claim checks failed.
    pub async fn answer(
        &self,
        source: Source,
        loaded: &Loaded,
        claim_checks: Option<&impl ClaimChecks>,
    ) -> Result<Fitted, Failure> {
        let shown = Shown::new(self, loaded);
        let (whole, showing) = self.body(loaded, &shown, 0)?;
        let excess = self.excess(source, &whole);
        if excess == 0 {
            return Ok(Fitted::whole(whole));
        }
        match claim_checks {
            // Whoever sets a limit wants a smaller answer, not another place for it.
            Some(store) if self.max_bytes.is_none() => {
                self.claimed(loaded, &whole, showing, store).await
            }
            _ => self.shortened(source, loaded, &shown, excess),
        }
    }

    async fn claimed(
        &self,
        loaded: &Loaded,
        whole: &str,
        showing: Showing,
        store: &impl ClaimChecks,
    ) -> Result<Fitted, Failure> {
        let body = ClaimedBody {
            claim_check: ClaimCheck::of(store, &self.subject, whole).await?,
            head: loaded.head.as_deref(),
            summarize: AdviceBody::new(&loaded.advice),
            report: ReportBody::new(&loaded.report, showing),
        };
        Ok(Fitted {
            body: serde_json::to_string(&body).map_err(|_| Failure::Unwritable)?,
            truncated: false,
            claimed: true,
        })
    }

    /// The last turns that fit, after the summary and what is pinned. Only a turn's beginning is a place to cut
    /// at: anywhere else a model would not take what is left.
    fn shortened(
        &self,
        source: Source,
        loaded: &Loaded,
        shown: &Shown<'_>,
        mut excess: usize,
    ) -> Result<Fitted, Failure> {
        for (index, message) in shown.window().iter().enumerate() {
            // Written out at every turn, a long conversation would cost quadratic time. So sizes tell from
            // where on it is worth trying.
            if index > 0 && excess == 0 && starts_turn(message) {
                let (body, _) = self.body(loaded, shown, index)?;
                excess = self.excess(source, &body);
                if excess == 0 {
                    return Ok(Fitted {
                        body,
                        truncated: true,
                        claimed: false,
                    });
                }
            }
            excess = excess.saturating_sub(size(message));
        }
        let limit_bytes = self
            .max_bytes
            .unwrap_or(usize::MAX)
            .min(respond::limit(source));
        Err(Failure::AnswerTooLarge { limit_bytes })
    }

    /// The body without the first `cut` messages of the window, and what is told about it in the report.
    fn body(
        &self,
        loaded: &Loaded,
        shown: &Shown<'_>,
        cut: usize,
    ) -> Result<(String, Showing), Failure> {
        let written = shown.write(self.format, cut);
        let written = written.map_err(|_| Failure::Unwritable)?;
        let showing = Showing {
            cut,
            shortened: shown.shortened,
            tokens_saved: shown.tokens_saved(cut),
            mended: written.mended.clone(),
        };
        let body = LoadBody::new(&self.subject, loaded, written, showing.clone());
        let body = serde_json::to_string(&body).map_err(|_| Failure::Unwritable)?;
        Ok((body, showing))
    }

    /// By how many bytes a body is too long; none where it fits.
    fn excess(&self, source: Source, body: &str) -> usize {
        match self.max_bytes {
            Some(most) => body
                .len()
                .saturating_sub(most)
                .max(respond::excess_of_lambda(source, body)),
            None => respond::excess(source, body),
        }
    }
}

impl Fitted {
    fn whole(body: String) -> Self {
        Self {
            body,
            truncated: false,
            claimed: false,
        }
    }
}

/// The bytes a message takes in the model's own form; other forms are of like size.
fn size(message: &Message) -> usize {
    serde_json::to_vec(message).map_or(0, |bytes| bytes.len())
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use codec::model::{AssistantMessage, Content, Message, UserMessage};
    use conversation::{Advice, Context, Conversation, Loaded, Report};
    use serde_json::Value;

    use super::{Fitted, LoadCall};
    use crate::call::Source;
    use crate::claim_check::{ClaimCheckFailed, ClaimChecks};
    use crate::failure::Failure;
    use crate::format::Format;
    use crate::subject::Subject;
    use crate::window::Window;

    /// Keeps what is put, or refuses it.
    struct Shelf {
        works: bool,
        kept: Mutex<Vec<(String, String)>>,
    }

    impl ClaimChecks for Shelf {
        async fn put(&self, key: &str, body: &str) -> Result<String, ClaimCheckFailed> {
            if !self.works {
                return Err(ClaimCheckFailed);
            }
            self.kept
                .lock()
                .unwrap()
                .push((key.to_owned(), body.to_owned()));
            Ok(format!("s3://shelf/{key}"))
        }
    }

    fn shelf(works: bool) -> Shelf {
        Shelf {
            works,
            kept: Mutex::default(),
        }
    }

    fn call(format: Format, max_bytes: Option<usize>) -> LoadCall {
        LoadCall {
            subject: Subject {
                actor: "a".to_owned(),
                session: "s".to_owned(),
            },
            branch: None,
            window: vec![Window::None],
            format,
            max_bytes,
            strict: false,
            truncate_tool_results: false,
        }
    }

    /// Turns of two messages, each with that many letters.
    fn loaded(turns: usize, letters: usize) -> Loaded {
        let content = || vec![Content::text("x".repeat(letters))];
        let turn = || {
            [
                Message::User(UserMessage {
                    content: content(),
                    ..UserMessage::default()
                }),
                Message::Assistant(AssistantMessage {
                    content: content(),
                    ..AssistantMessage::default()
                }),
            ]
        };
        let messages: Vec<Message> = (0..turns).flat_map(|_| turn()).collect();
        let conversation = Conversation {
            memory: "m".to_owned(),
            actor: "a".to_owned(),
            session: "s".to_owned(),
        };
        let count = messages.len() as u64;
        Loaded {
            context: Context {
                conversation,
                stored_message_count: count,
                system: None,
                states: std::collections::BTreeMap::default(),
                summary: None,
            },
            messages,
            pinned: 0,
            advice: Advice {
                advised: false,
                because: String::new(),
            },
            head: Some("h".to_owned()),
            report: Report {
                stored: count,
                returned: count,
                ..Report::default()
            },
            agents: Vec::new(),
        }
    }

    async fn answer(
        call: &LoadCall,
        loaded: &Loaded,
        shelf: Option<&Shelf>,
    ) -> Result<(Fitted, Value), Failure> {
        let fitted = call.answer(Source::Direct, loaded, shelf).await?;
        let body = serde_json::from_str(&fitted.body).unwrap();
        Ok((fitted, body))
    }

    #[tokio::test]
    async fn what_fits_is_given_whole() {
        let (fitted, body) = answer(&call(Format::Messages, None), &loaded(2, 10), None)
            .await
            .unwrap();
        assert!(!fitted.truncated && !fitted.claimed);
        assert_eq!(body["messages"].as_array().unwrap().len(), 4);
        assert_eq!(body["context"]["storedMessageCount"], 4);
        assert_eq!(body["report"]["truncated"], false);
        assert_eq!(body["head"], "h");
    }

    #[tokio::test]
    async fn a_long_answer_keeps_its_last_turns() {
        for format in [Format::Messages, Format::Converse, Format::Prompt] {
            let (fitted, body) = answer(&call(format, None), &loaded(40, 5_000), None)
                .await
                .unwrap();
            assert!(
                fitted.truncated && fitted.body.len() <= 245_760,
                "{format:?}"
            );
            let returned = body["report"]["returned"].as_u64().unwrap();
            assert_eq!(returned % 2, 0, "whole turns");
            assert!((44..=48).contains(&returned), "{format:?}: {returned}");
            assert_eq!(body["report"]["evicted"].as_u64().unwrap() + returned, 80);
            if format != Format::Prompt {
                assert_eq!(body["messages"].as_array().unwrap().len() as u64, returned);
                assert_eq!(body["messages"][0]["role"], "user");
            }
        }
    }

    #[tokio::test]
    async fn what_is_pinned_stays_when_turns_have_to_go() {
        let mut long = loaded(40, 5_000);
        long.messages.insert(0, long.messages[0].clone());
        if let Message::User(first) = &mut long.messages[0] {
            first.content = vec![Content::text("remember")];
        }
        long.pinned = 1;
        long.report.returned += 1;
        let (fitted, body) = answer(&call(Format::Messages, None), &long, None)
            .await
            .unwrap();
        assert!(fitted.truncated);
        assert_eq!(body["messages"][0]["content"][0]["text"], "remember");
        let returned = body["report"]["returned"].as_u64().unwrap();
        assert_eq!(body["messages"].as_array().unwrap().len() as u64, returned);
        assert_eq!(returned % 2, 1, "whole turns and the pinned message");
    }

    #[tokio::test]
    async fn the_estimate_is_that_of_what_is_shown() {
        let mut long = loaded(40, 5_000);
        long.report.tokens = 80 * 1_250;
        long.report.context_window_tokens = 200_000;
        let (_, body) = answer(&call(Format::Messages, None), &long, None)
            .await
            .unwrap();
        let report = &body["report"];
        let tokens = report["returned"].as_u64().unwrap() * 1_250;
        assert_eq!(report["tokens"], tokens);
        assert_eq!(report["contextWindowTokens"], 200_000);
        let share = format!("{:.4}", report["contextShare"].as_f64().unwrap());
        assert_eq!(share, format!("0.{:04}", tokens / 20));
    }

    #[tokio::test]
    async fn a_limit_of_the_callers_own_cuts_too() {
        let shelf = shelf(true);
        let call = call(Format::Messages, Some(2_000));
        let (fitted, _) = answer(&call, &loaded(10, 200), Some(&shelf)).await.unwrap();
        assert!(fitted.truncated && !fitted.claimed && fitted.body.len() <= 2_000);
        let raised = LoadCall {
            max_bytes: Some(1_000_000),
            ..call
        };
        assert!(
            !answer(&raised, &loaded(40, 5_000), None)
                .await
                .unwrap()
                .0
                .truncated
        );
    }

    #[tokio::test]
    async fn a_turn_that_does_not_fit_is_an_error() {
        let refused = answer(
            &call(Format::Messages, Some(2_000)),
            &loaded(3, 3_000),
            None,
        )
        .await;
        assert_eq!(
            refused.unwrap_err(),
            Failure::AnswerTooLarge { limit_bytes: 2_000 }
        );
    }

    #[tokio::test]
    async fn with_a_shelf_the_whole_answer_is_put_there() {
        let shelf = shelf(true);
        let (fitted, body) = answer(
            &call(Format::Messages, None),
            &loaded(40, 5_000),
            Some(&shelf),
        )
        .await
        .unwrap();
        assert!(fitted.claimed && !fitted.truncated);
        let kept = shelf.kept.lock().unwrap();
        let (key, whole) = &kept[0];
        let claim = &body["claimCheck"];
        assert_eq!(claim["uri"], format!("s3://shelf/{key}"));
        assert_eq!(claim["bytes"], whole.len());
        assert_eq!(
            *key,
            format!("a/s/{}.json", claim["sha256"].as_str().unwrap())
        );
        let whole: Value = serde_json::from_str(whole).unwrap();
        assert_eq!(whole["messages"].as_array().unwrap().len(), 80);
    }

    #[tokio::test]
    async fn a_shelf_that_breaks_is_an_error_and_not_a_shorter_answer() {
        let refused = answer(
            &call(Format::Messages, None),
            &loaded(40, 5_000),
            Some(&shelf(false)),
        )
        .await;
        assert_eq!(refused.unwrap_err(), Failure::ClaimCheck);
    }
}
