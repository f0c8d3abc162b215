//! The fault plan: which calls go wrong, and how.

use serde::{Deserialize, Serialize};

use crate::random::mix;

/// Rules that make calls fail. Empty by default.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct FaultPlan {
    /// Seed for the rules that strike a share of calls.
    pub seed: u64,
    /// All rules that match a call act on it, in this order.
    pub rules: Vec<FaultRule>,
}

/// One rule of a plan. Without `nth`, `every` or `share` it strikes each matching call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FaultRule {
    /// Name of the operation, or `*` for all.
    pub operation: String,
    /// Only calls of this actor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor_id: Option<String>,
    /// Only calls for this session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Only the n-th matching call, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nth: Option<u64>,
    /// Every n-th matching call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<u64>,
    /// This share (0 to 1) of matching calls, drawn by the seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// At most this many strikes in all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u64>,
    /// What happens.
    pub action: FaultAction,
}

impl FaultRule {
    /// A rule that strikes every call of an operation.
    #[must_use]
    pub fn always(operation: &str, action: FaultAction) -> Self {
        Self {
            operation: operation.to_owned(),
            actor_id: None,
            session_id: None,
            nth: None,
            every: None,
            share: None,
            times: None,
            action,
        }
    }

    /// A rule that strikes the n-th call of an operation, from 1.
    #[must_use]
    pub fn nth(operation: &str, nth: u64, action: FaultAction) -> Self {
        Self {
            nth: Some(nth),
            ..Self::always(operation, action)
        }
    }

    /// A rule that strikes a share of the calls of an operation.
    #[must_use]
    pub fn share(operation: &str, share: f64, action: FaultAction) -> Self {
        Self {
            share: Some(share),
            ..Self::always(operation, action)
        }
    }

    /// The same rule, striking at most this often.
    #[must_use]
    pub fn times(self, times: u64) -> Self {
        Self {
            times: Some(times),
            ..self
        }
    }
}

/// What can go wrong with a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FaultAction {
    /// 429, nothing done.
    Throttle,
    /// 500, nothing done.
    Error500,
    /// 409 `RetryableConflictException`, nothing done.
    Conflict409,
    /// 402 `ServiceQuotaExceededException`, nothing done.
    Quota402,
    /// 403 `AccessDeniedException`, nothing done.
    Denied403,
    /// Connection reset, nothing done.
    ResetBefore,
    /// Connection reset after the effect.
    ResetAfter,
    /// 500 after the effect: the caller cannot tell it from one without.
    Error500After,
    /// The effect is done and the connection closed without an answer.
    LostAnswer,
    /// The effect is done; the connection stays silent for this long, then closes.
    NoAnswerMs(u64),
    /// Time that passes before anything is done.
    DelayMs(u64),
    /// Time that passes between the effect and the answer.
    DelayAfterMs(u64),
    /// The body of the answer trickles.
    SlowBody(SlowBody),
    /// A metadata-filtered listing misses fresh events.
    LagFiltered(Lag),
    /// A listing without a metadata filter misses fresh events.
    LagUnfiltered(Lag),
    /// The server's clock differs by this much for the call.
    ClockSkewMs(i64),
    /// Converse: 400, the input is too long for the model.
    InputTooLong,
    /// Converse: 408 `ModelTimeoutException`.
    ModelTimeout,
    /// Converse: 424 `ModelErrorException`.
    ModelError,
    /// Converse: an answer without any content.
    EmptyAnswer,
    /// Converse: an answer cut off by the token limit.
    MaxTokens,
    /// Converse: a guardrail stepped in.
    Guardrail,
}

/// How a slow body trickles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SlowBody {
    /// Bytes sent at a time.
    pub chunk_bytes: usize,
    /// Pause before each piece.
    pub pause_ms: u64,
}

/// Which events a lagging listing misses: those younger than `ms`, and the last `events` written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Lag {
    /// Age below which an event is missed.
    pub ms: u64,
    /// How many of the newest writes are missed.
    pub events: usize,
}

/// A plan at work: the rules with what they have seen so far.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    plan: FaultPlan,
    seen: Vec<Seen>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    matched: u64,
    struck: u64,
}

impl Faults {
    pub(crate) fn new(plan: FaultPlan) -> Self {
        let seen = vec![Seen::default(); plan.rules.len()];
        Self { plan, seen }
    }

