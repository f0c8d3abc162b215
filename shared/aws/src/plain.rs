//! What the SDK would add to each request, and need not.

use aws_runtime::invocation_id::InvocationIdInterceptor;
use aws_runtime::request_info::RequestInfoInterceptor;
use aws_runtime::service_clock_skew::ServiceClockSkewInterceptor;
use aws_runtime::user_agent::UserAgentInterceptor;
use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::interceptors::context::{
    BeforeSerializationInterceptorContextRef, BeforeTransmitInterceptorContextMut,
};
use aws_smithy_runtime_api::client::interceptors::{
    Intercept, disable_interceptor, dyn_dispatch_hint,
};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::config_bag::ConfigBag;

/// Who calls, as the logs of the account show it.
const USER_AGENT: &str = concat!("colloquy/", env!("CARGO_PKG_VERSION"), " lang/rust");

/// Requests without a description of the client that is put together, and signed, anew for each, and without what only
/// repeated attempts need: their number, an id they share, and how wrong the clock was at the last one. There is one attempt.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlainRequests;

#[dyn_dispatch_hint]
impl Intercept for PlainRequests {
    fn name(&self) -> &'static str {
        "PlainRequests"
    }

    fn read_before_execution(
        &self,
        _context: &BeforeSerializationInterceptorContextRef<'_>,
        config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let state = config.interceptor_state();
        state.store_put(disable_interceptor::<UserAgentInterceptor>(
            "always the same",
        ));
        state.store_put(disable_interceptor::<InvocationIdInterceptor>(
            "one attempt",
        ));
        state.store_put(disable_interceptor::<RequestInfoInterceptor>("one attempt"));
        state.store_put(disable_interceptor::<ServiceClockSkewInterceptor>(
            "one attempt",
        ));
        Ok(())
    }

    fn modify_before_signing(
        &self,
        context: &mut BeforeTransmitInterceptorContextMut<'_>,
        _components: &RuntimeComponents,
        _config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        context
            .request_mut()
            .headers_mut()
            .insert("user-agent", USER_AGENT);
        Ok(())
    }
}
