//! `ListEvents`.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::place::{place, session_key, shown_memory};
use crate::error::ApiError;
use crate::event::{EventId, Place, StoredEvent};
use crate::limits::Counted;
use crate::page_token::PageToken;
use crate::route::{Labels, Operation};
use crate::store::{BranchOrigin, Cursor, Scan};
use crate::switches::{MainFilter, TieOrder};
use crate::validate::{
    BRANCH_NAME, METADATA_KEY, METADATA_VALUE, Violations, flag_member, list_member, max_results,
    object_member, text_member,
};
use crate::world::{Context, Reply};

const DEFAULT_PAGE: usize = 20;
const MAIN: &str = "main";

/// A listing as it was asked for.
#[derive(Debug)]
struct Request {
    payloads: bool,
    limit: usize,
    token: Option<String>,
    branch: Option<BranchFilter>,
    metadata: Vec<Expression>,
}

#[derive(Debug)]
struct BranchFilter {
    name: String,
    with_parents: bool,
}

#[derive(Debug)]
enum Expression {
    Equals(String, String),
    Exists(String),
    NotExists(String),
}

pub(super) fn run(
    context: &Context<'_>,
    labels: &Labels,
    body: &Map<String, Value>,
) -> Result<Reply, ApiError> {
    let mut violations = Violations::default();
    let request = Request::parse(body, &mut violations)?;
    let place = place(labels, violations)?;
    let listing = format!("ListEvents {}", session_key(&place));
    let token = request
        .token
        .as_deref()
        .map(|token| PageToken::decode(token, &listing))
        .transpose()?;
    let scan = scan(context, &request, token.as_ref());
    let (page, _) = context.world.with_store(|store| {
        store.active_memory(&place.memory, context.now)?;
        context.admit(&Counted {
            operation: Operation::ListEvents,
            session: Some(&session_key(&place)),
            conversational: false,
        })?;
        let session = store.session(&place, context.world.clock.now());
        Ok::<_, ApiError>(session.map(|session| {
            let lines = request
                .branch
                .as_ref()
                .map(|branch| branch.lines(&session.branches));
            (session.scan(&scan), lines)
        }))
    });
    // Rendering happens outside the lock: the page holds its events by reference count.
    let Some(((page, more), lines)) = page? else {
        return Ok(Reply::new(200, r#"{"events":[]}"#.to_owned()));
    };
    let keep = |event: &StoredEvent| {
        request.keeps(
            event,
            lines.as_ref(),
            context.world.options.switches.main_filter,
        )
    };
    let shown = shown_memory(context, &labels.memory, &place);
    let (events, next) = render_page(context, &request, &page, more, shown, &place, keep);
    let next = next.map(|Cursor { millis, rank }| {
        PageToken {
            first: millis,
            second: rank,
            salt: scan.salt,
            name: String::new(),
        }
        .encode(&listing)
    });
    let tail = next.map_or_else(String::new, |token| {
        format!(r#","nextToken":{}"#, json!(token))
    });
    Ok(Reply::new(200, format!(r#"{{"events":[{events}]{tail}}}"#)))
}

fn scan(context: &Context<'_>, request: &Request, token: Option<&PageToken>) -> Scan {
    let world = context.world;
    let ties = world.options.switches.tie_order;
    let salt = match (token, ties) {
        (Some(token), _) => token.salt,
        (None, TieOrder::PerCall) => world.random.number(),
        (None, TieOrder::Stable) => world.options.seed.unwrap_or(0),
        (None, TieOrder::EventId) => 0,
    };
    Scan {
        after: token.map(|token| Cursor {
            millis: token.first,
            rank: token.second,
        }),
        limit: request.limit,
        ties,
        salt,
        now: context.now,
        lag: context.lag(!request.metadata.is_empty()),
    }
}

/// The events of a page that pass the filters, cut where the answer grows too large, and where to go on.
fn render_page(
    context: &Context<'_>,
    request: &Request,
    page: &[(Cursor, Arc<StoredEvent>)],
    more: bool,
    memory: &str,
    place: &Place,
    keep: impl Fn(&StoredEvent) -> bool,
) -> (String, Option<Cursor>) {
    let most = context
        .world
        .options
        .switches
        .max_list_bytes
        .unwrap_or(usize::MAX);
    let mut out = String::new();
    let mut last = None;
    for (cursor, event) in page {
        if keep(event) {
            let text = event.render(memory, place, request.payloads);
            if !out.is_empty() {
                if out.len() + text.len() > most {
                    return (out, last);
                }
                out.push(',');
            }
            out.push_str(&text);
        }
        last = Some(*cursor);
    }
    (out, last.filter(|_| more))
}

impl Request {
    fn parse(body: &Map<String, Value>, violations: &mut Violations) -> Result<Self, ApiError> {
        let filter = object_member(body, "filter")?;
        let (branch, metadata) = match filter {
            Some(filter) => (
                parse_branch(filter, violations)?,
                parse_metadata(filter, violations)?,
            ),
            None => (None, Vec::new()),
        };
        Ok(Self {
            payloads: flag_member(body, "includePayloads")?.unwrap_or(true),
            limit: max_results(body, violations, DEFAULT_PAGE)?,
            token: text_member(body, "nextToken")?.map(str::to_owned),
            branch,
            metadata,
        })
    }

    fn keeps(
        &self,
        event: &StoredEvent,
        lines: Option<&BTreeMap<Arc<str>, EventId>>,
        main: MainFilter,
    ) -> bool {
        let on_branch = match (&self.branch, lines) {
            (Some(branch), _) if branch.name == MAIN && main != MainFilter::OwnEvents => {
                main == MainFilter::AllEvents
            }
            (Some(_), Some(lines)) => lines
                .get(&event.branch)
                .is_some_and(|last| event.id <= *last),
            _ => true,
        };
        on_branch
            && self
                .metadata
                .iter()
                .all(|expression| expression.holds(event))
    }
}

impl BranchFilter {
    /// The branches that belong to this one, each with the last event that does.
    fn lines(&self, branches: &BTreeMap<Arc<str>, BranchOrigin>) -> BTreeMap<Arc<str>, EventId> {
        let mut lines = BTreeMap::new();
        let mut name: Arc<str> = Arc::from(self.name.as_str());
        let mut last = EventId {
            millis: u64::MAX,
            suffix: u32::MAX,
        };
        // Roots exist before their branches, so the chain ends; a branch met twice would be a damaged store.
        while lines.insert(Arc::clone(&name), last).is_none() && self.with_parents {
            let Some(origin) = branches.get(&name) else {
                break;
            };
            last = origin.root;
            name = Arc::clone(&origin.parent);
        }
        lines
    }
}

impl Expression {
    fn holds(&self, event: &StoredEvent) -> bool {
        match self {
            Self::Equals(key, value) => event.metadata.value(key) == Some(value),
            Self::Exists(key) => event.metadata.value(key).is_some(),
            Self::NotExists(key) => event.metadata.value(key).is_none(),
        }
    }
}

fn parse_branch(
    filter: &Map<String, Value>,
    violations: &mut Violations,
) -> Result<Option<BranchFilter>, ApiError> {
    let Some(branch) = object_member(filter, "branch")? else {
        return Ok(None);
    };
    let name = text_member(branch, "name")?;
    match name {
        Some(name) => violations.text("filter.branch.name", name, &BRANCH_NAME),
        None => violations.missing("filter.branch.name"),
    }
    let with_parents = flag_member(branch, "includeParentBranches")?.unwrap_or(true);
    Ok(Some(BranchFilter {
        name: name.unwrap_or_default().to_owned(),
        with_parents,
    }))
}

fn parse_metadata(
    filter: &Map<String, Value>,
    violations: &mut Violations,
) -> Result<Vec<Expression>, ApiError> {
    let Some(list) = list_member(filter, "eventMetadata")? else {
        return Ok(Vec::new());
    };
    violations.length("filter.eventMetadata", list.len(), 1, 5);
    let mut expressions = Vec::new();
    for (index, item) in list.iter().enumerate() {
        let path = format!("filter.eventMetadata.{}.member", index + 1);
        let Some(item) = item.as_object() else {
            return Err(ApiError::cannot_parse(format!(
                "member '{path}' must be an object"
            )));
        };
        expressions.extend(parse_expression(item, &path, violations)?);
    }
    Ok(expressions)
}

fn parse_expression(
    item: &Map<String, Value>,
    path: &str,
    violations: &mut Violations,
) -> Result<Option<Expression>, ApiError> {
    let key = match object_member(item, "left")? {
        Some(left) => text_member(left, "metadataKey")?,
        None => None,
    };
    let value = match object_member(item, "right")? {
        Some(right) => match object_member(right, "metadataValue")? {
            Some(value) => text_member(value, "stringValue")?,
            None => None,
        },
        None => None,
    };
    match key {
        Some(key) => violations.text(&format!("{path}.left.metadataKey"), key, &METADATA_KEY),
        None => violations.missing(&format!("{path}.left.metadataKey")),
    }
    if let Some(value) = value {
        violations.text(
            &format!("{path}.right.metadataValue.stringValue"),
            value,
            &METADATA_VALUE,
        );
    }
    let key = key.unwrap_or_default().to_owned();
    Ok(match (text_member(item, "operator")?, value) {
        (Some("EQUALS_TO"), Some(value)) => Some(Expression::Equals(key, value.to_owned())),
        (Some("EXISTS"), None) => Some(Expression::Exists(key)),
        (Some("NOT_EXISTS"), None) => Some(Expression::NotExists(key)),
        (Some("EQUALS_TO"), None) => {
            violations.missing(&format!("{path}.right"));
            None
        }
        (Some("EXISTS" | "NOT_EXISTS"), Some(_)) => {
            violations.add(
                format!("{path}.right"),
                "Member must be null for this operator",
            );
            None
        }
        (Some(other), _) => {
            violations.one_of(
                &format!("{path}.operator"),
                other,
                &["EQUALS_TO", "EXISTS", "NOT_EXISTS"],
            );
            None
        }
        (None, _) => {
            violations.missing(&format!("{path}.operator"));
            None
        }
    })
}
