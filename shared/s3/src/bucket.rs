//! The bucket that takes large answers.

use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use aws_credential_types::Credentials;
use aws_sigv4::http_request::{
    PayloadChecksumKind, PercentEncodingMode, SignableBody, SignableRequest, SigningSettings,
    UriPathNormalizationMode, sign,
};
use aws_sigv4::sign::v4;
use aws_smithy_http_client::Connector;
use aws_smithy_http_client::tls::{Provider, rustls_provider::CryptoMode};
use aws_smithy_runtime_api::client::http::HttpConnector;
use aws_smithy_runtime_api::client::identity::Identity;
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_types::body::SdkBody;
use edge::{ClaimCheckFailed, ClaimChecks};

use crate::address;

/// How long an upload may take. Six megabytes within a Region need a fraction of it.
const PATIENCE: Duration = Duration::from_secs(5);

/// A bucket, and who writes to it.
#[derive(Debug)]
pub struct Bucket {
    place: Place,
    identity: Identity,
    // Most functions never send a large answer, so the connection is not prepared for one.
    connector: OnceLock<Connector>,
}

/// Where the bucket is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its name.
    pub bucket: String,
    /// Its Region.
    pub region: String,
    /// An address in place of the Region's own.
    pub endpoint: Option<String>,
}

impl Bucket {
    /// The bucket at `place`, written to with these credentials.
    #[must_use]
    pub fn new(place: Place, credentials: &edge::Credentials) -> Self {
        let credentials = Credentials::new(
            credentials.access_key_id.clone(),
            credentials.secret_access_key.clone(),
            credentials.session_token.clone(),
            None,
            "static",
        );
        Self {
            place,
            identity: credentials.into(),
            connector: OnceLock::new(),
        }
    }

    fn request(&self, key: &str, body: &str, time: SystemTime) -> Option<HttpRequest> {
        let Place {
            bucket,
            region,
            endpoint,
        } = &self.place;
        let url = address::url(endpoint.as_deref(), region, bucket, key);
        let headers = [("content-type", "application/json")];
        let mut settings = SigningSettings::default();
        settings.percent_encoding_mode = PercentEncodingMode::Single;
        settings.uri_path_normalization_mode = UriPathNormalizationMode::Disabled;
        settings.payload_checksum_kind = PayloadChecksumKind::XAmzSha256;
        let params = v4::SigningParams::builder()
            .identity(&self.identity)
            .region(region)
            .name("s3")
            .time(time)
            .settings(settings)
            .build()
            .ok()?;
        let signable = SignableBody::Bytes(body.as_bytes());
        let signable =
            SignableRequest::new("PUT", url.as_str(), headers.into_iter(), signable).ok()?;
        let (signature, _) = sign(signable, &params.into()).ok()?.into_parts();
        let (signed, _) = signature.into_parts();
        let mut request = HttpRequest::new(SdkBody::from(body));
        request.set_method("PUT").ok()?;
        request.set_uri(url).ok()?;
        for (name, value) in headers {
            request.headers_mut().try_insert(name, value).ok()?;
        }
        for header in signed {
            request
                .headers_mut()
                .try_insert(header.name(), header.value().to_owned())
                .ok()?;
        }
        Some(request)
    }

    fn connector(&self) -> &Connector {
        self.connector.get_or_init(|| {
            let plain = self
                .place
                .endpoint
                .as_deref()
                .is_some_and(|address| address.starts_with("http://"));
            if plain {
                Connector::builder().build_http()
            } else {
                Connector::builder()
                    .tls_provider(Provider::Rustls(CryptoMode::AwsLc))
                    .build()
            }
        })
    }
}

impl ClaimChecks for Bucket {
    async fn put(&self, key: &str, body: &str) -> Result<String, ClaimCheckFailed> {
        let request = self
            .request(key, body, SystemTime::now())
            .ok_or(ClaimCheckFailed)?;
        let answer = tokio::time::timeout(PATIENCE, self.connector().call(request)).await;
        match answer {
            Ok(Ok(answer)) if answer.status().is_success() => {
                Ok(address::uri(&self.place.bucket, key))
            }
            _ => Err(ClaimCheckFailed),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use edge::{ClaimCheckFailed, ClaimChecks, Credentials};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::{Bucket, Place};

    fn bucket(endpoint: Option<String>) -> Bucket {
        let place = Place {
            bucket: "b".to_owned(),
            region: "eu-central-1".to_owned(),
            endpoint,
        };
        let credentials = Credentials {
            access_key_id: "AKIDEXAMPLE".to_owned(),
            secret_access_key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".to_owned(),
            session_token: Some("token".to_owned()),
        };
        Bucket::new(place, &credentials)
    }

    #[test]
    fn a_request_is_signed_for_s3() {
        let time = UNIX_EPOCH + Duration::from_mins(24_015_636);
        let request = bucket(None).request("a/s.json", "{}", time).unwrap();
        assert_eq!(
            request.uri(),
            "https://b.s3.eu-central-1.amazonaws.com/a/s.json"
        );
        let header = |name| request.headers().get(name).unwrap_or_default();
        assert_eq!(header("x-amz-date"), "20150830T123600Z");
        assert_eq!(header("x-amz-security-token"), "token");
        // SHA-256 of the body, by which S3 checks what arrives.
        assert_eq!(
            header("x-amz-content-sha256"),
            "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
        );
        let authorization = header("authorization");
        let scope =
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/eu-central-1/s3/aws4_request, ";
        assert!(authorization.starts_with(scope), "{authorization}");
        for signed in [
            "content-type",
            "host",
            "x-amz-content-sha256",
            "x-amz-date",
            "x-amz-security-token",
        ] {
            assert!(authorization.contains(signed), "{authorization}");
        }
    }

    async fn serve(status: &'static str) -> (String, tokio::task::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let received = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut text = String::new();
            while !text.ends_with("{\"a\":1}") {
                let mut buffer = [0; 4096];
                let read = stream.read(&mut buffer).await.unwrap();
                text.push_str(std::str::from_utf8(&buffer[..read]).unwrap());
            }
            let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n");
            stream.write_all(answer.as_bytes()).await.unwrap();
            text
        });
        (address, received)
    }

    #[tokio::test]
    async fn an_answer_is_put_and_its_address_told() {
        let (address, received) = serve("200 OK").await;
        let uri = bucket(Some(address))
            .put("a:b/s.json", "{\"a\":1}")
            .await
            .unwrap();
        assert_eq!(uri, "s3://b/a:b/s.json");
        let request = received.await.unwrap();
        assert!(
            request.starts_with("PUT /b/a%3Ab/s.json HTTP/1.1\r\n"),
            "{request}"
        );
    }

    #[tokio::test]
    async fn a_refusal_is_a_failure() {
        let (address, _received) = serve("403 Forbidden").await;
        assert_eq!(
            bucket(Some(address)).put("k", "{\"a\":1}").await,
            Err(ClaimCheckFailed)
        );
    }

    #[tokio::test]
    async fn nobody_there_is_a_failure() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        drop(listener);
        assert_eq!(
            bucket(Some(address)).put("k", "{}").await,
            Err(ClaimCheckFailed)
        );
    }
}