    pub(crate) fn plan(&self) -> &FaultPlan {
        &self.plan
    }

    /// The actions for one call; counts it.
    pub(crate) fn strike(
        &mut self,
        operation: &str,
        actor: Option<&str>,
        session: Option<&str>,
    ) -> Vec<FaultAction> {
        let seed = self.plan.seed;
        let numbered = (0u64..).zip(&self.plan.rules).zip(&mut self.seen);
        numbered
            .filter(|((_, rule), _)| rule.covers(operation, actor, session))
            .filter_map(|((index, rule), seen)| {
                seen.matched += 1;
                let due = rule.times.is_none_or(|times| seen.struck < times)
                    && rule.is_due(seen.matched, mix(seed ^ mix(index)));
                due.then(|| {
                    seen.struck += 1;
                    rule.action.clone()
                })
            })
            .collect()
    }
}

impl FaultRule {
    fn covers(&self, operation: &str, actor: Option<&str>, session: Option<&str>) -> bool {
        (self.operation == "*" || self.operation == operation)
            && self
                .actor_id
                .as_deref()
                .is_none_or(|wanted| actor == Some(wanted))
            && self
                .session_id
                .as_deref()
                .is_none_or(|wanted| session == Some(wanted))
    }

    fn is_due(&self, count: u64, seed: u64) -> bool {
        self.nth.is_none_or(|nth| count == nth)
            && self
                .every
                .is_none_or(|every| every > 0 && count.is_multiple_of(every))
            && self.share.is_none_or(|share| draw(seed, count) < share)
    }
}

/// A number in 0..1 that follows from the seed and the count.
fn draw(seed: u64, count: u64) -> f64 {
    let bits = u32::try_from(mix(seed ^ mix(count)) >> 32).unwrap_or(u32::MAX);
    f64::from(bits) / (f64::from(u32::MAX) + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strikes(rule: FaultRule, calls: usize) -> Vec<usize> {
        let mut faults = Faults::new(FaultPlan {
            seed: 5,
            rules: vec![rule],
        });
        (1..=calls)
            .filter(|_| {
                !faults
                    .strike("CreateEvent", Some("a"), Some("s"))
                    .is_empty()
            })
            .collect()
    }

    #[test]
    fn rules_strike_when_due() {
        assert_eq!(
            strikes(FaultRule::nth("CreateEvent", 3, FaultAction::Throttle), 6),
            [3]
        );
        let every = FaultRule {
            every: Some(2),
            ..FaultRule::always("*", FaultAction::Error500)
        };
        assert_eq!(strikes(every.clone(), 6), [2, 4, 6]);
        assert_eq!(strikes(every.times(2), 8), [2, 4]);
        assert_eq!(
            strikes(FaultRule::always("ListEvents", FaultAction::Throttle), 5),
            [0usize; 0]
        );
        let other = FaultRule {
            session_id: Some("t".into()),
            ..FaultRule::always("*", FaultAction::Throttle)
        };
        assert_eq!(strikes(other, 5), [0usize; 0]);
    }

    #[test]
    fn shares_are_kept_and_repeat_with_the_seed() {
        let rule = FaultRule::share("CreateEvent", 0.25, FaultAction::Throttle);
        let first = strikes(rule.clone(), 4_000);
        assert!((900..1_100).contains(&first.len()), "{}", first.len());
        assert_eq!(first, strikes(rule, 4_000));
    }

    #[test]
    fn plans_are_read_from_json() {
        let plan: FaultPlan = serde_json::from_str(
            r#"{"seed":7,"rules":[
                {"operation":"CreateEvent","nth":3,"action":"throttle"},
                {"operation":"*","share":0.5,"action":{"delayMs":20}},
                {"operation":"ListEvents","times":1,"action":{"lagFiltered":{"events":2}}},
                {"operation":"Converse","action":{"slowBody":{"chunkBytes":1,"pauseMs":2}}}]}"#,
        )
        .unwrap();
        assert_eq!(plan.rules[1].action, FaultAction::DelayMs(20));
        assert_eq!(
            plan.rules[2].action,
            FaultAction::LagFiltered(Lag { ms: 0, events: 2 })
        );
        let text = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<FaultPlan>(&text).unwrap(), plan);
        assert!(
            serde_json::from_str::<FaultPlan>(
                r#"{"rules":[{"operation":"X","action":"explode"}]}"#
            )
            .is_err()
        );
    }
}
