//! The models a deployment summarises with, from environment variables.
//!
//! | variable | meaning | default |
//! |---|---|---|
//! | `MODEL_ID` | the Bedrock model, or inference profile | none: sentences are picked, no model is asked |
//! | `FALLBACK_MODEL_ID` | the one asked where the first fails for good | none |
//! | `MODEL_REGION` | where they are | the Region |
//! | `MODEL_MAX_TOKENS` | the most tokens a summary may have | 2048 |
//! | `MODEL_STEP_TOKENS` | the most tokens a model is given to read at once | 100000 |
//! | `GUARDRAIL_ID`, `GUARDRAIL_VERSION` | a guardrail for both; the version may be `DRAFT` | none |
//! | `REDACT` | `builtin` takes addresses, numbers and keys out before a model reads them; `off` | `off` |

/// Who summarises, and within which limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelConfig {
    /// The models, in the order in which they are asked; none where none is set.
    pub ids: Vec<String>,
    /// Where they are, if not in the function's own Region.
    pub region: Option<String>,
    /// The most tokens a summary may have.
    pub max_tokens: u32,
    /// The most tokens, by estimate, a model is given to read at once.
    pub step_tokens: u64,
    /// The guardrail.
    pub guardrail: Option<Guardrail>,
    /// Whether personal data is taken out before a model reads it.
    pub redacts: bool,
}

/// A guardrail of Bedrock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guardrail {
    /// Its id, or ARN.
    pub id: String,
    /// Its version.
    pub version: String,
}
