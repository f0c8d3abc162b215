//! Answers too large to be returned: they are put where the caller can fetch them.

use std::future::Future;

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::failure::Failure;
use crate::subject::Subject;

/// Keeps large answers for a while.
pub trait ClaimChecks: Send + Sync {
    /// Puts a JSON document under a key and tells its address (`s3://…`).
    fn put(
        &self,
        key: &str,
        body: &str,
    ) -> impl Future<Output = Result<String, ClaimCheckFailed>> + Send;
}

/// The document could not be put.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the claim check store failed")]
pub struct ClaimCheckFailed;

/// Where an answer is, and how to know it when one sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClaimCheck {
    /// Its address.
    pub uri: String,
    /// SHA-256 of its bytes, in hex.
    pub sha256: String,
    /// Its size.
    pub bytes: usize,
}

impl ClaimCheck {
    /// Puts an answer's body away. The key says whose it is, so that access can be given by prefix.
    pub(crate) async fn of(
        store: &impl ClaimChecks,
        subject: &Subject,
        body: &str,
    ) -> Result<Self, Failure> {
        let sha256 = hex(&Sha256::digest(body));
        let actor = codec::ids::actor_id(&subject.actor);
        let session = codec::ids::session_id(&subject.session);
        let key = format!("{actor}/{session}/{sha256}.json");
        let uri = store
            .put(&key, body)
            .await
            .map_err(|ClaimCheckFailed| Failure::ClaimCheck)?;
        Ok(Self {
            uri,
            sha256,
            bytes: body.len(),
        })
    }
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] = [
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f',
    ];
    let digit = |nibble: u8| DIGITS.get(usize::from(nibble)).copied().unwrap_or_default();
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}
