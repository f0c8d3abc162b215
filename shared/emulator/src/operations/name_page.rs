//! Pages of names: what the listings of actors and sessions have in common.

use serde_json::{Map, Value, json};

use crate::error::ApiError;
use crate::page_token::PageToken;
use crate::store::Ranked;
use crate::validate::{Violations, max_results, text_member};
use crate::world::Reply;

const DEFAULT_PAGE: usize = 20;

/// A page as it was asked for, before it is known what is listed.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    limit: usize,
    token: Option<&'a str>,
}

/// A page of one listing.
#[derive(Debug)]
pub(super) struct NamePage {
    /// The name of the listing, to which its tokens are bound.
    listing: String,
    limit: usize,
    /// The last name of the page before.
    pub(super) after: Option<Ranked>,
}

impl<'a> Asked<'a> {
    pub(super) fn parse(
        body: &'a Map<String, Value>,
        violations: &mut Violations,
    ) -> Result<Self, ApiError> {
        Ok(Self {
            limit: max_results(body, violations, DEFAULT_PAGE)?,
            token: text_member(body, "nextToken")?,
        })
    }

    /// The page of a listing. A token of another one is refused.
    pub(super) fn of(self, listing: String) -> Result<NamePage, ApiError> {
        let token = self
            .token
            .map(|token| PageToken::decode(token, &listing))
            .transpose()?;
        Ok(NamePage {
            listing,
            limit: self.limit,
            after: token.map(|token| Ranked {
                rank: token.first,
                name: token.name,
            }),
        })
    }
}

impl NamePage {
    /// How many names to look for: one more than the page holds, to know whether another follows.
    pub(super) fn wanted(&self) -> usize {
        self.limit + 1
    }

    /// The answer, with what was found as its items.
    pub(super) fn reply<T>(
        &self,
        member: &str,
        found: &[T],
        name: impl Fn(&T) -> &Ranked,
        item: impl Fn(&T) -> String,
    ) -> Reply {
        let page = found.get(..self.limit).unwrap_or(found);
        let items: Vec<String> = page.iter().map(item).collect();
        let next = page.last().filter(|_| found.len() > page.len());
        let tail = next.map_or_else(String::new, |last| {
            format!(r#","nextToken":{}"#, json!(self.token(name(last))))
        });
        Reply::new(
            200,
            format!(r#"{{"{member}":[{}]{tail}}}"#, items.join(",")),
        )
    }

    fn token(&self, last: &Ranked) -> String {
        PageToken {
            first: last.rank,
            second: 0,
            salt: 0,
            name: last.name.clone(),
        }
        .encode(&self.listing)
    }
}
