//! Who vouches for the services on loopback.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use tempfile::NamedTempFile;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

/// Where Linux systems keep the certificates they trust: Amazon Linux and its relatives, Debian and its own.
const BUNDLES: [&str; 2] = [
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/certs/ca-certificates.crt",
];

/// A certificate for loopback addresses, made for this value. Its key is nowhere but here.
#[derive(Clone)]
pub struct Authority {
    acceptor: TlsAcceptor,
    file: Arc<NamedTempFile>,
}

impl Authority {
    /// An authority in a file beside those the system trusts, so that reading it costs what it costs when deployed.
    #[must_use]
    pub fn beside_the_systems() -> Self {
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("an address is a name");
        let bundle = BUNDLES.into_iter().find(|path| Path::new(path).exists());
        let mut trusted = bundle.map_or_else(Vec::new, |path| {
            std::fs::read(path).expect("everybody may read it")
        });
        trusted.extend(cert.pem().into_bytes());
        let mut file = NamedTempFile::new().expect("a place for a file");
        file.write_all(&trusted).expect("room for it");
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], key)
            .expect("the key belongs to the certificate");
        Self {
            acceptor: TlsAcceptor::from(Arc::new(config)),
            file: Arc::new(file),
        }
    }

    /// The file of certificates a client has to trust, for `SSL_CERT_FILE`.
    #[must_use]
    pub fn file(&self) -> String {
        let path = self.file.path().to_str();
        path.expect("temporary files have plain names").to_owned()
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        self.acceptor.clone()
    }
}
