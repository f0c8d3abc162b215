//! The errors of the API, with the one table from shape to HTTP status.

use serde_json::{Map, Value, json};

/// An error answer: shape, message and the members the shape adds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ApiError {
    pub(crate) shape: Shape,
    pub(crate) message: String,
    pub(crate) reason: Option<Reason>,
    pub(crate) fields: Vec<FieldError>,
}

/// One member of a request that breaks a constraint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FieldError {
    pub(crate) name: String,
    pub(crate) message: String,
}

/// The error shapes of the memory service, of its front end, and of the model service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Validation,
    ServiceQuotaExceeded,
    AccessDenied,
    ResourceNotFound,
    RetryableConflict,
    Throttled,
    Service,
    UnknownOperation,
    NotEmulated,
    MissingAuthenticationToken,
    IncompleteSignature,
    UnrecognizedClient,
    InvalidSignature,
    ModelThrottling,
    ModelTimeout,
    ModelError,
    ModelInternal,
}

impl Shape {
    /// Name and HTTP status.
    pub(crate) fn wire(self) -> (&'static str, u16) {
        match self {
            Self::Validation => ("ValidationException", 400),
            Self::ServiceQuotaExceeded => ("ServiceQuotaExceededException", 402),
            Self::AccessDenied => ("AccessDeniedException", 403),
            Self::ResourceNotFound => ("ResourceNotFoundException", 404),
            Self::RetryableConflict => ("RetryableConflictException", 409),
            Self::Throttled => ("ThrottledException", 429),
            Self::Service => ("ServiceException", 500),
            Self::UnknownOperation => ("UnknownOperationException", 404),
            Self::NotEmulated => ("NotEmulatedException", 501),
            Self::MissingAuthenticationToken => ("MissingAuthenticationTokenException", 403),
            Self::IncompleteSignature => ("IncompleteSignatureException", 403),
            Self::UnrecognizedClient => ("UnrecognizedClientException", 403),
            Self::InvalidSignature => ("InvalidSignatureException", 403),
            Self::ModelThrottling => ("ThrottlingException", 429),
            Self::ModelTimeout => ("ModelTimeoutException", 408),
            Self::ModelError => ("ModelErrorException", 424),
            Self::ModelInternal => ("InternalServerException", 500),
        }
    }
}

/// The `reason` member of a validation error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    CannotParse,
    FieldValidationFailed,
    IdempotentParameterMismatch,
    EventInOtherSession,
    ResourceConflict,
}

impl Reason {
    fn wire(self) -> &'static str {
        match self {
            Self::CannotParse => "CannotParse",
            Self::FieldValidationFailed => "FieldValidationFailed",
            Self::IdempotentParameterMismatch => "IdempotentParameterMismatchException",
            Self::EventInOtherSession => "EventInOtherSession",
            Self::ResourceConflict => "ResourceConflict",
        }
    }
}

impl ApiError {
    pub(crate) fn new(shape: Shape, message: impl Into<String>) -> Self {
        Self {
            shape,
            message: message.into(),
            reason: None,
            fields: Vec::new(),
        }
    }

    pub(crate) fn validation(reason: Reason, message: impl Into<String>) -> Self {
        Self {
            reason: Some(reason),
            ..Self::new(Shape::Validation, message)
        }
    }

    pub(crate) fn cannot_parse(message: impl Into<String>) -> Self {
        Self::validation(Reason::CannotParse, message)
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(Shape::ResourceNotFound, message)
    }

    pub(crate) fn throttled() -> Self {
        Self::new(Shape::Throttled, "Rate exceeded.")
    }

    pub(crate) fn body(&self) -> String {
        let mut body = Map::new();
        body.insert("message".to_owned(), json!(self.message));
        if let Some(reason) = self.reason {
            body.insert("reason".to_owned(), json!(reason.wire()));
        }
        if !self.fields.is_empty() {
            let fields = self
                .fields
                .iter()
                .map(|field| json!({"name": field.name, "message": field.message}));
            body.insert("fieldList".to_owned(), fields.collect());
        }
        Value::Object(body).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_carry_reason_and_fields_only_where_there_are_some() {
        assert_eq!(
            ApiError::throttled().body(),
            r#"{"message":"Rate exceeded."}"#
        );
        let mut error = ApiError::validation(Reason::FieldValidationFailed, "bad");
        error.fields.push(FieldError {
            name: "actorId".into(),
            message: "too long".into(),
        });
        assert_eq!(
            error.body(),
            r#"{"message":"bad","reason":"FieldValidationFailed","fieldList":[{"name":"actorId","message":"too long"}]}"#
        );
    }
}
