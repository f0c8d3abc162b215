//! Advice: whether it is time to summarise, told so that a workflow can branch on it.

/// Above this share of the model's context, in per cent, a summary is advised.
const THRESHOLD_PERCENT: u64 = 70;

/// Whether to summarise the conversation now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// Whether it is advised.
    pub advised: bool,
    /// Why, or why not yet, in words.
    pub because: String,
}

impl Advice {
    /// The advice for a conversation that takes `tokens` of a context of `window` tokens.
    pub(crate) fn of(tokens: u64, window: u64) -> Self {
        let threshold = u128::from(window) * u128::from(THRESHOLD_PERCENT);
        let advised = u128::from(tokens) * 100 > threshold;
        let relation = if advised { "more" } else { "not more" };
        Self {
            advised,
            because: format!(
                "the conversation takes about {tokens} tokens, {relation} than {THRESHOLD_PERCENT} % of \
                 the {window} of the model's context"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Advice;

    #[test]
    fn a_summary_is_advised_above_the_threshold() {
        assert!(!Advice::of(0, 100).advised);
        assert!(!Advice::of(70, 100).advised);
        assert!(Advice::of(71, 100).advised);
        assert!(Advice::of(u64::MAX, u64::MAX).advised);
        assert_eq!(
            Advice::of(140_001, 200_000).because,
            "the conversation takes about 140001 tokens, more than 70 % of the 200000 of the model's context"
        );
    }
}
