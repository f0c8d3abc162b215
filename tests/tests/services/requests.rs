//! What goes with each request, beside what it asks.

use conversation::Conversation;
use conversation::ports::{ContextReader, EventReader};
use tests::ports;
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;

#[tokio::test]
async fn requests_say_who_calls_once() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("bound"));
    let ports = ports(&address, &address);
    let here = Conversation {
        memory: "memory-0123456789".to_owned(),
        actor: "a".to_owned(),
        session: "s".to_owned(),
    };
    let (page, head) = tokio::join!(ports.events.page(&here, None, None), request(&listener));
    page.expect_err("nobody answers");
    says_who_calls_once(&head);
    let (items, head) = tokio::join!(ports.context.items(&here), request(&listener));
    items.expect_err("nobody answers");
    says_who_calls_once(&head);
}

fn says_who_calls_once(head: &str) {
    assert!(head.contains("\r\nuser-agent: colloquy/"), "{head}");
    for absent in ["x-amz-user-agent", "amz-sdk-"] {
        assert!(!head.contains(absent), "{head}");
    }
    assert!(
        head.contains("\r\nauthorization: AWS4-HMAC-SHA256 "),
        "{head}"
    );
}

/// Takes a connection, and closes it once there is the head of a request.
async fn request(listener: &TcpListener) -> String {
    let (mut stream, _) = listener.accept().await.expect("a connection");
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        assert_ne!(stream.read_buf(&mut head).await.expect("bytes"), 0);
    }
    String::from_utf8_lossy(&head).into_owned()
}
