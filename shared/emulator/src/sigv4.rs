//! Signature Version 4: parsed always, verified on demand.

use std::fmt::Write;

use hmac::{Hmac, KeyInit, Mac};
use hyper::Request;
use hyper::header::{AUTHORIZATION, HeaderMap};
use sha2::{Digest, Sha256};

use crate::error::{ApiError, Shape};
use crate::options::Auth;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// The parts of a request that its signature covers, besides the body.
#[derive(Debug)]
pub(crate) struct Parts {
    method: String,
    path: String,
    query: String,
    headers: HeaderMap,
}

impl Parts {
    pub(crate) fn of<B>(request: &Request<B>) -> Self {
        Self {
            method: request.method().as_str().to_owned(),
            path: request.uri().path().to_owned(),
            query: request.uri().query().unwrap_or_default().to_owned(),
            headers: request.headers().clone(),
        }
    }

    fn header(&self, name: &str) -> Option<String> {
        let values: Vec<String> = self
            .headers
            .get_all(name)
            .iter()
            .map(|value| {
                String::from_utf8_lossy(value.as_bytes())
                    .split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect();
        (!values.is_empty()).then(|| values.join(","))
    }
}

/// Checks the signature as far as the options ask for it.
pub(crate) fn verify(auth: &Auth, parts: &Parts, body: &[u8]) -> Result<(), ApiError> {
    let Auth::Verify {
        access_key_id,
        secret_access_key,
    } = auth
    else {
        return Ok(());
    };
    let header = parts.header(AUTHORIZATION.as_str()).ok_or_else(|| {
        ApiError::new(
            Shape::MissingAuthenticationToken,
            "Missing Authentication Token",
        )
    })?;
    let authorization = Authorization::parse(&header).ok_or_else(|| {
        ApiError::new(
            Shape::IncompleteSignature,
            "The Authorization header is not a complete signature",
        )
    })?;
    if authorization.access_key != access_key_id {
        return Err(ApiError::new(
            Shape::UnrecognizedClient,
            "The security token included in the request is invalid.",
        ));
    }
    let moment = parts
        .header("x-amz-date")
        .filter(|moment| moment.starts_with(authorization.date));
    let expected =
        moment.and_then(|moment| authorization.expected(parts, body, &moment, secret_access_key));
    if expected.as_deref() == Some(authorization.signature) {
        return Ok(());
    }
    Err(ApiError::new(
        Shape::InvalidSignature,
        "The request signature we calculated does not match the signature you provided.",
    ))
}

struct Authorization<'a> {
    access_key: &'a str,
    date: &'a str,
    region: &'a str,
    service: &'a str,
    signed_headers: &'a str,
    signature: &'a str,
}

impl<'a> Authorization<'a> {
    fn parse(header: &'a str) -> Option<Self> {
        let fields = header.strip_prefix(ALGORITHM)?;
        let field = |name: &str| {
            fields
                .split(',')
                .find_map(|field| field.trim().strip_prefix(name)?.strip_prefix('='))
        };
        let mut scope = field("Credential")?.split('/');
        let parsed = Self {
            access_key: scope.next()?,
            date: scope.next()?,
            region: scope.next()?,
            service: scope.next()?,
            signed_headers: field("SignedHeaders")?,
            signature: field("Signature")?,
        };
        (scope.next() == Some("aws4_request") && scope.next().is_none()).then_some(parsed)
    }

    fn expected(&self, parts: &Parts, body: &[u8], moment: &str, secret: &str) -> Option<String> {
        let mut headers = String::new();
        for name in self.signed_headers.split(';') {
            headers.extend([name, ":", &parts.header(name)?, "\n"]);
        }
        let canonical = format!(
            "{}\n{}\n{}\n{headers}\n{}\n{}",
            parts.method,
            encode_path(&parts.path),
            sort_query(&parts.query),
            self.signed_headers,
            hex(&Sha256::digest(body))
        );
        let Self {
            date,
            region,
            service,
            ..
        } = self;
        let text = format!(
            "{ALGORITHM}\n{moment}\n{date}/{region}/{service}/aws4_request\n{}",
            hex(&Sha256::digest(canonical.as_bytes()))
        );
        let mut key = sign(format!("AWS4{secret}").as_bytes(), date)?;
        for part in [region, service, "aws4_request"] {
            key = sign(&key, part)?;
        }
        sign(&key, &text).map(|signature| hex(&signature))
    }
}

/// The path is encoded once more than it is on the wire.
fn encode_path(path: &str) -> String {
    path.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
        out
    })
}

fn sort_query(query: &str) -> String {
    let mut pairs: Vec<String> = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            if pair.contains('=') {
                pair.to_owned()
            } else {
                format!("{pair}=")
            }
        })
        .collect();
    pairs.sort();
    pairs.join("&")
}

fn sign(key: &[u8], text: &str) -> Option<Vec<u8>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).ok()?;
    mac.update(text.as_bytes());
    Some(mac.finalize().into_bytes().to_vec())
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
            let _ = write!(out, "{byte:02x}");
            out
        })
}
