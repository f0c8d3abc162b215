//! Messages to store, and what to make of those that come back.

use codec::model::{AssistantMessage, Content, Fields, Message, UserMessage};

/// What a user says.
#[must_use]
pub fn user(text: &str) -> Message {
    Message::User(UserMessage {
        content: vec![words(text)],
        ..UserMessage::default()
    })
}

/// What the model says.
#[must_use]
pub fn assistant(text: &str) -> Message {
    Message::Assistant(AssistantMessage {
        content: vec![words(text)],
        ..AssistantMessage::default()
    })
}

/// A turn of `size` messages, users and model by turns; each says `name`, its number and the size.
#[must_use]
pub fn turn(name: &str, size: usize) -> Vec<Message> {
    (1..=size)
        .map(|number| {
            let text = format!("{name} {number}/{size}");
            if number % 2 == 1 {
                user(&text)
            } else {
                assistant(&text)
            }
        })
        .collect()
}

/// The texts of messages.
#[must_use]
pub fn texts(messages: &[Message]) -> Vec<String> {
    messages.iter().map(text).collect()
}

/// The names of the turns [`turn`] made, in order. Each must be there whole, in one piece and once.
#[must_use]
pub fn whole_turns(messages: &[Message]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut open = 0;
    for text in texts(messages) {
        let (name, place) = text.rsplit_once(' ').expect("a name and a place");
        let (number, size) = place.split_once('/').expect("a number and a size");
        let (number, size): (usize, usize) = (number.parse().unwrap(), size.parse().unwrap());
        assert_eq!(number, open + 1, "{text} is out of place");
        if number == 1 {
            assert!(
                !names.iter().any(|known| known == name),
                "{name} is there twice"
            );
            names.push(name.to_owned());
        } else {
            assert_eq!(
                names.last().map(String::as_str),
                Some(name),
                "{text} is out of place"
            );
        }
        open = if number == size { 0 } else { number };
    }
    assert_eq!(open, 0, "the last turn is not whole");
    names
}

fn text(message: &Message) -> String {
    let content = match message {
        Message::System(message) => &message.content,
        Message::User(message) => &message.content,
        Message::Assistant(message) => &message.content,
        Message::ToolResult(_) => return "tool result".to_owned(),
    };
    content
        .iter()
        .filter_map(|block| match block {
            Content::Text { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

fn words(text: &str) -> Content {
    Content::Text {
        text: text.to_owned(),
        metadata: Fields::new(),
        extra: Fields::new(),
    }
}
