//! What the functions call.

use std::time::Duration;

use emulator::{DEFAULT_MEMORY_ID, Emulator, Options, Switches};
use tests::lambda::{Authority, Function, Relay, deployed};
use tests::{Proxy, Table, ports, time_in_calls};

/// Both services on loopback, without any delay, by themselves and behind TLS.
pub(crate) struct Services {
    plain: [String; 2],
    secure: [Relay; 2],
    authority: Authority,
    emulator: Emulator,
    table: Table,
}

/// The same services behind proxies that write down when they are busy.
pub(crate) struct Watched {
    proxies: [Proxy; 2],
}

type Variables = Vec<(&'static str, String)>;

impl Services {
    pub(crate) async fn start() -> Self {
        let options = Options {
            // Lags and conflicts would be measured as if the functions caused them.
            switches: Switches::reported(),
            ..Options::default()
        };
        let emulator = Emulator::start(options).await.expect("the emulator starts");
        let table = Table::start().await;
        let plain = [emulator.url(), format!("http://{}", table.address())];
        ports(&plain[0], &plain[1])
            .context
            .create()
            .await
            .expect("the table is created");
        let authority = Authority::beside_the_systems();
        Self {
            secure: [
                Relay::with_tls(&plain[0], &authority).await,
                Relay::with_tls(&plain[1], &authority).await,
            ],
            plain,
            authority,
            emulator,
            table,
        }
    }

    /// A function that calls them by themselves, ready for its first call.
    pub(crate) async fn run(&self, name: &str) -> Function {
        run(name, &self.plain()).await
    }

    /// The same services, watched.
    pub(crate) async fn watched(&self) -> Watched {
        Watched {
            proxies: [
                Proxy::start(self.emulator.addr()).await,
                Proxy::start(self.table.address()).await,
            ],
        }
    }

    /// The environment of a function that calls them by themselves.
    pub(crate) fn plain(&self) -> Variables {
        variables(&self.plain[0], &self.plain[1])
    }

    /// The environment of a function that calls them as it would call AWS: it reads the system's certificates, and
    /// one more, and makes a TLS connection to each.
    pub(crate) fn secure(&self) -> Variables {
        let mut variables = variables(&self.secure[0].url(), &self.secure[1].url());
        variables.push(("SSL_CERT_FILE", self.authority.file()));
        variables
    }
}

impl Watched {
    /// A function that calls them, ready for its first call.
    pub(crate) async fn run(&self, name: &str) -> Function {
        let [events, context] = self.proxies.each_ref().map(Proxy::url);
        run(name, &variables(&events, &context)).await
    }

    /// Forgets the calls so far.
    pub(crate) fn forget(&self) {
        self.proxies.iter().for_each(Proxy::clear);
    }

    /// How long at least one of the services had a call since then.
    pub(crate) fn busy(&self) -> Duration {
        let calls: Vec<_> = self.proxies.iter().flat_map(Proxy::calls).collect();
        time_in_calls(&calls)
    }
}

async fn run(name: &str, variables: &[(&str, String)]) -> Function {
    let function = Function::start_program(&deployed(name), name, &borrowed(variables)).await;
    function.api.first_poll().await;
    function
}

/// Variables as a process takes them.
pub(crate) fn borrowed<'a>(variables: &'a [(&'a str, String)]) -> Vec<(&'a str, &'a str)> {
    let borrow = |(name, value): &'a (&'a str, String)| (*name, value.as_str());
    variables.iter().map(borrow).collect()
}

fn variables(events: &str, context: &str) -> Variables {
    [
        ("MEMORY_ID", DEFAULT_MEMORY_ID),
        ("CONTEXT_TABLE", "context"),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", "emulator"),
        ("AWS_SECRET_ACCESS_KEY", "emulator-secret"),
        ("ALLOW_ENDPOINT_OVERRIDE", "1"),
        ("AWS_ENDPOINT_URL_BEDROCK_AGENTCORE", events),
        ("AWS_ENDPOINT_URL_DYNAMODB", context),
        // Only `summarize` asks a model. The emulator answers for one.
        ("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", events),
        ("MODEL_ID", "amazon.nova-lite-v1:0"),
    ]
    .map(|(name, value)| (name, value.to_owned()))
    .into()
}
