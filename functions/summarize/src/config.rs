//! The environment of the function, read here and nowhere else.

use edge::{Config, ConfigError};

/// The settings of this deployment.
#[allow(clippy::disallowed_methods)]
pub(crate) fn from_environment() -> Result<Config, ConfigError> {
    Config::read(|variable| std::env::var(variable).ok())
}
